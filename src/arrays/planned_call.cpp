#include "arrays/planned_call.hpp"

#include <utility>

namespace xcuda::arrays {

library::Operand operand_at(const Pointer& pointer) {
  return {pointer.address, pointer.type.scalar, pointer.shape, strides_of(pointer)};
}

void post_planned(ArrayMath& math, Workspace& workspace, library::Call call, const std::string& name) {
  // What runs on the host has the host's memory.
  const bool gpu = workspace.device_info().kind == device::Kind::cuda;
  const auto bytes = gpu ? workspace.workspace_bytes(call) : 0;
  Pointer memory;  // until the call is posted
  if (bytes > 0) {
    memory = math.temporary(type_of(Scalar::uint8), {bytes});
    call.workspace = memory.address;
    call.workspace_bytes = bytes;
  }
  workspace.call(std::move(call), name);
}

}  // namespace xcuda::arrays
