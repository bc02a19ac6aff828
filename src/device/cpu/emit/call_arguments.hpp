// Arguments for calls (.param declared in the body). Arguments of services are values; arguments of device functions
// are in memory, a piece for each lane.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "device/cpu/emit/lane_values.hpp"

namespace xcuda::device::cpu {

class CallArguments {
 public:
  explicit CallArguments(Emitter& e);

  std::map<std::pair<ptx::Index, std::int64_t>, Held> values;  // by argument and offset
  bool in_memory(ptx::Index argument) const { return in_memory_[argument]; }
  llvm::Value* base(ptx::Index argument);  // i64

 private:
  Emitter& e_;
  std::vector<bool> in_memory_;  // by Function::arguments
  std::vector<llvm::Value*> bases_;
};

}  // namespace xcuda::device::cpu
