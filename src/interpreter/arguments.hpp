// The arguments of calls and constructors.
#pragma once

#include <vector>

#include "cell/tree.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

std::vector<const cell::Expression*> pointers_to(const std::vector<cell::ExpressionPtr>& expressions);
std::vector<const cell::Expression*> pointers_to(const std::vector<cell::Argument>& arguments);

}  // namespace xcuda::interpreter
