// The part of an object that is its base, to which references and pointers to the base lead.
#include <fmt/format.h>

#include <algorithm>

#include "cell/constructors.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/native/class_definition.hpp"
#include "interpreter/native/native_arguments.hpp"
#include "interpreter/native/native_calls.hpp"

namespace xcuda::interpreter {

bool References::is_derived(const Type& derived, const Type& base) const {
  const auto* own = class_definition(session_, derived);
  const auto* wanted = class_definition(session_, base);
  if (own == nullptr || wanted == nullptr || own == wanted) return false;
  const auto bases = cell::special_members(own->text).bases;
  return std::any_of(bases.begin(), bases.end(), [&](const std::string& one) {
    const Type type{one, 1, 1};
    return class_definition(session_, type) == wanted || is_derived(type, base);
  });
}

// The compiler says where the base is, and refuses one that is private or there twice.
std::optional<std::uint64_t> References::offset_of_base(const Type& derived, const Type& base) {
  if (derived.scalar != Scalar::none || base.scalar != Scalar::none || !is_derived(derived, base)) return std::nullopt;
  NativeArguments none(frame_);
  const auto text =
      fmt::format("return (unsigned long)((char*)static_cast<{}*>(({}*)4096) - (char*)4096);", base.name, derived.name);
  const auto found = frame_.native_calls.run(text, text, none, run_.current);
  return std::get<language::ScalarValue>(found).as_unsigned();
}

std::optional<Pointer> References::part_of_base(const Pointer& object, const Type& base) {
  const auto at = offset_of_base(object.type, base);
  if (!at) return std::nullopt;
  auto part = object;
  part.type = base;
  part.address += *at;
  part.bytes = part.bytes > *at ? part.bytes - *at : 0;
  part.whole = false;
  if (!part.shape.empty()) part.shape = {1};
  return part;
}

std::optional<Pointer> References::part_of_base(const Target& place, const cell::Expression& expression,
                                                const Type& base) {
  if (!is_derived(frame_.targets.type_of(place), base)) return std::nullopt;
  const auto object = pointer_to_place(place, expression);
  return object ? part_of_base(*object, base) : std::nullopt;
}

std::optional<Object> References::part_of_base(const Object& object, const Type& base) {
  const auto at = offset_of_base(object.type, base);
  if (!at) return std::nullopt;
  const auto first = object.bytes.begin() + static_cast<std::ptrdiff_t>(*at);
  return Object{base, {first, first + static_cast<std::ptrdiff_t>(base.size)}};
}

}  // namespace xcuda::interpreter
