#include "runtime/math/blas_handles.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"

namespace xcuda::runtime::math {
namespace {

constexpr int kMajor = 13, kMinor = 1, kPatch = 0;  // of the cuBLAS whose functions these are
constexpr int kMappingError = 11;

std::mutex handles_mutex;
std::map<const void*, std::unique_ptr<Blas>>& handles() {
  static auto* const all = new std::map<const void*, std::unique_ptr<Blas>>;
  return *all;
}

std::unique_ptr<Blas> the_legacy_blas;
thread_local int legacy_status = 0;

struct BlasStatus {
  int number;
  const char *name, *text;
};
constexpr BlasStatus kStatuses[] = {
    {0, "CUBLAS_STATUS_SUCCESS", "success"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "the function requires an architectural feature absent from the device"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the requested functionality is not supported"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "the license check failed"},
};
const char* status_text(int status, const char* BlasStatus::*which) {
  for (const auto& one : kStatuses)
    if (one.number == status) return one.*which;
  return "unrecognized status";
}

// What a handle remembers.
template <class T> int set_member(void* handle, T Blas::*member, T value) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  blas->*member = value;
  return 0;
}
template <class T> int get_member(const void* handle, T Blas::*member, T* value) {
  const auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (value == nullptr) return kBlasCodes.value;
  *value = blas->*member;
  return 0;
}

// Columns of `rows` elements; a vector has one element in each.
struct MovedBox {
  std::int64_t rows, columns, bytes;
  const void* from;
  std::int64_t from_step;
  void* to;
  std::int64_t to_step;
  cudaMemcpyKind kind;
};
int move_box(const MovedBox& m, std::optional<cudaStream_t> stream = {}) {
  const auto least = std::max<std::int64_t>(m.rows, 1);
  if (m.rows < 0 || m.columns < 0 || m.bytes <= 0 || m.from_step < least || m.to_step < least) return kBlasCodes.value;
  if (m.rows == 0 || m.columns == 0) return 0;
  const RuntimeUnchanged unchanged;
  const auto size = [&](std::int64_t elements) { return static_cast<std::size_t>(elements * m.bytes); };
  const auto columns = static_cast<std::size_t>(m.columns), from = size(m.from_step), to = size(m.to_step);
  const auto error = stream ? runtime::cudaMemcpy2DAsync(m.to, to, m.from, from, size(m.rows), columns, m.kind, *stream)
                            : runtime::cudaMemcpy2D(m.to, to, m.from, from, size(m.rows), columns, m.kind);
  return error == cudaSuccess ? 0 : kMappingError;
}

}  // namespace

Blas* find_blas(const void* handle) {
  const std::lock_guard lock(handles_mutex);
  const auto found = handles().find(handle);
  return found == handles().end() ? nullptr : found->second.get();
}
Blas* legacy_blas() { return the_legacy_blas.get(); }
void keep_legacy_status(int status) {
  if (status != 0) legacy_status = status;
}

int create_blas(void** handle) {
  if (handle == nullptr) return kBlasCodes.value;
  if (open_blas() == nullptr) return kBlasCodes.uninitialized;
  auto blas = std::make_unique<Blas>();
  *handle = blas.get();
  const std::lock_guard lock(handles_mutex);
  handles().emplace(*handle, std::move(blas));
  return 0;
}

int destroy_blas(void* handle) {
  const RuntimeUnchanged unchanged;
  if (find_blas(handle) == nullptr) return kBlasCodes.uninitialized;
  runtime::cudaDeviceSynchronize();  // as cuBLAS does
  const std::lock_guard lock(handles_mutex);
  handles().erase(handle);
  return 0;
}

int blas_version(const void* handle, int* version) {
  if (handle != nullptr && find_blas(handle) == nullptr) return kBlasCodes.uninitialized;
  if (version == nullptr) return kBlasCodes.value;
  *version = kMajor * 10000 + kMinor * 100 + kPatch;
  return 0;
}
int blas_property(int which, int* value) {
  constexpr int kNumbers[] = {kMajor, kMinor, kPatch};
  if (value == nullptr || which < 0 || which > 2) return kBlasCodes.value;
  *value = kNumbers[which];
  return 0;
}
std::size_t blas_runtime_version() { return CUDART_VERSION; }
const char* blas_status_name(int status) { return status_text(status, &BlasStatus::name); }
const char* blas_status_text(int status) { return status_text(status, &BlasStatus::text); }

int set_blas_stream(void* handle, cudaStream_t stream) { return set_member(handle, &Blas::stream, stream); }
int get_blas_stream(const void* handle, cudaStream_t* stream) { return get_member(handle, &Blas::stream, stream); }
int set_blas_pointers(void* handle, PointerMode mode) {
  if (mode != PointerMode::host && mode != PointerMode::device) return kBlasCodes.value;
  return set_member(handle, &Blas::pointers, mode);
}
int get_blas_pointers(const void* handle, PointerMode* mode) { return get_member(handle, &Blas::pointers, mode); }
int set_blas_atomics(void* handle, int mode) { return set_member(handle, &Blas::atomics, mode); }
int get_blas_atomics(const void* handle, int* mode) { return get_member(handle, &Blas::atomics, mode); }
int set_blas_math(void* handle, int mode) { return set_member(handle, &Blas::math, mode); }
int get_blas_math(const void* handle, int* mode) { return get_member(handle, &Blas::math, mode); }
int set_blas_processors(void* handle, int count) {
  if (count < 0) return kBlasCodes.value;
  return set_member(handle, &Blas::processors, count);
}
int get_blas_processors(const void* handle, int* count) { return get_member(handle, &Blas::processors, count); }

int set_blas_workspace(void* handle, void* workspace, std::size_t bytes) {
  if (find_blas(handle) == nullptr) return kBlasCodes.uninitialized;
  return bytes > 0 && !is_device_memory(workspace) ? kBlasCodes.value : 0;
}
void blas_xerbla(const char* name, int info) {
  std::fprintf(stderr, " ** On entry to %s parameter number %d had an illegal value\n", name, info);
}

template <class I> int set_vector(I n, I bytes, const void* from, I from_step, void* to, I to_step) {
  return move_box({1, n, bytes, from, from_step, to, to_step, cudaMemcpyHostToDevice});
}
template <class I> int get_vector(I n, I bytes, const void* from, I from_step, void* to, I to_step) {
  return move_box({1, n, bytes, from, from_step, to, to_step, cudaMemcpyDeviceToHost});
}
template <class I> int set_matrix(I rows, I columns, I bytes, const void* from, I from_ld, void* to, I to_ld) {
  return move_box({rows, columns, bytes, from, from_ld, to, to_ld, cudaMemcpyHostToDevice});
}
template <class I> int get_matrix(I rows, I columns, I bytes, const void* from, I from_ld, void* to, I to_ld) {
  return move_box({rows, columns, bytes, from, from_ld, to, to_ld, cudaMemcpyDeviceToHost});
}
template <class I>
int set_vector_async(I n, I bytes, const void* from, I from_step, void* to, I to_step, cudaStream_t stream) {
  return move_box({1, n, bytes, from, from_step, to, to_step, cudaMemcpyHostToDevice}, stream);
}
template <class I>
int get_vector_async(I n, I bytes, const void* from, I from_step, void* to, I to_step, cudaStream_t stream) {
  return move_box({1, n, bytes, from, from_step, to, to_step, cudaMemcpyDeviceToHost}, stream);
}
template <class I>
int set_matrix_async(I rows, I columns, I bytes, const void* from, I from_ld, void* to, I to_ld, cudaStream_t stream) {
  return move_box({rows, columns, bytes, from, from_ld, to, to_ld, cudaMemcpyHostToDevice}, stream);
}
template <class I>
int get_matrix_async(I rows, I columns, I bytes, const void* from, I from_ld, void* to, I to_ld, cudaStream_t stream) {
  return move_box({rows, columns, bytes, from, from_ld, to, to_ld, cudaMemcpyDeviceToHost}, stream);
}
#define XCUDA_MOVES(I)                                                               \
  template int set_vector<I>(I, I, const void*, I, void*, I);                        \
  template int get_vector<I>(I, I, const void*, I, void*, I);                        \
  template int set_matrix<I>(I, I, I, const void*, I, void*, I);                     \
  template int get_matrix<I>(I, I, I, const void*, I, void*, I);                     \
  template int set_vector_async<I>(I, I, const void*, I, void*, I, cudaStream_t);    \
  template int get_vector_async<I>(I, I, const void*, I, void*, I, cudaStream_t);    \
  template int set_matrix_async<I>(I, I, I, const void*, I, void*, I, cudaStream_t); \
  template int get_matrix_async<I>(I, I, I, const void*, I, void*, I, cudaStream_t);
XCUDA_MOVES(int)
XCUDA_MOVES(std::int64_t)
#undef XCUDA_MOVES

int legacy_init() {
  if (open_blas() == nullptr) return kBlasCodes.uninitialized;
  if (the_legacy_blas == nullptr) the_legacy_blas = std::make_unique<Blas>();
  return 0;
}
int legacy_shutdown() {
  if (the_legacy_blas == nullptr) return kBlasCodes.uninitialized;
  const RuntimeUnchanged unchanged;
  runtime::cudaDeviceSynchronize();
  the_legacy_blas.reset();
  return 0;
}
int legacy_error() { return std::exchange(legacy_status, 0); }
int legacy_version(int* version) {
  return the_legacy_blas == nullptr ? kBlasCodes.uninitialized : blas_version(nullptr, version);
}
int legacy_allocate(int n, int bytes, void** to) {
  if (the_legacy_blas == nullptr) return kBlasCodes.uninitialized;
  if (n <= 0 || bytes <= 0 || to == nullptr) return kBlasCodes.value;
  const RuntimeUnchanged unchanged;
  return runtime::cudaMalloc(to, static_cast<std::size_t>(n) * static_cast<std::size_t>(bytes)) == cudaSuccess
             ? 0
             : kBlasCodes.memory;
}
int legacy_free(void* address) {
  if (the_legacy_blas == nullptr) return kBlasCodes.uninitialized;
  const RuntimeUnchanged unchanged;
  return runtime::cudaFree(address) == cudaSuccess ? 0 : 14;  // CUBLAS_STATUS_INTERNAL_ERROR, as cuBLAS says
}
int legacy_set_stream(cudaStream_t stream) {
  if (the_legacy_blas == nullptr) return kBlasCodes.uninitialized;
  the_legacy_blas->stream = stream;
  return 0;
}

// --- emulation ------------------------------------------------------------------------------------------------------

namespace {

template <class T> int set_emulation(void* handle, T Blas::Emulation::*member, T value, Conditions fits) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (!all_hold(fits)) return kBlasCodes.value;
  blas->emulation.*member = value;
  return 0;
}
template <class T> int get_emulation(const void* handle, T Blas::Emulation::*member, T* value) {
  const auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (value == nullptr) return kBlasCodes.value;
  *value = blas->emulation.*member;
  return 0;
}

}  // namespace

