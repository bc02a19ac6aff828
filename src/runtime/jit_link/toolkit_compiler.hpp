// NVIDIA's own libnvrtc.so.13, opened at run time.
#pragma once

#include <cstdint>
#include <string>

namespace xcuda::runtime::jit_link {

enum class CompiledForm : std::uint8_t { ptx, lto };
struct CompiledSource {
  std::string code;  // relocatable, for compute_80; empty: it failed
  std::string log;
};
CompiledSource compile_with_toolkit(const std::string& source, CompiledForm form);

}  // namespace xcuda::runtime::jit_link
