// The Driver API's functions by the number of their row, for the library that programs link with, and by name.
#pragma once

namespace xcuda::runtime::driver {

extern const void* const kDriverSlots[];

// The newest function of this name ("cuMemAlloc") that a program of this version of CUDA (13000) knows.
struct EntryPoint {
  const void* function = nullptr;
  enum class Found : unsigned char { yes, no, newer } found = Found::no;  // newer: only in later versions
};
enum class NullStream : unsigned char { of_all, of_thread };  // for its functions, the null stream is
EntryPoint find_entry_point(const char* name, int version, NullStream null_stream);

}  // namespace xcuda::runtime::driver
