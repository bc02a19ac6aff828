// Sparse matrices made of dense ones and back, and products whose result is sparse.
#include <fmt/format.h>

#include <cstring>
#include <map>

#include "runtime/math/sparse_descriptions.hpp"

namespace xcuda::runtime::math {
namespace {

// C = A B, until cusparseSpGEMM_copy() has written it.
struct Product {
  std::vector<std::int64_t> starts, places;
  std::vector<char> values;
  std::int64_t count = 0;  // of products of elements
};

bool are_known(const SparseMatrix* a, const DenseMatrix* b) {
  return table_of<SparseMatrix>().find(a) != nullptr && table_of<DenseMatrix>().find(b) != nullptr;
}

int several_types(const char* function) {
  say_not_supported(function, "elements of several types");
  return kSparseCodes.unsupported;
}

// Where the rows begin, or in COO the row of each element: `counts` of each row.
void write_rows(const SparseMatrix& b, const std::vector<std::int64_t>& counts) {
  std::int64_t at = 0;
  const bool lists_rows = b.form == Form::coo;
  for (std::int64_t i = 0; i < b.rows; ++i) {
    if (!lists_rows) set_index(b.row_starts, b.start_bytes, i, at + b.base);
    for (std::int64_t k = 0; k < counts[static_cast<std::size_t>(i)]; ++k, ++at)
      if (lists_rows) set_index(b.row_starts, b.start_bytes, at, i + b.base);
  }
  if (!lists_rows) set_index(b.row_starts, b.start_bytes, b.rows, at + b.base);
}

bool can_be_made(const SparseMatrix& b) {
  if (b.form == Form::csr || b.form == Form::coo) return true;
  say_not_supported("cusparseDenseToSparse", "other forms than CSR, COO and blocked ELL");
  return false;
}

template <class T> std::vector<std::int64_t> counts_of(const DenseMatrix& a) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(a.rows));
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j)
      if (static_cast<const T*>(a.values)[place_in(a, i, j)] != T{}) ++counts[static_cast<std::size_t>(i)];
  return counts;
}

}  // namespace

int set_sparse_pointers_of(SparseMatrix* matrix, void* starts, void* places, void* values) {
  auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr) return kSparseCodes.value;
  found->row_starts = starts;
  found->places = places;
  found->values = values;
  return 0;
}
int set_sparse_values(SparseMatrix* matrix, void* values) {
  auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr) return kSparseCodes.value;
  found->values = values;
  return 0;
}
int get_sparse_values(const SparseMatrix* matrix, void** values) {
  const auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || values == nullptr) return kSparseCodes.value;
  *values = found->values;
  return 0;
}

int to_dense_size(void* handle, const SparseMatrix*, DenseMatrix*, int, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
int to_dense(void* handle, const SparseMatrix* a, DenseMatrix* b, int, void*) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (!are_known(a, b) || a->rows != b->rows || a->columns != b->columns) return kSparseCodes.value;
  if (a->type != b->type || !is_number(a->type)) return several_types("cusparseSparseToDense");
  auto reaches = reaches_of(*a, *b);
  int status = 0;
  as_number(a->type, [&]<class T>(T) {
    status = kSparseCodes.of(post({"cusparseSparseToDense", sparse->stream, Waits::no, reaches}, [from = *a, to = *b] {
      T* const out = static_cast<T*>(to.values);
      for (std::int64_t i = 0; i < to.rows; ++i)
        for (std::int64_t j = 0; j < to.columns; ++j) out[place_in(to, i, j)] = T{};
      each_element(from, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        out[place_in(to, i, j)] = static_cast<const T*>(from.values)[k];
      });
    }));
  });
  return status;
}

