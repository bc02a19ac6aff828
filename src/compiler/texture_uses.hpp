// How the kernels of a PTX text use the texture and surface objects that they are given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xcuda::compiler {

struct PtxTextureUse {
  std::size_t parameter = 0;  // of the kernel
  std::string opcode;         // "tex.2d.v4.f32.f32"
  bool surface = false;
  int dimensions = 0;  // 0: its size is asked for; of a face for cube maps
  bool layered = false;
  bool cube = false;
  bool other = false;    // several samples
  bool gathers = false;  // tex2Dgather
  bool fetches = false;  // tex1Dfetch: by the number of an element
  bool floats = false;   // what is read, of a texture
};

// The uses whose handle comes straight from a parameter, each once.
std::vector<PtxTextureUse> texture_uses(std::string_view ptx, std::string_view entry);

}  // namespace xcuda::compiler
