// What the declaration of an array costs where there are many already: the last 1,000 of so many over the first 1,000,
// at the top of a session, in one cell, and in the blocks of a loop. On the fake device, so that all of it is the
// session's own. A ratio of about 1 is what is wanted.
//   bench_declare [arrays]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "device/fake.hpp"
#include "interpreter/run_cell.hpp"

namespace {

using namespace xcuda;
using Clock = std::chrono::steady_clock;

constexpr int kBatch = 1000;

struct NoCommands final : session::Commands {
  void run(session::Session&, session::CellRun&, const cell::Magic&) override {}
  void help(session::Session&, session::CellRun&, const cell::Help&, cell::Span) override {}
  void shell(session::Session&, session::CellRun&, const cell::Shell&, cell::Span) override {}
};

struct Nowhere final : session::Sink {
  void stream(OutputStream, std::string_view) override {}
  void display(const display::Bundle&) override {}
  void result(const display::Bundle&) override {}
  void page(const display::Bundle&) override {}
};

class Bench {
 public:
  Bench() {
    session::SessionParts parts;
    parts.devices.push_back({{}, "", [](const session::OutputHandler&) {
                               device::FakeOptions options;
                               options.memory = std::uint64_t{1} << 30;
                               return std::make_unique<device::FakeDevice>(options);
                             }});
    session_ = std::make_unique<session::Session>(std::move(parts), commands_);
  }

  // Microseconds.
  double time(const std::string& code) {
    const auto begin = Clock::now();
    if (const auto failed = interpreter::run_cell(*session_, {code, "In[1]", {}}, sink_)) {
      fmt::print(stderr, "{}\n", failed->error.message);
      std::exit(1);
    }
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  }

 private:
  NoCommands commands_;
  Nowhere sink_;
  std::unique_ptr<session::Session> session_;
};

std::string declarations(int first, int count) {
  std::string code;
  for (int i = first; i < first + count; ++i) code += fmt::format("float a{}[4];\n", i);
  return code;
}

void report(const char* what, double first, double last) {
  fmt::print("{:<44} first {:8.3f} µs   last {:8.3f} µs   ratio {:6.2f}\n", what, first / kBatch, last / kBatch,
             last / first);
}

}  // namespace

int main(int argc, char** argv) {
  const int arrays = argc > 1 ? std::atoi(argv[1]) : 60'000;
  const std::string loop = fmt::format("for (int i = 0; i < {}; ++i) {{ float t[4]; }}\n", kBatch);
  Bench cells;
  cells.time("float warm[4];");
  const double loop_first = cells.time(loop);
  double first = 0, last = 0;
  for (int i = 0; i < arrays; i += kBatch) {
    last = cells.time(declarations(i, kBatch));
    if (i == 0) first = last;
  }
  report("a cell of 1,000 declarations", first, last);
  report("1,000 blocks with one", loop_first, cells.time(loop));

  Bench one;
  one.time("float warm[4];");
  const double small = one.time(declarations(0, kBatch));
  const double large = one.time(declarations(kBatch, arrays)) * kBatch / arrays;
  report("one cell of all declarations, on average", small, large);
}
