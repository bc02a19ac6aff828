// Functions that statements run, and what they return, as the check asks for them.
#include <fmt/format.h>

#include <algorithm>

#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

const cell::HostFunction* SessionNames::host_method(const Type& type, std::string_view name, std::size_t arguments) {
  const auto& functions = session_.code().functions();
  for (const auto& one : functions.find(fmt::format("{}::{}", functions.class_of(type.name), name))) {
    const auto& function = *one->function;
    if (language::takes_arguments(function, arguments)) return &function;
  }
  return nullptr;
}

bool SessionNames::gives_reference(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const auto gives = [&](const cell::DevicePiece& one) {
    return one.kind == cell::DeviceKind::function && one.name == name && one.type.ends_with('&') &&
           !one.type.starts_with("const ");
  };
  if (compiled_ != nullptr && std::any_of(run_.cell->device.begin(), run_.cell->device.end(), gives)) return true;
  const auto& others = session_.code().definitions();
  return std::any_of(others.begin(), others.end(), [&](const Definition& one) { return gives(one.piece); });
}

}  // namespace xcuda::interpreter
