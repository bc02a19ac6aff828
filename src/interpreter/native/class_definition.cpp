#include "interpreter/native/class_definition.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cell/constructors.hpp"
#include "cell/lexer.hpp"
#include "cell/methods.hpp"
#include "interpreter/expressions.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

const Definition* class_definition(session::Session& session, const Type& type) {
  const auto base = [](std::string_view name) { return name.substr(0, name.find('<')); };
  const Definition* found = nullptr;
  cell::MostSpecial special(type.name);
  for (const auto& definition : session.code().definitions()) {
    if (definition.piece.kind != cell::DeviceKind::type || base(definition.piece.name) != base(type.name)) continue;
    if (special.takes(definition.text)) found = &definition;
  }
  return found;
}

bool declares_static(std::string_view definition, std::string_view name) {
  bool declares = false;
  for (const auto& token : cell::tokens_of(definition)) {
    if (declares && token.is(name)) return true;
    if (token.is("static")) declares = true;
    if (token.is(";") || token.is("=") || token.is("{") || token.is("(")) declares = false;
  }
  return false;
}

namespace {

using TokenAt = std::vector<cell::Token>::const_iterator;

// Past the group of parentheses, braces or brackets that opens there.
TokenAt end_of_group(TokenAt open, TokenAt end) {
  int depth = 0;
  for (auto at = open; at != end; ++at) {
    if (at->is("(") || at->is("{") || at->is("[")) ++depth;
    if ((at->is(")") || at->is("}") || at->is("]")) && --depth <= 0) return at + 1;
  }
  return end;
}

// Past the arguments of a template that open there.
TokenAt end_of_angles(TokenAt open, TokenAt end) {
  int depth = 0;
  for (auto at = open; at != end && !at->is(";"); ++at) {
    if (at->is("<")) ++depth;
    if (at->is(">") && --depth == 0) return at + 1;
  }
  return open + 1;
}

// To the body of a constructor from the colon of ": a(1), b{2} {}".
TokenAt end_of_initializers(TokenAt colon, TokenAt end) {
  auto at = colon;
  do {
    at = end_of_group(std::find_if(at, end, [](const auto& token) { return token.is("(") || token.is("{"); }), end);
    if (at != end && at->is("...")) ++at;
  } while (at != end && at->is(","));
  return at;
}

// A union or struct without a name and without a variable, whose members are those of the struct around it.
bool is_anonymous(TokenAt open, TokenAt end) {
  const auto after = end_of_group(open, end);
  return ((open - 1)->is("union") || (open - 1)->is("struct")) && after != end && after->is(";");
}

// What has a group of parentheses that are no parameters.
bool is_specifier(const cell::Token& token) {
  return token.is("alignas") || token.is("__align__") || token.is("decltype");
}

}  // namespace

bool declares_constant(std::string_view definition, std::string_view name, Written what) {
  struct {
    bool constant = false, pointer = false, after_star = false, function = false, initial = false;
  } member;
  const auto tokens = cell::tokens_of(definition);
  const auto end = tokens.end();
  auto at = std::find_if(tokens.begin(), end, [](const auto& token) { return token.is("{"); });
  if (at == end) return false;
  int open = 1;
  for (++at; end - at > 1;) {
    const auto& token = *at;
    const auto& next = *(at + 1);
    const bool declared = next.is("=") || next.is(";") || next.is("{") || next.is("[") || next.is(",") || next.is(":");
    if (token.is(name) && declared && !member.initial)
      return member.pointer ? member.after_star && what == Written::member : member.constant;
    if (token.is("{") && is_anonymous(at, end)) {
      ++open;
      member = {};
    } else if (token.is("(") || token.is("{") || token.is("[")) {
      if (token.is("(") && !is_specifier(*(at - 1))) member.function = true;
      at = end_of_group(at, end);
      const bool body = token.is("{") && member.function;
      if (body && at != end && !at->is(",")) member = {};
      continue;
    } else if (token.is("<") && !member.initial && !(at - 1)->is("operator")) {
      at = end_of_angles(at, end);
      continue;
    } else if (token.is(":") && member.function) {
      at = end_of_initializers(at, end);
      continue;
    } else if (token.is("}")) {
      if (--open == 0) return false;
      member = {};
    }
    if (token.is("const")) member.constant = member.after_star = true;
    if (token.is("*")) member.pointer = true, member.after_star = false;
    if (token.is("=")) member.initial = true;
    if (token.is(",")) member.pointer = member.after_star = member.initial = false;
    if (token.is(";") || next.is("public") || next.is("private") || next.is("protected")) member = {};
    ++at;
  }
  return false;
}

namespace {

// Of the struct itself, or of a base.
bool has_constant(session::Session& session, const Type& type, const std::string& member, Written what) {
  const auto* definition = class_definition(session, type);
  if (definition == nullptr) return false;
  if (declares_constant(definition->text, member, what)) return true;
  const auto bases = cell::special_members(definition->text).bases;
  return std::any_of(bases.begin(), bases.end(), [&](const std::string& base) {
    return has_constant(session, {base, 1, 1}, member, what);
  });
}

}  // namespace

// A constructor gives `this` its members, constant ones as well.
void require_no_constant_member(Frame& frame, const cell::Expression& target) {
  const auto* place = &target;
  auto what = Written::member;
  while (true) {
    if (const auto* index = std::get_if<cell::Index>(&place->node)) {
      place = index->base.get();
      what = Written::element;
      continue;
    }
    const auto* member = std::get_if<cell::Member>(&place->node);
    const auto* name = member == nullptr ? nullptr : std::get_if<cell::Name>(&member->base->node);
    if (member == nullptr || (name != nullptr && name->text == cell::kThis)) return;
    const auto& type = frame.expressions.form(*member->base).type;
    if (has_constant(frame.session, type, member->member, what))
      throw language::is_constant(frame.text, snippet(frame.run.source, place->span), target.span);
    if (member->arrow) return;
    place = member->base.get();
    what = Written::member;
  }
}

}  // namespace xcuda::interpreter
