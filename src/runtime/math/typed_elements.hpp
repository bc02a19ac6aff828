// Elements by CUDA's number of their type, for functions whose operands are of several types.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

namespace xcuda::runtime::math {

enum class DataType : int {  // cudaDataType
  float32 = 0,
  float64 = 1,
  half = 2,
  int8 = 3,
  complex64 = 4,
  complex128 = 5,
  uint8 = 8,
  int32 = 10,
  bfloat16 = 14,
};

std::size_t element_bytes(DataType type);  // 0: elements that are not known here
bool is_complex(DataType type);
bool is_integer(DataType type);
std::complex<double> load(DataType type, const void* at, std::int64_t i = 0);
void store(DataType type, void* at, std::int64_t i, std::complex<double> value);  // rounded to nearest

}  // namespace xcuda::runtime::math
