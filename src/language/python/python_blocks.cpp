// Lines of Python that begin a block: for, while, if, elif and else.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "language/python/python_parser.hpp"
#include "language/python/tokens.hpp"

namespace xcuda::language {
namespace {

// range(n), range(first, last), range(first, last, step), after the parenthesis.
std::string counting(const std::string& name, PythonParser& parser) {
  std::vector<PythonPiece> bounds;
  do bounds.push_back(parser.value());
  while (parser.accept(","));
  if (!parser.accept(")") || bounds.size() > 3) return {};
  const auto first = bounds.size() == 1 ? "0" : bounds[0].text;
  const auto last = bounds[bounds.size() == 1 ? 0 : 1].bound(Binding::shift);
  auto step = bounds.size() == 3 ? bounds[2].text : "1";
  const bool down = step.starts_with("-");
  if (down) step = step.substr(1);
  if (step.empty() || step.find_first_not_of("0123456789") != std::string::npos || step == "0") return {};
  const auto next = step == "1" ? fmt::format("{}{}", down ? "--" : "++", name)
                                : fmt::format("{} {} {}", name, down ? "-=" : "+=", step);
  return fmt::format("for (int {0} = {1}; {0} {2} {3}; {4}) {{", name, first, down ? ">" : "<", last, next);
}

// After "for": what the loop begins with here.
std::string loop(PythonParser& parser, std::set<std::string, std::less<>>& declared, const PythonNames& names) {
  std::vector<std::string> targets;
  do targets.push_back(parser.taken());
  while (parser.accept(","));
  if (!parser.accept("in") || targets.size() > 2) return {};
  for (const auto& name : targets)
    if (name.empty() || (std::isalpha(static_cast<unsigned char>(name[0])) == 0 && name[0] != '_')) return {};
  const auto array = [&] {
    auto piece = parser.value();
    return names.rank(piece.text).value_or(0) > 0 ? piece.bound(Binding::primary) : std::string();
  };
  const auto called = [&](std::string_view function) {
    if (!parser.at(function) || parser.peek(1).text != "(") return false;
    parser.taken();
    parser.taken();
    return true;
  };
  declared.insert(targets.begin(), targets.end());
  if (targets.size() == 1 && called("range")) return counting(targets[0], parser);
  if (targets.size() == 2 && called("enumerate")) {
    const auto x = array();
    if (x.empty() || !parser.accept(")")) return {};
    return fmt::format("for (int {0} = 0; {0} < {1}.shape[0]; ++{0}) {{ auto {2} = {1}[{0}];", targets[0], x,
                       targets[1]);
  }
  if (targets.size() == 2 && called("zip")) {
    const auto x = array();
    if (!parser.accept(",")) return {};
    const auto y = array();
    if (x.empty() || y.empty() || !parser.accept(")")) return {};
    std::string at = "at";
    for (int i = 2; names.known(at); ++i) at = fmt::format("at{}", i);
    return fmt::format(
        "for (int {0} = 0; {0} < min({1}.shape[0], {2}.shape[0]); ++{0}) {{ auto {3} = {1}[{0}]; auto {4} = {2}[{0}];",
        at, x, y, targets[0], targets[1]);
  }
  if (targets.size() != 1) return {};
  auto range = parser.expression();
  if (range.kind != PieceKind::list && names.rank(range.text).value_or(0) == 0) return {};
  return fmt::format("for (auto {} : {}) {{", targets[0], range.text);
}

}  // namespace

std::optional<PythonHeader> PythonLines::header(std::string_view line) {
  const auto text = trim(line);
  auto tokens = python_tokens(text);
  if (!tokens || tokens->size() < 3) return std::nullopt;
  const auto word = (*tokens)[0].text;
  const auto end = tokens->back().begin;
  const auto names = own_names();
  PythonParser parser({tokens->begin() + 1, tokens->end()}, names);
  PythonHeader header;
  header.goes_on = word == "elif" || word == "else";
  if (word == "else") {
    header.text = "else {";
  } else if (word == "if" || word == "elif" || word == "while") {
    header.text = fmt::format("{} ({}) {{", word == "elif" ? "else if" : word, parser.value().text);
  } else if (word == "for") {
    header.text = loop(parser, declared_, names);
  }
  if (header.text.empty() || parser.failed() || !parser.before().empty() || !parser.accept(":")) return std::nullopt;
  header.rest = trim(text.substr(parser.peek().begin, end - parser.peek().begin));
  return header;
}

}  // namespace xcuda::language
