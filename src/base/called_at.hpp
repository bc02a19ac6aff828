// The note of an error in a function of a cell that says where the function was called.
#pragma once

#include <string>

#include "base/error.hpp"

namespace xcuda {

std::string called_at(const Place& call);  // "called at In[3]:2:1: f(x);"

}  // namespace xcuda
