// Memory and events of other processes of this machine. A handle names a descriptor of the process that made it, which
// /proc opens for processes of the same user as long as that one lives; memory that is open stays when it ends.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "base/handle.hpp"
#include "runtime/api_calls.hpp"

namespace xcuda::runtime {

// The text of a handle, which has 64 bytes of the caller's.
struct ProcessHandle {
  std::uint64_t mark = 0;
  std::int32_t process = 0, descriptor = -1;
  std::uint64_t inode = 0;             // the descriptor's number may be another file's by now
  std::uint64_t offset = 0, size = 0;  // of memory, bytes in the file
  std::uint64_t pool = 0;              // of memory, the inode of its pool
};
static_assert(sizeof(ProcessHandle) <= CUDA_IPC_HANDLE_SIZE);
static_assert(sizeof(ProcessHandle) <= sizeof(cudaMemPoolPtrExportData));

std::uint64_t inode_of(int descriptor);

template <class To> void write_handle(To& to, ProcessHandle name) {
  name.process = getpid();
  name.inode = inode_of(name.descriptor);
  to = {};
  std::memcpy(&to, &name, sizeof name);
}
template <class From> ProcessHandle read_handle(const From& from) {
  ProcessHandle name;
  std::memcpy(static_cast<void*>(&name), &from, sizeof name);  // of any bytes
  return name;
}

// Empty: the process has ended, has closed the descriptor, or is another user's.
File open_handle(const ProcessHandle& name);

// Opening a handle again gives the same address, and has to be closed as often. `pool`: null, or that of the import.
cudaError_t open_memory(State& state, const ProcessHandle& name, cudaMemPool_t pool, void*& to);

// Closes once what was opened so, when nothing uses it. False: there is nothing left to close.
enum class OpenedBy : std::uint8_t { handle, pool };
bool close_memory(State& state, const void* pointer, OpenedBy by);
// The same in two steps, for cudaFreeAsync(): what comes next counts it as closed, but it is still there.
bool begin_to_close(State& state, const void* pointer);
void end_to_close(State& state, const void* pointer);

}  // namespace xcuda::runtime
