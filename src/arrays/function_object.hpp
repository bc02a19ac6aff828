// Lambdas and function objects as reduce, scan and map take them. Pure.
#pragma once

#include <string>

#include "cell/tree.hpp"

namespace xcuda::arrays {

struct FunctionObject {
  std::string text;  // what the device calls, in one line; empty when the expression is something else
  std::string type;  // of Plus{} and Plus(), which has to be one that cells define; else empty
};
// A lambda without captures; an object of a type with operator(), Plus{} or Plus(); std::plus<float>() and its like.
FunctionObject function_object(const cell::Expression& expression);

}  // namespace xcuda::arrays
