// Where a pointer comes from: the kernel parameter or module variable that each access can be checked against.
#pragma once

#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

struct Origin {
  enum class Kind : std::uint8_t {
    none,       // nothing known yet, or the null pointer
    number,     // not a pointer
    candidate,  // the parameter at `index` as it is, pointer or number
    parameter,  // derived from the pointer in the parameter at `index`
    variable,   // derived from the address of module variable `index`
    unknown,
  };
  Kind kind = Kind::none;
  ptx::Index index = 0;  // byte offset in the argument buffer, or Module::variables
  bool operator==(const Origin&) const = default;

  bool is_array() const { return kind == Kind::candidate || kind == Kind::parameter || kind == Kind::variable; }
};

// The origin of each register.
std::vector<Origin> find_origins(const ptx::Function& function);

// The origin of the address in an address operand.
Origin origin_of(const ptx::Operand& address, const std::vector<Origin>& registers);

}  // namespace xcuda::device::cpu
