#include "editor/inspection.hpp"

#include <algorithm>
#include <cctype>

#include "editor/cell_names.hpp"
#include "editor/cursor_context.hpp"

namespace xcuda::editor {

using command::Detail;
using command::Scope;
using display::Bundle;

namespace {

// A member of an object whose type is known.
std::optional<Bundle> member_answer(std::string_view code, std::size_t cursor, std::string_view name,
                                    const Scope& scope) {
  auto end = cursor;
  while (end < code.size() && (std::isalnum(static_cast<unsigned char>(code[end])) != 0 || code[end] == '_')) ++end;
  const auto context = context_at(code, end);
  if (context.kind != CursorContext::Kind::member) return std::nullopt;
  if (context.objects.size() > 1) return std::nullopt;
  const auto type = CellNames(code, cursor, scope).type_of(context.objects.front());
  for (const auto& member : reference::members_of(type))
    if (member.name == name) return command::member_page(member, type);
  return std::nullopt;
}

}  // namespace

std::optional<Bundle> inspect(std::string_view code, std::size_t cursor, Detail detail, const Scope& scope) {
  cursor = std::min(cursor, code.size());
  const auto name = name_at(code, cursor);
  const auto context = context_at(code, cursor);
  if (name.starts_with('-'))
    if (auto found = command::option_page(name, context.magic)) return found;
  const auto call = enclosing_call(code, cursor);
  const CellNames names(code, code.size(), scope);
  const auto among_arguments = [&](Bundle page) {
    if (!call) return page;
    return command::argument_page(names.resolved(call->name), call->argument, std::move(page), scope);
  };
  if (auto found = member_answer(code, cursor, name, scope)) return among_arguments(std::move(*found));
  if (auto found = command::name_page(name, detail, scope)) return among_arguments(std::move(*found));
  if (const auto whole = names.resolved(name); whole != name)
    if (auto found = command::name_page(whole, detail, scope)) return among_arguments(std::move(*found));
  if (const auto* setting = context.magic == "config" ? session::find_setting(name) : nullptr)
    return command::setting_page(*setting);
  if (context.kind == CursorContext::Kind::include || context.kind == CursorContext::Kind::shell) return std::nullopt;
  // Between the parentheses of a call, what is called.
  if (!call) return std::nullopt;
  for (const auto& called : {call->name, names.resolved(call->name)}) {
    if (auto found = command::call_page(called, call->argument, scope)) return found;
    if (auto found = command::name_page(called, detail, scope)) return found;
  }
  return std::nullopt;
}

}  // namespace xcuda::editor
