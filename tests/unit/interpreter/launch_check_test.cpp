#include "interpreter/launches/launch_check.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace xcuda::interpreter {
namespace {

using compiler::KernelSignature;

// saxpy(float a, const float* x, float* y, uint32_t n)
KernelSignature saxpy() {
  KernelSignature kernel{.name = "saxpy", .entry = "_Z5saxpy"};
  kernel.parameters = {
      {.name = "a", .type = "float", .size = 4},
      {.name = "x", .type = "float const*", .pointer = true, .const_pointee = true, .pointee = "float", .size = 8},
      {.name = "y", .type = "float*", .pointer = true, .pointee = "float", .size = 8},
      {.name = "n", .type = "unsigned int", .written = "uint32_t", .size = 4}};
  return kernel;
}
device::FunctionInfo saxpy_function() { return {"_Z5saxpy", {{0, 4, 4}, {8, 8, 8}, {16, 8, 8}, {24, 4, 4}}}; }

KernelArgument number(Scalar scalar, Number value) { return {.type = type_of(scalar), .number = value}; }
KernelArgument array(const std::string& name, Scalar element, device::Address address = 0x1000) {
  return {.kind = KernelArgument::Kind::pointer,
          .type = type_of(element),
          .address = address,
          .bytes_to_end = 64,
          .array = name,
          .whole_array = true};
}
std::vector<KernelArgument> good() {
  return {number(Scalar::float64, 2.0), array("a1", Scalar::float32), array("a2", Scalar::float32, 0x2000),
          number(Scalar::int32, std::int64_t{16})};
}

std::string refusal(const std::vector<KernelArgument>& arguments, const KernelSignature& kernel = saxpy()) {
  try {
    check_arguments(kernel, saxpy_function(), arguments, {"In[1]", "saxpy<<<1, 1>>>(...)"}, {0, 5});
  } catch (const Error& error) {
    EXPECT_TRUE(error.place.has_value());
    return error.message;
  }
  return "";
}

TEST(LaunchCheck, PacksByLayout) {
  const auto packed = check_arguments(saxpy(), saxpy_function(), good(), {"In[1]", "x"}, {0, 1});
  ASSERT_EQ(packed.bytes.size(), 28u);
  float a = 0;
  std::uint64_t x = 0, y = 0;
  std::uint32_t n = 0;
  std::memcpy(&a, packed.bytes.data(), 4);
  std::memcpy(&x, packed.bytes.data() + 8, 8);
  std::memcpy(&y, packed.bytes.data() + 16, 8);
  std::memcpy(&n, packed.bytes.data() + 24, 4);
  EXPECT_EQ(a, 2.0f);
  EXPECT_EQ(x, 0x1000u);
  EXPECT_EQ(y, 0x2000u);
  EXPECT_EQ(n, 16u);
  ASSERT_EQ(packed.arrays.size(), 2u);
  EXPECT_FALSE(packed.arrays[0].may_write);
  EXPECT_TRUE(packed.arrays[1].may_write);
}

TEST(LaunchCheck, NamesTheParameterThatIsWrong) {
  auto arguments = good();
  arguments.pop_back();
  EXPECT_NE(refusal(arguments).find("takes 4 arguments, but 3 are given"), std::string::npos);
  arguments = good();
  arguments[1] = number(Scalar::int32, std::int64_t{3});
  EXPECT_NE(refusal(arguments).find("parameter x"), std::string::npos);
  arguments = good();
  arguments[1].type = type_of(Scalar::float64);
  EXPECT_NE(refusal(arguments).find("parameter x of saxpy is const float*, but the argument is the array a1 of double"),
            std::string::npos);
  arguments = good();
  arguments[3] = array("a3", Scalar::float32);
  EXPECT_NE(refusal(arguments).find("parameter n of saxpy is uint32_t"), std::string::npos);
  arguments = good();
  arguments[2].read_only = true;
  EXPECT_NE(refusal(arguments).find("a2 is const, but parameter y"), std::string::npos);
  arguments = good();
  arguments[1].read_only = true;
  EXPECT_EQ(refusal(arguments), "");
}

TEST(LaunchCheck, NarrowingMustKeepTheValue) {
  auto arguments = good();
  arguments[3] = number(Scalar::int32, std::int64_t{-1});
  EXPECT_NE(refusal(arguments).find("-1 does not fit parameter n of saxpy: as uint32_t it would be 4294967295"),
            std::string::npos);
  arguments[3] = number(Scalar::uint64, std::uint64_t{1} << 32);
  EXPECT_NE(refusal(arguments).find("it would be 0"), std::string::npos);
  arguments[3] = number(Scalar::float64, 2.5);
  EXPECT_NE(refusal(arguments).find("it would be 2"), std::string::npos);
  arguments[3] = number(Scalar::float64, 2.0);
  EXPECT_EQ(refusal(arguments), "");
  arguments[0] = number(Scalar::float64, 1e300);
  EXPECT_NE(refusal(arguments).find("infinite"), std::string::npos);
  arguments[0] = number(Scalar::int32, std::int64_t{16777217});
  EXPECT_NE(refusal(arguments).find("16777216"), std::string::npos);
  arguments[0] = number(Scalar::float64, 0.1);
  EXPECT_EQ(refusal(arguments), "");
}

TEST(LaunchCheck, UnknownTypesAreCheckedBySize) {
  auto kernel = saxpy();
  kernel.types_known = false;
  auto arguments = good();
  EXPECT_NE(refusal(arguments, kernel).find("has 4 bytes"), std::string::npos);  // a double for four bytes
  arguments[0] = number(Scalar::float32, 2.0);
  EXPECT_EQ(refusal(arguments, kernel), "");
}

TEST(LaunchCheck, ShapeLimits) {
  device::DeviceInfo device;
  device.max_block = {1024, 1024, 64};
  device.max_grid = {2147483647, 65535, 65535};
  device.max_threads_per_block = 1024;
  device.shared_per_block = 48 << 10;
  const auto refused = [&](const LaunchShape& shape) -> std::string {
    try {
      check_shape(shape, saxpy(), saxpy_function(), device, {"In[1]", "text"}, {0, 1});
    } catch (const Error& error) {
      return error.message;
    }
    return "";
  };
  EXPECT_EQ(refused({{1, 1, 1}, {1024, 1, 1}}), "");
  EXPECT_NE(refused({{1, 1, 1}, {1025, 1, 1}}).find("limit"), std::string::npos);
  EXPECT_NE(refused({{1, 1, 1}, {32, 33, 1}}).find("1056 threads"), std::string::npos);
  EXPECT_NE(refused({{0, 1, 1}, {32, 1, 1}}).find("empty"), std::string::npos);
  EXPECT_NE(refused({{1, 65536, 1}, {32, 1, 1}}).find("grid"), std::string::npos);
  EXPECT_NE(refused({{1, 1, 1}, {32, 1, 1}, 49 << 10}).find("shared memory"), std::string::npos);
}

}  // namespace
}  // namespace xcuda::interpreter
