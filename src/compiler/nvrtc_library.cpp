#include "compiler/nvrtc_library.hpp"

#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"
#include "base/shared_library.hpp"
#include "compiler/toolkit.hpp"

// Functions that an older header lacks; a newer one proves that these declarations are right.
extern "C" {
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void*, void*), void* payload);
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program);
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, std::size_t* bytes);
nvrtcResult nvrtcSetPCHHeapSize(std::size_t bytes);
nvrtcResult nvrtcInstallBundledHeaders(const char* folder, unsigned flags, const char** log);
}
// clang-format off
#define XCUDA_NVRTC_FUNCTIONS(F) \
  F(nvrtcVersion) F(nvrtcGetErrorString) F(nvrtcGetNumSupportedArchs) F(nvrtcGetSupportedArchs) \
  F(nvrtcCreateProgram) F(nvrtcDestroyProgram) F(nvrtcAddNameExpression) F(nvrtcCompileProgram) \
  F(nvrtcGetPTXSize) F(nvrtcGetPTX) F(nvrtcGetCUBINSize) F(nvrtcGetCUBIN) \
  F(nvrtcGetLTOIRSize) F(nvrtcGetLTOIR) F(nvrtcGetProgramLogSize) F(nvrtcGetProgramLog) F(nvrtcGetLoweredName)
#define XCUDA_NEWER_NVRTC_FUNCTIONS(F) \
  F(nvrtcSetFlowCallback) F(nvrtcGetPCHCreateStatus) F(nvrtcGetPCHHeapSizeRequired) F(nvrtcSetPCHHeapSize) \
  F(nvrtcInstallBundledHeaders)
// clang-format on

namespace xcuda::compiler {
namespace {

// Numbers of newer versions; an older header has no names for them.
constexpr int kCancelled = 16;         // NVRTC_ERROR_CANCELLED, 12.9
constexpr int kPchHeapExhausted = 14;  // NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED, 12.8

struct NewerFunctions {
  XCUDA_FUNCTION_TABLE(XCUDA_NEWER_NVRTC_FUNCTIONS)
};

// NVRTC opens its second library by its bare name, and NVIDIA's wheels give it no path to look in: one that is there
// already is taken. The one beside it is also the one that belongs to it, whatever else the loader knows.
void load_builtins(const std::string& nvrtc, int major, int minor) {
  const auto slash = nvrtc.rfind('/');
  if (slash == std::string::npos) return;
  const auto path = fmt::format("{}/libnvrtc-builtins.so.{}.{}", nvrtc.substr(0, slash), major, minor);
  SharedLibrary(path, SharedLibrary::Lifetime::process);  // without it, NVRTC's own message says what is missing
}

}  // namespace

struct NvrtcLibrary::Functions {
  SharedLibrary library;
  int major = 0, minor = 0;
  XCUDA_FUNCTION_TABLE(XCUDA_NVRTC_FUNCTIONS)
  NewerFunctions newer;  // those that are there

