// Calls of the Driver API that are expected to do their work, and a list of those that were made.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "runtime/driver/driver_api.hpp"

namespace xcuda::test {

std::set<std::string>& called_driver();

#define DRIVER_CALL(expected, name, ...)             \
  do {                                               \
    called_driver().insert(#name);                   \
    EXPECT_EQ(name(__VA_ARGS__), expected) << #name; \
  } while (false)
#define DOES(name, ...) DRIVER_CALL(CUDA_SUCCESS, name __VA_OPT__(, ) __VA_ARGS__)

// Parts of the test that calls every function.
void call_driver_memory();
void call_driver_copies(CUstream stream);
void call_driver_mappings();
void call_driver_words(CUstream stream);
void call_driver_batches(CUstream stream);
void call_driver_arrays(CUstream stream);
void call_driver_graphs(CUstream stream);

}  // namespace xcuda::test
