#include "compiler/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <variant>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/units.hpp"
#include "compiler/device_linker.hpp"
#include "compiler/diagnostics.hpp"
#include "compiler/host_headers.hpp"
#include "compiler/package_headers.hpp"
#include "compiler/signature.hpp"
#include "compiler/type_layout.hpp"
#include "ptx/ptx_parser.hpp"

namespace xcuda::compiler {
namespace {

bool has_prefix(const std::vector<std::string>& words, std::string_view prefix) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word.starts_with(prefix); });
}

constexpr std::uint64_t kRoomForHeaders = std::uint64_t{256} << 20;  // a precompiled one takes about 175 MB

// Unknown counts as enough.
std::uint64_t free_bytes(const std::string& folder) {
  std::error_code failed;
  const auto space = std::filesystem::space(folder, failed);
  return failed ? std::numeric_limits<std::uint64_t>::max() : space.available;
}

bool asks_for_pch(const CompileRequest& request) {
  return std::find(request.options.begin(), request.options.end(), "--pch") != request.options.end();
}

}  // namespace

const std::vector<std::string>& standing_options() {
  static const std::vector<std::string> options{"--device-as-default-execution-space"};
  return options;
}

Compiler::Compiler(const Toolkit& toolkit, std::string own_includes)
    : toolkit_(toolkit), own_includes_(std::move(own_includes)), library_(toolkit.nvrtc) {}

std::vector<std::string> Compiler::nvrtc_options(const CompileRequest& request) const {
  auto options = standing_options();
  options.push_back(fmt::format("--gpu-architecture={}", known_architecture(request.architecture)));
  if (!has_prefix(request.options, "--std=")) options.emplace_back("--std=c++20");
  // What the assembler says of spilled registers; a virtual architecture has no assembler.
  if (request.architecture.starts_with("sm_") && request.linked_files.empty())
    options.emplace_back("--ptxas-options=-v");
  // Lines for faults, bounds checks, profilers and disassembly; the code is the same.
  if (!has_prefix(request.options, "--generate-line-info") && !has_prefix(request.options, "--device-debug"))
    options.emplace_back("--generate-line-info");
  options.insert(options.end(), request.options.begin(), request.options.end());
  if (!request.linked_files.empty()) options.emplace_back("--dlink-time-opt");
  if (launches_kernels(request.source) || !request.linked_files.empty()) {
    options.emplace_back("--relocatable-device-code=true");
    std::erase(options, "--minimal");  // which declares no function of the runtime
  }
  for (const auto& folder : request.include_folders) options.push_back(fmt::format("--include-path={}", folder));
  for (const auto& folder : toolkit_.includes) options.push_back(fmt::format("--include-path={}", folder));
  if (!own_includes_.empty()) {
    options.push_back(fmt::format("--include-path={}", own_includes_));
    options.push_back(fmt::format("--include-path={}/xcuda_std", own_includes_));
  }
  options.erase(std::remove(options.begin(), options.end(), "--pch"), options.end());
  if (precompiles(request)) {
    options.emplace_back("--pch");
    options.push_back(fmt::format("--pch-dir={}", request.pch_folder));
  }
  return options;
}

// A GPU newer than NVRTC is compiled for in PTX, as new as NVRTC can, which its driver translates.
std::string Compiler::known_architecture(const std::string& wanted) const {
  const auto known = library_.architectures();
  if (known.empty() || !wanted.starts_with("sm_") || std::atoi(wanted.c_str() + 3) <= known.back()) return wanted;
  return fmt::format("compute_{}", known.back());
}

// Why NVRTC refused an option: the architecture has a better answer than its own.
Diagnostic Compiler::refused_option(const CompileRequest& request, const std::string& log) const {
  const auto known = library_.architectures();
  const auto number = std::atoi(request.architecture.c_str() +
                                std::min(request.architecture.find('_') + 1, request.architecture.size()));
  Diagnostic diagnostic;
  if (std::find(known.begin(), known.end(), number) == known.end())
    diagnostic.text = fmt::format("NVRTC {} cannot compile for {}; it supports {}", library_.version(),
                                  request.architecture, fmt::join(known, ", "));
  else
    diagnostic.text = fmt::format("NVRTC {} refused an option: {}", library_.version(), log.substr(0, log.find('\n')));
  return diagnostic;
}

