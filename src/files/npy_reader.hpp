// The elements of NumPy's .npy files.
#pragma once

#include <memory>

#include "files/array_file.hpp"
#include "files/byte_source.hpp"

namespace xcuda::files {

class NpyReader final : public ArrayReader {
 public:
  explicit NpyReader(std::unique_ptr<ByteSource> source);
  void read(std::span<std::byte> elements) override;

 private:
  void gather(std::span<std::byte> elements);

  std::unique_ptr<ByteSource> source_;
  std::uint64_t left_ = 0;                      // bytes of elements
  std::size_t swapped_unit_ = 0;                // bytes; 0: as they are
  std::span<const std::byte> by_columns_;       // the elements, where columns come first
  std::uint64_t from_ = 0;                      // of the next element, in bytes
  std::vector<std::uint64_t> index_, strides_;  // of that element; bytes. Empty where rows come first
};

}  // namespace xcuda::files
