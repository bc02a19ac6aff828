#include "base/sandbox.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

#include "base/handle.hpp"
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

char kProgram[] = "/bin/true";
char* const kArguments[] = {kProgram, nullptr};

bool starts_a_program() { return execve(kProgram, kArguments, nullptr) == 0; }
// One that is in no folder.
bool starts_a_copy_in_memory() {
  const int copy = memfd_create("program", MFD_CLOEXEC);
  const int original = open(kProgram, O_RDONLY | O_CLOEXEC);
  if (sendfile(copy, original, nullptr, 16 << 20) <= 0) return false;
  return syscall(SYS_execveat, copy, "", kArguments, nullptr, AT_EMPTY_PATH) == 0;
}
// Of this process itself, which it might without a sandbox.
bool copies_memory(long call) {
  int from = 1, to = 0;
  const iovec here{&from, sizeof from}, there{&to, sizeof to};
  return syscall(call, getpid(), &here, 1, &there, 1, 0) > 0;
}
bool opens(int family) { return socket(family, SOCK_STREAM, 0) >= 0; }
bool writes(const std::filesystem::path& path) { return open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0; }

TEST_F(SandboxTest, NoProgramsAndNoOtherProcesses) {
  const std::pair<const char*, std::function<bool()>> attempts[] = {
      {"execve", starts_a_program},
      {"execveat", starts_a_copy_in_memory},
      {"execve of a fork",
       [] {
         const auto child = fork();
         if (child == 0) _exit(starts_a_program() ? 0 : errno);
         int status = 0;
         waitpid(child, &status, 0);
         errno = WEXITSTATUS(status);
         return errno == 0;
       }},
      {"ptrace", [] { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0; }},
      {"process_vm_readv", [] { return copies_memory(SYS_process_vm_readv); }},
      {"process_vm_writev", [] { return copies_memory(SYS_process_vm_writev); }},
      {"pidfd_getfd", [] { return syscall(SYS_pidfd_getfd, -1, 0, 0) >= 0; }},          // else EBADF
      {"io_uring_setup", [] { return syscall(SYS_io_uring_setup, 0, nullptr) >= 0; }},  // else EFAULT
      {"a number of x32", [] { return syscall(0x40000000 | SYS_getpid) >= 0; }}};       // else ENOSYS
  for (const auto& request : {kClosed, kDevice})
    for (const auto& [name, attempt] : attempts)
      EXPECT_EQ(in_sandbox(request, attempt), EPERM) << name << (request.kind == Sandbox::closed ? "" : ", device");
}

TEST_F(SandboxTest, NoMemoryOfOthersThroughFiles) {
  const auto memory = "/proc/" + std::to_string(getpid()) + "/mem";
  for (const int access : {O_RDONLY, O_WRONLY, O_RDWR})
    EXPECT_EQ(in_sandbox(kClosed, [&] { return open(memory.c_str(), access | O_CLOEXEC) >= 0; }), EACCES) << access;
}

TEST_F(SandboxTest, NoSocketsOrNoNetwork) {
  for (const int family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK})
    EXPECT_EQ(in_sandbox(kClosed, [&] { return opens(family); }), EPERM) << family;
  for (const int family : {AF_INET, AF_INET6})
    EXPECT_EQ(in_sandbox(kDevice, [&] { return opens(family); }), EPERM) << family;
  EXPECT_EQ(in_sandbox(kDevice, [] { return opens(AF_UNIX); }), 0);  // NVIDIA's services are asked by those
}

TEST_F(SandboxTest, ASocketThatWasThereConnectsNoMore) {
  const File link(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!link) GTEST_SKIP() << "this machine has no IPv4";
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto connects = [&] {
    return connect(link.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  };
  EXPECT_EQ(in_sandbox(kClosed, connects), EPERM);
  EXPECT_TRUE(connects());
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
  EXPECT_EQ(in_sandbox(request, [&] { return symlink("/", (other / "link").c_str()) == 0; }), EACCES);
  EXPECT_EQ(in_sandbox(request, [&] { return mkfifo((other / "pipe").c_str(), 0600) == 0; }), EACCES);
  std::ofstream(own / "mine") << "x";
  EXPECT_EQ(in_sandbox(request, [&] { return link((own / "mine").c_str(), (other / "mine").c_str()) == 0; }), EACCES);
  EXPECT_EQ(in_sandbox(request, [&] { return rename((own / "mine").c_str(), (other / "old").c_str()) == 0; }), EACCES);
  std::filesystem::create_symlink(other / "old", own / "away");
  EXPECT_EQ(in_sandbox(request, [&] { return writes(own / "away"); }), EACCES);
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
