// Memory that the program maps itself: it belongs to no context, and stays when the device is reset.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/shared_memory.hpp"
#include "runtime/driver/driver_calls.hpp"
#include "runtime/driver/driver_mappings.hpp"
#include "runtime/memory/mapped_memory.hpp"

namespace xcuda::runtime::driver {
namespace {

using Handle = CUmemGenericAllocationHandle;

struct OwnMappings {
  std::mutex mutex;
  MappedMemory memory;
  std::map<Handle, std::shared_ptr<MemoryFile>> files;
  Handle next = 1;
};

OwnMappings& own_mappings() {
  static auto* const own = new OwnMappings;  // programs end with memory that is mapped
  return *own;
}

// `before`: what may take long, without the lock, so that other threads may map memory meanwhile.
template <class Before, class Use> CUresult with_mappings(const Before& before, const Use& use) {
  return after_init([&] {
    return with_state([&](State& state) {
      before(state);
      auto& own = own_mappings();
      const std::lock_guard lock(own.mutex);
      return use(own, state);
    });
  });
}
template <class Use> CUresult with_mappings(const Use& use) {
  return with_mappings([](State&) {}, use);
}

// For what takes a handle.
template <class Use> CUresult with_file(Handle handle, const Use& use) {
  return with_mappings([&](OwnMappings& own, State& state) {
    const auto found = own.files.find(handle);
    return found == own.files.end() ? cudaErrorInvalidValue : use(own, state, found);
  });
}

cudaError_t read_properties(const CUmemAllocationProp* wanted, MemoryFile& file) {
  if (wanted == nullptr || wanted->type != CU_MEM_ALLOCATION_TYPE_PINNED) return cudaErrorInvalidValue;
  const auto& place = wanted->location;
  file.is_host = place.type == CU_MEM_LOCATION_TYPE_HOST || place.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
                 place.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
  if (!file.is_host && place.type != CU_MEM_LOCATION_TYPE_DEVICE) return cudaErrorInvalidValue;
  if (!file.is_host && place.id != 0) return cudaErrorInvalidDevice;
  if (wanted->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE &&
      wanted->requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return cudaErrorNotSupported;
  file.exportable = wanted->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return cudaSuccess;
}

Handle keep_file(OwnMappings& own, std::shared_ptr<MemoryFile> file) {
  own.files.emplace(own.next, std::move(file));
  return own.next++;
}

}  // namespace

void name_own_mappings(MemoryMap& memory) {
  auto& own = own_mappings();
  const std::lock_guard lock(own.mutex);
  own.memory.name_again(memory);
}

CUresult cuMemAddressReserve(CUdeviceptr* to, std::size_t bytes, std::size_t alignment, CUdeviceptr hint,
                             unsigned long long flags) {
  return with_mappings([&](OwnMappings& own, State&) {
    if (to == nullptr || flags != 0) return cudaErrorInvalidValue;
    device::Address at = 0;
    const auto error = own.memory.reserve(bytes, alignment, hint, at);
    if (error == cudaSuccess) *to = at;
    return error;
  });
}
CUresult cuMemAddressFree(CUdeviceptr at, std::size_t bytes) {
  return with_mappings([&](OwnMappings& own, State&) { return own.memory.release(at, bytes); });
}

// The machine gives its memory when it is first written.
CUresult cuMemCreate(Handle* to, std::size_t bytes, const CUmemAllocationProp* wanted, unsigned long long flags) {
  return with_mappings([&](OwnMappings& own, State& state) {
    auto file = std::make_shared<MemoryFile>();
    if (to == nullptr || flags != 0 || bytes == 0 || bytes % MappedMemory::kGranularity != 0)
      return cudaErrorInvalidValue;
    if (const auto error = read_properties(wanted, *file); error != cudaSuccess) return error;
    if (bytes > state.memory.free_bytes()) return cudaErrorMemoryAllocation;
    file->file = make_memory_file("xcuda-mapped", bytes, Reserve::as_used);
    file->size = bytes;
    *to = keep_file(own, std::move(file));
    return cudaSuccess;
  });
}
CUresult cuMemRelease(Handle handle) {
  return with_file(handle, [](OwnMappings& own, State&, auto found) {
    if (--found->second->handles == 0) own.files.erase(found);
    return cudaSuccess;
  });
}
CUresult cuMemRetainAllocationHandle(Handle* to, void* address) {
  return with_mappings([&](OwnMappings& own, State&) {
    const auto file = own.memory.file_at(reinterpret_cast<device::Address>(address));
    if (to == nullptr || file == nullptr) return cudaErrorInvalidValue;
    for (const auto& [handle, known] : own.files)
      if (known == file) {
        ++file->handles;
        *to = handle;
        return cudaSuccess;
      }
    file->handles = 1;
    *to = keep_file(own, file);
    return cudaSuccess;
  });
}

CUresult cuMemMap(CUdeviceptr at, std::size_t bytes, std::size_t offset, Handle handle, unsigned long long flags) {
  return with_file(handle, [&](OwnMappings& own, State&, auto found) {
    return offset != 0 || flags != 0 ? cudaErrorInvalidValue : own.memory.map(at, bytes, found->second);
  });
}
CUresult cuMemUnmap(CUdeviceptr at, std::size_t bytes) {
  return with_mappings([](State& state) { state.engine.wait_for_all(); },
                       [&](OwnMappings& own, State& state) { return own.memory.unmap(state.memory, at, bytes); });
}

CUresult cuMemSetAccess(CUdeviceptr at, std::size_t bytes, const CUmemAccessDesc* wanted, std::size_t count) {
  return with_mappings([&](OwnMappings& own, State& state) {
    if (wanted == nullptr || count == 0) return cudaErrorInvalidValue;
    MappedMemory::Access access = 0;
    for (std::size_t i = 0; i < count; ++i) {  // host and device see one mapping, with what either of them may do
      if (wanted[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE && wanted[i].location.id != 0)
        return cudaErrorInvalidDevice;
      switch (wanted[i].flags) {
        case CU_MEM_ACCESS_FLAGS_PROT_NONE: break;
        case CU_MEM_ACCESS_FLAGS_PROT_READ: access |= PROT_READ; break;
        case CU_MEM_ACCESS_FLAGS_PROT_READWRITE: access |= PROT_READ | PROT_WRITE; break;
        default: return cudaErrorInvalidValue;
      }
    }
    return own.memory.set_access(state.memory, at, bytes, access);
  });
}
CUresult cuMemGetAccess(unsigned long long* to, const CUmemLocation* location, CUdeviceptr at) {
  return with_mappings([&](OwnMappings& own, State&) {
    const auto* const access = own.memory.access_of(at);
    if (to == nullptr || location == nullptr || access == nullptr) return cudaErrorInvalidValue;
    *to = (*access & PROT_WRITE) != 0 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
          : *access != 0              ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                      : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return cudaSuccess;
  });
}

CUresult cuMemGetAllocationGranularity(std::size_t* to, const CUmemAllocationProp* wanted,
                                       CUmemAllocationGranularity_flags which) {
  return after_init([&] {
    MemoryFile unused;
    if (const auto error = read_properties(wanted, unused); error != cudaSuccess) return error;
    return which > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED ? cudaErrorInvalidValue : give(to, MappedMemory::kGranularity);
  });
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* to, Handle handle) {
  return with_file(handle, [&](OwnMappings&, State&, auto found) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = {};
    to->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    to->location.type = found->second->is_host ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
    if (found->second->exportable) to->requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return cudaSuccess;
  });
}

CUresult cuMemExportToShareableHandle(void* to, Handle handle, CUmemAllocationHandleType type,
                                      unsigned long long flags) {
  return with_file(handle, [&](OwnMappings&, State&, auto found) {
    if (to == nullptr || flags != 0 || !found->second->exportable) return cudaErrorInvalidValue;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return cudaErrorNotSupported;
    const int copy = ::dup(found->second->file.get());
    return copy < 0 ? cudaErrorOperatingSystem : give(static_cast<int*>(to), copy);
  });
}
CUresult cuMemImportFromShareableHandle(Handle* to, void* handle, CUmemAllocationHandleType type) {
  return with_mappings([&](OwnMappings& own, State&) {
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return cudaErrorNotSupported;
    auto file = std::make_shared<MemoryFile>();
    file->file = File(::dup(static_cast<int>(reinterpret_cast<std::intptr_t>(handle))));
    struct stat is {};
    if (to == nullptr || !file->file || ::fstat(file->file.get(), &is) != 0 || is.st_size <= 0 ||
        static_cast<std::uint64_t>(is.st_size) % MappedMemory::kGranularity != 0)
      return cudaErrorInvalidValue;
    file->size = static_cast<std::uint64_t>(is.st_size);
    file->exportable = true;
    *to = keep_file(own, std::move(file));
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime::driver
