#include "interpreter/native/class_definition.hpp"

#include "cell/lexer.hpp"
#include "cell/methods.hpp"

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

}  // namespace xcuda::interpreter
