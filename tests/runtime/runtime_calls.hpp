// Calls of the CUDA Runtime that are expected to do their work, and a list of those that were made.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "runtime/api.hpp"

namespace xcuda::test {

std::set<std::string>& called_runtime();

#define EXPECT_CALL(expected, name, ...)             \
  do {                                               \
    called_runtime().insert(#name);                  \
    EXPECT_EQ(name(__VA_ARGS__), expected) << #name; \
  } while (false)
#define WORKS(name, ...) EXPECT_CALL(cudaSuccess, name __VA_OPT__(, ) __VA_ARGS__)

// Parts of the test that calls every function.
void call_graphs_by_hand(cudaStream_t stream);
void call_captures(cudaStream_t stream);
void call_managed(cudaStream_t stream);

}  // namespace xcuda::test
