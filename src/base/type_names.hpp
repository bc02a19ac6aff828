// Types as cells write them. The name for NVRTC (Type::name) is sometimes longer: "__half",
// "cuda::std::complex<float>".
#pragma once

#include <string>
#include <string_view>

namespace xcuda {

// A sentence with the names of types as cells write them: "half", "bfloat16", "complex<float>".
std::string with_written_types(std::string_view sentence);

}  // namespace xcuda
