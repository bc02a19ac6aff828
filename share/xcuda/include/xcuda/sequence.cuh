// The elements of arange, linspace, uniform and normal as a function of their index: the same source, and the same
// bits, on the host for short arrays and on the device for all others.
#pragma once

#include "element.cuh"
#include "random.cuh"

namespace xcuda {

enum class SequenceKind : int { arange, whole_arange, linspace, uniform, whole_uniform, narrow_uniform, normal };

struct SequenceRule {
  SequenceKind kind;
  double first, second;              // start, step; start, stop; lo, hi; mean, deviation
  Word64 whole_first, whole_second;  // of whole_arange: start, step, in wrapping arithmetic
  Word64 seed, count;                // elements of the whole array
};

#ifdef __CUDACC__
XCUDA_BOTH double floor_of(double value) { return floor(value); }
#else
XCUDA_BOTH double floor_of(double value) { return __builtin_floor(value); }
#endif

XCUDA_BOTH double real_element(const SequenceRule& rule, Word64 index) {
  switch (rule.kind) {
    case SequenceKind::linspace: {
      if (index + 1 == rule.count && rule.count > 1) return rule.second;  // exactly, whatever the step rounds to
      const double step =
          rule.count > 1 ? exact::div(rule.second - rule.first, static_cast<double>(rule.count - 1)) : 0.0;
      return exact::add(rule.first, exact::mul(static_cast<double>(index), step));
    }
    case SequenceKind::uniform: return uniform53(rule.seed, index, rule.first, rule.second);
    case SequenceKind::whole_uniform: return floor_of(uniform53(rule.seed, index, rule.first, rule.second));
    case SequenceKind::narrow_uniform: return uniform24(rule.seed, index, rule.first, rule.second);
    case SequenceKind::normal: return normal(rule.seed, index, rule.first, rule.second);
    default: return exact::add(rule.first, exact::mul(static_cast<double>(index), rule.second));
  }
}

XCUDA_BOTH Word64 whole_element(const SequenceRule& rule, Word64 index) {
  return rule.whole_first + index * rule.whole_second;
}

#ifdef __CUDA_ARCH__

template <class T> struct Whole {
  static __device__ __forceinline__ T of(Word64 value) { return static_cast<T>(value); }
};
template <> struct Whole<HalfBits> {
  static __device__ HalfBits of(Word64) { return {}; }
};
template <> struct Whole<BFloatBits> {
  static __device__ BFloatBits of(Word64) { return {}; }
};

template <class T> __global__ void fill_sequence(T* out, SequenceRule rule) {
  const Word64 index = static_cast<Word64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= rule.count) return;
  if (rule.kind == SequenceKind::whole_arange)
    out[index] = Whole<T>::of(whole_element(rule, index));
  else
    out[index] = Rounded<T>::of(real_element(rule, index));
}

#endif

}  // namespace xcuda
