// The plans of cuFFT, by their number.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/math/fourier_callbacks.hpp"
#include "runtime/math/fourier_calls.hpp"

namespace xcuda::runtime::math {

inline constexpr int kInvalidPlan = 1, kInvalidType = 3, kInvalidValue = 4, kInvalidSize = 8;  // cufftResult

enum class Type : int { c2c = 0x29, r2c = 0x2a, c2r = 0x2c, z2z = 0x69, d2z = 0x6a, z2d = 0x6c };
inline bool is_type(int type) {
  for (const auto one : {Type::c2c, Type::r2c, Type::c2r, Type::z2z, Type::d2z, Type::z2d})
    if (static_cast<int>(one) == type) return true;
  return false;
}
inline bool from_real(Type type) { return type == Type::r2c || type == Type::d2z; }
inline bool to_real(Type type) { return type == Type::c2r || type == Type::z2d; }
inline bool is_double(Type type) { return type == Type::z2z || type == Type::d2z || type == Type::z2d; }

// How elements lie on one side, where the program says so: distances are in elements.
struct SideEmbedding {
  std::vector<long long> extents;
  long long stride = 1, distance = 0;
};
struct PlanRequest {
  std::vector<long long> n;
  Type type = Type::c2c;
  long long batch = 1;
  std::optional<SideEmbedding> in, out;  // neither: without gaps
};
struct Plan {
  cudaStream_t stream = nullptr;
  std::optional<PlanRequest> made;
  std::map<int, FourierCallback> callbacks;  // by cufftXtCallbackType
};

// The callbacks that a plan may have: for its input, and for its output.
struct CallbackTypes {
  int load, store;
};
inline CallbackTypes callback_types(Type type) {
  const int wide = is_double(type) ? 1 : 0;
  return {(from_real(type) ? 2 : 0) + wide, 4 + (to_real(type) ? 2 : 0) + wide};
}

struct Plans {
  std::mutex mutex;
  PlanNumber next = 1;
  std::map<PlanNumber, Plan> all;
};
Plans& plans();

template <class Function> int with_plan(PlanNumber number, Function function) {
  const std::lock_guard lock(plans().mutex);
  const auto found = plans().all.find(number);
  return found == plans().all.end() ? kInvalidPlan : function(found->second);
}

}  // namespace xcuda::runtime::math
