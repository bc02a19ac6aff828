// What a worker gives up once it has started, so that a file, a source or a kernel that gets hold of it gets no
// further: by seccomp filters and Landlock, which the kernel keeps for all threads that are started afterwards and
// never takes back. A refused call fails with EPERM or EACCES. Where the kernel has neither, the worker goes on
// without.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace xcuda {

enum class Sandbox : std::uint8_t {
  closed,  // no programs, no sockets, no other process's memory; writes only below the folders that are given
  device,  // no programs, no network; for a process whose driver has threads, sockets and files of its own
};

struct SandboxRequest {
  Sandbox kind = Sandbox::closed;
  std::vector<std::filesystem::path> writable;  // of a closed one; those that are missing are made, private to the user
};

// Does nothing under a profiler, with XCUDA_SANDBOX=off, or in a program that is compiled with a sanitizer.
void enter_sandbox(const SandboxRequest& request);

// What the kernel offers of this, in a few words, for --doctor.
std::string describe_sandbox();

}  // namespace xcuda
