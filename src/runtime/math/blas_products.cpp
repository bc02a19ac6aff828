#include "runtime/math/blas_products.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace xcuda::runtime::math {
namespace {

char letter_of(Op op) { return "NTC"[static_cast<int>(op)]; }

bool is_one_of_blas(const Products& p) {
  return p.a.type == p.b.type && p.a.type == p.c.type &&
         (p.a.type == DataType::float32 || p.a.type == DataType::float64 || is_complex(p.a.type));
}

template <class T> T narrowed(std::complex<double> value) {
  if constexpr (kIsComplex<T>)
    return T(value);
  else
    return static_cast<T>(value.real());
}

template <class T>
void multiply_as(const Products& p, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T* c, std::int64_t ldc,
                 std::complex<double> alpha, std::complex<double> beta) {
  const T one = narrowed<T>(alpha), other = narrowed<T>(beta);
  Fortran(with_letter("?gemm", kLetter<T>))
      .letter(letter_of(p.left))
      .letter(letter_of(p.right))
      .number(p.m)
      .number(p.n)
      .number(p.k)
      .at(&one)
      .at(a)
      .number(lda)
      .at(b)
      .number(ldb)
      .at(&other)
      .at(c)
      .number(ldc)
      .run();
}

template <class T>
void multiply_plain(const Products& p, const Product& at, std::complex<double> alpha, std::complex<double> beta) {
  multiply_as<T>(p, static_cast<const T*>(at.a), p.a.leading, static_cast<const T*>(at.b), p.b.leading,
                 static_cast<T*>(at.c), p.c.leading, alpha, beta);
}

// Columns without gaps.
template <class T>
std::vector<T> widened(DataType type, const void* from, std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  std::vector<T> to(static_cast<std::size_t>(rows * columns));
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i)
      to[static_cast<std::size_t>(j * rows + i)] = narrowed<T>(load(type, from, j * leading + i));
  return to;
}

template <class T>
void multiply_widened(const Products& p, const Product& at, std::complex<double> alpha, std::complex<double> beta) {
  const auto rows_a = p.left == Op::none ? p.m : p.k, rows_b = p.right == Op::none ? p.k : p.n;
  const auto a = widened<T>(p.a.type, at.a, rows_a, p.left == Op::none ? p.k : p.m, p.a.leading);
  const auto b = widened<T>(p.b.type, at.b, rows_b, p.right == Op::none ? p.n : p.k, p.b.leading);
  auto c = beta == 0.0 ? std::vector<T>(static_cast<std::size_t>(p.m * p.n))
                       : widened<T>(p.c.type, at.c, p.m, p.n, p.c.leading);
  multiply_as<T>(p, a.data(), std::max<std::int64_t>(rows_a, 1), b.data(), std::max<std::int64_t>(rows_b, 1), c.data(),
                 std::max<std::int64_t>(p.m, 1), alpha, beta);
  for (std::int64_t j = 0; j < p.n; ++j)
    for (std::int64_t i = 0; i < p.m; ++i)
      store(p.c.type, at.c, j * p.c.leading + i, c[static_cast<std::size_t>(j * p.m + i)]);
}

const void* nth(const Products& p, const Factor& factor, std::int64_t i) {
  if (p.batch == Batch::listed) return static_cast<const void* const*>(factor.at)[i];
  return static_cast<const char*>(factor.at) + i * factor.distance * static_cast<long long>(element_bytes(factor.type));
}

Reach reach_of_factor(const Products& p, const Factor& factor, std::int64_t rows, std::int64_t columns,
                      const char* name) {
  const auto count = static_cast<std::uint64_t>(p.count);
  if (p.batch == Batch::listed) return {factor.at, count * sizeof(void*), name};
  const auto bytes = bytes_of_matrix(rows, columns, factor.leading, element_bytes(factor.type));
  if (bytes == 0 || factor.distance < 0) return {factor.at, bytes, name};
  return {factor.at, bytes + (count - 1) * static_cast<std::uint64_t>(factor.distance) * element_bytes(factor.type),
          name};
}

}  // namespace

bool can_multiply(const Products& p) {
  if (is_one_of_blas(p)) return true;
  return p.a.type == p.b.type && !is_complex(p.a.type) && !is_complex(p.c.type) && element_bytes(p.a.type) != 0 &&
         element_bytes(p.c.type) != 0;
}

