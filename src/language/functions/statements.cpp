// What statements call besides: output, asserts, streams and events, initial values, texts.
#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

Form nothing(Given) { return Form::of(Form::Kind::nothing); }
Form array_like(Given given) { return Form::array(given[0].type, given[0].extents); }

constexpr Function kStatementFunctions[] = {
    {.name = "printf",
     .signatures = "int printf(const char* format, ...)",
     .help = "Print formatted text into the output of the cell; also from device code",
     .example = "printf(\"%g\\n\", x[0]);",
     .operation = Operation::print,
     .result = nothing},
    {.name = "assert",
     .signatures = "void assert(bool condition)",
     .help = "End the cell with an error unless the condition holds; also in device code",
     .example = "assert(x > 0 && \"x is positive\");",
     .operation = Operation::assertion,
     .result = nothing},
    {.name = "swap",
     .signatures = "void swap(name x, name y)",
     .help = "Exchange two arrays or variables by their names",
     .example = "swap(x, y);",
     .operation = Operation::exchange,
     .result = nothing},
    {.name = "record",
     .signatures = "void record(event e [, stream s = 0])",
     .help = "Record an event: it is there when all that was posted to the stream before is done",
     .example = "event e; record(e);",
     .operation = Operation::record,
     .result = nothing},
    {.name = "wait",
     .signatures = "void wait(stream s, event e)\nvoid wait(event e)",
     .help = "Let what follows in a stream wait for an event; wait(e) for the default stream",
     .example = "event e; stream s; record(e); wait(s, e);",
     .operation = Operation::wait,
     .result = nothing},
    {.name = "elapsed",
     .signatures = "double elapsed(event from, event to)",
     .help = "Milliseconds between two recorded events; waits for them",
     .example = "event a, b; record(a); record(b); elapsed(a, b) >= 0",
     .operation = Operation::elapsed,
     .result = [](Given) { return Form::number(Kind::float64); },
     .program = "elapsed",
     .part = "launch"},
    {.name = "arange",
     .signatures = "T arange([start = 0, step = 1])\narray arange(start, stop, step)",
     .help =
         "Initial values start, start + step, ...: int i[n] = arange(); without a declared extent the numbers up to "
         "stop: arange(10), arange(2, 10, 2)",
     .example = "int i[4] = arange(10);",
     .operation = Operation::arange,
     .part = "sequence"},
    {.name = "linspace",
     .signatures = "T linspace(start, stop)\narray linspace(start, stop, size_t num)",
     .help = "Initial values from start to stop, both included: float t[n] = linspace(0, 1); or num of them: "
             "linspace(0, 1, 11)",
     .example = "float t[5] = linspace(0, 1);",
     .operation = Operation::linspace,
     .part = "sequence"},
    {.name = "like",
     .signatures = "array like(array x)",
     .help = "A new array of x's type and shape: auto out = like(x);",
     .example = "auto z = like(x);",
     .operation = Operation::like,
     .result = array_like},
    {.name = "load",
     .signatures = "array load(const char* file [, const char* name])",
     .help =
         "The contents of a file as initial values: of NumPy (.npy, .npz), text (.csv), an image (.png, .jpg, .bmp, "
         ".pgm, .ppm) or raw elements: float x[n] = load(\"x.npy\"); name says which array of a .npz: "
         "load(\"all.npz\", \"x\")",
     .operation = Operation::load,
     .result = [](Given) { return Form::array({}); }},
    {.name = "cover",
     .signatures = "dim3 cover(size_t nx [, size_t ny, size_t nz])",
     .help = "Grid and block that cover so many threads: saxpy<<<cover(n)>>>(...);",
     .operation = Operation::cover},
    {.name = "getenv",
     .signatures = "char* getenv(const char* name)",
     .help = "A variable of the environment, or a null pointer: getenv(\"N\") ? atoi(getenv(\"N\")) : 1024",
     .example = "getenv(\"XCUDA_NOT_THERE\") == nullptr",
     .operation = Operation::environment,
     .result = [](Given) { return Form(); }},
    {.name = "atoi",
     .signatures = "int atoi(const char* text)",
     .help = "The integer that a text begins with",
     .example = "atoi(\"12\")",
     .operation = Operation::integer_of_text,
     .result = [](Given) { return Form::number(Kind::int32); }},
    {.name = "atof",
     .signatures = "double atof(const char* text)",
     .help = "The number that a text begins with",
     .example = "atof(\"0.5\")",
     .operation = Operation::real_of_text,
     .result = [](Given) { return Form::number(Kind::float64); }},
};

}  // namespace

std::span<const Function> functions_of_statements() { return kStatementFunctions; }

}  // namespace xcuda::language
