// What the functions of cuBLAS and its siblings have in common: they post work to a stream of the CUDA Runtime, which
// computes with the CPU device's own libraries on the memory where it lies.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "library/cpu/openblas.hpp"

namespace xcuda::runtime::math {

// How a call ended. Each library has its own numbers for these.
enum class Outcome : std::uint8_t { done, uninitialized, memory, value, failed, unsupported };

struct Codes {
  int uninitialized, memory, value, failed, unsupported;
  int of(Outcome outcome) const;
};
inline constexpr Codes kBlasCodes{1, 3, 7, 13, 15}, kFourierCodes{1, 2, 4, 6, 16},
    kRandomCodes{101, 102, 104, 201, 103}, kSolverCodes{1, 2, 3, 6, 9}, kSparseCodes{1, 2, 3, 6, 10};

using Conditions = std::initializer_list<bool>;  // conditions on arguments
inline bool all_hold(Conditions conditions) {
  return std::find(conditions.begin(), conditions.end(), false) == conditions.end();
}

// Memory of the device that a call reads or writes, by the name that the library's documentation gives it.
struct Reach {
  const void* address = nullptr;
  std::uint64_t bytes = 0;
  const char* name = "";
};

// `unless_captured`: what it gives to memory of the host is there when the call returns; of a captured call, when the
// graph has run.
enum class Waits : std::uint8_t { no, yes, unless_captured };

struct Posted {
  std::string function;  // "cublasSgemm", for messages
  cudaStream_t stream = nullptr;
  Waits waits = Waits::no;
  std::vector<Reach> reaches;
};
// Checks the memory, and posts the work. Reports on stderr what is wrong with the memory.
Outcome post(const Posted& posted, std::function<void()> work);

// The OpenBLAS that all libraries use. Null, with a line on stderr, if it cannot be loaded.
const library::cpu::OpenBlas* open_blas();
int device_threads();  // once something was posted

bool is_device_memory(const void* address);
// Once for each text: "xcuda: ...".
void say_once(const std::string& line);
void say_not_supported(const char* name, const char* what);

}  // namespace xcuda::runtime::math
