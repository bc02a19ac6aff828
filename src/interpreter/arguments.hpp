// The arguments of calls and constructors.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

// The arguments of a call by the names of its parameters; absent ones are null. Errors: type, name.
std::vector<const cell::Expression*> bind_arguments(const CellRun& run, std::string_view function,
                                                    const std::vector<cell::Argument>& arguments,
                                                    std::span<const std::string_view> parameters);

std::vector<const cell::Expression*> pointers_to(const std::vector<cell::ExpressionPtr>& expressions);
std::vector<const cell::Expression*> pointers_to(const std::vector<cell::Argument>& arguments);

}  // namespace xcuda::interpreter
