// --- Arrays that are put together from others, and new ones ----------------------------------------------------------
#include <concepts>
#include <string_view>
#include <tuple>

namespace xcuda {

template <class... X> auto list(const X&... x) { return std::make_tuple(lazy(x)...); }

template <class T> Array<T> filled(const Shape& shape, T value) {
  Array<T> result(shape);
  result.view() = value;
  return result;
}
template <class... X> auto concatenate(const std::tuple<X...>& list, int axis) {
  Shape shape = std::get<0>(list).shape;
  axis = axis_of(axis, shape.rank);
  shape.extent[axis] = 0;
  std::apply([&](const auto&... x) { ((shape.extent[axis] += x.shape.extent[axis]), ...); }, list);
  Array<std::common_type_t<typename X::Value...>> result(shape);
  size_t at = 0;
  const auto put = [&](const auto& x) {
    piece_of(result.view(), axis, at, x.shape.extent[axis]) = x;
    at += x.shape.extent[axis];
  };
  std::apply([&](const auto&... x) { (put(x), ...); }, list);
  return result;
}
template <class... X> auto stack(const std::tuple<X...>& list, int axis) {
  Shape shape = std::get<0>(list).shape;
  axis = axis_of(axis, shape.rank + 1);
  for (int d = shape.rank++; d > axis; --d) shape.extent[d] = shape.extent[d - 1];
  shape.extent[axis] = sizeof...(X);
  Array<std::common_type_t<typename X::Value...>> result(shape);
  size_t at = 0;
  const auto put = [&](const auto& x) {
    auto place = piece_of(result.view(), axis, at++, 1);
    erase_axis(place, axis);
    place = x;
  };
  std::apply([&](const auto&... x) { (put(x), ...); }, list);
  return result;
}
template <class... X> auto hstack(const std::tuple<X...>& list) {
  return concatenate(list, std::get<0>(list).shape.rank == 1 ? 0 : 1);
}
template <class... X> auto vstack(const std::tuple<X...>& list) {
  return std::get<0>(list).shape.rank == 1 ? stack(list, 0) : concatenate(list, 0);
}
template <class X> auto in_a_row(const X& x) {
  if constexpr (requires { lazy(x); })
    return flatten(x);
  else
    return filled(shape(1), x);
}
template <class X, class Values> auto append(const X& x, const Values& values, Axes axis) {
  if constexpr (requires { lazy(values); })
    if (axis) return concatenate(list(x, values), *axis);
  return concatenate(list(in_a_row(x), in_a_row(values)), 0);
}
// As many pieces as there are names for them, or all along a new first axis.
template <int count, class X> auto split(const X& x, long n, int axis) {
  auto all = make_array(x);
  axis = axis_of(axis, all.shape().rank);
  const size_t length = all.shape().extent[axis] / static_cast<size_t>(n);
  if (length * static_cast<size_t>(n) != all.shape().extent[axis]) check(cudaErrorInvalidValue, "unequal pieces");
  if constexpr (count == 1) {
    Shape shape = all.shape();
    for (int d = shape.rank++; d > 0; --d) shape.extent[d] = shape.extent[d - 1];
    shape.extent[0] = static_cast<size_t>(n);
    shape.extent[axis + 1] = length;
    decltype(all) result(shape);
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) result.part(i) = piece_of(all.view(), axis, i * length, length);
    return std::make_tuple(std::move(result));
  } else {
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return std::make_tuple(make_array(piece_of(all.view(), axis, i * length, length))...);
    }
    (std::make_index_sequence<count>());
  }
}

// Before the elements at these places.
template <int count, class X, class P> auto split(const X& x, std::initializer_list<P> places, int axis) {
  const auto all = make_array(x);
  axis = axis_of(axis, all.shape().rank);
  const auto end = [&](size_t i) {
    return i < places.size() ? static_cast<size_t>(places.begin()[i]) : all.shape().extent[axis];
  };
  return [&]<size_t... i>(std::index_sequence<i...>) {
    return std::make_tuple(
        make_array(piece_of(all.view(), axis, i == 0 ? 0 : end(i - 1), end(i) - (i == 0 ? 0 : end(i - 1))))...);
  }
  (std::make_index_sequence<count>());
}

// --- each element is found in x by a rule for its indices ------------------------------------------------------------