int to_sparse_size(void* handle, const DenseMatrix*, SparseMatrix*, int, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
// How many elements there will be, and where the rows of CSR begin: what the program allocates the rest by.
int to_sparse_count(void* handle, const DenseMatrix* a, SparseMatrix* b, int, void*) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (!are_known(b, a) || a->rows != b->rows || a->columns != b->columns) return kSparseCodes.value;
  if (a->type != b->type || !is_number(a->type)) return several_types("cusparseDenseToSparse_analysis");
  if (b->form == Form::blocked_ell) return 0;  // its places are given
  if (!can_be_made(*b)) return kSparseCodes.unsupported;
  std::vector<Reach> reaches{reach_of(*a)};
  if (b->form == Form::csr) reaches.push_back(reach_of_starts(*b));
  int status = 0;
  as_number(a->type, [&]<class T>(T) {
    status =
        kSparseCodes.of(post({"cusparseDenseToSparse_analysis", sparse->stream, Waits::yes, reaches}, [from = *a, b] {
          const auto counts = counts_of<T>(from);
          b->stored = 0;
          for (const auto count : counts) b->stored += count;
          if (b->form == Form::csr) write_rows(*b, counts);
        }));
  });
  return status;
}
int to_sparse(void* handle, const DenseMatrix* a, SparseMatrix* b, int, void*) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (!are_known(b, a) || a->rows != b->rows || a->columns != b->columns) return kSparseCodes.value;
  if (a->type != b->type || !is_number(a->type)) return several_types("cusparseDenseToSparse_convert");
  if (b->form != Form::blocked_ell && !can_be_made(*b)) return kSparseCodes.unsupported;
  auto reaches = reaches_of(*b, *a);
  int status = 0;
  as_number(a->type, [&]<class T>(T) {
    status = kSparseCodes.of(
        post({"cusparseDenseToSparse_convert", sparse->stream, Waits::no, reaches}, [from = *a, to = *b] {
          if (to.form == Form::blocked_ell) {
            each_element(to, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
              static_cast<T*>(to.values)[k] = static_cast<const T*>(from.values)[place_in(from, i, j)];
            });
            return;
          }
          write_rows(to, counts_of<T>(from));
          std::int64_t at = 0;
          for (std::int64_t i = 0; i < from.rows; ++i)
            for (std::int64_t j = 0; j < from.columns; ++j)
              if (const T value = static_cast<const T*>(from.values)[place_in(from, i, j)]; value != T{}) {
                set_index(to.places, to.place_bytes, at, j + to.base);
                static_cast<T*>(to.values)[at++] = value;
              }
        }));
  });
  return status;
}

// Of each row (0) or column (1) of a dense matrix by columns, and of all.
template <class T>
int count_elements(void* handle, int by, int rows, int columns, const void* description, const T* a, int leading,
                   int* counts, int* total) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (by < 0 || by > 1 || rows < 0 || columns < 0 || leading < std::max(rows, 1) || total == nullptr ||
      table_of<Description>().find(description) == nullptr)
    return kSparseCodes.value;
  const auto lines = static_cast<std::uint64_t>(by == 0 ? rows : columns);
  std::vector<Reach> reaches{{a, bytes_of_matrix(rows, columns, leading, sizeof(T)), "A"},
                             {counts, lines * sizeof(int), "the counts"}};
  const bool of_host = sparse->pointers == PointerMode::host;
  if (!of_host) reaches.push_back({total, sizeof(int), "the total"});
  return kSparseCodes.of(post({"cusparse nnz", sparse->stream, of_host ? Waits::yes : Waits::no, reaches}, [=] {
    std::fill_n(counts, lines, 0);
    *total = 0;
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i)
        if (a[static_cast<std::int64_t>(j) * leading + i] != T{}) ++counts[by == 0 ? i : j], ++*total;
  }));
}
template int count_elements<float>(void*, int, int, int, const void*, const float*, int, int*, int*);
template int count_elements<double>(void*, int, int, int, const void*, const double*, int, int*, int*);
template int count_elements<std::complex<float>>(void*, int, int, int, const void*, const std::complex<float>*, int,
                                                 int*, int*);
template int count_elements<std::complex<double>>(void*, int, int, int, const void*, const std::complex<double>*, int,
                                                  int*, int*);

