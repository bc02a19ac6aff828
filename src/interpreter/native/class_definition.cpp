#include "interpreter/native/class_definition.hpp"

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

}  // namespace xcuda::interpreter
