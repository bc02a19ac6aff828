// Runs kernels block by block on the calling thread: the least that generated code needs, for tests and benchmarks.
#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/loaded_program.hpp"
#include "device/cpu/run/launch_state.hpp"

namespace xcuda::device::cpu {

// What a service was told.
struct ServiceRecord {
  Service service{};
  std::uint32_t site = 0, mask = 0, warp = 0;
  std::uint32_t block[3] = {};
  std::vector<std::uint64_t> arguments;  // [0] of each lane
};

class Arguments {
 public:
  template <class T> Arguments& add(T value) {
    const std::size_t at = (bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class KernelHarness {
 public:
  explicit KernelHarness(const std::string& ptx_text, Translator& translator)
      : program_(translator.load({"In[1]", ptx_text})) {}

  template <class Array> void name(const Array& array) {
    ranges_.push_back({reinterpret_cast<std::uint64_t>(array.data()), array.size() * sizeof(array[0])});
  }
  void forget() { ranges_.clear(); }

  struct Run {
    std::string entry;
    Dim3 grid, block;
    std::uint32_t dynamic_shared = 0;
    Checks checks;
  };
  Outcome run(const Run& request, const Arguments& arguments) {
    const KernelCode& code = program_->kernel({request.entry, request.grid, request.block, request.checks});
    LaunchAbi launch;
    launch.grid[0] = request.grid.x, launch.grid[1] = request.grid.y, launch.grid[2] = request.grid.z;
    launch.block[0] = request.block.x, launch.block[1] = request.block.y, launch.block[2] = request.block.z;
    const auto threads = static_cast<std::uint32_t>(request.block.count());
    launch.warps = (threads + 31) / 32;
    launch.last_mask = threads % 32 ? (1u << threads % 32) - 1 : ~0u;
    launch.dynamic_shared = request.dynamic_shared;
    launch.shared_bytes = code.static_shared + request.dynamic_shared;
    std::vector<std::byte> parameters = arguments.bytes();
    parameters.resize(parameters.size() + 64);
    launch.parameters = parameters.data();
    std::vector<AddressRange> bounds;
    for (const BoundsSlot& slot : code.bounds) bounds.push_back(range_of(slot, parameters));
    launch.bounds = bounds.data();
    launch.variables = program_->variable_addresses();
    launch.runtime = this;
    launch.check = check_lanes;
    launch.services = {check,
                       other<Service::print>,
                       other<Service::assert_failed>,
                       other<Service::trap>,
                       other<Service::allocate>,
                       other<Service::release>,
                       other<Service::sleep>,
                       other<Service::timer>};
    code_ = &code;
    bounds_ = bounds;

    BlockFrame frame;
    frame.launch = &launch;
    grow(shared_, launch.shared_bytes + 2 * kSharedMargin);
    grow(saves_, std::size_t{launch.warps} * code.save_bytes + 64);
    grow(locals_, std::size_t{launch.warps} * 32 * code.local_bytes + 64);
    frame.shared = shared_.get() + kSharedMargin;
    frame.saves = saves_.get();
    frame.locals = locals_.get();
    std::vector<AddressRange> caches(code.cached_ranges + 1);
    frame.caches = caches.data();
    for (std::uint32_t z = 0; z < request.grid.z; ++z)
      for (std::uint32_t y = 0; y < request.grid.y; ++y) {
        frame.block_index[1] = y, frame.block_index[2] = z;
        const auto outcome = static_cast<Outcome>(code.run(&frame, 0, request.grid.x));
        if (outcome != Outcome::finished) return outcome;
      }
    return Outcome::finished;
  }

  const KernelCode& code() const { return *code_; }
  LoadedModule& program() { return *program_; }
  // What the pointer in a slot may reach.
  AddressRange range_of(const BoundsSlot& slot, const std::vector<std::byte>& parameters) const {
    if (slot.variable >= 0) {
      const std::uint64_t address = program_->variable_addresses()[slot.variable];
      for (const VariableInfo& variable : program_->variables())
        if (variable.address == address) return {address, variable.size};
      return {};
    }
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, parameters.data() + slot.parameter_offset, 8);
    return find(pointer);
  }
  std::vector<ServiceRecord> records;
  const std::byte* shared() const { return shared_.get() + kSharedMargin; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  static void grow(Memory& memory, std::size_t size) {
    memory.reset(static_cast<std::byte*>(std::aligned_alloc(128, (size + 255) / 128 * 128)));
    std::memset(memory.get(), 0, size);
  }

  AddressRange find(std::uint64_t address) const {
    for (const AddressRange& range : ranges_)
      if (address - range.begin < range.size) return range;
    return {};
  }

  static void keep(BlockFrame* frame, const LaneCall* call, Service service) {
    auto& self = *static_cast<KernelHarness*>(frame->launch->runtime);
    ServiceRecord record{service, call->site, call->mask, call->warp, {}, {}};
    std::copy(std::begin(frame->block_index), std::end(frame->block_index), record.block);
    record.arguments.assign(std::begin(call->arguments[0]), std::end(call->arguments[0]));
    self.records.push_back(record);
  }

  static std::uint32_t check(BlockFrame* frame, LaneCall* call) {
    auto& self = *static_cast<KernelHarness*>(frame->launch->runtime);
    const AccessSite& site = self.code_->sites[call->site];
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (!(call->mask >> lane & 1)) continue;
      const std::uint64_t address = call->arguments[0][lane];
      AddressRange range;
      if (site.space == AccessSite::Space::shared)
        range = {0, frame->launch->shared_bytes};
      else if (site.space == AccessSite::Space::local)
        continue;
      else if (site.slot >= 0)
        range = self.bounds_[static_cast<std::size_t>(site.slot)];
      else
        range = self.find(address);
      if (range.size < site.size || address - range.begin > range.size - site.size) {
        keep(frame, call, Service::check_access);
        return 1;
      }
      if (site.cache >= 0) frame->caches[site.cache] = range;
    }
    return 0;
  }

  template <Service service> static std::uint32_t other(BlockFrame* frame, LaneCall* call) {
    keep(frame, call, service);
    for (std::uint64_t& result : call->results) result = 1;
    return service == Service::trap || service == Service::assert_failed ? 1 : 0;
  }

  std::unique_ptr<LoadedModule> program_;
  std::vector<AddressRange> ranges_, bounds_;
  Memory shared_, saves_, locals_;
  const KernelCode* code_ = nullptr;
};

}  // namespace xcuda::device::cpu
