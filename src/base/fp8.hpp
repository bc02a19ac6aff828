// The floating types of 8 bits of <cuda_fp8.h>, by their bits. Arrays hold them as structs; products of matrices take
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xcuda {

enum class Fp8 : std::uint8_t { e4m3, e5m2 };

std::optional<Fp8> fp8_of(std::string_view type);  // "__nv_fp8_e4m3"
float fp8_to_float(Fp8 type, std::uint8_t bits);   // e4m3 has no infinity: 0x7f and 0xff are NaN

}  // namespace xcuda
