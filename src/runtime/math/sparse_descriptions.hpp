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
// `row_starts` are of rows (CSR), columns (CSC), rows of blocks (BSR) or slices; in COO, the row of each element.
// Blocked ELL has none.
struct SparseMatrix {
  std::int64_t rows = 0, columns = 0, stored = 0;  // as programs count: BSR has so many blocks
  const void *row_starts = nullptr, *places = nullptr;
  void* values = nullptr;
  Form form = Form::csr;
  std::size_t start_bytes = 4, place_bytes = 4;
  std::int64_t base = 0;
  DataType type = DataType::float32;
  Half half = Half::lower;
  Diagonal diagonal = Diagonal::any;
  Batches batches{};              // of columns and values
  std::int64_t start_stride = 0;  // from the rows of one to those of the next
  // BSR: rows and columns of a block. Blocked ELL: rows of a block, and columns that are stored. Slices: their rows,
  // and values with what fills them up.
  std::int64_t height = 1, width = 1;
  bool blocks_by_rows = false;

  std::int64_t starts() const {
    switch (form) {
      case Form::csr: return rows + 1;
      case Form::coo: return stored;
      case Form::csc: return columns + 1;
      case Form::bsr: return rows / height + 1;
      case Form::sliced_ell: return (rows + height - 1) / height + 1;
      case Form::blocked_ell: break;
    }
    return 0;
  }
  std::int64_t place_count() const {
    if (form == Form::blocked_ell) return rows / height * (width / height);
    return form == Form::sliced_ell ? width : stored;
  }
  std::int64_t value_count() const {
    switch (form) {
      case Form::bsr: return stored * height * width;
      case Form::blocked_ell: return rows * width;
      case Form::sliced_ell: return width;
      default: return stored;
    }
  }
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
inline std::size_t index_bytes(int type) { return type == 2 ? 4 : type == 3 ? 8 : 0; }  // CUSPARSE_INDEX_32I, _64I
inline int index_type(std::size_t bytes) { return bytes == 4 ? 2 : 3; }
// The types of all functions; matrices of others can be multiplied.
inline bool is_number(DataType type) {
  return type == DataType::float32 || type == DataType::float64 || is_complex(type);
}
inline std::int64_t start_of(const SparseMatrix& a, std::int64_t i) {
  return index_at(a.row_starts, a.start_bytes, i) - a.base;
}
inline std::int64_t place_of(const SparseMatrix& a, std::int64_t k) {
  return index_at(a.places, a.place_bytes, k) - a.base;
}
template <class Function> void each_of_blocks(const SparseMatrix& a, Function function) {
  for (std::int64_t row = 0; row < a.rows / a.height; ++row)
    for (auto k = start_of(a, row); k < start_of(a, row + 1); ++k)
      for (std::int64_t i = 0; i < a.height; ++i)
        for (std::int64_t j = 0; j < a.width; ++j)
          function(row * a.height + i, place_of(a, k) * a.width + j,
                   k * a.height * a.width + (a.blocks_by_rows ? i * a.width + j : j * a.height + i));
}
// The stored columns of each row lie together; a block whose column is -1 has no elements.
template <class Function> void each_of_blocked_ell(const SparseMatrix& a, Function function) {
  const auto blocks = a.width / a.height;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = 0; k < a.width; ++k)
      if (const auto place = place_of(a, i / a.height * blocks + k / a.height); place >= 0)
        function(i, place * a.height + k % a.height, i * a.width + k);
}
// Slices of rows, by columns; a column of -1 fills up.
template <class Function> void each_of_sliced_ell(const SparseMatrix& a, Function function) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const auto slice = i / a.height, end = start_of(a, slice + 1);
    for (auto k = start_of(a, slice) + i % a.height; k < end; k += a.height)
      if (const auto place = place_of(a, k); place >= 0) function(i, place, k);
  }
}
// Row, column and place of each element.
template <class Function> void each_element(const SparseMatrix& a, Function function) {
  switch (a.form) {
    case Form::csr:
      for (std::int64_t i = 0; i < a.rows; ++i) {
        const auto end = start_of(a, i + 1);
        for (auto k = start_of(a, i); k < end; ++k) function(i, place_of(a, k), k);
      }
      return;
    case Form::csc:
      for (std::int64_t j = 0; j < a.columns; ++j)
        for (auto k = start_of(a, j); k < start_of(a, j + 1); ++k) function(place_of(a, k), j, k);
      return;
    case Form::coo:
      for (std::int64_t k = 0; k < a.stored; ++k) function(start_of(a, k), place_of(a, k), k);
      return;
    case Form::bsr: each_of_blocks(a, function); return;
    case Form::blocked_ell: each_of_blocked_ell(a, function); return;
    case Form::sliced_ell: each_of_sliced_ell(a, function); return;
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
  const auto starts = a.starts() + (a.batches.count - 1) * a.start_stride, more = a.batches.last();
  std::vector<Reach> reaches{{a.places, bytes(a.place_count() + more, a.place_bytes), "the columns"},
                             {a.values, bytes(a.value_count() + more, element_bytes(a.type)), "the values"}};
  if (a.form != Form::blocked_ell) reaches.push_back({a.row_starts, bytes(starts, a.start_bytes), "the rows"});
  return reaches;
}
inline Reach reach_of_starts(const SparseMatrix& a) { return reaches_of(a).back(); }
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

// The same matrix in CSR, which a matrix that already has this form is itself.
template <class T> class Csr {
 public:
  explicit Csr(const SparseMatrix& a) : all_(a) {
    if (a.form == Form::csr) return;
    starts_.resize(static_cast<std::size_t>(a.rows) + 1);
    each_element(a, [&](std::int64_t i, std::int64_t, std::int64_t) { ++starts_[static_cast<std::size_t>(i) + 1]; });
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    auto next = starts_;
    places_.resize(static_cast<std::size_t>(starts_.back()) + 1);
    values_.resize(places_.size());
    each_element(a, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++);
      places_[at] = j;
      values_[at] = static_cast<const T*>(a.values)[k];
    });
    all_.form = Form::csr;
    all_.stored = starts_.back();
    all_.row_starts = starts_.data();
    all_.places = places_.data();
    all_.values = values_.data();
    all_.start_bytes = all_.place_bytes = sizeof(std::int64_t);
    all_.base = 0;
  }
  Csr(const Csr&) = delete;
  Csr& operator=(const Csr&) = delete;
  const SparseMatrix& matrix() const { return all_; }

 private:
  SparseMatrix all_;
  std::vector<std::int64_t> starts_, places_;
  std::vector<T> values_;
};

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
