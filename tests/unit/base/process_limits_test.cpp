#include "base/process_limits.hpp"
#include "base/sanitizers.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/shared_memory.hpp"

namespace xcuda {
namespace {

constexpr int kRight = 40;  // the exit code of a process in which all was as it should be

void limit(__rlimit_resource which, rlim_t value) {
  const rlimit both{value, value};
  if (setrlimit(which, &both) != 0) _exit(1);
}

void end(bool right) { _exit(right ? kRight : 1); }

// Each in a process of its own, which keeps its limits.
#define EXPECT_RIGHT(statements) EXPECT_EXIT(statements, testing::ExitedWithCode(kRight), "")

TEST(ProcessLimitsDeathTest, AWriteOverTheLimitOnFileSizesIsAnError) {
  EXPECT_RIGHT({
    prepare_limits();
    limit(RLIMIT_FSIZE, 4096);
    const auto file = make_memory_file("small", 4096);
    char byte = 0;
    end(pwrite(file.get(), &byte, 1, 4096) < 0 && errno == EFBIG);
  });
}

TEST(ProcessLimitsDeathTest, SharedMemoryOverTheLimitOnFileSizesNamesIt) {
  EXPECT_RIGHT({
    prepare_limits();
    limit(RLIMIT_FSIZE, 1 << 20);
    for (const auto how : {Reserve::now, Reserve::as_used}) {
      try {
        make_memory_file("large", 2 << 20, how);
        end(false);
      } catch (const Error& error) {
        if (error.advice.find("ulimit -f") == std::string::npos) end(false);
        if (error.library.find("EFBIG") == std::string::npos) end(false);
      }
    }
    end(file_size_limit() == 1 << 20);
  });
}

TEST(ProcessLimitsDeathTest, TheLimitOnProcessorTimeIsHeardOfBeforeItKills) {
  EXPECT_RIGHT({
    limit(RLIMIT_CPU, 100);
    prepare_limits();
    rlimit now{};
    getrlimit(RLIMIT_CPU, &now);
    end(now.rlim_cur == 99 && now.rlim_max == 100);
  });
}

// Recursion that takes a megabyte or so, which no small stack holds.
int deep(int n) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(n);
  return n == 0 ? 0 : deep(n - 1) + frame[0] - static_cast<char>(n) + 1;
}

TEST(ProcessLimitsDeathTest, WorkHasTheUsualStack) {
  EXPECT_RIGHT({
    limit(RLIMIT_STACK, 256 << 10);
    prepare_limits();
    end(run_with_usual_stack([] { return deep(2000); }) == 2000);
  });
  EXPECT_RIGHT({ end(run_with_usual_stack([] { return 7; }) == 7); });
}

TEST(ProcessLimitsDeathTest, TooFewDescriptorsForASessionAreNamed) {
  EXPECT_RIGHT({
    limit(RLIMIT_NOFILE, 32);
    const auto missing = missing_for_a_session();
    end(missing && missing->message.find("the limit is 32") != std::string::npos &&
        missing->advice.find("ulimit -n") != std::string::npos);
  });
  EXPECT_RIGHT({  // what may be raised is
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = 32;
    setrlimit(RLIMIT_NOFILE, &files);
    end(!missing_for_a_session());
  });
}

TEST(ProcessLimitsDeathTest, NoThreadsForASessionAreNamed) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "a sanitizer needs all addresses";
  EXPECT_RIGHT({
    prepare_limits();
    limit(RLIMIT_AS, 1 << 20);  // less than is in use: no stack for a thread
    const auto missing = missing_for_a_session();
    end(missing && missing->advice.find("ulimit -u") != std::string::npos && !missing->library.empty());
  });
}

TEST(ProcessLimitsDeathTest, HalfOfTheAddressesAreForArrays) {
  constexpr auto kWanted = std::uint64_t{8} << 40;
  EXPECT_EQ(within_address_space(kWanted), kWanted);
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "a sanitizer needs all addresses";
  EXPECT_RIGHT({
    limit(RLIMIT_AS, (std::uint64_t{4} << 30) + 5);
    end(within_address_space(kWanted) == std::uint64_t{2} << 30 && within_address_space(4096) == 4096);
  });
}

}  // namespace
}  // namespace xcuda
