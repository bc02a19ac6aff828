// Types as cells write them. What NVRTC is given (Type::name) is longer for some: "__half",
// "cuda::std::complex<float>".
#pragma once

#include <string>
#include <string_view>

namespace xcuda {

// A sentence with the names of types as cells write them: "half", "bfloat16", "complex<float>".
std::string with_written_types(std::string_view sentence);

}  // namespace xcuda
