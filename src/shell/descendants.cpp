#include "shell/descendants.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <thread>

#include "base/input_file.hpp"

namespace xcuda::shell {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::chrono::seconds kPatience{3};
constexpr std::size_t kLongestCommand = 100;  // bytes

// Empty for a process that ends meanwhile: reading fails then, even of a file that was opened before.
std::string read_file_of(pid_t pid, const char* name) {
  constexpr std::uint64_t kMost = 1 << 20;
  auto text = try_read_file(fmt::format("/proc/{}/{}", pid, name), kMost);
  return std::holds_alternative<std::string>(text) ? std::get<std::string>(std::move(text)) : std::string();
}

struct Entry {
  Process process;
  pid_t parent = 0;
};

// Reads /proc/PID/stat: "pid (name) state parent", and the start as field 22. The name may hold anything.
std::optional<Entry> read_entry(pid_t pid) {
  const auto text = read_file_of(pid, "stat");
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  char state = 0;
  Entry entry{.process = {.pid = pid}};
  fields >> state >> entry.parent;
  std::string skipped;
  for (int field = 5; field < 22; ++field) fields >> skipped;
  fields >> entry.process.start;
  if (!fields || state == 'Z' || state == 'X') return std::nullopt;
  return entry;
}

}  // namespace

std::vector<Process> descendants() {
  std::multimap<pid_t, Process> children;
  std::error_code failed;
  for (fs::directory_iterator at("/proc", failed), end; !failed && at != end; at.increment(failed)) {
    const auto name = at->path().filename().string();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size()) continue;
    if (const auto entry = read_entry(pid)) children.emplace(entry->parent, entry->process);
  }
  std::vector<Process> found;
  const auto add_children_of = [&](pid_t parent) {
    const auto [first, last] = children.equal_range(parent);
    std::transform(first, last, std::back_inserter(found), [](const auto& item) { return item.second; });
  };
  add_children_of(getpid());
  for (std::size_t i = 0; i < found.size(); ++i) add_children_of(found[i].pid);
  return found;
}

std::string command_line(pid_t pid) {
  auto text = read_file_of(pid, "cmdline");
  if (text.empty()) text = read_file_of(pid, "comm");
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  if (text.size() > kLongestCommand) text = text.substr(0, kLongestCommand) + "...";
  return text;
}

void end_descendants() {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    for (const auto& process : descendants()) ::kill(process.pid, SIGKILL);
    while (waitpid(-1, nullptr, WNOHANG) > 0) {}
    if (descendants().empty() || std::chrono::steady_clock::now() > until) return;
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace xcuda::shell
