// C++ types of scalars, array elements and kernel parameters, as far as host code has to know them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xcuda {

constexpr std::size_t kMaxExtents = 32;  // of an array, as NumPy had it for long; what walks them recurses

enum class Scalar : std::uint8_t {
  none,  // a struct, a pointer, an opaque type: only size and alignment are known
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,  // named by their size in bits, as NumPy does
};

// A complete type. lanes is 1, or 2 to 4 for CUDA's vector types (members x, y, z, w).
struct Type {
  std::string name;           // the spelling that NVRTC accepts: "float", "unsigned long", "float4", "demo::Particle"
  std::size_t size = 0;       // bytes
  std::size_t alignment = 1;  // bytes
  Scalar scalar = Scalar::none;
  int lanes = 1;
  std::uint32_t layout = 0;  // of a struct of cells: which of those that its name has had; 0: its name has one
  std::string_view written;  // where the source has another name for it: "size_t", "half"; not a part of the type

  bool is_integer() const;   // bool and (u)int 8 to 64, one lane
  bool is_floating() const;  // float16 to float64, one lane
  bool is_complex() const;   // one lane
  bool operator==(const Type& other) const {
    return name == other.name && size == other.size && alignment == other.alignment && scalar == other.scalar &&
           lanes == other.lanes && layout == other.layout;
  }
  std::string_view as_written() const { return written.empty() ? std::string_view(name) : written; }
};

// The type of a C++ or CUDA spelling in any word order ("long unsigned int", "size_t", "std::uint8_t", "half",
// "__nv_bfloat16", "complex<float>", "float4"). Nothing for names that only NVRTC can know.
std::optional<Type> find_type(std::string_view spelling);

// The canonical type of a scalar: int64 is `long`, as on Linux.
Type type_of(Scalar scalar);

// A pointer to a function of the host, whatever its parameters and result. In memory it is a number that the session
// gives the function.
constexpr std::string_view kFunctionPointer = "void (*)(...)";
bool is_function_pointer(std::string_view spelling);  // "float (*)(float)", "void (*)(...)"
Type function_pointer();

// NumPy's name: "float32", "uint8", "complex64"; vectors as "float32x4"; other types by their C++ name.
std::string dtype_name(const Type& type);

std::size_t size_of(Scalar scalar);

}  // namespace xcuda
