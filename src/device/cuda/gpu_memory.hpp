// Physical memory of a GPU, mapped in the session's window and exported so that it outlives the process.
#pragma once

#include <map>

#include "device/cuda/owned.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

class GpuMemory {
 public:
  // Whether descriptors can be had (DeviceInfo::memory_outlives_process).
  enum class Export : std::uint8_t { descriptor, none };
  // Reserves the window.
  GpuMemory(const Driver& driver, CUdevice device, const Window& wanted, Export how);
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  ~GpuMemory();

  Window window() const { return window_; }
  std::uint64_t granularity() const { return granularity_; }

  File create(const MemoryRequest& request);  // zeroed by the caller; Errors: memory, value
  void import(const MemoryRequest& request, const File& descriptor);
  Address open(const ForeignMemory& memory);  // Errors: value, memory
  void destroy(MemoryId id);

  // Bytes that are never handed out, so that the context of a new process always fits.
  static constexpr std::uint64_t kReserve = std::uint64_t{1} << 30;

 private:
  struct Block {
    Allocation memory;
    Address address = 0;
    std::uint64_t size = 0;
  };
  CUmemAllocationProp properties() const;
  void check_place(const MemoryRequest& request) const;
  void map(const MemoryRequest& request, Allocation memory);

  const Driver& driver_;
  CUdevice device_;
  Export how_;
  Window window_;
  std::uint64_t granularity_ = 0;
  std::map<MemoryId, Block> blocks_;
  std::map<MemoryId, CUdeviceptr> opened_;  // where another process's allocation begins here
};

}  // namespace xcuda::device::cuda
