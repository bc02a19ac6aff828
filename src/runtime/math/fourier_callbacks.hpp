// Callbacks of cuFFT: a program's own device code, through which a transform reads its input and writes its output.
// They run as kernels, one before the transform and one after it, which are added to the program's device code, because
// a pointer to a function means something only there.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/math/math_calls.hpp"
#include "runtime/registry.hpp"

namespace xcuda::runtime::math {

struct FourierCallback {
  std::uint64_t function = 0;    // as device code has it
  std::shared_ptr<Image> image;  // where it came as code; null: it is one of the program's own
  void* info = nullptr;          // what the program gave to it
  std::size_t shared = 0;        // bytes of shared memory for a block of threads
};

// The elements of one side of a transform: a batch and up to three axes. Extents and strides are in elements.
struct FourierSide {
  void* memory = nullptr;
  std::vector<std::uint64_t> extents;
  std::vector<std::int64_t> strides;
};

// Memory of the device for what a callback has loaded or is to store, in the order of a stream.
class PassingMemory {
 public:
  PassingMemory(std::size_t bytes, cudaStream_t stream);
  ~PassingMemory();
  PassingMemory(const PassingMemory&) = delete;
  PassingMemory& operator=(const PassingMemory&) = delete;
  void* get() const { return memory_; }  // null: there was not enough

 private:
  cudaStream_t stream_;
  void* memory_ = nullptr;
};

// type: one of cufftXtCallbackType. Calls the function for each element of the side, to fill `packed`, which lies as
// the side does, or with the elements that are there.
Outcome run_fourier_callback(int type, const FourierCallback& callback, const FourierSide& side, void* packed,
                             cudaStream_t stream);

std::string with_fourier_kernels(std::string ptx);  // which keeps a pointer to the function
// Adds the kernels to a program's device code, if it keeps pointers to functions and uses cuFFT.
std::string with_fourier_callbacks(std::string ptx);

}  // namespace xcuda::runtime::math
