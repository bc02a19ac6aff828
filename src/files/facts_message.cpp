#include "files/facts_message.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace xcuda::files {

nlohmann::json to_json(const ArrayFacts& facts) {
  return {{"type", static_cast<int>(facts.type.scalar)}, {"shape", facts.shape}};
}

ArrayFacts facts_from(const nlohmann::json& json) {
  const Error malformed(ErrorKind::io, "the process that reads files gave a malformed answer");
  const auto type = json.find("type"), shape = json.find("shape");
  if (type == json.end() || shape == json.end() || !type->is_number_integer() || !shape->is_array() ||
      shape->size() > kMaxExtents)
    throw malformed;
  ArrayFacts facts;
  // Any other number gives a type without a size.
  if (*type >= 0 && *type < 256) facts.type = type_of(static_cast<Scalar>(type->get<int>()));
  std::uint64_t bytes = facts.type.size;
  for (const auto& extent : *shape) {
    if (!extent.is_number_unsigned()) throw malformed;
    facts.shape.push_back(extent.get<std::uint64_t>());
    if (__builtin_mul_overflow(bytes, facts.shape.back(), &bytes)) throw malformed;
  }
  if (facts.type.size == 0) throw malformed;
  return facts;
}

}  // namespace xcuda::files
