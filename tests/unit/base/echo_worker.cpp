// A worker for tests: does what the head of a message says, and answers with the message. With the argument "session"
// it is a session instead, which starts a worker, writes its process id to stdout, and waits for its own end.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "base/worker.hpp"

int main(int argc, char** argv) {
  using namespace xcuda;
  if (argc == 2 && std::string_view(argv[1]) == "session") {
    WorkerOptions options;
    options.program = argv[0];
    Worker worker(options);
    worker.call({.head = {{"n", 1}}, .body = {}, .files = {}}, {});
    worker.post({.head = {{"verb", "hang"}}, .body = {}, .files = {}});
    std::printf("%d\n", worker.pid());
    std::fflush(stdout);
    for (;;) pause();
  }
  auto channel = enter_worker(argc, argv, "echo_worker");
  while (auto message = channel.receive()) {
    const auto verb = message->head.value("verb", std::string());
    if (verb == "exit") std::_Exit(message->head.at("status").get<int>());
    if (verb == "signal") raise(message->head.at("number").get<int>());
    if (verb == "hang")
      for (;;) pause();
    if (verb == "close") {
      channel = Channel(File{});
      for (;;) pause();
    }
    if (verb == "silence") continue;
    if (verb == "print") {
      std::fputs(message->head.at("text").get<std::string>().c_str(),
                 message->head.value("err", false) ? stderr : stdout);
    }
    if (verb == "flood")  // more than any pipe holds
      for (int i = 0; i < 100'000; ++i) std::printf("line %d of a flood\n", i);
    if (verb == "spam")
      for (;;) std::fputs("line after line\n", stdout);
    if (verb == "report") {
      channel.send({.head = {{"report", "why"}}, .body = {std::byte{7}}, .files = {}});
      std::_Exit(3);
    }
    if (verb == "garbage") {
      const std::string text(100, 'x');
      if (write(channel.fd(), text.data(), text.size()) < 0) return 4;
      for (;;) pause();
    }
    if (verb == "descriptors") {  // those this process holds, beside the ones of the listing itself
      int count = 0;
      for (int fd = 0; fd < 1024; ++fd) count += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
      message->head["count"] = count;
    }
    if (verb == "grandchild") {
      const auto child = fork();
      if (child == 0)
        for (;;) pause();
      message->head["pid"] = child;
    }
    if (verb == "state") {
      int death_signal = 0;
      prctl(PR_GET_PDEATHSIG, &death_signal);
      sigset_t mask;
      sigprocmask(SIG_BLOCK, nullptr, &mask);
      struct sigaction pipe {};
      sigaction(SIGPIPE, nullptr, &pipe);
      message->head["death_signal"] = death_signal;
      message->head["blocked"] = sigismember(&mask, SIGINT) == 1;
      message->head["sigpipe_default"] = pipe.sa_handler == SIG_DFL;
      struct sigaction file_size {};
      sigaction(SIGXFSZ, nullptr, &file_size);
      message->head["sigxfsz_ignored"] = file_size.sa_handler == SIG_IGN;
      message->head["own_group"] = getpgrp() == getpid();
    }
    channel.send(*message);
  }
}
