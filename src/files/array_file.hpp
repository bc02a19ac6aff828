// Files of elements: NumPy's, images, tables of text, and raw elements. All but the kinds runs in xcuda-files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.hpp"
#include "base/type.hpp"

namespace xcuda::files {

// Kinds by the extension of the name, in either case: .npy, .npz, .csv, .tsv and .txt, .png, .jpg and .jpeg, .bmp,
// .pbm, .pgm, .ppm and .pnm, and everything else.
enum class FileKind : std::uint8_t { npy, npz, table, png, jpeg, bitmap, portable_map, raw };
FileKind file_kind(std::string_view path);
constexpr std::string_view kEndings =
    ".npy and .npz are NumPy's, .csv and .txt are text, .png, .jpg, .bmp, .pgm and .ppm are images";  // for advice

// Which part of a file is wanted.
struct ArrayRequest {
  FileKind kind = FileKind::raw;
  std::string member;                  // of a .npz; empty: its only one
  std::optional<Scalar> scalar;        // of a table, which names no type
  std::optional<std::size_t> extents;  // of a table, where one row or column may have one or two
};

// What is in a file. An image holds unsigned char or unsigned short, rows × columns, with a third extent for colours
// unless it is gray. A raw file tells nothing: its bytes are unsigned char.
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

// Errors: io; name for a missing member; value for a file that is not of its kind, or shorter than it says.
// Elements are looked at by read().
std::unique_ptr<ArrayReader> make_array_reader(const ArrayRequest& request, InputFile file);

}  // namespace xcuda::files
