// NumPy's .npy files, versions 1.0 to 3.0 (numpy/lib/format.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/type.hpp"

namespace xcuda::files {

struct NpyHeader {
  Type type;                         // of an element
  std::vector<std::uint64_t> shape;  // empty: one value
  bool fortran_order = false;
  bool swapped = false;           // big endian
  std::uint64_t data_offset = 0;  // bytes from the file's start
  std::uint64_t count() const;    // elements
};

// The whole array, in C order and this machine's byte order.
struct NpyArray {
  NpyHeader header;
  std::vector<std::byte> data;
};

// Reads a file. Errors: io (missing, unreadable), value (wrong magic, truncated, malformed header, object arrays,
// element types that have no C++ counterpart here); the message names the file.
NpyArray read_npy(const std::string& path);

// The bytes in front of the data. Types without a NumPy name (structs) become void of their size.
std::string npy_header(const Type& type, const std::vector<std::uint64_t>& shape);

// The parsing of the header's text alone, for tests: the dictionary without magic and length.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& path);

}  // namespace xcuda::files
