#include "base/worker.hpp"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "tests/places.hpp"

namespace xcuda {
namespace {

using namespace std::chrono_literals;

WorkerOptions echo() {
  WorkerOptions options;
  options.program = test::program_file("echo_worker");
  options.environment = {{"ASAN_OPTIONS", "handle_segv=0"}, {"TSAN_OPTIONS", "handle_segv=0"}};  // signals as they are
  return options;
}

Message verb(nlohmann::json head) { return {.head = std::move(head), .body = {}, .files = {}}; }

std::size_t open_descriptors() {
  std::size_t count = 0;
  auto* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

bool has_children() { return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

// The process is gone, or a zombie of somebody else's.
bool is_over(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  return text.empty() || text[text.rfind(')') + 2] == 'Z';
}

TEST(Worker, Answers) {
  Worker worker(echo());
  EXPECT_TRUE(worker.alive());
  auto answer = worker.call({.head = {{"n", 5}}, .body = {std::byte{9}}, .files = {}}, {});
  ASSERT_TRUE(std::holds_alternative<Message>(answer));
  EXPECT_EQ(std::get<Message>(answer).head.at("n"), 5);
  EXPECT_EQ(std::get<Message>(answer).body.size(), 1u);
}

TEST(Worker, KeepsTheNextAnswerApartFromPosts) {
  Worker worker(echo());
  worker.post(verb({{"verb", "silence"}}));
  worker.post(verb({{"verb", "silence"}}));
  const auto answer = worker.call(verb({{"n", 1}}), {});
  EXPECT_EQ(std::get<Message>(answer).head.at("n"), 1);
}

TEST(Worker, IsBornClean) {
  sigset_t block, old;
  sigemptyset(&block);
  sigaddset(&block, SIGINT);
  pthread_sigmask(SIG_BLOCK, &block, &old);
  const auto old_pipe = std::signal(SIGPIPE, SIG_IGN);
  Worker worker(echo());
  const auto answer = worker.call(verb({{"verb", "state"}}), {});
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  std::signal(SIGPIPE, old_pipe);
  const auto& head = std::get<Message>(answer).head;
  EXPECT_EQ(head.at("death_signal"), SIGKILL);
  EXPECT_EQ(head.at("blocked"), false);
  EXPECT_EQ(head.at("sigpipe_default"), true);
  EXPECT_EQ(head.at("sigxfsz_ignored"), true);
  EXPECT_EQ(head.at("own_group"), true);
}

TEST(Worker, InheritsNothing) {
  const File stray(dup(0));  // not CLOEXEC
  Worker worker(echo());
  const auto answer = worker.call(verb({{"verb", "descriptors"}}), {});
  EXPECT_EQ(std::get<Message>(answer).head.at("count"), 4);
}

TEST(Worker, SurvivesTheThreadThatStartedIt) {
  std::optional<Worker> worker;
  std::thread([&] { worker.emplace(echo()); }).join();
  EXPECT_TRUE(std::holds_alternative<Message>(worker->call(verb({{"n", 1}}), {})));
}

TEST(Worker, OutputComesBeforeTheAnswerAndApart) {
  auto options = echo();
  std::string out, err;
  options.on_output = [&](OutputStream which, std::string_view text) {
    (which == OutputStream::out ? out : err) += text;
  };
  Worker worker(options);
  worker.call(verb({{"verb", "print"}, {"text", "one"}}), {});
  EXPECT_EQ(out, "one");
  worker.call(verb({{"verb", "print"}, {"text", "two"}, {"err", true}}), {});
  EXPECT_EQ(err, "two");
  worker.call(verb({{"verb", "flood"}}), {});
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 100'000);
}

TEST(Worker, ABigMessageToAWorkerThatWritesDoesNotBlockBoth) {
  Worker worker(echo());
  worker.post(verb({{"verb", "flood"}}));
  auto answer = worker.call({.head = {{"verb", "x"}}, .body = std::vector<std::byte>(10 << 20), .files = {}}, {});
  EXPECT_TRUE(std::holds_alternative<Message>(answer));
}

TEST(Worker, TellsHowItEnded) {
  {
    Worker worker(echo());
    worker.call(verb({{"verb", "print"}, {"text", "last words"}, {"err", true}}), {});
    const auto answer = worker.call(verb({{"verb", "exit"}, {"status", 5}}), {});
    const auto& lost = std::get<WorkerLost>(answer);
    EXPECT_EQ(lost.reason, WorkerLost::Reason::died);
    EXPECT_EQ(lost.exit_status, 5);
    EXPECT_EQ(lost.signal, 0);
    EXPECT_EQ(lost.last_words, "last words");
    EXPECT_EQ(describe(lost), "it exited with status 5");
  }
  {
    Worker worker(echo());
    const auto answer = worker.call(verb({{"verb", "signal"}, {"number", SIGSEGV}}), {});
    const auto& lost = std::get<WorkerLost>(answer);
    EXPECT_EQ(lost.signal, SIGSEGV);
    EXPECT_EQ(lost.exit_status, -1);
    // Again: the same loss, at once.
    const auto again = worker.call(verb({{"n", 1}}), {});
    EXPECT_EQ(std::get<WorkerLost>(again).signal, SIGSEGV);
    EXPECT_FALSE(worker.alive());
  }
  EXPECT_FALSE(has_children());
}

TEST(Worker, ADeathWhileIdleIsNoticedByTheNextCall) {
  Worker worker(echo());
  worker.call(verb({{"n", 1}}), {});
  ::kill(worker.pid(), SIGKILL);
  worker.post(verb({{"verb", "silence"}}));
  EXPECT_EQ(std::get<WorkerLost>(worker.call(verb({{"n", 1}}), {})).signal, SIGKILL);
}

TEST(Worker, BringsItsReport) {
  Worker worker(echo());
  const auto answer = worker.call(verb({{"verb", "report"}}), {});
  const auto& lost = std::get<WorkerLost>(answer);
  EXPECT_EQ(lost.exit_status, 3);
  ASSERT_TRUE(lost.report);
  EXPECT_EQ(lost.report->head.at("report"), "why");
  EXPECT_EQ(lost.report->body.size(), 1u);
}

TEST(Worker, WhoLooksForTheAnswerGetsTheSame) {
  auto options = echo();
  options.spin = 50ms;
  Worker worker(options);
  EXPECT_EQ(std::get<Message>(worker.call(verb({{"n", 7}}), {})).head.at("n"), 7);
  const auto answer = worker.call(verb({{"verb", "hang"}}), {.deadline = std::chrono::steady_clock::now() + 20ms});
  EXPECT_EQ(std::get<WorkerLost>(answer).reason, WorkerLost::Reason::time_limit);
  Worker other(options);
  Interrupt interrupt;
  interrupt.raise();
  WaitLimits limits;
  limits.interrupt = &interrupt;
  EXPECT_EQ(std::get<WorkerLost>(other.call(verb({{"verb", "hang"}}), limits)).reason, WorkerLost::Reason::interrupted);
}

TEST(Worker, GarbageOrAClosedSocketIsALoss) {
  for (const char* const name : {"garbage", "close"}) {
    Worker worker(echo());
    const auto answer = worker.call(verb({{"verb", name}}), {});
    EXPECT_TRUE(std::holds_alternative<WorkerLost>(answer)) << name;
    EXPECT_FALSE(worker.alive());
  }
}

TEST(Worker, TheDeadlineEndsAHang) {
  Worker worker(echo());
  const auto answer = worker.call(verb({{"verb", "hang"}}), {.deadline = std::chrono::steady_clock::now() + 20ms});
  EXPECT_EQ(std::get<WorkerLost>(answer).reason, WorkerLost::Reason::time_limit);
  EXPECT_FALSE(has_children());
}

TEST(Worker, AWorkerThatWritesWithoutEndIsEndedLikeAnyOther) {
  Worker worker(echo());
  Interrupt interrupt;
  interrupt.raise();
  WaitLimits limits;
  limits.interrupt = &interrupt;
  EXPECT_EQ(std::get<WorkerLost>(worker.call(verb({{"verb", "spam"}}), limits)).reason,
            WorkerLost::Reason::interrupted);
  Worker other(echo());
  const auto answer = other.call(verb({{"verb", "spam"}}), {.deadline = std::chrono::steady_clock::now() + 20ms});
  EXPECT_EQ(std::get<WorkerLost>(answer).reason, WorkerLost::Reason::time_limit);
}

TEST(Worker, IsSeenToIdleUntilASignalIsSent) {
  for (const int signal : {SIGSTOP, SIGKILL, SIGTERM}) {
    Worker worker(echo());
    worker.call(verb({{"n", 1}}), {});
    while (!worker.idles()) std::this_thread::sleep_for(1ms);
    ::kill(worker.pid(), signal);
    EXPECT_FALSE(worker.idles());
    std::this_thread::sleep_for(5ms);
    EXPECT_FALSE(worker.idles());
    worker.kill();
    EXPECT_FALSE(worker.idles());
  }
}

TEST(Worker, TheDeadlineEndsAStoppedProcess) {
  Worker worker(echo());
  worker.call(verb({{"n", 1}}), {});
  ::kill(worker.pid(), SIGSTOP);
  const auto answer = worker.call({.head = {{"n", 1}}, .body = std::vector<std::byte>(10 << 20), .files = {}},
                                  {.deadline = std::chrono::steady_clock::now() + 20ms});
  EXPECT_EQ(std::get<WorkerLost>(answer).reason, WorkerLost::Reason::time_limit);
}

TEST(Worker, AStoppedProcessIsALossWithoutAnyLimit) {
  Worker worker(echo());
  worker.call(verb({{"n", 1}}), {});
  EXPECT_FALSE(worker.stands_still());
  ::kill(worker.pid(), SIGSTOP);
  const auto answer = worker.call(verb({{"n", 2}}), {});
  EXPECT_EQ(std::get<WorkerLost>(answer).reason, WorkerLost::Reason::stopped);
  EXPECT_EQ(describe(std::get<WorkerLost>(answer)), "it was stopped by a signal (SIGSTOP) and ended");
  EXPECT_FALSE(has_children());
}

TEST(Worker, AnInterruptAsksFirst) {
  Worker worker(echo());
  Interrupt interrupt;
  interrupt.raise();
  std::atomic<int> asked{0};
  WaitLimits limits;
  limits.interrupt = &interrupt;
  limits.grace = 1h;
  limits.ask_to_stop = [&] { ++asked; };
  // A worker that stops by itself is not killed.
  EXPECT_TRUE(std::holds_alternative<Message>(worker.call(verb({{"verb", "flood"}}), limits)));
  // A second interrupt does not wait for the grace.
  asked = 1;
  std::thread second([&] {
    while (asked < 2) std::this_thread::sleep_for(1ms);
    interrupt.raise();
  });
  const auto answer = worker.call(verb({{"verb", "hang"}}), limits);
  second.join();
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(std::get<WorkerLost>(answer).reason, WorkerLost::Reason::interrupted);
}

TEST(Worker, AnInterruptEndsWhatDoesNotStopInItsGrace) {
  Worker worker(echo());
  Interrupt interrupt;
  std::thread raiser([&] {
    std::this_thread::sleep_for(10ms);
    interrupt.raise();
  });
  bool asked = false;
  WaitLimits limits;
  limits.interrupt = &interrupt;
  limits.grace = 10ms;
  limits.ask_to_stop = [&] { asked = true; };
  const auto answer = worker.call(verb({{"verb", "hang"}}), limits);
  raiser.join();
  EXPECT_TRUE(asked);
  EXPECT_EQ(std::get<WorkerLost>(answer).reason, WorkerLost::Reason::interrupted);
}

TEST(Worker, TakesItsChildrenAlong) {
  Worker worker(echo());
  const auto answer = worker.call(verb({{"verb", "grandchild"}}), {});
  const pid_t grandchild = std::get<Message>(answer).head.at("pid");
  EXPECT_FALSE(is_over(grandchild));
  worker.kill();
  while (!is_over(grandchild)) std::this_thread::sleep_for(1ms);  // the test's time limit is what fails it
}

TEST(Worker, LeavesByItselfWhenDismissed) {
  Worker worker(echo());
  worker.call(verb({{"n", 1}}), {});
  worker.dismiss(10s);
  EXPECT_EQ(std::get<WorkerLost>(worker.call(verb({{"n", 1}}), {})).exit_status, 0);
}

TEST(Worker, ManyLeaveNothingBehind) {
  {
    Worker first(echo());
    first.call(verb({{"n", 1}}), {});
  }
  const auto before = open_descriptors();
  for (int i = 0; i < 30; ++i) {
    Worker worker(echo());
    if (i % 3 == 0) worker.call(verb({{"n", 1}}), {});
    if (i % 3 == 1) worker.call(verb({{"verb", "exit"}, {"status", 1}}), {});
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(Worker, AMissingProgramIsAnErrorThatNamesIt) {
  auto options = echo();
  options.program = "/nowhere/xcuda-gone";
  try {
    const Worker worker(options);
    FAIL() << "started";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::io);
    EXPECT_NE(error.message.find("/nowhere/xcuda-gone"), std::string::npos);
    EXPECT_NE(error.library.find("ENOENT"), std::string::npos);
  }
}

TEST(Worker, AProgramThatIsNoWorkerIsALossWithItsWords) {
  auto options = echo();
  options.program = "/bin/sh";
  options.arguments = {"-c", "echo this is no worker >&2; exit 7"};
  Worker worker(options);
  const auto answer = worker.call(verb({{"n", 1}}), {});
  EXPECT_EQ(std::get<WorkerLost>(answer).exit_status, 7);
  EXPECT_EQ(std::get<WorkerLost>(answer).last_words, "this is no worker\n");
}

TEST(Worker, AWorkerStartedByHandSaysWhatItIs) {
  const int status = std::system(("'" + test::program_file("echo_worker") + "' 2>/dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(Worker, EndsWithItsSession) {
  auto* const session = popen(("echo $$; exec '" + test::program_file("echo_worker") + "' session").c_str(), "r");
  ASSERT_NE(session, nullptr);
  pid_t session_pid = 0, pid = 0;
  ASSERT_EQ(fscanf(session, "%d %d", &session_pid, &pid), 2);
  EXPECT_FALSE(is_over(pid));
  ::kill(session_pid, SIGKILL);
  pclose(session);
  while (!is_over(pid)) std::this_thread::sleep_for(1ms);  // the test's time limit is what fails it
}

}  // namespace
}  // namespace xcuda
