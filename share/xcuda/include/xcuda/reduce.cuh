// Reductions over an axis or over everything. What is added to what depends on the shape alone, so that a result is the
// same from run to run and from device to device. Included after xcuda/elementwise.cuh.
#pragma once

#include "elementwise.cuh"
#include "reduce_shape.cuh"

namespace xcuda {

// --- what is kept while elements are taken ---------------------------------------------------------------------------
// identity(), add(state, value, index), merge(state, later state), finish(state, number of elements).

template <class T> struct Accumulator {  // of sums
  static constexpr bool is_signed = is_integer<T> && static_cast<T>(-1) < static_cast<T>(0);
  using type = typename Choose<is_integer<T>, typename Choose<is_signed, long, unsigned long>::type,
                               typename Choose<is_same<T, float> || is_short<T>, double, T>::type>::type;
};
#ifdef XCUDA_HALF
template <> struct Accumulator<__half> { using type = double; };
#endif
#ifdef XCUDA_BFLOAT
template <> struct Accumulator<__nv_bfloat16> { using type = double; };
#endif
#ifdef XCUDA_COMPLEX
template <class T> struct Accumulator<cuda::std::complex<T>> { using type = cuda::std::complex<double>; };
#endif

template <class T, bool Known> struct SumTypes {
  using State = T;
  using Result = T;
};
template <class T> struct SumTypes<T, true> {
  using State = typename Accumulator<T>::type;
  using Result = typename Choose<is_integer<T>, State, T>::type;
};
template <class T> using SumOf = SumTypes<T, is_number<T> || is_complex<T>>;

template <class T> struct Sum {
  using State = typename SumOf<T>::State;
  using Result = typename SumOf<T>::Result;
  static __device__ State identity() { return State(); }
  static __device__ __forceinline__ void add(State& state, const T& value, Count) {
    state = state + convert<State>(value);
  }
  static __device__ __forceinline__ void merge(State& state, const State& later) { state = state + later; }
  static __device__ Result finish(const State& state, Count) { return convert<Result>(state); }
};
// Of doubles: what each addition rounds away is kept beside the sum.
struct Compensated {
  double sum, rest;
};
template <> struct Sum<double> {
  using State = Compensated;
  using Result = double;
  static __device__ State identity() { return {0, 0}; }
  static __device__ __forceinline__ void add(State& state, double value, Count) {
    const double sum = __dadd_rn(state.sum, value), part = __dsub_rn(sum, state.sum);
    state.rest += __dadd_rn(__dsub_rn(state.sum, __dsub_rn(sum, part)), __dsub_rn(value, part));
    state.sum = sum;
  }
  static __device__ __forceinline__ void merge(State& state, const State& later) {
    add(state, later.sum, 0);
    state.rest += later.rest;
  }
  static __device__ Result finish(const State& state, Count) {
    // Infinities and NaNs are in the sum; they have no rest.
    return state.rest - state.rest == 0 ? state.sum + state.rest : state.sum;
  }
};
template <class T> struct Prod {
  using State = typename SumOf<T>::State;
  using Result = typename SumOf<T>::Result;
  static __device__ State identity() { return State(1); }
  static __device__ __forceinline__ void add(State& state, const T& value, Count) {
    state = state * convert<State>(value);
  }
  static __device__ __forceinline__ void merge(State& state, const State& later) { state = state * later; }
  static __device__ Result finish(const State& state, Count) { return convert<Result>(state); }
};
template <class T> struct Mean {
  using State = Compensated;
  using Result = double;
  static __device__ State identity() { return {0, 0}; }
  static __device__ __forceinline__ void add(State& state, const T& value, Count) {
    Sum<double>::add(state, static_cast<double>(wide(value)), 0);
  }
  static __device__ __forceinline__ void merge(State& state, const State& later) { Sum<double>::merge(state, later); }
  static __device__ Result finish(const State& state, Count n) {
    return Sum<double>::finish(state, n) / static_cast<double>(n);
  }
};
#ifdef XCUDA_COMPLEX
template <class T> struct Mean<cuda::std::complex<T>> {
  struct State {
    Compensated real, imag;
  };
  using Result = cuda::std::complex<double>;
  static __device__ State identity() { return {{0, 0}, {0, 0}}; }
  static __device__ __forceinline__ void add(State& state, const cuda::std::complex<T>& value, Count) {
    Sum<double>::add(state.real, static_cast<double>(value.real()), 0);
    Sum<double>::add(state.imag, static_cast<double>(value.imag()), 0);
  }
  static __device__ __forceinline__ void merge(State& state, const State& later) {
    Sum<double>::merge(state.real, later.real);
    Sum<double>::merge(state.imag, later.imag);
  }
  static __device__ Result finish(const State& state, Count n) {
    return {Mean<double>::finish(state.real, n), Mean<double>::finish(state.imag, n)};
  }
};
#endif
template <class T> struct RootOfSum : Mean<T> {
  static __device__ double finish(const Compensated& state, Count n) { return ::sqrt(Sum<double>::finish(state, n)); }
};

template <class T> struct RootOfMean : Mean<T> {
  static __device__ double finish(const Compensated& state, Count n) { return ::sqrt(Mean<T>::finish(state, n)); }
};

// NaN is less and greater than all else, as in NumPy.
template <class T, int Sign> struct Extreme {
  struct State {
    T value;
    Count index;
  };
  using Result = T;
  static __device__ State identity() { return {T(), ~Count(0)}; }
  // Without branches: a lane of the CPU device's vectors takes its own value.
  static __device__ __forceinline__ bool better(const T& a, const T& b) {
    const auto x = wide(a), y = wide(b);
    const bool beyond = Sign > 0 ? x > y : x < y;
    if constexpr (is_real<T> || is_short<T>)
      return beyond | ((x != x) & (y == y));
    else
      return beyond;
  }
  static __device__ __forceinline__ void take(State& state, bool taken, const T& value, Count index) {
    state.value = taken ? value : state.value;
    state.index = taken ? index : state.index;
  }
  static __device__ __forceinline__ void add(State& state, const T& value, Count index) {
    take(state, (state.index == ~Count(0)) | better(value, state.value), value, index);
  }
  static __device__ __forceinline__ void merge(State& state, const State& later) {
    const bool first = (later.index < state.index) & !better(state.value, later.value);
    take(state, (later.index != ~Count(0)) & ((state.index == ~Count(0)) | better(later.value, state.value) | first),
         later.value, later.index);
  }
  static __device__ Result finish(const State& state, Count) { return state.value; }
};
template <class T> using Min = Extreme<T, -1>;
template <class T> using Max = Extreme<T, 1>;
template <class T> struct ArgMin : Extreme<T, -1> {
  using Result = Count;
  static __device__ Count finish(const typename Extreme<T, -1>::State& state, Count) { return state.index; }
};
template <class T> struct ArgMax : Extreme<T, 1> {
  using Result = Count;
  static __device__ Count finish(const typename Extreme<T, 1>::State& state, Count) { return state.index; }
};

template <class T> struct CountOf {
  using State = Count;
  using Result = Count;
  static __device__ State identity() { return 0; }
  static __device__ __forceinline__ void add(State& state, const T& value, Count) { state += is_true(value) ? 1 : 0; }
  static __device__ __forceinline__ void merge(State& state, const State& later) { state += later; }
  static __device__ Result finish(const State& state, Count) { return state; }
};
template <class T> struct Any : CountOf<T> {
  using Result = bool;
  static __device__ bool finish(const Count& state, Count) { return state != 0; }
};
template <class T> struct All : CountOf<T> {
  using Result = bool;
  static __device__ bool finish(const Count& state, Count n) { return state == n; }
};

// A function of a cell: associative and commutative.
template <class T, class Function> struct Folded {
  struct State {
    T value;
    bool any;
  };
  using Result = T;
  static __device__ State identity() { return {T(), false}; }
  static __device__ __forceinline__ void add(State& state, const T& value, Count) {
    if (state.any)
      state.value = static_cast<T>(Function()(state.value, value));
    else
      state.value = value;
    state.any = true;
  }
  static __device__ __forceinline__ void merge(State& state, const State& later) {
    if (later.any) add(state, later.value, 0);
  }
  static __device__ Result finish(const State& state, Count) { return state.value; }
};

// What a reducer keeps, as it is: the host puts it together with that of other devices.
template <class Reducer> struct Unfinished : Reducer {
  using Result = typename Reducer::State;
  static __device__ Result finish(const Result& state, Count) { return state; }
};

// --- terms -----------------------------------------------------------------------------------------------------------

template <class A, class B> __device__ __forceinline__ auto dot_term(const A& a, const B& b) {
  if constexpr (is_integer<A> && is_integer<B>) {
    using R = decltype(typename Accumulator<A>::type() + typename Accumulator<B>::type());
    return static_cast<R>(a) * static_cast<R>(b);
  } else {
    return times(a, b);
  }
}
template <class A> __device__ __forceinline__ double size_term(const A& a) { return static_cast<double>(math::abs(a)); }
template <class A> __device__ __forceinline__ double square_term(const A& a) {
  const double size = size_term(a);
  return size * size;
}
template <class A> __device__ __forceinline__ double power_term(const A& a, double p) { return ::pow(size_term(a), p); }
template <class A> __device__ __forceinline__ double deviation_term(const A& a, double mean) {
  const double distance = static_cast<double>(wide(a)) - mean;
  return distance * distance;
}

#ifdef XCUDA_COMPLEX
template <class A>
__device__ __forceinline__ double deviation_term(const A& a, const cuda::std::complex<double>& mean) {
  const double x = static_cast<double>(a.real()) - mean.real(), y = static_cast<double>(a.imag()) - mean.imag();
  return x * x + y * y;
}
#endif

// How far two elements are from what a comparison wants; less than 0 where it holds.
template <class A, class B> __device__ __forceinline__ double violation_term(const A& a, const B& b, bool holds) {
  if (holds) return -1;
#ifdef XCUDA_COMPLEX
  if constexpr (is_complex<A> || is_complex<B>)
    return static_cast<double>(math::abs(minus(a, b)));
  else
#endif
  {
    const double distance = ::fabs(static_cast<double>(wide(a)) - static_cast<double>(wide(b)));
    return distance == distance ? distance : __longlong_as_double(0x7ff0000000000000ll);
  }
}
// --- kernels ---------------------------------------------------------------------------------------------------------

constexpr int kReduceBlock = 256;

template <class Reducer> __device__ typename Reducer::State reduce_block(typename Reducer::State state) {
  using State = typename Reducer::State;
  __shared__ alignas(16) unsigned char memory[sizeof(State) * kReduceBlock];
  State* states = reinterpret_cast<State*>(memory);
  states[threadIdx.x] = state;
  __syncthreads();
  for (int half = kReduceBlock / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) {
      state = states[threadIdx.x];
      Reducer::merge(state, states[threadIdx.x + half]);
      states[threadIdx.x] = state;
    }
    __syncthreads();
  }
  return states[0];
}

