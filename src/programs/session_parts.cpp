#include "programs/session_parts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "compiler/cache.hpp"
#include "compiler/device_linker.hpp"
#include "compiler/library_folders.hpp"
#include "compiler/package_headers.hpp"
#include "device/device_set.hpp"
#include "device/ranks/rank_set.hpp"
#include "device/remote/device_list.hpp"
#include "device/remote/supervised_device.hpp"
#include "python/python_client.hpp"

namespace xcuda {
namespace {

// The path of a worker's program; empty when it is not installed.
std::string worker_program(std::string_view name) {
  const auto path = find_sibling_program(name);
  return path ? path->string() : std::string();
}

// Why there is no GPU, without opening the driver here: its device files are missing. Linux, WSL, Tegra.
std::string no_gpu(const std::string& program) {
  if (program.empty()) return "the program xcuda-gpu is not installed";
  constexpr std::array<const char*, 3> kFiles = {"/dev/nvidiactl", "/dev/dxg", "/dev/nvmap"};
  const bool driver =
      std::any_of(kFiles.begin(), kFiles.end(), [](const char* file) { return access(file, F_OK) == 0; });
  return driver ? "" : "no NVIDIA driver is loaded on this machine: there is no /dev/nvidiactl";
}

using Limits = std::function<device::WaitRequest()>;
// For a GPU's answer: its process looks as long, and neither takes a core that kernels want, as it would on the CPU
// device.
constexpr std::chrono::microseconds kSpin{1000};
constexpr std::chrono::seconds kLookLimit{20};  // for a driver to say what GPUs there are

WorkerOptions worker_options(const std::string& program, std::string argument) {
  WorkerOptions options;
  options.program = program;
  options.arguments = {std::move(argument)};
  return options;
}

device::remote::RemoteOptions remote_options(const WorkerOptions& worker, const Limits& limits,
                                             const session::OutputHandler& on_output) {
  device::remote::RemoteOptions options;
  options.worker = worker;
  options.worker.on_output = on_output;
  options.limits = limits;
  return options;
}

session::DeviceChoice remote_device(const device::Selector& selector, const WorkerOptions& worker,
                                    const Limits& limits) {
  session::DeviceChoice choice{selector, {}, {}, {}};
  choice.start = [worker, limits](const session::OutputHandler& on_output) {
    return std::make_unique<device::remote::SupervisedDevice>(remote_options(worker, limits, on_output));
  };
  return choice;
}

WorkerOptions gpu_worker(int ordinal) {
  auto worker = worker_options(worker_program("xcuda-gpu"), std::to_string(ordinal));
  worker.spin = kSpin;
  return worker;
}

session::DeviceChoice gpu_choice(int ordinal, const Limits& limits) {
  const device::Selector selector{device::Kind::cuda, ordinal};
  if (auto reason = no_gpu(worker_program("xcuda-gpu")); !reason.empty()) return {selector, std::move(reason), {}, {}};
  return remote_device(selector, gpu_worker(ordinal), limits);
}

session::DeviceChoice cpu_choice(const Limits& limits) {
  const auto program = worker_program("xcuda-cpu");
  const device::Selector selector{device::Kind::cpu};
  if (program.empty()) return {selector, "the program xcuda-cpu is not installed", {}, {}};
  return remote_device(selector, worker_options(program, "serve"), limits);
}

// Devices of the host share its cores, as GPUs share nothing.
WorkerOptions cpu_worker_of(std::uint32_t count) {
  auto worker = worker_options(worker_program("xcuda-cpu"), "serve");
  if (std::getenv("XCUDA_CPU_THREADS") == nullptr)
    worker.environment.emplace_back("XCUDA_CPU_THREADS",
                                    std::to_string(std::max(1u, std::thread::hardware_concurrency() / count)));
  return worker;
}

// Host data crosses in the first one's staging buffer; of the others' nothing is used.
constexpr std::uint64_t kUnusedStaging = std::uint64_t{1} << 20;  // bytes

session::DeviceChoice ranks_together(const device::Selector& selector, const Limits& limits) {
  const auto program = worker_program("xcuda-mpi");
  if (program.empty())
    return {
        selector, "the program xcuda-mpi is not installed: it is built where MPI is (Debian: libopenmpi-dev)", {}, {}};
  session::DeviceChoice choice{selector, {}, {}, {}};
  choice.start = [selector, program, limits](const session::OutputHandler& on_output) {
    using namespace device::ranks;
    auto job = std::make_shared<RankJob>(JobOptions{program, selector.launcher, selector.count, on_output});
    std::vector<std::unique_ptr<device::Device>> ranks;
    for (std::uint32_t rank = 0; rank < selector.count; ++rank)
      ranks.push_back(std::make_unique<RankDevice>(job, rank, limits));
    return std::make_unique<RankSet>(std::move(job), std::move(ranks), limits);
  };
  return choice;
}

session::DeviceChoice devices_together(const device::Selector& selector, const Limits& limits) {
  if (selector.reach == device::Selector::Reach::mpi) return ranks_together(selector, limits);
  session::DeviceChoice choice{selector, {}, {}, {}};
  choice.start = [selector, limits](const session::OutputHandler& on_output) {
    std::vector<std::unique_ptr<device::Device>> members;
    for (std::uint32_t i = 0; i < selector.count; ++i) {
      const auto worker = selector.kind == device::Kind::cpu ? cpu_worker_of(selector.count)
                                                             : gpu_worker(selector.ordinal + static_cast<int>(i));
      auto options = remote_options(worker, limits, on_output);
      if (i > 0) options.staging_size = kUnusedStaging;
      members.push_back(std::make_unique<device::remote::SupervisedDevice>(std::move(options)));
    }
    return std::make_unique<device::DeviceSet>(std::move(members), limits);
  };
  return choice;
}

// What a device program lists; nothing, and why in `reason`, when it cannot.
std::vector<device::DeviceInfo> listed(std::string_view program, WaitLimits wait, std::string& reason) {
  wait.deadline = std::min(wait.deadline.value_or(std::chrono::steady_clock::time_point::max()),
                           std::chrono::steady_clock::now() + kLookLimit);
  auto list = device::remote::ask_for_devices(worker_options(worker_program(program), "list"), wait);
  if (list.error && list.error->kind == ErrorKind::interrupted) throw std::move(*list.error);
  if (list.error)
    reason = list.error->library.empty() ? list.error->message : list.error->message + ": " + list.error->library;
  return std::move(list.devices);
}

std::vector<session::DeviceChoice> look_for_devices(const Limits& limits, const WaitLimits& wait) {
  std::vector<session::DeviceChoice> choices;
  auto first = gpu_choice(0, limits);
  if (first.reason.empty())
    for (auto& info : listed("xcuda-gpu", wait, first.reason)) {
      choices.push_back(gpu_choice(static_cast<int>(choices.size()), limits));
      choices.back().info = std::move(info);
    }
  if (choices.empty()) choices.push_back(std::move(first));
  auto cpu = cpu_choice(limits);
  if (cpu.reason.empty())
    for (auto& info : listed("xcuda-cpu", wait, cpu.reason)) cpu.info = std::move(info);
  choices.push_back(std::move(cpu));
  return choices;
}

}  // namespace

Machine make_machine() {
  Machine machine;
  const auto environment = compiler::current_environment();
  machine.folder = TemporaryFolder::make("session");
  compiler::ClientOptions options;
  options.program = worker_program("xcuda-compile");
  options.search = compiler::find_toolkit(environment);
  options.own_includes = compiler::own_include_folder(environment);
  options.cache_folder = cache_folder("compile");
  if (machine.folder) options.session_folder = machine.folder->path();
  machine.compiler = std::make_unique<compiler::CompilerClient>(std::move(options));
  return machine;
}

session::SessionParts make_parts(Machine& machine, const std::function<device::WaitRequest()>& limits) {
  session::SessionParts parts;
  const auto library_folders = [] {
    return compiler::library_folders(compiler::current_environment(), python::find_python().interpreter);
  };
  parts.compile = [compiler = machine.compiler.get(), library_folders](compiler::CompileRequest request,
                                                                       const WaitLimits& wait) {
    compiler::add_package_folders(request, library_folders);
    compiler::add_linker_folders(request, library_folders);
    return compiler->compile(request, wait);
  };
  parts.files = std::make_shared<files::Client>(worker_program("xcuda-files"));
  parts.python = std::make_shared<python::Client>(python::find_python());
  if (const auto& toolkit = machine.compiler->search().toolkit) parts.disassembler = toolkit->disassembler;
  parts.library_folders = library_folders;
  parts.devices = {gpu_choice(0, limits), cpu_choice(limits)};
  if (const char* host_code = std::getenv("XCUDA_HOST_CODE");
      host_code != nullptr && host_code == std::string_view("mirrored"))
    parts.host_code = session::HostCode::mirrored;
  parts.together = [limits](const device::Selector& selector) { return devices_together(selector, limits); };
  parts.look = [limits](const WaitLimits& wait) { return look_for_devices(limits, wait); };
  return parts;
}

}  // namespace xcuda
