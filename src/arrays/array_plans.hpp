// Expressions and reductions that were computed before, ready to be launched again with other operands: a loop over
// `s = sum(x)` neither writes nor looks up a kernel's text again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/array_pattern.hpp"
#include "arrays/reduce_request.hpp"
#include "device/device.hpp"

namespace xcuda::arrays {

// A launch with the arguments of one tree, and where in them its operands are.
struct PlannedLaunch {
  device::LaunchRequest request;
  std::string name;  // of the kernel, for errors
  struct Place {
    std::size_t offset = 0;  // bytes, in the arguments
    std::size_t node = 0;    // of ArrayPattern::Nodes
  };
  std::vector<Place> addresses{}, numbers{};
  std::size_t target = 0, room = 0;  // offsets of where the results go, and of what a kernel needs for itself
  enum class Needs : std::uint8_t { nothing, target, target_and_room } needs = Needs::nothing;
};

struct ArrayPlan {
  std::vector<PlannedLaunch> launches;
  Type type;  // of what they give
  Shape shape;
  std::uint64_t room = 0;  // bytes that they need for themselves
  // Of a reduction that leaves its state.
  std::uint64_t state_bytes = 0;
  Type own;  // of the elements; without a name where it is not a number's, as that of the result
};
using SharedPlan = std::shared_ptr<const ArrayPlan>;

// What a plan is made for.
struct PlanKey {
  const ArrayNode& node;
  const ReduceRequest* reduction = nullptr;  // of the node; null: its elements
  const Pointer* target = nullptr;           // of the elements; null: memory of their own
};

class ArrayPlans {
 public:
  // Forgets plans that were made as of other cells, or with other options of the compiler.
  void keep_to(std::uint64_t revision, std::string_view options);
  // Null: none was made. nodes: of the key's node.
  SharedPlan find(const PlanKey& key, ArrayPattern::Nodes& nodes);
  void add(const PlanKey& key, SharedPlan plan, ArrayPattern pattern);
  void drop();                                              // their kernels are gone
  std::uint64_t generation() const { return generation_; }  // rises when plans are dropped

 private:
  struct Known {
    ArrayPattern pattern;
    std::optional<ReduceRequest> reduction;  // without its node
    std::optional<Pointer> target;           // without its owner and address, which is modulo kWidestAccess
    SharedPlan plan;
  };
  static bool fits(const Known& known, const PlanKey& key);

  std::uint64_t revision_ = 0, generation_ = 0;
  std::string options_;
  std::vector<std::unique_ptr<Known>> known_;  // each use moves one a place forward
};

}  // namespace xcuda::arrays
