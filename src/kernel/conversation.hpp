// The requests of the protocol, answered by an Engine. One reply per request, whatever it holds.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernel/engine.hpp"
#include "kernel/publisher.hpp"
#include "kernel/questions.hpp"
#include "kernel/server.hpp"
#include "kernel/subshells.hpp"
#include "kernel/xeus_versions.hpp"

namespace xcuda::kernel {

struct KernelInfo {
  std::string version;  // of this program
  std::string banner;
};

class Conversation {
 public:
  Conversation(Server& server, Engine& engine, History history, KernelInfo info);

  void run();        // serves until leave(); on the main thread
  void interrupt();  // any thread; hits what the engine runs for a request, and nothing when there is none
  // Ends run(); called from any other thread. Returns when the engine runs nothing any more; a running cell is
  // interrupted until it ends.
  void leave();

 private:
  enum class Channel { shell, control, subshell };
  struct Reply {
    Json content;
    Json metadata = Json::object();
  };

  class Running;

  void on_shell(xeus::xmessage message);
  void on_control(xeus::xmessage message);
  void answer(const xeus::xmessage& message, Channel channel);
  Reply reply_to(const xeus::xmessage& message, Channel channel);
  void respond(const xeus::xmessage& request, Channel channel, Reply reply);
  void abort(const xeus::xmessage& request);

  Reply execute(const xeus::xmessage& message);
  Reply reply_in_subshell(const xeus::xmessage& message);
  Reply execute_in_subshell(const xeus::xmessage& message);
  std::optional<Json> manage_subshells(const std::string& type, const Json& content);
  void keep_snapshot();
  std::string ask(const xeus::xmessage& request, const Output::Question& question);
  Json kernel_info() const;
  Json debug(const Json& content) const;
  Json evaluate(const Json& expressions);
  void close_comm(const xeus::xmessage& message);

  void publish(const std::string& type, const Json& parent, Json content);
  void publish_status(const char* state, const Json& parent);
  Json header(const std::string& type);  // any thread

  Server& server_;
  Engine& engine_;
  Questions questions_;
  const KernelInfo info_;
  const std::string kernel_id_, session_id_, user_;
  std::atomic<std::uint64_t> message_count_{0};
  Publisher publisher_;

  Subshells subshells_;
  std::mutex snapshot_mutex_;           // one request is answered from it at a time
  std::shared_ptr<Snapshot> snapshot_;  // of the session after the last cell, or before the one that runs
  std::chrono::nanoseconds snapshot_cost_{0};
  std::chrono::steady_clock::time_point snapshot_time_{};

  std::atomic<int> execution_count_{0};
  std::vector<xeus::xmessage> overtaken_;  // received after a failed cell and before its reply
  bool abort_overtaken_ = false;
  std::atomic<bool> running_{false};
  std::atomic<bool> leaving_{false};
  std::atomic<bool> shutdown_accepted_{false};  // its reply is still to be sent
  std::mutex end_mutex_;
  std::condition_variable ended_;
};

}  // namespace xcuda::kernel
