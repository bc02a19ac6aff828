#include <algorithm>

#include "interpreter/composed/composition.hpp"

namespace xcuda::interpreter {
namespace {

Pointer seen(Pointer x) {
  x.strides = strides_of(x);
  x.whole = false;
  return x;
}

void advance_view(Pointer& x, std::int64_t elements) {
  x.address += static_cast<device::Address>(elements * static_cast<std::int64_t>(x.type.size));
}

auto at(auto& list, std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); }

}  // namespace

Pointer piece_of(Pointer x, std::size_t axis, std::uint64_t first, std::uint64_t count) {
  x = seen(std::move(x));
  if (count > 0) advance_view(x, static_cast<std::int64_t>(first) * x.strides[axis]);
  x.shape[axis] = count;
  return x;
}

Pointer flipped(Pointer x, std::size_t axis) {
  x = seen(std::move(x));
  if (x.shape[axis] > 0) advance_view(x, static_cast<std::int64_t>(x.shape[axis] - 1) * x.strides[axis]);
  x.strides[axis] = -x.strides[axis];
  return x;
}

Pointer permuted(const Pointer& x, std::span<const std::size_t> order) {
  auto result = seen(x);
  for (std::size_t d = 0; d < order.size(); ++d) {
    result.shape[d] = x.shape[order[d]];
    result.strides[d] = strides_of(x)[order[d]];
  }
  return result;
}

Pointer moved(const Pointer& x, std::size_t from, std::size_t to) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (d != from) order.push_back(d);
  order.insert(at(order, to), from);
  return permuted(x, order);
}

Pointer broadcast_to(const Pointer& x, const Shape& shape) {
  auto result = seen(x);
  result.strides = broadcast_strides(x, shape);
  if (result.shape != shape) result.read_only = true;  // an element is there several times
  result.shape = shape;
  return result;
}

Pointer with_axis(Pointer x, std::size_t axis) {
  x = seen(std::move(x));
  x.shape.insert(at(x.shape, axis), 1);
  x.strides.insert(at(x.strides, axis), 0);
  return x;
}

Pointer without_axis(Pointer x, std::size_t axis) {
  x = seen(std::move(x));
  x.shape.erase(at(x.shape, axis));
  x.strides.erase(at(x.strides, axis));
  return x;
}

Pointer along_axis(Pointer row, std::size_t axis, std::size_t rank) {
  for (auto axes = row.shape.size(); axes < rank - axis; ++axes) row = with_axis(std::move(row), axes);
  return row;
}

Pointer diagonal_of(const Pointer& x, std::int64_t offset) {
  auto result = seen(x);
  const auto rows = static_cast<std::int64_t>(x.shape[0]), columns = static_cast<std::int64_t>(x.shape[1]);
  const auto row = std::max<std::int64_t>(-offset, 0), column = std::max<std::int64_t>(offset, 0);
  const auto length = std::max<std::int64_t>(std::min(rows - row, columns - column), 0);
  if (length > 0) advance_view(result, row * result.strides[0] + column * result.strides[1]);
  result.shape.push_back(static_cast<std::uint64_t>(length));
  result.strides.push_back(result.strides[0] + result.strides[1]);
  result.shape.erase(result.shape.begin(), result.shape.begin() + 2);
  result.strides.erase(result.strides.begin(), result.strides.begin() + 2);
  return result;
}

}  // namespace xcuda::interpreter
