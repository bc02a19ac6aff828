#include "tests/faults/faulty_session.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <stdexcept>

#include "base/text.hpp"
#include "display/error_report.hpp"
#include "interpreter/run_cell.hpp"
#include "tests/places.hpp"

namespace xcuda::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefinitions = R"(
__global__ void bump(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void shout() { printf("lane %d\n", threadIdx.x); }
__global__ void try_bad(int* p) { p[1 << 20] = 1; }
__global__ void look(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f); }
int kept[5] = {1, 2, 3, 4, 5}, scratch[64] = 0;
float large[2000000] = arange(); large[1999999] = 7;
double both[2][3] = {{1, 2, 3}, {4, 5, 6}};
float field[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}}, seen[4], square[4][4] = 2;
unsigned char picture[4][4][3] = 9;
)";
constexpr const char* kUntouched =
    "assert(kept[0] == 1 && kept[1] == 2 && kept[2] == 3 && kept[3] == 4 && kept[4] == 5);\n"
    "assert(large[0] == 0 && large[1000] == 1000 && large[1999999] == 7 && both[1][2] == 6 && both[0][0] == 1);\n"
    "assert(sum(kept) == 15 && sum(both) == 21 && max(large) == 1999998 && sum(field) == 28);";

int pid_of(const std::string& entry) {
  return !entry.empty() && std::all_of(entry.begin(), entry.end(), [](char c) { return c >= '0' && c <= '9'; })
             ? std::stoi(entry)
             : 0;
}

std::string line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Name and number of each process that this one has started, directly or not; those that have ended and that nobody
// has waited for are among them.
std::vector<std::pair<std::string, int>> descendants() {
  std::multimap<int, std::pair<std::string, int>> children;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const int pid = pid_of(entry.path().filename());
    if (pid == 0) continue;
    const auto stat = line_of(entry.path() / "stat");
    const auto open = stat.find('('), shut = stat.rfind(')');
    if (shut == std::string::npos) continue;
    children.emplace(std::stoi(stat.substr(shut + 4)), std::pair(stat.substr(open + 1, shut - open - 1), pid));
  }
  std::vector<std::pair<std::string, int>> found;
  std::vector<int> left{getpid()};
  while (!left.empty()) {
    const auto [begin, end] = children.equal_range(left.back());
    left.pop_back();
    for (auto child = begin; child != end; ++child) {
      found.push_back(child->second);
      left.push_back(child->second.second);
    }
  }
  return found;
}

int descriptors_of(int pid) {
  std::error_code gone;
  int count = 0;
  for (fs::directory_iterator at(fmt::format("/proc/{}/fd", pid), gone), end; !gone && at != end; at.increment(gone))
    ++count;
  return count;
}

std::string fresh_folder() {
  auto pattern = (fs::temp_directory_path() / "xcuda-faults-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder in " + pattern);
  fs::current_path(pattern);
  setenv("XCUDA_CACHE_DIR", (fs::path(pattern) / "cache").c_str(), 1);
  std::ofstream("four.cuh") << "#pragma once\n__device__ int four() { return 4; }\n";
  std::ofstream("broken.npy") << "\x93NUMPY and no more";
  return pattern;
}

void must(const Outcome& outcome) {
  if (outcome.failed) throw std::runtime_error("the session's first cells failed: " + outcome.said());
}

}  // namespace

Plan& shared_plan() {
  static auto& plan = [&]() -> Plan& {
    const char* const path = std::getenv(kPlanVariable);
    const File file(open(path != nullptr ? path : "", O_RDWR | O_CLOEXEC));
    void* const mapped = mmap(nullptr, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (mapped == MAP_FAILED) throw std::runtime_error("cannot map the plan of faults");
    return *static_cast<Plan*>(mapped);
  }();
  return plan;
}

// Times, addresses, counts of earlier cells, seeds and process ids differ from run to run, and the memory in use may be
// unknown.
std::string Outcome::said() const {
  std::string all = text;
  if (failed)
    for (const auto& line : display::render_error(*failed, display::Colours::none).traceback) all += line + "\n";
  static const std::regex numbers(
      R"(In\[[0-9]+\]|0x[0-9a-f]+|unknown_[0-9]+|[0-9,]+ (cells exported|lines)|\bunknown\b|[0-9.,]+ [KMGT]?i?B of [0-9.,]+ [KMGT]?i?B used|[0-9.,]+ (ns|µs|us|ms|s|min|[kMGT]?B/s|[KMGT]iB)\b|[0-9.]+ ?%)");
  static const std::regex columns("(─| )+");  // as wide as their numbers
  return std::regex_replace(std::regex_replace(all, numbers, "#"), columns, " ");
}

std::string Held::difference(const Held& now) const {
  std::string text;
  for (const auto& [name, count] : now.processes) {
    const auto before = processes.find(name);
    if (before == processes.end())
      text += fmt::format("the process {} is left; ", name);
    else if (count > before->second)
      text += fmt::format("{} has {} descriptors, not {}; ", name, count, before->second);
  }
  for (const auto& file : now.files)
    if (std::find(files.begin(), files.end(), file) == files.end()) text += fmt::format("the file {} is left; ", file);
  return text;
}

FaultySession::FaultySession()
    : folder_(fresh_folder()), machine_(make_machine()), session_(make_parts(machine_, {}), runner_) {
  must(run("%device cpu"));
  must(run(kDefinitions));
  must(run("%save kept kept.npy\n%save kept kept.csv\n%save picture picture.png"));
}

FaultySession::~FaultySession() {
  fs::current_path("/");
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void FaultySession::prepare(const std::string& code) {
  constexpr std::string_view kWithout = "// without ";
  if (!code.starts_with(kWithout)) return;
  const auto name = code.substr(kWithout.size(), code.find('\n') - kWithout.size());
  for (const auto& [program, pid] : descendants()) {
    if (program != name) continue;
    ::kill(pid, SIGKILL);
    const auto stat = fmt::format("/proc/{}/stat", pid);
    for (auto line = line_of(stat); !line.empty() && line[line.rfind(')') + 2] != 'Z'; line = line_of(stat))
      usleep(100);
  }
}

Outcome FaultySession::run(const std::string& code) {
  const auto number = fmt::format("{}", ++fresh_ + 1000000 * (getpid() % 1000));
  std::string text;
  for (const char c : code) text += c == '@' ? number : std::string(1, c);
  const auto id = fmt::format("{}", std::hash<std::string>()(code));  // a cell that runs again replaces itself
  TextSink sink;
  Outcome outcome;
  outcome.failed = interpreter::run_cell(session_, {text, fmt::format("In[{}]", ++cells_), id}, sink);
  outcome.text = sink.text;
  return outcome;
}

std::string FaultySession::damage() {
  const auto outcome = run(kUntouched);
  return outcome.failed ? outcome.said() : "";
}

Held FaultySession::held() const {
  Held held;
  held.processes["the session"] = descriptors_of(getpid());
  std::map<std::string, int> seen;
  for (const auto& [name, pid] : descendants())
    held.processes[fmt::format("{} {}", name, ++seen[name])] = descriptors_of(pid);
  for (const auto& entry : fs::directory_iterator(folder_)) held.files.push_back(entry.path().filename());
  return held;
}

}  // namespace xcuda::test
