#include "arrays/array_plans.hpp"

#include <algorithm>
#include <utility>

namespace xcuda::arrays {
namespace {

constexpr std::size_t kMostPlans = 64;

bool same_reduction(const ReduceRequest& a, const ReduceRequest& b) {
  return a.leaves == b.leaves && a.axis == b.axis && a.keep == b.keep && a.reducer == b.reducer &&
         a.function == b.function && a.names == b.names;
}

bool same_target(const Pointer& known, const Pointer& target) {
  return known.address == target.address % kWidestAccess && known.type == target.type && known.shape == target.shape &&
         known.strides == target.strides;
}

}  // namespace

void ArrayPlans::keep_to(std::uint64_t revision, std::string_view options) {
  if (revision == revision_ && options == options_) return;
  drop();
  revision_ = revision;
  options_ = options;
}

bool ArrayPlans::fits(const Known& known, const PlanKey& key) {
  if (known.reduction.has_value() != (key.reduction != nullptr) || known.target.has_value() != (key.target != nullptr))
    return false;
  return (key.reduction == nullptr || same_reduction(*known.reduction, *key.reduction)) &&
         (key.target == nullptr || same_target(*known.target, *key.target));
}

SharedPlan ArrayPlans::find(const PlanKey& key, ArrayPattern::Nodes& nodes) {
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const auto& known) {
    return fits(*known, key) && known->pattern.matches(key.node, nodes);
  });
  if (found == known_.end()) return nullptr;
  if (found == known_.begin()) return (*found)->plan;
  std::iter_swap(found, std::prev(found));
  return (*std::prev(found))->plan;
}

void ArrayPlans::add(const PlanKey& key, SharedPlan plan, ArrayPattern pattern) {
  if (known_.size() == kMostPlans) known_.pop_back();
  auto known = std::make_unique<Known>(Known{std::move(pattern), std::nullopt, std::nullopt, std::move(plan)});
  if (key.reduction != nullptr) {
    known->reduction = *key.reduction;
    known->reduction->node = nullptr;
  }
  if (key.target != nullptr) {
    auto& target = known->target.emplace();
    target.address = key.target->address % kWidestAccess;
    target.type = key.target->type;
    target.shape = key.target->shape;
    target.strides = key.target->strides;
  }
  known_.insert(known_.begin(), std::move(known));
}

void ArrayPlans::drop() {
  known_.clear();
  ++generation_;
}

}  // namespace xcuda::arrays
