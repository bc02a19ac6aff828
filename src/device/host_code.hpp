// Code of the host as devices know it.
#pragma once

#include <string_view>

namespace xcuda::device {

// The kernel of one thread around code that cells run on the host. In its module an integer division by zero is a
// fault, as it is an error in statements; other kernels give what CUDA gives.
inline constexpr std::string_view kNativeKernel = "xcuda_native";

}  // namespace xcuda::device
