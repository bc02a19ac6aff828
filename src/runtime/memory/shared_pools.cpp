// Pools that other processes import: a descriptor names the pool, and a handle each piece of its memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/errors.hpp"
#include "runtime/interprocess.hpp"
#include "runtime/memory/pool_calls.hpp"

namespace xcuda::runtime {
namespace {

constexpr std::uint64_t kPieceMark = 0x706f'6f6c'7374'2e31;
constexpr std::uint64_t kPoolMark = 0x706f'6f6c'6669'2e32;  // all that the file of a pool holds

cudaError_t check_type(cudaMemAllocationHandleType type, unsigned flags) {
  if (flags != 0) return cudaErrorInvalidValue;
  return type == cudaMemHandleTypePosixFileDescriptor ? cudaSuccess : cudaErrorNotSupported;
}

}  // namespace

// What is imported counts as the device's memory.
cudaError_t make_exportable(Pool& pool) {
  if (pool.where != Pool::Where::device) {
    say("cudaMemPoolCreate(): on the CPU device, pools of the host's and of managed memory are not shared with other "
        "processes: make the pool on the device, or with cudaMemHandleTypeNone");
    return cudaErrorNotSupported;
  }
  pool.file = File(::memfd_create("xcuda-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const bool is_made = pool.file && ::write(pool.file.get(), &kPoolMark, sizeof kPoolMark) == sizeof kPoolMark &&
                       ::fcntl(pool.file.get(), F_ADD_SEALS, kSeals) == 0;
  return is_made ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaError_t cudaMemPoolExportToShareableHandle(void* to, cudaMemPool_t pool, cudaMemAllocationHandleType type,
                                               unsigned flags) {
  return with_pool(pool, [&](State&, Pool& found) {
    if (const auto error = check_type(type, flags); error != cudaSuccess) return error;
    if (to == nullptr || !found.file || found.is_imported) return cudaErrorInvalidValue;
    const int descriptor = ::dup(found.file.get());
    if (descriptor < 0) return cudaErrorOperatingSystem;
    *static_cast<int*>(to) = descriptor;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* to, void* handle, cudaMemAllocationHandleType type,
                                                 unsigned flags) {
  return with_state([&](State& state) {
    if (const auto error = check_type(type, flags); error != cudaSuccess) return error;
    if (to == nullptr) return cudaErrorInvalidValue;
    auto pool = std::make_unique<Pool>();
    pool->file = File(::fcntl(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)), F_DUPFD_CLOEXEC, 0));
    if (!pool->file) return errno == EBADF ? cudaErrorInvalidValue : cudaErrorOperatingSystem;
    std::uint64_t mark = 0;
    if (::pread(pool->file.get(), &mark, sizeof mark, 0) != sizeof mark || mark != kPoolMark)
      return cudaErrorInvalidValue;
    pool->is_imported = true;
    const std::lock_guard lock(state.mutex);
    *to = reinterpret_cast<cudaMemPool_t>(state.pools.insert(std::move(pool)).first->get());
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* to, void* pointer) {
  return with_state([&](State& state) {
    const auto found = state.memory.at(pointer);
    const Pool* const pool = found ? state.find_pool(found->pool) : nullptr;
    if (to == nullptr || pool == nullptr || !pool->file || pool->is_imported) return cudaErrorInvalidValue;
    const auto place = state.memory.place_of(*found);
    if (!place) return cudaErrorNotSupported;
    write_handle(*to, {.mark = kPieceMark,
                       .descriptor = place->descriptor,
                       .offset = place->offset,
                       .size = found->size,
                       .pool = inode_of(pool->file.get())});
    return cudaSuccess;
  });
}

// The mapping stays until it is freed here. Once the exporter frees the memory, it may give the same bytes to another
// allocation.
cudaError_t cudaMemPoolImportPointer(void** to, cudaMemPool_t pool, cudaMemPoolPtrExportData* from) {
  return with_pool(pool, [&](State& state, Pool& found) {
    if (to == nullptr || from == nullptr || !found.is_imported) return cudaErrorInvalidValue;
    const ProcessHandle name = read_handle(*from);
    if (name.mark != kPieceMark || name.pool != inode_of(found.file.get())) return cudaErrorInvalidValue;
    const auto error = open_memory(state, name, pool, *to);
    if (error != cudaSuccess) return error;
    count_allocated(state, found, name.size);
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
