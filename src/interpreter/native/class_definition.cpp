#include "interpreter/native/class_definition.hpp"

#include "cell/methods.hpp"

namespace xcuda::interpreter {

const Definition* class_definition(session::Session& session, const Type& type) {
  const auto base = [](std::string_view name) { return name.substr(0, name.find('<')); };
  const Definition* found = nullptr;
  std::size_t most = 0;
  for (const auto& definition : session.code().definitions()) {
    if (definition.piece.kind != cell::DeviceKind::type || base(definition.piece.name) != base(type.name)) continue;
    const auto size = static_cast<std::uint32_t>(definition.text.size());
    const auto own = cell::class_text(definition.text, {0, size});
    const auto special = own ? cell::speciality(*own, type.name) : std::optional<std::size_t>(0);
    if (!special || *special < most) continue;
    most = *special;
    found = &definition;
  }
  return found;
}

}  // namespace xcuda::interpreter
