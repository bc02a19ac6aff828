// Callbacks of cuFFT that a program gives as code: LTO-IR, PTX, or a fat binary with either.
#pragma once

#include <string>
#include <string_view>

#include "runtime/math/fourier_callbacks.hpp"

namespace xcuda::runtime::math {

bool is_callback_type(int type);
// name: the function's, as C++ has it at namespace scope, or as extern "C". Says on stderr what is wrong.
Outcome load_jit_callback(const std::string& name, std::string_view code, int type, FourierCallback& callback);

}  // namespace xcuda::runtime::math