template <class T, class Rule> struct Found {
  View<const T> x;
  Shape shape;
  Rule rule;
  __device__ T operator()(size_t i) const {
    ptrdiff_t offset = 0;
    for (int d = shape.rank; d-- > 0; i /= shape.extent[d])
      offset += static_cast<ptrdiff_t>(rule(d, i % shape.extent[d])) * x.stride[d];
    return x.data[offset];
  }
};
template <class T, class Rule> Array<T> found(const View<T>& x, const Shape& shape, Rule rule) {
  Array<T> result(shape);
  const Shape row = xcuda::shape(shape.count());
  View<T>(result.data(), row) = map<1>(row, Found<T, Rule>{x.read(), shape, rule});
  return result;
}
struct Around {
  Shape shape;
  __device__ size_t operator()(int d, size_t i) const { return i % shape.extent[d]; }
};
template <class X> auto tile(const X& x, const Shape& counts) {
  const auto all = make_array(x);
  auto view = all.view();
  while (view.shape.rank < counts.rank) insert_axis(view, 0);
  Shape shape = view.shape;
  for (int d = 0; d < counts.rank; ++d) shape.extent[shape.rank - counts.rank + d] *= counts.extent[d];
  return found(view, shape, Around{view.shape});
}
struct Slowly {
  int axis;
  size_t n;
  __device__ size_t operator()(int d, size_t i) const { return d == axis ? i / n : i; }
};
template <class X> auto repeat(const X& x, size_t n, Axes axis) {
  const auto all = axis ? make_array(x) : flatten(x);
  const int along = axis ? axis_of(*axis, all.shape().rank) : 0;
  Shape shape = all.shape();
  shape.extent[along] *= n;
  return found(all.view(), shape, Slowly{along, n});
}
enum class Edge { edge, reflect, symmetric, wrap };
struct Beyond {
  Edge edge;
  long before[kMostDimensions];
  Shape shape;
  __device__ size_t operator()(int d, size_t place) const {
    const long n = static_cast<long>(shape.extent[d]), i = static_cast<long>(place) - before[d];
    if (edge == Edge::wrap) return static_cast<size_t>((i % n + n) % n);
    if (edge == Edge::edge) return static_cast<size_t>(i < 0 ? 0 : i < n ? i : n - 1);
    const long once = edge == Edge::reflect ? 1 : 0;  // whether the elements at the ends are not repeated
    const long period = n > 1 ? 2 * (n - once) : 1, at = (i % period + period) % period;
    return static_cast<size_t>(at < n ? at : period - 1 + once - at);
  }
};
struct Widths {
  size_t before, after;
  template <class A, class B>
  Widths(A before, B after) : before(static_cast<size_t>(before)), after(static_cast<size_t>(after)) {}
};
template <class X, class V>
auto pad(const X& x, std::initializer_list<Widths> widths, V value, std::string_view mode) {  // of each axis
  const auto all = make_array(x);
  using T = typename std::decay_t<decltype(all)>::Element;
  Shape shape = all.shape();
  const Edge edge = mode == "edge"        ? Edge::edge
                    : mode == "wrap"      ? Edge::wrap
                    : mode == "symmetric" ? Edge::symmetric
                                          : Edge::reflect;
  Beyond beyond{edge, {}, all.shape()};
  for (int d = 0; d < shape.rank; ++d) {
    const Widths& of = widths.begin()[widths.size() == 1 ? 0 : d];
    beyond.before[d] = static_cast<long>(of.before);
    shape.extent[d] += of.before + of.after;
  }
  if (mode != "constant") return found(all.view(), shape, beyond);
  auto result = filled(shape, static_cast<T>(value));
  auto inner = result.view();
  for (int d = 0; d < shape.rank; ++d) {
    inner.data += beyond.before[d] * inner.stride[d];
    inner.shape.extent[d] = all.shape().extent[d];
  }
  inner = all;
  return result;
}
template <class X, class V> auto pad(const X& x, Widths both, V value, std::string_view mode) {
  return pad(x, std::initializer_list<Widths>{both}, value, mode);
}
template <class X, std::integral N, class V> auto pad(const X& x, N width, V value, std::string_view mode) {
  return pad(x, Widths(width, width), value, mode);
}
template <class Index> struct By {
  const Index* index;
  int axis;
  __device__ size_t operator()(int d, size_t i) const { return d == axis ? static_cast<size_t>(index[i]) : i; }
};
template <class X, class I> auto take(const X& x, const I& indices, Axes axis) {
  const auto all = axis ? make_array(x) : flatten(x);
  const auto index = make_array(indices);
  const int along = axis ? axis_of(*axis, all.shape().rank) : 0;
  Shape row = all.shape(), shape;  // its indices in a row, and in their shape
  row.extent[along] = index.count();
  for (int d = 0; d < row.rank; ++d) {
    if (d != along) shape.extent[shape.rank++] = row.extent[d];
    for (int k = 0; d == along && k < index.shape().rank; ++k) shape.extent[shape.rank++] = index.shape().extent[k];
  }
  using Index = typename std::decay_t<decltype(index)>::Element;
  return found(all.view(), row, By<Index>{index.data(), along}).in_shape(shape);
}
struct InLine {  // the element of x in the same line, at an index of its own
  int axis, rank;
  size_t stride[kMostDimensions];
  template <class I, class T> __device__ T operator()(const I& index, const Place& place, const T* x) const {
    size_t at = 0;
    for (int d = 0; d < rank; ++d) at += stride[d] * (d == axis ? static_cast<size_t>(index) : place.index[d]);
    return x[at];
  }
};
template <class X, class I> auto take_along_axis(const X& x, const I& indices, int axis) {
  const auto all = make_array(x);
  const auto index = make_array(indices);
  Shape lines = all.shape();
  InLine in{axis_of(axis, lines.rank), lines.rank, {}};
  size_t next = 1;
  for (int d = lines.rank; d-- > 0; next *= all.shape().extent[d]) in.stride[d] = lines.extent[d] == 1 ? 0 : next;
  lines.extent[in.axis] = index.shape().extent[in.axis];
  return make_array(make_elements(in, lines, input(index), PlaceInput(), whole(all)));
}
template <class X> auto copy(const X& x) { return make_array(x); }

