// rand() and srand() as the C library of Linux has them, with a state that native code can take along.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace xcuda::interpreter {

// Additive feedback over 31 words (glibc's TYPE_3): each number adds the word 31 numbers back to the one 3 numbers
// back.
class CRandom {
 public:
  CRandom() { seed(1); }
  void seed(std::uint32_t seed);
  int next();

  // The words, and which of them comes next.
  using State = std::array<std::uint32_t, 32>;
  State& state() { return state_; }

  static constexpr std::string_view kType = "xcuda_Random";
  static constexpr std::string_view kName = "xcuda_random";
  // The generator in C++ of devices, over a variable of this type and name.
  static constexpr std::string_view kSource =
      "struct xcuda_Random { unsigned words[32]; };\n"
      "__device__ inline int xcuda_rand(xcuda_Random& r) {\n"
      "  const unsigned at = r.words[31], front = at < 28 ? at + 3 : at - 28;\n"
      "  r.words[front] += r.words[at];\n"
      "  r.words[31] = at == 30 ? 0 : at + 1;\n"
      "  return r.words[front] >> 1;\n"
      "}\n"
      "#define rand() xcuda_rand(xcuda_random)\n";

 private:
  State state_{};
};

CRandom& c_random();  // of the process, as rand() has it

}  // namespace xcuda::interpreter
