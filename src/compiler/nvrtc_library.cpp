#include "compiler/nvrtc_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <type_traits>

#include "base/error.hpp"
#include "base/shared_library.hpp"
#include "compiler/toolkit.hpp"

namespace xcuda::compiler {
namespace {

// Numbers of newer versions; an older header has no names for them.
constexpr int kCancelled = 16;         // NVRTC_ERROR_CANCELLED, 12.9
constexpr int kPchHeapExhausted = 14;  // NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED, 12.8

std::string loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

}  // namespace

struct NvrtcLibrary::Functions {
  Handle<LibraryTraits> object;
  int major = 0, minor = 0;

  const char* (*get_error_string)(nvrtcResult) = nullptr;
  nvrtcResult (*version)(int*, int*) = nullptr;
  nvrtcResult (*get_num_supported_archs)(int*) = nullptr;
  nvrtcResult (*get_supported_archs)(int*) = nullptr;
  nvrtcResult (*create_program)(nvrtcProgram*, const char*, const char*, int, const char* const*,
                                const char* const*) = nullptr;
  nvrtcResult (*destroy_program)(nvrtcProgram*) = nullptr;
  nvrtcResult (*compile_program)(nvrtcProgram, int, const char* const*) = nullptr;
  nvrtcResult (*get_ptx_size)(nvrtcProgram, std::size_t*) = nullptr;
  nvrtcResult (*get_ptx)(nvrtcProgram, char*) = nullptr;
  nvrtcResult (*get_cubin_size)(nvrtcProgram, std::size_t*) = nullptr;
  nvrtcResult (*get_cubin)(nvrtcProgram, char*) = nullptr;
  nvrtcResult (*get_log_size)(nvrtcProgram, std::size_t*) = nullptr;
  nvrtcResult (*get_log)(nvrtcProgram, char*) = nullptr;
  nvrtcResult (*add_name_expression)(nvrtcProgram, const char*) = nullptr;
  nvrtcResult (*get_lowered_name)(nvrtcProgram, const char*, const char**) = nullptr;
  // May be absent.
  nvrtcResult (*set_flow_callback)(nvrtcProgram, int (*)(void*, void*), void*) = nullptr;
  nvrtcResult (*get_pch_status)(nvrtcProgram) = nullptr;
  nvrtcResult (*get_pch_heap_required)(nvrtcProgram, std::size_t*) = nullptr;
  nvrtcResult (*set_pch_heap)(std::size_t) = nullptr;

  template <class F> bool find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(object.get(), name));
    return function != nullptr;
  }

  std::string error_name(nvrtcResult result) const {
    const char* text = get_error_string(result);
    return text == nullptr ? fmt::format("NVRTC error {}", static_cast<int>(result)) : text;
  }
  void check(nvrtcResult result, const char* what) const {
    if (result != NVRTC_SUCCESS)
      throw Error(ErrorKind::compile, fmt::format("NVRTC failed in {}", what)).said(error_name(result));
  }
};

// The build's header proves that the table is right.
namespace {
template <class Pointer, class Function> constexpr bool kSame = std::is_same_v<Pointer, Function*>;
static_assert(
    kSame<nvrtcResult (*)(nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*),
          decltype(nvrtcCreateProgram)>);
static_assert(kSame<nvrtcResult (*)(nvrtcProgram, int, const char* const*), decltype(nvrtcCompileProgram)>);
static_assert(kSame<nvrtcResult (*)(nvrtcProgram, char*), decltype(nvrtcGetPTX)>);
static_assert(kSame<nvrtcResult (*)(nvrtcProgram, const char*, const char**), decltype(nvrtcGetLoweredName)>);

// NVRTC opens its second library by its bare name, and NVIDIA's wheels give it no path to look in: one that is there
// already is taken. The one beside it is also the one that belongs to it, whatever else the loader knows.
void load_builtins(const std::string& nvrtc, int major, int minor) {
  const auto slash = nvrtc.rfind('/');
  if (slash == std::string::npos) return;
  const auto path = fmt::format("{}/libnvrtc-builtins.so.{}.{}", nvrtc.substr(0, slash), major, minor);
  dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);  // without it, NVRTC's own message says what is missing
}
}  // namespace

