#include "base/type.hpp"
#include "base/type_names.hpp"

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

TEST(Type, IsWrittenInSentencesAsCellsWriteIt) {
  EXPECT_EQ(with_written_types("inv() does not take __half: no"), "inv() does not take half: no");
  EXPECT_EQ(with_written_types("expected cuda::std::complex<float>, got __nv_bfloat16"),
            "expected complex<float>, got bfloat16");
  EXPECT_EQ(with_written_types("cuda::std::complex<double>[3] of ::__half, my__half, __half2 and __half_t"),
            "complex<double>[3] of ::__half, my__half, __half2 and __half_t");
  EXPECT_EQ(with_written_types("cuda::std::__4::complex<float> + cuda::std::__4x::y"),
            "complex<float> + cuda::std::__4x::y");
  EXPECT_EQ(with_written_types("int8_t is signed char"), "int8_t is signed char");
  EXPECT_EQ(with_written_types(""), "");
}

}  // namespace
}  // namespace xcuda
