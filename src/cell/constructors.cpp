#include "cell/constructors.hpp"

#include <algorithm>
#include <string_view>

#include "cell/lexer.hpp"

namespace xcuda::cell {
namespace {

bool is_constant(std::string_view word) {
  return word == "static" || word == "using" || word == "enum" || word == "template" || word == "friend" ||
         word == "typedef";
}

}  // namespace

bool has_constructor(std::string_view definition) {
  const auto tokens = tokens_of(definition);
  const auto head = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.is("struct") || token.is("class") || token.is("union");
  });
  const auto open = std::find_if(head, tokens.end(), [](const Token& token) { return token.is("{"); });
  if (open == tokens.end()) return false;
  std::string_view name;  // the last word before the braces or the colon of its bases
  for (auto at = head + 1; at != open && !at->is(":"); ++at)
    if (at->is_identifier() && !at->is("final")) name = at->text;
  int braces = 0, groups = 0;
  auto begin = open + 1;  // of a member's declaration
  for (auto at = open; at != tokens.end(); ++at) {
    if (at->is("{")) ++braces;
    if (at->is("(") || at->is("[")) ++groups;
    if (at->is(")") || at->is("]")) --groups;
    if (at->is("}") && --braces == 0) break;
    if (braces != 1 || groups > (at->is("(") ? 1 : 0)) {
      if (at->is("}")) begin = at + 1;
      continue;
    }
    if (at->is(";") || at->is(":") || at->is("}")) begin = at + 1;
    const bool called = at != open && at->is("(") && (at - 1)->is(name) && !(at - 2)->is("~");
    if (called && !name.empty()) return true;
    const bool constant = std::any_of(begin, at, [](const Token& token) { return is_constant(token.text); });
    const bool value = at->is("=") && !(at - 1)->is(")") && !(at - 1)->is("operator") && !(at - 1)->is("const") &&
                       !(at - 1)->is("override") && !(at - 1)->is("noexcept");
    if (value && !constant && std::none_of(begin, at, [](const Token& token) { return token.is("("); })) return true;
  }
  return false;
}

}  // namespace xcuda::cell
