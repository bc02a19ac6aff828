// --doctor: everything that is needed, and where it was looked for.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>

#include "base/paths.hpp"
#include "base/sandbox.hpp"
#include "base/text.hpp"
#include "command/runner.hpp"
#include "display/device_report.hpp"
#include "interpreter/run_cell.hpp"
#include "nvcc/tools.hpp"
#include "programs/caches.hpp"
#include "programs/session_engine.hpp"
#include "programs/session_parts.hpp"
#include "python/python_client.hpp"

namespace xcuda {
namespace {

class Printer final : public session::Sink {
 public:
  void stream(OutputStream which, std::string_view text) override {
    fmt::print(which == OutputStream::out ? stdout : stderr, "{}", text);
  }
  void display(const display::Bundle& bundle) override { fmt::print("{}\n", display::plain(bundle)); }
  void result(const display::Bundle& bundle) override { display(bundle); }
  void page(const display::Bundle& bundle) override { display(bundle); }
};

// What starts the ranks of %device mpi:N.
std::string version_of_mpirun() {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen("mpirun --version 2>/dev/null", "r"), pclose);
  std::array<char, 256> line{};
  if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return "not found";
  return std::string(trim(line.data()));
}

constexpr std::string_view kProbe =
    "__global__ void xcuda_doctor(int* x) { x[0] = 42; }\n"
    "int xcuda_doctor_value[1];\n"
    "xcuda_doctor<<<1, 1>>>(xcuda_doctor_value);\n"
    "assert(xcuda_doctor_value[0] == 42);\n";

}  // namespace

int doctor() {
  auto machine = make_machine();
  fmt::print("CUDA toolkit, in search order:\n{}\n", compiler::describe(machine.compiler->search()));
  fmt::print("Programs:\n");
  for (const auto* name : {"xcuda-compile", "xcuda-cpu", "xcuda-gpu", "xcuda-files", "xcuda-shell", "xcuda-mpi"}) {
    const auto path = find_sibling_program(name);
    fmt::print("  {:<14} {}\n", name, path ? path->string() : "not found");
  }
  fmt::print("  {:<14} {}\n", "mpirun", version_of_mpirun());
  const auto python = python::find_python();
  fmt::print("  {:<14} {}\n", "%%python", python.interpreter.empty() ? "not found" : python.interpreter);
  fmt::print("{}", nvcc::describe(nvcc::find_tools(machine.compiler->search(), compiler::current_environment())));
  const auto toolkit = nvcc::find_cpu_toolkit();
  fmt::print("  {:<14} {}\n", "nvcc (CPU)", toolkit.empty() ? "not found" : toolkit + "/bin/nvcc");
  print_caches();
  fmt::print("Sandbox of the workers:\n  {}\n", describe_sandbox());

  command::Runner runner;
  session::Session session(make_parts(machine, {}), runner);
  Printer printer;
  fmt::print("Devices:\n");
  const auto listed = interpreter::run_cell(session, {"%device", "doctor", {}}, printer);
  fmt::print("A kernel, compiled and run: ");
  const auto ran = listed ? listed : interpreter::run_cell(session, {std::string(kProbe), "doctor", {}}, printer);
  if (!ran) {
    fmt::print("right\n");
    return 0;
  }
  fmt::print("no\n");
  for (const auto& line : display::render_error(*ran, display::Colours::none).traceback) fmt::print("{}\n", line);
  return 1;
}

}  // namespace xcuda
