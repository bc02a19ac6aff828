#pragma once
#include "ctime"
// For statements and host functions, whose clock_gettime() fills it.
struct timespec {
  long tv_sec, tv_nsec;
};
