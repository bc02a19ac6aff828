// SHA-256, for cache keys.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/handle.hpp"

namespace xcuda {

struct DigestTraits {
  using type = void*;  // EVP_MD_CTX*
  static constexpr type kEmpty = nullptr;
  static void close(void* context) noexcept;
};

// Each part counts with its length, so that ("ab", "c") and ("a", "bc") differ.
class Sha256 {
 public:
  Sha256();
  Sha256& add(std::string_view part);
  Sha256& add(std::span<const std::byte> part);
  template <class Number>
  requires std::is_arithmetic_v<Number> Sha256& add(Number number) { return add(std::as_bytes(std::span(&number, 1))); }
  std::string hex();  // 64 digits; ends the object's use

 private:
  Handle<DigestTraits> context_;
};

}  // namespace xcuda
