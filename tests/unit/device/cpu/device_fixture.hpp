// A CPU device in this process, or a GPU (test_kernels_cuda); arrays with names, launches with typed arguments.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "device/cpu/cpu_device.hpp"
#include "tests/kernel_results/kernel_results.hpp"
#include "tests/places.hpp"

namespace xcuda::device::cpu {

template <class T> struct Array {
  Address address = 0;
  std::size_t count = 0;
};

class DeviceTest : public testing::Test {
 protected:
  DeviceTest() { start(2); }

  void start(int threads) {
    device_.reset();  // gives the window back
    device_ = make_test_device(
        {threads, [this](std::string_view text) { out_ += text; }, [this](std::string_view text) { errors_ += text; }});
    const auto info = device_->info();
    on_gpu_ = info.kind == Kind::cuda;
    base_ = info.window.base;
    used_ = 0;
    memory_ = device_->create_memory({MemoryId{1}, base_, memory_bytes});
  }

  // A file of tests/kernels/ptx.
  void load(const std::string& file) {
    std::ifstream stream(test::source_file("tests/kernels/ptx/" + file + ".ptx"));
    std::ostringstream text;
    text << stream.rdbuf();
    ASSERT_FALSE(text.str().empty()) << file;
    const int number = std::atoi(file.c_str());
    load_text(text.str(), "In[" + std::to_string(number ? number : 3) + "]");
  }
  void load_text(const std::string& ptx, const std::string& name) {
    module_ = ModuleId{static_cast<std::uint32_t>(module_) + 1};
    info_ = device_->load_module({module_, name, ptx, {}, ""});
  }

  template <class T> Array<T> zeros(const std::string& name, std::size_t count) {
    Array<T> array{base_ + used_, count};
    used_ += (count * sizeof(T) + 511) / 256 * 256;
    EXPECT_LE(used_, memory_bytes);
    FillRequest zero{array.address, count * sizeof(T), {std::byte{0}}};
    device_->post_fill(StreamId{0}, zero);
    device_->post_name_range({array.address, count * sizeof(T), sizeof(T), name, ""});
    return array;
  }

  template <class T> Array<T> make(const std::string& name, const std::vector<T>& values) {
    const Array<T> array = zeros<T>(name, values.size());
    write(array, values);
    return array;
  }

  template <class T> void write(const Array<T>& array, const std::vector<T>& values) {
    const std::span<std::byte> staging = device_->staging();
    const auto* from = reinterpret_cast<const std::byte*>(values.data());
    const std::size_t bytes = values.size() * sizeof(T);
    for (std::size_t at = 0; at < bytes; at += staging.size()) {
      const std::size_t size = std::min(staging.size(), bytes - at);
      std::memcpy(staging.data(), from + at, size);
      device_->post_write(StreamId{0}, {array.address + at, 0, size});
      device_->synchronize({});
    }
  }

  template <class T> std::vector<T> read(const Array<T>& array) {
    std::vector<T> values(array.count);
    const std::span<std::byte> staging = device_->staging();
    const std::size_t bytes = array.count * sizeof(T);
    for (std::size_t at = 0; at < bytes; at += staging.size()) {
      const std::size_t size = std::min(staging.size(), bytes - at);
      device_->post_read(StreamId{0}, {0, array.address + at, size});
      const Completion completion = device_->synchronize({});
      EXPECT_FALSE(completion.fault) << completion.fault->message;
      std::memcpy(reinterpret_cast<std::byte*>(values.data()) + at, staging.data(), size);
    }
    if (golden_) results_.check(std::as_bytes(std::span(values)), samples_of<T>, on_gpu_);
    return values;
  }

  struct Shape {
    Dim3 grid, block;
    std::uint64_t shared = 0;
    Timing timing = Timing::none;
    LaunchMode mode = LaunchMode::normal;
  };

  // The entry is found by its C++ name in the mangled one.
  const FunctionInfo& function(const std::string& name) {
    const std::string mangled = std::to_string(name.size()) + name;
    for (const FunctionInfo& function : info_.functions)
      if (function.entry == name || function.entry.find("_Z" + mangled) == 0) return function;
    ADD_FAILURE() << "no kernel " << name;
    return info_.functions.at(0);
  }

  template <class... Arguments> void post(const std::string& name, const Shape& shape, const Arguments&... arguments) {
    const FunctionInfo& kernel = function(name);
    LaunchRequest request;
    request.number = ++launches_;
    request.module = module_;
    request.entry = kernel.entry;
    request.grid = shape.grid;
    request.block = shape.block;
    request.dynamic_shared = shape.shared;
    request.timing = shape.timing;
    request.mode = shape.mode;
    std::size_t index = 0;
    (give(request, kernel.parameters.at(index++), arguments), ...);
    EXPECT_EQ(index, kernel.parameters.size());
    device_->post_launch(request);
  }

  // Posts and waits; nothing may go wrong.
  template <class... Arguments>
  void launch(const std::string& name, const Shape& shape, const Arguments&... arguments) {
    post(name, shape, arguments...);
    const Completion completion = device_->synchronize({});
    EXPECT_FALSE(completion.fault) << completion.fault->message;
    for (const RefusedLaunch& refused : completion.refused) ADD_FAILURE() << refused.library;
  }

  // Posts and waits for the fault.
  template <class... Arguments>
  Fault fault_of(const std::string& name, const Shape& shape, const Arguments&... arguments) {
    post(name, shape, arguments...);
    Completion completion = device_->synchronize({});
    EXPECT_TRUE(completion.fault);
    return completion.fault.value_or(Fault{});
  }

  static constexpr std::uint64_t memory_bytes = 256 << 20;
  std::string out_, errors_;  // what kernels print
  std::unique_ptr<Device> device_;
  ModuleInfo info_;
  std::uint64_t launches_ = 0;
  bool golden_ = false;  // what is read is compared with what a GPU left there; not where the order of threads decides

 private:
  template <class T> static void give(LaunchRequest& to, const ParameterLayout& layout, const Array<T>& array) {
    give(to, layout, array.address);
  }
  static void give(LaunchRequest& to, const ParameterLayout& layout, TextureId texture) {
    give(to, layout, std::uint64_t{0});
    to.textures.push_back({texture, layout.offset});
  }
  template <class T> static void give(LaunchRequest& to, const ParameterLayout& layout, const T& value) {
    ASSERT_EQ(sizeof(T), layout.size);
    to.arguments.resize(layout.offset + layout.size);
    std::memcpy(to.arguments.data() + layout.offset, &value, sizeof value);
  }

  Address base_ = 0;
  std::uint64_t used_ = 0;
  bool on_gpu_ = false;
  KernelResults results_;
  File memory_;
  ModuleId module_{0};
};

}  // namespace xcuda::device::cpu
