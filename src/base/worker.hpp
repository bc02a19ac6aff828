// A worker process: spawned, spoken to through a channel, listened to through its stdout and stderr, and ended.
// Whatever can hang or crash runs in one; its death is a value that the caller handles.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/channel.hpp"
#include "base/interrupt.hpp"
#include "base/output_stream.hpp"

namespace xcuda {

struct WorkerOptions {
  std::string program;                                           // path
  std::vector<std::string> arguments;                            // without argv[0]
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  // What the process writes, in pieces as they come; called on the thread that waits, and by drain().
  std::function<void(OutputStream, std::string_view)> on_output;
  // Called once, when it is certain that the process ends and before its end is waited for, which can take long. Throws
  // nothing.
  std::function<void()> on_leaving{};
  // How long a call looks for its answer before it sleeps: a wake-up often costs more than the answer.
  std::chrono::microseconds spin{0};
};

// An interrupt asks (ask_to_stop), then after grace, or at a second interrupt, the process is killed; without
// ask_to_stop it is killed at once. At the deadline it is killed at once.
struct WaitLimits {
  Interrupt* interrupt = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::chrono::milliseconds grace{500};
  std::function<void()> ask_to_stop;
  std::function<void()> meanwhile{};  // called now and then, while there is no answer
  // A descriptor through which the worker asks something before it answers; `bell_rang` looks, and may be called in
  // vain.
  int bell = -1;
  std::function<void()> bell_rang{};
};

// Why there is no answer.
struct WorkerLost {
  enum class Reason : std::uint8_t { died, interrupted, time_limit, stopped } reason = Reason::died;
  int exit_status = -1;           // of an exit; -1 when killed by a signal
  int signal = 0;                 // 0 when it exited
  bool greeted = false;           // it had started: its hello came
  std::string last_words;         // the tail of its stderr
  std::optional<Message> report;  // the message {"report": ...} it sent before it left, if any

  // Whether neither the user nor a limit ended it.
  bool by_itself() const { return reason == Reason::died || reason == Reason::stopped; }
};

// "it was ended by SIGSEGV (segmentation fault)", "it left with exit status 3", "the time limit was over".
std::string describe(const WorkerLost& lost);

// Not thread-safe, but may be used from different threads one after the other.
class Worker {
 public:
  explicit Worker(WorkerOptions options);  // starts it without waiting for it; Error(io) when that fails
  ~Worker();                               // kills and reaps
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;

  // No answer expected; never blocks: what the socket does not take now goes out with the next verb. A dead worker is
  // noticed by the next call.
  void post(Message message);
  // Sends and waits for the answer, passing on output meanwhile and all of it before it returns. After a loss the
  // process is reaped, and every later call returns the same loss at once.
  std::variant<Message, WorkerLost> call(Message message, const WaitLimits& limits);
  void drain();  // hands all pending output to on_output, and sends what waits to be sent
  void kill();   // SIGKILL to its process group, and reap
  void close();  // its socket, so that it begins to leave
  // Closes its socket, gives it `patience` since that to leave by itself, then kills.
  void dismiss(std::chrono::milliseconds patience);
  bool alive();
  // Between two calls: whether it has sent a report, ended or been stopped for long, which the next call returns.
  bool has_something_to_say();
  // Whether it is seen to sleep, with no signal on its way. False may also mean that this cannot be seen.
  bool idles();
  // Whether a signal (SIGSTOP) has held it for a second: it hangs, and calls end with Reason::stopped. A debugger's
  // stop does not count.
  bool stands_still();
  pid_t pid() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Called in the worker: returns its channel after setting up the process (parent-death signal, default signal handlers,
// prepare_limits(), unbuffered stdout) and sending its hello: Worker and enter_worker exchange the version of the
// protocol first. Exits with 2 when the process was not started by a session, or by one of another version.
Channel enter_worker(int argc, char** argv, std::string_view program);

}  // namespace xcuda
