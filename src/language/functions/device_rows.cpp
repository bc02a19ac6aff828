// Which device does what with which part of an array, where a session uses several.
#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

Form no_value(Given) { return Form::of(Form::Kind::nothing); }

// A part has as many dimensions, and other extents.
Form part_of(const Form& x) {
  auto extents = x.extents;
  if (extents)
    for (auto& extent : *extents) extent.reset();
  return Form::array(x.type, extents);
}

constexpr Function kDeviceFunctions[] = {
    {.name = "device",
     .signatures = "T device([array x, int i])",
     .help = "The number of the device that statements work on; of an array the part, or the copy, that device i has: "
             "x.device(1)",
     .example = "device()",
     .operation = Operation::current_device,
     .result = [](Given given) { return given[0].is_array() ? part_of(given[0]) : Form::number(Kind::int32); }},
    {.name = "device_count",
     .signatures = "int device_count()",
     .help = "How many devices the session uses",
     .example = "device_count()",
     .operation = Operation::devices_in_use,
     .result = [](Given) { return Form::number(Kind::int32); }},
    {.name = "local",
     .signatures = "array local(array x)",
     .help =
         "The part, or the copy, of an array on the device that statements work on; all of it where it is not spread",
     .example = "local(x)",
     .operation = Operation::local_part,
     .result = [](Given given) { return part_of(given[0]); }},
    {.name = "all_reduce",
     .signatures = "void all_reduce(array x [, const char* op = \"sum\"|\"prod\"|\"min\"|\"max\"])",
     .help = "Each copy of a replicated array becomes the sum of all copies",
     .example = "all_reduce(x);",
     .operation = Operation::all_reduce,
     .result = no_value},
    {.name = "reduce_scatter",
     .signatures = "void reduce_scatter(array to, array from [, const char* op = \"sum\"|\"prod\"|\"min\"|\"max\"])",
     .help = "Each part of a sharded array becomes that part of the sum of all copies of a replicated one",
     .example = "reduce_scatter(x, y);",
     .operation = Operation::reduce_scatter,
     .result = no_value},
    {.name = "all_gather",
     .signatures = "void all_gather(array to, array from)",
     .help = "Each copy of a replicated array becomes the whole of a sharded one",
     .example = "all_gather(x, y);",
     .operation = Operation::all_gather,
     .result = no_value},
    {.name = "all_to_all",
     .signatures = "void all_to_all(array to, array from)",
     .help = "Block e of device d's part of a sharded array becomes block d of device e's part of another one",
     .example = "all_to_all(x, y);",
     .operation = Operation::all_to_all,
     .result = no_value},
    {.name = "broadcast",
     .signatures = "void broadcast(array x [, int root = 0])",
     .help = "Each copy of a replicated array becomes that of one device",
     .example = "broadcast(x);",
     .operation = Operation::broadcast,
     .result = no_value},
    {.name = "send",
     .signatures = "void send(array x, int peer)",
     .help = "Sends elements from the device that statements work on to another one, which receives them by recv() in "
             "the same cell",
     .example = "send(x, 0); recv(y, 0);",
     .operation = Operation::send,
     .result = no_value},
    {.name = "recv",
     .signatures = "void recv(array x, int peer)",
     .help = "Receives what another device sends to the one that statements work on, by send() in the same cell",
     .example = "send(x, 0); recv(y, 0);",
     .operation = Operation::receive,
     .result = no_value},
};

}  // namespace

std::span<const Function> functions_of_devices() { return kDeviceFunctions; }

}  // namespace xcuda::language
