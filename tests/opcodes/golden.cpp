#include "tests/opcodes/golden.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/places.hpp"

namespace xcuda::opcodes {
namespace {

std::filesystem::path file_of(const std::string& family) {
  const char* folder = std::getenv("XCUDA_GOLDEN");
  return (folder ? std::string(folder) : test::source_file("tests/golden/ptx")) + "/" + family + ".txt";
}

std::string digits(const std::string& type, std::uint64_t bits) {
  return fmt::format("{:0{}x}", bits, 2 * facts(type).bytes);
}

// The left side of a line. The inputs of matrices are hashed numbers, which tell a reader nothing.
std::string case_of(const Case& one, std::uint32_t slot) {
  std::string text = one.joint || one.whole_warps ? fmt::format(" {}:", slot) : "";
  if (one.whole_warps) return text;
  for (std::size_t i = 0; i < one.inputs.size(); ++i) text += " " + digits(one.inputs[i], input_bits(one, i, slot));
  return text;
}

constexpr std::string_view kIs = " = ";

}  // namespace

Golden::Golden(const std::string& family) {
  std::ifstream file(file_of(family));
  std::vector<std::string>* lines = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(' '))
      lines = &lines_[line];
    else if (lines)
      lines->push_back(line);
  }
}

std::vector<std::uint64_t> Golden::find(const Case& one) const {
  const auto found = lines_.find(one.name);
  if (found == lines_.end()) return {};
  std::map<std::string_view, std::uint64_t> results;
  for (const std::string_view line : found->second)
    if (const std::size_t is = line.find(kIs); is != line.npos)
      results[line.substr(0, is)] = std::stoull(std::string(line.substr(is + kIs.size())), nullptr, 16);
  std::vector<std::uint64_t> all;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const auto result = results.find(case_of(one, slot));
    if (result == results.end()) return {};
    all.push_back(result->second);
  }
  return all;
}

void Golden::set(const Case& one, const std::vector<std::uint64_t>& results) {
  std::set<std::string> written;  // the same inputs again are the same case
  std::vector<std::string>& lines = lines_[one.name] = {};
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    if (const std::string left = case_of(one, slot); written.insert(left).second)
      lines.push_back(fmt::format("{}{}{}", left, kIs, digits(one.output, results[slot])));
}

void Golden::write(const std::string& family) const {
  std::filesystem::create_directories(file_of(family).parent_path());
  std::ofstream file(file_of(family));
  for (const auto& [name, lines] : lines_) {
    file << name << '\n';
    for (const std::string& line : lines) file << line << '\n';
  }
}

}  // namespace xcuda::opcodes
