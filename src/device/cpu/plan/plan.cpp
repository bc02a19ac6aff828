#include "device/cpu/plan/plan.hpp"

#include "device/cpu/plan/plan_passes.hpp"

namespace xcuda::device::cpu {

RegisterForm Plan::local_form() {
  if (shape.one_thread()) return RegisterForm::uniform();
  Lanes lanes;
  for (std::uint32_t lane = 0; lane < 32; ++lane) lanes[lane] = std::int64_t{local.bytes} * lane;
  const auto pattern = patterns.find(lanes);
  return pattern ? RegisterForm{RegisterForm::Kind::affine, 1, 4, *pattern, 1} : RegisterForm::varying();
}

const LaneLoop* Plan::lane_loop_at(BlockIndex head) const {
  for (const LaneLoop& loop : lane_loops)
    if (loop.head == head) return &loop;
  return nullptr;
}

Plan make_plan(const PlanRequest& request) { return planned(request).plan; }

}  // namespace xcuda::device::cpu
