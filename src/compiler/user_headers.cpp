#include "compiler/user_headers.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

}  // namespace

std::optional<IncludeName> include_name(std::string_view rest) {
  rest = trim(rest);
  if (rest.size() < 3) return std::nullopt;
  const bool quoted = rest[0] == '"';
  if (!quoted && rest[0] != '<') return std::nullopt;
  const auto end = rest.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos || end == 1) return std::nullopt;
  return IncludeName{std::string(rest.substr(1, end - 1)), quoted};
}

std::optional<std::string> UserHeaders::find(const IncludeName& include, const std::string& folder,
                                             const std::vector<std::string>& search) {
  std::vector<fs::path> candidates;
  if (include.quoted) candidates.emplace_back(fs::path(folder) / include.name);
  for (const auto& one : search) candidates.emplace_back(fs::path(one) / include.name);
  for (const auto& candidate : candidates) {
    std::error_code ignored;
    if (!fs::is_regular_file(candidate, ignored)) continue;
    auto path = candidate.lexically_normal().string();
    read(path, search);
    return path;
  }
  return std::nullopt;
}

void UserHeaders::read(const std::string& path, const std::vector<std::string>& search) {
  if (!seen_.insert(path).second) return;
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  bytes_ += text.size();
  if (bytes_ > kMostBytes) {
    complete_ = false;
    return;
  }
  const auto folder = fs::path(path).parent_path().string();
  std::vector<IncludeName> nested;
  for (auto line : split_lines(text)) {
    line = trim(line);
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    if (!line.starts_with("include")) continue;
    if (auto name = include_name(line.substr(7)))
      nested.push_back(std::move(*name));
    else
      complete_ = false;
  }
  headers_.push_back({path, std::move(text)});
  for (const auto& include : nested) find(include, folder, search);
}

}  // namespace xcuda::compiler
