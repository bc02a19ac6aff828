// %show
#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_node.hpp"
#include "base/units.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

void run_show(Invocation& call) {
  constexpr std::uint64_t kMostShown = 100000;
  call.expect_operands(1, 1);
  const auto& word = call.arguments.operands[0];
  const auto array = call.any_array(word);
  auto options = session::print_options(call.session.settings(), array.type);
  if (const auto digits = call.arguments.integer("--precision"))
    options.precision = static_cast<int>(std::min<std::int64_t>(*digits, 17));
  if (const auto edge = call.arguments.integer("--edge")) options.edge_items = static_cast<std::uint64_t>(*edge);
  if (call.arguments.has("--all")) {
    if (arrays::count_of(array.shape) > kMostShown)
      throw call
          .error(ErrorKind::value,
                 fmt::format("{} has {} elements, but --all shows at most {}", word.text,
                             format_count(arrays::count_of(array.shape)), format_count(kMostShown)),
                 word)
          .advise(fmt::format("Show a part, {}[0:1000], or write it all: %save {} file.npy", word.text, word.text));
    options.threshold = kMostShown;
  }
  auto view = session::view_of(call.session, array, options);
  view.name = word.text;
  call.show(display::array_bundle(view));
}

}  // namespace

Command show_command() {
  return {
      .name = "show",
      .operand = Operand::array,
      .usage = "%show x",
      .summary = "Show a whole array, or show it with digits other than %config sets",
      .options = {{.name = "--all", .help = "every element, up to 100,000"},
                  {.name = "--precision", .type = OptionType::integer, .value = "N", .help = "digits after the point"},
                  {.name = "--edge",
                   .type = OptionType::integer,
                   .value = "N",
                   .help = "elements at each end of a summarised axis",
                   .minimum = 1}},
      .setup = kScaleSetup,
      .example = "%show x --edge 5 --precision 3\n",
      .run = run_show,
  };
}

}  // namespace xcuda::command
