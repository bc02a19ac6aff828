// For libraries whose functions are in libxcuda-cpu.so: a jump for each, through a table that one of its functions
// returns.
#pragma once

#include "programs/cpu_library.hpp"

// Known when the library is loaded, before anything that needs it.
#define XCUDA_JUMP_TABLE(table)                                                     \
  extern "C" {                                                                      \
  __attribute__((visibility("hidden"))) const void* const* xcuda_functions = table; \
  }

// The arguments are where they are: only a register that calls may destroy is used.
#define XCUDA_JUMP(name, row)                           \
  extern "C" __attribute__((naked)) void name() {       \
    asm volatile(                                       \
        "movq xcuda_functions(%%rip), %%r11\n\t"        \
        "jmpq *%c0(%%r11)" ::"i"(row * sizeof(void*))); \
  }
