#include "runtime/interprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <utility>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/shared_event.hpp"

namespace xcuda::runtime {
namespace {

constexpr std::uint64_t kMemoryMark = 0x6d65'6d6f'7279'2e31, kEventMark = 0x6576'656e'7473'2e31;

}  // namespace

std::uint64_t inode_of(int descriptor) {
  struct stat is {};
  return fstat(descriptor, &is) == 0 ? is.st_ino : 0;
}

File open_handle(const ProcessHandle& name) {
  const auto path = fmt::format("/proc/{}/fd/{}", name.process, name.descriptor);
  File file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  return file && inode_of(file.get()) == name.inode ? std::move(file) : File();
}

SharedEvent::SharedEvent() : file_(make_memory_file("xcuda-event", sizeof(Counts))), mapping_(file_, sizeof(Counts)) {}
SharedEvent::SharedEvent(File file) : file_(std::move(file)), mapping_(file_, sizeof(Counts)) {}

// Records of one process are reached in their order; another process's may be ahead.
void SharedEvent::reach(Number number) {
  auto& reached = counts().reached;
  Number before = reached.load(std::memory_order_relaxed);
  while (before < number && !reached.compare_exchange_weak(before, number, std::memory_order_acq_rel)) {}
}

OpenedMemory::OpenedMemory(OpenedMemory&& other) noexcept
    : begin(std::exchange(other.begin, nullptr)),
      size(other.size),
      inode(other.inode),
      offset(other.offset),
      pool(other.pool),
      count(other.count),
      closing(other.closing) {}
OpenedMemory::~OpenedMemory() {
  if (begin != nullptr) munmap(begin, size);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* to, void* pointer) {
  return with_state([&](State& state) {
    const auto found = state.memory.at(pointer);
    if (to == nullptr || !found || found->kind != Allocation::Kind::device || found->pool != nullptr)
      return cudaErrorInvalidValue;
    const auto place = state.memory.place_of(*found);
    if (!place) return cudaErrorNotSupported;
    write_handle(*to,
                 {.mark = kMemoryMark, .descriptor = place->descriptor, .offset = place->offset, .size = found->size});
    return cudaSuccess;
  });
}

cudaError_t open_memory(State& state, const ProcessHandle& name, cudaMemPool_t pool, void*& to) {
  const File file = open_handle(name);
  if (!file) return cudaErrorMapBufferObjectFailed;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)), before = name.offset % page;
  OpenedMemory opened;
  opened.size = before + name.size;
  void* at = mmap(nullptr, opened.size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                  static_cast<off_t>(name.offset - before));
  if (at == MAP_FAILED) return cudaErrorMapBufferObjectFailed;
  opened.begin = at;
  auto* begin = static_cast<std::byte*>(at) + before;
  const std::lock_guard lock(state.mutex);
  for (auto& [known, other] : state.opened)
    if (other.inode == name.inode && other.offset == name.offset && other.size == opened.size && other.pool == pool) {
      ++other.count;
      to = const_cast<void*>(known);
      return cudaSuccess;
    }
  opened.inode = name.inode;
  opened.offset = name.offset;
  opened.pool = pool;
  if (!state.memory.add({.kind = Allocation::Kind::opened,
                         .address = reinterpret_cast<device::Address>(begin),
                         .size = name.size,
                         .pool = pool}))
    return cudaErrorMapBufferObjectFailed;
  state.opened.emplace(begin, std::move(opened));
  to = begin;
  return cudaSuccess;
}

bool begin_to_close(State& state, const void* pointer) {
  const std::lock_guard lock(state.mutex);
  const auto found = state.opened.find(pointer);
  if (found == state.opened.end() || found->second.closing == found->second.count) return false;
  ++found->second.closing;
  note_freed(state, *state.memory.at(pointer));
  return true;
}

void end_to_close(State& state, const void* pointer) {
  const std::lock_guard lock(state.mutex);
  const auto found = state.opened.find(pointer);
  --found->second.closing;
  if (--found->second.count > 0) return;
  state.memory.free(pointer, {Allocation::Kind::opened});
  state.opened.erase(found);
}

bool close_memory(State& state, const void* pointer, OpenedBy by) {
  const std::lock_guard lock(state.mutex);
  const auto found = state.opened.find(pointer);
  if (found == state.opened.end() || (found->second.pool != nullptr) != (by == OpenedBy::pool)) return false;
  if (!begin_to_close(state, pointer)) return false;
  end_to_close(state, pointer);
  return true;
}

cudaError_t cudaIpcOpenMemHandle(void** to, cudaIpcMemHandle_t handle, unsigned flags) {
  return with_state([&](State& state) {
    const ProcessHandle name = read_handle(handle);
    if (to == nullptr || (flags & ~unsigned{cudaIpcMemLazyEnablePeerAccess}) != 0) return cudaErrorInvalidValue;
    if (name.mark != kMemoryMark) return cudaErrorInvalidResourceHandle;
    if (name.process == getpid()) return cudaErrorDeviceUninitialized;  // as a GPU has it
    return open_memory(state, name, nullptr, *to);
  });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return with_state([&](State& state) {
    state.engine.wait_for_all();
    if (state.engine.failure() != cudaSuccess) return state.engine.failure();
    return close_memory(state, pointer, OpenedBy::handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* to, cudaEvent_t event) {
  return with_state([&](State& state) {
    const Event* found = state.find_event(event);
    if (to == nullptr) return cudaErrorInvalidValue;
    if (found == nullptr || !found->shared) return cudaErrorInvalidResourceHandle;
    write_handle(*to, {.mark = kEventMark, .descriptor = found->shared->file().get()});
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* to, cudaIpcEventHandle_t handle) {
  return with_state([&](State& state) {
    const ProcessHandle name = read_handle(handle);
    if (to == nullptr) return cudaErrorInvalidValue;
    if (name.mark != kEventMark) return cudaErrorInvalidResourceHandle;
    if (name.process == getpid()) return cudaErrorDeviceUninitialized;
    File file = open_handle(name);
    if (!file) return cudaErrorMapBufferObjectFailed;
    auto event = std::make_unique<Event>();
    event->flags = cudaEventInterprocess | cudaEventDisableTiming;
    event->shared = std::make_shared<SharedEvent>(std::move(file));
    const std::lock_guard lock(state.mutex);
    *to = reinterpret_cast<cudaEvent_t>(event.get());
    state.events.emplace(*to, std::move(event));
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