// NVRTC maps the file that it makes, and dies where the disk cannot hold it.
bool Compiler::precompiles(const CompileRequest& request) const {
  return asks_for_pch(request) && library_.can_precompile() && !request.pch_folder.empty() &&
         free_bytes(request.pch_folder) >= kRoomForHeaders;
}

// A file has about 175 MB: the last two are kept, and none of another process, which could not be used.
void Compiler::prepare_pch(const std::string& folder) {
  namespace fs = std::filesystem;
  constexpr std::size_t kMostFiles = 2;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code gone;
    if (at->path().extension() == ".pch") files.emplace_back(at->last_write_time(gone), at->path());
  }
  std::sort(files.begin(), files.end(), std::greater<>());
  for (std::size_t i = pch_used_ ? kMostFiles - 1 : 0; i < files.size(); ++i) fs::remove(files[i].second, failed);
  pch_used_ = true;
}

// They are in the cache, which may be cleared between two compiles; to look takes less than 0.1 ms. Without a cache,
// and where the sandbox keeps this process from making it again, they go into the session's folder.
void Compiler::use_headers_of_nvrtc(const std::string& session_folder) {
  std::filesystem::path session = session_folder;
  if (!session.empty()) session /= kHeadersOfNvrtc;
  for (const auto& place : {cache_folder(kHeadersOfNvrtc), session}) {
    if (place.empty() || std::holds_alternative<Error>(make_private_folder(place))) continue;
    const auto folder = place / library_.version();
    if (!library_.install_headers(folder)) continue;
    toolkit_.includes = {folder, folder / "cccl"};
    return;
  }
}

