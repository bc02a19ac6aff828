// The names that a statement or an expression assigns to, at any depth.
#pragma once

#include <set>
#include <string>

#include "cell/tree.hpp"

namespace xcuda::language {

std::set<std::string> names_changed_by(const cell::Statement& statement);
std::set<std::string> names_changed_by(const cell::Expression& expression);

}  // namespace xcuda::language
