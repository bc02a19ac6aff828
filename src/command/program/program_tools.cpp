#include "command/program/program_tools.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <variant>

#include "base/input_file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "command/runner.hpp"
#include "display/figures.hpp"
#include "display/table.hpp"
#include "nvcc/profile_report.hpp"

namespace xcuda::command {
namespace {

constexpr int kFound = 86;                                       // the exit status that the sanitizer is told to use
constexpr std::uint64_t kMostReport = std::uint64_t{256} << 20;  // bytes

std::string percent(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f} %", *value) : std::string();
}

display::Table table_of(const std::vector<nvcc::ProfiledKernel>& kernels) {
  using display::Align;
  display::Table table{.title = "Kernels",
                       .columns = {{.title = "kernel", .kind = display::Column::Kind::code},
                                   {.title = "launches", .align = Align::right},
                                   {.title = "total", .align = Align::right},
                                   {.title = "mean", .align = Align::right},
                                   {.title = "shortest", .align = Align::right},
                                   {.title = "longest", .align = Align::right},
                                   {.title = "compute", .align = Align::right},
                                   {.title = "memory", .align = Align::right}}};
  bool any = false;
  for (const auto& kernel : kernels) {
    any = any || kernel.compute || kernel.memory;
    table.rows.push_back(
        {display::kernel_field(valid_utf8(kernel.name)), format_count(kernel.launches), format_duration(kernel.total),
         format_duration(kernel.total / static_cast<double>(std::max<std::uint64_t>(kernel.launches, 1))),
         format_duration(kernel.shortest), format_duration(kernel.longest), percent(kernel.compute),
         percent(kernel.memory)});
  }
  if (any) table.notes = {"compute and memory are of the GPU's peak (speed of light)."};
  display::drop_empty_columns(table);
  return table;
}

}  // namespace

std::vector<std::string> split_option_text(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? '\0' : c;
      if (!word) word.emplace();
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
    } else {
      if (!word) word.emplace();
      *word += c;
    }
  }
  if (word) words.push_back(*word);
  return words;
}

ProgramTool::ProgramTool(Invocation& call, const std::string& no_gpu) : call_(call) {
  const auto& arguments = call.arguments;
  for (const char* name : {"--check", "--race", "--init"})
    if (arguments.has(name)) {
      if (call.session.chosen().choice().selector.kind != device::Kind::cpu)
        throw call
            .error(ErrorKind::unsupported,
                   fmt::format("{} is a check of the CPU device, and the program runs on a GPU", name))
            .advise("%device cpu, and run the cell again; on the GPU, --sanitize memcheck, racecheck or initcheck.");
      device_checks_ += fmt::format("{} ", name + 2);
    }
  if (const auto check = arguments.text("--sanitize")) {
    kind_ = Kind::sanitizer;
    check_ = *check;
  }
  auto profiler = arguments.text("--profile");
  if (!profiler && arguments.has("-p"))
    profiler = arguments.text("-l").value_or(arguments.text("--profiler").value_or("ncu"));
  if (profiler) {
    if (kind_ != Kind::none)
      throw call.error(ErrorKind::value, "--sanitize and --profile cannot run one program together")
          .advise("Run the cell twice, once with each.");
    kind_ = *profiler == "ncu" ? Kind::ncu : Kind::nsys;
    arguments_ = split_option_text(arguments.text("-a").value_or(arguments.text("--profiler-args").value_or("")));
  }
  if (kind_ == Kind::none) return;
  const std::string_view name = kind_ == Kind::sanitizer ? "compute-sanitizer" : kind_ == Kind::ncu ? "ncu" : "nsys";
  const std::string_view package = kind_ == Kind::sanitizer ? "cuda-sanitizer-13-0"
                                   : kind_ == Kind::ncu     ? "nsight-compute"
                                                            : "nsight-systems";
  if (!no_gpu.empty())
    throw call.error(ErrorKind::unsupported, fmt::format("{} needs a GPU, and CUDA finds none: {}", name, no_gpu))
        .advise("%%cuda --check --race --init has the CPU device check the program's kernels.");
  path_ = call.runner.programs().find_tool(std::string(name));
  if (path_.empty()) throw missing(name, package);
  folder_.emplace("profile");
}

