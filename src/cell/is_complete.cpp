#include "cell/is_complete.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "cell/whole_program.hpp"

namespace xcuda::cell {
namespace {

std::string next_indent(std::string_view text) {
  std::vector<bool> open;  // which open brackets indent: of several opened on one line only the first, and every brace
  bool line_opens = false;
  for (const auto& token : tokens_of(text)) {
    if (token.line_start) line_opens = false;
    if (token.is("{") || token.is("(") || token.is("[")) {
      open.push_back(!line_opens || token.text == "{");
      line_opens = true;
    }
    if ((token.is("}") || token.is(")") || token.is("]")) && !open.empty()) open.pop_back();
  }
  return std::string(4 * static_cast<std::size_t>(std::count(open.begin(), open.end(), true)), ' ');
}

}  // namespace

Completeness is_complete(std::string_view text, Grammar grammar) {
  using Status = Completeness::Status;
  const auto result = try_parse_cell(text, {}, grammar);
  const bool whole_cell = result.cell.magic.has_value();
  if (result.error) {
    if (!result.incomplete) return {Status::invalid, {}};
    const auto body = whole_cell ? text.substr(result.cell.magic->body_span.begin) : text;
    return {Status::incomplete, next_indent(body)};
  }
  if (whole_cell && is_implied(*result.cell.magic)) {  // a program: up to the last of its braces
    if (auto indent = next_indent(text); !indent.empty()) return {Status::incomplete, std::move(indent)};
  } else if (whole_cell) {
    const auto lines = split_lines(text);
    const bool ended =
        lines.size() > 1 && text.ends_with('\n') && (trim(lines.back()).empty() || text.ends_with("\n\n"));
    if (!ended) return {Status::incomplete, {}};
  }
  return {};
}

}  // namespace xcuda::cell
