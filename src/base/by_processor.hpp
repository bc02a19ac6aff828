// Several codes for one function: the processor's is chosen when the program starts. The sanitizers are not ready at
// that time. The loops of such a function become vector code if its source is compiled with -O3.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__) || !defined(__x86_64__)
#define XCUDA_BY_PROCESSOR
#else
#define XCUDA_BY_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
