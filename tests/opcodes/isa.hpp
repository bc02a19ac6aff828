// The list of PTX's instructions, gone through by name: what each does on 32 lanes, or the words with which the CPU
// device says that it does not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xcuda::opcodes {

// In a body: %lane (b32) is the lane's number; %m (b64) the lane's 64 bytes of global memory, where word i holds
// 16 * lane + i; %m0 the first of them; %s (b32) the lane's 64 bytes of shared memory `box`, not initialised. %p0 to
// %p7, %h0 to %h15, %t0 to %t63 (b32), %f0 to %f31, %g0 to %g15 (f64), %x0 to %x31 (b64) are free.
struct Line {
  std::string name;
  std::string body;                                   // leaves its answer in %d (b32)
  std::function<std::uint32_t(std::uint32_t)> value;  // of each lane; none: `refused` holds
  std::string refused = {};                           // what the message says beside opcode, kernel and line
  int architecture = 80;                              // the first compute capability that has it
  std::string module = {};                            // declarations before the kernel
};

const std::vector<Line>& isa_lines();
std::string isa_module(const Line& line);

}  // namespace xcuda::opcodes
