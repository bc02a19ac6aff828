// The Driver API's functions by the number of their row, for the library that programs link with, and by name.
#pragma once

namespace xcuda::runtime::driver {

extern const void* const kDriverSlots[];

// The newest function of this name ("cuMemAlloc") that a program of this version of CUDA (13000) knows.
struct EntryPoint {
  const void* function = nullptr;
  enum class Found : unsigned char { yes, no, newer } found = Found::no;  // newer: only in later versions
};
EntryPoint find_entry_point(const char* name, int version);

}  // namespace xcuda::runtime::driver
