// What the CPU device's checks and caches cost, through the device as a session uses it, one thread:
//   - time of a launch with --race and with --init over its time with bounds checks alone, of the code that stays;
//   - time of a kernel's first launch less that of its second: translated and compiled, and from the disk's cache, in a
//     device that has run another kernel before.
// Each is the least of several rounds; in brackets the median of the rounds' ratios.
//   bench_cpu_checks [name...]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "device/cpu/cpu_device.hpp"

namespace {

using namespace xcuda::device;
using Clock = std::chrono::steady_clock;

struct Argument {
  enum class Kind : std::uint8_t { floats, bytes, integer, number } kind;
  std::uint64_t count = 0;  // of an array
  double value = 0;
};
Argument floats(std::uint64_t count) { return {Argument::Kind::floats, count}; }
Argument bytes(std::uint64_t count) { return {Argument::Kind::bytes, count}; }
Argument integer(int value) { return {Argument::Kind::integer, 0, static_cast<double>(value)}; }
Argument number(double value) { return {Argument::Kind::number, 0, value}; }

struct Case {
  std::string name, file, entry;
  Dim3 grid, block;
  std::vector<Argument> arguments;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"saxpy", "01_saxpy", "saxpy", {16384}, {256}, {integer(1 << 22), number(2), floats(1 << 22), floats(1 << 22)}},
      {"mandelbrot",
       "02_mandelbrot",
       "mandel",
       {64, 48},
       {16, 16},
       {floats(1024 * 768), integer(1024), integer(768), number(-2), number(-1), number(3. / 1024), number(2. / 768),
        integer(256)}},
      {"matmul",
       "03_matmul_f32",
       "matmul",
       {16, 16},
       {16, 16},
       {floats(1 << 16), floats(1 << 16), floats(1 << 16), integer(256)}},
      {"reduction", "04_reduce_shared", "reduce", {256}, {256}, {floats(1 << 22), floats(1), integer(1 << 22)}},
      {"transpose",
       "05_transpose",
       "transpose",
       {64, 64},
       {32, 8},
       {floats(1 << 22), floats(1 << 22), integer(2048), integer(2048)}},
      {"heat2d",
       "06_heat2d",
       "heat2d",
       {64, 256},
       {32, 8},
       {floats(1 << 22), floats(1 << 22), integer(2048), integer(2048), number(0.1)}},
      {"histogram", "07_histogram", "hist_shared", {256}, {256}, {bytes(1 << 22), floats(256), integer(1 << 22)}},
  };
  return all;
}

