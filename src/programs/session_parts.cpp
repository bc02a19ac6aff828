#include "programs/session_parts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "compiler/cache.hpp"
#include "device/remote/supervised_device.hpp"

namespace xcuda {
namespace {

// The path of a worker's program; empty when it is not installed.
std::string worker_program(std::string_view name) {
  const auto path = find_sibling_program(name);
  return path ? path->string() : std::string();
}

// Why no GPU can be had, without opening the driver here: its device files are missing. Linux, WSL, Tegra.
std::string no_gpu() {
  constexpr std::array<const char*, 3> kFiles = {"/dev/nvidiactl", "/dev/dxg", "/dev/nvmap"};
  const bool driver = std::any_of(kFiles.begin(), kFiles.end(), [](const char* file) { return access(file, F_OK) == 0; });
  return driver ? "" : "no NVIDIA driver is loaded on this machine: there is no /dev/nvidiactl";
}

session::DeviceChoice remote_device(std::string selector, const std::string& program, std::vector<std::string> arguments,
                                    std::function<device::WaitRequest()> limits) {
  session::DeviceChoice choice{std::move(selector), {}, {}};
  choice.start = [program, arguments = std::move(arguments), limits = std::move(limits)](const session::OutputHandler& on_output) {
    device::remote::RemoteOptions options;
    options.worker = {program, arguments, {{"CUDA_MODULE_LOADING", "EAGER"}}, on_output};
    options.limits = limits;
    return std::make_unique<device::remote::SupervisedDevice>(std::move(options));
  };
  return choice;
}

}  // namespace

Machine make_machine() {
  Machine machine;
  const auto environment = compiler::current_environment();
  machine.folder.emplace("session");
  compiler::ClientOptions options;
  options.program = worker_program("xcuda-compile");
  options.search = compiler::find_toolkit(environment);
  options.own_includes = compiler::own_include_folder(environment);
  options.cache_folder = compiler::default_cache_folder();
  options.session_folder = machine.folder->path();
  machine.compiler = std::make_unique<compiler::CompilerClient>(std::move(options));
  return machine;
}

session::SessionParts make_parts(Machine& machine, std::function<device::WaitRequest()> limits) {
  session::SessionParts parts;
  parts.compile = [compiler = machine.compiler.get()](const compiler::CompileRequest& request, const WaitLimits& wait) {
    return compiler->compile(request, wait);
  };
  if (const auto& toolkit = machine.compiler->search().toolkit) parts.disassembler = toolkit->disassembler;
  const auto gpu = worker_program("xcuda-gpu");
  if (gpu.empty()) parts.devices.push_back({"gpu:0", "the program xcuda-gpu is not installed", {}});
  else if (auto reason = no_gpu(); !reason.empty()) parts.devices.push_back({"gpu:0", std::move(reason), {}});
  else parts.devices.push_back(remote_device("gpu:0", gpu, {"0"}, limits));
  const auto cpu = worker_program("xcuda-cpu");
  if (cpu.empty()) parts.devices.push_back({"cpu", "the program xcuda-cpu is not installed", {}});
  else parts.devices.push_back(remote_device("cpu", cpu, {}, limits));
  return parts;
}

}  // namespace xcuda
