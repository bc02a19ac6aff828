#include "base/passing.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/handle.hpp"

namespace xcuda {
namespace {

TEST(Passing, ShortagesAndSignalsPass) {
  for (const int number : {EINTR, ENOMEM, ENOBUFS, EAGAIN}) EXPECT_TRUE(passes(number)) << number;
  for (const int number : {EBADF, EINVAL, EPIPE, ENOSPC, EMFILE}) EXPECT_FALSE(passes(number)) << number;
}

TEST(Passing, PollSaysWhatIsReady) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const File in(ends[0]), out(ends[1]);
  std::array<pollfd, 1> items{pollfd{in.get(), POLLIN, 0}};
  EXPECT_EQ(poll_once(items, 0), 0);
  ASSERT_EQ(write(out.get(), "x", 1), 1);
  EXPECT_EQ(poll_once(items, -1), 1);
  EXPECT_EQ(items[0].revents, POLLIN);
}

}  // namespace
}  // namespace xcuda
