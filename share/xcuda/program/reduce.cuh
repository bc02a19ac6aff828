// --- Reductions: partial results of chunks, then of everything; the order depends on the shape alone
// ------------------

namespace xcuda {

template <class T> __device__ double real(const T& x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(x);
  else
    return static_cast<double>(static_cast<float>(x));  // half, bfloat16
}
// A sum with what each addition rounds away beside it.
struct Compensated {
  double sum = 0, rest = 0;
  __device__ void add(double value) {
    const double next = __dadd_rn(sum, value), part = __dsub_rn(next, sum);
    rest += __dadd_rn(__dsub_rn(sum, __dsub_rn(next, part)), __dsub_rn(value, part));
    sum = next;
  }
  __device__ void add(const Compensated& later) {
    add(later.sum);
    rest += later.rest;
  }
  __device__ double value() const { return rest - rest == 0 ? sum + rest : sum; }  // infinities are in the sum
};
template <class T> using WholeSum = std::conditional_t<std::is_signed_v<T>, long, unsigned long>;

// Reducers: a State, add(state, value, index), merge(state, later state), finish(state, number of elements).
template <class T> struct Sum {
  using State = std::conditional_t<std::is_integral_v<T>, WholeSum<T>, Compensated>;
  using Result = std::conditional_t<std::is_integral_v<T>, WholeSum<T>, T>;
  static __device__ State identity() { return {}; }
  static __device__ void add(State& s, const T& x, size_t) {
    if constexpr (std::is_integral_v<T>)
      s += x;
    else
      s.add(real(x));
  }
  static __device__ void merge(State& s, const State& later) {
    if constexpr (std::is_integral_v<T>)
      s += later;
    else
      s.add(later);
  }
  static __device__ Result finish(const State& s, size_t) {
    if constexpr (std::is_integral_v<T>)
      return s;
    else
      return static_cast<T>(s.value());
  }
};
template <class T> struct Prod {
  using State = std::conditional_t<std::is_integral_v<T>, WholeSum<T>, double>;
  using Result = typename Sum<T>::Result;
  static __device__ State identity() { return 1; }
  static __device__ void add(State& s, const T& x, size_t) {
    if constexpr (std::is_integral_v<T>)
      s *= x;
    else
      s *= real(x);
  }
  static __device__ void merge(State& s, const State& later) { s *= later; }
  static __device__ Result finish(const State& s, size_t) { return static_cast<Result>(s); }
};
template <class T> struct Mean {
  using State = Compensated;
  using Result = double;
  static __device__ State identity() { return {}; }
  static __device__ void add(State& s, const T& x, size_t) { s.add(real(x)); }
  static __device__ void merge(State& s, const State& later) { s.add(later); }
  static __device__ double finish(const State& s, size_t n) { return s.value() / static_cast<double>(n); }
};
// The first of the greatest (sign = 1) or least (-1); NaN is both, as in NumPy.
template <class T, int sign, class Answer> struct Extreme {
  struct State {
    T value;
    size_t index;
  };
  using Result = std::conditional_t<std::is_void_v<Answer>, T, size_t>;
  static __device__ State identity() { return {T(), SIZE_MAX}; }
  static __device__ bool better(const T& a, const T& b) {
    if (!(a == a) || !(b == b)) return !(a == a) && b == b;
    return sign > 0 ? a > b : a < b;
  }
  static __device__ void add(State& s, const T& x, size_t index) { merge(s, {x, index}); }
  static __device__ void merge(State& s, const State& later) {
    if (later.index == SIZE_MAX) return;
    if (s.index == SIZE_MAX || better(later.value, s.value) || (later.index < s.index && !better(s.value, later.value)))
      s = later;
  }
  static __device__ Result finish(const State& s, size_t) {
    if constexpr (std::is_void_v<Answer>)
      return s.value;
    else
      return s.index;
  }
};
template <class T> struct Count {
  using State = size_t;
  using Result = size_t;
  static __device__ State identity() { return 0; }
  static __device__ void add(State& s, const T& x, size_t) { s += static_cast<bool>(x) ? 1 : 0; }
  static __device__ void merge(State& s, const State& later) { s += later; }
  static __device__ Result finish(const State& s, size_t) { return s; }
};
template <class T> struct Any : Count<T> {
  using Result = bool;
  static __device__ bool finish(size_t s, size_t) { return s != 0; }
};
template <class T> struct All : Count<T> {
  using Result = bool;
  static __device__ bool finish(size_t s, size_t n) { return s == n; }
};
template <class T, class Function> struct Fold {  // a function of the program's own
  struct State {
    T value;
    bool any;
  };
  using Result = T;
  static __device__ State identity() { return {T(), false}; }
  static __device__ void add(State& s, const T& x, size_t) {
    s = {s.any ? static_cast<T>(Function()(s.value, x)) : x, true};
  }
  static __device__ void merge(State& s, const State& later) {
    if (later.any) add(s, later.value, 0);
  }
  static __device__ Result finish(const State& s, size_t) { return s.value; }
};

template <class Reducer> __device__ typename Reducer::State reduce_block(typename Reducer::State state) {
  using State = typename Reducer::State;
  alignas(16) __shared__ unsigned char memory[256 * sizeof(State)];
  State* states = reinterpret_cast<State*>(memory);
  states[threadIdx.x] = state;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) Reducer::merge(states[threadIdx.x], states[threadIdx.x + half]);
    __syncthreads();
  }
  return states[0];
}
// Block `output * chunks + chunk`: elements [chunk * length, ...) of an output's `extent`, `inner` apart.
template <class Reducer, class E>
__global__ void __launch_bounds__(256)
    reduce_chunks(typename Reducer::State* states, E x, size_t extent, size_t inner, size_t chunks) {
  const size_t output = blockIdx.x / chunks, length = (extent + chunks - 1) / chunks;
  const size_t begin = blockIdx.x % chunks * length, end = begin + length < extent ? begin + length : extent;
  const size_t base = output / inner * extent * inner + output % inner;
  auto state = Reducer::identity();
  for (size_t k = begin + threadIdx.x; k < end; k += 256) Reducer::add(state, x[base + k * inner], k);
  state = reduce_block<Reducer>(state);
  if (threadIdx.x == 0) states[blockIdx.x] = state;
}
template <class Reducer>
__global__ void __launch_bounds__(256)
    reduce_states(typename Reducer::Result* results, const typename Reducer::State* states, size_t extent,
                  size_t chunks) {
  auto state = Reducer::identity();
  for (size_t c = threadIdx.x; c < chunks; c += 256) Reducer::merge(state, states[blockIdx.x * chunks + c]);
  state = reduce_block<Reducer>(state);
  if (threadIdx.x == 0) results[blockIdx.x] = Reducer::finish(state, extent);
}
template <class Reducer, class E>
Array<typename Reducer::Result> reduce_axis(const E& x, const Shape& left, size_t outer, size_t extent, size_t inner) {
  const size_t outputs = outer * inner;
  Array<typename Reducer::Result> results(left);
  if (outputs == 0) return results;
  const size_t chunks = std::max<size_t>(std::min(std::max<size_t>(2048 / outputs, 1), (extent + 4095) / 4096), 1);
  Array<unsigned char> states(outputs * chunks * sizeof(typename Reducer::State));
  auto* parts = reinterpret_cast<typename Reducer::State*>(states.data());
  reduce_chunks<Reducer><<<static_cast<unsigned>(outputs * chunks), 256>>>(parts, x, extent, inner, chunks);
  reduce_states<Reducer><<<static_cast<unsigned>(outputs), 256>>>(results.data(), parts, extent, chunks);
  check_launch("a reduction");
  return results;
}

