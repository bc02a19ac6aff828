#include "arrays/operations.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include <algorithm>
#include <cstdint>

#include "compiler/host/host_source.hpp"

namespace xcuda::arrays {

void OperationArguments::add_bytes(std::span<const std::byte> value) {
  const auto& parameters = operation_.function.parameters;
  if (next_ >= parameters.size() || parameters[next_].size != value.size())
    throw Error(
        ErrorKind::internal,
        fmt::format("argument {} of {} has {} bytes, but the kernel takes {}", next_ + 1, operation_.name, value.size(),
                    next_ < parameters.size() ? std::to_string(parameters[next_].size) : "no more"));
  bytes_.resize(parameters[next_].offset);
  bytes_.insert(bytes_.end(), value.begin(), value.end());
  ++next_;
}

std::size_t OperationArguments::next_offset() const {
  const auto& parameters = operation_.function.parameters;
  return next_ < parameters.size() ? parameters[next_].offset : bytes_.size();
}

std::vector<std::byte> OperationArguments::take() const {
  if (next_ != operation_.function.parameters.size())
    throw Error(ErrorKind::internal, fmt::format("{} takes {} arguments, but {} were given", operation_.name,
                                                 operation_.function.parameters.size(), next_));
  return bytes_;
}

Temporary::Temporary(Workspace& workspace, std::uint64_t bytes)
    : workspace_(workspace), address_(workspace.allocate(bytes)), bytes_(bytes) {}
Temporary::~Temporary() { workspace_.free(address_); }

std::string operation_element(const Type& type) {
  if (type.scalar == Scalar::float16) return "xcuda::HalfBits";
  if (type.scalar == Scalar::bfloat16) return "xcuda::BFloatBits";
  if (type.scalar == Scalar::complex64) return "xcuda::Complex<float>";
  if (type.scalar == Scalar::complex128) return "xcuda::Complex<double>";
  return type.is_integer() ? type_of(type.scalar).name : type.name;  // of an enumeration the integer
}

std::uint64_t OperationModule::state_bytes() const {
  const auto& type = find("xcuda_size").signature.parameters.front().type;
  const auto bracket = type.rfind('[');
  return bracket == std::string::npos ? 0 : std::strtoull(type.c_str() + bracket + 1, nullptr, 10);
}

const Operation& OperationModule::find(std::string_view kernel) const {
  const auto found =
      std::find_if(operations.begin(), operations.end(), [&](const Operation& one) { return one.name == kernel; });
  if (found == operations.end())
    throw Error(ErrorKind::internal, fmt::format("the built-in kernel {} has no code", kernel));
  return *found;
}

std::vector<std::string> Operations::options() const {
  if (workspace_.device_info().kind != device::Kind::cpu) return {};
  return {"-DXCUDA_CPU_DEVICE"};  // xcuda/unroll.cuh
}

const Operation& Operations::find(const OperationRequest& request) {
  const auto key = fmt::format("{} {}", request.header, request.expression);
  if (const auto found = modules_.find(key); found != modules_.end()) return found->second.operations.front();
  compiler::CompileRequest compile;
  compile.name = "/xcuda/operation";
  compile.source = fmt::format("#include <{}>\n", request.header);
  compile.name_expressions = {request.expression};
  compile.architecture = workspace_.device_info().architecture;
  compile.options = options();
  const auto output = workspace_.compile(compile);
  if (!output.ok)
    throw Error(ErrorKind::internal, fmt::format("the built-in kernel {} does not compile", request.expression))
        .said(output.log);
  // A header may hold kernels beside the one that is named.
  const auto lowered = std::find_if(output.lowered_names.begin(), output.lowered_names.end(),
                                    [&](const auto& one) { return one.first == request.expression; });
  const auto entry = lowered == output.lowered_names.end() ? std::string() : lowered->second;
  auto& operations = load(key, output).operations;
  std::stable_partition(operations.begin(), operations.end(),
                        [&](const Operation& one) { return one.function.entry == entry; });
  return operations.front();
}

const Operation& Operations::keep(const std::string& key, const std::function<compiler::CompileOutput()>& make) {
  const auto found = modules_.find(key);
  return (found != modules_.end() ? found->second : load(key, make())).operations.front();
}

std::string Operations::key_of(const OperationSource& source) const {
  return fmt::format("{}\n{}\n{}", static_cast<int>(source.arithmetic), source.includes, source.source);
}

bool Operations::knows(const OperationSource& source) const {
  return modules_.contains(std::string(workspace_.cells().options) + "\n" + key_of(source));
}

namespace {

// What host code is compiled with when the compiler refuses it as it would be run.
std::vector<Arithmetic> lesser_arithmetic(Arithmetic of) {
  if (of != Arithmetic::host) return {};
  return {Arithmetic::host_overflowing, Arithmetic::host_unchecked, Arithmetic::rounded};
}

}  // namespace

OperationResult Operations::compile(const OperationSource& source) {
  return compile(key_of(source), [&] { return source; });
}

OperationResult Operations::compile(std::string_view key, const std::function<OperationSource()>& write) {
  const auto cells = workspace_.cells();
  std::string whole_key;
  whole_key.reserve(cells.options.size() + 1 + key.size());
  whole_key.append(cells.options).append("\n").append(key);
  const auto found = modules_.find(whole_key);
  if (found != modules_.end() && (!found->second.names_cells || found->second.revision == cells.revision))
    return {&found->second, {}, {}};
  return compile_new(whole_key, write());
}

OperationResult Operations::compile_new(const std::string& key, const OperationSource& source) {
  const auto revision = workspace_.cells().revision;
  auto request = workspace_.beside_cells(source);
  for (auto& word : options()) request.options.push_back(std::move(word));
  if (const auto found = modules_.find(key); found != modules_.end()) {
    found->second.revision = revision;
    if (found->second.source == request.source) return {&found->second, {}, {}};  // other cells have changed
    plans_.drop();
    workspace_.unload(found->second.id);
    modules_.erase(found);
  }
  const auto whole = request.source;
  auto output = workspace_.compile(request);
  for (const auto lesser : lesser_arithmetic(source.arithmetic)) {
    if (output.ok || !compiler::is_refused_as_host_code(request.source, output.log)) break;
    auto again = source;
    again.arithmetic = lesser;
    request.source = workspace_.beside_cells(again).source;
    output = workspace_.compile(request);
  }
  if (!output.ok) return {nullptr, std::move(output.diagnostics), std::move(output.log)};
  auto& module = load(key, output);
  module.source = whole;
  module.names_cells = !source.names.empty();
  module.revision = revision;
  return {&module, {}, {}};
}

OperationModule& Operations::load(const std::string& key, const compiler::CompileOutput& output) {
  const auto loaded = workspace_.load(output);
  OperationModule module{.id = loaded.id, .operations = {}, .source = {}};
  for (const auto& signature : output.kernels)
    for (const auto& function : loaded.info.functions)
      if (function.entry == signature.entry)
        module.operations.push_back({loaded.id, signature.name, function, signature});
  if (module.operations.empty())
    throw Error(ErrorKind::internal, "a built-in kernel has no code").said(loaded.info.log);
  return modules_.emplace(key, std::move(module)).first->second;
}

device::LaunchRequest Operations::request(const Operation& operation, const OperationLaunch& launch,
                                          const OperationArguments& arguments) {
  device::LaunchRequest request;
  request.module = operation.module;
  request.entry = operation.function.entry;
  request.grid = launch.grid;
  request.block = launch.block;
  request.dynamic_shared = launch.dynamic_shared;
  request.arguments = arguments.take();
  return request;
}

void Operations::launch(const Operation& operation, const OperationLaunch& launch,
                        const OperationArguments& arguments) {
  workspace_.launch(request(operation, launch, arguments), operation.name);
}

ArrayPlans& Operations::plans() {
  const auto cells = workspace_.cells();
  plans_.keep_to(cells.revision, cells.options);
  return plans_;
}

std::vector<device::ModuleId> Operations::loaded() const {
  std::vector<device::ModuleId> ids;
  for (const auto& [key, module] : modules_) ids.push_back(module.id);
  return ids;
}

void Operations::drop() {
  plans_.drop();
  for (const auto& [key, module] : modules_) workspace_.unload(module.id);
  modules_.clear();
}

}  // namespace xcuda::arrays
