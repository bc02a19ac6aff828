// Which bytes of an array that was declared without a value have been written since, for --init. Arrays that are not
// listed here have been written as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace xcuda::device::cpu {

class WrittenBytes {
 public:
  void declare(std::uint64_t begin, std::uint64_t size);  // an array that nothing has written
  void forget(std::uint64_t begin) { arrays_.erase(begin); }
  void write(std::uint64_t begin, std::uint64_t size);
  // Marks arrays as written by kernels that were not watched: the array that holds the address, or all of them.
  void write_array(std::uint64_t address);
  void write_everything() { arrays_.clear(); }
  bool empty() const { return arrays_.empty(); }

  struct Array {
    std::uint64_t begin = 0, size = 0;
    std::vector<std::uint64_t> bits;  // one per byte; none as long as nothing is written
    bool written(std::uint64_t address, std::uint64_t bytes) const;
  };
  // Null for memory that counts as written.
  Array* find(std::uint64_t address);
  static void write(Array& array, std::uint64_t address, std::uint64_t bytes);

 private:
  std::map<std::uint64_t, Array> arrays_;
};

}  // namespace xcuda::device::cpu
