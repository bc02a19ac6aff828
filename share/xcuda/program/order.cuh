// --- Order: CUB's device-wide sorts and scans
// ---------------------------------------------------------------------------
#include <cub/cub.cuh>
#include <optional>

namespace xcuda {

// Asks CUB how much memory it wants, and calls it with that.
template <class Call> void with_memory(const Call& call) {
  size_t bytes = 0;
  check(call(nullptr, bytes), "asking for memory");
  Array<unsigned char> memory(std::max<size_t>(bytes, 1));
  check(call(memory.data(), bytes), "a device-wide algorithm");
}
template <class E> auto sort(const E& expression) {
  auto x = make_array(expression);
  auto sorted = like(x);
  with_memory([&](void* memory, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, x.data(), sorted.data(), static_cast<long long>(x.count()));
  });
  return sorted;
}
template <class E> Array<unsigned long> argsort(const E& expression) {
  auto x = make_array(expression);
  auto sorted = like(x);
  Array<unsigned long> order(x.count()), result(x.count());
  arange(order);
  with_memory([&](void* memory, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, x.data(), sorted.data(), order.data(), result.data(),
                                           static_cast<long long>(x.count()));
  });
  return result;
}
template <class E> auto unique(const E& expression) {
  auto sorted = sort(expression);
  auto first = like(sorted);
  Array<long long> found(1);
  with_memory([&](void* memory, size_t& bytes) {
    return cub::DeviceSelect::Unique(memory, bytes, sorted.data(), first.data(), found.data(),
                                     static_cast<long long>(sorted.count()));
  });
  return make_array(first.part(Range(0, static_cast<size_t>(found.part(0).get()))));
}
// The middle element in sorted order, or the mean of the two middle ones; NaN if an element is NaN.
template <class T> using MeanOf = std::conditional_t<std::is_integral_v<T>, double, T>;
template <class T> __global__ void middles(MeanOf<T>* results, const T* sorted, size_t lines, size_t n) {
  const size_t line = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  const T* x = sorted + line * n;
  const T low = x[(n - 1) / 2], high = x[n / 2], first = x[0], last = x[n - 1];
  if (!(first == first))  // the order has NaN at its ends
    results[line] = static_cast<MeanOf<T>>(first);
  else if (!(last == last))
    results[line] = static_cast<MeanOf<T>>(last);
  else
    results[line] = static_cast<MeanOf<T>>(low == high ? real(low) : (real(low) + real(high)) / 2);
}
template <class T> Array<MeanOf<T>> middles_of(const Array<T>& sorted, const Shape& left, size_t lines) {
  Array<MeanOf<T>> results(left);
  middles<<<static_cast<unsigned>((lines + 255) / 256), 256>>>(results.data(), sorted.data(), lines,
                                                               sorted.count() / lines);
  check_launch("a median");
  return results;
}
template <class E> auto median(const E& expression) { return middles_of(sort(expression), shape(1), 1).part(0).get(); }
// The lines along an axis, one after the other in memory.
template <class E> auto lines_of(const E& expression, int axis) {
  const auto x = make_array(expression);
  auto turned = x.view();
  for (int d = axis < 0 ? axis + turned.shape.rank : axis; d + 1 < turned.shape.rank; ++d) {
    std::swap(turned.shape.extent[d], turned.shape.extent[d + 1]);
    std::swap(turned.stride[d], turned.stride[d + 1]);
  }
  return make_array(turned);
}
inline size_t last_extent(const Shape& shape) { return shape.rank == 0 ? 1 : shape.extent[shape.rank - 1]; }
// call(memory, bytes, elements, lines, where they begin, where they end)
template <class T, class Call> void sort_lines(const Array<T>& keys, const Call& call) {
  if (keys.count() == 0) return;
  const auto extent = static_cast<long long>(last_extent(keys.shape()));
  const auto n = static_cast<long long>(keys.count()), lines = n / extent;
  Array<long long> begins(lines + 1);
  arange(begins, 0, static_cast<double>(extent));
  with_memory(
      [&](void* memory, size_t& bytes) { return call(memory, bytes, n, lines, begins.data(), begins.data() + 1); });
}
template <class T> Array<T> sorted_lines(const Array<T>& keys) {
  auto sorted = like(keys);
  sort_lines(keys, [&](void* memory, size_t& bytes, auto... of) {
    return cub::DeviceSegmentedRadixSort::SortKeys(memory, bytes, keys.data(), sorted.data(), of...);
  });
  return sorted;
}
template <class E> auto median(const E& expression, Axis axis) {
  const Lines lines(lazy(expression).shape, axis);
  return middles_of(sorted_lines(lines_of(expression, axis.number)), lines.left, lines.count());
}

