#include "arrays/array_node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell/operator_table.hpp"

namespace xcuda::arrays {

bool is_condition(const ArrayNode& node) {
  using Kind = ArrayNode::Kind;
  if (node.kind == Kind::array || node.kind == Kind::scalar) return node.array.type.scalar == Scalar::boolean;
  if (node.kind == Kind::unary) return node.unary == cell::UnaryOperator::logical_not;
  if (node.kind == Kind::cast) return node.text == "bool";
  if (node.kind != Kind::binary) return false;
  if (cell::is_comparison(node.binary) || cell::is_logical(node.binary)) return true;
  return cell::is_bitwise(node.binary) && is_condition(*node.inputs[0]) && is_condition(*node.inputs[1]);
}

std::uint64_t count_of(std::span<const std::uint64_t> shape) {
  std::uint64_t count = 1;
  for (const auto extent : shape) count *= extent;
  return count;
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text;
  for (const auto extent : shape) text += fmt::format("[{}]", extent);
  return text;
}

std::vector<std::int64_t> row_major(std::span<const std::uint64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (auto d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= static_cast<std::int64_t>(shape[d]);
  }
  return strides;
}

std::vector<std::int64_t> strides_of(const Pointer& pointer) {
  return pointer.strides.empty() ? row_major(pointer.shape) : pointer.strides;
}

bool is_contiguous(const Pointer& pointer) {
  if (pointer.strides.empty()) return true;
  const auto wanted = row_major(pointer.shape);
  for (std::size_t d = 0; d < wanted.size(); ++d)
    if (pointer.shape[d] > 1 && pointer.strides[d] != wanted[d]) return false;
  return true;
}

Pointer piece_along(Pointer x, std::size_t axis, std::uint64_t first, std::uint64_t count) {
  x.strides = strides_of(x);
  x.address += static_cast<std::uint64_t>(static_cast<std::int64_t>(first) * x.strides[axis] *
                                          static_cast<std::int64_t>(x.type.size));
  x.shape[axis] = count;
  x.whole = false;
  return x;
}

ByteRange bytes_of(const Pointer& pointer) {
  if (count_of(pointer.shape) == 0) return {pointer.address, pointer.address};
  const auto strides = strides_of(pointer);
  std::int64_t low = 0, high = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const auto reach = strides[d] * static_cast<std::int64_t>(pointer.shape[d] - 1);
    (reach < 0 ? low : high) += reach;
  }
  const auto size = static_cast<std::int64_t>(pointer.type.size);
  return {pointer.address + static_cast<device::Address>(low * size),
          pointer.address + static_cast<device::Address>((high + 1) * size)};
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

std::vector<std::int64_t> broadcast_strides(const Pointer& pointer, const Shape& shape) {
  const auto own = strides_of(pointer);
  std::vector<std::int64_t> strides(shape.size(), 0);
  const auto missing = shape.size() - own.size();
  for (std::size_t d = 0; d < own.size(); ++d)
    if (pointer.shape[d] > 1) strides[missing + d] = own[d];
  return strides;
}

}  // namespace xcuda::arrays
