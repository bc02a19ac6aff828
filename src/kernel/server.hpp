// The sockets of a kernel: shell and stdin on the thread that starts it, control and heartbeat on threads of their own,
// one socket for iopub, guarded by a mutex. Wire checks messages before a listener sees them, and a ConnectionGuard
// limits what may come. With CurveZMQ keys in the connection file every socket encrypts.
//
// The listeners are those of xeus::xserver. Shell's listener may run as long as a cell does; control's runs beside it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <zmq.hpp>

#include "base/handle.hpp"
#include "kernel/connection_file.hpp"
#include "kernel/connection_guard.hpp"
#include "kernel/ipc_files.hpp"
#include "kernel/turns.hpp"
#include "kernel/wire.hpp"
#include "kernel/xeus_versions.hpp"

namespace xcuda::kernel {

class Server final : public xeus::xserver {
 public:
  // Binds all five; Error(io) when a port is taken.
  explicit Server(const Connection& connection);
  ~Server() override;

  // The greeting for a new subscriber of iopub, which then knows that nothing is lost any more. Set before start().
  using Greeting = std::function<xeus::xpub_message(const std::string& topic)>;
  void on_subscription(Greeting greeting) { greeting_ = std::move(greeting); }

  // Sends a request on stdin and waits for the answer; nothing when `cancelled` returns true first, or stop() is
  // called. Called on the thread of start().
  std::optional<xeus::xmessage> ask(xeus::xmessage request, const std::function<bool()>& cancelled);

  // Called on the shell's thread when no request has come for so long; once for each such time. Set before start().
  struct Idle {
    std::function<std::optional<std::chrono::milliseconds>()> limit;
    std::function<void()> action;
  };
  void on_idle(Idle idle) { idle_ = std::move(idle); }

  // Requests on shell that come while the shell's thread runs a cell (while a Busy lives): those that `takes` names go
  // to `answer` at once, on a thread of its own; the others wait for the cell. Before start().
  struct Beside {
    std::function<bool(const xeus::xmessage&)> takes;
    listener answer;
  };
  void on_beside(Beside beside) { beside_ = std::move(beside); }
  void listen_beside() { shell_turns_.start(); }  // any thread: from now on, also for the cell that runs
  class Busy;
  bool has_request();  // on the shell's thread: one waits

 private:
  // The debugger's way to the shell thread, which xeus requires of a server; there is no debugger here.
  class NoMessenger final : public xeus::xcontrol_messenger {
    Json send_to_shell_impl(const Json&) override { return Json::object(); }
  };

  xeus::xcontrol_messenger& get_control_messenger_impl() override { return messenger_; }
  void send_shell_impl(xeus::xmessage message) override;
  void send_control_impl(xeus::xmessage message) override;
  void send_stdin_impl(xeus::xmessage message) override;
  void publish_impl(xeus::xpub_message message, xeus::channel channel) override;
  void start_impl(xeus::xpub_message message) override;  // returns after stop()
  // Hands over what has been received, until quiet milliseconds pass without more (or ten times that have passed).
  void abort_queue_impl(const listener& take, long quiet) override;
  void stop_impl() override;                                    // any thread
  void update_config_impl(XeusConfiguration) const override {}  // the ports are those of the connection file

  zmq::socket_t bind(zmq::socket_type type, Channel channel, int port);
  std::optional<xeus::xmessage> receive(zmq::socket_t& socket, Channel channel);
  std::optional<xeus::xmessage> next_request();  // on shell
  void receive_beside(const Turns::Enough& enough);
  void send(zmq::socket_t& socket, const xeus::xmessage& message);
  void serve_control();
  void serve_heartbeat();
  void publish_locked(const xeus::xpub_message& message);
  void greet_locked();
  void wait_for_reader();
  void log(const char* name, std::string_view text);

  const Connection connection_;
  Wire wire_;
  NoMessenger messenger_;
  File stop_event_;
  std::atomic<bool> stopping_{false};
  std::atomic<unsigned> logged_{0};
  Greeting greeting_;
  Idle idle_;
  std::mutex iopub_mutex_;
  std::condition_variable first_reader_;
  bool has_reader_ = false;  // has or had a reader

  IpcFiles ipc_files_;
  zmq::context_t context_;
  ConnectionGuard guard_;
  zmq::socket_t shell_, control_, input_, iopub_, heartbeat_;
  Beside beside_;
  std::deque<xeus::xmessage> waiting_;  // for the shell's thread; its, or that of the thread beside it
  Turns shell_turns_;
  std::thread control_thread_, heartbeat_thread_;
};

class Server::Busy {
 public:
  explicit Busy(Server& server) : turns_(server.shell_turns_) { turns_.give(); }
  ~Busy() { turns_.take(); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  Turns& turns_;
};

}  // namespace xcuda::kernel