// Sums and products of integers have 64 bits, those of float are made in double.
template <class T> using Wide = std::conditional_t<std::is_integral_v<T>, WholeSum<T>, double>;
template <class E> using ElementOf = typename std::decay_t<decltype(lazy(std::declval<const E&>()))>::Value;
template <class E> using SumResult = typename Sum<ElementOf<E>>::Result;
template <class E> using WideOf = Wide<ElementOf<E>>;
struct Plus {
  template <class A, class B> __host__ __device__ auto operator()(const A& a, const B& b) const { return a + b; }
};
template <class E, class Function>
auto running(const E& expression, Function function, std::optional<WideOf<E>> init, bool inclusive) {
  const auto& x = lazy(expression);
  Array<WideOf<E>> wide(x.shape), results(x.shape);
  wide = x;
  const auto n = static_cast<long long>(wide.count());
  with_memory([&](void* memory, size_t& bytes) {
    return init ? cub::DeviceScan::ExclusiveScan(memory, bytes, wide.data(), results.data(), function, *init, n)
                : cub::DeviceScan::InclusiveScan(memory, bytes, wide.data(), results.data(), function, n);
  });
  if (init && inclusive) results = elements(function, results, wide);
  Array<SumResult<E>> narrow(x.shape);
  narrow = results;
  return narrow;
}
template <class E> auto scan(const E& x, bool inclusive = true) {
  return running(x, Plus(), inclusive ? std::nullopt : std::optional<WideOf<E>>(0), inclusive);
}
template <class E, class T> auto scan_from(const E& x, T init, bool inclusive = true) {
  return running(x, Plus(), static_cast<WideOf<E>>(init), inclusive);
}
template <class E> auto cumprod(const E& expression) {  // of all elements in a row
  const auto x = make_array(expression);
  auto row = x.view();
  row.shape = shape(x.count());
  row.stride[0] = 1;
  return running(row, Times(), std::nullopt, true);
}
template <class E, class Function> auto scan(const E& expression, Function function) {
  auto x = make_array(expression);
  auto result = like(x);
  with_memory([&](void* memory, size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(memory, bytes, x.data(), result.data(), function,
                                          static_cast<long long>(x.count()));
  });
  return result;
}
// With a value in front of the first element. An inclusive scan is the exclusive one, each combined with its element.
template <class E, class Function, class T>
auto scan(const E& expression, Function function, T init, bool inclusive = true) {
  auto x = make_array(expression);
  Array<T> result(x.shape());
  with_memory([&](void* memory, size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(memory, bytes, x.data(), result.data(), function, init,
                                          static_cast<long long>(x.count()));
  });
  if (inclusive) result = elements(function, result, x);
  return result;
}

