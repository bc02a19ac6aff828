#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "base/fp8.hpp"
#include "base/half.hpp"
#include "library/cpu/cpu_libraries.hpp"

namespace xcuda::library::cpu {
namespace {

template <class T> T* elements(const Operand& operand) { return reinterpret_cast<T*>(operand.address); }

// Calls f(start, row, distance from column to column, columns) for each row of a matrix or of each matrix of a batch.
template <class Function> void each_row(const Operand& operand, Function function) {
  const auto rank = operand.shape.size();
  std::vector<std::uint64_t> index(rank, 0);
  for (;;) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d + 1 < rank; ++d) at += static_cast<std::int64_t>(index[d]) * operand.strides[d];
    function(at);
    std::size_t d = rank - 1;
    while (d > 0 && ++index[d - 1] == operand.shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

// The elements row by row, without gaps.
template <class From, class To, class Convert> std::vector<To> packed(const Operand& operand, Convert convert) {
  std::vector<To> result;
  const auto columns = static_cast<std::int64_t>(operand.shape.back());
  const auto stride = operand.strides.back();
  const auto* const from = elements<const From>(operand);
  each_row(operand, [&](std::int64_t at) {
    for (std::int64_t j = 0; j < columns; ++j) result.push_back(convert(from[at + j * stride]));
  });
  return result;
}

Operand row_by_row(const Operand& like, Scalar type, const void* at) {
  Operand operand{reinterpret_cast<std::uint64_t>(at), type, like.shape, std::vector<std::int64_t>(like.shape.size())};
  std::int64_t stride = 1;
  for (auto d = like.shape.size(); d-- > 0;) {
    operand.strides[d] = stride;
    stride *= static_cast<std::int64_t>(like.shape[d]);
  }
  return operand;
}

// What follows the product: d = activation(d + bias).
template <class T> void finish(const Operand& result, const Operand& bias, Activation activation) {
  if (!bias.is_given() && activation == Activation::none) return;
  const auto columns = static_cast<std::int64_t>(result.shape.back());
  const auto stride = result.strides.back();
  auto* const to = elements<T>(result);
  const auto* const add = bias.is_given() ? elements<const T>(bias) : nullptr;
  each_row(result, [&](std::int64_t at) {
    for (std::int64_t j = 0; j < columns; ++j) {
      T value = to[at + j * stride];
      if (add != nullptr) value += add[j];
      if constexpr (std::is_floating_point_v<T>)
        if (activation == Activation::relu) value = value < 0 ? T{0} : value;  // NaN stays
      to[at + j * stride] = value;
    }
  });
}

template <class T> void copy_addend(const Operand& from, const Operand& to) {
  const auto columns = static_cast<std::int64_t>(to.shape.back());
  std::vector<std::int64_t> starts;
  each_row(from, [&](std::int64_t at) { starts.push_back(at); });
  std::size_t row = 0;
  each_row(to, [&](std::int64_t at) {
    const auto start = starts[row++];
    for (std::int64_t j = 0; j < columns; ++j)
      elements<T>(to)[at + j * to.strides.back()] = elements<const T>(from)[start + j * from.strides.back()];
  });
}

template <class T> void multiply_floats(const OpenBlas& blas, const Call& call) {
  const auto product = product_of(call);
  const auto& c = call.operands[kAddend];
  const auto& d = call.operands[kResult];
  if (product.has_addend && c.address != d.address) copy_addend<T>(c, d);
  for (const auto& start : product.starts)
    blas.multiply(product,
                  {elements<T>(d) + start[kResult], elements<const T>(call.operands[kLeft]) + start[kLeft],
                   elements<const T>(call.operands[kRight]) + start[kRight]},
                  call.scalars.data(), call.scalars.data() + 2);
  finish<T>(d, call.operands[kBias], call.activation);
}

// In float, rounded once at the end.
template <class Widen, class Narrow>
void multiply_halves(const OpenBlas& blas, const Call& call, Widen widen, Narrow narrow) {
  auto wide = call;
  std::vector<std::vector<float>> memory;
  for (const auto role : {kLeft, kRight, kAddend, kBias}) {
    const auto& from = call.operands[role];
    if (!from.is_given()) continue;
    memory.push_back(packed<std::uint16_t, float>(from, widen));
    wide.operands[role] = row_by_row(from, Scalar::float32, memory.back().data());
  }
  const auto& to = call.operands[kResult];
  std::uint64_t count = 1;
  for (const auto extent : to.shape) count *= extent;
  std::vector<float> result(count);
  wide.operands[kResult] = row_by_row(to, Scalar::float32, result.data());
  multiply_floats<float>(blas, wide);
  std::size_t next = 0;
  each_row(to, [&](std::int64_t at) {
    for (std::uint64_t j = 0; j < to.shape.back(); ++j)
      elements<std::uint16_t>(to)[at + static_cast<std::int64_t>(j) * to.strides.back()] = narrow(result[next++]);
  });
}

// As halves are, but into float.
void multiply_fp8(const OpenBlas& blas, const Call& call) {
  auto wide = call;
  std::array<std::vector<float>, 2> memory;
  const std::array<Fp8, 2> types{call.precision == Precision::e5m2_by_e4m3 ? Fp8::e5m2 : Fp8::e4m3,
                                 call.precision == Precision::e4m3_by_e5m2 ? Fp8::e5m2 : Fp8::e4m3};
  for (const auto role : {kLeft, kRight}) {
    const auto side = static_cast<std::size_t>(role - kLeft);
    std::array<float, 256> values{};
    for (std::size_t bits = 0; bits < values.size(); ++bits)
      values[bits] = fp8_to_float(types[side], static_cast<std::uint8_t>(bits));
    const auto& from = call.operands[role];
    memory[side] = packed<std::uint8_t, float>(from, [&](std::uint8_t bits) { return values[bits]; });
    wide.operands[role] = row_by_row(from, Scalar::float32, memory[side].data());
  }
  multiply_floats<float>(blas, wide);
}

// Rows of int8 by rows of int8, into int: one row of the result at a time, so that inner loops run over neighbours.
void multiply_bytes(const Call& call) {
  const auto& a = call.operands[kLeft];
  const auto& b = call.operands[kRight];
  const auto& d = call.operands[kResult];
  const auto widen = [](std::int8_t value) { return static_cast<int>(value); };
  const auto left = packed<std::int8_t, int>(a, widen), right = packed<std::int8_t, int>(b, widen);
  const auto rank = d.shape.size();
  const auto m = d.shape[rank - 2], n = d.shape[rank - 1], k = a.shape[rank - 1];
  std::vector<int> line(n);
  std::uint64_t row = 0;
  each_row(d, [&](std::int64_t at) {
    std::fill(line.begin(), line.end(), 0);
    const int* const factors = left.data() + row * k;
    const int* const matrix = right.data() + row / m * k * n;
    for (std::uint64_t i = 0; i < k; ++i)
      for (std::uint64_t j = 0; j < n; ++j) line[j] += factors[i] * matrix[i * n + j];
    for (std::uint64_t j = 0; j < n; ++j)
      elements<int>(d)[at + static_cast<std::int64_t>(j) * d.strides.back()] = line[j];
    ++row;
  });
}

}  // namespace

Report multiply(const OpenBlas& blas, const Call& call) {
  switch (call.operands.at(kLeft).type) {
    case Scalar::float32: multiply_floats<float>(blas, call); return {0, "", "float"};
    case Scalar::float64: multiply_floats<double>(blas, call); return {0, "", "double"};
    case Scalar::complex64: multiply_floats<std::complex<float>>(blas, call); return {0, "", "complex<float>"};
    case Scalar::complex128: multiply_floats<std::complex<double>>(blas, call); return {0, "", "complex<double>"};
    case Scalar::float16:
      multiply_halves(blas, call, half_to_float, float_to_half);
      return {0, "", "half, sums in float"};
    case Scalar::bfloat16:
      multiply_halves(blas, call, bfloat16_to_float, float_to_bfloat16);
      return {0, "", "bfloat16, sums in float"};
    case Scalar::int8: multiply_bytes(call); return {0, "", "int8, sums in int"};
    case Scalar::uint8: multiply_fp8(blas, call); return {0, "", "fp8, sums in float"};
    default: break;
  }
  throw Error(ErrorKind::unsupported,
              fmt::format("matmul: no library multiplies {}", type_of(call.operands[kLeft].type).name));
}

}  // namespace xcuda::library::cpu
