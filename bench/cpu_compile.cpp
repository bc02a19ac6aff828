// What it costs to compile kernels for the CPU device: each kernel of each *.ptx below the folders, in a process of its
// own, so that its peak memory is its own and one that does not end ends alone.
//   bench_cpu_compile FOLDER... [unchecked] [race] [single] [shared] [inlined] [quick] [full] [passes] [--seconds N]
//   [--only TEXT] (60 s of processor time a kernel; without quick or full: what the first launch in a session waits
//   for; passes: tells where code generation takes it)
// Times are of the processor, in ms; `goal` is time / (15 ms + 0.15 ms per PTX instruction, with what the kernel
// calls).
#include <fmt/format.h>
#include <llvm/IR/PassTimingInfo.h>
#include <llvm/Pass.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "device/cpu/loaded_program.hpp"
#include "device/cpu/pipeline.hpp"
#include "device/cpu/plan/plan_passes.hpp"

namespace {

namespace cpu = xcuda::device::cpu;
namespace ptx = xcuda::ptx;

struct Options {
  std::vector<std::filesystem::path> folders;
  cpu::KernelRequest kernel{"", {}, {256, 1, 1}, {}};
  unsigned seconds = 60;
  std::string only;
  std::optional<cpu::Dispatch> dispatch;
  std::optional<cpu::Tier> tier;
};

constexpr std::array<const char*, 4> phases{"plan", "emit", "optimise", "object"};

struct Cost {                     // what a child tells
  std::array<double, 4> times{};  // ms, by phase
  std::uint64_t instructions = 0, meetings = 0, bytes = 0;
  long peak = 0;  // KiB, over what the module itself needs
  double all() const { return times[0] + times[1] + times[2] + times[3]; }
};

struct Row {
  std::string file, kernel, failure;
  Cost cost;
  double goal() const { return cost.all() / (15 + 0.15 * static_cast<double>(cost.instructions)); }
};

double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Places where lanes wait: for lanes of their warp, at barriers, and after turns of loops that listen.
std::uint64_t meetings_of(const cpu::Graph& graph) {
  std::uint64_t sum = 0;
  for (const cpu::FlowBlock& block : graph.blocks)
    sum += block.ends == cpu::FlowBlock::End::barrier || block.ends == cpu::FlowBlock::End::meet ||
           block.ends == cpu::FlowBlock::End::yield;
  return sum;
}

Cost measured(const Options& options, const ptx::Module& module, const cpu::KernelRequest& kernel, cpu::Jit& jit) {
  Cost cost;
  const long before = peak_memory();
  const ptx::Function& function = *module.find_function(kernel.entry);
  cost.instructions = cpu::instruction_count(module, function);
  double* running = nullptr;
  double begun = 0;
  auto lap = [&] {
    const double now = processor_time();
    if (running) *running += now - begun;
    begun = now;
  };
  cpu::CompileRequest request{module,
                              "bench",
                              kernel,
                              jit,
                              options.dispatch,
                              [&](const char* phase) {
                                lap();
                                const auto found = std::find_if(phases.begin(), phases.end(), [&](const char* each) {
                                  return std::strcmp(each, phase) == 0;
                                });
                                running = &cost.times.at(static_cast<std::size_t>(found - phases.begin()));
                              },
                              options.tier.value_or(cpu::first_tier(module, kernel))};
  cost.bytes = cpu::compile(request).object.size();
  lap();
  llvm::reportAndResetTimings();
  cost.peak = peak_memory() - before;
  const cpu::BlockShape shape = cpu::shape_of(kernel.block);
  cost.meetings = meetings_of(cpu::make_plan({module, function, shape, jit.features()}).graph);
  return cost;
}

Row in_a_child(const Options& options, const ptx::Module& module, const std::string& entry, cpu::Jit& jit) {
  Row row{"", entry, "", {}};
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{options.seconds, options.seconds};
    setrlimit(RLIMIT_CPU, &limit);
    std::string answer;
    try {
      cpu::KernelRequest kernel = options.kernel;
      kernel.entry = entry;
      const Cost cost = measured(options, module, kernel, jit);
      answer.assign(reinterpret_cast<const char*>(&cost), sizeof cost);
    } catch (const xcuda::Error& error) {
      answer = error.what();
      answer.resize(std::max(answer.size(), sizeof(Cost) + 1), ' ');
    }
    if (write(ends[1], answer.data(), answer.size()) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string answer;
  char part[4096];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;)
    answer.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (answer.empty())
    row.failure = fmt::format("did not end within {} s (status {})", options.seconds, status);
  else if (answer.size() != sizeof(Cost))
    row.failure = answer.substr(0, answer.find_last_not_of(' ') + 1);
  else
    std::memcpy(&row.cost, answer.data(), sizeof(Cost));
  return row;
}

void print(const Row& row) {
  const Cost& cost = row.cost;
  if (!row.failure.empty()) return fmt::print("{:36.36} {:44.44} {}\n", row.file, row.kernel, row.failure);
  fmt::print("{:36.36} {:44.44} {:6} {:5} {:8.1f} {:8.1f} {:8.1f} {:8.1f} {:9.1f} {:6.2f} {:7.1f} {:7}\n", row.file,
             row.kernel, cost.instructions, cost.meetings, cost.times[0], cost.times[1], cost.times[2], cost.times[3],
             cost.all(), row.goal(), static_cast<double>(cost.peak) / 1024,
             cost.bytes / std::max<std::uint64_t>(1, cost.instructions));
}

template <class Value> void quantiles(const char* name, const std::vector<Row>& rows, Value value) {
  std::vector<double> values;
  for (const Row& row : rows)
    if (row.failure.empty()) values.push_back(value(row));
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  auto at = [&](double part) {
    return values[std::min(values.size() - 1, static_cast<std::size_t>(part * static_cast<double>(values.size())))];
  };
  fmt::print("{:28} p50 {:10.2f}   p90 {:10.2f}   p99 {:10.2f}   most {:10.2f}\n", name, at(0.5), at(0.9), at(0.99),
             values.back());
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "unchecked")
      options.kernel.checks.bounds = false;
    else if (word == "race")
      options.kernel.checks.races = true;
    else if (word == "single")
      options.kernel.block = {1, 1, 1};
    else if (word == "shared")
      options.dispatch = cpu::Dispatch::shared;
    else if (word == "inlined")
      options.dispatch = cpu::Dispatch::inlined;
    else if (word == "quick")
      options.tier = cpu::Tier::quick;
    else if (word == "full")
      options.tier = cpu::Tier::full;
    else if (word == "passes")
      llvm::TimePassesIsEnabled = true;
    else if (word == "--seconds" && i + 1 < argc)
      options.seconds = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (word == "--only" && i + 1 < argc)
      options.only = argv[++i];
    else
      options.folders.emplace_back(word);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  if (options.folders.empty())
    return fmt::print(stderr,
                      "usage: bench_cpu_compile FOLDER... [unchecked] [race] [single] [shared] [inlined] [quick] "
                      "[full] [passes] "
                      "[--seconds N] [--only TEXT]\n"),
           2;
  std::vector<std::filesystem::path> files;
  for (const auto& folder : options.folders)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  cpu::Translator translator;
  fmt::print("{:36} {:44} {:>6} {:>5} {:>8} {:>8} {:>8} {:>8} {:>9} {:>6} {:>7} {:>7}\n", "file", "kernel", "ptx",
             "meet", "plan", "emit", "optimise", "object", "ms", "goal", "MiB", "B/ptx");
  std::vector<Row> rows;
  for (const auto& path : files) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::unique_ptr<const ptx::Module> module;
    try {
      module = cpu::lowered(text, path.stem().string());
    } catch (const xcuda::Error& error) {
      rows.push_back({path.stem().string(), "", error.what(), {}});
      print(rows.back());
      continue;
    }
    for (const ptx::Function& function : module->functions) {
      if (!function.entry || !function.defined) continue;
      if ((path.stem().string() + " " + function.name).find(options.only) == std::string::npos) continue;
      Row row = in_a_child(options, *module, function.name, translator.jit());
      row.file = path.stem().string();
      rows.push_back(std::move(row));
      print(rows.back());
      std::fflush(stdout);
    }
  }
  const auto failed = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.failure.empty(); });
  fmt::print("\n{} kernels, {} not compiled\n", rows.size(), failed);
  quantiles("ms", rows, [](const Row& row) { return row.cost.all(); });
  quantiles("ms / (15 + 0.15 a ptx)", rows, [](const Row& row) { return row.goal(); });
  quantiles("MiB", rows, [](const Row& row) { return static_cast<double>(row.cost.peak) / 1024; });
  quantiles("bytes of object a ptx", rows, [](const Row& row) {
    return static_cast<double>(row.cost.bytes) / static_cast<double>(std::max<std::uint64_t>(1, row.cost.instructions));
  });
}
