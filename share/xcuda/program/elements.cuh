// --- Expressions over whole arrays: elements(f, x, y) is f(x[i], y[i]) for every i, computed where it is wanted -----
#include <cuda/std/tuple>

namespace xcuda {

struct Place {  // of one element in the shape of an expression
  size_t linear;
  size_t index[kMostDimensions];
  bool flat;  // every input lies in the order of `linear`
};

// What an expression reads. at(place) is the value there.
template <class T> struct ArrayInput {
  using Value = T;
  const T* data;
  Shape shape;
  ptrdiff_t stride[kMostDimensions];
  explicit ArrayInput(const View<const T>& view) : data(view.data), shape(view.shape) {
    std::copy(view.stride, view.stride + kMostDimensions, stride);
  }
  // As NumPy does it: from the last extent on, what is missing or 1 is repeated.
  bool spread(const Shape& to) {
    bool linear = true;
    ptrdiff_t spread[kMostDimensions] = {}, next = 1;
    for (int d = to.rank, own = shape.rank; d-- > 0;) {
      const bool here = --own >= 0;
      if (here && shape.extent[own] != 1 && shape.extent[own] != to.extent[d])
        check(cudaErrorInvalidValue, "an expression over arrays whose shapes do not match");
      spread[d] = here && shape.extent[own] != 1 ? stride[own] : 0;
      linear = linear && (to.extent[d] == 1 || spread[d] == next);
      next *= static_cast<ptrdiff_t>(to.extent[d]);
    }
    std::copy(spread, spread + kMostDimensions, stride);
    shape = to;
    return linear;
  }
  __device__ T at(const Place& place) const {
    if (place.flat) return data[place.linear];
    ptrdiff_t offset = 0;
    for (int d = 0; d < shape.rank; ++d) offset += static_cast<ptrdiff_t>(place.index[d]) * stride[d];
    return data[offset];
  }
};
template <class T> struct ValueInput {  // a number of the host
  using Value = T;
  T value;
  Shape shape = {};
  bool spread(const Shape&) { return true; }
  __device__ T at(const Place&) const { return value; }
};
struct IndexInput {  // the element's own index
  using Value = size_t;
  int dimension;
  Shape shape = {};
  bool spread(const Shape& to) { return to.rank == 1; }
  __device__ size_t at(const Place& place) const { return place.flat ? place.linear : place.index[dimension]; }
};
struct PlaceInput {  // the element's own indices
  using Value = Place;
  Shape shape = {};
  bool spread(const Shape&) { return false; }
  __device__ Place at(const Place& place) const { return place; }
};
template <class T> struct PointerInput {  // the whole array, for functions that look at neighbours
  using Value = const T*;
  const T* data;
  size_t count;
  Shape shape = {};
  bool spread(const Shape&) { return true; }
  __device__ const T* at(const Place&) const { return data; }
};

template <class T> ArrayInput<T> input(const Array<T>& x) { return ArrayInput<T>(x.view().read()); }
template <class T> ArrayInput<std::remove_const_t<T>> input(const View<T>& x) {
  return ArrayInput<std::remove_const_t<T>>(x.read());
}
template <class T> PointerInput<T> input(const PointerInput<T>& x) { return x; }
inline IndexInput input(const IndexInput& x) { return x; }
inline PlaceInput input(const PlaceInput& x) { return x; }
template <class T> ValueInput<T> input(const T& x) { return {x}; }
template <class T> PointerInput<T> whole(const Array<T>& x) { return {x.data(), x.count()}; }

// Whether writing to `written` would change what other threads are still to read.
template <class T, class Written> bool disturbs(const ArrayInput<T>& read, const View<Written>& written) {
  const auto bytes = [](const auto& x) {  // first and after the last
    ptrdiff_t low = 0, high = 1;
    for (int d = 0; d < x.shape.rank; ++d)
      (x.stride[d] < 0 ? low : high) += static_cast<ptrdiff_t>(x.shape.extent[d] - 1) * x.stride[d];
    return std::pair(reinterpret_cast<const char*>(x.data + low), reinterpret_cast<const char*>(x.data + high));
  };
  const auto [read_first, read_last] = bytes(read);
  const auto [first, last] = bytes(written);
  if (read_first >= last || first >= read_last) return false;
  bool same = static_cast<const void*>(read.data) == written.data && sizeof(T) == sizeof(Written) &&
              read.shape == written.shape;
  for (int d = 0; same && d < read.shape.rank; ++d)
    same = read.shape.extent[d] == 1 || read.stride[d] == written.stride[d];
  return !same;
}
template <class T, class Written> bool disturbs(const PointerInput<T>& read, const View<Written>& written) {
  return reinterpret_cast<const char*>(read.data) < reinterpret_cast<const char*>(written.data + written.span()) &&
         reinterpret_cast<const char*>(written.data) < reinterpret_cast<const char*>(read.data + read.count);
}
template <class Input, class Written> bool disturbs(const Input&, const View<Written>&) { return false; }

template <class Function, class... Inputs> struct Elements {
  using Value = std::decay_t<decltype(std::declval<const Function&>()(std::declval<typename Inputs::Value>()...))>;
  Function function;
  Shape shape;
  cuda::std::tuple<Inputs...> inputs;
  bool flat = true;

  Elements(Function f, const Shape& least, Inputs... given) : function(f), shape(least), inputs(given...) {
    (widen(given.shape), ...);
    spread(shape);
  }
  void spread(const Shape& to) {
    shape = to;
    flat = cuda::std::apply([&](auto&... one) { return (true & ... & one.spread(to)); }, inputs);
  }
  template <class Written> bool disturbed_by(const View<Written>& written) const {
    return cuda::std::apply([&](const auto&... one) { return (disturbs(one, written) || ...); }, inputs);
  }
  __device__ Place place(size_t i) const {
    Place here{i, {}, flat};
    if (!flat)
      for (int d = shape.rank; d-- > 0; i /= shape.extent[d]) here.index[d] = i % shape.extent[d];
    return here;
  }
  __device__ Value operator[](size_t i) const {
    const Place here = place(i);
    return cuda::std::apply([&](const auto&... one) { return function(one.at(here)...); }, inputs);
  }

 private:
  void widen(const Shape& other) {
    Shape result = shape.rank > other.rank ? shape : other;
    for (int k = 1; k <= std::min(shape.rank, other.rank); ++k)
      result.extent[result.rank - k] = std::max(shape.extent[shape.rank - k], other.extent[other.rank - k]);
    shape = result;
  }
};
template <class Function, class... Inputs>
Elements<Function, Inputs...> make_elements(Function f, const Shape& least, Inputs... inputs) {
  return {f, least, inputs...};
}
template <class Function, class... Args> auto elements(Function f, const Args&... args) {
  return make_elements(f, {}, input(args)...);
}
// map<2>(shape, f, ...) is f(i, j, ...) for every i, j
template <int... dimension, class Function, class... Args>
auto map_over(std::integer_sequence<int, dimension...>, const Shape& shape, Function f, const Args&... args) {
  return make_elements(f, shape, IndexInput{dimension}..., input(args)...);
}
template <int rank, class Function, class... Args> auto map(const Shape& shape, Function f, const Args&... args) {
  return map_over(std::make_integer_sequence<int, rank>(), shape, f, args...);
}

template <class E> struct LazyInput {  // an expression in another one
  using Value = typename E::Value;
  E elements;
  Shape shape;
  explicit LazyInput(const E& expression) : elements(expression), shape(expression.shape) {}
  bool spread(const Shape& to) {
    elements.spread(to);
    return true;
  }
  __device__ Value at(const Place& place) const { return elements[place.linear]; }
};
template <class E, class Written> bool disturbs(const LazyInput<E>& read, const View<Written>& written) {
  return read.elements.disturbed_by(written);
}
template <class F, class... I> LazyInput<Elements<F, I...>> input(const Elements<F, I...>& x) {
  return LazyInput<Elements<F, I...>>(x);
}

struct Itself {
  template <class T> __device__ T operator()(T x) const { return x; }
};
template <class T> auto lazy(const Array<T>& x) { return elements(Itself(), x); }
template <class T> auto lazy(const View<T>& x) { return elements(Itself(), x); }
template <class F, class... I> const Elements<F, I...>& lazy(const Elements<F, I...>& x) { return x; }

template <class T, class E>
__global__ void __launch_bounds__(256) store_elements(View<T> to, E x, size_t n, bool packed) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  size_t offset = i;
  if (!packed) {
    offset = 0;
    size_t rest = i;
    for (int d = to.shape.rank; d-- > 0; rest /= to.shape.extent[d]) offset += rest % to.shape.extent[d] * to.stride[d];
  }
  to.data[offset] = static_cast<T>(x[i]);
}
template <class T, class E> void store(const View<T>& to, const E& x) {
  const size_t n = to.shape.count();
  if (n == 0) return;
  store_elements<<<static_cast<unsigned>((n + 255) / 256), 256>>>(to, x, n, to.contiguous());
  check_launch("storing an expression");
}

