// Products of sparse matrices, row by row: each row's sum has the order of its elements, whatever the threads.
#include <algorithm>
#include <atomic>
#include <complex>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "library/cpu/cpu_libraries.hpp"
#include "library/sparse_product.hpp"

namespace xcuda::library::cpu {
namespace {

constexpr std::uint64_t kWorthAnotherThread = 100'000;  // multiplications
constexpr std::uint64_t kPiecesPerThread = 8;

template <class E> E* elements_of(const Operand& operand) { return reinterpret_cast<E*>(operand.address); }

template <class T> class SparseRows {
 public:
  SparseRows(const Call& call, const SparseProduct& product)
      : product_(product),
        result_(elements_of<T>(call.operands[kSparseResult])),
        values_(elements_of<const T>(call.operands[kSparseValues])),
        columns_(elements_of<const std::int32_t>(call.operands[kSparseColumns])),
        rows_(elements_of<const std::int32_t>(call.operands[kSparseRows])),
        dense_(elements_of<const T>(call.operands[kSparseDense])) {}

  // Kernels may have written the indices: whether these rows stay inside the matrix.
  bool multiply(std::uint64_t first, std::uint64_t last) const {
    for (auto i = first; i < last; ++i) {
      const auto begin = rows_[i], end = rows_[i + 1];
      if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > product_.stored) return false;
      for (auto at = begin; at < end; ++at)
        if (static_cast<std::uint64_t>(static_cast<std::int64_t>(columns_[at])) >= product_.n) return false;
      row(begin, end, result_ + static_cast<std::int64_t>(i) * product_.result_leading);
    }
    return true;
  }

 private:
  void row(std::int32_t begin, std::int32_t end, T* to) const {
    if (product_.k == 1) {
      T sum{};
      for (auto at = begin; at < end; ++at) sum += values_[at] * dense_[columns_[at] * product_.dense_leading];
      *to = sum;
      return;
    }
    std::fill_n(to, product_.k, T{});
    for (auto at = begin; at < end; ++at) {
      const auto value = values_[at];
      const auto* const from = dense_ + columns_[at] * product_.dense_leading;
      for (std::uint64_t j = 0; j < product_.k; ++j) to[j] += value * from[j];
    }
  }

  const SparseProduct& product_;
  T* result_;
  const T* values_;
  const std::int32_t* columns_;
  const std::int32_t* rows_;
  const T* dense_;
};

template <class T> void multiply_rows(const Call& call, const SparseProduct& product, int threads) {
  const SparseRows<T> rows(call, product);
  const auto work = product.stored * product.k;
  const auto workers =
      std::clamp<std::uint64_t>(work / kWorthAnotherThread, 1, static_cast<std::uint64_t>(std::max(threads, 1)));
  const auto pieces = std::min(product.m, workers == 1 ? 1 : workers * kPiecesPerThread);
  std::atomic<std::uint64_t> next = 0;
  std::atomic<bool> inside = true;
  const auto run = [&] {
    for (auto piece = next++; piece < pieces; piece = next++)
      if (!rows.multiply(product.m * piece / pieces, product.m * (piece + 1) / pieces)) inside = false;
  };
  std::vector<std::thread> others;
  for (std::uint64_t i = 1; i < workers; ++i) others.emplace_back(run);
  run();
  for (auto& other : others) other.join();
  if (!inside)
    throw Error(ErrorKind::value, "the indices of a sparse matrix point outside it")
        .advise("Its columns or rows were overwritten after it was made.");
}

}  // namespace

Report multiply_sparse(const Call& call, int threads) {
  const auto product = sparse_product_of(call);
  switch (product.type) {
    case Scalar::float32: multiply_rows<float>(call, product, threads); break;
    case Scalar::float64: multiply_rows<double>(call, product, threads); break;
    case Scalar::complex64: multiply_rows<std::complex<float>>(call, product, threads); break;
    default: multiply_rows<std::complex<double>>(call, product, threads);
  }
  return {0, "rows one after the other", type_of(product.type).name};
}

}  // namespace xcuda::library::cpu
