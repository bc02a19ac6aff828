#include "device/cpu/lower/called_functions.hpp"

#include <algorithm>

#include "device/cpu/lower/recursion.hpp"

namespace xcuda::device::cpu {

using ptx::Operand;
using ptx::SymbolKind;

namespace {

constexpr Provided kProvided[] = {
    {"vprintf", Service::print, 2, 32},
    {"__assertfail", Service::assert_failed, 4, 0},
    {"malloc", Service::allocate, 1, 64},
    {"free", Service::release, 1, 0},
    {kWrongShift, Service::wrong_shift, 2, 0},
    {kTooDeep, Service::recursion_too_deep, 1, 0},
    // _ptsz: of a program whose default stream is one for each thread.
    {"__cudaCDP2GetParameterBufferV2", Service::runtime, 5, 64, RuntimeCall::parameter_buffer},
    {"__cudaCDP2LaunchDeviceV2", Service::runtime, 2, 32, RuntimeCall::launch},
    {"__cudaCDP2LaunchDeviceV2_ptsz", Service::runtime, 2, 32, RuntimeCall::launch},
    {"__cudaCDP2GetLastError", Service::runtime, 0, 32, RuntimeCall::last_error},
    {"__cudaCDP2PeekAtLastError", Service::runtime, 0, 32, RuntimeCall::peek_error},
    {"__cudaCDP2GetErrorName", Service::runtime, 1, 64, RuntimeCall::error_name},
    {"__cudaCDP2GetErrorString", Service::runtime, 1, 64, RuntimeCall::error_string},
    {"__cudaCDP2GetDevice", Service::runtime, 1, 32, RuntimeCall::device},
    {"__cudaCDP2GetDeviceCount", Service::runtime, 1, 32, RuntimeCall::device_count},
    {"__cudaCDP2StreamCreateWithFlags", Service::runtime, 2, 32, RuntimeCall::create_stream},
    {"__cudaCDP2StreamDestroy", Service::runtime, 1, 32, RuntimeCall::destroy_stream},
    {"__cudaCDP2StreamWaitEvent", Service::runtime, 3, 32, RuntimeCall::wait_event},
    {"__cudaCDP2StreamWaitEvent_ptsz", Service::runtime, 3, 32, RuntimeCall::wait_event},
    {"__cudaCDP2EventCreateWithFlags", Service::runtime, 2, 32, RuntimeCall::create_event},
    {"__cudaCDP2EventRecord", Service::runtime, 2, 32, RuntimeCall::record_event},
    {"__cudaCDP2EventRecord_ptsz", Service::runtime, 2, 32, RuntimeCall::record_event},
    {"__cudaCDP2EventRecordWithFlags", Service::runtime, 2, 32, RuntimeCall::record_event},
    {"__cudaCDP2EventRecordWithFlags_ptsz", Service::runtime, 2, 32, RuntimeCall::record_event},
    {"__cudaCDP2EventDestroy", Service::runtime, 1, 32, RuntimeCall::destroy_event},
    {"__cudaCDP2Malloc", Service::runtime, 2, 32, RuntimeCall::allocate},
    {"__cudaCDP2Free", Service::runtime, 1, 32, RuntimeCall::release},
    {"__cudaCDP2MemcpyAsync", Service::runtime, 5, 32, RuntimeCall::copy},
    {"__cudaCDP2MemcpyAsync_ptsz", Service::runtime, 5, 32, RuntimeCall::copy},
    {"__cudaCDP2MemsetAsync", Service::runtime, 4, 32, RuntimeCall::fill},
    {"__cudaCDP2MemsetAsync_ptsz", Service::runtime, 4, 32, RuntimeCall::fill},
};

const std::vector<Provided>& provided_by_host() {
  static const auto all = [] {
    std::vector<Provided> rows;
    for (const HostFunction& each : host_functions())
      rows.push_back({.name = each.symbol,
                      .service = Service::count,
                      .inputs = static_cast<int>(each.input_count()),
                      .result_bits = 0,
                      .host = &each});
    return rows;
  }();
  return all;
}

std::uint32_t size_of(const ptx::Function& caller, const Operand& argument) {
  if (argument.kind == Operand::Kind::symbol) return caller.arguments[argument.index].size;
  if (argument.kind == Operand::Kind::reg && argument.reg != ptx::kNoIndex)
    return static_cast<std::uint32_t>(ptx::bytes_of(caller.registers[argument.reg]));
  return 0;  // anything
}

}  // namespace

const Provided* provided_by(const ptx::Module& module, const ptx::Call& call) {
  if (call.callee.kind != Operand::Kind::symbol || module.functions[call.callee.index].defined) return nullptr;
  const std::string_view name = module.functions[call.callee.index].name;
  const auto find = [&](const auto& rows) {
    const auto found =
        std::find_if(std::begin(rows), std::end(rows), [&](const auto& row) { return row.name == name; });
    return found == std::end(rows) ? nullptr : &*found;
  };
  if (const Provided* found = find(kProvided)) return found;
  return name.starts_with(kHostPrefix) ? find(provided_by_host()) : nullptr;
}

// The extents of a grid and a block are structs of three words.
ProvidedInput input_of(const Provided& provided, int index) {
  if (provided.runtime_call == RuntimeCall::parameter_buffer) {
    static constexpr ProvidedInput kInputs[] = {
        {{0, 0}}, {{1, 0}, true, {1, 4}}, {{1, 8}, true, {2, 0}}, {{2, 4}, true, {2, 8}}, {{3, 0}}};
    return kInputs[index];
  }
  return {{static_cast<std::uint8_t>(index), 0}};
}

bool fits(const ptx::Function& caller, const ptx::Call& call, const ptx::Function& callee) {
  const auto same = [&](const std::vector<Operand>& given, const std::vector<ptx::Parameter>& wanted) {
    return std::equal(given.begin(), given.end(), wanted.begin(), wanted.end(),
                      [&](const Operand& operand, const ptx::Parameter& parameter) {
                        const std::uint32_t size = size_of(caller, operand);
                        return size == 0 || size == parameter.size;
                      });
  };
  return same(call.arguments, callee.parameters) && same(call.results, callee.results);
}

std::vector<ptx::Index> addressed_functions(const ptx::Module& module) {
  std::vector<bool> taken(module.functions.size(), false);
  for (const ptx::Variable& variable : module.variables)
    for (const ptx::Relocation& relocation : variable.relocations)
      if (relocation.symbol.kind == SymbolKind::function) taken[relocation.symbol.index] = true;
  for (const ptx::Function& function : module.functions)
    for (const Operand& operand : function.operands)
      if (operand.kind == Operand::Kind::symbol && operand.symbol_kind == SymbolKind::function)
        taken[operand.index] = true;
  std::vector<ptx::Index> all;
  for (ptx::Index i = 0; i < taken.size(); ++i)
    if (taken[i] && module.functions[i].defined && !module.functions[i].entry) all.push_back(i);
  return all;
}

std::vector<bool> arguments_in_memory(const ptx::Module& module, const ptx::Function& function) {
  std::vector<bool> in_memory(function.arguments.size(), false);
  for (const ptx::Call& call : function.calls) {
    if (provided_by(module, call)) continue;
    for (const auto* list : {&call.arguments, &call.results})
      for (const Operand& operand : *list)
        if (operand.kind == Operand::Kind::symbol && operand.symbol_kind == SymbolKind::argument)
          in_memory[operand.index] = true;
  }
  return in_memory;
}

}  // namespace xcuda::device::cpu
