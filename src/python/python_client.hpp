// The process that runs cells of %%python, as the session sees it: the environment's Python with the package
// xeus_cuda.worker in it. It starts when it is first wanted; an interrupt reaches it as SIGINT, and a crash ends only
// this process.
//
// The two take turns. A request is answered by "done", or by a question (something to show, a line of input, an array
// to make), whose answer is the session's next message. What the process prints comes through its pipes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/worker.hpp"

namespace xcuda::python {

struct Installation {
  std::string interpreter;  // path of python3; empty: none was found
  std::string package;      // the folder that holds xeus_cuda
};

// $XCUDA_PYTHON, else that of VIRTUAL_ENV, of CONDA_PREFIX, of the prefix this program is installed in, of PATH.
Installation find_python();

class Client {
 public:
  explicit Client(Installation installation) : installation_(std::move(installation)) {}

  struct Request {
    std::function<Message()> make;                           // once the process is there, which knows() depends on
    std::function<Message(const Message& question)> answer;  // throws nothing
    std::function<void(OutputStream, std::string_view)> on_output;
    WaitLimits limits;
  };
  // Makes a request; returns what came with "done". Errors: io (there is no Python, it ended by itself), interrupted.
  nlohmann::json call(const Request& request);

  bool runs() const { return worker_.has_value(); }
  void end() { worker_.reset(); }
  int process() const { return worker_ ? static_cast<int>(worker_->pid()) : 0; }

  // The pieces of memory that the process has, by number and address.
  using PieceKey = std::pair<std::uint32_t, std::uint64_t>;
  std::set<PieceKey>& handed_over(std::uint64_t epoch);

 private:
  void start(const Request& request);
  WaitLimits limits_of(const Request& request) const;
  [[noreturn]] void lost(const WorkerLost& loss);

  Installation installation_;
  std::optional<Worker> worker_;
  const Request* current_ = nullptr;
  std::uint64_t epoch_ = 0;
  std::set<PieceKey> handed_over_;
};

}  // namespace xcuda::python
