#include "language/form.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

std::string with_article(const std::string& type) {
  return (std::string_view("aeio").find(type[0]) == std::string_view::npos ? "a " : "an ") + type;
}

}  // namespace

std::string describe(const Form& form) {
  switch (form.kind) {
    case Form::Kind::unknown: return "not known yet";
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

Form reduced(Given given, Type type) {
  const auto& x = given[0];
  if (!is_given(given, 1)) return Form::number(std::move(type));
  if (!x.extents) return {};
  auto extents = *x.extents;
  const bool keep = is_given(given, 2) && (!given[2].value || given[2].value->truth());
  const auto& number = given[1].value;
  const auto axis = !number                 ? extents.size()
                    : number->is_negative() ? number->as_unsigned() + extents.size()  // from the end
                                            : number->as_unsigned();
  const bool known = axis < extents.size();
  if (extents.empty()) return {};
  if (!known) extents.assign(extents.size(), std::nullopt);
  const auto at = known ? static_cast<std::size_t>(axis) : 0;
  if (keep)
    extents[at] = known ? Extent(1) : std::nullopt;
  else
    extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(at));
  return extents.empty() ? Form::number(std::move(type)) : Form::array(std::move(type), std::move(extents));
}

}  // namespace xcuda::language
