// Host code over mirrors of the device's memory, as in a session on a GPU: here of the CPU device's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <functional>

#include "command/runner.hpp"
#include "display/error_report.hpp"
#include "interpreter/run_cell.hpp"
#include "programs/session_parts.hpp"

namespace xcuda::test {
namespace {

// Does something when the cell says that it has begun.
class Listener final : public session::Sink {
 public:
  void stream(OutputStream, std::string_view text) override {
    if (begun && text.find("begun") != std::string_view::npos) begun();
  }
  void display(const display::Bundle&) override {}
  void result(const display::Bundle&) override {}
  void page(const display::Bundle&) override {}
  std::function<void()> begun;
};

class HostWorker : public testing::Test {
 protected:
  HostWorker() : machine_(make_machine()), session_(parts(), runner_) {}

  session::SessionParts parts() {
    auto parts = make_parts(machine_, {});
    parts.host_code = session::HostCode::mirrored;
    return parts;
  }

  // The message; empty when the cell runs.
  std::string failure(const std::string& code) {
    session_.wake();
    const auto failed = interpreter::run_cell(session_, {code, fmt::format("In[{}]", ++cells_), {}}, sink_);
    return failed ? fmt::format("{} at {}", failed->error.message, failed->error.place ? failed->error.place->line : 0)
                  : "";
  }
  void run(const std::string& code) { EXPECT_EQ(failure(code), "") << code; }

  struct Moved {
    std::uint64_t fetched, brought_back;
    bool operator==(const Moved&) const = default;
  };
  // Pieces that a cell moves.
  Moved moved(const std::string& code) {
    const auto before = session_.host().counts();
    run(code);
    const auto& after = session_.host().counts();
    return {after.fetched - before.fetched, after.brought_back - before.brought_back};
  }
  int process() { return session_.host().process().info().process; }

