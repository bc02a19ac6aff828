#include "arrays/operations.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace xcuda::arrays {
namespace {

Operation kernel() {
  Operation operation;
  operation.name = "xcuda::kernel";
  operation.function.parameters = {{0, 4, 4}, {8, 8, 8}, {16, 1, 1}};
  return operation;
}

TEST(OperationArguments, LieAtTheOffsetsOfTheParameters) {
  const auto operation = kernel();
  const auto bytes = OperationArguments(operation).add(7).add(std::uint64_t{0x1122334455667788}).add('x').take();
  ASSERT_EQ(bytes.size(), 17u);
  int first = 0;
  std::uint64_t second = 0;
  std::memcpy(&first, bytes.data(), sizeof first);
  std::memcpy(&second, bytes.data() + 8, sizeof second);
  EXPECT_EQ(first, 7);
  EXPECT_EQ(second, 0x1122334455667788u);
  EXPECT_EQ(bytes[16], std::byte{'x'});
}

TEST(OperationArguments, AreCheckedAgainstTheParameters) {
  const auto operation = kernel();
  OperationArguments arguments(operation);
  EXPECT_THROW(arguments.add(1.0), Error);
  arguments.add(1);
  EXPECT_THROW(arguments.take(), Error);
  arguments.add(std::uint64_t{1}).add('x');
  EXPECT_THROW(arguments.add(1), Error);
}

TEST(Operation, ElementsAreSpelledForTheHeaders) {
  EXPECT_EQ(operation_element(*find_type("float")), "float");
  EXPECT_EQ(operation_element(*find_type("size_t")), "unsigned long");
  EXPECT_EQ(operation_element(*find_type("half")), "xcuda::HalfBits");
  EXPECT_EQ(operation_element(*find_type("bfloat16")), "xcuda::BFloatBits");
}

}  // namespace
}  // namespace xcuda::arrays
