// The live line of a cell that takes long.
#include "session/progress.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

namespace xcuda::session {
namespace {

class LineSink final : public Sink {
 public:
  explicit LineSink(bool live) : live_(live) {}
  bool is_live() const override { return live_; }
  void stream(OutputStream, std::string_view) override {}
  void display(const display::Bundle&) override {}
  void result(const display::Bundle&) override {}
  void page(const display::Bundle&) override {}
  void display_as(const std::string& id, const display::Bundle& bundle) override {
    const std::lock_guard lock(mutex_);
    ids.push_back(id);
    lines.push_back(display::plain(bundle));
    changed_.notify_all();
  }
  void wait_for_a_line() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !lines.empty(); });
  }

  std::vector<std::string> ids, lines;

 private:
  const bool live_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

TEST(Progress, SaysWhatGoesOnAndIsEmptiedAtTheEnd) {
  LineSink sink(true);
  Progress progress;
  progress.begin(sink);
  {
    const Progress::Activity activity(progress, "compiling In[3]");
    const Progress::Activity inner(progress, "something inside");
    sink.wait_for_a_line();
  }
  progress.end();
  EXPECT_EQ(sink.lines.front().substr(0, 17), "compiling In[3], ");
  EXPECT_EQ(sink.lines.back(), "");
  EXPECT_EQ(sink.ids.front(), sink.ids.back());
}

TEST(Progress, SaysWhatTheDeviceTellsWhileItIsWaitedFor) {
  LineSink sink(true);
  Progress progress;
  progress.begin(sink);
  progress.count(Progress::Unit::passes, 12);
  {
    const Progress::Activity waiting(progress, "waiting for the device");
    progress.tell("compiling scan: optimisation");
    sink.wait_for_a_line();
  }
  progress.end();
  EXPECT_EQ(sink.lines.front().substr(0, 30), "compiling scan: optimisation, ");
}

TEST(Progress, ElementsThatALoopReadsAreNoCopy) {
  LineSink sink(true);
  Progress progress;
  progress.begin(sink);
  progress.count(Progress::Unit::passes, 12);
  progress.count(Progress::Unit::bytes, 4, 4);
  sink.wait_for_a_line();
  progress.end();
  EXPECT_EQ(sink.lines.front().substr(0, 19), "running: 12 passes,");
}

TEST(Progress, ACopyThatIsDoneLeavesTheLine) {
  LineSink sink(true);
  Progress progress;
  progress.begin(sink);
  progress.count(Progress::Unit::bytes, 1 << 28, 1 << 30);
  progress.count(Progress::Unit::bytes, 1 << 30, 1 << 30);
  const Progress::Activity activity(progress, "waiting for the device");
  sink.wait_for_a_line();
  progress.end();
  EXPECT_EQ(sink.lines.front().substr(0, 23), "waiting for the device,");
}

TEST(Progress, CountsAndGivesPercent) {
  LineSink sink(true);
  Progress progress;
  progress.begin(sink);
  progress.count(Progress::Unit::runs, 250, 1000);
  const Progress::Activity activity(progress, "waiting for the device");  // says less than the count
  sink.wait_for_a_line();
  progress.end();
  EXPECT_NE(sink.lines.front().find("250 of 1,000 runs, 25 %"), std::string::npos) << sink.lines.front();
}

TEST(Progress, ARunHasPassesAndCopiesOfItsOwn) {
  LineSink sink(true);
  Progress progress;
  progress.begin(sink);
  progress.count(Progress::Unit::runs, 2, 7);
  progress.count(Progress::Unit::passes, 5, 10);
  progress.count(Progress::Unit::bytes, 1 << 28, 1 << 30);
  sink.wait_for_a_line();
  progress.end();
  EXPECT_NE(sink.lines.front().find("2 of 7 runs"), std::string::npos) << sink.lines.front();
}

TEST(Progress, AfterTheLastRunPassesCountAgain) {
  LineSink sink(true);
  Progress progress;
  progress.begin(sink);
  progress.count(Progress::Unit::runs, 2, 7);
  progress.count(Progress::Unit::runs, 7, 7);
  progress.count(Progress::Unit::passes, 5, 10);
  sink.wait_for_a_line();
  progress.end();
  EXPECT_NE(sink.lines.front().find("5 of 10 passes"), std::string::npos) << sink.lines.front();
}

TEST(Progress, EstimatesTheRest) {
  using namespace std::chrono_literals;
  EXPECT_EQ(time_left({.done = 1, .total = 4, .elapsed = 2s}), 6s);
  EXPECT_EQ(time_left({.done = 500, .total = 1000, .elapsed = 10s}), 10s);
  EXPECT_FALSE(time_left({.done = 0, .total = 4, .elapsed = 2s}));     // nothing to judge by
  EXPECT_FALSE(time_left({.done = 1, .total = 4, .elapsed = 500ms}));  // too early
  EXPECT_FALSE(time_left({.done = 7, .total = 0, .elapsed = 2s}));     // of an unknown number
  EXPECT_FALSE(time_left({.done = 4, .total = 4, .elapsed = 2s}));     // done
  EXPECT_FALSE(time_left({.done = 1, .total = std::uint64_t{1} << 60, .elapsed = 2s}));
}

TEST(Progress, TimesAndBarsAreShort) {
  EXPECT_EQ(clock_text(std::chrono::seconds(59)), "59 s");
  EXPECT_EQ(clock_text(std::chrono::seconds(65)), "1:05 min");
  EXPECT_EQ(clock_text(std::chrono::seconds(9000)), "2:30 h");
  EXPECT_EQ(progress_bar(0, 10), "▕                    ▏");
  EXPECT_EQ(progress_bar(5, 10), "▕██████████          ▏");
  EXPECT_EQ(progress_bar(10, 10), "▕████████████████████▏");
}

TEST(Progress, ShowsABarOfWhatHasASize) {
  LineSink sink(true);
  Progress progress;
  progress.begin(sink);
  progress.count(Progress::Unit::passes, 3, 4);
  sink.wait_for_a_line();
  progress.end();
  EXPECT_TRUE(sink.lines.front().starts_with("▕███████████████     ▏ running: 3 of 4 passes, 75 %, "))
      << sink.lines.front();
}

TEST(Progress, LeavesOtherClientsAlone) {
  LineSink sink(false);
  Progress progress;
  progress.begin(sink);
  progress.count(Progress::Unit::passes, 5);
  progress.end();
  EXPECT_TRUE(sink.lines.empty());
}

}  // namespace
}  // namespace xcuda::session
