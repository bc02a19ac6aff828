#include "language/part_calls.hpp"

namespace xcuda::language {

bool is_tie(const cell::Call& call) {
  const auto* name = std::get_if<cell::Name>(&call.callee->node);
  return name != nullptr && name->text == "std::tie";
}

const Function* part_function(const cell::Call& call) {
  const auto* name = std::get_if<cell::Name>(&call.callee->node);
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  if (name == nullptr && member == nullptr) return nullptr;
  const auto found = find_function(name != nullptr ? name->text : member->member);
  if (!found) return nullptr;
  const bool part = found->row->operation == Operation::local_part ||
                    (found->row->operation == Operation::current_device && !call.arguments.empty());
  return part ? found->row : nullptr;
}

}  // namespace xcuda::language
