#include "interpreter/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "base/text.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/host_constants.hpp"
#include "language/answers.hpp"
#include "language/constants.hpp"
#include "session/array_table.hpp"

namespace xcuda::interpreter {

Value Lookup::value(const cell::Name& name, cell::Span span) {
  const auto& text = name.text;
  if (const auto* variable = session_.names().find(text)) {
    if (const auto* object = std::get_if<Object>(&variable->value))
      session_.code().require_current(run_.source, object->type, text, span);
    return variable->value;
  }
  if (const auto* array = session_.arrays().find(text)) {
    session_.code().require_current(run_.source, array->type, text, span);
    return pointer_to(*array);
  }
  if (auto constant = host_constant(session_, run_.sink, text)) return std::move(constant->value);
  if (const auto variable = session_.variables().find(text)) {
    const auto type = variable->type.empty() ? Type{"unsigned char", 1, 1, Scalar::uint8}
                                             : session_.code().find_type(run_.source, variable->type, span);
    Pointer pointer{text, variable->address, type, {}, variable->size, true, variable->constant, true};
    pointer.shape = extents_of(session_, run_.sink, *variable, type);
    if (pointer.shape.size() > kMaxExtents) throw frame_.dimensions.too_many(text, pointer.shape.size(), span);
    return pointer;
  }
  if (text == "nullptr" || text == "NULL") return NullPointer{};
  if (const auto constant = cell::known_constant(text)) return *constant;
  throw unknown(text, span);
}

Error Lookup::unknown(const std::string& text, cell::Span span) {
  if (const auto answer = language::host_code_answer(text))
    return error(ErrorKind::unsupported, fmt::format("a cell cannot use {}", text), span).advise(answer->advice);
  auto failure = error(ErrorKind::name, fmt::format("there is no variable or array {}", text), span);
  const auto kernels = session_.code().program().kernel_names();
  if (std::find(kernels.begin(), kernels.end(), text) != kernels.end()) {
    failure.message = fmt::format("{} is a kernel: it must be launched", text);
    failure.advice = fmt::format("{}<<<grid, block>>>(...);", text);
    return failure;
  }
  auto names = session_.names().all();
  for (const auto& array : session_.arrays().names()) names.push_back(array);
  if (text == "None")
    failure.advice = "Write nullptr.";
  else if (text == "True" || text == "False")
    failure.advice = text == "True" ? "Write true." : "Write false.";
  else if (text == "stream")
    failure.advice = "Declare one: stream s;";
  else if (const auto near = nearest(text, names); !near.empty())
    failure.advice = fmt::format("Did you mean {}?", near);
  return failure;
}

bool Lookup::is_on_device(const std::string& name) {
  return session_.names().find(name) == nullptr &&
         (session_.arrays().find(name) != nullptr || session_.variables().find(name));
}

bool Lookup::is_type(const std::string& name) {
  if (session_.names().find(name) != nullptr || session_.arrays().find(name) != nullptr) return false;
  const auto& definitions = session_.code().definitions();
  return xcuda::find_type(name) || std::any_of(definitions.begin(), definitions.end(), [&](const Definition& d) {
           return d.piece.name == name &&
                  (d.piece.kind == cell::DeviceKind::type || d.piece.kind == cell::DeviceKind::alias);
         });
}

Variable& Lookup::variable(const cell::Expression& target) {
  const auto* name = std::get_if<cell::Name>(&target.node);
  auto* found = name == nullptr ? nullptr : session_.names().find(name->text);
  if (found == nullptr) {
    if (name != nullptr && host_constant(session_, run_.sink, name->text))
      throw error(ErrorKind::type, fmt::format("{} is a constant of device code", name->text), target.span);
    if (name != nullptr) throw unknown(name->text, target.span);
    throw error(ErrorKind::type, fmt::format("{} cannot be assigned to", snippet(run_.source, target.span)),
                target.span);
  }
  if (found->read_only) throw error(ErrorKind::type, fmt::format("{} is const", name->text), target.span);
  return *found;
}

}  // namespace xcuda::interpreter
