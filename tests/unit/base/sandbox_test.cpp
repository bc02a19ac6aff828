#include "base/sandbox.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "base/sanitizers.hpp"

namespace xcuda {
namespace {

class SandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "builds with a sanitizer have no sandbox";
    std::string pattern = (std::filesystem::temp_directory_path() / "sandbox-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    if (describe_sandbox().find("may") != std::string::npos) GTEST_SKIP() << describe_sandbox();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  // The errno that work leaves in a child that is in the sandbox; 0 when it succeeds.
  static int in_sandbox(const SandboxRequest& request, const std::function<bool()>& work) {
    const auto child = fork();
    if (child == 0) {
      enter_sandbox(request);
      errno = 0;
      _exit(work() ? 0 : errno);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::filesystem::path folder_;
};

const SandboxRequest kClosed{Sandbox::closed, {}}, kDevice{Sandbox::device, {}};

bool starts_a_program() {
  char name[] = "/bin/true";
  char* arguments[] = {name, nullptr};
  execve(name, arguments, nullptr);
  return false;
}
bool opens(int family) { return socket(family, SOCK_STREAM, 0) >= 0; }
bool writes(const std::filesystem::path& path) { return open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0; }

TEST_F(SandboxTest, NoProcessesInEither) {
  for (const auto& request : {kClosed, kDevice}) {
    EXPECT_EQ(in_sandbox(request, starts_a_program), EPERM);
    EXPECT_EQ(in_sandbox(request, [] { return ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0; }), EPERM);
    EXPECT_EQ(in_sandbox(request,
                         [] {
                           int value = 0;
                           iovec here{&value, sizeof value};
                           return process_vm_readv(getppid(), &here, 1, &here, 1, 0) > 0;
                         }),
              EPERM);
  }
}

TEST_F(SandboxTest, NoSocketsOrNoNetwork) {
  for (const int family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK})
    EXPECT_EQ(in_sandbox(kClosed, [&] { return opens(family); }), EPERM) << family;
  for (const int family : {AF_INET, AF_INET6})
    EXPECT_EQ(in_sandbox(kDevice, [&] { return opens(family); }), EPERM) << family;
  EXPECT_EQ(in_sandbox(kDevice, [] { return opens(AF_UNIX); }), 0);  // NVIDIA's services are asked by those
}

TEST_F(SandboxTest, ThreadsStartedAfterwardsAreInIt) {
  EXPECT_EQ(in_sandbox(kClosed,
                       [] {
                         int found = 0;
                         std::thread([&] { found = opens(AF_INET) ? 0 : errno; }).join();
                         errno = found;
                         return found == 0;
                       }),
            EPERM);
}

TEST_F(SandboxTest, WritesOnlyBelowItsFolders) {
  const auto own = folder_ / "own", other = folder_ / "other";
  std::filesystem::create_directory(other);
  std::ofstream(other / "old") << "as it was";
  const SandboxRequest request{Sandbox::closed, {own}};
  EXPECT_EQ(in_sandbox(request, [&] { return writes(own / "new"); }), 0);  // made, as it was missing
  EXPECT_TRUE(std::filesystem::exists(own / "new"));
  EXPECT_EQ(in_sandbox(request, [&] { return rename((own / "new").c_str(), (own / "newer").c_str()) == 0; }), 0);
  EXPECT_EQ(in_sandbox(request, [&] { return unlink((own / "newer").c_str()) == 0; }), 0);
  EXPECT_EQ(in_sandbox(request, [] { return writes("/dev/null"); }), 0);
  EXPECT_EQ(in_sandbox(request, [&] { return open((other / "old").c_str(), O_RDONLY) >= 0; }), 0);
  for (const auto& name : {"old", "new"})
    EXPECT_EQ(in_sandbox(request, [&] { return writes(other / name); }), EACCES) << name;
  EXPECT_EQ(in_sandbox(request, [&] { return unlink((other / "old").c_str()) == 0; }), EACCES);
  EXPECT_EQ(in_sandbox(request, [&] { return truncate((other / "old").c_str(), 0) == 0; }), EACCES);
  EXPECT_EQ(in_sandbox(request, [&] { return mkdir((other / "folder").c_str(), 0700) == 0; }), EACCES);
  EXPECT_EQ(in_sandbox(kDevice, [&] { return writes(other / "new"); }), 0);
}

TEST_F(SandboxTest, IsLeftOutWhereItWouldBeInTheWay) {
  for (const auto& [name, value] : {std::pair{"XCUDA_SANDBOX", "off"}, {"CUDA_INJECTION64_PATH", "/x.so"}}) {
    setenv(name, value, 1);
    EXPECT_EQ(in_sandbox(kClosed, [] { return opens(AF_UNIX); }), 0) << name;
    EXPECT_NE(describe_sandbox().find(name), std::string::npos);
    unsetenv(name);
  }
}

}  // namespace
}  // namespace xcuda
