// One system call fails in the middle of a session, wherever there is one: the session answers, no array has changed,
// no descriptor, process or file is left.
//   XCUDA_FAULTS=200|all      how many points are tried, drawn by XCUDA_FAULT_SEED (1, so that a failure is a change's)
//   XCUDA_FAULTS=3/100        the third of a hundred parts of the list; a point is in the same part in every run
//   XCUDA_FAULT_POINT="17 xcuda-cpu mmap 3 ENOMEM"   this one only
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <sstream>

#include "base/handle.hpp"
#include "tests/faults/faulty_session.hpp"
#include "tests/faults/must_end.hpp"
#include "tests/places.hpp"

namespace xcuda::test {
namespace {

struct Fault {
  std::string_view name;
  int number;
};
constexpr std::array<Fault, 6> kFaults = {Fault{"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE},
                                          {"EINTR", EINTR},        {"EAGAIN", EAGAIN}, {"short", kShort}};

// What a call may say by its manual.
std::vector<int> faults_of(Call call) {
  switch (call) {
    case Call::open: return {EMFILE, ENOMEM, ENOSPC, EINTR};
    case Call::read: return {EINTR, ENOMEM, kShort};
    case Call::write: return {EINTR, ENOSPC, kShort};
    case Call::write_stream: return {EINTR, kShort};
    case Call::send:
    case Call::receive: return {EINTR, EAGAIN, ENOMEM, kShort};
    case Call::poll: return {EINTR, ENOMEM};
    case Call::map:
    case Call::protect:
    case Call::list:
    case Call::status: return {ENOMEM};
    case Call::set_size: return {ENOSPC, EINTR, ENOMEM};
    case Call::memory_file:
    case Call::socket_pair:
    case Call::pipe:
    case Call::event:
    case Call::duplicate:
    case Call::watch_process: return {EMFILE, ENOMEM};
    case Call::start_process: return {EAGAIN, ENOMEM};
    case Call::start_thread: return {EAGAIN};
    case Call::wait_process:
    case Call::close: return {EINTR};
    case Call::folder:
    case Call::rename: return {ENOSPC, ENOMEM};
    case Call::sync: return {ENOSPC};
    case Call::lock: return {EINTR, ENOMEM};
    case Call::count_: break;
  }
  return {};
}

// A cell that fails by name tests little: what the script expects of it, but for its output; empty when all is well.
std::string wrong_without_faults(ScriptCell cell, const Outcome& outcome) {
  if (!cell.error) cell.output = "...";
  return compare(cell, outcome.text, outcome.failed);
}

// Of a point that is asked for: how often a call is made also depends on how long others take.
constexpr int kRepeats = 50;

struct Point {
  std::size_t cell = 0;
  int role = 0, call = 0, number = 0, fault = 0;

  std::string text() const {
    const auto* const name = std::find_if(kFaults.begin(), kFaults.end(), [&](auto& f) { return f.number == fault; });
    return fmt::format("{} {} {} {} {}", cell, kRoles[static_cast<std::size_t>(role)],
                       kCallNames[static_cast<std::size_t>(call)], number, name->name);
  }
  static Point of(const std::string& text) {
    std::istringstream words(text);
    Point point;
    std::string role, call, fault;
    words >> point.cell >> role >> call >> point.number >> fault;
    point.role = static_cast<int>(std::find(kRoles.begin(), kRoles.end(), role) - kRoles.begin());
    point.call = static_cast<int>(std::find(kCallNames.begin(), kCallNames.end(), call) - kCallNames.begin());
    for (const auto& one : kFaults)
      if (one.name == fault) point.fault = one.number;
    return point;
  }
};

// "3/100" as {3, 100}; nothing for anything else.
std::optional<std::pair<std::size_t, std::size_t>> part_of(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::pair part(std::stoul(std::string(text.substr(0, slash))), std::stoul(std::string(text.substr(slash + 1))));
  return part.first >= 1 && part.first <= part.second ? std::optional(part) : std::nullopt;
}

// Of how many parts a point is in which: how many points there are differs from run to run, what they are does not.
std::size_t part_number(const Point& point, std::size_t parts) {
  const auto fault = std::find_if(kFaults.begin(), kFaults.end(), [&](auto& f) { return f.number == point.fault; });
  const auto kind = (point.cell * kRoles.size() + static_cast<std::size_t>(point.role)) * kCalls +
                    static_cast<std::size_t>(point.call);
  const auto all = kind * kFaults.size() + static_cast<std::size_t>(fault - kFaults.begin());
  return (all + static_cast<std::size_t>(point.number)) % parts + 1;
}

std::string named(const Point& point) { return "XCUDA_FAULT_POINT=\"" + point.text() + "\""; }

class Faults : public ::testing::Test {
 protected:
  Faults() : cells_(read_script(source_file("tests/faults/script.cells"))) {}

  Outcome run_prepared(const std::string& code, const std::string& after = "without faults") {
    must_end(fmt::format("{}: the cell\n{}", after, code));
    FaultySession::prepare(code);
    return session_->run(code);
  }

  // The whole script three times without faults: what is to be, and where calls are.
  void learn() {
    auto& plan = shared_plan();
    points_.clear();
    expected_.clear();
    must_end("the end of a session, and the start of another one");
    session_.reset();  // first: its end leaves the working folder
    session_ = std::make_unique<FaultySession>();
    for (int i = 0; i < 2; ++i)  // what is compiled once, and what is allocated once, is there afterwards
      for (const auto& cell : cells_) run_prepared(cell.code);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      for (auto& role : plan.counts)
        for (auto& count : role) count = 0;
      const auto& code = cells_[i].code;
      must_end("counting the calls of the cell\n" + code);
      FaultySession::prepare(code);
      plan.mode = Mode::count;
      const auto outcome = session_->run(code);
      plan.mode = Mode::off;
      expected_.push_back(outcome.said());
      const auto wrong = wrong_without_faults(cells_[i], outcome);
      if (!wrong.empty()) ADD_FAILURE() << "without faults the cell\n" << code << "\nis not as it is to be: " << wrong;
      for (std::size_t role = 0; role < kRoles.size(); ++role)
        for (std::size_t call = 0; call < kCalls; ++call)
          for (std::uint32_t n = 1; n <= plan.counts[role][call]; ++n)
            for (const int fault : faults_of(static_cast<Call>(call)))
              points_.push_back({i, static_cast<int>(role), static_cast<int>(call), static_cast<int>(n), fault});
    }
    held_ = session_->held();
  }

  // What went wrong; empty when nothing did.
  std::string strike(const Point& point) {
    auto& plan = shared_plan();
    const auto& code = cells_[point.cell].code;
    must_end(named(point) + ", which strikes the cell\n" + code);
    FaultySession::prepare(code);
    plan.role = point.role;
    plan.call = point.call;
    plan.fault = point.fault;
    plan.left = point.number;
    plan.struck = 0;
    plan.mode = Mode::fail;
    const auto outcome = session_->run(code);
    plan.mode = Mode::off;
    if (plan.struck == 0) {
      ++missed_;
      if (std::getenv("XCUDA_FAULT_VERBOSE") != nullptr) fmt::print("not reached: {}\n", point.text());
    }
    std::string wrong;
    if (outcome.failed && outcome.failed->error.kind == ErrorKind::internal)
      wrong += "an internal error: " + outcome.said();
    if (outcome.failed && outcome.failed->error.message.empty()) wrong += "an error without a message\n";
    if (outcome.said() == expected_[point.cell]) ++unnoticed_;
    if (!outcome.failed && outcome.said().find(expected_[point.cell]) == std::string::npos)
      wrong += fmt::format("without an error the cell gave\n{}instead of\n{}", outcome.said(), expected_[point.cell]);
    must_end(named(point) + ": a look at the arrays after it");
    if (const auto damage = session_->damage(); !damage.empty()) return wrong + "arrays: " + damage;
    if (const auto again = run_prepared(code, named(point) + ", and then").said(); again != expected_[point.cell])
      return wrong + fmt::format("the cell gives\n{}instead of\n{}with the fault it gave\n{}", again,
                                 expected_[point.cell], outcome.said());
    return wrong + held_.difference(settled());
  }

  // A process of the shell may take a moment to end.
  Held settled() {
    auto held = session_->held();
    for (int i = 0; i < 200 && !held_.difference(held).empty(); ++i) {
      usleep(10'000);
      held = session_->held();
    }
    return held;
  }

  std::vector<ScriptCell> cells_;
  std::unique_ptr<FaultySession> session_;
  std::vector<Point> points_;
  std::vector<std::string> expected_;
  Held held_;
  int missed_ = 0, unnoticed_ = 0;
};

TEST_F(Faults, CostOneCell) {
  learn();
  ASSERT_GT(points_.size(), 1000u);
  const auto all = points_.size();
  const char* const one = std::getenv("XCUDA_FAULT_POINT");
  const char* const wanted = std::getenv("XCUDA_FAULTS");
  const char* const seed_text = std::getenv("XCUDA_FAULT_SEED");
  const auto seed = seed_text != nullptr ? std::stoul(seed_text) : 1;
  auto points = points_;
  const auto part = part_of(wanted != nullptr ? wanted : "");
  if (one != nullptr) {
    points.assign(kRepeats, Point::of(one));
  } else if (part) {
    std::erase_if(points, [&](const Point& point) { return part_number(point, part->second) != part->first; });
  } else if (wanted == nullptr || std::string_view(wanted) != "all") {
    // Each kind of call of each process as often as any other, however many there are of it.
    std::mt19937 random(static_cast<unsigned>(seed));
    std::shuffle(points.begin(), points.end(), random);
    std::map<std::tuple<int, int, int>, int> seen;
    std::vector<std::pair<int, Point>> ranked;
    for (const auto& point : points) ranked.emplace_back(seen[{point.role, point.call, point.fault}]++, point);
    std::stable_sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) { return a.first < b.first; });
    const auto count = std::min<std::size_t>(wanted != nullptr ? std::stoul(wanted) : 200, ranked.size());
    points.clear();
    for (std::size_t i = 0; i < count; ++i) points.push_back(ranked[i].second);
  }
  fmt::print("[  FAULTS  ] {} of {} points in {} cells, seed {}\n", points.size(), all, cells_.size(), seed);
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& point : points) {
    std::fflush(stdout);
    if (const auto wrong = strike(point); !wrong.empty()) {
      ADD_FAILURE() << named(point) << "\n" << cells_[point.cell].code << "\n" << wrong;
      learn();
    }
  }
  must_end("the end of the session");
  session_.reset();
  nothing_runs();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("[  FAULTS  ] {} points in {:.1f} s: {} changed nothing that a cell shows, {} were not reached\n",
             points.size(), took.count(), unnoticed_, missed_);
  const auto tried = static_cast<int>(points.size());
  EXPECT_LT(missed_, one != nullptr ? tried : std::max(3, tried / 2));
}

}  // namespace
}  // namespace xcuda::test

// Starts again with the library in front.
int main(int argc, char** argv) {
  if (std::getenv(xcuda::test::kPlanVariable) == nullptr) {
    char path[] = "/tmp/xcuda-plan-XXXXXX";
    const xcuda::File file(mkostemp(path, O_CLOEXEC));
    if (!file || ftruncate(file.get(), sizeof(xcuda::test::Plan)) != 0) return 2;
    setenv(xcuda::test::kPlanVariable, path, 1);
    setenv("LD_PRELOAD", xcuda::test::program_file("libfault_calls.so").c_str(), 1);
    execv("/proc/self/exe", argv);
    return 2;
  }
  ::testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  unlink(std::getenv(xcuda::test::kPlanVariable));
  return failed;
}
