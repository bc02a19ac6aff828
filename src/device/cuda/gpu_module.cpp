#include "device/cuda/gpu_module.hpp"

#include <fmt/format.h>

#include <chrono>

#include "base/text.hpp"
#include "ptx/ptx_parser.hpp"
#include "ptx/resource_usage.hpp"

namespace xcuda::device::cuda {
namespace {

// What to do about a module that the driver refuses.
std::string advice_for(CUresult result, const ModuleImage& image) {
  switch (result) {
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "the PTX is newer than the driver; compile for this GPU (omit -arch), or update the driver";
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
      return fmt::format("it was compiled for {}; omit -arch to compile for this GPU", image.architecture);
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "free arrays (%arrays lists them, %free x), or shrink the module's __device__ variables";
    default:
      if (image.cubin.empty() && image.ptx.find("__cudaCDP2") != std::string::npos)
        return "kernels that launch kernels are linked for this GPU: omit -arch";
      return "";
  }
}

}  // namespace

GpuModule::GpuModule(const Driver& driver, const ModuleImage& image) : driver_(driver) {
  const auto start = std::chrono::steady_clock::now();
  std::string errors(16 << 10, '\0'), notes(64 << 10, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                            CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE};
  void* values[] = {errors.data(), reinterpret_cast<void*>(errors.size()), notes.data(),
                    reinterpret_cast<void*>(notes.size()), reinterpret_cast<void*>(1)};
  const bool binary = !image.cubin.empty();
  const void* bytes = binary ? static_cast<const void*>(image.cubin.data()) : image.ptx.c_str();
  CUmodule raw = nullptr;
  const CUresult result = driver_.cuModuleLoadDataEx(&raw, bytes, binary ? 0 : std::size(options),
                                                     binary ? nullptr : options, binary ? nullptr : values);
  if (result != CUDA_SUCCESS) {
    const std::string log(trim(errors.c_str()));
    throw Error(ErrorKind::compile,
                fmt::format("the GPU's driver rejects the {} of {}", binary ? "CUBIN" : "PTX", image.name))
        .said(log.empty() ? driver_.text(result) : driver_.text(result) + "\n" + log)
        .advise(advice_for(result, image));
  }
  module_ = LoadedModule({&driver_, raw});
  info_.log = binary ? image.assembler_log : std::string(trim(notes.c_str()));
  read_functions(image);
  info_.load_time = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
}

// The PTX lists what the module holds; entries that the CUBIN lacks (helpers that the session hides) are passed over.
void GpuModule::read_functions(const ModuleImage& image) {
  const ptx::Module module = ptx::parse_declarations(image.ptx, image.name);
  const auto spills = ptx::spills_of(info_.log);
  for (const auto& parsed : module.functions) {
    Function function;
    if (!parsed.entry || !parsed.defined ||
        driver_.cuModuleGetFunction(&function.raw, module_.get(), parsed.name.c_str()) != CUDA_SUCCESS)
      continue;
    if (driver_.cuFuncLoad != nullptr)
      driver_.check(driver_.cuFuncLoad(function.raw), ErrorKind::memory,
                    fmt::format("load the code of {}", parsed.name));
    const auto attribute = [&](CUfunction_attribute which) {
      int value = 0;
      driver_.check(driver_.cuFuncGetAttribute(&value, which, function.raw),
                    fmt::format("read an attribute of {}", parsed.name));
      return value;
    };
    function.info.entry = parsed.name;
    for (const auto& parameter : parsed.parameters)
      function.info.parameters.push_back({parameter.offset, parameter.size, parameter.alignment});
    function.info.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
    function.info.shared_bytes = static_cast<std::uint64_t>(attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    function.info.local_bytes = static_cast<std::uint64_t>(attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    function.info.constant_bytes = static_cast<std::uint64_t>(attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
    function.info.max_threads_per_block = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    if (const auto found = spills.find(parsed.name); found != spills.end()) function.info.spills = found->second;
    function.dynamic_shared_allowed =
        static_cast<std::uint64_t>(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
    info_.functions.push_back(function.info);
    functions_.emplace(parsed.name, std::move(function));
  }
  for (const auto& variable : module.variables) {
    if (variable.name.starts_with('$') || variable.name.starts_with("__unnamed")) continue;  // string literals
    CUdeviceptr address = 0;
    std::size_t size = 0;
    if (!variable.lasts() ||
        driver_.cuModuleGetGlobal(&address, &size, module_.get(), variable.name.c_str()) != CUDA_SUCCESS)
      continue;
    info_.variables.push_back({variable.name, address, size, variable.space == ptx::Space::constant});
  }
}

Function* GpuModule::find(const std::string& entry) {
  const auto found = functions_.find(entry);
  return found == functions_.end() ? nullptr : &found->second;
}

}  // namespace xcuda::device::cuda