struct Axis {  // keep: with an extent of 1
  int number;
  bool keep = false;
};
// What lies along an axis: outer * inner lines, whose elements are `inner` apart.
struct Lines {
  size_t outer = 1, extent, inner = 1;
  Shape left;  // without the axis, or with an extent of 1
  Lines(const Shape& shape, Axis axis) {
    if (axis.number < 0) axis.number += shape.rank;  // counted from the end
    extent = shape.extent[axis.number];
    for (int d = 0; d < shape.rank; ++d) {
      (d < axis.number ? outer : inner) *= d == axis.number ? 1 : shape.extent[d];
      if (d != axis.number || axis.keep) left.extent[left.rank++] = d == axis.number ? 1 : shape.extent[d];
    }
  }
  size_t count() const { return outer * inner; }
};
template <template <class...> class Reducer, class... Rest, class E> auto reduced(const E& expression) {
  const auto& x = lazy(expression);
  using T = typename std::decay_t<decltype(x)>::Value;
  return reduce_axis<Reducer<T, Rest...>>(x, shape(1), 1, x.shape.count(), 1).part(0).get();
}
template <template <class...> class Reducer, class... Rest, class E> auto reduced(const E& expression, Axis axis) {
  const auto& x = lazy(expression);
  using T = typename std::decay_t<decltype(x)>::Value;
  const Lines lines(x.shape, axis);
  return reduce_axis<Reducer<T, Rest...>>(x, lines.left, lines.outer, lines.extent, lines.inner);
}

