// %load
#include <fmt/format.h>

#include <charconv>

#include "base/input_file.hpp"
#include "base/text.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

constexpr std::uint64_t kMostText = 1 << 20;  // bytes

struct Lines {
  std::size_t first = 1, last = 0;  // counted from 1
};

// "5-10", "5-", "-10" or "5"
Lines lines_of(const Invocation& call, const cell::Word& word, std::size_t count) {
  const std::string_view text = word.text;
  const auto number = [&](std::string_view part, std::size_t otherwise) {
    if (part.empty()) return otherwise;
    std::size_t value = 0;
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (failure != std::errc{} || end != part.data() + part.size() || value == 0)
      throw call.error(ErrorKind::value, fmt::format("-r takes lines such as 5-10, not {}", text), word);
    return value;
  };
  const auto dash = text.find('-');
  if (dash == text.npos) {
    const auto line = number(text, 1);
    return {line, line};
  }
  const Lines lines{number(text.substr(0, dash), 1), number(text.substr(dash + 1), count)};
  if (lines.first > lines.last)
    throw call.error(ErrorKind::value, fmt::format("-r {} begins after its end", text), word);
  return lines;
}

void run_load(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& path = call.arguments.operands[0];
  call.run.current = path.span;
  auto text = read_file(path.text, kMostText);
  if (text.find('\0') != std::string::npos)
    throw call.error(ErrorKind::value, fmt::format("{} is not a text file", shown_path(path.text)), path)
        .advise(R"(float x[] = load("file.npy"); reads arrays.)");
  text = valid_utf8(text);
  if (const auto range = call.arguments.word("-r")) {
    std::vector<std::string_view> all;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      all.push_back(std::string_view(text).substr(at, end - at));
      at = end + 1;
    }
    const auto lines = lines_of(call, *range, all.size());
    if (lines.first > all.size())
      throw call.error(ErrorKind::value, fmt::format("{} has {} lines", shown_path(path.text), all.size()), *range);
    std::string chosen;
    for (auto i = lines.first; i <= std::min(lines.last, all.size()); ++i) chosen += std::string(all[i - 1]) + "\n";
    text = std::move(chosen);
  }
  call.run.sink.next_input(fmt::format("// %load {}\n{}", call.magic.line, text));
}

}  // namespace

Command load_command() {
  return {
      .name = "load",
      .operand = Operand::path,
      .usage = "%load [-r 5-10] file",
      .summary = "Put the text of a file into this cell",
      .details =
          "The cell's text is replaced by the file's; run it again to run that. In a console it is the next input.",
      .options = {{.name = "-r", .type = OptionType::text, .value = "LINES", .help = "only these lines, such as 5-10"}},
      .setup = "!printf '__device__ float twice(float x) { return 2 * x; }\\n' > twice.cuh\n",
      .example = "%load twice.cuh\n",
      .run = run_load,
  };
}

}  // namespace xcuda::command
