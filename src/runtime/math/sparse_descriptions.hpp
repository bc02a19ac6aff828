// What descriptions of cuSPARSE hold, for computing with them.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/math/handle_table.hpp"
#include "runtime/math/sparse_calls.hpp"

namespace xcuda::runtime::math {

// Matrices that follow each other in memory, so many elements from one to the next.
struct Batches {
  int count = 1;
  std::int64_t stride = 0;

  std::int64_t at(int i) const { return count == 1 ? 0 : i * stride; }
  std::int64_t last() const { return at(count - 1); }
  bool fit(const Batches& result) const { return count == 1 || count == result.count; }
};
struct SparseMatrix {
  std::int64_t rows = 0, columns = 0, stored = 0;
  const void *row_starts = nullptr, *places = nullptr;  // COO: the row of each element in place of the starts
  void* values = nullptr;
  bool is_coo = false;
  std::size_t start_bytes = 4, place_bytes = 4;
  std::int64_t base = 0;
  DataType type = DataType::float32;
  Half half = Half::lower;
  Diagonal diagonal = Diagonal::any;
  Batches batches{};              // of columns and values
  std::int64_t start_stride = 0;  // from the rows of one to those of the next

  std::int64_t starts() const { return is_coo ? stored : rows + 1; }
};
struct SparseVector {
  std::int64_t size = 0, stored = 0;
  const void* places = nullptr;
  void* values = nullptr;
  std::size_t place_bytes = 4;
  std::int64_t base = 0;
  DataType type = DataType::float32;
};
struct DenseVector {
  std::int64_t size = 0;
  void* values = nullptr;
  DataType type = DataType::float32;
};
struct DenseMatrix {
  std::int64_t rows = 0, columns = 0, leading = 0;
  void* values = nullptr;
  DataType type = DataType::float32;
  bool by_rows = false;
  Batches batches{};
};
struct Sparse {
  cudaStream_t stream = nullptr;
  PointerMode pointers = PointerMode::host;
};
struct Description {
  int type = 0, base = 0, half = 0, diagonal = 0;
};

inline Sparse* find_sparse(const void* handle) { return table_of<Sparse>().find(handle); }
inline std::int64_t index_at(const void* from, std::size_t bytes, std::int64_t i) {
  return bytes == 4 ? static_cast<const std::int32_t*>(from)[i] : static_cast<const std::int64_t*>(from)[i];
}
// Row, column and place of each element.
template <class Function> void each_element(const SparseMatrix& a, Function function) {
  if (a.is_coo) {
    for (std::int64_t k = 0; k < a.stored; ++k)
      function(index_at(a.row_starts, a.start_bytes, k) - a.base, index_at(a.places, a.place_bytes, k) - a.base, k);
    return;
  }
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const auto end = index_at(a.row_starts, a.start_bytes, i + 1) - a.base;
    for (auto k = index_at(a.row_starts, a.start_bytes, i) - a.base; k < end; ++k)
      function(i, index_at(a.places, a.place_bytes, k) - a.base, k);
  }
}

inline void set_index(const void* at, std::size_t bytes, std::int64_t i, std::int64_t value) {
  if (bytes == 4)
    static_cast<std::int32_t*>(const_cast<void*>(at))[i] = static_cast<std::int32_t>(value);
  else
    static_cast<std::int64_t*>(const_cast<void*>(at))[i] = value;
}
template <class Function> void as_number(DataType type, Function function) {
  switch (type) {
    case DataType::float32: function(float{}); break;
    case DataType::float64: function(double{}); break;
    case DataType::complex64: function(std::complex<float>{}); break;
    default: function(std::complex<double>{}); break;
  }
}
template <class T> T of_op(Op op, T value) {
  if constexpr (kIsComplex<T>)
    if (op == Op::adjoint) return std::conj(value);
  return value;
}

inline void* moved(const void* from, std::int64_t elements, std::size_t bytes) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(from) + elements * static_cast<std::int64_t>(bytes));
}
inline SparseMatrix one_of(SparseMatrix a, int i) {
  if (a.batches.count == 1) return a;
  a.row_starts = moved(a.row_starts, i * a.start_stride, a.start_bytes);
  a.places = moved(a.places, a.batches.at(i), a.place_bytes);
  a.values = moved(a.values, a.batches.at(i), element_bytes(a.type));
  return a;
}
inline DenseMatrix one_of(DenseMatrix m, int i) {
  m.values = moved(m.values, m.batches.at(i), element_bytes(m.type));
  return m;
}

inline std::vector<Reach> reaches_of(const SparseMatrix& a) {
  const auto bytes = [](std::int64_t count, std::size_t element) {
    return static_cast<std::uint64_t>(count) * element;
  };
  const auto starts = a.starts() + (a.batches.count - 1) * a.start_stride, stored = a.stored + a.batches.last();
  return {{a.row_starts, bytes(starts, a.start_bytes), "the rows"},
          {a.places, bytes(stored, a.place_bytes), "the columns"},
          {a.values, bytes(stored, element_bytes(a.type)), "the values"}};
}
inline std::vector<Reach> reaches_of(const SparseVector& x) {
  return {{x.places, static_cast<std::uint64_t>(x.stored) * x.place_bytes, "the indices"},
          {x.values, static_cast<std::uint64_t>(x.stored) * element_bytes(x.type), "the values"}};
}
inline Reach reach_of(const DenseMatrix& m) {
  const auto element = element_bytes(m.type);
  const auto one = bytes_of_matrix(m.by_rows ? m.columns : m.rows, m.by_rows ? m.rows : m.columns, m.leading, element);
  return {m.values, one + static_cast<std::uint64_t>(m.batches.last()) * element, "a dense matrix"};
}
inline std::int64_t place_in(const DenseMatrix& m, std::int64_t i, std::int64_t j) {
  return m.by_rows ? i * m.leading + j : j * m.leading + i;
}
inline Reach reach_of(const DenseVector& x) {
  return {x.values, static_cast<std::uint64_t>(x.size) * element_bytes(x.type), "a vector"};
}
// Of what is sparse, and of what is dense beside it.
template <class Sparse, class... Dense>
requires(sizeof...(Dense) > 0) std::vector<Reach> reaches_of(const Sparse& sparse, const Dense&... dense) {
  auto reaches = reaches_of(sparse);
  (reaches.push_back(reach_of(dense)), ...);
  return reaches;
}
template <class T> Scalar<T> sparse_scalar(const Sparse& sparse, const void* at) {
  Blas blas;
  blas.pointers = sparse.pointers;
  return {blas, static_cast<const T*>(at)};
}

inline int no_bytes(const void* handle, std::size_t* bytes) {
  if (find_sparse(handle) == nullptr) return kSparseCodes.uninitialized;
  if (bytes == nullptr) return kSparseCodes.value;
  *bytes = 0;
  return 0;
}
inline int nothing_to_prepare(const void* handle) {
  return find_sparse(handle) == nullptr ? kSparseCodes.uninitialized : 0;
}

template <class T> int destroy_part(const void* handle) {
  return table_of<T>().remove(handle) ? 0 : kSparseCodes.value;
}
template <class T> int create_part(void** handle) {
  if (handle == nullptr) return kSparseCodes.value;
  *handle = table_of<T>().make();
  return 0;
}

}  // namespace xcuda::runtime::math
