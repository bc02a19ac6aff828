// What statements cost: a cell with one launch, and loops of scalars, elements, blocks and launches. On the fake
// device, so that all of it is the session's own. Medians of so many rounds.
//   bench_statements [rounds]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "device/fake.hpp"
#include "interpreter/run_cell.hpp"
#include "session/session.hpp"

namespace {

using namespace xcuda;
using Clock = std::chrono::steady_clock;

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

// The one kernel that there is.
compiler::CompileOutput compile(const compiler::CompileRequest& request) {
  compiler::CompileOutput output{.ok = true, .name = request.name, .ptx = ".entry f 8 4\n"};
  compiler::KernelSignature signature{.name = "f", .entry = "f"};
  signature.parameters.push_back(
      {.name = "x", .type = "float*", .pointer = true, .pointee = "float", .offset = 0, .size = 8, .alignment = 8});
  signature.parameters.push_back({.name = "n", .type = "int", .offset = 8, .size = 4, .alignment = 4});
  output.kernels.push_back(std::move(signature));
  return output;
}

class Bench {
 public:
  Bench() {
    session::SessionParts parts;
    parts.compile = [](const compiler::CompileRequest& request, const WaitLimits&) { return compile(request); };
    parts.devices.push_back({{}, "", [](const session::OutputHandler&) {
                               device::FakeOptions options;
                               options.kernels["f"] = [](device::FakeLaunch&) { return std::nullopt; };
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

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  const struct {
    const char* what;
    std::string code;
    int cells;  // that one measurement runs
  } cases[] = {
      {"a cell with one launch", "f<<<1, 64>>>(x, 3);", 1000},
      {"100,000 scalar statements in a loop", "int s = 0; for (int i = 0; i < 100000; ++i) s += i * 3;", 1},
      {"50,000 declarations in blocks", "for (int i = 0; i < 50000; ++i) { int a = i; float b = a * 2.0f; }", 1},
      {"20,000 assignments to elements", "for (int i = 0; i < 20000; ++i) x[i % 1024] = i;", 1},
      {"10,000 launches in a loop", "for (int i = 0; i < 10000; ++i) f<<<1, 64>>>(x, i);", 1},
      {"50,000 conditions with a call", "int c = 0; for (int i = 0; i < 50000; ++i) if (max(i, 7) % 2 == 0) ++c;", 1},
  };
  Bench bench;
  bench.time("__global__ void f(float* x, int n) { }\nfloat x[1024];");
  for (const auto& one : cases) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
      double sum = 0;
      for (int j = 0; j < one.cells; ++j) sum += bench.time(one.code);
      times.push_back(sum / one.cells);
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    fmt::print("{:<40} {:12.2f} µs\n", one.what, times[static_cast<std::size_t>(rounds / 2)]);
  }
}
