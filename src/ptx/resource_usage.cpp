#include "ptx/resource_usage.hpp"

#include <charconv>
#include <optional>

#include "base/text.hpp"

namespace xcuda::ptx {
namespace {

// The number in front of a text: "0 bytes stack frame, 5400 bytes spill stores, ...".
std::optional<std::uint64_t> number_before(std::string_view line, std::string_view text) {
  const auto at = line.find(text);
  if (at == std::string_view::npos) return std::nullopt;
  auto begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::uint64_t number = 0;
  if (std::from_chars(line.data() + begin, line.data() + at, number).ec != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace

std::unordered_map<std::string, Spills> spills_of(std::string_view log) {
  constexpr std::string_view kEntry = "Compiling entry function '";
  std::unordered_map<std::string, Spills> all;
  Spills* entry = nullptr;
  for (const auto line : split_lines(log)) {
    if (const auto at = line.find(kEntry); at != std::string_view::npos) {
      const auto name = line.substr(at + kEntry.size());
      entry = &all[std::string(name.substr(0, name.find('\'')))];
      *entry = {};
    }
    if (entry == nullptr) continue;
    entry->stores += number_before(line, " bytes spill stores").value_or(0);
    entry->loads += number_before(line, " bytes spill loads").value_or(0);
  }
  return all;
}

bool is_resource_line(std::string_view line) {
  return line.starts_with("ptxas info") || line.find(" bytes stack frame, ") != std::string_view::npos;
}

}  // namespace xcuda::ptx
