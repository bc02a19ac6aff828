#include "command/scope.hpp"

#include <fmt/format.h>

#include <cctype>

#include "base/text.hpp"
#include "command/snapshot.hpp"
#include "display/array_view.hpp"
#include "display/compile_report.hpp"
#include "interpreter/texture_declarations.hpp"
#include "session/container_data.hpp"
#include "session/session.hpp"
#include "session/view.hpp"

namespace xcuda::command {
namespace {

std::string_view without_leading_comments(std::string_view text) {
  for (text = trim(text); text.starts_with("//") || text.starts_with("/*"); text = trim(text)) {
    const bool line = text[1] == '/';
    const auto end = text.find(line ? "\n" : "*/");
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (line ? 1 : 2));
  }
  return text;
}

struct ScalarText {
  session::Session& session;
  std::string type, value;
  void operator()(const session::Nothing&) {}
  void operator()(const language::ScalarValue& number) {
    type = number.type().name;
    value = number.text();
  }
  void operator()(const device::Dim3& dim) {
    type = "dim3";
    value = fmt::format("{{{}, {}, {}}}", dim.x, dim.y, dim.z);
  }
  void operator()(const session::Object& object) {
    type = object.type.name;
    const auto fields = session.code().fields_of(object.type);
    if (fields.empty()) return;  // as between cells: its bytes say nothing
    value = display::plain(display::record_bundle(
        {.type = object.type, .bytes = object.type.size, .elements = object.bytes, .fields = fields}));
  }
  void operator()(const session::Container& container) {
    type = container.data->name;
    if (const auto& record = container.data->record; record != nullptr) {
      type = record->name;
      value = fmt::format("{} member{}", record->parts.size(), record->parts.size() == 1 ? "" : "s");
      return;
    }
    value = fmt::format("{} element{}", container.data->size(), container.data->size() == 1 ? "" : "s");
  }
  void operator()(const session::Iterator&) { type = "iterator"; }
  void operator()(const session::Function& function) {
    type = "function";
    value = function.name;
  }
  void operator()(const session::Stream& stream) {
    type = "stream";
    value = stream.name;
  }
  void operator()(const session::Event& event) {
    type = "event";
    value = event.name;
  }
  void operator()(const session::Texture& texture) {
    type = texture.object->kind();
    value = interpreter::description(session, texture);
    value.erase(0, std::min(value.find(": ") + 2, value.size()));  // "texture t: "
  }
  void operator()(const session::Sparse& sparse) {
    const auto view = session::view_of(session, *sparse.matrix, 0);
    type = fmt::format("{} of {}", view.format, view.type.name);
    value = display::summary(view);
  }
  void operator()(const session::Pointer& pointer) {
    if (pointer.is_address)
      type = pointer.type.name + "*";
    else if (pointer.shape.empty())
      type = pointer.type.name;
  }
  void operator()(const session::ArrayExpression&) {}
  void operator()(const session::NullPointer&) {
    type = "nullptr_t";
    value = "nullptr";
  }
  void operator()(const std::string& text) {
    type = "string";
    value = text;
  }
};

KnownDefinition::Kind definition_kind(const cell::DevicePiece& piece) {
  if (piece.kernel) return KnownDefinition::Kind::kernel;
  if (piece.directive == "define") return KnownDefinition::Kind::macro;
  if (piece.kind == cell::DeviceKind::variable) return KnownDefinition::Kind::variable;
  if (piece.kind == cell::DeviceKind::function || piece.kind == cell::DeviceKind::prototype)
    return KnownDefinition::Kind::function;
  return KnownDefinition::Kind::type;
}

}  // namespace

std::string_view kind_text(KnownDefinition::Kind kind) {
  static constexpr std::string_view kTexts[] = {"kernel",          "device function", "type",
                                                "device variable", "macro",           "function of a host module"};
  return kTexts[static_cast<std::size_t>(kind)];
}

std::string declaration_of(const KnownDefinition& definition) {
  if (!definition.signature.empty()) return definition.signature;
  std::string_view head = without_leading_comments(definition.source);
  const bool macro = definition.kind == KnownDefinition::Kind::macro;
  head = trim(head.substr(0, head.find_first_of(macro ? "\n" : "{;")));
  std::string line;
  for (const char c : head) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank)
      line += c;
    else if (!line.ends_with(' '))
      line += ' ';
  }
  return line.empty() ? definition.name : line;
}

Scope scope_of(session::Session& session) {
  Scope scope;
  for (const auto& array : session.arrays().all()) {
    if (session::is_in_container(array)) continue;
    scope.arrays.push_back(
        {array.name, array.type, array.shape, array.bytes(), place_text(session, array), array.defined});
    if (array.growth != nullptr) scope.vectors.push_back(array.name);
  }
  for (const auto& [name, variable] : session.names().outermost()) {
    if (name.starts_with("xcuda_")) continue;  // what a lambda has captured
    ScalarText text{session, {}, {}};
    std::visit(text, variable.value);
    if (!variable.written.empty()) text.type = variable.written;
    const bool marked = variable.read_only && !std::holds_alternative<session::Texture>(variable.value);
    scope.scalars.push_back({name, (marked ? "const " : "") + text.type, text.value, variable.defined});
  }
  for (const auto& known : session.code().definitions()) {
    KnownDefinition definition{
        definition_kind(known.piece), known.piece.name, {}, known.text, known.source, known.line};
    const auto& kernels = session.code().modules().find(known.piece.name);
    if (!kernels.empty())
      definition.signature =
          "__global__ void " + known.piece.name + display::signature_text(*kernels.front().signature);
    scope.definitions.push_back(std::move(definition));
  }
  for (const auto& name : session.code().functions().modules().names())
    for (const auto& one : session.code().functions().modules().find(name))
      scope.definitions.push_back({KnownDefinition::Kind::module_function, name,
                                   one->signature.result + " " + name + display::signature_text(one->signature),
                                   one->text, one->source});
  for (const auto& choice : session.parts().devices)
    if (choice.reason.empty()) scope.devices.push_back(device::to_text(choice.selector));
  return scope;
}

}  // namespace xcuda::command
