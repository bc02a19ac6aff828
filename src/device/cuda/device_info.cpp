#include "device/cuda/device_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "device/cuda/board.hpp"
#include "device/cuda/cuda_device.hpp"

namespace xcuda::device::cuda {
namespace {

int attribute(const Driver& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  driver.check(driver.cuDeviceGetAttribute(&value, which, device), "read an attribute of the GPU");
  return value;
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

// "580.65.06", from the loaded kernel module's own words: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06
// ...".
std::string driver_release() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  return "";
}

}  // namespace

DeviceInfo describe(const Driver& driver, CUdevice device, int ordinal) {
  const auto get = [&](CUdevice_attribute which) { return attribute(driver, device, which); };
  const auto count = [&](CUdevice_attribute which) { return static_cast<std::uint64_t>(std::max(0, get(which))); };
  DeviceInfo info;
  info.kind = Kind::cuda;
  info.ordinal = ordinal;
  char name[256] = {};
  driver.check(driver.cuDeviceGetName(name, sizeof name - 1, device), "read the GPU's name");
  info.name = name;
  info.compute_major = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.compute_minor = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.architecture = fmt::format("sm_{}{}", info.compute_major, info.compute_minor);
  int version = 0;
  driver.check(driver.cuDriverGetVersion(&version), "read the driver's version");
  const auto release = driver_release();
  info.driver =
      fmt::format("{}.{}{}", version / 1000, version % 1000 / 10, release.empty() ? "" : fmt::format(" ({})", release));
  CUuuid uuid{};
  if (driver.cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS) info.uuid = uuid_text(uuid);
  info.pci_domain = get(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
  info.pci_bus = get(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
  info.pci_device = get(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
  std::size_t total = 0;
  driver.check(driver.cuDeviceTotalMem(&total, device), "read the GPU's memory");
  info.memory_total = total;
  info.memory_outlives_process = get(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) != 0 &&
                                 get(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) != 0;
  info.multiprocessors = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.warp_size = get(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  info.max_threads_per_block = count(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.max_threads_per_multiprocessor = count(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info.max_blocks_per_multiprocessor = count(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  const auto u32 = [&](CUdevice_attribute which) { return static_cast<std::uint32_t>(get(which)); };
  info.max_block = {u32(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), u32(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                    u32(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)};
  info.max_grid = {u32(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), u32(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                   u32(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)};
  info.shared_per_block = count(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  info.shared_per_block_optin = count(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.shared_per_multiprocessor = count(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.registers_per_multiprocessor = count(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info.registers_per_block = count(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  info.constant_memory = count(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  info.l2_cache = count(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.clock_hz = 1e3 * get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  info.memory_clock_hz = 1e3 * get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  // Two transfers a clock (double data rate), the bus width in bits.
  info.peak_bandwidth = 2.0 * info.memory_clock_hz * get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  info.ecc = get(CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0;
  info.knows_arrays = false;
  info.cooperative_launch = get(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
  return info;
}

std::string occupancy_limiter(const DeviceInfo& info, const LaunchNeeds& needs) {
  if (needs.threads == 0) return "";
  const auto limit = [](std::uint64_t have, std::uint64_t need) { return need == 0 ? ~std::uint64_t{0} : have / need; };
  const std::uint64_t warp_threads = (needs.threads + 31) / 32 * 32;
  // Registers are given out per warp in units of 256 (CUDA's occupancy calculator, compute capability 7 and newer);
  // 1 KiB of shared memory per block is the system's (8 and newer).
  const std::uint64_t registers =
      (static_cast<std::uint64_t>(needs.registers) * 32 + 255) / 256 * 256 * (warp_threads / 32);
  const struct {
    std::uint64_t blocks;
    const char* name;
  } limits[] = {
      {limit(info.max_threads_per_multiprocessor, warp_threads), "threads"},
      {info.max_blocks_per_multiprocessor, "blocks"},
      {limit(info.registers_per_multiprocessor, registers), "registers"},
      {limit(info.shared_per_multiprocessor, needs.shared == 0 ? 0 : needs.shared + 1024), "shared memory"},
  };
  return std::min_element(std::begin(limits), std::end(limits),
                          [](const auto& a, const auto& b) { return a.blocks < b.blocks; })
      ->name;
}

std::vector<DeviceInfo> list_devices() {
  const Driver& driver = Driver::get();
  int count = 0;
  driver.check(driver.cuDeviceGetCount(&count), "count the GPUs");
  std::vector<DeviceInfo> list;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    driver.check(driver.cuDeviceGet(&device, i), fmt::format("open GPU {}", i));
    list.push_back(describe(driver, device, i));
  }
  std::vector<std::string> uuids;
  for (const auto& info : list) uuids.push_back(info.uuid);
  for (auto& info : list) info.board = read_board(info.uuid, uuids);
  return list;
}

}  // namespace xcuda::device::cuda
