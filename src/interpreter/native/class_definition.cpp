#include "interpreter/native/class_definition.hpp"

#include <algorithm>
#include <string>

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

bool declares_constant(std::string_view definition, std::string_view name, Written what) {
  bool constant = false, pointer = false, after_star = false;
  int groups = 0;  // open parentheses
  const auto tokens = cell::tokens_of(definition);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const auto& token = tokens[i];
    const auto& next = tokens[i + 1];
    if (token.is("(")) ++groups;
    if (token.is(")")) --groups;
    if (groups > 0) continue;
    const bool declared = next.is("=") || next.is(";") || next.is("{") || next.is("[") || next.is(",");
    if (token.is(name) && declared) return pointer ? after_star && what == Written::member : constant;
    if (token.is("const")) constant = after_star = true;
    if (token.is("*")) pointer = true, after_star = false;
    if (token.is(",")) pointer = after_star = false;
    if (token.is(";") || token.is("{") || token.is("}") || token.is(":")) constant = pointer = after_star = false;
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
