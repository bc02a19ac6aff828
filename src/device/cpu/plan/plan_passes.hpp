// The passes that make a plan, in order. Each has a name, and its results can be shown.
#pragma once

#include <span>
#include <string>

#include "device/cpu/plan/plan.hpp"

namespace xcuda::device::cpu {

struct PlanWork {  // what the passes hand on
  PlanRequest request;
  Plan plan;
  std::vector<bool> joint;  // by instruction: lanes execute it together
  std::vector<bool> meets;  // by instruction: lanes wait for one another before it, as far as is known
};

struct PlanPass {
  enum class Next : std::uint8_t { on, again };  // again: what was found changes what earlier passes find
  const char* name;
  Next (*run)(PlanWork& work);
  std::string (*text)(const PlanWork& work);
};
std::span<const PlanPass> plan_passes();
PlanWork planned(const PlanRequest& request);  // after all of them; errors: unsupported

}  // namespace xcuda::device::cpu
