#include "base/shared_memory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace xcuda {
namespace {

TEST(SharedMemory, TwoMappingsAreOne) {
  const auto file = make_memory_file("test", 8192);
  EXPECT_NE(fcntl(file.get(), F_GETFD) & FD_CLOEXEC, 0);
  const SharedMapping one(file, 8192), two(file, 4096, Populate::now);
  EXPECT_EQ(one.data()[100], std::byte{0});
  one.data()[100] = std::byte{5};
  EXPECT_EQ(two.data()[100], std::byte{5});
  EXPECT_THROW(SharedMapping(file, 16384), Error);
  EXPECT_FALSE(SharedMapping::where_possible(file, 16384));
  EXPECT_EQ(SharedMapping::where_possible(file, 8192).data()[100], std::byte{5});
}

TEST(SharedMemory, TooMuchIsAnError) {
  try {
    make_memory_file("much", std::uint64_t{1} << 60);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::memory);
    EXPECT_FALSE(error.library.empty());
  }
}

}  // namespace
}  // namespace xcuda
