#include "command/program/program_cell.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "base/input_file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "command/program/program_tools.hpp"
#include "command/program/show_file.hpp"
#include "session/failures.hpp"

namespace xcuda::command {
namespace {

using compiler::Diagnostic;
using compiler::Severity;

constexpr std::size_t kTimedRuns = 7;  // of -t, after the first

// Why CUDA finds no GPU here; empty where it finds one.
std::string no_gpu(const session::Session& session) {
  for (const auto& choice : session.parts().devices)
    if (choice.selector.kind == device::Kind::cuda) return choice.reason;
  return "this session knows of none";
}

bool names_architecture(const std::string& option) {
  constexpr std::array<std::string_view, 6> kOptions{"-arch", "--gpu-architecture", "-gencode", "--generate-code",
                                                     "-code", "--gpu-code"};
  return std::any_of(kOptions.begin(), kOptions.end(), [&](auto one) { return option.starts_with(one); });
}

void add_all(std::vector<std::string>& options, const std::vector<std::string>& more) {
  options.insert(options.end(), more.begin(), more.end());
}

// The options of the call, nvcc4jupyter's -c "..." among them, and the architecture of the session's device.
std::vector<std::string> nvcc_options(Invocation& call) {
  std::vector<std::string> options;
  for (const auto& word : call.arguments.compiler) options.push_back(word.text);
  for (const auto* name : {"-c", "--compiler-args"})
    for (const auto& text : call.arguments.words(name)) add_all(options, split_option_text(text.text));
  if (std::none_of(options.begin(), options.end(), names_architecture)) {
    auto architecture = call.session.device_info().architecture;  // "sm_90", "compute_80"
    if (const auto digits = architecture.find('_'); digits != std::string::npos)
      architecture = "sm" + architecture.substr(digits);
    options.push_back("-arch=" + architecture);
  }
  options.emplace_back("-Wno-deprecated-gpu-targets");
  return options;
}

// #include "session.cuh" brings what cells have defined for the device.
void add_session_code(const Invocation& call, nvcc::BuildRequest& request) {
  const auto include = fmt::format("\"{}\"", kSessionHeader);
  if (std::none_of(request.files.begin(), request.files.end(),
                   [&](const auto& file) { return file.text.find(include) != std::string::npos; }))
    return;
  const auto written = call.session.code().program().written();
  std::string text = "#pragma once\n";
  for (const auto& line : written.includes) text += line + "\n";
  request.files.push_back({std::string(kSessionHeader), text + written.text, 1, std::string(kSessionHeader)});
  add_all(request.options, written.options);
}

[[noreturn]] void fail_to_compile(Invocation& call, const nvcc::Build& build, std::string_view what) {
  auto diagnostics = build.diagnostics;
  // What nvcc says of its options has the place of the option.
  for (auto& diagnostic : diagnostics)
    for (const auto& word : call.arguments.compiler)
      if (diagnostic.place.line == 0 && diagnostic.text.find("'" + word.text + "'") != std::string::npos)
        diagnostic.place = call.run.source.place(word.span);
  const auto is_error = [](const Diagnostic& one) { return one.severity == Severity::error; };
  const auto errors = std::count_if(diagnostics.begin(), diagnostics.end(), is_error);
  auto error = call.error(ErrorKind::compile,
                          fmt::format("the {} of {} does not compile: {} error{}", what, call.run.source.name,
                                      std::max<std::ptrdiff_t>(errors, 1), errors > 1 ? "s" : ""));
  const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_error);
  if (first == diagnostics.end()) {
    error.library = std::string(trim(build.log));
    if (error.library.empty())
      error = call.error(ErrorKind::compile, fmt::format("nvcc made no {}", what))
                  .advise("Leave out the option that makes it stop before linking; !nvcc runs it as it is.");
  } else if (first->place.line > 0) {
    error.place = first->place;
  }
  throw session::CompileFailure(std::move(error), std::move(diagnostics));
}

// The end of a program, as an error of its cell where it is one.
void judge(Invocation& call, const nvcc::Ended& ended) {
  const auto gpu = ended.missed_gpu
                       ? fmt::format("The program called CUDA, and CUDA finds no GPU here: {}", no_gpu(call.session))
                       : std::string();
  const auto status = ended.end.status;
  std::string message;
  auto kind = ErrorKind::io;
  if (ended.end.late) {
    kind = ErrorKind::interrupted;
    message = "the program was ended: it ran longer than its time limit";
  } else if (WIFSIGNALED(status)) {
    message = fmt::format("the program was killed by SIG{} ({})", sigabbrev_np(WTERMSIG(status)),
                          strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    message = fmt::format("the program exited with status {}", WEXITSTATUS(status));
  }
  if (message.empty()) {
    if (!gpu.empty()) call.run.sink.stream(OutputStream::err, fmt::format("[{}.]\n", gpu));
    return;
  }
  auto error = call.error(kind, std::move(message));
  if (!gpu.empty()) error.notes.push_back(gpu + ".");
  throw error;
}

// Its output goes to the cell, or nowhere.
enum class ProgramOutput : std::uint8_t { shown, dropped };

nvcc::Ended run_once(Invocation& call, nvcc::RunRequest request, ProgramOutput output) {
  const auto limit = call.arguments.number("--timeout").value_or(call.session.settings().timeout);
  request.processes = call.session.settings().processes;
  if (limit > 0) request.limit = std::chrono::duration<double>(limit);
  auto ended = call.runner.programs().run(
      request,
      [&](OutputStream which, std::string_view text) {
        if (output == ProgramOutput::shown) call.run.sink.stream(which, text);
      },
      call.session.interrupt_flag());
  if (const auto note = note_of(ended.end); !note.empty()) call.run.sink.stream(OutputStream::err, note);
  call.session.interrupt_flag().check();
  check_crowd(ended.end, "the program", request.processes);
  return ended;
}

void time_runs(Invocation& call, const nvcc::RunRequest& request) {
  std::vector<double> times(kTimedRuns);
  for (auto& time : times) {
    const auto begin = std::chrono::steady_clock::now();
    judge(call, run_once(call, request, ProgramOutput::dropped));
    time = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  }
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / kTimedRuns;
  const double squares = std::accumulate(times.begin(), times.end(), 0.0,
                                         [&](double sum, double t) { return sum + (t - mean) * (t - mean); });
  call.run.sink.stream(
      OutputStream::out,
      fmt::format("{} ± {} per run of the program (mean ± standard deviation of {} runs)\n", format_duration(mean),
                  format_duration(std::sqrt(squares / kTimedRuns)), kTimedRuns));
}

}  // namespace

nvcc::Build build_program(Invocation& call, ProgramBuild wanted) {
  auto& session = call.session;
  nvcc::BuildRequest request{std::move(wanted.files), nvcc_options(call)};
  if (session.chosen().choice().selector.kind == device::Kind::cpu) request.cpu_toolkit = nvcc::find_cpu_toolkit();
  add_all(request.options, wanted.options);
  add_session_code(call, request);
  const session::Progress::Activity activity(session.progress(), "compiling " + call.run.source.name);
  auto build = call.runner.programs().build(request, session.interrupt_flag());
  if (!build.ok) fail_to_compile(call, build, wanted.what);
  if (!build.diagnostics.empty()) call.run.sink.display(display::diagnostics_bundle(build.diagnostics));
  return build;
}

void run_program(Invocation& call, std::vector<nvcc::SourceFile> files) {
  auto& session = call.session;
  const auto gpu = no_gpu(session);
  nvcc::RunRequest request;
  if (const auto input = call.arguments.word("--stdin")) {
    call.run.current = input->span;
    request.input = InputFile(input->text).path();
  }
  call.run.current = call.magic.name_span;
  const ProgramTool tool(call, gpu);
  session.submission().synchronize();  // what was launched is done before the program starts
  const auto build = build_program(call, {std::move(files), tool.compiler_options()});
  if (const auto copy = call.arguments.word("-o")) {
    std::error_code failed;
    std::filesystem::copy_file(build.program, copy->text, std::filesystem::copy_options::overwrite_existing, failed);
    if (failed)
      throw call.error(ErrorKind::io, fmt::format("cannot write the program to {}", shown_path(copy->text)), *copy)
          .said(failed.message());
  }
  const ShownFiles shown(call);
  request.program = build.program;
  request.under = tool.words();
  for (const auto& word : call.arguments.operands) request.arguments.push_back(word.text);
  // A program of the CPU device's toolkit finds a driver of its own.
  if (!gpu.empty() && nvcc::find_cpu_toolkit().empty()) request.gpu = nvcc::RunRequest::Gpu::missing;
  const auto ended = run_once(call, request, ProgramOutput::shown);
  tool.finish(ended);
  judge(call, ended);
  shown.show();
  if (call.arguments.has("-t") || call.arguments.has("--timeit")) time_runs(call, request);
}

std::vector<Option> program_options() {
  return {
      {.name = "--stdin",
       .type = OptionType::text,
       .value = "FILE",
       .help = "the file that the program reads as its stdin; without it, stdin is empty"},
      {.name = "--timeout",
       .type = OptionType::duration,
       .value = "SECONDS",
       .help = "end the program after this time; by default that of %config timeout"},
      {.name = "--show",
       .type = OptionType::text,
       .value = "FILE",
       .help = "show an image that the program writes; may be repeated"},
      {.name = "-o", .type = OptionType::text, .value = "FILE", .help = "also keep the compiled program as this file"},
      {.name = "--sanitize",
       .type = OptionType::choice,
       .value = "CHECK",
       .help = "run it under compute-sanitizer",
       .choices = {"memcheck", "racecheck", "initcheck", "synccheck"}},
      {.name = "--check", .help = "check each access; the CPU device always does"},
      {.name = "--race", .help = "find data races of its kernels, on the CPU device; up to a hundred times slower"},
      {.name = "--init", .help = "find reads of memory that nothing has written, on the CPU device"},
      {.name = "--profile",
       .type = OptionType::choice,
       .value = "TOOL",
       .help = "show a table of its kernels, by Nsight Compute or Nsight Systems",
       .choices = {"ncu", "nsys"}},
      {.name = "-t", .help = "run it 7 more times, and show the mean time of a run"},
      {.name = "--timeit", .help = "the same"},
      {.name = "-c",
       .type = OptionType::text,
       .value = "OPTIONS",
       .help = "nvcc's options in quotes, as nvcc4jupyter has it"},
      {.name = "--compiler-args", .type = OptionType::text, .value = "OPTIONS", .help = "the same"},
      {.name = "-p", .help = "profile it with the tool of -l, as nvcc4jupyter has it"},
      {.name = "-l",
       .type = OptionType::choice,
       .value = "TOOL",
       .help = "the tool of -p (ncu)",
       .choices = {"ncu", "nsys"}},
      {.name = "--profiler",
       .type = OptionType::choice,
       .value = "TOOL",
       .help = "the same",
       .choices = {"ncu", "nsys"}},
      {.name = "-a",
       .type = OptionType::text,
       .value = "OPTIONS",
       .help = "options of the profiler in quotes; then its own output is shown"},
      {.name = "--profiler-args", .type = OptionType::text, .value = "OPTIONS", .help = "the same"},
  };
}

}  // namespace xcuda::command
