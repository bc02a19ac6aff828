// --- Series: running values, differences, integrals, searches in sorted arrays, products -----------------------------

namespace xcuda {

template <class X> using TypeOf = typename std::decay_t<decltype(lazy(std::declval<const X&>()))>::Value;
template <class T> using RealOf = std::conditional_t<std::is_integral_v<T>, double, T>;

// f(a, b, ...) of device code as an object: its type is that of the call.
#define XCUDA_FUNCTOR(name, call)                                                                   \
  struct name {                                                                                     \
    template <class... A> __device__ auto operator()(const A&... a) const -> decltype(call(a...)) { \
      return call(a...);                                                                            \
    }                                                                                               \
  };
XCUDA_FUNCTOR(SearchOf, places::search)
XCUDA_FUNCTOR(InterpolatedOf, places::interpolated)
XCUDA_FUNCTOR(ConvolvedOf, places::convolved)
XCUDA_FUNCTOR(ClampOf, math::clamp)
XCUDA_FUNCTOR(CloseTermOf, close_term)
XCUDA_FUNCTOR(EqualOf, equal)
XCUDA_FUNCTOR(MinusOf, minus)
XCUDA_FUNCTOR(PlusOf, plus)
XCUDA_FUNCTOR(TimesOf, times)
#undef XCUDA_FUNCTOR
template <class T> struct As {
  template <class A> __device__ T operator()(const A& a) const { return static_cast<T>(wide(a)); }
};
template <class T, class X> auto as(const X& x) { return make_array(elements(As<T>(), x)); }

template <class X> auto cumsum(const X& x, Axes axis) {
  if (axis) return scan_along(x, axis_of(*axis, shape_of(x).rank));
  return scan_along(flatten(x), 0);
}
template <class T> auto neighbours(const Array<T>& x, int axis) {  // x[1:] - x[:-1] along an axis
  const size_t n = x.shape().extent[axis], left = n > 0 ? n - 1 : 0;
  return make_array(
      elements(MinusOf(), piece_of(x.view(), axis, n > 0 ? 1 : 0, left), piece_of(x.view(), axis, 0, left)));
}
template <class T> Array<T> differences(const Array<T>& x, int n, int axis) {
  return n == 0 ? x : differences(neighbours(x, axis), n - 1, axis);
}
template <class X> auto diff(const X& x, int n, int axis) {
  const auto all = make_array(x);
  axis = axis_of(axis, all.shape().rank);
  using T = typename decltype(neighbours(all, axis))::Element;
  return differences(as<T>(all), n, axis);
}
struct Slope {
  double over;
  template <class T> __device__ T operator()(const T& high, const T& low) const {
    return static_cast<T>((wide(high) - wide(low)) / static_cast<typename WideType<T>::type>(over));
  }
};
template <class T> Array<T> gradient_along(const Array<T>& x, int axis, double dx) {
  Array<T> result(x.shape());
  const size_t n = x.shape().extent[axis];
  if (n < 2) check(cudaErrorInvalidValue, "a gradient of less than two elements");
  const auto put = [&](size_t to, size_t count, size_t high, size_t low, double over) {
    piece_of(result.view(), axis, to, count) =
        elements(Slope{over}, piece_of(x.view(), axis, high, count), piece_of(x.view(), axis, low, count));
  };
  put(1, n - 2, 2, 0, 2 * dx);
  put(0, 1, 1, 0, dx);
  put(n - 1, 1, n - 1, n - 2, dx);
  return result;
}
template <int count, class X> auto gradient(const X& x, double dx, Axes axis) {
  const auto all = as<RealOf<TypeOf<X>>>(x);
  return [&]<int... d>(std::integer_sequence<int, d...>) {
    return std::make_tuple(gradient_along(all, axis ? axis_of(*axis, all.shape().rank) : d, dx)...);
  }
  (std::make_integer_sequence<int, count>());
}
struct Trapezium {
  double half;
  template <class T> __device__ T operator()(const T& a, const T& b) const {
    return static_cast<T>((wide(a) + wide(b)) * static_cast<typename WideType<T>::type>(half));
  }
};
template <class X> auto trapezoid(const X& x, double dx, int axis) {
  const auto all = as<RealOf<TypeOf<X>>>(x);
  axis = axis_of(axis, all.shape().rank);
  const size_t n = all.shape().extent[axis], left = n > 0 ? n - 1 : 0;
  return sum(
      elements(Trapezium{dx / 2}, piece_of(all.view(), axis, n > 0 ? 1 : 0, left), piece_of(all.view(), axis, 0, left)),
      Axis{axis});
}

// --- searches --------------------------------------------------------------------------------------------------------

template <class X, class XP, class FP> Array<double> interp(const X& x, const XP& xp, const FP& fp) {
  const auto at = as<double>(xp), values = as<double>(fp);
  return make_array(elements(InterpolatedOf(), x, whole(at), whole(values), static_cast<unsigned long>(at.count())));
}
template <class X, class V> Array<unsigned long> searched(const X& sorted, const V& values, bool after_equal) {
  const auto row = make_array(sorted);
  return make_array(elements(SearchOf(), whole(row), static_cast<unsigned long>(row.count()), values, after_equal));
}
template <class X, class V> auto searchsorted(const X& sorted, const V& values, std::string_view side) {
  return searched(sorted, values, side == "right");
}
struct Which {  // the first element that ends after i
  __device__ unsigned long operator()(size_t i, const unsigned long* ends, unsigned long n) const {
    return places::search(ends, n, static_cast<unsigned long>(i), true);
  }
};
template <class X, class N>
requires requires(const N& n) { lazy(n); }
auto repeat(const X& x, const N& counts, Axes axis) {
  const auto ends = cumsum(as<unsigned long>(counts), std::nullopt);
  const size_t n = ends.count();
  const Shape all = shape(n == 0 ? 0 : ends.part(n - 1).get());
  return take(x, make_array(map<1>(all, Which(), whole(ends), static_cast<unsigned long>(n))), axis);
}
struct Less {
  unsigned long from;
  __device__ unsigned long operator()(unsigned long x) const { return from - x; }
};
template <class X, class B> auto digitize(const X& x, const B& bins, bool right) {  // edges may fall
  const auto edges = flatten(bins);
  const size_t n = edges.count();
  if (n < 2 || !(edges.part(n - 1).get() < edges.part(0).get())) return searched(edges, x, !right);
  return make_array(elements(Less{n}, searched(flip(edges, std::nullopt), x, !right)));
}

// --- elements --------------------------------------------------------------------------------------------------------

template <class X, class L, class H> auto clip(const X& x, const L& lo, const H& hi) {
  return make_array(elements(ClampOf(), x, lo, hi));
}
template <class A, class B> auto isclose(const A& a, const B& b, double rtol, double atol) {
  return make_array(elements(CloseTermOf(), a, b, rtol, atol));
}
template <class A, class B> bool array_equal(const A& a, const B& b) {
  return shape_of(a) == shape_of(b) && all(elements(EqualOf(), a, b));
}

// --- products --------------------------------------------------------------------------------------------------------

template <class X, class Y> auto cross(const X& x, const Y& y) {
  const auto a = make_array(x);
  const auto b = make_array(y);
  const auto part = [](const auto& v, size_t i) { return piece_of(v.view(), v.shape().rank - 1, i, 1); };
  const auto one = [&](size_t i) {
    const size_t j = (i + 1) % 3, k = (i + 2) % 3;
    return make_array(elements(MinusOf(), make_array(elements(TimesOf(), part(a, j), part(b, k))),
                               make_array(elements(TimesOf(), part(a, k), part(b, j)))));
  };
  return concatenate(list(one(0), one(1), one(2)), -1);
}
template <class A, class B> auto outer(const A& a, const B& b) {
  const auto column = flatten(a);
  return make_array(elements(TimesOf(), reshaped(column, column.count(), 1), flatten(b)));
}
template <class A, class B> auto kron(const A& a, const B& b) {
  const auto x = make_array(a);
  const auto y = make_array(b);
  auto u = x.view();
  auto v = y.view();
  while (u.shape.rank < v.shape.rank) insert_axis(u, 0);
  while (v.shape.rank < u.shape.rank) insert_axis(v, 0);
  Shape whole = u.shape;
  for (int d = 0; d < whole.rank; ++d) {
    whole.extent[d] *= v.shape.extent[2 * d];
    insert_axis(u, 2 * d + 1);
    insert_axis(v, 2 * d);
  }
  return make_array(elements(TimesOf(), u, v)).in_shape(whole);
}
template <class X> auto trace(const X& x, long k) {
  const auto all = make_array(x);
  const auto line = diagonal(all, k);
  return sum(line, Axis{line.shape.rank - 1});
}
template <class X, class Y> auto convolve(const X& x, const Y& y, std::string_view mode) {
  using T = std::common_type_t<RealOf<TypeOf<X>>, RealOf<TypeOf<Y>>>;
  constexpr bool integers = std::is_integral_v<TypeOf<X>> && std::is_integral_v<TypeOf<Y>>;
  using S = std::conditional_t<integers, long, double>;
  const auto rows = [&](const auto& a, const auto& b) {  // the longer one first
    const unsigned long n = a.count(), m = b.count();
    const unsigned long first = mode == "full" ? 0 : mode == "same" ? (m - 1) / 2 : m - 1;
    const Shape shape = xcuda::shape(mode == "full" ? n + m - 1 : mode == "same" ? n : n - m + 1);
    const auto at = make_elements(PlusOf(), shape, IndexInput{0}, ValueInput<unsigned long>{first});
    return as<std::conditional_t<integers, long, T>>(
        elements(ConvolvedOf(), make_array(at), whole(a), n, whole(b), m, S(0)));
  };
  const auto a = flatten(x);
  const auto b = flatten(y);
  return a.count() < b.count() ? rows(b, a) : rows(a, b);
}

}  // namespace xcuda
