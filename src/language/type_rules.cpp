#include "language/type_rules.hpp"

#include <algorithm>
#include <utility>

namespace xcuda::language {
namespace {

constexpr std::uint64_t kMostExtents = 32;

}  // namespace

Form of_extents(Type type, std::optional<Extents> extents) {
  if (extents && extents->empty()) return Form::number(std::move(type));
  return Form::array(std::move(type), std::move(extents));
}

Form of_rank(Type type, std::optional<std::size_t> rank) {
  return of_extents(std::move(type), rank ? std::optional(Extents(*rank)) : std::nullopt);
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
  return of_extents(std::move(type), std::move(extents));
}

Form reduced_along(const Form& x, const Form& axis, Type type) {
  const Form given[] = {x, axis.kind == Form::Kind::nothing ? Form::number(ScalarValue::of(-1)) : axis};
  return reduced(given, std::move(type));
}

Type sum_type(const Type& type) {
  const auto kind = type.name.empty() ? std::nullopt : kind_of(type);
  if (!kind || !is_integer(*kind)) return type;
  return type_of(is_signed(*kind) ? Kind::long64 : Kind::ulong64);
}

Type computed_type(const Type& a, const Type& b) {
  const auto left = a.name.empty() ? std::nullopt : kind_of(a), right = b.name.empty() ? std::nullopt : kind_of(b);
  return left && right ? type_of(common_kind(*left, *right)) : Type();
}

Type shared_type(const Type& a, const Type& b) { return a == b ? a : computed_type(a, b); }

Extent extent_of(const Form& form) {
  return form.value && !form.value->is_negative() ? Extent(form.value->as_unsigned()) : std::nullopt;
}

std::optional<Extents> extents_of(std::span<const Form> given) {
  if (given.size() == 1 && given[0].kind == Form::Kind::list) return extents_of(given[0].parts);
  if (given.size() == 1 && given[0].is_array()) {  // x.shape has as many elements as x has extents
    const auto known = given[0].rank() == 1 ? given[0].extents->front() : Extent();
    return known && *known <= kMostExtents ? std::optional(Extents(*known)) : std::nullopt;
  }
  Extents extents;
  for (const auto& one : given) {
    if (one.is_array()) return std::nullopt;
    extents.push_back(extent_of(one));
  }
  return extents;
}

Form spread(Type type, const Form& a, const Form& b) {
  if ((a.is_array() && !a.extents) || (b.is_array() && !b.extents)) return Form::array(std::move(type));
  return of_extents(std::move(type), broadcast(a.extents.value_or(Extents()), b.extents.value_or(Extents())));
}

}  // namespace xcuda::language
