#include "tests/process/cell_script.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/text.hpp"

namespace xcuda::test {
namespace {

std::string without_trailing_space(std::string_view text) {
  std::string result;
  for (const auto line : split_lines(text)) {
    const auto end = line.find_last_not_of(" \t\r");
    result += std::string(line.substr(0, end == std::string_view::npos ? 0 : end + 1)) + "\n";
  }
  while (result.ends_with("\n\n")) result.pop_back();
  return result == "\n" ? "" : result;
}

bool line_matches(std::string_view pattern, std::string_view line) {
  const auto dots = pattern.find("...");
  if (dots == std::string_view::npos) return pattern == line;
  if (!line.starts_with(pattern.substr(0, dots))) return false;
  const auto rest = pattern.substr(dots + 3);
  for (auto at = dots; at <= line.size(); ++at)
    if (line_matches(rest, line.substr(at))) return true;
  return false;
}

bool lines_match(std::span<const std::string_view> pattern, std::span<const std::string_view> lines) {
  if (pattern.empty()) return lines.empty();
  if (pattern[0] == "...") {
    for (std::size_t skip = 0; skip <= lines.size(); ++skip)
      if (lines_match(pattern.subspan(1), lines.subspan(skip))) return true;
    return false;
  }
  return !lines.empty() && line_matches(pattern[0], lines[0]) && lines_match(pattern.subspan(1), lines.subspan(1));
}

}  // namespace

std::vector<ScriptCell> read_script(const std::string& path) {
  std::ifstream file(path);
  std::vector<ScriptCell> cells;
  std::string line;
  std::string* into = nullptr;
  for (int number = 1; std::getline(file, line); ++number) {
    if (!line.starts_with("=== ")) {
      if (into != nullptr) *into += line + "\n";
      continue;
    }
    std::istringstream words(line.substr(4));
    std::string kind;
    words >> kind;
    if (kind == "cell") {
      cells.push_back({.line = number});
      words >> cells.back().device;
      into = &cells.back().code;
    } else if (kind == "output" && !cells.empty()) {
      into = &cells.back().output.emplace();
    } else if (kind == "error" && !cells.empty()) {
      auto& error = cells.back().error.emplace();
      words >> error.kind >> error.place;
      into = &error.text;
    } else if (kind == "#") {
      into = nullptr;  // a remark
    } else {
      ADD_FAILURE() << path << ":" << number << ": " << line << " opens no section";
    }
  }
  // A last line without a newline behind it, as a client sends it.
  for (auto& cell : cells)
    while (cell.code.ends_with('\n')) cell.code.pop_back();
  return cells;
}

bool matches(const std::string& pattern, const std::string& text) {
  const auto wanted = without_trailing_space(pattern), given = without_trailing_space(text);
  const auto pattern_lines = split_lines(wanted), lines = split_lines(given);
  return lines_match(pattern_lines, lines);
}

void TextSink::stream(OutputStream, std::string_view piece) { text += piece; }

void TextSink::display(const display::Bundle& bundle) {
  text += display::plain(bundle);
  if (!text.ends_with('\n')) text += "\n";
}

std::string compare(const ScriptCell& expected, const std::string& output,
                    const std::optional<display::ErrorView>& error) {
  std::string text;
  std::string kind, place = "-";
  if (error) {
    for (const auto& line : display::render_error(*error, display::Colours::none).traceback) text += line + "\n";
    kind = kind_name(error->error.kind);
    if (error->error.place && error->error.place->line > 0)
      place = fmt::format("{}:{}", error->error.place->line, error->error.place->column);
  }
  if (!expected.error && error) return fmt::format("it failed: {} {}\n{}", kind, place, text);
  if (expected.error) {
    if (!error)
      return fmt::format("it succeeded; expected {} {}\noutput:\n{}", expected.error->kind, expected.error->place,
                         output);
    if (kind != expected.error->kind || (!expected.error->place.empty() && place != expected.error->place))
      return fmt::format("it failed with {} {}; expected {} {}\n{}", kind, place, expected.error->kind,
                         expected.error->place, text);
    std::size_t at = 0;
    for (const auto line : split_lines(expected.error->text)) {
      if (trim(line).empty()) continue;
      const auto found = text.find(line, at);
      if (found == std::string::npos) return fmt::format("the error does not say \"{}\":\n{}", line, text);
      at = found;
    }
  }
  if (!expected.error || expected.output)
    if (!matches(expected.output.value_or(""), output))
      return fmt::format("output:\n{}\nexpected:\n{}", output, expected.output.value_or(""));
  return "";
}

}  // namespace xcuda::test