  std::string error_name(nvrtcResult result) const {
    const char* text = nvrtcGetErrorString(result);
    return text == nullptr ? fmt::format("NVRTC error {}", static_cast<int>(result)) : text;
  }
  void check(nvrtcResult result, const char* what) const {
    if (result != NVRTC_SUCCESS)
      throw Error(ErrorKind::compile, fmt::format("NVRTC failed in {}", what)).said(error_name(result));
  }
};

NvrtcLibrary::NvrtcLibrary(const std::string& path)
    : functions_(new Functions{.library = SharedLibrary(path, SharedLibrary::Lifetime::object)}) {
  auto& f = *functions_;
  if (!f.library)
    throw Error(ErrorKind::compile, fmt::format("cannot load NVRTC, CUDA's run-time compiler, from {}", path))
        .said(f.library.why_not())
        .advise(fmt::format("To fix this, {}. `xcuda --doctor` lists the places tried.", kToolkitAdvice));
  const bool whole = f.library.load(f).empty();
  f.library.load(f.newer);
  if (f.nvrtcVersion != nullptr) f.nvrtcVersion(&f.major, &f.minor);
  if (!whole || std::pair(f.major, f.minor) < std::pair(kOldestMajor, kOldestMinor))
    throw Error(ErrorKind::compile, fmt::format("{} is not a usable NVRTC", path))
        .said(f.major > 0 ? fmt::format("it is version {}.{}", f.major, f.minor)
                          : std::string("it lacks NVRTC's functions"))
        .advise(
            fmt::format("Install CUDA {}.{} or newer and set CUDA_HOME to its folder.", kOldestMajor, kOldestMinor));
  load_builtins(path, f.major, f.minor);
}

NvrtcLibrary::~NvrtcLibrary() = default;
NvrtcLibrary::NvrtcLibrary(NvrtcLibrary&&) noexcept = default;
NvrtcLibrary& NvrtcLibrary::operator=(NvrtcLibrary&&) noexcept = default;

int NvrtcLibrary::major() const { return functions_->major; }
int NvrtcLibrary::minor() const { return functions_->minor; }
std::string NvrtcLibrary::version() const { return fmt::format("{}.{}", major(), minor()); }
bool NvrtcLibrary::can_precompile() const { return functions_->newer.nvrtcGetPCHCreateStatus != nullptr; }
void NvrtcLibrary::grow_pch_heap(std::size_t bytes) {
  if (functions_->newer.nvrtcSetPCHHeapSize != nullptr) functions_->newer.nvrtcSetPCHHeapSize(bytes);
}

bool NvrtcLibrary::install_headers(const std::string& folder) const {
  const auto install = functions_->newer.nvrtcInstallBundledHeaders;
  constexpr unsigned kUnlessThere = 0;
  return install != nullptr && install(folder.c_str(), kUnlessThere, nullptr) == NVRTC_SUCCESS;
}

std::vector<int> NvrtcLibrary::architectures() const {
  int count = 0;
  functions_->check(functions_->nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> numbers(static_cast<std::size_t>(std::max(count, 0)));
  if (!numbers.empty()) functions_->check(functions_->nvrtcGetSupportedArchs(numbers.data()), "nvrtcGetSupportedArchs");
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

namespace {

// One nvrtcProgram, destroyed with the scope.
template <class Functions> class ProgramScope {
 public:
  ProgramScope(const Functions& functions, const NvrtcJob& job) : functions_(functions) {
    functions.check(functions.nvrtcCreateProgram(&program_, job.source.c_str(), job.name.c_str(), 0, nullptr, nullptr),
                    "nvrtcCreateProgram");
  }
  ProgramScope(const ProgramScope&) = delete;
  ProgramScope& operator=(const ProgramScope&) = delete;
  ~ProgramScope() { functions_.nvrtcDestroyProgram(&program_); }
  nvrtcProgram get() const { return program_; }

 private:
  const Functions& functions_;
  nvrtcProgram program_ = nullptr;
};

// NVRTC 13.0 asks on after a yes, and a no then makes it go on without what it left out: it reports success with code
// that lacks optimizations, or whole kernels. So yes stays yes, and what was stopped is not a result.
struct Stop {
  const std::function<bool()>& cancelled;
  bool stopped = false;

  static int ask(void* payload, void*) {
    auto& stop = *static_cast<Stop*>(payload);
    stop.stopped = stop.stopped || stop.cancelled();
    return stop.stopped ? 1 : 0;
  }
};

}  // namespace

NvrtcResult NvrtcLibrary::compile(const NvrtcJob& job) {
  const auto& f = *functions_;
  if (job.source.find('\0') != std::string::npos)
    throw Error(ErrorKind::syntax, "the source contains a NUL byte").advise("Remove it from the cell.");

  const ProgramScope program(f, job);
  for (const auto& expression : job.name_expressions)
    f.check(f.nvrtcAddNameExpression(program.get(), expression.c_str()), "nvrtcAddNameExpression");
  Stop stop{job.cancelled};
  if (job.cancelled && f.newer.nvrtcSetFlowCallback != nullptr)
    f.check(f.newer.nvrtcSetFlowCallback(program.get(), Stop::ask, &stop), "nvrtcSetFlowCallback");

  std::vector<const char*> options;
  options.reserve(job.options.size());
  for (const auto& option : job.options) options.push_back(option.c_str());
  const auto status = f.nvrtcCompileProgram(program.get(), static_cast<int>(options.size()), options.data());

  NvrtcResult result;
  result.message = f.error_name(status);
  std::size_t size = 0;
  if (f.nvrtcGetProgramLogSize(program.get(), &size) == NVRTC_SUCCESS && size > 1) {
    result.log.resize(size);
    if (f.nvrtcGetProgramLog(program.get(), result.log.data()) != NVRTC_SUCCESS) result.log.clear();
    while (!result.log.empty() && (result.log.back() == '\0' || result.log.back() == '\n')) result.log.pop_back();
  }
  if (f.newer.nvrtcGetPCHCreateStatus != nullptr &&
      static_cast<int>(f.newer.nvrtcGetPCHCreateStatus(program.get())) == kPchHeapExhausted)
    f.newer.nvrtcGetPCHHeapSizeRequired(program.get(), &result.pch_heap_wanted);

  using Status = NvrtcResult::Status;
  if (stop.stopped) {
    result.status = Status::cancelled;
    return result;
  }
  switch (static_cast<int>(status)) {
    case NVRTC_SUCCESS: break;
    case NVRTC_ERROR_INVALID_OPTION: result.status = Status::bad_option; return result;
    case NVRTC_ERROR_COMPILATION:
    case NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID: result.status = Status::failed; return result;
    case kCancelled: result.status = Status::cancelled; return result;
    default: result.status = Status::internal; return result;
  }

  f.check(f.nvrtcGetPTXSize(program.get(), &size), "nvrtcGetPTXSize");
  result.ptx.resize(size);
  if (size > 0) f.check(f.nvrtcGetPTX(program.get(), result.ptx.data()), "nvrtcGetPTX");
  while (!result.ptx.empty() && result.ptx.back() == '\0') result.ptx.pop_back();
  if (f.nvrtcGetCUBINSize(program.get(), &size) == NVRTC_SUCCESS && size > 0) {
    result.cubin.resize(size);
    f.check(f.nvrtcGetCUBIN(program.get(), reinterpret_cast<char*>(result.cubin.data())), "nvrtcGetCUBIN");
  }
  if (f.nvrtcGetLTOIRSize(program.get(), &size) == NVRTC_SUCCESS && size > 0) {
    result.lto.resize(size);
    f.check(f.nvrtcGetLTOIR(program.get(), reinterpret_cast<char*>(result.lto.data())), "nvrtcGetLTOIR");
  }
  for (const auto& expression : job.name_expressions) {
    const char* lowered = nullptr;
    f.check(f.nvrtcGetLoweredName(program.get(), expression.c_str(), &lowered), "nvrtcGetLoweredName");
    result.lowered_names.emplace_back(expression, lowered);
  }
  return result;
}

}  // namespace xcuda::compiler