// Along an axis: a thread for each line.
template <class State, class Result, class E, class Function> struct LineScan {
  E x;
  Function function;
  State init;
  bool has_init, inclusive;
};
template <class State, class Result, class E, class Function>
__global__ void scan_lines(Result* results, LineScan<State, Result, E, Function> scan, size_t lines, size_t extent,
                           size_t inner) {
  const size_t line = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  const size_t base = line / inner * extent * inner + line % inner;
  State state = scan.init;
  for (size_t k = 0; k < extent; ++k) {
    const size_t i = base + k * inner;
    if (!scan.inclusive) results[i] = static_cast<Result>(state);
    const auto value = static_cast<State>(scan.x[i]);
    state = k == 0 && !scan.has_init ? value : static_cast<State>(scan.function(state, value));
    if (scan.inclusive) results[i] = static_cast<Result>(state);
  }
}
template <class State, class Result, class E, class Function>
Array<Result> scan_axis(const E& expression, int axis, Function function, std::optional<State> init, bool inclusive) {
  const auto& x = lazy(expression);
  const Lines lines(x.shape, Axis{axis});
  Array<Result> results(x.shape);
  const LineScan<State, Result, std::decay_t<decltype(x)>, Function> scan{x, function, init.value_or(State()),
                                                                          init.has_value(), inclusive};
  scan_lines<<<static_cast<unsigned>((lines.count() + 255) / 256), 256>>>(results.data(), scan, lines.count(),
                                                                          lines.extent, lines.inner);
  check_launch("a scan");
  return results;
}
template <class E> auto scan_along(const E& x, int axis, bool inclusive = true) {
  return scan_axis<WideOf<E>, SumResult<E>>(x, axis, Plus(), inclusive ? std::nullopt : std::optional<WideOf<E>>(0),
                                            inclusive);
}
template <class E, class T> auto scan_from_along(const E& x, int axis, T init, bool inclusive = true) {
  return scan_axis<WideOf<E>, SumResult<E>>(x, axis, Plus(), std::optional(static_cast<WideOf<E>>(init)), inclusive);
}
template <class E, class Function> auto scan_along(const E& x, int axis, Function function) {
  return scan_axis<ElementOf<E>, ElementOf<E>>(x, axis, function, std::nullopt, true);
}
template <class E, class Function, class T>
auto scan_along(const E& x, int axis, Function function, T init, bool inclusive = true) {
  return scan_axis<T, T>(x, axis, function, std::optional<T>(init), inclusive);
}
template <class E> auto cumprod_along(const E& x, int axis) {
  return scan_axis<WideOf<E>, SumResult<E>>(x, axis, Times(), std::nullopt, true);
}

// Edges are numbers of the elements' precision: an element that equals one is in the bin that begins there.
template <class T> __device__ double in_precision(double value) {
  if constexpr (std::is_integral_v<T>)
    return value;
  else
    return real(rounded<T>(value));
}
template <class T> __device__ double edge_of_bin(unsigned bin, double low, double step) {
  return in_precision<T>(__dadd_rn(low, __dmul_rn(static_cast<double>(bin), step)));
}
template <class E>
__global__ void count_bins(unsigned long long* counts, E x, size_t n, unsigned bins, double low, double high) {
  using T = std::decay_t<decltype(x[0])>;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double value = real(x[i]), step = __ddiv_rn(high - low, static_cast<double>(bins));
  if (!(value >= in_precision<T>(low) && value <= in_precision<T>(high))) return;
  const double place = (value - low) / (high - low) * bins;
  unsigned bin = place >= bins ? bins - 1 : place > 0 ? static_cast<unsigned>(place) : 0;
  if (bin > 0 && value < edge_of_bin<T>(bin, low, step))
    --bin;
  else if (bin + 1 < bins && value >= edge_of_bin<T>(bin + 1, low, step))
    ++bin;
  atomicAdd(&counts[bin], 1ull);
}
template <class E> Array<unsigned long> histogram(const E& expression, unsigned bins, double low, double high) {
  const auto& x = lazy(expression);
  const size_t n = x.shape.count();
  if (low == high) low -= 0.5, high += 0.5;
  Array<unsigned long> counts(bins);
  count_bins<<<static_cast<unsigned>((n + 255) / 256), 256>>>(reinterpret_cast<unsigned long long*>(counts.data()), x,
                                                              n, bins, low, high);
  check_launch("a histogram");
  return counts;
}
template <class E> auto histogram(const E& x, unsigned bins = 10) {
  return histogram(x, bins, static_cast<double>(min(x)), static_cast<double>(max(x)));
}

}  // namespace xcuda
