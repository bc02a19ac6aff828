// Random numbers: initial values of arrays, random choices and orders.
#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

#define XCUDA_DRAWN ", seed, word generator, size_t offset = 0, word ordering = \"default\""

Form chosen_at_random(Given given) { return Form::array(given[0].is_array() ? given[0].type : type_of(Kind::long64)); }

constexpr Function kRandomFunctions[] = {
    {.name = "uniform",
     .signatures = "T uniform([lo = 0, hi = 1" XCUDA_DRAWN ", int dimensions = 1])",
     .help =
         "Random initial values in [lo, hi): float x[n] = uniform(0, 1, seed = 1); with generator = philox, xorwow, "
         "mrg32k3a, mt19937 or sobol cuRAND's, in (lo, hi]",
     .example = "float u[4] = uniform(seed = 1);",
     .operation = Operation::uniform,
     .part = "random"},
    {.name = "normal",
     .signatures = "T normal([mean = 0, std = 1" XCUDA_DRAWN ", int dimensions = 1])",
     .help = "Normally distributed initial values: float x[n] = normal();",
     .example = "float u[4] = normal(seed = 1);",
     .operation = Operation::normal,
     .part = "random"},
    {.name = "lognormal",
     .signatures = "T lognormal([mean = 0, std = 1" XCUDA_DRAWN ", int dimensions = 1])",
     .help = "Initial values whose logarithms are normally distributed, with this mean and deviation",
     .example = "float u[4] = lognormal(0, 0.5, seed = 1);",
     .operation = Operation::lognormal,
     .part = "random"},
    {.name = "poisson",
     .signatures = "T poisson([mean = 1" XCUDA_DRAWN ", int dimensions = 1])",
     .help = "Initial values with a Poisson distribution: int n[100] = poisson(3.5);",
     .example = "int u[4] = poisson(3.5, seed = 1);",
     .operation = Operation::poisson},
    {.name = "randint",
     .signatures = "T randint([lo, hi" XCUDA_DRAWN ", int dimensions = 1])",
     .help = "Random integers from lo to hi - 1; with a generator but without lo and hi, its 32-bit words",
     .example = "int u[4] = randint(1, 7, seed = 1);",
     .operation = Operation::randint,
     .part = "random"},
    {.name = "permutation",
     .signatures = "array permutation(T x [" XCUDA_DRAWN "])",
     .help = "The rows of an array, or the integers below a number, in random order",
     .example = "permutation(x, seed = 1)",
     .operation = Operation::permutation,
     .result = chosen_at_random},
    {.name = "choice",
     .signatures = "array choice(T x, extents size [, bool replace = true, array p" XCUDA_DRAWN "])",
     .help = "Random rows of an array, or integers below a number, with the probabilities p; with replace = false, "
             "each at most once",
     .example = "choice(x, 3, seed = 1)",
     .operation = Operation::choice,
     .result = chosen_at_random},
};

#undef XCUDA_DRAWN

}  // namespace

std::span<const Function> functions_of_random_numbers() { return kRandomFunctions; }

}  // namespace xcuda::language