// --- the elements of C that there are, of the product of dense matrices
int sampled_product_size(void* handle, Op, Op, const void*, const DenseMatrix*, const DenseMatrix*, const void*,
                         SparseMatrix*, DataType, int, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
int sampled_product_prepare(void* handle, Op, Op, const void*, const DenseMatrix*, const DenseMatrix*, const void*,
                            SparseMatrix*, DataType, int, void*) {
  return nothing_to_prepare(handle);
}
int sampled_product(void* handle, Op op, Op right, const void* alpha, const DenseMatrix* a, const DenseMatrix* b,
                    const void* beta, SparseMatrix* c, DataType type, int, void*) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (!are_known(c, a) || !are_known(c, b) || alpha == nullptr || beta == nullptr) return kSparseCodes.value;
  const auto inner = op == Op::none ? a->columns : a->rows;
  if ((op == Op::none ? a->rows : a->columns) != c->rows || (right == Op::none ? b->columns : b->rows) != c->columns ||
      (right == Op::none ? b->rows : b->columns) != inner || !a->batches.fit(c->batches) || !b->batches.fit(c->batches))
    return kSparseCodes.value;
  if (a->type != type || b->type != type || c->type != type || !is_number(type)) return several_types("cusparseSDDMM");
  auto reaches = reaches_of(*c, *a, *b);
  int status = 0;
  as_number(type, [&]<class T>(T) {
    const auto by = sparse_scalar<T>(*sparse, alpha), keep = sparse_scalar<T>(*sparse, beta);
    status = kSparseCodes.of(
        post({"cusparseSDDMM", sparse->stream, Waits::no, reaches}, [=, one = *a, other = *b, all = *c] {
          const T scale = by.value(), factor = keep.value();
          for (int n = 0; n < all.batches.count; ++n) {
            const auto to = one_of(all, n);
            T* const out = static_cast<T*>(to.values);
            const T* const x = static_cast<const T*>(one_of(one, n).values);
            const T* const y = static_cast<const T*>(one_of(other, n).values);
            each_element(to, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
              T sum{};
              for (std::int64_t l = 0; l < inner; ++l)
                sum += of_op(op, x[op == Op::none ? place_in(one, i, l) : place_in(one, l, i)]) *
                       of_op(right, y[right == Op::none ? place_in(other, l, j) : place_in(other, j, l)]);
              out[k] = scale * sum + (factor == T{} ? T{} : factor * out[k]);
            });
          }
        }));
  });
  return status;
}

// --- sparse by sparse
namespace {

constexpr std::size_t kSomeBytes = 16;  // of the buffers that it asks for and does not use

int check_product(const SparseMatrix* a, const SparseMatrix* b, const SparseMatrix* c, const void* product, Op op,
                  Op right, DataType type) {
  for (const auto* one : {a, b, c})
    if (table_of<SparseMatrix>().find(one) == nullptr) return kSparseCodes.value;
  if (table_of<Product>().find(product) == nullptr || a->columns != b->rows || c->rows != a->rows ||
      c->columns != b->columns)
    return kSparseCodes.value;
  const bool csr =
      a->form == Form::csr && b->form == Form::csr && c->form == Form::csr && op == Op::none && right == Op::none;
  if (csr && a->type == type && b->type == type && c->type == type && is_number(type)) return 0;
  say_not_supported("cusparseSpGEMM", "other forms than CSR, transposed matrices, and elements of several types");
  return kSparseCodes.unsupported;
}

template <class T> void multiply_sparse(const SparseMatrix& a, const SparseMatrix& b, T scale, Product& product) {
  product.starts.assign(1, 0);
  product.places.clear();
  std::vector<T> values;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    std::map<std::int64_t, T> row;
    const auto end = index_at(a.row_starts, a.start_bytes, i + 1) - a.base;
    for (auto k = index_at(a.row_starts, a.start_bytes, i) - a.base; k < end; ++k) {
      const auto l = index_at(a.places, a.place_bytes, k) - a.base;
      const auto last = index_at(b.row_starts, b.start_bytes, l + 1) - b.base;
      for (auto m = index_at(b.row_starts, b.start_bytes, l) - b.base; m < last; ++m)
        row[index_at(b.places, b.place_bytes, m) - b.base] +=
            static_cast<const T*>(a.values)[k] * static_cast<const T*>(b.values)[m];
    }
    for (const auto& [column, value] : row) {
      product.places.push_back(column);
      values.push_back(scale * value);
    }
    product.starts.push_back(static_cast<std::int64_t>(product.places.size()));
  }
  product.values.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(product.values.data(), values.data(), product.values.size());
}

