// What a struct's text says of its values besides the order of its members.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xcuda::cell {

// struct P { P(int x); }, struct P { int n = 3; }: making one is more than copying values to its members.
bool has_constructor(std::string_view definition);

// What a struct says of the ends and copies of its values; `= default` says nothing.
struct SpecialMembers {
  bool destructor = false;
  bool copies = false;   // P(const P&), P(P&&)
  bool assigns = false;  // operator=
  std::vector<std::string> bases;
};
SpecialMembers special_members(std::string_view definition);

}  // namespace xcuda::cell
