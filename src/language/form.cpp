#include "language/form.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell/container_types.hpp"

namespace xcuda::language {
namespace {

std::string with_article(const std::string& type) {
  return (std::string_view("aeio").find(type[0]) == std::string_view::npos ? "a " : "an ") + type;
}

}  // namespace

bool has_part(const Form& number, std::string_view function) {
  const auto kind = number.kind == Form::Kind::number ? number_kind(number) : std::nullopt;
  return kind && is_complex(*kind) && (function == "real" || function == "imag");
}

std::string describe(const Form& form) {
  switch (form.kind) {
    case Form::Kind::unknown: {  // of containers and records the name alone is known
      const auto record = cell::record_name(form.type.name);
      return !record.empty()   ? with_article(std::string(record))
             : form.has_type() ? with_article(form.type.name)
                               : "not known yet";
    }
    case Form::Kind::nothing: return "nothing";
    case Form::Kind::number:
    case Form::Kind::object: return form.has_type() ? with_article(form.type.name) : "a value";
    case Form::Kind::dim3: return "a dim3";
    case Form::Kind::array:
      if (form.memory == Form::Memory::none || !form.has_type()) return "an array";
      return (form.rank() == 0 ? "a pointer to " : "an array of ") + form.type.name;
    case Form::Kind::stream: return "a stream";
    case Form::Kind::event: return "an event";
    case Form::Kind::texture: return form.has_type() ? with_article(form.type.name) : "a texture";
    case Form::Kind::sparse: return form.has_type() ? "a sparse matrix of " + form.type.name : "a sparse matrix";
    case Form::Kind::null: return "a null pointer";
    case Form::Kind::text: return "a string";
    case Form::Kind::list: return "a list in braces";
    case Form::Kind::function: return "a function";
  }
  return "";
}

std::optional<Extents> broadcast(const Extents& a, const Extents& b) {
  Extents result(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto x = i < a.size() ? a[a.size() - 1 - i] : Extent(1), y = i < b.size() ? b[b.size() - 1 - i] : Extent(1);
    if (x && y && *x != *y && *x != 1 && *y != 1) return std::nullopt;
    auto& one = result[result.size() - 1 - i];
    if (x && *x != 1)
      one = x;
    else if (y && *y != 1)
      one = y;
    else
      one = x && y ? Extent(1) : std::nullopt;
  }
  return result;
}

std::string shape_text(const Extents& extents) {
  std::string text;
  for (const auto& extent : extents) text += extent ? fmt::format("[{}]", *extent) : "[?]";
  return text;
}

}  // namespace xcuda::language
