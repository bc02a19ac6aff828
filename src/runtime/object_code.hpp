// The device code that nvcc leaves in objects, libraries and programs of the host (-rdc=true), which a program links.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xcuda::runtime {

// The PTX of each source in an ELF file (an object, a shared library, a program) or an archive of objects. What has
// only machine code is left out: the device runtime, which the device answers itself, is in each program. Errors:
// value, of what is neither or is cut off; unsupported, where there is no PTX or where it is compressed.
std::vector<std::string> ptx_of_object(std::string_view file);

}  // namespace xcuda::runtime
