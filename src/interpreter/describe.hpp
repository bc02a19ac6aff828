// A value in words, for errors: "an array of float", "a dim3", "nothing".
#pragma once

#include <string>

#include "session/value.hpp"

namespace xcuda::interpreter {

std::string describe(const session::Value& value);

}  // namespace xcuda::interpreter
