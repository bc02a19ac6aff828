// The limits that a batch system or a shell sets on a process (ulimit), as far as programs of xeus-cuda meet them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace xcuda {

// Called first in every program, before its first thread. A write past the limit on file sizes becomes an error
// (EFBIG), not a signal; the limit on processor time a signal (SIGXCPU) before SIGKILL; threads get stacks of the usual
// size however small the limit on the main thread's is. Whoever starts a program undoes the signals' part.
void prepare_limits();

// Runs a program's work where it has a stack of the usual size; returns its exit code.
int run_with_usual_stack(const std::function<int()>& work);

// What a session cannot do without: descriptors and threads. Nothing when there are enough.
std::optional<Error> missing_for_a_session();

std::optional<std::uint64_t> address_space_limit();  // bytes (ulimit -v); nothing when there is none
std::string address_space_advice();                  // what to do where addresses are short; empty without a limit
std::string open_files_advice(int number);           // an errno; empty where it does not say that there are too many
std::optional<std::uint64_t> file_size_limit();      // bytes (ulimit -f)

// How many of the wanted bytes of addresses may be reserved, a multiple of 2 MiB: half of the limit, if there is one,
// as code, stacks and heaps need the rest. All processes of a session get the same answer.
std::uint64_t within_address_space(std::uint64_t wanted);

}  // namespace xcuda
