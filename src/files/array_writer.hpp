// Arrays as files for other programs: NumPy's .npy and .npz, text as numpy.savetxt writes it, and images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/type.hpp"

namespace xcuda::files {

// An array that goes to a file.
struct SavedArray {
  Type type;
  std::vector<std::uint64_t> shape;
  std::string name = "x";  // in a .npz
};

// The format follows from the extension of the name. Errors: io; value for an extension that is not known, and for a
// shape or a number of arrays that the format does not hold; type for elements that it does not hold.
class ArrayWriter {
 public:
  ArrayWriter(const std::string& path, const SavedArray& first);
  ~ArrayWriter();
  void next(const SavedArray& array);  // after all elements of the one before; a .npz alone holds several
  // The elements in order, in any number of pieces; a piece ends with a whole number.
  void write(std::span<const std::byte> bytes);
  void commit();  // the file is there, whole

  class Format;

 private:
  std::unique_ptr<Format> format_;
};

}  // namespace xcuda::files