NvrtcLibrary::NvrtcLibrary(const std::string& path) : functions_(std::make_unique<Functions>()) {
  auto& f = *functions_;
  f.object = Handle<LibraryTraits>(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!f.object)
    throw Error(ErrorKind::compile, fmt::format("NVRTC, CUDA's run-time compiler, cannot be loaded from {}", path))
        .said(loader_error())
        .advise(fmt::format("You can {}. `xcuda --doctor` lists the places tried.", kToolkitAdvice));
  const bool whole =
      f.find(f.get_error_string, "nvrtcGetErrorString") && f.find(f.version, "nvrtcVersion") &&
      f.find(f.get_num_supported_archs, "nvrtcGetNumSupportedArchs") &&
      f.find(f.get_supported_archs, "nvrtcGetSupportedArchs") && f.find(f.create_program, "nvrtcCreateProgram") &&
      f.find(f.destroy_program, "nvrtcDestroyProgram") && f.find(f.compile_program, "nvrtcCompileProgram") &&
      f.find(f.get_ptx_size, "nvrtcGetPTXSize") && f.find(f.get_ptx, "nvrtcGetPTX") &&
      f.find(f.get_cubin_size, "nvrtcGetCUBINSize") && f.find(f.get_cubin, "nvrtcGetCUBIN") &&
      f.find(f.get_log_size, "nvrtcGetProgramLogSize") && f.find(f.get_log, "nvrtcGetProgramLog") &&
      f.find(f.add_name_expression, "nvrtcAddNameExpression") && f.find(f.get_lowered_name, "nvrtcGetLoweredName");
  if (f.version != nullptr) f.version(&f.major, &f.minor);
  if (!whole || std::pair(f.major, f.minor) < std::pair(kOldestMajor, kOldestMinor))
    throw Error(ErrorKind::compile, fmt::format("{} is not an NVRTC that can be used", path))
        .said(f.major > 0 ? fmt::format("it is version {}.{}", f.major, f.minor)
                          : std::string("it lacks NVRTC's functions"))
        .advise(fmt::format("CUDA {}.{} or newer is needed; set CUDA_HOME to its folder.", kOldestMajor, kOldestMinor));
  load_builtins(path, f.major, f.minor);
  f.find(f.set_flow_callback, "nvrtcSetFlowCallback");
  f.find(f.get_pch_status, "nvrtcGetPCHCreateStatus");
  f.find(f.get_pch_heap_required, "nvrtcGetPCHHeapSizeRequired");
  f.find(f.set_pch_heap, "nvrtcSetPCHHeapSize");
}

NvrtcLibrary::~NvrtcLibrary() = default;
NvrtcLibrary::NvrtcLibrary(NvrtcLibrary&&) noexcept = default;
NvrtcLibrary& NvrtcLibrary::operator=(NvrtcLibrary&&) noexcept = default;

int NvrtcLibrary::major() const { return functions_->major; }
int NvrtcLibrary::minor() const { return functions_->minor; }
std::string NvrtcLibrary::version() const { return fmt::format("{}.{}", major(), minor()); }
bool NvrtcLibrary::can_cancel() const { return functions_->set_flow_callback != nullptr; }
bool NvrtcLibrary::can_precompile() const { return functions_->get_pch_status != nullptr; }
void NvrtcLibrary::grow_pch_heap(std::size_t bytes) {
  if (functions_->set_pch_heap != nullptr) functions_->set_pch_heap(bytes);
}