std::string text_of(const std::string& file) {
  std::ifstream stream(XCUDA_SOURCE_DIR "/tests/kernels/ptx/" + file + ".ptx");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

class Bench {
 public:
  explicit Bench(cpu::CpuOptions::Store store) {
    cpu::CpuOptions options;
    options.threads = 1;
    options.store = store;
    device_ = cpu::make_cpu_device({}, options);
    base_ = device_->info().window.base;
    device_->create_memory({MemoryId{1}, base_, std::uint64_t{128} << 20});
  }

  void load(const Case& each) {
    module_ = ModuleId{static_cast<std::uint32_t>(module_) + 1};
    const ModuleInfo info = device_->load_module({module_, "In[1]", text_of(each.file), {}, ""});
    request_ = {};
    for (const FunctionInfo& function : info.functions)
      if (function.entry == each.entry ||
          function.entry.starts_with("_Z" + std::to_string(each.entry.size()) + each.entry))
        request_.entry = function.entry, layout_ = function.parameters;
    request_.module = module_;
    request_.grid = each.grid, request_.block = each.block;
    request_.arguments.resize(layout_.back().offset + layout_.back().size);
    std::uint64_t used = 0;
    for (std::size_t i = 0; i < each.arguments.size(); ++i) {
      const Argument& argument = each.arguments[i];
      const auto whole = static_cast<std::int32_t>(argument.value);
      const auto real = static_cast<float>(argument.value);
      const Address address = base_ + used;
      const bool array = argument.kind == Argument::Kind::floats || argument.kind == Argument::Kind::bytes;
      const std::uint32_t element = argument.kind == Argument::Kind::floats ? 4 : 1;
      const void* value = array                                      ? static_cast<const void*>(&address)
                          : argument.kind == Argument::Kind::integer ? static_cast<const void*>(&whole)
                                                                     : &real;
      std::memcpy(request_.arguments.data() + layout_[i].offset, value, layout_[i].size);
      if (!array) continue;
      device_->post_fill(StreamId{0}, {address, argument.count * element, {std::byte{0}}});
      device_->post_name_range({address, argument.count * element, element, "array" + std::to_string(i), ""});
      used += (argument.count * element + 511) / 256 * 256;
    }
    device_->synchronize({});
  }

  void one_block() { request_.grid = {1, 1, 1}; }

  // Milliseconds that the kernel ran, and that the launch took in all.
  struct Times {
    double run = 0, all = 0;
  };
  Times launch(const Checks& checks, CodeWait code_wait) {
    request_.code_wait = code_wait;
    request_.number = ++number_;
    request_.checks = checks;
    request_.timing = Timing::each;
    const auto begin = Clock::now();
    device_->post_launch(request_);
    const Completion completion = device_->synchronize({});
    const double all = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (completion.fault) throw std::runtime_error(completion.fault->message);
    if (!completion.refused.empty()) throw std::runtime_error(completion.refused[0].library);
    return {static_cast<double>(completion.timings.at(0).duration) / 1e6, all};
  }

 private:
  std::unique_ptr<Device> device_;
  Address base_ = 0;
  ModuleId module_{};
  std::vector<ParameterLayout> layout_;
  LaunchRequest request_;
  std::uint64_t number_ = 0;
};

void measure(const Case& each) {
  constexpr Checks modes[] = {{true, false, false}, {true, true, false}, {true, false, true}};
  constexpr int kRounds = 15;
  double time[3] = {1e30, 1e30, 1e30};
  std::vector<double> ratios[3];
  {
    Bench bench(cpu::CpuOptions::Store::none);
    bench.load(each);
    for (const Checks& checks : modes) bench.launch(checks, CodeWait::full);
    for (int round = 0; round < kRounds; ++round) {
      double run[3];
      for (int mode = 0; mode < 3; ++mode) {
        run[mode] = bench.launch(modes[mode], CodeWait::full).run;
        time[mode] = std::min(time[mode], run[mode]);
        ratios[mode].push_back(run[mode] / run[0]);
      }
    }
  }
  const auto ratio = [&](int mode) {
    std::vector<double>& all = ratios[mode];
    std::nth_element(all.begin(), all.begin() + kRounds / 2, all.end());
    return fmt::format("{:6.2f} ({:.2f})", time[mode] / time[0], all[kRounds / 2]);
  };
  const auto first_launch = [&](cpu::CpuOptions::Store store) {
    double least = 1e30;
    for (int round = 0; round < 7; ++round) {
      Bench bench(store);
      bench.load(each.name == "saxpy" ? cases()[1] : cases()[0]);
      bench.launch({}, CodeWait::quickest);
      bench.load(each);
      bench.one_block();
      const double first = bench.launch({}, CodeWait::quickest).all;
      least = std::min(least, first - bench.launch({}, CodeWait::quickest).all);
    }
    return least;
  };
  const double compiled = first_launch(cpu::CpuOptions::Store::none);
  first_launch(cpu::CpuOptions::Store::user);  // so that it is there
  const double kept = first_launch(cpu::CpuOptions::Store::user);
  fmt::print("{:<12} {:8.2f} ms   --race {}   --init {}   first launch: compiled {:6.2f} ms, from disk {:5.2f} ms\n",
             each.name, time[0], ratio(1), ratio(2), compiled, kept);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("xcuda-bench-{}", std::chrono::steady_clock::now().time_since_epoch().count());
  setenv("XCUDA_CACHE_DIR", folder.c_str(), 1);
  int status = 0;
  try {
    for (const Case& each : cases())
      if (argc < 2 || std::find(argv + 1, argv + argc, each.name) != argv + argc) measure(each);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    status = 1;
  }
  std::filesystem::remove_all(folder);
  return status;
}
