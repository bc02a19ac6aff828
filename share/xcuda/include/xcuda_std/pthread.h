// For headers that declare functions with threads. Calling one needs a cell with %%cuda.
#pragma once
typedef unsigned long pthread_t;
struct pthread_attr_t;
struct pthread_mutex_t {
  long xcuda_state[5];
};
struct pthread_cond_t {
  long xcuda_state[6];
};
struct pthread_barrier_t {
  long xcuda_state[4];
};