Error ProgramTool::missing(std::string_view tool, std::string_view package) const {
  return call_.error(ErrorKind::unsupported, fmt::format("{} is not on this machine", tool))
      .advise(fmt::format("It comes with a whole CUDA toolkit; NVIDIA's package repository has it as {}.", package));
}

std::vector<std::string> ProgramTool::compiler_options() const {
  return kind_ == Kind::none ? std::vector<std::string>{} : std::vector<std::string>{"-lineinfo"};
}

std::vector<std::string> ProgramTool::words() const {
  std::vector<std::string> words{path_};
  switch (kind_) {
    case Kind::none:
      return device_checks_.empty() ? std::vector<std::string>{}
                                    : std::vector<std::string>{"env", "XCUDA_CPU_CHECKS=" + device_checks_};
    case Kind::sanitizer:
      words.insert(words.end(), {"--tool", check_, "--error-exitcode", fmt::format("{}", kFound)});
      return words;
    case Kind::ncu:
      if (arguments_.empty())
        words.insert(words.end(), {"--csv", "--page", "details", "--section", "SpeedOfLight", "--log-file",
                                   (folder_->path() / "report.csv").string()});
      break;
    case Kind::nsys:
      if (arguments_.empty())
        words.insert(words.end(), {"profile", "--trace", "cuda", "--sample", "none", "--cpuctxsw", "none", "--output",
                                   (folder_->path() / "report").string()});
      break;
  }
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  return words;
}

std::string ProgramTool::report() const {
  if (kind_ == Kind::ncu) {
    auto text = try_read_file((folder_->path() / "report.csv").string(), kMostReport);
    return std::holds_alternative<std::string>(text) ? std::get<std::string>(std::move(text)) : std::string();
  }
  std::string text;
  nvcc::RunRequest stats;
  stats.program = path_;
  stats.arguments = {"stats",    "--report", "cuda_gpu_kern_sum",
                     "--format", "csv",      (folder_->path() / "report.nsys-rep").string()};
  call_.runner.programs().run(
      stats,
      [&](OutputStream which, std::string_view piece) {
        if (which == OutputStream::out) text += piece;
      },
      call_.session.interrupt_flag());
  call_.session.interrupt_flag().check();
  return text;
}

void ProgramTool::show_table(const nvcc::Ended& ended) const {
  const auto text = report();
  const auto kernels = kind_ == Kind::ncu ? nvcc::parse_ncu(text) : nvcc::parse_nsys(text);
  if (!kernels.empty()) return call_.show(display::table_bundle(table_of(kernels)));
  if (text.find("ERR_NVGPUCTRPERM") != std::string::npos)
    throw call_.error(ErrorKind::device, "this machine does not let its users read the GPU's counters")
        .said("ERR_NVGPUCTRPERM")
        .advise(
            "Its administrator can allow it (NVreg_RestrictProfilingToAdminUsers=0); --profile nsys needs no "
            "counters.");
  if (WIFEXITED(ended.end.status) && WEXITSTATUS(ended.end.status) != 0) return;  // the cell's error says so
  call_.run.sink.stream(OutputStream::err, "[The profiler saw no kernel.]\n");
  if (!trim(text).empty()) call_.run.sink.stream(OutputStream::err, valid_utf8(text));
}

void ProgramTool::finish(const nvcc::Ended& ended) const {
  if ((kind_ == Kind::ncu || kind_ == Kind::nsys) && arguments_.empty()) show_table(ended);
  if (kind_ == Kind::sanitizer && WIFEXITED(ended.end.status) && WEXITSTATUS(ended.end.status) == kFound)
    throw call_.error(ErrorKind::device, fmt::format("compute-sanitizer's {} found errors in the program", check_))
        .advise("Its report above names the kernel and the line of each.");
}

}  // namespace xcuda::command
