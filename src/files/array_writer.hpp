// Arrays as files for other programs: NumPy's .npy, and .csv, the text that numpy.savetxt writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "base/type.hpp"

namespace xcuda::files {

// The format follows from the ending of the name. Errors: io; value for an ending that is not known, and for more than
// two dimensions in a .csv; type for elements that are not numbers in a .csv.
class ArrayWriter {
 public:
  ArrayWriter(const std::string& path, const Type& type, const std::vector<std::uint64_t>& shape);
  // The elements in order, in any number of pieces; a piece ends with a whole number.
  void write(std::span<const std::byte> bytes);
  void commit();  // the file is there, whole

 private:
  enum class Format : std::uint8_t { npy, csv };
  static Format format_of(const std::string& path);
  void write_text(std::span<const std::byte> bytes);

  Format format_;
  OutputFile file_;
  Type number_;                // of a .csv: what the vectors of an array are made of
  std::uint64_t columns_ = 1;  // of a .csv: numbers in a line
  std::uint64_t column_ = 0;   // of the next number
};

}  // namespace xcuda::files