int set_emulation_strategy(void* handle, int strategy) {
  return set_emulation(handle, &Blas::Emulation::strategy, strategy, {strategy >= 0, strategy <= 2});
}
int get_emulation_strategy(void* handle, int* strategy) {
  return get_emulation(handle, &Blas::Emulation::strategy, strategy);
}
int set_special_values(void* handle, int mask) {
  return set_emulation(handle, &Blas::Emulation::special_values, mask, {mask == 0xffff || (mask >= 0 && mask <= 3)});
}
int get_special_values(void* handle, int* mask) {
  return get_emulation(handle, &Blas::Emulation::special_values, mask);
}
int set_mantissa_control(void* handle, int control) {
  return set_emulation(handle, &Blas::Emulation::mantissa_control, control, {control == 0 || control == 1});
}
int get_mantissa_control(void* handle, int* control) {
  return get_emulation(handle, &Blas::Emulation::mantissa_control, control);
}
int set_most_mantissa_bits(void* handle, int bits) {
  return set_emulation(handle, &Blas::Emulation::most_bits, bits, {bits >= 0});
}
int get_most_mantissa_bits(void* handle, int* bits) { return get_emulation(handle, &Blas::Emulation::most_bits, bits); }
int set_mantissa_offset(void* handle, int bits) {
  return set_emulation(handle, &Blas::Emulation::bit_offset, bits, {});
}
int get_mantissa_offset(void* handle, int* bits) { return get_emulation(handle, &Blas::Emulation::bit_offset, bits); }
int set_mantissa_count(void* handle, int* bits) { return set_emulation(handle, &Blas::Emulation::bit_count, bits, {}); }
int get_mantissa_count(void* handle, int** bits) { return get_emulation(handle, &Blas::Emulation::bit_count, bits); }

}  // namespace xcuda::runtime::math
