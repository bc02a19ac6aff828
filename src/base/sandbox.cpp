#include "base/sandbox.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string_view>
#include <variant>

#include "base/handle.hpp"
#include "base/paths.hpp"
#include "base/sanitizers.hpp"

namespace xcuda {
namespace {

// Calls that a worker has no use for, but an attacker who has taken it over has. io_uring makes other calls without a
// filter seeing them.
constexpr int kProcessCalls[] = {SYS_execve,           SYS_execveat,          SYS_ptrace,
                                 SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd,
                                 SYS_io_uring_setup};
constexpr int kSocketCalls[] = {SYS_socket, SYS_connect};
constexpr int kNetworks[] = {AF_INET, AF_INET6, AF_PACKET};
constexpr unsigned kOtherAbi = 0x40000000;  // x32's numbers begin here

// Environment variables by which NVIDIA's profilers and checkers load themselves.
constexpr const char* kProfilers[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID",
                                      "NV_NSIGHT_INJECTION_TRANSPORT_TYPE"};

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0);
    refuse();
    load(offsetof(seccomp_data, nr));
    jump(BPF_JGE, kOtherAbi, 0, 1);
    refuse();
  }
  void refuse_value(int value) {
    jump(BPF_JEQ, static_cast<unsigned>(value), 0, 1);
    refuse();
  }
  // Refuses values of a call's first argument; the filter has lost the call's number afterwards.
  void refuse_first_argument(int call, std::span<const int> values) {
    jump(BPF_JEQ, static_cast<unsigned>(call), 0, static_cast<std::uint8_t>(1 + 2 * values.size()));
    load(offsetof(seccomp_data, args));
    for (const int value : values) refuse_value(value);
  }
  bool install() {
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
  }

 private:
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void jump(int test, unsigned value, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back(sock_filter{static_cast<std::uint16_t>(BPF_JMP | BPF_K | test), if_true, if_false, value});
  }
  void refuse() { code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)); }

  std::vector<sock_filter> code_;
};

void refuse_calls(Sandbox kind) {
  Filter filter;
  for (const int call : kProcessCalls) filter.refuse_value(call);
  if (kind == Sandbox::closed)
    for (const int call : kSocketCalls) filter.refuse_value(call);
  else
    filter.refuse_first_argument(SYS_socket, kNetworks);
  filter.install();
}

// --- Landlock -------------------------------------------------------------------------------------------------------

constexpr std::uint64_t kWriteToFiles = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kChangeFolders =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t kTruncate = 1 << 14;  // LANDLOCK_ACCESS_FS_TRUNCATE, of version 3

long landlock_version() { return syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION); }

void allow(const File& rules, const std::filesystem::path& path, std::uint64_t access) {
  const File place(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place) return;
  const landlock_path_beneath_attr rule{access, place.get()};
  syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

// Reading stays free: headers, libraries and arrays may be anywhere.
void refuse_writes(const std::vector<std::filesystem::path>& writable) {
  const auto version = landlock_version();
  if (version < 1) return;
  const auto to_files = kWriteToFiles | (version >= 3 ? kTruncate : 0);
  const landlock_ruleset_attr handled{to_files | kChangeFolders};
  const File rules(static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0)));
  if (!rules) return;
  allow(rules, "/dev/null", to_files);
  for (const auto& folder : writable)
    if (!folder.empty() && std::holds_alternative<File>(make_private_folder(folder)))
      allow(rules, folder, to_files | kChangeFolders);
  syscall(SYS_landlock_restrict_self, rules.get(), 0);
}

// --- Whether
// ----------------------------------------------------------------------------------------------------------

// Why there is to be no sandbox; empty when there is one.
std::string reason_against() {
  if (kAddressSanitizer || kThreadSanitizer) return "off: this is a build with a sanitizer";
  const char* const wish = std::getenv("XCUDA_SANDBOX");
  if (wish != nullptr && wish == std::string_view("off")) return "off: XCUDA_SANDBOX says so";
  for (const auto* const name : kProfilers)
    if (std::getenv(name) != nullptr) return fmt::format("off: {} says that a profiler is attached", name);
  return {};
}

bool has_filters() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace

void enter_sandbox(const SandboxRequest& request) {
  if (!reason_against().empty() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  if (request.kind == Sandbox::closed) refuse_writes(request.writable);
  refuse_calls(request.kind);
}

std::string describe_sandbox() {
  if (auto reason = reason_against(); !reason.empty()) return reason;
  const auto version = landlock_version();
  return fmt::format("{}; {}",
                     has_filters() ? "workers start no programs and open no sockets"
                                   : "this kernel has no seccomp filters, so workers may make any system call",
                     version >= 1 ? fmt::format("they write to their own folders only (Landlock, version {})", version)
                                  : "this kernel has no Landlock, so they may write where the user may");
}

}  // namespace xcuda
