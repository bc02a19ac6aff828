#include "base/type.hpp"

#include <gtest/gtest.h>

namespace xcuda {
namespace {

TEST(Type, SpellingsInAnyWordOrder) {
  EXPECT_EQ(find_type("long unsigned int")->name, "unsigned long");
  EXPECT_EQ(find_type("std::uint8_t")->scalar, Scalar::uint8);
  EXPECT_EQ(find_type("float4")->size, 16u);
  EXPECT_EQ(find_type("float3")->alignment, 4u);
  EXPECT_EQ(find_type("cuda::std::complex<float>")->alignment, 8u);
  EXPECT_EQ(find_type("half")->name, "__half");
  EXPECT_FALSE(find_type("Particle"));
  EXPECT_FALSE(find_type("short long"));
  EXPECT_FALSE(find_type(""));
}

TEST(Type, NumPyNames) {
  EXPECT_EQ(dtype_name(*find_type("float4")), "float32x4");
  EXPECT_EQ(dtype_name(*find_type("size_t")), "uint64");
}

}  // namespace
}  // namespace xcuda