// Where a reduction goes: out[output], by way of part[output * chunks + chunk].
template <class Reducer> struct Reduced {
  typename Reducer::Result* out;
  typename Reducer::State* part;
};

// How many blocks have left their part of a row. The last one sets it back to 0, as atomicInc() does.
static __device__ unsigned arrived[kReduceBlocks];

// The last block of a row puts the parts together, in the order of the chunks whichever block it is.
template <class Reducer>
__device__ __forceinline__ void finish_row(const Reduced<Reducer>& to, const ReduceShape& shape,
                                           typename Reducer::State state) {
  const Count row = blockIdx.x / shape.chunks;
  const auto chunks = static_cast<unsigned>(shape.chunks);
  if (chunks > 1) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
      to.part[blockIdx.x] = state;
      __threadfence();
      last = atomicInc(&arrived[row], chunks - 1) == chunks - 1;
      __threadfence();
    }
    __syncthreads();
    if (!last) return;
    state = Reducer::identity();
    for (unsigned c = threadIdx.x; c < chunks; c += kReduceBlock) Reducer::merge(state, to.part[row * chunks + c]);
    state = reduce_block<Reducer>(state);
  }
  if (threadIdx.x == 0) to.out[row] = Reducer::finish(state, shape.extent);
}

// A block takes one chunk of one row; inner is 1. take(i, values) reads Pack elements from i on.
template <class Reducer, class Index, int Pack, int kAhead, class T, class At, class Take>
__device__ __forceinline__ void reduce_rows(const Reduced<Reducer>& to, const ReduceShape& shape, const At& at,
                                            const Take& take) {
  const Count row = blockIdx.x / shape.chunks, chunk = blockIdx.x % shape.chunks;
  constexpr Count step = kReduceBlock * Pack;
  const Count length = ((shape.extent + shape.chunks - 1) / shape.chunks + step - 1) / step * step;
  const Count begin = chunk * length, end = begin + length < shape.extent ? begin + length : shape.extent;
  const Count base = row * shape.extent;
  auto state = Reducer::identity();
  Count k = begin + threadIdx.x * Pack;
  // On a GPU, several loads are on their way before the first is used.
  for (; kAhead > 1 && k + (kAhead - 1) * step + Pack <= end; k += kAhead * step) {
    T values[kAhead][Pack];
#pragma unroll
    for (int a = 0; a < kAhead; ++a) take(static_cast<Index>(base + k + a * step), values[a]);
#pragma unroll
    for (int a = 0; a < kAhead; ++a)
#pragma unroll
      for (int p = 0; p < Pack; ++p) Reducer::add(state, values[a][p], k + a * step + p);
  }
  for (; k < end; k += step)
    for (Count p = k; p < k + Pack && p < end; ++p) Reducer::add(state, at(static_cast<Index>(base + p)), p);
  finish_row(to, shape, reduce_block<Reducer>(state));
}

