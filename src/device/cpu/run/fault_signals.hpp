// The report when generated code gets a signal: checks off, a wild pointer, a stack that is too small.
#pragma once

#include "device/cpu/run/launch_state.hpp"
#include "device/fault_record.hpp"

namespace xcuda::device::cpu {

// From now on SIGSEGV, SIGBUS, SIGFPE and SIGILL write to the record and end the process. For a worker; in other
// programs signals stay as they are. The record has to live as long as the process.
void install_fault_signals(FaultRecord& record);

// Gives a thread that runs kernels a stack of its own for the handler. Does nothing before the installation.
void prepare_thread_for_signals();

// What the calling thread is running, for the report; null when it runs no kernel.
void set_current_frame(const BlockFrame* frame);
// The call of a host module that the calling thread runs, by its number; 0: none.
void set_current_call(std::uint64_t number);

// How a process ends after it has recorded a fault.
inline constexpr int kFaultExitStatus = 3;

}  // namespace xcuda::device::cpu
