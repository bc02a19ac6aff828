#include "session/operation.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include <algorithm>
#include <cstdint>

#include "session/session.hpp"

namespace xcuda::session {

void OperationArguments::add_bytes(std::span<const std::byte> value) {
  const auto& parameters = operation_.function.parameters;
  if (next_ >= parameters.size() || parameters[next_].size != value.size())
    throw Error(
        ErrorKind::internal,
        fmt::format("argument {} of {} has {} bytes, and the kernel takes {}", next_ + 1, operation_.name, value.size(),
                    next_ < parameters.size() ? std::to_string(parameters[next_].size) : "no more"));
  bytes_.resize(parameters[next_].offset);
  bytes_.insert(bytes_.end(), value.begin(), value.end());
  ++next_;
}

std::vector<std::byte> OperationArguments::take() const {
  if (next_ != operation_.function.parameters.size())
    throw Error(ErrorKind::internal, fmt::format("{} takes {} arguments, and {} were given", operation_.name,
                                                 operation_.function.parameters.size(), next_));
  return bytes_;
}

Temporary::Temporary(Session& session, std::uint64_t bytes)
    : session_(session), address_(session.allocate_temporary(bytes)), bytes_(bytes) {}
Temporary::~Temporary() { session_.free_temporary(address_); }

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
    throw Error(ErrorKind::internal, fmt::format("the kernel's own {} has no code", kernel));
  return *found;
}

std::vector<std::string> Session::own_options() {
  if (device_info().kind != "cpu") return {};
  return {"-DXCUDA_CPU_DEVICE"};  // xcuda/unroll.cuh
}

const Operation& Session::operation(const OperationRequest& request) {
  const auto key = fmt::format("{} {}", request.header, request.expression);
  if (const auto found = operations_.find(key); found != operations_.end()) return found->second.operations.front();
  compiler::CompileRequest compile;
  compile.name = "/xcuda/operation";
  compile.source = fmt::format("#include <{}>\n", request.header);
  compile.name_expressions = {request.expression};
  compile.architecture = device_info().architecture;
  compile.options = own_options();
  auto output = parts_.compile(compile, limits());
  if (!output.ok)
    throw Error(ErrorKind::internal, fmt::format("the kernel's own {} does not compile", request.expression))
        .said(output.log);
  // A header may hold kernels beside the one that is named.
  const auto lowered = std::find_if(output.lowered_names.begin(), output.lowered_names.end(),
                                    [&](const auto& one) { return one.first == request.expression; });
  const auto entry = lowered == output.lowered_names.end() ? std::string() : lowered->second;
  auto& operations = load_operation(key, std::move(output)).operations;
  std::stable_partition(operations.begin(), operations.end(),
                        [&](const Operation& one) { return one.function.entry == entry; });
  return operations.front();
}

OperationResult Session::operation(CellRun& run, const OperationSource& request) {
  const auto key = fmt::format("{}\n{}\n{}", settings_.compiler_options, request.includes, request.source);
  const auto found = operations_.find(key);
  if (found != operations_.end() && (request.names.empty() || found->second.revision == program_.revision()))
    return {&found->second, {}, {}};
  const auto words = std::exchange(run.compiler_words, {});
  auto compile = program_.extend({request.includes, request.names, request.source}, options(run, {}));
  run.compiler_words = words;
  for (auto& word : own_options()) compile.options.push_back(std::move(word));
  if (found != operations_.end()) {
    found->second.revision = program_.revision();
    if (found->second.source == compile.source) return {&found->second, {}, {}};  // other cells have changed
    drop_operation(found->second);
    operations_.erase(found);
  }
  auto source = compile.source;
  auto output = parts_.compile(compile, limits());

  if (!output.ok) return {nullptr, std::move(output.diagnostics), std::move(output.log)};
  auto& module = load_operation(key, std::move(output));
  module.source = std::move(source);
  module.revision = program_.revision();
  return {&module, {}, {}};
}

OperationModule& Session::load_operation(const std::string& key, compiler::CompileOutput output) {
  const device::ModuleId id{next_module_++};
  const auto info = device().load_module({id, "xcuda", output.ptx, output.cubin, output.architecture, {}});
  OperationModule module{id, {}, {}, 0};
  for (const auto& signature : output.kernels)
    for (const auto& function : info.functions)
      if (function.entry == signature.entry) module.operations.push_back({id, signature.name, function, signature});
  if (module.operations.empty())
    throw Error(ErrorKind::internal, "a kernel of the session's own has no code").said(info.log);
  if (!output.variables.empty()) variables_.add_module(id, output.variables, info);
  return operations_.emplace(key, std::move(module)).first->second;
}

void Session::launch_operation(const Operation& operation, const OperationLaunch& launch,
                               const OperationArguments& arguments) {
  device::LaunchRequest request;
  request.module = operation.module;
  request.stream = default_stream();
  request.entry = operation.function.entry;
  request.grid = launch.grid;
  request.block = launch.block;
  request.dynamic_shared = launch.dynamic_shared;
  request.checks.bounds = settings_.bounds_checks;
  request.arguments = arguments.take();
  request.stream = default_stream();
  // What an operation writes is not known: whatever it is given.
  for (std::size_t at = 0; capture_ != nullptr && at + sizeof(device::Address) <= request.arguments.size();
       at += sizeof(device::Address)) {
    device::Address address = 0;
    std::memcpy(&address, request.arguments.data() + at, sizeof address);
    note_written(address);
  }
  request.number = launches_.next_number();
  // Launches of one statement share a site: it begins at one place of the cell.
  const auto* statement = run_ == nullptr ? nullptr : run_->source.text.data() + run_->current.begin;
  const auto site = launches_.site(statement, {}, [&] {
    if (run_ == nullptr) return LaunchSite{statement, operation.name, operation.name, {}, {}};
    return LaunchSite{
        statement, operation.name, snippet(run_->source, run_->current), place_of(run_->source, run_->current), {}};
  });
  variables_.post_before_launch(device(), request.module, request.stream);
  launches_.posted(request.number, site);
  device().post_launch(request);
  posted();
}

void Session::drop_operation(const OperationModule& module) {
  variables_.remove_module(device(), module.id);
  device().unload_module(module.id);
}

void Session::drop_operations() {
  for (const auto& [key, module] : operations_) drop_operation(module);
  operations_.clear();
}

device::Address Session::allocate_temporary(std::uint64_t bytes) {
  device();
  const auto size = std::max<std::uint64_t>(bytes, 1);
  const auto address = memory_->allocate(size, "a temporary array");
  device_->post_name_range({address, size, 1, "a temporary array", "unsigned char"});
  return address;
}

void Session::free_temporary(device::Address address) {
  if (memory_ == nullptr) return;
  device_->post_forget_range(address);
  memory_->free(address,
                streams_.empty() ? device::Memory::Reuse::in_order : device::Memory::Reuse::after_synchronisation);
  pending_ = true;
}

}  // namespace xcuda::session
