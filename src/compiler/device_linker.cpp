#include "compiler/device_linker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
#include "cell/lexer.hpp"

// Not every toolkit has nvJitLink's header. The names without a version are those of the library's own.
extern "C" {
int nvJitLinkCreate(void** linker, std::uint32_t count, const char** options);
int nvJitLinkDestroy(void** linker);
int nvJitLinkAddData(void* linker, int kind, const void* data, std::size_t size, const char* name);
int nvJitLinkAddFile(void* linker, int kind, const char* path);
int nvJitLinkComplete(void* linker);
int nvJitLinkGetLinkedCubinSize(void* linker, std::size_t* size);
int nvJitLinkGetLinkedCubin(void* linker, void* cubin);
int nvJitLinkGetLinkedPtxSize(void* linker, std::size_t* size);
int nvJitLinkGetLinkedPtx(void* linker, char* ptx);
int nvJitLinkGetErrorLogSize(void* linker, std::size_t* size);
int nvJitLinkGetErrorLog(void* linker, char* log);
}
// clang-format off
#define XCUDA_LINKER_FUNCTIONS(F) \
  F(nvJitLinkCreate) F(nvJitLinkDestroy) F(nvJitLinkAddData) F(nvJitLinkAddFile) F(nvJitLinkComplete) \
  F(nvJitLinkGetLinkedCubinSize) F(nvJitLinkGetLinkedCubin) F(nvJitLinkGetLinkedPtxSize) F(nvJitLinkGetLinkedPtx) \
  F(nvJitLinkGetErrorLogSize) F(nvJitLinkGetErrorLog)
// clang-format on