void multiply_now(const Products& p, const Product& at, std::complex<double> alpha, std::complex<double> beta) {
  if (!is_one_of_blas(p)) {
    if (is_integer(p.a.type))  // products of bytes: each sum is exact in double
      multiply_widened<double>(p, at, alpha, beta);
    else
      multiply_widened<float>(p, at, alpha, beta);
    return;
  }
  switch (p.a.type) {
    case DataType::float32: return multiply_plain<float>(p, at, alpha, beta);
    case DataType::float64: return multiply_plain<double>(p, at, alpha, beta);
    case DataType::complex64: return multiply_plain<std::complex<float>>(p, at, alpha, beta);
    default: return multiply_plain<std::complex<double>>(p, at, alpha, beta);
  }
}

Outcome multiply(const char* function, Blas* blas, const Products& p) {
  if (blas == nullptr) return Outcome::uninitialized;
  const auto is_op = [](Op op) { return op == Op::none || op == Op::transposed || op == Op::adjoint; };
  if (!is_op(p.left) || !is_op(p.right) || p.m < 0 || p.n < 0 || p.k < 0 || p.count < 0) return Outcome::value;
  if (!can_multiply(p)) {
    say_not_supported(function, "elements of these types");
    return Outcome::unsupported;
  }
  const auto rows_a = p.left == Op::none ? p.m : p.k, rows_b = p.right == Op::none ? p.k : p.n;
  if (p.a.leading < std::max<std::int64_t>(rows_a, 1) || p.b.leading < std::max<std::int64_t>(rows_b, 1) ||
      p.c.leading < std::max<std::int64_t>(p.m, 1) || p.alpha == nullptr || p.beta == nullptr)
    return Outcome::value;
  if (p.m == 0 || p.n == 0 || p.count == 0) return Outcome::done;
  Posted posted{function, blas->stream, Waits::no, {}};
  posted.reaches = {reach_of_factor(p, p.a, rows_a, p.left == Op::none ? p.k : p.m, "A"),
                    reach_of_factor(p, p.b, rows_b, p.right == Op::none ? p.n : p.k, "B"),
                    reach_of_factor(p, p.c, p.m, p.n, "C")};
  const bool on_device = blas->pointers == PointerMode::device;
  std::complex<double> alpha, beta;
  if (on_device) {
    for (const auto* scalar : {p.alpha, p.beta}) posted.reaches.push_back({scalar, element_bytes(p.scale), "a scalar"});
  } else {
    alpha = load(p.scale, p.alpha);
    beta = load(p.scale, p.beta);
  }
  return post(posted, [=] {
    const auto by = on_device ? load(p.scale, p.alpha) : alpha, keep = on_device ? load(p.scale, p.beta) : beta;
    for (std::int64_t i = 0; i < p.count; ++i)
      multiply_now(p, {nth(p, p.a, i), nth(p, p.b, i), const_cast<void*>(nth(p, p.c, i))}, by, keep);
  });
}

int scale_type(int computation, DataType factors, DataType result) {
  constexpr int kHalf = 64, kHalfPedantic = 65, kDouble = 70, kDoublePedantic = 71, kDoubleEmulated = 79, kInt = 72,
                kIntPedantic = 73;
  switch (computation) {
    case kHalf:
    case kHalfPedantic: return static_cast<int>(DataType::half);
    case kDouble:
    case kDoublePedantic:
    case kDoubleEmulated: return static_cast<int>(is_complex(result) ? DataType::complex128 : DataType::float64);
    case kInt:
    case kIntPedantic: return static_cast<int>(result == DataType::int32 ? DataType::int32 : DataType::float32);
    case 68:
    case 69:
    case 74:
    case 75:
    case 77:
    case 78:
      return static_cast<int>(is_complex(result) || is_complex(factors) ? DataType::complex64 : DataType::float32);
    default: return -1;
  }
}

Outcome multiply_ex(const char* function, void* handle, Products products, int computation) {
  const int scale = scale_type(computation, products.a.type, products.c.type);
  if (scale < 0) return Outcome::unsupported;
  products.scale = static_cast<DataType>(scale);
  return multiply(function, find_blas(handle), products);
}

