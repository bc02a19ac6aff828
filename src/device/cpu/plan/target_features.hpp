// What the processor that code is emitted for can do, where that decides what is emitted.
#pragma once

namespace xcuda::device::cpu {

struct TargetFeatures {
  bool avx512 = false;       // F, BW, DQ, VL: masks in registers, 64-byte vectors, gathers and scatters
  bool fast_gather = false;  // a gather takes less time than the loads that it replaces: not on AMD's processors
};

}  // namespace xcuda::device::cpu