CompileOutput Compiler::compile(const CompileRequest& request, const std::function<bool()>& cancelled) {
  const auto start = Clock::now();
  if (without_headers_) use_headers_of_nvrtc(request.pch_folder);
  CompileOutput output;
  output.name = request.name;
  output.architecture = request.architecture;
  output.options = request.options;
  output.nvrtc_version = library_.version();

  NvrtcJob job;
  job.name = request.name;
  job.source = request.source;
  job.options = nvrtc_options(request);
  if (asks_for_pch(request)) job.name = kPrecompiledName;
  const bool precompile = precompiles(request);
  if (precompile) prepare_pch(request.pch_folder);
  job.cancelled = cancelled;
  job.name_expressions = request.name_expressions;
  for (const auto& kernel : request.extern_c_candidates) job.name_expressions.push_back(helper_expression(kernel));
  if (!request.extern_c_candidates.empty() || request.type_query) job.source += helper_declaration();
  if (request.type_query) add_layout(*request.type_query, job);
  output.phases.prepare = since(start);

  const auto compiling = Clock::now();
  auto result = library_.compile(job);
  if (result.pch_heap_wanted > 0) library_.grow_pch_heap(result.pch_heap_wanted);  // for the next one
  if (result.status == NvrtcResult::Status::failed && !request.extern_c_candidates.empty() &&
      only_name_errors(result.log)) {
    // One name that is overloaded or hidden by #if fails the whole compile; the sizes in the PTX have to do then.
    job.name_expressions = request.name_expressions;
    result = library_.compile(job);
  }
  if (result.status == NvrtcResult::Status::failed && request.type_query && !request.type_query->members.empty()) {
    // Members that are private or bit fields: size and alignment are known all the same.
    job.source = request.source + std::string(helper_declaration());
    job.name_expressions = request.name_expressions;
    add_layout({request.type_query->type, {}}, job);
    result = library_.compile(job);
  }
  link(request, result);
  output.phases.nvrtc = since(compiling);

  const auto reading = Clock::now();
  output.log = std::move(result.log);
  using Status = NvrtcResult::Status;
  if (result.status == Status::cancelled)
    throw Error(ErrorKind::interrupted, fmt::format("the compile of {} was interrupted", shown_source(request.name)));
  if (result.status == Status::internal)
    throw Error(ErrorKind::compile,
                fmt::format("NVRTC {} failed on {}", library_.version(), shown_source(request.name)))
        .said(output.log.empty() ? result.message : fmt::format("{}: {}", result.message, output.log))
        .advise("This is an error in NVRTC, not in the cell. Try a smaller cell or another version of CUDA.");
  if (result.status == Status::bad_option)
    output.diagnostics = {refused_option(request, output.log)};
  else
    output.diagnostics = parse_log(output.log, request);
  if (std::any_of(output.diagnostics.begin(), output.diagnostics.end(),
                  [](const Diagnostic& d) { return d.place.source == kPtxSource; })) {
    // The assembler refused what the compiler made. The same for a virtual architecture stops in front of the
    // assembler.
    auto again = job;
    for (auto& option : again.options)
      if (option.starts_with("--gpu-architecture=sm_")) option.replace(0, 22, "--gpu-architecture=compute_");
    std::erase_if(again.options, [](const std::string& option) { return option.starts_with("--ptxas-options"); });
    locate_in_ptx(output.diagnostics, library_.compile(again).ptx, request);
  }
  output.ok = result.status == Status::ok;
  if (!precompile && asks_for_pch(request) && free_bytes(request.pch_folder) < kRoomForHeaders)
    output.diagnostics.push_back({.severity = Severity::note,
                                  .text = fmt::format("--pch needs {} of free space in {}, which has {}: the cell was "
                                                      "compiled without it",
                                                      format_bytes(kRoomForHeaders), request.pch_folder,
                                                      format_bytes(free_bytes(request.pch_folder)))});
  if (!output.ok) {
    explain_package_headers(output.diagnostics);
    explain_host_headers(output.diagnostics, request);
  }
  if (output.ok) {
    const auto module = ptx::parse_declarations(result.ptx, shown_source(request.name));
    output.kernels = kernel_signatures({module, request.kernels, result.lowered_names, request.name_expressions});
    output.variables = variable_signatures(module, request.variables);
    if (request.type_query) output.type_layout = read_layout(*request.type_query, module, result.lowered_names);
    output.ptx = without_helpers(result.ptx, module);
    output.cubin = std::move(result.cubin);
    for (auto& lowered : result.lowered_names)
      if (!is_helper_entry(lowered.second)) output.lowered_names.push_back(std::move(lowered));
  } else if (std::none_of(output.diagnostics.begin(), output.diagnostics.end(),
                          [](const Diagnostic& d) { return d.severity == Severity::error; })) {
    // Never a failure without a reason.
    output.diagnostics.push_back({.text = output.log.empty() ? result.message : output.log});
  }
  output.phases.signatures = since(reading);
  output.phases.total = since(start);
  return output;
}

// By the linker beside NVRTC, else by one of the request's folders. Without a CUBIN the device links, or refuses; LTO
// code becomes PTX in any case.
void Compiler::link(const CompileRequest& request, NvrtcResult& result) const {
  const bool launches = launches_kernels(request.source);
  if (result.lto.empty() && (result.cubin.empty() || !launches)) return;
  LinkJob job{
      result.cubin,        known_architecture(request.architecture), shown_source(request.name), library_.major(), {},
      request.linked_files};
  if (toolkit_.nvrtc.find('/') != std::string::npos)
    job.folders.push_back(std::filesystem::path(toolkit_.nvrtc).parent_path());
  job.folders.insert(job.folders.end(), request.linker_folders.begin(), request.linker_folders.end());
  if (result.lto.empty()) {
    result.cubin = link_device_runtime(job);
    return;
  }
  job.code = result.lto;
  const bool real = job.architecture.starts_with("sm_");
  if (real) result.cubin = link_to_cubin(job, launches ? DeviceRuntime::linked : DeviceRuntime::none);
  job.architecture.replace(0, job.architecture.find('_'), "sm");
  result.ptx = link_to_ptx(job);
}

void Compiler::warm_up() {
  CompileRequest request;
  request.name = "/xcuda/warm_up";
  request.source = "__global__ void xcuda_warm_up(float* x) { x[threadIdx.x] *= 2; }\n";
  request.architecture = "compute_80";
  compile(request);
}

}  // namespace xcuda::compiler