// As if the whole right side were computed first.
template <class T> template <class Right> const View<T>& View<T>::operator=(const Right& right) const {
  if constexpr (std::is_convertible_v<Right, T> && !requires { lazy(right); }) {
    store(*this, make_elements(Itself(), shape, ValueInput<T>{static_cast<T>(right)}));
  } else {
    auto x = lazy(right);
    x.spread(shape);
    if (x.disturbed_by(*this)) {
      const Array<T> first = [&] {
        Array<T> all(shape);
        store(all.view(), x);
        return all;
      }();
      store(*this, lazy(first));
    } else {
      store(*this, x);
    }
  }
  return *this;
}

// The same elements in another shape or order.
template <class Expression> auto make_array(const Expression& expression);
template <class T> View<T> as_view(const Array<T>& x) { return x.view(); }
template <class T> const View<T>& as_view(const View<T>& x) { return x; }
template <class X> Shape shape_of(const X& x) { return lazy(x).shape; }
// An extent of -1 is what the others leave.
inline Shape completed(Shape shape, size_t count) {
  constexpr size_t kRest = SIZE_MAX;
  const auto rest = std::find(shape.extent, shape.extent + shape.rank, kRest);
  if (rest == shape.extent + shape.rank) return shape;
  *rest = 1;
  *rest = shape.count() == 0 ? 0 : count / shape.count();
  return shape;
}
template <class X, class... Extents> auto reshaped(const X& x, Extents... extents) {
  if constexpr (requires { as_view(x); }) {
    auto view = as_view(x);
    const Shape wanted = completed(shape(extents...), view.shape.count());
    if (!view.contiguous() || wanted.count() != view.shape.count()) check(cudaErrorInvalidValue, "a reshape");
    return decltype(view)(view.data, wanted);
  } else {
    auto all = make_array(x);
    const Shape wanted = completed(shape(extents...), all.count());
    if (wanted.count() != all.count()) check(cudaErrorInvalidValue, "a reshape");
    return std::move(all).in_shape(wanted);
  }
}
template <class X> auto transposed(const X& x) {
  const auto from = as_view(x);
  auto view = from;
  for (int d = 0; d < from.shape.rank; ++d) {
    view.shape.extent[d] = from.shape.extent[from.shape.rank - 1 - d];
    view.stride[d] = from.stride[from.shape.rank - 1 - d];
  }
  return view;
}
template <class X> auto reversed(const X& x) {  // along the first dimension
  auto view = as_view(x);
  view.data += static_cast<ptrdiff_t>(view.shape.extent[0] - 1) * view.stride[0];
  view.stride[0] = -view.stride[0];
  return view;
}

