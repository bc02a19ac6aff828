// A device with what the tests do to it again and again.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "device/transfer.hpp"
#include "tests/contract/contract.hpp"

namespace xcuda::device::contract {

class Contract : public testing::TestWithParam<ContractDevice> {
 protected:
  void SetUp() override;
  void start(const Window& window = {});  // again: the device before is gone

  Device& device() { return *device_; }
  const DeviceInfo& info() const { return info_; }
  bool supervised() const { return GetParam().life == Life::supervised; }
  bool has_process() const { return GetParam().life != Life::in_process; }

  // A piece of memory of its own; index chooses the place in the window.
  Address add_memory(std::uint32_t index, std::uint64_t granules = 1);
  MemoryRequest memory_request(std::uint32_t index, std::uint64_t granules = 1) const;

  const ModuleInfo& load();                         // the kernels of the suite, as module 1
  const ModuleInfo& load(const std::string& file);  // a PTX file of the suite, as module 1
  ModuleImage image(std::uint32_t id) const;
  const FunctionInfo& function(const std::string& entry) const;

  // A request with its arguments laid out as the module says. Returns the launch's number.
  template <class... Arguments>
  LaunchRequest request(const std::string& entry, std::uint32_t threads, const Arguments&... arguments) {
    LaunchRequest launch;
    launch.number = ++number_;
    launch.module = ModuleId{1};
    launch.entry = entry;
    launch.block = {std::min(threads, 128u), 1, 1};
    launch.grid = {(threads + 127) / 128, 1, 1};
    const auto& layout = function(entry).parameters;
    EXPECT_EQ(layout.size(), sizeof...(arguments)) << entry;
    if (!layout.empty()) launch.arguments.resize(layout.back().offset + layout.back().size);
    std::size_t index = 0;
    (put(launch, layout.at(index++), arguments), ...);
    return launch;
  }
  template <class... Arguments>
  std::uint64_t launch(const std::string& entry, std::uint32_t threads, const Arguments&... arguments) {
    const auto made = request(entry, threads, arguments...);
    device().post_launch(made);
    return made.number;
  }

  Completion finish(const WaitRequest& request = {}) { return device().synchronize(request); }
  // ... when nothing may have gone wrong.
  Completion finish_well();

  template <class T> std::vector<T> read(Address from, std::size_t count) {
    std::vector<T> values(count);
    Transfer(device()).read({.address = from, .width = count * sizeof(T)}, std::as_writable_bytes(std::span(values)));
    return values;
  }
  template <class T> void write(Address to, const std::vector<T>& values) {
    Transfer(device()).write({.address = to, .width = values.size() * sizeof(T)}, std::as_bytes(std::span(values)));
  }
  void fill(Address address, std::uint64_t count, std::uint32_t value, StreamId stream = {});

  std::string output_;   // of the device's process
  Interrupt interrupt_;  // of calls and blocked posts

 private:
  template <class T> static void put(LaunchRequest& launch, const ParameterLayout& layout, const T& value) {
    ASSERT_EQ(layout.size, sizeof value);
    std::memcpy(launch.arguments.data() + layout.offset, &value, sizeof value);
  }

  std::unique_ptr<Device> device_;
  DeviceInfo info_;
  ModuleInfo module_;
  std::uint64_t number_ = 0;
};

std::size_t open_descriptors();
bool has_children();

}  // namespace xcuda::device::contract