  Machine machine_;
  command::Runner runner_;
  session::Session session_;
  Listener sink_;
  int cells_ = 0;
};

void expect_says(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(HostWorker, PiecesThatAreTouchedAreFetchedAndThoseThatChangedGoBack) {
  run("float x[1 << 23] = 1;\n"  // 16 pieces
      "float at(const float* p, int i) { return p[i]; }\n"
      "void set(float* p, int i, float v) { p[i] = v; }\n"
      "double total(const float* p, int n) { double s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }\n"
      "__global__ void twice(float* p, int i) { p[i] *= 2; }");
  EXPECT_EQ(moved("assert(at(x, 5000000) == 1);"), (Moved{1, 0}));
  EXPECT_EQ(moved("set(x, 5000000, 3); assert(x[5000000] == 3);"), (Moved{1, 1}));
  EXPECT_EQ(moved("assert(total(x, 1 << 23) == (1 << 23) + 2);"), (Moved{16, 0}));
  // Within a cell what has come stays as long as the device's memory stays the same.
  EXPECT_EQ(moved("set(x, 0, 3); set(x, 1, 4); assert(at(x, 0) == 3 && at(x, 1) == 4 && at(x, 2) == 1);"),
            (Moved{1, 3 - 1}));
  EXPECT_EQ(
      moved(
          "assert(at(x, 0) == 3);\ntwice<<<1, 1>>>(x, 0);\nassert(at(x, 0) == 6);\nx[0] = 9;\nassert(at(x, 0) == 9);"),
      (Moved{3, 0}));
}

TEST_F(HostWorker, PointersInArraysMeanTheSame) {
  run("struct Node { Node* next; float* value; };\n"
      "float a[4] = {1, 2, 3, 4};\n"
      "float far[1 << 21] = 7;\n"
      "Node nodes[3];\n"
      "void link(Node* n, float* a, float* far) { n[0] = {&n[1], &a[3]}; n[1] = {&n[2], &far[2000000]}; n[2] = "
      "{nullptr, a}; }\n"
      "float walk(const Node* n) { float s = 0; for (; n; n = n->next) s += *n->value; return s; }\n"
      "__global__ void add(Node* n) { for (; n; n = n->next) *n->value += 1; }");
  run("link(nodes, a, far); assert(walk(nodes) == 12);\nadd<<<1, 1>>>(nodes);\nassert(walk(nodes) == 15 && "
      "far[2000000] == 8);");
}

TEST_F(HostWorker, VariablesBelongToTheSession) {
  run("__device__ int counter = 5;\n__constant__ float table[4] = {1, 2, 3, 4};\n"
      "__global__ void count() { ++counter; }\n"
      "int counted() { return ++counter; }\n"
      "int next() { static int n = 10; return ++n; }\n"
      "float of_table(int i) { return table[i]; }\n"
      "int wild(int* p) { return p[123456789]; }\nint one[1] = 1;");
  run("count<<<1, 1>>>();\nassert(counted() == 7);\ncount<<<1, 1>>>();\nassert(counter == 8 && counted() == 9);");
  run("assert(next() == 11 && next() == 12);\ntable[2] = 30;\nassert(of_table(2) == 30 && of_table(3) == 4);");
  expect_says(failure("wild(one);"), "wild");
  run("assert(next() == 13 && counted() == 10);\ncount<<<1, 1>>>();\nassert(counter == 11);");
  ASSERT_EQ(kill(process(), SIGKILL), 0);
  run("assert(next() == 14 && counted() == 12 && counter == 12);");
}

TEST_F(HostWorker, AFaultCostsTheProcessOfTheHostAlone) {
  run("float x[1 << 20] = 1;\n"
      "void fill(float* p, int n, float v) { for (int i = 0; i < n; ++i) p[i] = v; }\n"
      "int divide(int a, int b) { return a / b; }\n"
      "void below(int v) { assert(v < 10); }\n"
      "__device__ int kept = 3;\n__global__ void read_kept(int* p) { *p = kept; }\nint y[1] = 0;\nfill(x, 4, 2);");
  const int device = session_.device_info().process;
  const auto beyond = failure("fill(x, 4);\nfill(x, (1 << 20) + 1, 5);");
  expect_says(beyond, "cannot call");
  const auto fault = failure("int before = 1;\nfill(x, (1 << 20) + 1, 5);");
  expect_says(fault, "write of x[1048576], which has 1,048,576 elements");
  expect_says(fault, "at 2");
  run("assert(x[0] == 5 && x[(1 << 20) - 1] == 5);");  // as on the CPU device: what came before the fault counts
  expect_says(failure("divide(1, 0)"), "division by zero");
  expect_says(failure("below(12)"), "v < 10");
  run("read_kept<<<1, 1>>>(y);\nassert(y[0] == 3 && divide(7, 2) == 3);");
  session_.device().synchronize({});
  EXPECT_EQ(session_.device().info().process, device);
}

TEST_F(HostWorker, AnInterruptEndsIt) {
  run("float x[1 << 20] = 1;\nvoid forever(volatile float* p) { p[1 << 18] = 2; printf(\"begun\\n\"); for (;;) p[0] = "
      "p[0] + 1; }\nfloat first(const float* p) { return p[0]; }\nfirst(x);");
  const int device = session_.device_info().process;
  sink_.begun = [this] { session_.interrupt_flag().raise(); };
  expect_says(failure("forever(x);"), "interrupt");
  session_.interrupt_flag().clear();
  run("assert(first(x) >= 1 && x[1] == 1 && x[1 << 18] == 2);");
  EXPECT_EQ(session_.device().info().process, device);
}

TEST_F(HostWorker, KilledInTheMiddle) {
  run("float x[1 << 20] = 1;\nvoid forever(volatile float* p) { p[1 << 19] = 2; printf(\"begun\\n\"); for (;;) p[0] = "
      "p[0] + 1; }\nfloat first(const float* p) { return p[0]; }\nfirst(x);");
  const int process = this->process();
  sink_.begun = [process] { kill(process, SIGKILL); };
  expect_says(failure("forever(x);"), "died");
  run("assert(first(x) >= 1 && x[1] == 1 && x[1 << 19] == 2);");
  EXPECT_NE(this->process(), process);
}

// A fault of a kernel between two calls, which replaces the device's process.
TEST_F(HostWorker, OutlivesTheDevicesProcess) {
  run("__device__ int counter = 5;\nint counted() { return ++counter; }\nfloat x[1 << 20] = 1;\n"
      "float first(const float* p) { return p[0]; }\n__global__ void wild(float* p) { p[1 << 28] = 1; }\n"
      "assert(counted() == 6 && first(x) == 1);");
  expect_says(failure("wild<<<1, 1>>>(x);\nfirst(x)"), "wild");
  run("assert(counted() == 7 && first(x) == 1 && counter == 7);");
  ASSERT_EQ(kill(session_.device().info().process, SIGKILL), 0);
  run("assert(counted() == 8 && first(x) == 1 && counter == 8);");
}

}  // namespace
}  // namespace xcuda::test
