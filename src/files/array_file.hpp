// Files of elements: NumPy's, PNG images, and raw elements. What is here runs in xcuda-files, except for the kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/input_file.hpp"
#include "base/type.hpp"

namespace xcuda::files {

// By the ending of the name: .npy, .png, and everything else. Error(unsupported) for .csv.
enum class FileKind : std::uint8_t { npy, png, raw };
FileKind file_kind(const std::string& path);

// What is in a file. Of a PNG file unsigned char or unsigned short, rows × columns, with a third extent for the colours
// of an image that is not gray. A raw file says nothing: its bytes are unsigned char.
struct ArrayFacts {
  Type type;
  std::vector<std::uint64_t> shape;  // empty: one value
  std::uint64_t count() const;       // elements
  std::uint64_t bytes() const { return count() * type.size; }
};

// The elements in C order and this machine's byte order, in pieces of whole elements.
class ArrayReader {
 public:
  virtual ~ArrayReader() = default;
  const ArrayFacts& facts() const { return facts_; }
  virtual void read(std::span<std::byte> elements) = 0;  // the next ones

 protected:
  ArrayReader() = default;
  ArrayReader(const ArrayReader&) = delete;
  ArrayReader& operator=(const ArrayReader&) = delete;

  ArrayFacts facts_;
};

// Errors: io; value for a file that is not of its kind, or shorter than it says. Elements are looked at by read().
std::unique_ptr<ArrayReader> make_array_reader(FileKind kind, InputFile file);

}  // namespace xcuda::files
