// Turns at using a socket: the main thread, or one beside it while the main thread is busy. A ZeroMQ socket may change
// threads, but two may never use it at once.
#pragma once

#include <zmq.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/handle.hpp"

namespace xcuda::kernel {

class Turns {
 public:
  // receive: takes everything that has arrived, until `enough` returns true; on the thread beside the main one.
  using Enough = std::function<bool()>;
  using Receive = std::function<void(const Enough& enough)>;

  Turns(void* socket, Receive receive);
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  void start();  // the thread; any thread, once or more often
  void stop();   // any thread; the thread ends
  void join();

  // Main thread: the socket is free between the two. take() waits until the other thread is done with it.
  void give();
  void take();

 private:
  enum class Holder { main, nobody, beside };

  void run();
  bool is_wanted();  // by main

  void* const socket_;
  const Receive receive_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Holder holder_ = Holder::main;
  bool wanted_ = false, stopping_ = false;
  File wake_;
  std::thread thread_;
};

}  // namespace xcuda::kernel
