#include "tests/faults/crash_work.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>

#include "base/disk_cache.hpp"
#include "base/output_file.hpp"
#include "files/array_writer.hpp"
#include "kernel/input_history.hpp"

namespace xcuda::test {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// --- Files that %save and %export write
// -------------------------------------------------------------------------------

constexpr std::size_t kElements = 3000;
constexpr const char* kEndings[] = {"npy", "npz", "csv", "png"};

void save(const std::string& path, std::uint8_t value) {
  const std::vector<std::byte> elements(kElements, std::byte{value});
  files::ArrayWriter writer(path, {type_of(Scalar::uint8), {50, 60}});
  for (std::size_t i = 0; i < kElements; i += kElements / 3)
    writer.write(std::span(elements).subspan(i, kElements / 3));
  writer.commit();
}

void save_all(std::uint8_t value) {
  for (const auto* ending : kEndings) save(std::string("array.") + ending, value);
}

// What a whole file holds.
std::string saved(const std::string& name, std::uint8_t value) {
  static std::map<std::pair<std::string, int>, std::string> known;
  auto& is = known[{name, value}];
  if (is.empty()) {
    fs::create_directory("whole");
    save("whole/" + name, value);
    is = content("whole/" + name);
    fs::remove_all("whole");
  }
  return is;
}

std::string wrong_files(bool old_allowed) {
  std::string wrong;
  for (const auto* ending : kEndings) {
    const auto name = fmt::format("array.{}", ending);
    const auto is = content(name);
    if (is != saved(name, 2) && !(old_allowed && is == saved(name, 1))) wrong += name + " ";
  }
  return wrong;
}

std::string program(int version) {
  return fmt::format("int main() {{ return {}; }}\n", version) + std::string(9000, ' ');
}

// --- The cache
// --------------------------------------------------------------------------------------------------------

DiskCache cache() { return DiskCache(fs::current_path() / "cache", 1 << 20); }

std::vector<std::byte> cached(int number, int version) {
  return std::vector<std::byte>(1000, static_cast<std::byte>(number * 16 + version));
}

std::string wrong_cache(bool old_allowed) {
  for (int i = 0; i < 4; ++i) {
    const auto found = cache().find(fmt::format("key {}", i));
    if (!old_allowed && found != cached(i, 2)) return fmt::format("entry {} is not the new one", i);
    if (found && *found != cached(i, 1) && *found != cached(i, 2)) return fmt::format("entry {} is a mixture", i);
  }
  return "";
}

void fill_cache(int version) {
  auto all = cache();
  for (int i = 0; i < 4; ++i) all.store(fmt::format("key {}", i), cached(i, version));
}

// --- History
// ----------------------------------------------------------------------------------------------------------

constexpr std::size_t kHistoryBytes = 8192;
constexpr int kOldCells = 40, kNewCells = 5;  // the old ones are more than the file may hold

std::string cell(int number) {
  return fmt::format("cell {} ", number) + std::string(300, static_cast<char>('a' + number % 26));
}

fs::path history_file() { return fs::current_path() / "data" / "history.jsonl"; }

void write_history(int first, int count, std::size_t bytes) {
  kernel::History history(history_file(), bytes);
  for (int i = 0; i < count; ++i) history.store(i + 1, cell(first + i));
}

std::string wrong_history(bool old_allowed) {
  kernel::History history(history_file(), kHistoryBytes);
  std::vector<int> numbers;
  for (const auto& entry : history.tail(1000)) {
    int number = 0;
    while (number < kOldCells + kNewCells && entry.code != cell(number)) ++number;
    if (number == kOldCells + kNewCells) return "an entry is a mixture: " + entry.code;
    numbers.push_back(number);
  }
  const auto last_old = std::find(numbers.begin(), numbers.end(), kOldCells - 1);
  if (last_old == numbers.end()) return "the newest old cells are lost";
  if (!std::is_sorted(numbers.begin(), last_old + 1)) return "old cells have changed their order";
  if (!old_allowed && numbers.back() != kOldCells + kNewCells - 1) return "the new cells are not there";
  return "";
}

}  // namespace

const std::vector<CrashWork>& crash_works() {
  static const std::vector<CrashWork> works = {
      {"save", [] { save_all(1); }, [] { save_all(2); }, [] { return wrong_files(true); },
       [] { return wrong_files(false); }},
      {"export", [] { write_file("program.cu", program(1)); }, [] { write_file("program.cu", program(2)); },
       [] {
         const auto is = content("program.cu");
         return std::string(is == program(1) || is == program(2) ? "" : "program.cu is a mixture");
       },
       [] { return std::string(content("program.cu") == program(2) ? "" : "program.cu is not new"); }},
      {"cache", [] { fill_cache(1); }, [] { fill_cache(2); }, [] { return wrong_cache(true); },
       [] { return wrong_cache(false); }},
      {"history", [] { write_history(0, kOldCells, 1 << 20); },
       [] { write_history(kOldCells, kNewCells, kHistoryBytes); }, [] { return wrong_history(true); },
       [] { return wrong_history(false); }},
  };
  return works;
}

}  // namespace xcuda::test