// --- triangles and diagonals -----------------------------------------------------------------------------------------

template <class X> auto diag(const X& x, long k) {
  const auto all = make_array(x);
  if (all.shape().rank > 1) return make_array(diagonal(all, k));
  const size_t n = all.count() + static_cast<size_t>(k < 0 ? -k : k);
  std::decay_t<decltype(all)> result(n, n);
  auto view = result.view();
  take_diagonal(view, k);
  view = all;
  return result;
}
struct Triangle {
  long k;
  bool upper;
  template <class T> __device__ T operator()(const T& x, size_t row, size_t column) const {
    const long at = static_cast<long>(column) - static_cast<long>(row);
    return (upper ? at >= k : at <= k) ? x : T();
  }
};
template <class X> auto triangle(const X& x, Triangle of) {
  const auto all = make_array(x);
  const int rank = all.shape().rank;
  return make_array(elements(of, all, IndexInput{rank - 2}, IndexInput{rank - 1}));
}
template <class X> auto tril(const X& x, long k) { return triangle(x, {k, false}); }
template <class X> auto triu(const X& x, long k) { return triangle(x, {k, true}); }
// The coordinates along an axis, repeated along the others.
template <class X> auto along_axis(const X& x, int axis, const Shape& all) {
  Shape shape = all;
  for (int d = 0; d < all.rank; ++d)
    if (d != axis) shape.extent[d] = 1;
  return broadcast_to(make_array(x).in_shape(shape), all);
}
template <int count, class... X> auto meshgrid(const X&... x) {
  const auto given = std::tie(x...);
  const size_t extents[] = {flatten(x).count()...};
  Shape all;
  all.rank = sizeof...(X);
  const auto axis_of = [](int i) { return i < 2 ? 1 - i : i; };
  for (int i = 0; i < all.rank; ++i) all.extent[axis_of(i)] = extents[i];
  return [&]<size_t... i>(std::index_sequence<i...>) {
    return std::make_tuple(along_axis(std::get<i>(given), axis_of(i), all)...);
  }
  (std::make_index_sequence<count>());
}

// --- new arrays ------------------------------------------------------------------------------------------------------

template <class T> Array<T> zeros(const Shape& shape) { return Array<T>(shape); }
template <class T> Array<T> ones(const Shape& shape) { return filled(shape, static_cast<T>(1)); }
template <class T, class V> Array<T> full(const Shape& shape, V value) { return filled(shape, static_cast<T>(value)); }
template <class X, class V> auto full_like(const X& x, V value) {
  const auto& like = lazy(x);
  return filled(like.shape, static_cast<typename std::decay_t<decltype(like)>::Value>(value));
}
template <class X> auto zeros_like(const X& x) { return full_like(x, 0); }
template <class X> auto ones_like(const X& x) { return full_like(x, 1); }
template <class T> Array<T> eye(size_t n, std::optional<size_t> m, long k) {
  Array<T> result(n, m.value_or(n));
  auto view = result.view();
  take_diagonal(view, k);
  if (view.shape.count() > 0) view = static_cast<T>(1);
  return result;
}
template <class T> Array<T> identity(size_t n) { return eye<T>(n, n, 0); }
template <class T> Array<T> tri(size_t n, std::optional<size_t> m, long k) {
  return tril(ones<T>(shape(n, m.value_or(n))), k);
}
template <class T> Array<T> arange_of(double start, std::optional<double> stop, double step) {
  if (!stop) stop = std::exchange(start, 0);
  Array<T> result(static_cast<size_t>(std::max(std::ceil((*stop - start) / step), 0.0)));
  arange(result, start, step);
  return result;
}
template <class T> Array<T> linspace_of(double start, double stop, size_t num) {
  Array<T> result(num);
  linspace(result, start, stop);
  return result;
}
struct Power {
  __device__ double operator()(double base, double exponent) const { return ::pow(base, exponent); }
};
template <class T> Array<T> logspace(double start, double stop, size_t num, double base) {
  return make_array(elements(Power(), base, linspace_of<double>(start, stop, num)));
}
struct Scaled {
  __device__ double operator()(double x, double by) const { return x * by; }
};
template <class T> Array<T> geomspace(double start, double stop, size_t num) {
  auto result = make_array(elements(Scaled(), logspace<double>(0, 1, num, stop / start), start));
  if (num > 1) result.part(num - 1).set(stop);
  return result;
}

}  // namespace xcuda
