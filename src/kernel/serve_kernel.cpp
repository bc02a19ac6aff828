#include "kernel/serve_kernel.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <vector>

#include "base/paths.hpp"
#include "base/process_limits.hpp"
#include "base/text.hpp"
#include "kernel/adapter.hpp"
#include "kernel/connection_file.hpp"
#include "kernel/conversation.hpp"
#include "kernel/watch.hpp"

namespace xcuda::kernel {
namespace {

constexpr int kUsageError = 2;

// Not fmt::print, which throws when nobody reads stderr.
void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

std::string usage(const KernelProgram& program) {
  return fmt::format(
      "{0} {1}: a Jupyter kernel for CUDA C++\n"
      "\n"
      "usage: {0} -f FILE     serve the client that wrote the connection file FILE\n"
      "       {0} --doctor    show which parts of CUDA are on this machine, and where\n"
      "       {0} --clear-cache    remove the compiled code and headers that earlier sessions kept\n"
      "       {0} --runtime-coverage    list the CUDA Runtime functions that programs can use on the CPU device\n"
      "       {0} --version\n"
      "       {0} --help\n"
      "\n"
      "A Jupyter client starts it: jupyter lab, jupyter console --kernel {0}, jupyter nbconvert --execute.\n",
      program.name, program.version);
}

int refuse(const KernelProgram& program, const std::string& what) {
  say(fmt::format("{0}: {1}\nRun {0} --help for usage.\n", program.name, what));
  return kUsageError;
}

int report(const KernelProgram& program, const Error& error) {
  say(fmt::format("{}: {}\n", program.name, error.message));
  for (const auto& line : {error.library, error.advice})
    if (!line.empty()) say(fmt::format("  {}\n", line));
  return kUsageError;
}

void serve(const Connection& connection, const KernelProgram& program) {
  Server server(connection);
  const auto engine = program.make_engine();
  server.on_idle({[&] { return engine->idle_limit(); }, [&] { engine->idle(); }});
  {
    History history(data_file("history.jsonl"), History::kMaxFileBytes,
                    [&](const std::string& text) { say(fmt::format("{}: {}\n", program.name, text)); });
    Conversation conversation(server, *engine, std::move(history), {program.version, engine->banner()});
    const Watch watch(parent_from_environment(), {[&] { conversation.interrupt(); }, [&] { conversation.leave(); }});
    conversation.run();
  }
  engine->prepare_exit();
}

}  // namespace

int serve_kernel(int argc, char** argv, const KernelProgram& program) {
  prepare_limits();
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return refuse(program, "no connection file (-f FILE)");
  const auto first = arguments[0];
  if (first == "--help" || first == "-h") {
    fmt::print("{}", usage(program));
    return 0;
  }
  if (first == "--version") {
    fmt::print("{} {}\n", program.name, program.version);
    return 0;
  }
  if (first == "--doctor") return program.doctor();
  if (first == "--clear-cache") return program.clear_caches();
  if (first == "--runtime-coverage") return program.coverage();

  std::string file;
  if (first == "-f" && arguments.size() == 2)
    file = arguments[1];
  else if (first.starts_with("--connection-file=") && arguments.size() == 1)
    file = first.substr(first.find('=') + 1);
  else if (first == "-f")
    return refuse(program, "-f takes one file and nothing else");
  else {
    const auto near = nearest(first, {"-f", "--help", "--version", "--doctor", "--clear-cache", "--runtime-coverage"});
    return refuse(program, fmt::format("unknown argument \"{}\"{}", first,
                                       near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }

  prepare_signals();
  if (const auto error = missing_for_a_session()) return report(program, *error);
  return run_with_usual_stack([&] {
    const auto error = caught([&] { serve(read_connection_file(file), program); });
    return error ? report(program, *error) : 0;
  });
}

}  // namespace xcuda::kernel