// A new array of an expression's elements.
template <class Expression> auto make_array(const Expression& expression) {
  const auto& x = lazy(expression);
  using T = typename std::decay_t<decltype(x)>::Value;
  Array<T> result(x.shape);
  store(result.view(), x);
  return result;
}

// Each element `shift` places further, around the end: two pieces change places.
template <class T> void copy_pieces(const View<T>& to, const View<T>& from, int axis, long shift) {
  const long extent = static_cast<long>(from.shape.extent[axis]);
  const size_t by = static_cast<size_t>((shift % extent + extent) % extent), rest = from.shape.extent[axis] - by;
  const auto piece = [axis](View<T> whole, size_t first, size_t count) {
    whole.data += static_cast<ptrdiff_t>(first) * whole.stride[axis];
    whole.shape.extent[axis] = count;
    return whole;
  };
  piece(to, by, rest) = piece(from, 0, rest);
  if (by > 0) piece(to, 0, by) = piece(from, rest, by);
}
template <class Expression> auto roll(const Expression& expression, long shift, int axis) {
  const auto x = make_array(expression);
  auto result = like(x);
  copy_pieces(result.view(), x.view(), axis, shift);
  return result;
}
template <class Expression> auto roll(const Expression& expression, long shift) {  // of all elements in a row
  const auto x = make_array(expression);
  auto result = like(x);
  copy_pieces(reshaped(result, x.count()), reshaped(x, x.count()), 0, shift);
  return result;
}

}  // namespace xcuda
