#include "device/cuda/gpu_memory.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/process_limits.hpp"
#include "base/units.hpp"
#include "device/id_errors.hpp"

namespace xcuda::device::cuda {

GpuMemory::GpuMemory(const Driver& driver, CUdevice device, const Window& wanted, Export how)
    : driver_(driver), device_(device), how_(how) {
  const auto request = properties();
  std::size_t granularity = 0;
  driver_.check(driver_.cuMemGetAllocationGranularity(&granularity, &request, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                "read the GPU's allocation granularity");
  granularity_ = granularity;
  CUdeviceptr base = 0;
  const auto size = within_address_space(wanted.size);
  driver_.check(driver_.cuMemAddressReserve(&base, size, 0, wanted.base, 0), ErrorKind::memory,
                fmt::format("reserve {} of addresses on the GPU", format_bytes(size)));
  window_ = {base, size};
}

GpuMemory::~GpuMemory() {
  for (const auto& [id, base] : opened_) driver_.report(driver_.cuIpcCloseMemHandle(base), "another process's memory");
  for (const auto& [id, block] : blocks_)
    driver_.report(driver_.cuMemUnmap(block.address, block.size), "the mapping of GPU memory");
  blocks_.clear();
  driver_.report(driver_.cuMemAddressFree(window_.base, window_.size), "the window of addresses");
}

CUmemAllocationProp GpuMemory::properties() const {
  CUmemAllocationProp request{};
  request.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  request.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device_}};
  request.requestedHandleTypes =
      how_ == Export::descriptor ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE;
  return request;
}

void GpuMemory::check_place(const MemoryRequest& request) const {
  if (blocks_.contains(request.id)) throw taken(request.id);
  const bool inside = request.address >= window_.base && request.size > 0 && request.size <= window_.size &&
                      request.address - window_.base <= window_.size - request.size;
  if (!inside || request.address % granularity_ != 0 || request.size % granularity_ != 0)
    throw Error(ErrorKind::value, fmt::format("cannot place {} at {:#x}", format_bytes(request.size), request.address))
        .advise(fmt::format("The address must be inside the window at {:#x} and a multiple of {}", window_.base,
                            format_bytes(granularity_)));
  for (const auto& [id, block] : blocks_)
    if (request.address < block.address + block.size && block.address < request.address + request.size)
      throw Error(ErrorKind::value,
                  fmt::format("cannot place {} at {:#x}: memory {} is already there", format_bytes(request.size),
                              request.address, static_cast<unsigned>(id)));
}

void GpuMemory::map(const MemoryRequest& request, Allocation memory) {
  CUresult result = driver_.cuMemMap(request.address, request.size, 0, memory.get(), 0);
  if (result == CUDA_SUCCESS) {
    CUmemAccessDesc access{};
    access.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device_}};
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    result = driver_.cuMemSetAccess(request.address, request.size, &access, 1);
    if (result != CUDA_SUCCESS) driver_.cuMemUnmap(request.address, request.size);
  }
  driver_.check(result, ErrorKind::memory, fmt::format("map {} at {:#x}", format_bytes(request.size), request.address));
  blocks_.emplace(request.id, Block{std::move(memory), request.address, request.size});
}

File GpuMemory::create(const MemoryRequest& request) {
  check_place(request);
  std::size_t free = 0, total = 0;
  driver_.check(driver_.cuMemGetInfo(&free, &total), "read how much memory is free");
  const std::uint64_t available = free > kReserve ? free - kReserve : 0;
  const auto refuse = [&] {
    return Error(ErrorKind::memory,
                 fmt::format("cannot allocate {} on the GPU: {} of {} are free", format_bytes(request.size),
                             format_bytes(available), format_bytes(total)));
  };
  if (request.size > available) throw refuse();
  const auto wanted = properties();
  CUmemGenericAllocationHandle handle = 0;
  const CUresult result = driver_.cuMemCreate(&handle, request.size, &wanted, 0);
  if (result != CUDA_SUCCESS) throw refuse().said(driver_.text(result));
  map(request, Allocation({&driver_, handle}));
  if (how_ == Export::none) return {};
  int descriptor = -1;
  const CUresult exported =
      driver_.cuMemExportToShareableHandle(&descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  if (exported != CUDA_SUCCESS) {
    destroy(request.id);
    driver_.check(exported, ErrorKind::memory, fmt::format("export {} of GPU memory", format_bytes(request.size)));
  }
  return File(descriptor);
}

void GpuMemory::import(const MemoryRequest& request, const File& descriptor) {
  check_place(request);
  CUmemGenericAllocationHandle handle = 0;
  // The driver takes the descriptor's value in place of a pointer.
  driver_.check(driver_.cuMemImportFromShareableHandle(
                    &handle, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor.get())),
                    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                ErrorKind::memory, fmt::format("import {} of GPU memory", format_bytes(request.size)));
  map(request, Allocation({&driver_, handle}));
}

Address GpuMemory::open(const ForeignMemory& memory) {
  if (blocks_.contains(memory.id) || opened_.contains(memory.id)) throw taken(memory.id);
  CUipcMemHandle handle;
  if (memory.handle.size() != sizeof handle)
    throw Error(ErrorKind::value, fmt::format("cannot open another process's memory: its handle has {} bytes, not {}",
                                              memory.handle.size(), sizeof handle));
  std::memcpy(&handle, memory.handle.data(), sizeof handle);
  CUdeviceptr base = 0;
  driver_.check(driver_.cuIpcOpenMemHandle(&base, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), ErrorKind::memory,
                "open another process's memory");
  opened_.emplace(memory.id, base);
  return base + memory.offset;
}

void GpuMemory::destroy(MemoryId id) {
  if (const auto opened = opened_.extract(id)) {
    driver_.check(driver_.cuIpcCloseMemHandle(opened.mapped()), "close another process's memory");
    return;
  }
  const auto found = blocks_.find(id);
  if (found == blocks_.end()) throw missing(id);
  const Block block = std::move(found->second);
  blocks_.erase(found);
  driver_.check(driver_.cuMemUnmap(block.address, block.size), "unmap GPU memory");
}

}  // namespace xcuda::device::cuda
