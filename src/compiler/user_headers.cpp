#include "compiler/user_headers.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/input_file.hpp"
#include "base/text.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of all headers, and of one

}  // namespace

std::optional<IncludeName> include_name(std::string_view rest) {
  rest = trim(rest);
  if (rest.size() < 3) return std::nullopt;
  const bool quoted = rest[0] == '"';
  if (!quoted && rest[0] != '<') return std::nullopt;
  const auto end = rest.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos || end == 1) return std::nullopt;
  const auto name = rest.substr(1, end - 1);
  if (name.find('\0') != std::string_view::npos) return std::nullopt;
  return IncludeName{std::string(name), quoted};
}

void UserHeaders::note(Error error, const IncludeName& include) {
  if (failure_) return;
  if (include.place.line > 0) error.place = include.place;  // else an option names it
  failure_ = std::move(error);
}

// The first candidate that is there. What is a folder is passed over, as the preprocessor does.
std::optional<std::string> UserHeaders::first_candidate(const IncludeName& include, const std::string& folder,
                                                        const std::vector<std::string>& search) {
  std::vector<fs::path> candidates;
  if (include.quoted) candidates.emplace_back(fs::path(folder) / include.name);
  for (const auto& one : search) candidates.emplace_back(fs::path(one) / include.name);
  for (const auto& candidate : candidates) {
    struct stat about {};
    if (stat(candidate.c_str(), &about) != 0 || S_ISDIR(about.st_mode)) continue;
    auto path = candidate.lexically_normal().string();
    if (S_ISREG(about.st_mode)) return path;
    note(Error(ErrorKind::io, fmt::format("cannot include {}", shown_path(path)))
             .said(fmt::format("it is {}, not a file", file_type_name(about.st_mode)))
             .advise("A header is a regular file."),
         include);
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> UserHeaders::find(const IncludeName& include, const std::string& folder,
                                             const std::vector<std::string>& search) {
  auto found = first_candidate(include, folder, search);
  if (!found) return std::nullopt;
  // A stack of its own: the depth of includes is the user's, and theirs may be a circle.
  struct Wanted {
    std::string path;
    IncludeName include;
  };
  std::vector<Wanted> open = {{*found, include}};
  while (!open.empty()) {
    const auto next = std::move(open.back());
    open.pop_back();
    if (!seen_.insert(next.path).second) continue;
    auto nested = read(next.path, next.include);
    const auto beside = fs::path(next.path).parent_path().string();
    // The first one comes out of the stack first.
    for (auto one = nested.rbegin(); one != nested.rend(); ++one)
      if (auto path = first_candidate(*one, beside, search)) open.push_back({std::move(*path), std::move(*one)});
  }
  return found;
}

// Lists the header and returns what it includes.
std::vector<IncludeName> UserHeaders::read(const std::string& path, const IncludeName& include) {
  auto file = try_read_file(path, kMostBytes);
  if (auto* error = std::get_if<Error>(&file)) {
    note(std::move(*error), include);
    return {};
  }
  auto& text = std::get<std::string>(file);
  bytes_ += text.size();
  if (bytes_ > kMostBytes) {
    complete_ = false;
    return {};
  }
  std::vector<IncludeName> nested;
  int number = 0;
  for (const auto whole : split_lines(text)) {
    ++number;
    auto line = trim(whole);
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    if (!line.starts_with("include")) continue;
    if (auto name = include_name(line.substr(7))) {
      name->place = {.source = path, .line = number, .excerpt = std::string(whole)};
      nested.push_back(std::move(*name));
    } else {
      complete_ = false;
    }
  }
  headers_.push_back({path, std::move(text)});
  return nested;
}

}  // namespace xcuda::compiler
