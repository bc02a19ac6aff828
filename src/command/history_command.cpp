// %history
#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "display/history_report.hpp"
#include "display/styled_text.hpp"

namespace xcuda::command {
namespace {

using session::HistoryEntry;

std::size_t count_of(const Invocation& call) {
  if (call.arguments.operands.empty()) return 10;
  const auto& word = call.arguments.operands[0];
  std::size_t count = 0;
  const auto [end, failure] = std::from_chars(word.text.data(), word.text.data() + word.text.size(), count);
  if (failure != std::errc{} || end != word.text.data() + word.text.size() || count == 0)
    throw call.error(ErrorKind::value, fmt::format("%history takes a number of cells, not \"{}\"", word.text), word)
        .advise("Write %history 20 for the last twenty cells.");
  return count;
}

// The last earlier run of the same text that came to its end; null where there is none.
const HistoryEntry* earlier_run(const std::vector<HistoryEntry>& history, std::size_t of) {
  const auto text = trim(history[of].code);
  for (auto i = of; i-- > 0;)
    if (history[i].took.count() > 0 && history[i].outcome != HistoryEntry::Outcome::failed &&
        trim(history[i].code) == text)
      return &history[i];
  return nullptr;
}

display::CellTime time_of(const std::vector<HistoryEntry>& history, std::size_t i) {
  const auto& entry = history[i];
  display::CellTime cell{.name = entry.name, .took = entry.took.count()};
  cell.outcome = entry.outcome == HistoryEntry::Outcome::running  ? display::CellTime::Outcome::running
                 : entry.outcome == HistoryEntry::Outcome::failed ? display::CellTime::Outcome::failed
                                                                  : display::CellTime::Outcome::ran;
  for (const auto line : split_lines(trim(entry.code))) {
    cell.text = trim(line);
    break;
  }
  cell.lines = split_lines(trim(entry.code)).size();
  if (const auto* before = earlier_run(history, i)) {
    cell.before = before->name;
    cell.took_before = before->took.count();
  }
  return cell;
}

void run_history(Invocation& call) {
  call.expect_operands(0, 1);
  const auto& history = call.session.history();
  const auto first = history.size() - std::min(history.size(), count_of(call));
  if (call.arguments.has("--times")) {
    std::vector<display::CellTime> cells;
    for (auto i = first; i < history.size(); ++i) cells.push_back(time_of(history, i));
    return call.show(display::history_bundle(cells));
  }
  display::StyledText text;
  for (auto i = first; i < history.size(); ++i)
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
      .details =
          "With --times, how long each cell took until the device was idle, compared with the last run of the same "
          "text.",
      .options = {{.name = "--times", .help = "show how long each cell took"}},
      .refused_options = {{"-n", "Leave it out: each cell has its number."},
                          {"-l", "%history 20 shows the last twenty cells."},
                          {"-o", "Leave it out: outputs are in the notebook."},
                          {"-p", "Leave it out: cells are shown as they are."},
                          {"-t", "Leave it out: cells are shown as they are."},
                          {"-g", "Search in the notebook, or in what %history 1000 shows."},
                          {"-f", "Copy what %history shows into a cell of %%writefile file."}},
      .example = "%history 5\n",
      .run = run_history,
  };
}

}  // namespace xcuda::command
