#include "reference/missing_headers.hpp"

#include <gtest/gtest.h>

namespace xcuda::reference {
namespace {

TEST(MissingHeaders, AreThoseOfTheNamesThatAreComplainedAbout) {
  EXPECT_EQ(headers_to_add({{"identifier \"curand_init\" is undefined", "  curand_init(1, 2, 3, &s);", 3}}),
            "Add #include <curand_kernel.h>, which declares curand_init.");
  EXPECT_EQ(headers_to_add({{"name followed by \"::\" must be a class or namespace name",
                             "  auto g = cooperative_groups::this_grid();", 12}}),
            "Add #include <cooperative_groups.h>, which declares cooperative_groups::this_grid.");
  EXPECT_EQ(headers_to_add({{"namespace \"cuda::std\" has no member \"span\"", "cuda::std::span<float> x", 12}}),
            "Add #include <cuda/std/span>, which declares cuda::std::span.");
  EXPECT_EQ(headers_to_add({{"name followed by \"::\" must be a class or namespace name",
                             "__shared__ cub::BlockScan<int, 64>::TempStorage t;", 12}}),
            "Add #include <cub/block/block_scan.cuh>, which declares cub::BlockScan.");
  EXPECT_EQ(headers_to_add({{"name must be a namespace name", "namespace cg = cooperative_groups;", 16}}),
            "Add #include <cooperative_groups.h>, which declares cooperative_groups::this_thread_block.");
}

TEST(MissingHeaders, AreNamedOnce) {
  EXPECT_EQ(headers_to_add({{"identifier \"curand_init\" is undefined", "", 0},
                            {"identifier \"curand_uniform\" is undefined", "", 0},
                            {"name followed by \"::\" must be a class or namespace name", "cg::this_grid()", 1}}),
            "Add #include <curand_kernel.h>, which declares curand_init, and #include <cooperative_groups.h>, which "
            "declares cooperative_groups::this_grid.");
}

TEST(MissingHeaders, AreNotGuessed) {
  EXPECT_EQ(headers_to_add({{"identifier \"x\" is undefined", "x = 3;", 1},
                            {"identifier \"__syncthreads\" is undefined", "__syncthreads();", 1},
                            {"name followed by \"::\" must be a class or namespace name", "mine::f()", 1},
                            {"name followed by \"::\" must be a class or namespace name", "", 7},
                            {"expected a \";\"", "cub::BlockScan", 1}}),
            "");
}

}  // namespace
}  // namespace xcuda::reference
