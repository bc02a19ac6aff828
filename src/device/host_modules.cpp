#include "device/host_modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/demangle.hpp"
#include "device/id_errors.hpp"
#include "xcuda/host_module.hpp"

namespace xcuda::device {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

HostType type_of(const xcuda_module::Type& type) {
  return {demangled_type(type.name), static_cast<Passing>(type.passing), type.size, std::max(type.alignment, 1U)};
}

HostFunctionInfo info_of(const xcuda_module::Function& function) {
  HostFunctionInfo info{.name = function.name, .result = type_of(function.result)};
  const char* name = function.parameter_names;
  for (std::uint32_t i = 0; i < function.parameter_count; ++i) {
    info.parameters.push_back(type_of(function.parameters[i]));
    const char* end = std::strchr(name, ',');
    info.parameter_names.emplace_back(name, end == nullptr ? name : end);
    if (end != nullptr) name = end + 1;
  }
  const auto can = [](const HostType& type) { return type.passing != Passing::none; };
  info.can_be_called =
      function.call != nullptr && can(info.result) && std::all_of(info.parameters.begin(), info.parameters.end(), can);
  return info;
}

struct ThrownByModule {
  std::string type, what;
};
void keep_thrown(void* told, const char* type, const char* what) {
  *static_cast<ThrownByModule*>(told) = {
      *type == 0 ? "an object of another type than std::exception" : demangled_type(type), what};
}

std::uint64_t after(std::uint64_t at, std::uint64_t size) {
  return (at + size + HostResults::kAlignment - 1) / HostResults::kAlignment * HostResults::kAlignment;
}

bool fits(const HostArgument& argument, const xcuda_module::Type& parameter) {
  using Kind = HostArgument::Kind;
  switch (parameter.passing) {
    case xcuda_module::Passing::value: return argument.kind == Kind::value && argument.bytes.size() == parameter.size;
    case xcuda_module::Passing::reference:
      return argument.kind == Kind::reference && argument.bytes.size() == parameter.size;
    case xcuda_module::Passing::pointer:
    case xcuda_module::Passing::pointer_to_const:
      return argument.kind == Kind::memory || (argument.kind == Kind::value && argument.bytes.size() == sizeof(void*));
    case xcuda_module::Passing::stream: return argument.kind == Kind::stream;
    case xcuda_module::Passing::none: break;
  }
  return false;
}

}  // namespace

HostResults::HostResults(const HostCall& call) : size_(after(0, call.result_size)) {
  for (const auto& argument : call.arguments) {
    if (argument.kind != HostArgument::Kind::reference) continue;
    references_.push_back(size_);
    size_ = after(size_, argument.bytes.size());
  }
}

HostModuleInfo HostModules::load(const HostModuleImage& image) {
  if (modules_.contains(image.id)) throw taken(image.id);
  const auto begin = Clock::now();
  const auto refused = [&](std::string why) {
    return Error(ErrorKind::unsupported, fmt::format("cannot load the module of {}", image.name)).said(std::move(why));
  };
  // What it prints goes to the cell line by line, also from a module that never returns.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  // The loader gives a file that is loaded already once more, with its static variables: a copy is another file.
  std::error_code failed;
  auto path = image.path;
  const bool again = std::any_of(modules_.begin(), modules_.end(), [&](auto& one) { return one.second.path == path; });
  if (again) {
    path += fmt::format(".{}", static_cast<std::uint32_t>(image.id));
    fs::copy_file(image.path, path, fs::copy_options::overwrite_existing, failed);
  }
  SharedLibrary library(path, SharedLibrary::Lifetime::object);
  if (again) fs::remove(path, failed);
  if (!library) throw refused(library.why_not());
  const xcuda_module::Table* (*entry)() = nullptr;
  library.find("xcuda_host_module", entry);
  const auto* const table = entry != nullptr ? entry() : nullptr;
  if (table == nullptr || table->version != xcuda_module::kVersion)
    throw refused("it was made for another version of xeus-cuda");
  HostModuleInfo info;
  for (std::uint32_t i = 0; i < table->count; ++i) info.functions.push_back(info_of(table->functions[i]));
  modules_.emplace(image.id, Loaded{std::move(path), std::move(library), table});
  std::fflush(nullptr);
  info.load_time = std::chrono::nanoseconds(Clock::now() - begin).count();
  return info;
}

void HostModules::unload(ModuleId id) {
  const auto found = modules_.find(id);
  if (found == modules_.end()) throw missing(id);
  modules_.erase(found);
  std::fflush(nullptr);
}

std::optional<RefusedLaunch> HostModules::call(const HostCall& call, std::span<std::byte> staging,
                                               const std::function<void*(StreamId)>& stream) {
  const auto refused = [&](std::string why) { return RefusedLaunch{call.number, std::move(why), {}, {}}; };
  const auto found = modules_.find(call.module);
  if (found == modules_.end()) return refused("its module is not loaded");
  const auto& table = *found->second.table;
  if (call.function >= table.count || table.functions[call.function].call == nullptr)
    return refused("its module has no such function");
  const auto& function = table.functions[call.function];
  if (call.arguments.size() != function.parameter_count || call.result_size < function.result.size)
    return refused("the call does not have the function's parameters");
  const HostResults places(call);
  if (places.size() > staging.size())
    return refused(fmt::format("its results have {} bytes, and the staging buffer {}", places.size(), staging.size()));
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (!fits(call.arguments[i], function.parameters[i]))
      return refused(fmt::format("argument {} does not fit", i + 1));

  // Copies: the function may change what it is given.
  std::vector<std::uint64_t> values;
  std::uint64_t bytes = 0;
  for (const auto& argument : call.arguments) {
    values.push_back(bytes);
    bytes = after(bytes, std::max(argument.bytes.size(), sizeof(void*)));
  }
  std::vector<std::byte> room(bytes + HostResults::kAlignment);
  auto* const first = reinterpret_cast<std::byte*>(after(reinterpret_cast<std::uintptr_t>(room.data()), 0));
  std::vector<std::vector<std::byte>> memory;
  std::vector<void*> given;
  auto reference = places.references().begin();
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& argument = call.arguments[i];
    void* at = first + values[i];
    const auto point_to = [&](void* to) { std::memcpy(at, &to, sizeof to); };
    switch (argument.kind) {
      case HostArgument::Kind::value: std::memcpy(at, argument.bytes.data(), argument.bytes.size()); break;
      case HostArgument::Kind::memory: point_to(memory.emplace_back(argument.bytes).data()); break;
      case HostArgument::Kind::stream: point_to(stream(argument.stream)); break;
      case HostArgument::Kind::reference:
        at = staging.data() + *reference++;
        std::memcpy(at, argument.bytes.data(), argument.bytes.size());
        break;
    }
    given.push_back(at);
  }
  ThrownByModule thrown;
  const bool done =
      function.call(function.target, given.data(), staging.data() + places.result(), keep_thrown, &thrown);
  std::fflush(nullptr);
  if (done) return std::nullopt;
  return RefusedLaunch{call.number, std::move(thrown.what), {}, std::move(thrown.type)};
}

}  // namespace xcuda::device
