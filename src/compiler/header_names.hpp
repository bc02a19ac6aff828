// What the users' own headers define, for looking up names: kernel templates to instantiate, functions that statements
// call, members of types. Their text comes into a unit only by its #include.
#pragma once

#include <memory>
#include <vector>

#include "compiler/unit.hpp"

namespace xcuda::compiler {

// A unit for each header that a living #include of these units names, and for each that those include.
std::vector<std::unique_ptr<Unit>> units_of_headers(const std::vector<std::unique_ptr<Unit>>& units);

}  // namespace xcuda::compiler
