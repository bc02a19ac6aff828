// NumPy's .npy files, versions 1.0 to 3.0 (numpy/lib/format.py): their headers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/type.hpp"
#include "files/byte_source.hpp"

namespace xcuda::files {

struct NpyHeader {
  Type type;                         // of an element
  std::vector<std::uint64_t> shape;  // empty: one value
  bool fortran_order = false;
  bool swapped = false;           // big endian
  std::uint64_t data_offset = 0;  // bytes from the file's start
};

// Leaves the file at its first element. Errors: io; value (wrong magic, truncated, malformed header, object arrays,
// element types that have no C++ counterpart here); the message names the file.
NpyHeader read_npy_header(ByteSource& file);

// The parsing of the header's text alone, for tests: the dictionary without magic and length.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& name);

// The bytes in front of the data. Types without a NumPy name (structs) become void of their size.
std::string npy_header(const Type& type, const std::vector<std::uint64_t>& shape);

}  // namespace xcuda::files
