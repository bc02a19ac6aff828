#include "editor/member_completion.hpp"

#include <string>

#include "base/lane_names.hpp"
#include "base/text.hpp"
#include "cell/container_types.hpp"
#include "cell/library_names.hpp"
#include "cell/records/standard_exceptions.hpp"
#include "editor/cell_names.hpp"
#include "editor/scope_names.hpp"
#include "language/answers.hpp"
#include "language/array_members.hpp"
#include "language/functions.hpp"
#include "language/host/container_rules.hpp"
#include "language/host/text_types.hpp"
#include "language/host/vector_types.hpp"
#include "reference/builtins.hpp"

namespace xcuda::editor {

using command::KnownDefinition;
using command::Scope;
using language::Form;
using reference::Builtin;
namespace {

// The members of a type: of CUDA's own, of vectors, of structs of the cells.
void add_members_of(Candidates& found, const std::string& type, std::string_view code, const Scope& scope) {
  for (const auto& member : reference::members_of(type))
    found.add(member.name, member.kind == Builtin::Kind::function ? "method" : "member", member.signatures.front());
  if (const auto known = find_type(type); known && known->lanes > 1) {
    for (int lane = 0; lane < known->lanes; ++lane)
      found.add(std::string(lane_name(lane)), "member", xcuda::type_of(known->scalar).name);
  }
  const auto add = [&](std::string_view source) {
    for (const auto& member : struct_members(source, std::string_view(type).substr(type.rfind(':') + 1)))
      found.add(member.name, member.is_function ? "method" : "member", member.declaration);
  };
  add(code);
  for (const auto& definition : scope.definitions)
    if (definition.kind == KnownDefinition::Kind::type &&
        (definition.name == type || definition.name.ends_with("::" + type)))
      add(definition.source);
}

// Adds the members of an array: x.shape, and functions, which may be written as x.sum().
void add_members_of_array(Candidates& found) {
  for (const auto member : language::kArrayMembers)
    found.add(std::string(member), "member", {}, language::help_of_array_member(member));
  for (const auto& name : language::methods_of_arrays())
    found.add(name, "method", {}, language::find_function(name)->row->help);
}

// Adds the functions of a std::vector or a std::string: "size, empty".
void add_methods(Candidates& found, std::string_view names) {
  while (!names.empty()) {
    const auto end = std::min(names.find(", "), names.size());
    found.add(std::string(names.substr(0, end)), "method");
    names.remove_prefix(std::min(end + 2, names.size()));
  }
}

// The type of a member, as its declaration says: "Inner inner[2]" of p.inner.
std::string type_of_member(const std::string& type, const std::string& member, std::string_view code,
                           const Scope& scope) {
  const auto find = [&](std::string_view source) -> std::string {
    for (const auto& one : struct_members(source, std::string_view(type).substr(type.rfind(':') + 1)))
      if (one.name == member) {
        std::string_view text = one.declaration;
        for (const std::string_view word : {"const ", "volatile ", "mutable ", "static "})
          if (text.starts_with(word)) text = trim(text.substr(word.size()));
        return std::string(text.substr(0, text.find_first_of(" *&[")));
      }
    return {};
  };
  if (auto found = find(code); !found.empty()) return found;
  for (const auto& definition : scope.definitions)
    if (definition.kind == KnownDefinition::Kind::type)
      if (auto found = find(definition.source); !found.empty()) return found;
  return {};
}

}  // namespace

void add_members(Candidates& found, const CursorContext& context, std::string_view code, std::size_t cursor,
                 const Scope& scope) {
  const auto first = context.objects.empty() ? std::string() : context.objects.front();
  for (const std::string_view built_in : {"threadIdx", "blockIdx", "blockDim", "gridDim"})
    if (first == built_in) return add_members_of(found, "uint3", "", {});
  const CellNames names(code, cursor, scope);
  auto type = first.empty() ? std::string() : names.type_of(first);
  const auto form = form_at(code, context.object, {context.begin, !type.empty()}, scope);
  if (form.grows || !cell::vector_element(type).empty()) return add_methods(found, language::vector_methods());
  if (form.kind == Form::Kind::text || type == "std::string" || type == "string" || form.type.name == "string")
    return add_methods(found, language::text_methods());
  if (const auto record = cell::record_name(type.empty() ? form.type.name : type); !record.empty()) {
    if (cell::standard_exception(record) != nullptr) return found.add("what", "method", "const char* what() const");
    return add_members_of(found, std::string(record), code, scope);
  }
  if (const auto container = cell::container_type(type.empty() ? form.type.name : type))
    return add_methods(found, language::container_methods(*container));
  if (form.is_array() && form.rank() != 0) return add_members_of_array(found);
  if (form.kind == Form::Kind::sparse) {
    for (const auto member : language::kSparseMembers) found.add(std::string(member), "member");
    return;
  }
  if (form.kind == Form::Kind::number) return;
  if (form.kind == Form::Kind::object && form.has_type() && (type.empty() || find_type(form.type.name)))
    return add_members_of(found, form.type.name, code, scope);
  for (const auto& scalar : scope.scalars)
    if (type.empty() && scalar.name == first)
      type = scalar.type.starts_with("const ") ? scalar.type.substr(6) : scalar.type;
  for (const auto& array : scope.arrays)
    if (type.empty() && array.name == first) type = array.type.name;
  for (std::size_t i = 1; i < context.objects.size(); ++i) type = type_of_member(type, context.objects[i], code, scope);
  if (type == "dim3" || form.kind == Form::Kind::dim3) type = "uint3";
  if (!type.empty()) add_members_of(found, type, code, scope);
}

}  // namespace xcuda::editor
