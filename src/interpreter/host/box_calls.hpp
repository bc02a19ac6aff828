// Memory of three dimensions in the CUDA Runtime: rows at multiples of a pitch, in slices of a number of rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/frame.hpp"
#include "interpreter/host/cuda_struct.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

class BoxCalls : public Part {
 public:
  explicit BoxCalls(Frame& frame) : Part(frame) {}

  Value make_struct(std::string_view name, const language::Bound& given, cell::Span span);  // make_cudaExtent(w, h, d)
  Value allocate(const language::Bound& given, cell::Span span);  // cudaMalloc3D(&pitched, extent)
  Value set(const language::Bound& given, cell::Span span);       // cudaMemset3D(pitched, value, extent)
  // What cudaMemcpy3D(&parameters) does, later, and the memory that it works on.
  struct Copy {
    std::function<void(Submission&)> post;  // none: of an empty box
    std::vector<device::Address> places;
  };
  Copy copy(const cell::Expression& parameters);

 private:
  struct Extent {
    std::uint64_t width = 0, height = 0, depth = 0;  // bytes, rows, slices
    bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
  };
  struct Box {
    Pointer memory;
    std::uint64_t begin = 0, pitch = 0, slice = 0;  // bytes
    device::Address at(std::uint64_t y, std::uint64_t z) const {
      return memory.address + begin + y * pitch + z * slice;
    }
  };
  static Extent extent_in(const CudaStruct& of, const std::string& path = {});
  // path: of a cudaPitchedPtr, position: of a cudaPos, in the struct. Error(value): the memory has no such box.
  Box box_in(const CudaStruct& of, const std::string& path, const std::string& position, const Extent& extent,
             cell::Span span);
  std::uint64_t product(std::uint64_t a, std::uint64_t b, cell::Span span) const;  // of bytes. Error(value): too many
  std::uint64_t sum(std::uint64_t a, std::uint64_t b, cell::Span span) const;
};

}  // namespace xcuda::interpreter
