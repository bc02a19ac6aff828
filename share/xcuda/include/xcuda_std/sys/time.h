// For statements and host functions, whose gettimeofday() fills it.
#pragma once
struct timeval {
  long tv_sec, tv_usec;
};
struct timezone {
  int tz_minuteswest, tz_dsttime;
};