std::vector<Reach> reaches_of_both(const SparseMatrix& a, const SparseMatrix& b) {
  auto reaches = reaches_of(a);
  for (const auto& one : reaches_of(b)) reaches.push_back(one);
  return reaches;
}
std::int64_t products_of(const SparseMatrix& a, const SparseMatrix& b) {
  std::int64_t count = 0;
  each_element(a, [&](std::int64_t, std::int64_t j, std::int64_t) { count += start_of(b, j + 1) - start_of(b, j); });
  return count;
}
// Error(value): the matrices have changed since it was found how many elements the product has.
void require_room(const Product& product, const SparseMatrix& to) {
  if (static_cast<std::int64_t>(product.places.size()) != to.stored)
    throw Error(ErrorKind::value,
                fmt::format("a product with {} elements, and a matrix for {}", product.places.size(), to.stored));
}
void write_places(const Product& from, const SparseMatrix& to) {
  for (std::size_t i = 0; i < from.starts.size(); ++i)
    set_index(to.row_starts, to.start_bytes, static_cast<std::int64_t>(i), from.starts[i] + to.base);
  for (std::size_t k = 0; k < from.places.size(); ++k)
    set_index(to.places, to.place_bytes, static_cast<std::int64_t>(k), from.places[k] + to.base);
}
template <class T> void add_values(const Product& from, T factor, const SparseMatrix& to) {
  for (std::size_t k = 0; k < from.places.size(); ++k) {
    T value{};
    std::memcpy(&value, from.values.data() + k * sizeof(T), sizeof(T));
    T& out = static_cast<T*>(to.values)[k];
    out = value + (factor == T{} ? T{} : factor * out);
  }
}

}  // namespace

int create_product(void** product) { return create_part<Product>(product); }
int destroy_product(void* product) { return destroy_part<Product>(product); }
// Without a buffer it only says how large that has to be.
int estimate_product(void* handle, Op op, Op right, const void*, const SparseMatrix* a, const SparseMatrix* b,
                     const void*, SparseMatrix* c, DataType type, int, void* product, std::size_t* bytes,
                     void* buffer) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (bytes == nullptr) return kSparseCodes.value;
  *bytes = kSomeBytes;
  if (const int status = check_product(a, b, c, product, op, right, type); status != 0 || buffer == nullptr)
    return status;
  return kSparseCodes.of(
      post({"cusparseSpGEMM_workEstimation", sparse->stream, Waits::yes, reaches_of_both(*a, *b)},
           [left = *a, other = *b, to = table_of<Product>().find(product)] { to->count = products_of(left, other); }));
}
int compute_product(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const SparseMatrix* b,
                    const void* beta, SparseMatrix* c, DataType type, int, void* product, std::size_t* bytes,
                    void* buffer) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (bytes == nullptr || alpha == nullptr || beta == nullptr) return kSparseCodes.value;
  if (const int status = check_product(a, b, c, product, op, right, type); status != 0) return status;
  *bytes = kSomeBytes;
  if (buffer == nullptr) return 0;
  int status = 0;
  as_number(type, [&]<class T>(T) {
    const auto by = sparse_scalar<T>(*sparse, alpha);
    status = kSparseCodes.of(post({"cusparseSpGEMM_compute", sparse->stream, Waits::yes, reaches_of_both(*a, *b)},
                                  [=, left = *a, other = *b, to = table_of<Product>().find(product)] {
                                    multiply_sparse<T>(left, other, by.value(), *to);
                                    c->stored = static_cast<std::int64_t>(to->places.size());
                                  }));
  });
  return status;
}
int copy_product(void* handle, Op op, Op right, const void*, const SparseMatrix* a, const SparseMatrix* b,
                 const void* beta, SparseMatrix* c, DataType type, int, void* product) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (beta == nullptr) return kSparseCodes.value;
  if (const int status = check_product(a, b, c, product, op, right, type); status != 0) return status;
  const auto* made = table_of<Product>().find(product);
  if (static_cast<std::int64_t>(made->starts.size()) != c->rows + 1) return kSparseCodes.value;  // not computed
  int status = 0;
  as_number(type, [&]<class T>(T) {
    const auto keep = sparse_scalar<T>(*sparse, beta);
    status = kSparseCodes.of(
        post({"cusparseSpGEMM_copy", sparse->stream, Waits::no, reaches_of(*c)}, [=, from = *made, to = *c] {
          require_room(from, to);
          write_places(from, to);
          add_values<T>(from, keep.value(), to);
        }));
  });
  return status;
}

