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

using TokenAt = std::vector<Token>::const_iterator;

struct ClassHead {
  TokenAt colon, open;  // of its bases, which it need not have; the brace of its body
  std::string_view name;
};

// Nothing has a body: open is the end.
ClassHead head_of(const std::vector<Token>& tokens) {
  const auto head = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.is("struct") || token.is("class") || token.is("union");
  });
  const auto open = std::find_if(head, tokens.end(), [](const Token& token) { return token.is("{"); });
  ClassHead found{open, open, {}};
  if (open == tokens.end()) return found;
  found.colon = std::find_if(head, open, [](const Token& token) { return token.is(":"); });
  int depth = 0;  // of the arguments of a specialization
  for (auto at = head + 1; at != found.colon; ++at) {
    if (at->is("struct") || at->is("class")) depth = 0;
    if (at->is("<")) ++depth;
    if (at->is(">")) --depth;
    if (depth == 0 && at->is_identifier() && !at->is("final")) found.name = at->text;
  }
  return found;
}

// Whether "= default" comes after the parameters that begin there.
bool is_defaulted(TokenAt open, TokenAt end) {
  while (open != end && !open->is(")")) ++open;
  while (open != end && !open->is("=") && !open->is("{") && !open->is(";")) ++open;
  return end - open > 1 && open->is("=") && (open + 1)->is("default");
}

// "(const P&", "(P<T>&&": what a constructor takes another value of its type by.
bool takes_own_type(TokenAt open, TokenAt end, std::string_view name) {
  const auto close = std::find_if(open, end, [](const Token& token) { return token.is(",") || token.is(")"); });
  const bool own = std::any_of(open, close, [&](const Token& token) { return token.is(name); });
  return own && std::any_of(open, close, [](const Token& token) { return token.is("&") || token.is("&&"); });
}

}  // namespace

SpecialMembers special_members(std::string_view definition) {
  SpecialMembers found;
  const auto tokens = tokens_of(definition);
  const auto head = head_of(tokens);
  int angles = 0;  // of the arguments of a base
  for (auto at = head.colon; at != head.open; ++at) {
    if (at->is("<")) ++angles;
    if (at->is(">")) --angles;
    if (angles == 0 && at->is_identifier() && !at->is("public") && !at->is("private") && !at->is("protected") &&
        !at->is("virtual"))
      found.bases.emplace_back(at->text);
  }
  int braces = 0;
  for (auto at = head.open; at != tokens.end(); ++at) {
    if (at->is("{")) ++braces;
    if (at->is("}") && --braces == 0) break;
    if (braces != 1 || tokens.end() - at < 4) continue;
    const bool named = (at + 1)->is(head.name) && (at + 2)->is("(");
    if (at->is("~") && named && !is_defaulted(at + 2, tokens.end())) found.destructor = true;
    if (at->is("operator") && (at + 1)->is("=") && !is_defaulted(at + 2, tokens.end())) found.assigns = true;
    if (!at->is("~") && named && takes_own_type(at + 2, tokens.end(), head.name) && !is_defaulted(at + 2, tokens.end()))
      found.copies = true;
  }
  return found;
}

bool has_constructor(std::string_view definition) {
  const auto tokens = tokens_of(definition);
  const auto [colon, open, name] = head_of(tokens);
  if (open == tokens.end()) return false;
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
