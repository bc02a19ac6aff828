// %arrays, %free, %copy, %save
#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "command/families.hpp"
#include "command/invocation.hpp"
#include "display/device_report.hpp"
#include "files/array_writer.hpp"
#include "interpreter/texture_declarations.hpp"

namespace xcuda::command {
namespace {

session::Array& array_named(Invocation& call, const cell::Word& word) {
  if (auto* array = call.session.arrays().find(word.text)) return *array;
  const auto names = call.session.arrays().names();
  auto error = call.error(ErrorKind::name, fmt::format("there is no array {}", word.text), word);
  if (const auto near = nearest(word.text, names); !near.empty())
    error.advice = fmt::format("Did you mean {}?", near);
  else if (names.empty())
    error.advice = "There are no arrays yet: float x[1024];";
  else
    error.advice = "%arrays lists them.";
  throw error;
}

bool is_name(std::string_view text) {
  if (text.empty() || (std::isdigit(static_cast<unsigned char>(text[0])) != 0)) return false;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
  return true;
}

}  // namespace

void run_arrays(Invocation& call) {
  display::ArrayList list;
  if (call.session.device_started()) {
    const auto info = call.session.device().info();
    list.device = info.name;
    list.memory_total = info.memory_total;
    list.memory_free = info.memory_free;
  }
  for (const auto& array : call.session.arrays().all())
    list.arrays.push_back({array.name, array.type, array.shape, array.bytes(), list.device, array.defined});
  for (const auto& [name, variable] : call.session.names().outermost())
    if (const auto* texture = std::get_if<session::Texture>(&variable.value))
      list.notes.push_back(interpreter::description(call.session, *texture));
  call.show(display::array_list_bundle(list));
}

void run_free(Invocation& call) {
  if (call.arguments.has("--all")) {
    call.expect_operands(0, 0);
    for (const auto& name : call.session.arrays().names()) call.session.free_array(name);
    return;
  }
  call.expect_operands(1, 1000);
  for (const auto& word : call.arguments.operands) array_named(call, word);  // all of them, or none is freed
  for (const auto& word : call.arguments.operands) call.session.free_array(word.text);
}

void run_copy(Invocation& call) {
  call.expect_operands(2, 2);
  const auto& from = array_named(call, call.arguments.operands[0]);
  const auto& target = call.arguments.operands[1];
  if (auto* to = call.session.arrays().find(target.text)) {
    if (to->type != from.type || to->shape != from.shape)
      throw call
          .error(ErrorKind::type,
                 fmt::format("{} and {} differ: {}, {}", from.name, to->name, declaration_text(from),
                             declaration_text(*to)),
                 target)
          .advise(fmt::format("%free {} first, or choose another name.", to->name));
    if (to->read_only) throw call.error(ErrorKind::type, fmt::format("{} is const", to->name), target);
    if (to != &from) call.session.copy(to->address, from.address, from.bytes());
    return;
  }
  if (!is_name(target.text)) throw call.error(ErrorKind::syntax, fmt::format("{} is not a name", target.text), target);
  auto copy = call.session.allocate(call.run, {target.text, from.type, from.shape, false, target.span});
  call.session.copy(copy.address, from.address, from.bytes());
  call.session.define(std::move(copy));
}

void run_save(Invocation& call) {
  call.expect_operands(2, 2);
  const auto& array = array_named(call, call.arguments.operands[0]);
  const auto& path = call.arguments.operands[1];
  call.run.current = path.span;
  call.session.synchronize();
  files::ArrayWriter writer(path.text, array.type, array.shape);
  call.session.read_pieces(array.address, array.bytes(),
                           [&](std::span<const std::byte> piece) { writer.write(piece); });
  writer.commit();
  call.show(display::text_bundle(
      fmt::format("{} saved to {}: {}", declaration_text(array), path.text, format_bytes(array.bytes()))));
}

}  // namespace xcuda::command
