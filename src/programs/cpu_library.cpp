// libxcuda-cpu.so: the CPU device, LLVM and all, once for the programs and libraries that use it. It exports five
// names; cpu_library.map hides the rest, so that they cannot clash with names of other libraries in a process.
#include <string_view>

#include "base/paths.hpp"
#include "base/process_limits.hpp"
#include "base/sandbox.hpp"
#include "base/worker.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/remote/device_list.hpp"
#include "device/remote/serve_device.hpp"
#include "programs/cpu_library.hpp"
#include "runtime/driver/driver_slots.hpp"
#include "runtime/function_slots.hpp"
#include "runtime/jit_link/jit_link.hpp"
#include "runtime/lent_device.hpp"
#include "runtime/math/slots.hpp"

int xcuda_cpu_worker(int argc, char** argv) {
  auto channel = xcuda::enter_worker(argc, argv, "xcuda-cpu");
  if (argc > 1 && argv[1] == std::string_view("list"))
    return xcuda::device::remote::answer_with_devices(
        channel, [] { return std::vector{xcuda::device::cpu::make_cpu_device({})->info()}; });
  xcuda::enter_sandbox({xcuda::Sandbox::closed, {xcuda::cache_folder("cpu")}});
  return xcuda::run_with_usual_stack([&] {
    return xcuda::device::remote::serve(channel, [](const xcuda::device::StartRequest& start) {
      auto made = xcuda::device::cpu::make_cpu_device(start);
      xcuda::runtime::lend_device(*made);  // to the host modules of the session
      return made;
    });
  });
}

const void* const* xcuda_runtime_functions() { return xcuda::runtime::kFunctionSlots; }
const void* const* xcuda_driver_functions() { return xcuda::runtime::driver::kDriverSlots; }
const void* const* xcuda_jit_link_functions() { return xcuda::runtime::jit_link::kJitLinkSlots; }

const void* const* xcuda_math_functions(MathLibrary library) {
  using namespace xcuda::runtime::math;
  switch (library) {
    case kCublas: return kBlasSlots;
    case kCublasLt: return kLtSlots;
    case kCufft: return kFourierSlots;
    case kCurand: return kRandomSlots;
    case kCusolver: return kSolverSlots;
    case kCusparse: break;
  }
  return kSparseSlots;
}