template <class T> using Minimum = Extreme<T, -1, void>;
template <class T> using Maximum = Extreme<T, 1, void>;
template <class T> using IndexOfMinimum = Extreme<T, -1, size_t>;
template <class T> using IndexOfMaximum = Extreme<T, 1, size_t>;
template <class E, class... A> auto sum(const E& x, A... axis) { return reduced<Sum>(x, axis...); }
template <class E, class... A> auto prod(const E& x, A... axis) { return reduced<Prod>(x, axis...); }
template <class E, class... A> auto mean(const E& x, A... axis) { return reduced<Mean>(x, axis...); }
template <class E, class... A> auto min(const E& x, A... axis) { return reduced<Minimum>(x, axis...); }
template <class E, class... A> auto max(const E& x, A... axis) { return reduced<Maximum>(x, axis...); }
template <class E, class... A> auto argmin(const E& x, A... axis) { return reduced<IndexOfMinimum>(x, axis...); }
template <class E, class... A> auto argmax(const E& x, A... axis) { return reduced<IndexOfMaximum>(x, axis...); }
template <class E, class... A> auto count(const E& x, A... axis) { return reduced<Count>(x, axis...); }
template <class E, class... A> auto any(const E& x, A... axis) { return reduced<Any>(x, axis...); }
template <class E, class... A> auto all(const E& x, A... axis) { return reduced<All>(x, axis...); }

struct Times {
  template <class A, class B> __host__ __device__ auto operator()(const A& a, const B& b) const {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
      return static_cast<WholeSum<A>>(a) * static_cast<WholeSum<B>>(b);
    else
      return a * b;
  }
};
struct SquareOfDistance {
  template <class A> __device__ double operator()(const A& a, double from) const {
    return (real(a) - from) * (real(a) - from);
  }
};
struct Root {
  __device__ double operator()(double x) const { return sqrt(x); }
};
template <class X, class Y> auto dot(const X& x, const Y& y) { return sum(elements(Times(), x, y)); }
// The mean first, then the distances from it: exact also where the mean is large. ddof: taken off the number of
// elements.
template <class E> double var(const E& x, double ddof = 0) {
  const auto all = make_array(x);
  const double n = static_cast<double>(all.count());
  const auto squares = elements(SquareOfDistance(), all, mean(all));
  return ddof == 0 ? mean(squares) : sum(squares) / (n - ddof);
}
template <class E> double std_of(const E& x, double ddof = 0) { return std::sqrt(var(x, ddof)); }
struct Over {
  double divisor;
  __device__ double operator()(double x) const { return x / divisor; }
};
template <class E> Array<double> var(const E& x, Axis axis, double ddof = 0) {
  const auto all = make_array(x);
  const auto means = mean(all, Axis{axis.number, true});
  const auto squares = elements(SquareOfDistance(), all, means);
  if (ddof == 0) return mean(squares, axis);
  return make_array(elements(Over{static_cast<double>(Lines(all.shape(), axis).extent) - ddof}, sum(squares, axis)));
}
template <class E> Array<double> std_of(const E& x, Axis axis, double ddof = 0) {
  return make_array(elements(Root(), var(x, axis, ddof)));
}
template <class E> double norm(const E& x) { return std::sqrt(sum(elements(SquareOfDistance(), make_array(x), 0.0))); }
template <class E> Array<double> norm(const E& x, Axis axis) {
  return make_array(elements(Root(), sum(elements(SquareOfDistance(), make_array(x), 0.0), axis)));
}
template <class Function, class E, class T> T reduce(const E& x, T init, Function) {
  const auto rest = reduce_axis<Fold<T, Function>>(lazy(x), shape(1), 1, lazy(x).shape.count(), 1);
  return static_cast<T>(make_array(elements(Function(), init, rest)).part(0).get());
}

struct Close {
  double relative, absolute;
  template <class A, class B> __device__ bool operator()(const A& a, const B& b) const {
    if (a == b) return true;
    const double size = fabs(real(b)), distance = fabs(static_cast<double>(a - b));
    return size - size == 0 && distance <= absolute + relative * size;
  }
};
template <class A, class B> bool allclose(const A& a, const B& b, double relative = 1e-5, double absolute = 1e-8) {
  return all(elements(Close{relative, absolute}, make_array(a), make_array(b)));
}

}  // namespace xcuda
