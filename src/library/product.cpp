#include "library/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"

namespace xcuda::library {
namespace {

struct Lines {
  std::int64_t rows, columns, row_stride, column_stride;
};

Lines lines_of(const Operand& operand) {
  const auto rank = operand.shape.size();
  return {static_cast<std::int64_t>(operand.shape[rank - 2]), static_cast<std::int64_t>(operand.shape[rank - 1]),
          operand.strides[rank - 2], operand.strides[rank - 1]};
}

// Lines of `extent` elements at this stride, `count` of them, `leading` apart.
std::optional<std::int64_t> leading_of(std::int64_t count, std::int64_t leading, std::int64_t extent,
                                       std::int64_t stride) {
  if (extent > 1 && stride != 1) return std::nullopt;
  if (count == 1) return extent;
  return leading >= extent ? std::optional(leading) : std::nullopt;
}

std::optional<Layout> layout_in(const Operand& operand, Order order) {
  const auto [rows, columns, row_stride, column_stride] = lines_of(operand);
  const auto leading = order == Order::row ? leading_of(rows, row_stride, columns, column_stride)
                                           : leading_of(columns, column_stride, rows, row_stride);
  return leading ? std::optional(Layout{order, *leading}) : std::nullopt;
}

// A dimension of batches, with the strides of the operands by role.
struct BatchDimension {
  std::uint64_t extent = 1;
  std::array<std::int64_t, 4> strides{};
};

// Without extents of 1; neighbours that all operands can walk as one are one.
std::vector<BatchDimension> batches_of(const Call& call, std::size_t operands) {
  std::vector<BatchDimension> dimensions;
  const auto& shape = call.operands[kResult].shape;
  for (std::size_t d = 0; d + 2 < shape.size(); ++d) {
    BatchDimension dimension{shape[d], {}};
    for (std::size_t i = 0; i < operands; ++i)
      if (call.operands[i].is_given()) dimension.strides[i] = call.operands[i].strides[d];
    if (dimension.extent == 1) continue;
    if (!dimensions.empty()) {
      auto& outer = dimensions.back();
      bool one = true;
      for (std::size_t i = 0; i < operands; ++i)
        one = one && outer.strides[i] == dimension.strides[i] * static_cast<std::int64_t>(dimension.extent);
      if (one) {
        outer = {outer.extent * dimension.extent, dimension.strides};
        continue;
      }
    }
    dimensions.push_back(dimension);
  }
  return dimensions;
}

Error wrong(std::string what) { return Error(ErrorKind::value, "matmul: " + std::move(what)); }

void check_shapes(const Call& call) {
  if (call.operands.size() != 5 || call.scalars.size() != 4) throw wrong("it takes five operands and four scalars");
  const auto& result = call.operands[kResult];
  for (const auto& operand : call.operands)
    if (operand.shape.size() != operand.strides.size())
      throw wrong("an operand does not have as many strides as extents");
  const auto rank = result.shape.size();
  if (rank < 2) throw wrong("the result is not a matrix");
  const auto m = result.shape[rank - 2], n = result.shape[rank - 1];
  const auto& a = call.operands[kLeft];
  const auto& b = call.operands[kRight];
  const auto& c = call.operands[kAddend];
  const auto& bias = call.operands[kBias];
  const auto fits = [&](const Operand& one, std::uint64_t rows, std::uint64_t columns) {
    return one.shape.size() == rank && one.shape[rank - 2] == rows && one.shape[rank - 1] == columns &&
           std::equal(one.shape.begin(), one.shape.end() - 2, result.shape.begin());
  };
  if (a.shape.size() != rank || !fits(a, m, a.shape[rank - 1]) || !fits(b, a.shape[rank - 1], n) ||
      (c.is_given() && !fits(c, m, n)) || (bias.is_given() && bias.shape != std::vector<std::uint64_t>{n}))
    throw wrong("the shapes of the operands do not match");
  const auto extents = {m, n, a.shape[rank - 1]};
  if (std::any_of(extents.begin(), extents.end(), [](auto one) { return one == 0 || one > 0x7fff'ffff; }))
    throw wrong("an extent is 0, or 2^31 or more");
  if (bias.is_given() && n > 1 && bias.strides[0] != 1) throw wrong("the bias has gaps");
}

}  // namespace

std::optional<Layout> layout_of(const Operand& operand) {
  const auto layout = layout_in(operand, Order::row);
  return layout ? layout : layout_in(operand, Order::column);
}

bool can_be_either(const Operand& operand) {
  return layout_in(operand, Order::row) && layout_in(operand, Order::column);
}

Product product_of(const Call& call) {
  check_shapes(call);
  Product product;
  const auto& operands = call.operands;
  const auto& shape = operands[kResult].shape;
  const auto rank = shape.size();
  product.result_type = operands[kResult].type;
  product.type = operands[kLeft].type;
  product.m = shape[rank - 2];
  product.n = shape[rank - 1];
  product.k = operands[kLeft].shape[rank - 1];
  product.has_addend = operands[kAddend].is_given();
  product.has_bias = operands[kBias].is_given();
  for (const auto role : {kResult, kLeft, kRight}) {
    const auto layout = layout_of(operands[role]);
    if (!layout) throw wrong("an operand's rows are not in one piece each");
    product.layout[role] = *layout;
  }
  product.layout[kAddend] = product.layout[kResult];
  if (product.has_addend) {
    const auto order = product.layout[kResult].order;
    const auto addend = layout_in(operands[kAddend], order);
    if (!addend) throw wrong("c is not laid out in memory as the result is");
    product.layout[kAddend] = *addend;
  }

  auto dimensions = batches_of(call, 4);
  // Rows of many matrices by one matrix are rows of one matrix.
  const auto row_wise = [&](Role role) {
    const auto& layout = product.layout[role];
    return layout.order == Order::row &&
           dimensions.back().strides[role] == layout.leading * static_cast<std::int64_t>(product.m);
  };
  if (!dimensions.empty() && dimensions.back().strides[kRight] == 0 && row_wise(kResult) && row_wise(kLeft) &&
      (!product.has_addend || row_wise(kAddend)) && product.m * dimensions.back().extent <= 0x7fff'ffff) {
    product.m *= dimensions.back().extent;
    dimensions.pop_back();
  }
  if (!dimensions.empty()) {
    product.batch = dimensions.back().extent;
    product.distance = dimensions.back().strides;
    dimensions.pop_back();
  }
  product.starts.emplace_back();
  for (const auto& dimension : dimensions) {
    std::vector<std::array<std::int64_t, 4>> more;
    for (const auto& start : product.starts)
      for (std::uint64_t i = 0; i < dimension.extent; ++i) {
        auto at = start;
        for (std::size_t role = 0; role < at.size(); ++role)
          at[role] += static_cast<std::int64_t>(i) * dimension.strides[role];
        more.push_back(at);
      }
    product.starts = std::move(more);
  }
  return product;
}

double operations_of(const Product& product) {
  const double each = product.type == Scalar::complex64 || product.type == Scalar::complex128 ? 8 : 2;
  return each * static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k) *
         static_cast<double>(product.batch) * static_cast<double>(product.starts.size());
}

}  // namespace xcuda::library
