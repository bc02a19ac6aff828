// Sparse vectors by dense ones.
#include "runtime/math/sparse_descriptions.hpp"

namespace xcuda::runtime::math {
namespace {

// Of one type, and of one size. 0, or why not.
int check_vectors(const char* function, const SparseVector* x, const DenseVector* y) {
  if (table_of<SparseVector>().find(x) == nullptr || table_of<DenseVector>().find(y) == nullptr || x->size != y->size)
    return kSparseCodes.value;
  if (x->type == y->type) return 0;
  say_not_supported(function, "elements of several types");
  return kSparseCodes.unsupported;
}

// work(vector, its values, the dense one's), in the order of the stream.
template <class Work>
int post_vectors(const char* function, const Sparse& sparse, const SparseVector& x, const DenseVector& y, Work work) {
  auto reaches = reaches_of(x, y);
  int status = 0;
  as_number(x.type, [&]<class T>(T) {
    status = kSparseCodes.of(post({function, sparse.stream, Waits::no, reaches},
                                  [=] { work(x, static_cast<T*>(x.values), static_cast<T*>(y.values), y.size); }));
  });
  return status;
}

std::int64_t place_of(const SparseVector& x, std::int64_t k) { return index_at(x.places, x.place_bytes, k) - x.base; }

}  // namespace

int create_sparse_vector(SparseVector** vector, std::int64_t size, std::int64_t stored, void* places, void* values,
                         int place_type, int base, DataType type) {
  if (vector == nullptr || size < 0 || stored < 0 || stored > size || base < 0 || base > 1) return kSparseCodes.value;
  const std::size_t bytes = place_type == 2 ? 4 : place_type == 3 ? 8 : 0;  // CUSPARSE_INDEX_32I, _64I
  const bool number = type == DataType::float32 || type == DataType::float64 || is_complex(type);
  if (bytes == 0 || !number) {
    say_not_supported("cusparseCreateSpVec", "elements or indices of these types");
    return kSparseCodes.unsupported;
  }
  *vector = table_of<SparseVector>().make();
  **vector = {size, stored, places, values, bytes, base, type};
  return 0;
}
int destroy_sparse_vector(SparseVector* vector) { return destroy_part<SparseVector>(vector); }
int set_sparse_vector(SparseVector* vector, void* values) {
  auto* found = table_of<SparseVector>().find(vector);
  if (found == nullptr) return kSparseCodes.value;
  found->values = values;
  return 0;
}
int get_sparse_vector(const SparseVector* vector, void** values) {
  const auto* found = table_of<SparseVector>().find(vector);
  if (found == nullptr || values == nullptr) return kSparseCodes.value;
  *values = found->values;
  return 0;
}

// y = alpha x + beta y
int add_sparse_vector(void* handle, const void* alpha, const SparseVector* x, const void* beta, DenseVector* y) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (alpha == nullptr || beta == nullptr) return kSparseCodes.value;
  if (const int status = check_vectors("cusparseAxpby", x, y); status != 0) return status;
  auto reaches = reaches_of(*x, *y);
  int status = 0;
  as_number(x->type, [&]<class T>(T) {
    const auto by = sparse_scalar<T>(*sparse, alpha), keep = sparse_scalar<T>(*sparse, beta);
    status = kSparseCodes.of(post(
        {"cusparseAxpby", sparse->stream, Waits::no, reaches},
        [=, from = *x, count = y->size, values = static_cast<const T*>(x->values), to = static_cast<T*>(y->values)] {
          const T factor = keep.value(), scale = by.value();
          for (std::int64_t i = 0; i < count; ++i) to[i] = factor == T{} ? T{} : factor * to[i];
          for (std::int64_t k = 0; k < from.stored; ++k) to[place_of(from, k)] += scale * values[k];
        }));
  });
  return status;
}

// (x, y) = (c x + s y, c y - conj(s) x), where x has elements.
int rotate_sparse_vector(void* handle, const void* c, const void* s, SparseVector* x, DenseVector* y) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (c == nullptr || s == nullptr) return kSparseCodes.value;
  if (const int status = check_vectors("cusparseRot", x, y); status != 0) return status;
  auto reaches = reaches_of(*x, *y);
  int status = 0;
  as_number(x->type, [&]<class T>(T) {
    const auto cosine = sparse_scalar<T>(*sparse, c), sine = sparse_scalar<T>(*sparse, s);
    status =
        kSparseCodes.of(post({"cusparseRot", sparse->stream, Waits::no, reaches},
                             [=, of = *x, values = static_cast<T*>(x->values), dense = static_cast<T*>(y->values)] {
                               const T by = cosine.value(), other = sine.value();
                               for (std::int64_t k = 0; k < of.stored; ++k) {
                                 T &here = values[k], &there = dense[place_of(of, k)];
                                 const T old = here;
                                 here = by * old + other * there;
                                 there = by * there - of_op(Op::adjoint, other) * old;
                               }
                             }));
  });
  return status;
}

int gather(void* handle, const DenseVector* y, SparseVector* x) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (const int status = check_vectors("cusparseGather", x, y); status != 0) return status;
  return post_vectors("cusparseGather", *sparse, *x, *y, [](const SparseVector& of, auto* values, auto* dense, auto) {
    for (std::int64_t k = 0; k < of.stored; ++k) values[k] = dense[place_of(of, k)];
  });
}
int scatter(void* handle, const SparseVector* x, DenseVector* y) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (const int status = check_vectors("cusparseScatter", x, y); status != 0) return status;
  return post_vectors("cusparseScatter", *sparse, *x, *y, [](const SparseVector& of, auto* values, auto* dense, auto) {
    for (std::int64_t k = 0; k < of.stored; ++k) dense[place_of(of, k)] = values[k];
  });
}

int dot_size(void* handle, Op, const SparseVector*, const DenseVector*, const void*, DataType, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
int dot(void* handle, Op op, const SparseVector* x, const DenseVector* y, void* result, DataType type, void*) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (result == nullptr) return kSparseCodes.value;
  if (const int status = check_vectors("cusparseSpVV", x, y); status != 0) return status;
  if (x->type != type) {
    say_not_supported("cusparseSpVV", "elements of several types");
    return kSparseCodes.unsupported;
  }
  auto reaches = reaches_of(*x, *y);
  const bool of_host = sparse->pointers == PointerMode::host;
  if (!of_host) reaches.push_back({result, element_bytes(type), "the result"});
  int status = 0;
  as_number(type, [&]<class T>(T) {
    status = kSparseCodes.of(
        post({"cusparseSpVV", sparse->stream, of_host ? Waits::unless_captured : Waits::no, reaches},
             [=, from = *x, values = static_cast<const T*>(x->values), dense = static_cast<const T*>(y->values)] {
               T sum{};
               for (std::int64_t k = 0; k < from.stored; ++k) sum += of_op(op, values[k]) * dense[place_of(from, k)];
               *static_cast<T*>(result) = sum;
             }));
  });
  return status;
}

}  // namespace xcuda::runtime::math