int count_products(void* product, std::int64_t* count) {
  const auto* found = table_of<Product>().find(product);
  if (found == nullptr || count == nullptr) return kSparseCodes.value;
  *count = found->count;
  return 0;
}
int estimate_memory(void* handle, Op op, Op right, const void*, const SparseMatrix* a, const SparseMatrix* b,
                    const void*, SparseMatrix* c, DataType type, int, void* product, float part, std::size_t* bytes_3,
                    void*, std::size_t* bytes_2) {
  if (find_sparse(handle) == nullptr) return kSparseCodes.uninitialized;
  if (bytes_3 == nullptr || !(part > 0) || part > 1) return kSparseCodes.value;
  *bytes_3 = kSomeBytes;
  if (bytes_2 != nullptr) *bytes_2 = kSomeBytes;
  return check_product(a, b, c, product, op, right, type);
}

// --- sparse by sparse, when the values change and the places do not
int reuse_estimate(void* handle, Op op, Op right, const SparseMatrix* a, const SparseMatrix* b, SparseMatrix* c, int,
                   void* product, std::size_t* bytes, void*) {
  if (find_sparse(handle) == nullptr) return kSparseCodes.uninitialized;
  if (bytes == nullptr || table_of<SparseMatrix>().find(c) == nullptr) return kSparseCodes.value;
  *bytes = kSomeBytes;
  return check_product(a, b, c, product, op, right, c->type);
}
int reuse_count(void* handle, Op op, Op right, const SparseMatrix* a, const SparseMatrix* b, SparseMatrix* c, int,
                void* product, std::size_t* bytes_2, void* buffer, std::size_t* bytes_3, void*, std::size_t* bytes_4,
                void*) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (bytes_2 == nullptr || bytes_3 == nullptr || bytes_4 == nullptr || table_of<SparseMatrix>().find(c) == nullptr)
    return kSparseCodes.value;
  if (const int status = check_product(a, b, c, product, op, right, c->type); status != 0) return status;
  *bytes_2 = *bytes_3 = *bytes_4 = kSomeBytes;
  if (buffer == nullptr) return 0;
  int status = 0;
  as_number(c->type, [&]<class T>(T) {
    status = kSparseCodes.of(post({"cusparseSpGEMMreuse_nnz", sparse->stream, Waits::yes, reaches_of_both(*a, *b)},
                                  [=, left = *a, other = *b, to = table_of<Product>().find(product)] {
                                    multiply_sparse<T>(left, other, T(1), *to);
                                    c->stored = static_cast<std::int64_t>(to->places.size());
                                  }));
  });
  return status;
}
int reuse_places(void* handle, Op op, Op right, const SparseMatrix* a, const SparseMatrix* b, SparseMatrix* c, int,
                 void* product, std::size_t* bytes, void* buffer) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (bytes == nullptr || table_of<SparseMatrix>().find(c) == nullptr) return kSparseCodes.value;
  if (const int status = check_product(a, b, c, product, op, right, c->type); status != 0) return status;
  *bytes = kSomeBytes;
  if (buffer == nullptr) return 0;
  const auto* made = table_of<Product>().find(product);
  if (static_cast<std::int64_t>(made->starts.size()) != c->rows + 1) return kSparseCodes.value;  // not counted
  return kSparseCodes.of(post({"cusparseSpGEMMreuse_copy", sparse->stream, Waits::no, reaches_of(*c)},
                              [from = *made, to = *c] { write_places(from, to); }));
}
int reuse_compute(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const SparseMatrix* b,
                  const void* beta, SparseMatrix* c, DataType type, int, void* product) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (alpha == nullptr || beta == nullptr) return kSparseCodes.value;
  if (const int status = check_product(a, b, c, product, op, right, type); status != 0) return status;
  auto reaches = reaches_of_both(*a, *b);
  for (const auto& one : reaches_of(*c)) reaches.push_back(one);
  int status = 0;
  as_number(type, [&]<class T>(T) {
    const auto by = sparse_scalar<T>(*sparse, alpha), keep = sparse_scalar<T>(*sparse, beta);
    status = kSparseCodes.of(
        post({"cusparseSpGEMMreuse_compute", sparse->stream, Waits::no, reaches}, [=, left = *a, other = *b, to = *c] {
          Product made;
          multiply_sparse<T>(left, other, by.value(), made);
          require_room(made, to);
          add_values<T>(made, keep.value(), to);
        }));
  });
  return status;
}

}  // namespace xcuda::runtime::math