// A thread takes one chunk of one output; neighbours in inner are neighbouring threads. More than one: reduce_parts()
// next.
template <class Reducer, class Index, class At>
__device__ __forceinline__ void reduce_columns(const Reduced<Reducer>& to, const ReduceShape& shape, const At& at) {
  const Count outputs = shape.outer * shape.inner;
  const Count thread = static_cast<Count>(blockIdx.x) * kReduceBlock + threadIdx.x;
  if (thread >= outputs * shape.chunks) return;
  const Count output = thread % outputs, chunk = thread / outputs;
  const Count length = (shape.extent + shape.chunks - 1) / shape.chunks;
  const Count begin = chunk * length, end = begin + length < shape.extent ? begin + length : shape.extent;
  const Count base = output / shape.inner * shape.extent * shape.inner + output % shape.inner;
  auto state = Reducer::identity();
  for (Count k = begin; k < end; ++k) Reducer::add(state, at(static_cast<Index>(base + k * shape.inner)), k);
  if (shape.chunks == 1)
    to.out[output] = Reducer::finish(state, shape.extent);
  else
    to.part[output * shape.chunks + chunk] = state;
}

// Few chunks: a thread for each output; many: a block.
template <class Reducer>
__device__ __forceinline__ void reduce_parts(const Reduced<Reducer>& to, const ReduceShape& shape) {
  const Count outputs = shape.outer * shape.inner;
  if (shape.chunks <= 32) {
    const Count output = static_cast<Count>(blockIdx.x) * kReduceBlock + threadIdx.x;
    if (output >= outputs) return;
    auto state = to.part[output * shape.chunks];
    for (Count c = 1; c < shape.chunks; ++c) Reducer::merge(state, to.part[output * shape.chunks + c]);
    to.out[output] = Reducer::finish(state, shape.extent);
    return;
  }
  auto state = Reducer::identity();
  for (Count c = threadIdx.x; c < shape.chunks; c += kReduceBlock)
    Reducer::merge(state, to.part[blockIdx.x * shape.chunks + c]);
  state = reduce_block<Reducer>(state);
  if (threadIdx.x == 0) to.out[blockIdx.x] = Reducer::finish(state, shape.extent);
}

}  // namespace xcuda
