#include "device/cpu/run/fault_signals.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "device/cpu/run/first_touch.hpp"

namespace xcuda::device::cpu {
namespace {

FaultRecord* the_record = nullptr;
thread_local const BlockFrame* current_frame = nullptr;
thread_local std::uint64_t current_call = 0;
thread_local std::uint64_t stack_begin = 0;  // lowest address of this thread's stack

constexpr std::size_t kHandlerStack = 64 << 10;  // bytes
constexpr std::uint64_t kGuard = 1 << 20;        // bytes around a stack's end that mean an overflow

// No allocation and no lock: the thread may be in malloc.
void handle(int number, siginfo_t* info, void* context) {
  if (info->si_code <= 0 && info->si_pid != getpid()) {  // another process sent it: no access of a kernel is at fault
    signal(number, SIG_DFL);
    kill(getpid(), number);
    return;
  }
  if (number == SIGSEGV && bring_touched_piece(*info, context)) return;
  FaultRecord& record = *the_record;
  if (!record.claim()) {  // another thread's fault is being written, and that thread ends the process
    while (true) pause();
  }
  const auto address = reinterpret_cast<Address>(info->si_addr);
  const char* what = "an instruction that this processor does not have";
  record.kind = FaultKind::other;
  if (number == SIGSEGV || number == SIGBUS) {
    const bool overflow = stack_begin && address + kGuard > stack_begin && address < stack_begin + kGuard;
    what = overflow ? "the stack is full" : "access to memory outside every array";
    record.kind = overflow ? FaultKind::stack_overflow : FaultKind::illegal_address;
    record.has_address = true;
    record.address = address;
  } else if (number == SIGFPE) {
    what = "an arithmetic trap of the processor";
  } else {
    record.kind = FaultKind::illegal_instruction;
  }
  set_text(record.library, number == SIGSEGV  ? "SIGSEGV"
                           : number == SIGBUS ? "SIGBUS"
                           : number == SIGFPE ? "SIGFPE"
                                              : "SIGILL");
  if (current_frame) {
    const auto& request = static_cast<const LaunchState*>(current_frame->launch->runtime)->request;
    const std::uint32_t* block = current_frame->block_index;
    record.launch_count = 1;
    record.launches[0] = request.number;
    set_text(record.entry, request.entry.c_str());
    std::snprintf(record.message, sizeof record.message, "%s, at %#llx, in block (%u, %u, %u)", what,
                  static_cast<unsigned long long>(address), block[0], block[1], block[2]);
  } else if (current_call != 0) {
    record.launch_count = 1;
    record.launches[0] = current_call;
    std::snprintf(record.message, sizeof record.message, "%s, at %#llx, in code of the host", what,
                  static_cast<unsigned long long>(address));
  } else {
    record.kind = FaultKind::other;
    std::snprintf(record.message, sizeof record.message, "%s, at %#llx, outside a kernel", what,
                  static_cast<unsigned long long>(address));
  }
  record.publish();
  _exit(kFaultExitStatus);
}

}  // namespace

void set_current_frame(const BlockFrame* frame) { current_frame = frame; }
void set_current_call(std::uint64_t number) { current_call = number; }

void prepare_thread_for_signals() {
  if (!the_record) return;
  stack_t stack{};
  stack.ss_size = kHandlerStack;
  stack.ss_sp = mmap(nullptr, kHandlerStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* begin = nullptr;
    std::size_t size = 0;
    if (pthread_attr_getstack(&attributes, &begin, &size) == 0) stack_begin = reinterpret_cast<std::uint64_t>(begin);
    pthread_attr_destroy(&attributes);
  }
}

void install_fault_signals(FaultRecord& record) {
  the_record = &record;
  prepare_thread_for_signals();
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(number, &action, nullptr);
}

}  // namespace xcuda::device::cpu
