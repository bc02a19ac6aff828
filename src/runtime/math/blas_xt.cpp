#include "runtime/math/blas_xt.hpp"

#include <algorithm>
#include <limits>

#include "runtime/math/handle_table.hpp"

namespace xcuda::runtime::math {
namespace {

struct Xt {
  int block = 2048, pinning = 0;  // kept for queries: nothing is cut into blocks or copied
  bool selected = false;
};
Xt* find_xt(const void* handle) { return table_of<Xt>().find(handle); }

int set_xt(const void* handle, int Xt::*member, int value, int least, int most) {
  auto* xt = find_xt(handle);
  if (xt == nullptr) return kBlasCodes.uninitialized;
  if (value < least || value > most) return kBlasCodes.value;
  xt->*member = value;
  return 0;
}
int get_xt(const void* handle, int Xt::*member, int* value) {
  const auto* xt = find_xt(handle);
  if (xt == nullptr) return kBlasCodes.uninitialized;
  if (value == nullptr) return kBlasCodes.value;
  *value = xt->*member;
  return 0;
}

bool is_only_device(int count, const int* devices) { return count == 1 && devices != nullptr && devices[0] == 0; }

}  // namespace

int create_xt(void** handle) {
  if (handle == nullptr) return kBlasCodes.value;
  if (open_blas() == nullptr) return kBlasCodes.uninitialized;
  *handle = table_of<Xt>().make();
  return 0;
}
int destroy_xt(void* handle) { return table_of<Xt>().remove(handle) ? 0 : kBlasCodes.uninitialized; }
int select_xt_devices(void* handle, int count, int* devices) {
  auto* xt = find_xt(handle);
  if (xt == nullptr) return kBlasCodes.uninitialized;
  if (!is_only_device(count, devices)) return kBlasCodes.value;
  xt->selected = true;
  return 0;
}
int set_xt_block(void* handle, int extent) {
  return set_xt(handle, &Xt::block, extent, 1, std::numeric_limits<int>::max());
}
int get_xt_block(void* handle, int* extent) { return get_xt(handle, &Xt::block, extent); }
int set_xt_pinning(void* handle, int mode) { return set_xt(handle, &Xt::pinning, mode, 0, 1); }
int get_xt_pinning(void* handle, int* mode) { return get_xt(handle, &Xt::pinning, mode); }
int most_xt_boards(int* count) {
  if (count == nullptr) return kBlasCodes.value;
  *count = 1;
  return 0;
}
int count_xt_boards(int count, int* devices, int* boards) {
  if (boards == nullptr || !is_only_device(count, devices)) return kBlasCodes.value;
  *boards = 1;
  return 0;
}

// Scalars are the host's, matrices may be anybody's. It returns when the product is there.
template <class T>
int multiply_xt(void* handle, Op left, Op right, std::size_t m, std::size_t n, std::size_t k, const T* alpha,
                const T* a, std::size_t lda, const T* b, std::size_t ldb, const T* beta, T* c, std::size_t ldc) {
  const auto* xt = find_xt(handle);
  if (xt == nullptr || !xt->selected) return kBlasCodes.uninitialized;
  const auto rows_a = left == Op::none ? m : k, rows_b = right == Op::none ? k : n;
  const auto fits = [](std::size_t leading, std::size_t rows) { return leading >= std::max<std::size_t>(rows, 1); };
  if (left < Op::none || left > Op::adjoint || right < Op::none || right > Op::adjoint || !fits(lda, rows_a) ||
      !fits(ldb, rows_b) || !fits(ldc, m) || alpha == nullptr || beta == nullptr)
    return kBlasCodes.value;
  const auto number = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  return kBlasCodes.of(post({"cublasXt gemm", nullptr, Waits::yes, {}}, [=] {
    Fortran(with_letter("?gemm", kLetter<T>))
        .letter("NTC"[static_cast<int>(left)])
        .letter("NTC"[static_cast<int>(right)])
        .number(number(m))
        .number(number(n))
        .number(number(k))
        .at(alpha)
        .at(a)
        .number(number(lda))
        .at(b)
        .number(number(ldb))
        .at(beta)
        .at(c)
        .number(number(ldc))
        .run();
  }));
}

#define XCUDA_XT(T)                                                                                                  \
  template int multiply_xt<T>(void*, Op, Op, std::size_t, std::size_t, std::size_t, const T*, const T*, std::size_t, \
                              const T*, std::size_t, const T*, T*, std::size_t);
XCUDA_XT(float)
XCUDA_XT(double)
XCUDA_XT(std::complex<float>)
XCUDA_XT(std::complex<double>)
#undef XCUDA_XT

}  // namespace xcuda::runtime::math
