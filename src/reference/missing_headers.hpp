// The headers that a compiler's complaints about unknown names ask for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xcuda::reference {

// Of NVRTC or nvcc: `identifier "curand_init" is undefined`, the line that it is about and the column in it, from 1 on.
struct Complaint {
  std::string_view text, line;
  int column = 0;
};

// "Add #include <curand_kernel.h>, which declares curand_init."; empty where the reference knows no header for a name.
std::string headers_to_add(const std::vector<Complaint>& complaints);

}  // namespace xcuda::reference
