#include "device/device.hpp"

namespace xcuda::device {

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::cuda: return "cuda";
    case Kind::cpu: return "cpu";
    case Kind::fake: break;
  }
  return "fake";
}

std::string_view fault_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address: return "illegal address";
    case FaultKind::misaligned_address: return "misaligned address";
    case FaultKind::out_of_bounds: return "out of bounds";
    case FaultKind::null_pointer: return "null pointer";
    case FaultKind::race: return "data race";
    case FaultKind::uninitialised_read: return "uninitialised read";
    case FaultKind::stack_overflow: return "stack overflow";
    case FaultKind::assertion: return "device assertion";
    case FaultKind::trap: return "trap";
    case FaultKind::illegal_instruction: return "illegal instruction";
    case FaultKind::out_of_memory: return "out of memory";
    case FaultKind::barrier: return "barrier that cannot complete";
    case FaultKind::hardware: return "hardware error";
    case FaultKind::unsupported: return "unsupported operation";
    case FaultKind::time_limit: return "time limit";
    case FaultKind::interrupted: return "interrupted";
    case FaultKind::worker_died: return "device process died";
    case FaultKind::worker_hung: return "device process hung";
    case FaultKind::other: return "fault";
  }
  return "fault";
}

MachineCode Device::machine_code(const CodeRequest&) {
  throw Error(ErrorKind::unsupported, "this device cannot show its machine code");
}

library::Facts Device::open_library(const library::OpenRequest&) {
  throw Error(ErrorKind::unsupported, "this device has no libraries");
}

Address Device::open_memory(const ForeignMemory&) {
  throw Error(ErrorKind::unsupported, "this device cannot open the memory of another process");
}

void Device::mirror_memory(const MemoryRequest&, const File&) {
  throw Error(ErrorKind::unsupported, "this device cannot mirror the memory of another");
}

void Device::post_order(std::span<const Precedence>) {}

bool Device::share_words(const File&) { return false; }

void Device::post_write_value(std::uint32_t, std::uint32_t) {}

void Device::post_wait_value(std::uint32_t, std::uint32_t) {}

void Device::post_guard(const std::vector<GuardedRange>&) {}

std::vector<std::byte> Device::place_variables(ModuleId, const std::vector<VariableInfo>&) {
  throw Error(ErrorKind::unsupported, "this device chooses where variables are");
}

std::span<const std::byte> Device::visible(Address, std::uint64_t) { return {}; }

Recovery Device::restart() { throw Error(ErrorKind::unsupported, "this device has no process to restart"); }

void Device::rest() { throw Error(ErrorKind::unsupported, "this device has no process to end"); }

}  // namespace xcuda::device
