// --- Order: CUB's device-wide sorts and scans
// ---------------------------------------------------------------------------
#include <cub/cub.cuh>

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
// Sums of integers have 64 bits, those of float are made in double.
template <class E> auto scan(const E& expression, bool inclusive = true) {
  const auto& x = lazy(expression);
  using T = typename std::decay_t<decltype(x)>::Value;
  using Wide = std::conditional_t<std::is_integral_v<T>, WholeSum<T>, double>;
  using Result = typename Sum<T>::Result;
  Array<Wide> wide(x.shape), sums(x.shape);
  wide = x;
  const auto n = static_cast<long long>(wide.count());
  with_memory([&](void* memory, size_t& bytes) {
    return inclusive ? cub::DeviceScan::InclusiveSum(memory, bytes, wide.data(), sums.data(), n)
                     : cub::DeviceScan::ExclusiveSum(memory, bytes, wide.data(), sums.data(), n);
  });
  Array<Result> result(x.shape);
  result = sums;
  return result;
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

template <class E>
__global__ void count_bins(unsigned long long* counts, E x, size_t n, unsigned bins, double low, double high) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double value = real(x[i]);
  if (!(value >= low && value <= high)) return;
  const double place = (value - low) / (high - low) * bins;
  atomicAdd(&counts[place >= bins ? bins - 1 : static_cast<unsigned>(place)], 1ull);
}
template <class E> Array<unsigned long> histogram(const E& expression, unsigned bins, double low, double high) {
  const auto& x = lazy(expression);
  const size_t n = x.shape.count();
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
