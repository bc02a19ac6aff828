// nvJitLink for programs on the CPU device. What a GPU gets as a CUBIN is one PTX text, as from cuLinkComplete().
#pragma once

namespace xcuda::runtime::jit_link {

extern const void* const kJitLinkSlots[];  // nvJitLink's functions by the number of their row

}  // namespace xcuda::runtime::jit_link