std::vector<int> NvrtcLibrary::architectures() const {
  int count = 0;
  functions_->check(functions_->get_num_supported_archs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> numbers(static_cast<std::size_t>(std::max(count, 0)));
  if (!numbers.empty()) functions_->check(functions_->get_supported_archs(numbers.data()), "nvrtcGetSupportedArchs");
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

namespace {

// One nvrtcProgram, destroyed with the scope.
template <class Functions> class ProgramScope {
 public:
  ProgramScope(const Functions& functions, const NvrtcJob& job) : functions_(functions) {
    functions.check(functions.create_program(&program_, job.source.c_str(), job.name.c_str(), 0, nullptr, nullptr),
                    "nvrtcCreateProgram");
  }
  ProgramScope(const ProgramScope&) = delete;
  ProgramScope& operator=(const ProgramScope&) = delete;
  ~ProgramScope() { functions_.destroy_program(&program_); }
  nvrtcProgram get() const { return program_; }

 private:
  const Functions& functions_;
  nvrtcProgram program_ = nullptr;
};

int ask_cancelled(void* payload, void*) {
  const auto& cancelled = *static_cast<const std::function<bool()>*>(payload);
  return cancelled() ? 1 : 0;
}

}  // namespace

NvrtcResult NvrtcLibrary::compile(const NvrtcJob& job) {
  const auto& f = *functions_;
  if (job.source.find('\0') != std::string::npos)
    throw Error(ErrorKind::syntax, "the source holds a NUL byte, which no compiler accepts")
        .advise("Remove it from the cell.");

  const ProgramScope program(f, job);
  for (const auto& expression : job.name_expressions)
    f.check(f.add_name_expression(program.get(), expression.c_str()), "nvrtcAddNameExpression");
  if (job.cancelled && f.set_flow_callback != nullptr)
    f.check(f.set_flow_callback(program.get(), ask_cancelled, const_cast<std::function<bool()>*>(&job.cancelled)),
            "nvrtcSetFlowCallback");

  std::vector<const char*> options;
  options.reserve(job.options.size());
  for (const auto& option : job.options) options.push_back(option.c_str());
  const auto status = f.compile_program(program.get(), static_cast<int>(options.size()), options.data());

  NvrtcResult result;
  result.message = f.error_name(status);
  std::size_t size = 0;
  if (f.get_log_size(program.get(), &size) == NVRTC_SUCCESS && size > 1) {
    result.log.resize(size);
    if (f.get_log(program.get(), result.log.data()) != NVRTC_SUCCESS) result.log.clear();
    while (!result.log.empty() && (result.log.back() == '\0' || result.log.back() == '\n')) result.log.pop_back();
  }
  if (f.get_pch_status != nullptr && static_cast<int>(f.get_pch_status(program.get())) == kPchHeapExhausted)
    f.get_pch_heap_required(program.get(), &result.pch_heap_wanted);

  using Status = NvrtcResult::Status;
  switch (static_cast<int>(status)) {
    case NVRTC_SUCCESS: break;
    case NVRTC_ERROR_INVALID_OPTION: result.status = Status::bad_option; return result;
    case NVRTC_ERROR_COMPILATION:
    case NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID: result.status = Status::failed; return result;
    case kCancelled: result.status = Status::cancelled; return result;
    default: result.status = Status::internal; return result;
  }

  f.check(f.get_ptx_size(program.get(), &size), "nvrtcGetPTXSize");
  result.ptx.resize(size);
  if (size > 0) f.check(f.get_ptx(program.get(), result.ptx.data()), "nvrtcGetPTX");
  while (!result.ptx.empty() && result.ptx.back() == '\0') result.ptx.pop_back();
  if (f.get_cubin_size(program.get(), &size) == NVRTC_SUCCESS && size > 0) {
    result.cubin.resize(size);
    f.check(f.get_cubin(program.get(), reinterpret_cast<char*>(result.cubin.data())), "nvrtcGetCUBIN");
  }
  for (const auto& expression : job.name_expressions) {
    const char* lowered = nullptr;
    f.check(f.get_lowered_name(program.get(), expression.c_str(), &lowered), "nvrtcGetLoweredName");
    result.lowered_names.emplace_back(expression, lowered);
  }
  return result;
}

}  // namespace xcuda::compiler