namespace xcuda::compiler {
namespace {

// nvJitLinkInputType
constexpr int kCubin = 1, kLto = 3, kLibrary = 6, kAny = 10;
constexpr std::string_view kDeviceRuntime = "libcudadevrt.a";

std::string linker_name(int major) { return fmt::format("libnvJitLink.so.{}", major); }

Error cannot_link(const LinkJob& job) {
  if (job.files.empty())
    return Error(ErrorKind::compile, fmt::format("cannot link {}, in which a kernel launches kernels", job.name));
  return Error(ErrorKind::compile, fmt::format("cannot link {} with {}", job.name, fmt::join(job.files, ", ")));
}

// The first of the folders that has the file.
std::optional<std::string> find_file(const LinkJob& job, std::string_view file) {
  for (const auto& folder : job.folders) {
    const auto path = std::filesystem::path(folder) / file;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return std::nullopt;
}

std::string need_file(const LinkJob& job, std::string_view file, std::string_view package) {
  if (auto path = find_file(job, file)) return *path;
  throw cannot_link(job)
      .said(fmt::format("{} was not found", file))
      .advise(fmt::format("Run %pip install '{}{}', or set CUDA_HOME to a CUDA {} toolkit that has it.", package,
                          job.major < 13 ? fmt::format("-cu{}", job.major) : fmt::format("=={}.*", job.major),
                          job.major));
}

struct Functions {
  XCUDA_FUNCTION_TABLE(XCUDA_LINKER_FUNCTIONS)
};

class Linker {
 public:
  Linker(const LinkJob& job, const std::vector<const char*>& more)
      : job_(job),
        path_(need_file(job, linker_name(job.major), "nvidia-nvjitlink")),
        library_(path_, SharedLibrary::Lifetime::process) {
    if (!library_) throw cannot_link(job).said(library_.why_not());
    if (const auto missing = library_.load(functions_); !missing.empty())
      throw cannot_link(job).said(fmt::format("{} lacks {}", path_, fmt::join(missing, ", ")));
    const auto architecture = fmt::format("-arch={}", job.architecture);
    std::vector<const char*> options{architecture.c_str()};
    options.insert(options.end(), more.begin(), more.end());
    check(functions_.nvJitLinkCreate(&linker_, static_cast<std::uint32_t>(options.size()), options.data()),
          "create a linker");
  }
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;
  ~Linker() {
    if (linker_ != nullptr) functions_.nvJitLinkDestroy(&linker_);
  }

  void add_code(int kind) {
    check(functions_.nvJitLinkAddData(linker_, kind, job_.code.data(), job_.code.size(), job_.name.c_str()),
          "add the cell's code");
  }
  void add_file(int kind, const std::string& path) {
    check(functions_.nvJitLinkAddFile(linker_, kind, path.c_str()), fmt::format("add {}", path));
  }
  void add_device_runtime() { add_file(kLibrary, need_file(job_, kDeviceRuntime, "nvidia-cuda-runtime")); }

  std::vector<std::byte> cubin() {
    check(functions_.nvJitLinkComplete(linker_), "link");
    std::size_t size = 0;
    check(functions_.nvJitLinkGetLinkedCubinSize(linker_, &size), "read the result's size");
    std::vector<std::byte> cubin(size);
    check(functions_.nvJitLinkGetLinkedCubin(linker_, cubin.data()), "read the result");
    return cubin;
  }
  std::string ptx() {
    check(functions_.nvJitLinkComplete(linker_), "link");
    std::size_t size = 0;
    check(functions_.nvJitLinkGetLinkedPtxSize(linker_, &size), "read the result's size");
    std::string ptx(size, '\0');
    check(functions_.nvJitLinkGetLinkedPtx(linker_, ptx.data()), "read the result");
    ptx.resize(ptx.find_last_not_of('\0') + 1);
    return ptx;
  }

 private:
  void check(int result, std::string_view what) const {
    if (result == 0) return;
    std::string log;
    if (std::size_t size = 0; linker_ != nullptr && functions_.nvJitLinkGetErrorLogSize(linker_, &size) == 0) {
      log.resize(size);
      if (size > 0 && functions_.nvJitLinkGetErrorLog(linker_, log.data()) != 0) log.clear();
    }
    const std::string said(trim(log.c_str()));
    throw cannot_link(job_)
        .said(said.empty() ? fmt::format("{}: could not {}: error {}", path_, what, result) : said)
        .advise(fmt::format("{} must be as new as NVRTC.", linker_name(job_.major)));
  }

  const LinkJob& job_;
  std::string path_;
  SharedLibrary library_;
  Functions functions_;
  void* linker_ = nullptr;
};

}  // namespace

// Comments and strings name launches, too.
bool launches_kernels(std::string_view source) {
  if (source.find("<<<") == source.npos) return false;
  const auto tokens = cell::tokens_of(source);
  return std::any_of(tokens.begin(), tokens.end(), [](const auto& token) { return token.is("<<<"); });
}

void add_linker_folders(CompileRequest& request, const std::function<std::vector<std::string>()>& folders) {
  const bool runtime = request.architecture.starts_with("sm_") && launches_kernels(request.source);
  if (runtime || !request.linked_files.empty()) request.linker_folders = folders();
}

std::vector<std::byte> link_device_runtime(const LinkJob& job) {
  Linker linker(job, {});
  linker.add_code(kCubin);
  linker.add_device_runtime();
  return linker.cubin();
}

std::string link_to_ptx(const LinkJob& job) {
  Linker linker(job, {"-lto", "-ptx", "-lineinfo"});
  linker.add_code(kLto);
  for (const auto& file : job.files) linker.add_file(kAny, file);
  return linker.ptx();
}

std::vector<std::byte> link_to_cubin(const LinkJob& job, DeviceRuntime runtime) {
  Linker linker(job, {"-lto", "-lineinfo"});
  linker.add_code(kLto);
  for (const auto& file : job.files) linker.add_file(kAny, file);
  if (runtime == DeviceRuntime::linked) linker.add_device_runtime();
  return linker.cubin();
}

}  // namespace xcuda::compiler