namespace {

template <class T> struct Lines {
  Op op;
  std::int64_t m, n, lda, step_x, step_y, count;
  Scalar<T> alpha, beta;
};

template <class T, class Place>
Outcome multiply_vectors(Blas* blas, const Lines<T>& l, std::vector<Reach> reaches, Place place) {
  if (l.m < 0 || l.n < 0 || l.count < 0 || l.lda < std::max<std::int64_t>(l.m, 1) || l.step_x == 0 || l.step_y == 0 ||
      !l.alpha.is_given() || !l.beta.is_given())
    return Outcome::value;
  if (l.m == 0 || l.n == 0 || l.count == 0) return Outcome::done;
  return post({"cublas gemvBatched", blas->stream, Waits::no, std::move(reaches)}, [=] {
    const T alpha = l.alpha.value(), beta = l.beta.value();
    for (std::int64_t i = 0; i < l.count; ++i) {
      const auto [a, x, y] = place(i);
      Fortran(with_letter("?gemv", kLetter<T>))
          .letter(letter_of(l.op))
          .number(l.m)
          .number(l.n)
          .at(&alpha)
          .at(a)
          .number(l.lda)
          .at(x)
          .number(l.step_x)
          .at(&beta)
          .at(y)
          .number(l.step_y)
          .run();
    }
  });
}

template <class T> struct Places {
  const T *a, *x;
  T* y;
};

}  // namespace

template <class T, class I>
int gemv_strided(void* handle, Op op, I m, I n, const T* alpha, const T* a, I lda, long long stride_a, const T* x,
                 I step_x, long long stride_x, const T* beta, T* y, I step_y, long long stride_y, I count) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (count < 0 || m < 0 || n < 0) return kBlasCodes.value;
  const auto over = [&](std::uint64_t bytes, long long stride) {
    return bytes == 0 ? 0 : bytes + static_cast<std::uint64_t>((count - 1) * std::abs(stride)) * sizeof(T);
  };
  const auto in = op == Op::none ? n : m, out = op == Op::none ? m : n;
  return kBlasCodes.of(multiply_vectors<T>(blas, {op, m, n, lda, step_x, step_y, count, {*blas, alpha}, {*blas, beta}},
                                           {{a, over(bytes_of_matrix(m, n, lda, sizeof(T)), stride_a), "A"},
                                            {x, over(bytes_of_vector(in, step_x, sizeof(T)), stride_x), "x"},
                                            {y, over(bytes_of_vector(out, step_y, sizeof(T)), stride_y), "y"}},
                                           [=](std::int64_t i) {
                                             return Places<T>{a + i * stride_a, x + i * stride_x, y + i * stride_y};
                                           }));
}

template <class T, class I>
int gemv_listed(void* handle, Op op, I m, I n, const T* alpha, const T* const* a, I lda, const T* const* x, I step_x,
                const T* beta, T* const* y, I step_y, I count) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (count < 0) return kBlasCodes.value;
  const auto bytes = static_cast<std::uint64_t>(count) * sizeof(void*);
  return kBlasCodes.of(multiply_vectors<T>(blas, {op, m, n, lda, step_x, step_y, count, {*blas, alpha}, {*blas, beta}},
                                           {{a, bytes, "A"}, {x, bytes, "x"}, {y, bytes, "y"}}, [=](std::int64_t i) {
                                             return Places<T>{a[i], x[i], y[i]};
                                           }));
}

#define XCUDA_VECTORS(T, I)                                                                                            \
  template int gemv_strided<T, I>(void*, Op, I, I, const T*, const T*, I, long long, const T*, I, long long, const T*, \
                                  T*, I, long long, I);                                                                \
  template int gemv_listed<T, I>(void*, Op, I, I, const T*, const T* const*, I, const T* const*, I, const T*,          \
                                 T* const*, I, I);
#define XCUDA_VECTORS_OF(T) XCUDA_VECTORS(T, int) XCUDA_VECTORS(T, std::int64_t)
XCUDA_VECTORS_OF(float)
XCUDA_VECTORS_OF(double)
XCUDA_VECTORS_OF(std::complex<float>)
XCUDA_VECTORS_OF(std::complex<double>)
#undef XCUDA_VECTORS_OF
#undef XCUDA_VECTORS

}  // namespace xcuda::runtime::math
