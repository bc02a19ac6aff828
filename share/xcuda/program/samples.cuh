// --- Samples: sorts along an axis, order statistics, counts, and statistics of what is not NaN -----------------------

namespace xcuda {

// The axis that lines_of() moved to the end back to its place.
template <class T> Array<T> moved_back(const Array<T>& lines, int axis) {
  auto view = lines.view();
  move_axis(view, view.shape.rank - 1, axis_of(axis, view.shape.rank));
  return make_array(view);
}
template <class X> auto sort(const X& x, int axis) { return moved_back(sorted_lines(lines_of(x, axis)), axis); }
struct Remainder {
  __device__ unsigned long operator()(unsigned long i, unsigned long n) const { return i % n; }
};
// Of lines: the indices that sort each.
template <class T> Array<unsigned long> order_of_lines(const Array<T>& keys) {
  auto sorted = like(keys);
  Array<unsigned long> places(keys.shape()), order(keys.shape());
  arange(places);
  places = elements(Remainder(), places, static_cast<unsigned long>(last_extent(keys.shape())));
  sort_lines(keys, [&](void* memory, size_t& bytes, auto... of) {
    return cub::DeviceSegmentedRadixSort::SortPairs(memory, bytes, keys.data(), sorted.data(), places.data(),
                                                    order.data(), of...);
  });
  return order;
}
template <class X> auto argsort(const X& x, int axis) { return moved_back(order_of_lines(lines_of(x, axis)), axis); }
template <int count, class X> auto topk(const X& x, size_t k, int axis) {
  const auto straight = lines_of(x, axis);
  auto turned = straight.view();  // so that of equal elements the first comes first
  turn_round(turned, turned.shape.rank - 1);
  const auto lines = make_array(turned);
  const size_t n = last_extent(lines.shape());
  if (k > n) check(cudaErrorInvalidValue, "more of the greatest elements than there are");
  const auto greatest = [&](const auto& sorted) {
    auto view = piece_of(sorted.view(), sorted.shape().rank - 1, n - k, k);
    turn_round(view, view.shape.rank - 1);
    return moved_back(make_array(view), axis);
  };
  if constexpr (count == 1)
    return std::make_tuple(greatest(sorted_lines(lines)));
  else
    return std::make_tuple(
        greatest(sorted_lines(lines)),
        make_array(elements(MinusOf(), static_cast<unsigned long>(n - 1), greatest(order_of_lines(lines)))));
}

struct Quantile {
  double part;
  template <class T> __device__ RealOf<T> operator()(const T& low, const T& high, const T& last) const {
    return static_cast<RealOf<T>>(places::between(low, high, last, part));
  }
};
inline double place_by_method(double place, std::string_view method) {
  if (method == "lower") return std::floor(place);
  if (method == "higher") return std::ceil(place);
  if (method == "nearest") return std::nearbyint(place);
  if (method == "midpoint") return (std::floor(place) + std::ceil(place)) / 2;
  return place;
}
// The element at a part of the order of each line.
template <class T> Array<RealOf<T>> quantile_of_lines(const Array<T>& sorted, double part, std::string_view method) {
  const int last = sorted.shape().rank - 1;
  const size_t n = last_extent(sorted.shape());
  if (n == 0) check(cudaErrorInvalidValue, "a quantile of an empty array");
  const double place = place_by_method(part * static_cast<double>(n - 1), method);
  const size_t low = std::min(static_cast<size_t>(place), n - 1);
  const auto at = [&](size_t i) {
    auto view = piece_of(sorted.view(), last, i, 1);
    erase_axis(view, last);
    return view;
  };
  return make_array(
      elements(Quantile{place - static_cast<double>(low)}, at(low), at(std::min(low + 1, n - 1)), at(n - 1)));
}
template <class X> auto sorted_along(const X& x, Axes axis) {
  return axis ? sorted_lines(lines_of(x, *axis)) : sorted_lines(flatten(x));
}
template <class X>
auto quantiles(const X& x, std::initializer_list<double> parts, double whole, Axes axis, std::string_view method) {
  const auto sorted = sorted_along(x, axis);
  Shape shape = sorted.shape();
  for (int d = shape.rank - 1; d > 0; --d) shape.extent[d] = shape.extent[d - 1];
  shape.extent[0] = parts.size();
  Array<RealOf<TypeOf<X>>> result(shape);
  size_t i = 0;
  for (const double part : parts) result.part(i++) = quantile_of_lines(sorted, part / whole, method);
  return result;
}
template <class X> auto quantile(const X& x, double q, Axes axis, std::string_view method) {
  return quantile_of_lines(sorted_along(x, axis), q, method);
}
template <class X> auto percentile(const X& x, double q, Axes axis, std::string_view method) {
  return quantile(x, q / 100, axis, method);
}
template <class X> auto quantile(const X& x, std::initializer_list<double> q, Axes axis, std::string_view method) {
  return quantiles(x, q, 1, axis, method);
}
template <class X> auto percentile(const X& x, std::initializer_list<double> q, Axes axis, std::string_view method) {
  return quantiles(x, q, 100, axis, method);
}

// --- counts ----------------------------------------------------------------------------------------------------------

// The weights of each bin, added in their order; without weights their number.
struct Weigh {
  template <class I, class W>
  __device__ double operator()(size_t bin, const I* sorted, const unsigned long* order, unsigned long n,
                               const W* weights) const {
    double sum = 0;
    for (auto k = places::search(sorted, n, static_cast<I>(bin), false); k < n && sorted[k] == static_cast<I>(bin); ++k)
      sum += real(weights[order[k]]);
    return sum;
  }
};
struct CountEqual {
  template <class T> __device__ unsigned long operator()(const T& value, const T* sorted, unsigned long n) const {
    return places::search(sorted, n, value, true) - places::search(sorted, n, value, false);
  }
};
template <class T> Array<unsigned long> counts_in(const Array<T>& values, const Array<T>& sorted) {
  return make_array(elements(CountEqual(), values, whole(sorted), static_cast<unsigned long>(sorted.count())));
}
template <class T> size_t bins_of(const Array<T>& x, size_t least) {
  return std::max(least, x.count() == 0 ? 0 : static_cast<size_t>(max(x)) + 1);
}
template <class T> Array<T> all_integers(size_t n) {
  Array<T> result(n);
  arange(result);
  return result;
}
template <class X> auto bincount(const X& x, std::nullopt_t, size_t minlength) {
  using T = TypeOf<X>;
  const auto all = flatten(x);
  return counts_in(all_integers<T>(bins_of(all, minlength)), sort(all));
}
template <class X, class W> Array<double> bincount(const X& x, const W& weights, size_t minlength) {
  const auto all = flatten(x);
  const auto of = flatten(weights);
  const auto order = argsort(all);
  const auto sorted = take(all, order, std::nullopt);
  return make_array(map<1>(shape(bins_of(all, minlength)), Weigh(), whole(sorted), whole(order),
                           static_cast<unsigned long>(all.count()), whole(of)));
}

struct IsTrue {
  template <class T> __device__ unsigned long operator()(const T& x) const { return places::truth(x); }
};
struct Place1 {  // of the i-th element that is true
  __device__ unsigned long operator()(size_t i, const unsigned long* running, unsigned long n) const {
    return places::search(running, n, static_cast<unsigned long>(i + 1), false);
  }
};
template <class X> Array<unsigned long> flatnonzero(const X& x) {
  const auto running = cumsum(make_array(elements(IsTrue(), flatten(x))), std::nullopt);
  const size_t n = running.count();
  const size_t found = n == 0 ? 0 : running.part(n - 1).get();
  return make_array(map<1>(shape(found), Place1(), whole(running), static_cast<unsigned long>(n)));
}
struct IndexAlong {
  unsigned long inner, extent;
  __device__ unsigned long operator()(unsigned long place) const { return place / inner % extent; }
};
inline Array<unsigned long> index_along(const Array<unsigned long>& places, const Shape& shape, int axis) {
  IndexAlong along{1, std::max<unsigned long>(shape.extent[axis], 1)};
  for (int d = axis + 1; d < shape.rank; ++d) along.inner *= std::max<unsigned long>(shape.extent[d], 1);
  return make_array(elements(along, places));
}
template <int count, class X> auto nonzero(const X& x) {
  const auto places = flatnonzero(x);
  const Shape shape = shape_of(x);
  return [&]<int... d>(std::integer_sequence<int, d...>) { return std::make_tuple(index_along(places, shape, d)...); }
  (std::make_integer_sequence<int, count>());
}
template <class X> Array<unsigned long> argwhere(const X& x) {
  const auto places = flatnonzero(x);
  const Shape shape = shape_of(x);
  Array<unsigned long> result(places.count(), static_cast<size_t>(shape.rank));
  for (int d = 0; d < shape.rank; ++d) result.part(Range(), d) = index_along(places, shape, d);
  return result;
}

template <class T> Array<T> edges_between(double low, double high, size_t bins) {
  if (low == high) low -= 0.5, high += 0.5;
  Array<T> result(bins + 1);
  linspace(result, low, high);
  return result;
}
struct BinOf {
  template <class T, class E>
  __device__ unsigned long operator()(const T& value, const E* edges, unsigned long bins) const {
    const auto bin = places::search(edges, bins + 1, real(value), true);
    return (bin < bins ? bin : bins) - 1;  // the last edge belongs to the last bin
  }
};
struct Pair {
  __device__ unsigned long operator()(unsigned long x, unsigned long y, unsigned long bins) const {
    return x * bins + y;
  }
};
template <int count, class X, class Y> auto histogram2d(const X& x, const Y& y, size_t bins) {
  using T = TypeOf<X>;
  using E = std::conditional_t<std::is_same_v<T, TypeOf<Y>>, RealOf<T>, double>;
  const auto a = as<double>(flatten(x)), b = as<double>(flatten(y));
  auto x_edges = edges_between<E>(min(a), max(a), bins), y_edges = edges_between<E>(min(b), max(b), bins);
  const auto bin = [&](const auto& values, const auto& edges) {
    return make_array(elements(BinOf(), values, whole(edges), static_cast<unsigned long>(bins)));
  };
  auto counts =
      as<double>(bincount(elements(Pair(), bin(a, x_edges), bin(b, y_edges), static_cast<unsigned long>(bins)),
                          std::nullopt, bins * bins))
          .in_shape(shape(bins, bins));
  if constexpr (count == 1)
    return std::make_tuple(std::move(counts));
  else if constexpr (count == 2)
    return std::make_tuple(std::move(counts), std::move(x_edges));
  else
    return std::make_tuple(std::move(counts), std::move(x_edges), std::move(y_edges));
}
struct IsAmong {
  template <class T> __device__ bool operator()(const T& value, const T* sorted, unsigned long n) const {
    return places::is_among(value, sorted, n);
  }
};
template <class X, class V> auto isin(const X& x, const V& values) {
  const auto sorted = sort(as<TypeOf<X>>(flatten(values)));
  return make_array(elements(IsAmong(), x, whole(sorted), static_cast<unsigned long>(sorted.count())));
}
template <class X> auto count_nonzero(const X& x, Axes axis, bool keep) {
  if (axis) return count(x, Axis{*axis, keep});
  return count(flatten(x), Axis{0, keep});
}

// --- statistics ------------------------------------------------------------------------------------------------------

// A reduction along an axis, or of all elements in a row.
template <class X, class Reduction> auto along(const X& x, Axes axis, bool keep, Reduction reduction) {
  const auto all = axis ? make_array(x) : flatten(x);
  auto result = reduction(all, Axis{axis.value_or(0), axis && keep});
  if (axis || !keep) return result;
  Shape shape = shape_of(x);
  std::fill(shape.extent, shape.extent + shape.rank, 1);
  return std::move(result).in_shape(shape);
}
template <class X> auto average(const X& x, std::nullopt_t, Axes axis, bool keep) {
  return along(as<double>(x), axis, keep, [](const auto& all, Axis of) { return mean(all, of); });
}
struct Weighted {
  __device__ double operator()(double x, double weight) const { return x * weight; }
};
struct Quotient {
  __device__ double operator()(double a, double b) const { return a / b; }
};
struct WeightOf {
  __device__ double operator()(double, double weight) const { return weight; }
};
// Of lines: the weights are there for each element, or for one line.
inline Array<double> weighted_means(const Array<double>& lines, const Array<double>& weights, bool keep) {
  const Axis last{lines.shape().rank - 1, keep};
  return make_array(elements(Quotient(), sum(elements(Weighted(), lines, weights), last),
                             sum(elements(WeightOf(), lines, weights), last)));
}
template <class X, class W> auto average(const X& x, const W& weights, Axes axis, bool keep) {
  const auto wide = as<double>(x), by = as<double>(weights);
  if (!axis) return weighted_means(flatten(wide), flatten(by), keep);
  const auto means = weighted_means(lines_of(wide, *axis), by.shape().rank == 1 ? by : lines_of(by, *axis), keep);
  return keep ? moved_back(means, *axis) : make_array(means);
}
template <class X> auto ptp(const X& x, Axes axis, bool keep) {
  return along(x, axis, keep, [](const auto& all, Axis of) {
    using T = typename std::decay_t<decltype(all)>::Element;
    return as<T>(elements(MinusOf(), max(all, of), min(all, of)));
  });
}
struct WithoutNan {
  template <class T, class V> __device__ T operator()(const T& x, V otherwise) const {
    return places::is_nan(x) ? static_cast<T>(otherwise) : x;
  }
};
template <class X, class V> auto without_nan(const X& x, V otherwise) {
  return make_array(elements(WithoutNan(), x, otherwise));
}
template <class X> auto nansum(const X& x, Axes axis, bool keep) {
  return along(without_nan(x, 0), axis, keep, [](const auto& all, Axis of) { return sum(all, of); });
}
template <class X> auto nanprod(const X& x, Axes axis, bool keep) {
  return along(without_nan(x, 1), axis, keep, [](const auto& all, Axis of) { return prod(all, of); });
}
struct Extremum {  // NaN where there is nothing else
  template <class T> __device__ T operator()(const T& found, bool nothing) const {
    if constexpr (std::is_integral_v<T>)
      return found;
    else
      return nothing ? static_cast<T>(NAN) : found;
  }
};
struct IsNan {
  template <class T> __device__ bool operator()(const T& x) const { return places::is_nan(x); }
};
template <class T> T infinite(double infinity) {
  if constexpr (std::is_integral_v<T>)
    return T();
  else
    return static_cast<T>(infinity);
}
template <class X> auto nanmin(const X& x, Axes axis, bool keep) {
  return along(x, axis, keep, [](const auto& values, Axis of) {
    using T = typename std::decay_t<decltype(values)>::Element;
    return make_array(
        elements(Extremum(), min(without_nan(values, infinite<T>(HUGE_VAL)), of), all(elements(IsNan(), values), of)));
  });
}
template <class X> auto nanmax(const X& x, Axes axis, bool keep) {
  return along(x, axis, keep, [](const auto& values, Axis of) {
    using T = typename std::decay_t<decltype(values)>::Element;
    return make_array(
        elements(Extremum(), max(without_nan(values, infinite<T>(-HUGE_VAL)), of), all(elements(IsNan(), values), of)));
  });
}
struct IsNumber {
  template <class T> __device__ double operator()(const T& x) const { return places::is_nan(x) ? 0.0 : 1.0; }
};
struct Surplus {  // 0 if there are fewer elements than ddof, so that the variance is 0 / 0, NaN
  __device__ double operator()(double count, double ddof) const { return fmax(count - ddof, 0.0); }
};
struct SquareFrom {
  __device__ double operator()(double x, double from) const { return x == x ? (x - from) * (x - from) : 0; }
};
inline Array<double> nan_mean_of(const Array<double>& x, Axis of) {
  return make_array(elements(Quotient(), sum(without_nan(x, 0.0), of), sum(elements(IsNumber(), x), of)));
}
template <class X> auto nanmean(const X& x, Axes axis, bool keep) {
  return along(as<double>(x), axis, keep, nan_mean_of);
}
template <class X> auto nanvar(const X& x, Axes axis, bool keep, double ddof) {
  return along(as<double>(x), axis, keep, [ddof](const auto& all, Axis of) {
    const auto squares = make_array(elements(SquareFrom(), all, nan_mean_of(all, {of.number, true})));
    return make_array(
        elements(Quotient(), sum(squares, of), elements(Surplus(), sum(elements(IsNumber(), all), of), ddof)));
  });
}
template <class X> auto nanstd(const X& x, Axes axis, bool keep, double ddof) {
  return make_array(elements(Root(), nanvar(x, axis, keep, ddof)));
}
struct Finite {
  double nan, most;
  template <class T> __device__ T operator()(const T& x) const {
    if constexpr (std::is_integral_v<T>) return x;
    const double value = real(x);
    return static_cast<T>(value != value ? nan : value > most ? most : value < -most ? -most : value);
  }
};
template <class X> auto nan_to_num(const X& x, double nan) {
  using T = TypeOf<X>;
  const double most = sizeof(T) == 8                                         ? 1.7976931348623157e308
                      : sizeof(T) == 4                                       ? 3.4028234663852886e38
                      : static_cast<float>(static_cast<T>(257.0f)) == 257.0f ? 65504
                                                                             : 3.3895313892515355e38;  // bfloat16
  return make_array(elements(Finite{nan, most}, x));
}

// --- several results -------------------------------------------------------------------------------------------------

template <int count, class X> auto unique_results(const X& x, std::nullopt_t) {
  auto values = unique(flatten(x));
  if constexpr (count == 1) {
    return std::make_tuple(std::move(values));
  } else if constexpr (count == 2) {
    auto counts = counts_in(values, sort(flatten(x)));
    return std::make_tuple(std::move(values), std::move(counts));
  } else {
    const auto row = flatten(x);
    const auto order = argsort(row);
    const auto sorted = take(row, order, std::nullopt);
    auto counts = counts_in(values, sorted);
    auto first = take(order, searched(sorted, values, false), std::nullopt);
    if constexpr (count == 3) {
      return std::make_tuple(std::move(values), std::move(counts), std::move(first));
    } else {
      auto inverse = searched(values, x, false);
      return std::make_tuple(std::move(values), std::move(counts), std::move(first), std::move(inverse));
    }
  }
}
template <int count, class X> auto sort_results(const X& x, int axis) {
  return std::make_tuple(sort(x, axis), argsort(x, axis));
}
template <int count, class X>
auto histogram_results(const X& x, unsigned bins, std::optional<double> lo, std::optional<double> hi) {
  const double low = lo ? *lo : static_cast<double>(min(x)), high = hi ? *hi : static_cast<double>(max(x));
  return std::make_tuple(histogram(x, bins, low, high), edges_between<RealOf<TypeOf<X>>>(low, high, bins));
}

}  // namespace xcuda
