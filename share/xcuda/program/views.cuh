// --- Views: the same elements in another order or shape. Axes count from the end where they are negative -------------
#include <optional>

namespace xcuda {

using Axes = std::optional<int>;  // of all elements, where there is none

inline int axis_of(int axis, int rank) {
  if (axis < -rank || axis >= rank) check(cudaErrorInvalidValue, "an axis that the array does not have");
  return axis < 0 ? axis + rank : axis;
}

// What change() makes of an array or of a part of one; of an expression's elements, a new array.
template <class X, class Change> auto seen(const X& x, Change change) {
  if constexpr (requires { as_view(x); }) {
    auto view = as_view(x);
    change(view);
    return view;
  } else {
    const auto all = make_array(x);
    auto view = all.view();
    change(view);
    return make_array(view);
  }
}

template <class T> View<T> piece_of(View<T> x, int axis, size_t first, size_t count) {
  if (count > 0) x.data += static_cast<ptrdiff_t>(first) * x.stride[axis];
  x.shape.extent[axis] = count;
  return x;
}
template <class T> void turn_round(View<T>& x, int axis) {
  if (x.shape.extent[axis] > 0) x.data += static_cast<ptrdiff_t>(x.shape.extent[axis] - 1) * x.stride[axis];
  x.stride[axis] = -x.stride[axis];
}
template <class T> void exchange(View<T>& x, int a, int b) {
  std::swap(x.shape.extent[a], x.shape.extent[b]);
  std::swap(x.stride[a], x.stride[b]);
}
template <class T> void move_axis(View<T>& x, int from, int to) {
  for (; from < to; ++from) exchange(x, from, from + 1);
  for (; from > to; --from) exchange(x, from, from - 1);
}
template <class T> void insert_axis(View<T>& x, int axis) {
  x.shape.extent[x.shape.rank] = 1;
  x.stride[x.shape.rank] = 0;
  move_axis(x, x.shape.rank++, axis);
}
template <class T> void erase_axis(View<T>& x, int axis) {
  move_axis(x, axis, --x.shape.rank);
  x.shape.extent[x.shape.rank] = 0;
}
// Of the first two axes; the last of what is left.
template <class T> void take_diagonal(View<T>& x, long k) {
  const long row = std::max(-k, 0L), column = std::max(k, 0L);
  const long length =
      std::min(static_cast<long>(x.shape.extent[0]) - row, static_cast<long>(x.shape.extent[1]) - column);
  const ptrdiff_t stride = x.stride[0] + x.stride[1];
  if (length > 0) x.data += row * x.stride[0] + column * x.stride[1];
  erase_axis(x, 0);
  erase_axis(x, 0);
  x.shape.extent[x.shape.rank] = static_cast<size_t>(std::max(length, 0L));
  x.stride[x.shape.rank++] = stride;
}

template <class X> auto flatten(const X& x) {
  auto all = make_array(x);
  return std::move(all).in_shape(shape(all.count()));
}
template <class X> auto ravel(const X& x) { return flatten(x); }
template <class X> auto squeeze(const X& x, int axis) {
  return seen(x, [=](auto& view) { erase_axis(view, axis_of(axis, view.shape.rank)); });
}
template <class X> auto squeeze(const X& x, std::nullopt_t) {
  return seen(x, [](auto& view) {
    for (int d = view.shape.rank; d-- > 0;)
      if (view.shape.extent[d] == 1) erase_axis(view, d);
  });
}
template <class X> auto expand_dims(const X& x, int axis) {
  return seen(x, [=](auto& view) { insert_axis(view, axis_of(axis, view.shape.rank + 1)); });
}
template <class X> auto moveaxis(const X& x, int source, int destination) {
  return seen(
      x, [=](auto& view) { move_axis(view, axis_of(source, view.shape.rank), axis_of(destination, view.shape.rank)); });
}
template <class X> auto swapaxes(const X& x, int axis1, int axis2) {
  return seen(x, [=](auto& view) { exchange(view, axis_of(axis1, view.shape.rank), axis_of(axis2, view.shape.rank)); });
}
template <class X> auto permute_dims(const X& x, const Shape& axes) {
  return seen(x, [=](auto& view) {
    const auto from = view;
    for (int d = 0; d < axes.rank; ++d) {
      const int of = axis_of(static_cast<int>(axes.extent[d]), from.shape.rank);
      view.shape.extent[d] = from.shape.extent[of];
      view.stride[d] = from.stride[of];
    }
  });
}
template <class X> auto broadcast_to(const X& x, const Shape& to) {
  auto all = lazy(x);
  all.spread(to);
  return make_array(all);
}
template <class X> auto flip(const X& x, Axes axis) {
  return seen(x, [=](auto& view) {
    for (int d = 0; d < view.shape.rank; ++d)
      if (!axis || axis_of(*axis, view.shape.rank) == d) turn_round(view, d);
  });
}
template <class X> auto fliplr(const X& x) { return flip(x, 1); }
template <class X> auto flipud(const X& x) { return flip(x, 0); }
template <class X> auto rot90(const X& x, int k) {
  return seen(x, [=](auto& view) {
    for (int i = 0; i < (k % 4 + 4) % 4; ++i) {
      exchange(view, 0, 1);
      turn_round(view, 0);
    }
  });
}
template <class X> auto diagonal(const X& x, long k) {
  return seen(x, [=](auto& view) { take_diagonal(view, k); });
}

}  // namespace xcuda
