// %history
#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "display/compile_report.hpp"
#include "display/styled_text.hpp"

namespace xcuda::command {
namespace {

void run_history(Invocation& call) {
  call.expect_operands(0, 1);
  std::size_t count = 10;
  if (!call.arguments.operands.empty()) {
    const auto& word = call.arguments.operands[0];
    const auto [end, failure] = std::from_chars(word.text.data(), word.text.data() + word.text.size(), count);
    if (failure != std::errc{} || end != word.text.data() + word.text.size() || count == 0)
      throw call.error(ErrorKind::value, fmt::format("%history takes a number of cells, not \"{}\"", word.text), word);
  }
  const auto& history = call.session.history();
  display::StyledText text;
  for (auto i = history.size() - std::min(history.size(), count); i < history.size(); ++i)
    text.add(display::Style::place, history[i].name + ":").line().add(trim(history[i].code)).line();
  call.show(display::listing_bundle("History", text));
}

}  // namespace

Command history_command() {
  return {
      .name = "history",
      .operand = Operand::text,
      .usage = "%history [N]",
      .summary = "Show the last N cells of this session (10)",
      .example = "%history 5\n",
      .run = run_history,
  };
}

}  // namespace xcuda::command
