// The instructions that are run with corner values on every device: one small kernel each. What a GPU answered is in
// tests/golden/ptx.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xcuda::opcodes {

struct Case {
  std::string name;                 // unique in its family: the instruction
  std::string body;                 // PTX: from %a, %b, %c, %e to %d
  std::vector<std::string> inputs;  // types of %a, %b, ...: "f32", "u8", "f16x2", ...
  std::string output;               // type of %d
  double ulps = 0;                  // by how many units in the last place devices may differ
  double absolute = 0;              // or by how much
  bool by_lane = false;             // only as vectors
  bool joint = false;               // its results depend on other lanes, too
  bool whole_warps =
      false;  // the same, and all lanes of the last warp take part: those after the slots as the last one
  std::string globals = {};  // declarations before the kernel
  // Bits of input i in a slot; none: corner values of its type.
  std::function<std::uint64_t(std::size_t, std::uint32_t)> given = {};
  // What a slot gives, for as long as no GPU has said it.
  std::function<std::uint64_t(const Case&, std::uint32_t)> reference = {};
};

struct Family {
  std::string name;
  std::vector<Case> cases;
};

const std::vector<Family>& families();
Family matrices();      // matrix_family.cpp
Family scalar_video();  // video_family.cpp

// The corner values of a type as bits: `few` for instructions of several inputs.
std::vector<std::uint64_t> corners(const std::string& type, std::size_t inputs);

struct TypeFacts {
  const char *memory, *reg;  // "u8" is stored as u8 and held in b16
  unsigned bytes;
};
TypeFacts facts(const std::string& type);

constexpr std::uint32_t slots = 169;  // threads: 13 x 13 values, and a warp that is not full

// Value of input `index` in slot `slot`.
std::uint64_t input_bits(const Case& one, std::size_t index, std::uint32_t slot);

// A module with the entries `lanes` (a value per lane) and `uniform` (a loop over the values).
std::string module_text(const Case& one);

}  // namespace xcuda::opcodes
