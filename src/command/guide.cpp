// %help, %lsmagic, %history, and what completion and help know of a session.
#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"
#include "command/families.hpp"
#include "command/help.hpp"
#include "command/invocation.hpp"
#include "command/runner.hpp"
#include "display/array_view.hpp"
#include "display/compile_report.hpp"
#include "display/styled_text.hpp"
#include "interpreter/texture_declarations.hpp"
#include "session/settings.hpp"

namespace xcuda::command {
namespace {

struct ScalarText {
  session::Session& session;
  std::string type, value;
  void operator()(const session::Nothing&) {}
  void operator()(const cell::Value& number) {
    type = number.type().name;
    value = number.text();
  }
  void operator()(const device::Dim3& dim) {
    type = "dim3";
    value = fmt::format("{{{}, {}, {}}}", dim.x, dim.y, dim.z);
  }
  void operator()(const session::Object& object) {
    type = object.type.name;
    value = display::plain(display::scalar_bundle(object.type, object.bytes));
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
  void operator()(const session::Pointer&) {}
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

Scope scope_of(session::Session& session) {
  Scope scope;
  const std::string device = session.device_started() ? session.device_info().name : "";
  for (const auto& array : session.arrays().all())
    scope.arrays.push_back({array.name, array.type, array.shape, array.bytes(), device, array.defined});
  for (const auto& [name, variable] : session.names().outermost()) {
    ScalarText text{session, {}, {}};
    std::visit(text, variable.value);
    const bool marked = variable.read_only && !std::holds_alternative<session::Texture>(variable.value);
    scope.scalars.push_back({name, (marked ? "const " : "") + text.type, text.value, variable.defined});
  }
  for (const auto& known : session.definitions()) {
    KnownDefinition definition{
        definition_kind(known.piece), known.piece.name, {}, known.text, known.source, known.line};
    const auto& kernels = session.modules().find(known.piece.name);
    if (!kernels.empty())
      definition.signature =
          "__global__ void " + known.piece.name + display::signature_text(*kernels.front().signature);
    scope.definitions.push_back(std::move(definition));
  }
  for (const auto& choice : session.parts().devices)
    if (choice.reason.empty()) scope.devices.push_back(device::to_text(choice.selector));
  for (const auto& setting : session::setting_table()) scope.settings.emplace_back(setting.name);
  return scope;
}

void run_help(Invocation& call) {
  call.expect_operands(0, 1);
  if (call.arguments.operands.empty()) return call.show(help_page());
  const auto& word = call.arguments.operands[0];
  auto name = std::string_view(word.text);
  while (name.starts_with('%')) name.remove_prefix(1);
  call.run.current = word.span;
  if (const auto* command = find(name)) return call.show(command_help(*command));
  call.show(help_on(name, scope_of(call.session)));
}

void run_lsmagic(Invocation& call) { call.show(magic_list()); }

void run_history(Invocation& call) {
  call.expect_operands(0, 1);
  std::size_t count = 10;
  if (!call.arguments.operands.empty()) {
    const auto& word = call.arguments.operands[0];
    const auto [end, failure] = std::from_chars(word.text.data(), word.text.data() + word.text.size(), count);
    if (failure != std::errc{} || end != word.text.data() + word.text.size() || count == 0)
      throw call.error(ErrorKind::value, fmt::format("%history takes a number of cells, not \"{}\"", word.text), word);
  }
  const auto& history = call.session.history();
  display::StyledText text;
  for (auto i = history.size() - std::min(history.size(), count); i < history.size(); ++i)
    text.add(display::Style::place, history[i].name + ":").line().add(trim(history[i].code)).line();
  call.show(display::listing_bundle("History", text));
}

}  // namespace xcuda::command
