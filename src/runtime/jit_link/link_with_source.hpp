// Code that a program gives, linked with a source of our own.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::runtime::jit_link {

struct Linked {
  std::string ptx;  // empty: it failed
  std::string log;  // what NVRTC or nvJitLink said
};
// code: LTO-IR, PTX, or a fat binary with either. The source is compiled to the same form.
Linked link_with_source(std::string_view code, const std::string& source);

}  // namespace xcuda::runtime::jit_link
