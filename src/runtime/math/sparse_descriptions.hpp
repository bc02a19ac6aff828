// What descriptions of cuSPARSE hold, for computing with them.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/math/handle_table.hpp"
#include "runtime/math/sparse_calls.hpp"

namespace xcuda::runtime::math {

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

  std::int64_t starts() const { return is_coo ? stored : rows + 1; }
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

inline std::vector<Reach> reaches_of(const SparseMatrix& a) {
  const auto bytes = [](std::int64_t count, std::size_t element) {
    return static_cast<std::uint64_t>(count) * element;
  };
  return {{a.row_starts, bytes(a.starts(), a.start_bytes), "the rows"},
          {a.places, bytes(a.stored, a.place_bytes), "the columns"},
          {a.values, bytes(a.stored, element_bytes(a.type)), "the values"}};
}
inline Reach reach_of_vector(const DenseVector& x) {
  return {x.values, static_cast<std::uint64_t>(x.size) * element_bytes(x.type), "a vector"};
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
