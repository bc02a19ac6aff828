#include "device/fake_module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "base/text.hpp"

namespace xcuda::device {

bool FakeModule::holds(Address address, std::uint64_t size) const {
  return std::any_of(info.variables.begin(), info.variables.end(), [&](const VariableInfo& variable) {
    return address >= variable.address && size <= variable.size && address - variable.address <= variable.size - size;
  });
}

FakeModule parse_fake_module(const ModuleImage& image, const std::function<bool(const std::string&)>& knows) {
  FakeModule module;
  int number = 0;
  for (const auto line : split_lines(image.ptx)) {
    ++number;
    std::istringstream words{std::string(line)};
    std::string kind, name;
    words >> kind >> name;
    const auto refused = [&](std::string why) {
      return Error(ErrorKind::compile, fmt::format("cannot load the module {}", image.name))
          .said(std::move(why))
          .at({.source = image.name, .line = number, .excerpt = std::string(line)});
    };
    if (kind.empty() || kind.starts_with("//")) continue;
    if (kind == ".entry") {
      if (!knows(name)) throw refused(fmt::format("the fake has no kernel {}", name));
      FunctionInfo function;
      function.entry = name;
      function.registers = 16;
      function.max_threads_per_block = static_cast<int>(kFakeThreads);
      std::uint32_t size = 0, offset = 0;
      while (words >> size) {
        const auto alignment = std::min<std::uint32_t>(size, 8);
        offset = (offset + alignment - 1) / alignment * alignment;
        function.parameters.push_back({offset, size, alignment});
        offset += size;
      }
      module.info.functions.push_back(std::move(function));
    } else if (kind == ".variable" || kind == ".constant") {
      std::size_t size = 0;
      if (!(words >> size) || size == 0) throw refused("a variable has no size");
      auto& memory = module.variables.emplace_back(size);
      std::uint32_t word = 0;
      for (std::size_t at = 0; at + sizeof word <= size && words >> word; at += sizeof word)
        std::memcpy(memory.data() + at, &word, sizeof word);
      module.info.variables.push_back({name, reinterpret_cast<Address>(memory.data()), size, kind == ".constant"});
    } else {
      throw refused(fmt::format("unknown opcode {}", kind));
    }
  }
  module.info.load_time = 1000;
  return module;
}

std::optional<std::string> why_refused(const LaunchRequest& request, const FakeModule& module) {
  const auto& functions = module.info.functions;
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.entry == request.entry; });
  if (found == functions.end()) return fmt::format("the kernel {} is not defined", request.entry);
  if (request.block.count() == 0 || request.block.count() > kFakeThreads || request.block.z > 64)
    return "too many threads per block";
  if (request.grid.count() == 0 || request.grid.y > 65535 || request.grid.z > 65535)
    return "an extent of the grid is out of range";
  if (request.dynamic_shared > kFakeShared) return "too much shared memory";
  std::size_t size = 0;
  for (const auto& parameter : found->parameters) size = parameter.offset + parameter.size;
  if (request.arguments.size() != size)
    return fmt::format("the arguments are {} bytes, not {}", request.arguments.size(), size);
  return std::nullopt;
}

}  // namespace xcuda::device
