#include "compiler/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "compiler/codec.hpp"
#include "compiler/diagnostics.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "xcuda compile 1\n";
constexpr std::string_view kOwnName = "/In[*]";
constexpr unsigned kStoresPerEviction = 32;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Only in #line: the same letters in a string of the cell are the cell's.
std::string without_own_name(const std::string& source, const std::string& name) {
  const auto quoted = fmt::format("\"{}\"\n", name);
  std::string out;
  std::size_t at = 0;
  for (auto line = source.find("#line "); line != std::string::npos; line = source.find("#line ", line + 1)) {
    if (line != 0 && source[line - 1] != '\n') continue;
    const auto end = std::min(source.find('\n', line), source.size() - 1);
    const auto begin = source.find(quoted, line);
    if (begin == std::string::npos || begin > end) continue;
    out.append(source, at, begin - at).append(kOwnName);
    at = begin + quoted.size() - 1;
  }
  return out.append(source, at);
}

std::string read_file(const std::string& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  text.resize(static_cast<std::size_t>(status.st_size));
  std::size_t got = 0;
  while (got < text.size()) {
    const auto part = read(file.get(), text.data() + got, text.size() - got);
    if (part <= 0) break;
    got += static_cast<std::size_t>(part);
  }
  text.resize(got);
  return text;
}

bool write_file(const std::string& path, std::string_view text) {
  const File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  while (file && !text.empty()) {
    const auto part = write(file.get(), text.data(), text.size());
    if (part <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(part));
  }
  return static_cast<bool>(file);
}

std::string digest(std::string_view text) { return Sha256().add(text).hex(); }

void rename_place(Place& place, const std::string& from, const std::string& to) {
  if (place.source == from) place.source = to;
}
void rename_diagnostic(Diagnostic& diagnostic, const std::string& from, const std::string& to) {
  rename_place(diagnostic.place, from, to);
  for (auto& note : diagnostic.notes) rename_diagnostic(note, from, to);
}

}  // namespace

std::string cache_key(const CompileRequest& request, std::string_view surroundings) {
  Sha256 hash;
  const auto shown = shown_source(request.name);
  const auto own = [&](const std::string& source) { return source == shown ? std::string(kOwnName) : source; };
  const auto add_all = [&](const std::vector<std::string>& texts) {
    hash.add(texts.size());
    for (const auto& text : texts) hash.add(text);
  };
  hash.add(kMagic).add(kCodecVersion).add(surroundings);
  hash.add(without_own_name(request.source, request.name)).add(request.architecture);
  add_all(request.options);
  add_all(request.include_folders);
  hash.add(request.headers.size());
  for (const auto& header : request.headers) hash.add(header.path).add(header.text);
  add_all(request.name_expressions);
  add_all(request.extern_c_candidates);
  hash.add(request.kernels.size());
  for (const auto& kernel : request.kernels) {
    hash.add(kernel.name).add(own(kernel.source)).add(kernel.line).add(kernel.is_template ? 1 : 0).add(kernel.key);
    add_all(kernel.parameter_names);
  }
  hash.add(request.variables.size());
  for (const auto& variable : request.variables)
    hash.add(variable.name).add(variable.type).add(own(variable.source)).add(variable.constant ? 1 : 0);
  if (request.type_query) {
    hash.add(request.type_query->type);
    add_all(request.type_query->members);
  }
  return hash.hex();
}

std::string folder_fingerprint(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    struct stat status {};
    if (stat(at->path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
      files.push_back(fmt::format("{}:{}:{}.{}", at->path().string(), status.st_size, status.st_mtim.tv_sec,
                                  status.st_mtim.tv_nsec));
  }
  std::sort(files.begin(), files.end());
  return fmt::format("{}", fmt::join(files, ";"));
}

std::optional<CompileOutput> renamed(CompileOutput output, const std::string& name) {
  if (output.name == name) return output;
  // A string constant in PTX is a list of decimal bytes. The CUBIN's line table keeps the old name: its text is the
  // same.
  std::vector<int> bytes(output.name.begin(), output.name.end());
  if (output.ptx.find(fmt::format("{}", fmt::join(bytes, ", "))) != std::string::npos) return std::nullopt;
  if (output.ptx.find("_GLOBAL__N_") != std::string::npos) return std::nullopt;  // holds the name, mangled
  const auto from = shown_source(output.name), to = shown_source(name);
  output.ptx = replaced(std::move(output.ptx), fmt::format("\"{}\"", output.name), fmt::format("\"{}\"", name));
  output.log = replaced(std::move(output.log), output.name, name);
  for (auto& diagnostic : output.diagnostics) rename_diagnostic(diagnostic, from, to);
  for (auto& variable : output.variables)
    if (variable.source == from) variable.source = to;
  output.name = name;
  return output;
}

std::string default_cache_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value != nullptr && value[0] == '/' ? value : "";
  };
  if (const auto own = variable("XCUDA_CACHE_DIR"); !own.empty()) return own + "/compile";
  if (const auto xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg + "/xeus-cuda/compile";
  if (const auto home = variable("HOME"); !home.empty()) return home + "/.cache/xeus-cuda/compile";
  return {};
}

// --- Memory ----------------------------------------------------------------------------------------------------------

const CompileOutput* MemoryCache::find(const std::string& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return &found->second->output;
}

void MemoryCache::store(const std::string& key, const CompileOutput& output) {
  if (const auto old = index_.find(key); old != index_.end()) {
    bytes_ -= old->second->bytes;
    entries_.erase(old->second);
    index_.erase(old);
  }
  const auto bytes = sizeof(Entry) + output.ptx.size() + output.cubin.size() + output.log.size() + 1024;
  entries_.push_front({key, output, bytes});
  index_[key] = entries_.begin();
  bytes_ += bytes;
  while (bytes_ > bound_ && entries_.size() > 1) {
    bytes_ -= entries_.back().bytes;
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

void MemoryCache::clear() {
  index_.clear();
  entries_.clear();
  bytes_ = 0;
}

// --- Disk ------------------------------------------------------------------------------------------------------------

DiskCache::DiskCache(std::string folder, std::uint64_t bound) : folder_(std::move(folder)), bound_(bound) {}

// The cache holds code that is run: a folder that others may write is not ours to read.
bool DiskCache::usable() const {
  struct stat status {};
  return !folder_.empty() && stat(folder_.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string DiskCache::path_of(const std::string& key) const {
  return fmt::format("{}/{}/{}", folder_, key.substr(0, 2), key.substr(2));
}

// magic, SHA-256 of the rest, size of the head, head, body.
std::optional<CompileOutput> DiskCache::find(const std::string& key) const {
  if (!usable()) return std::nullopt;
  const auto path = path_of(key);
  const auto text = read_file(path);
  constexpr std::size_t kDigest = 64, kStart = kMagic.size() + kDigest;
  std::uint64_t head_size = 0;
  if (text.size() < kStart + sizeof head_size || !text.starts_with(kMagic)) return std::nullopt;
  const auto rest = std::string_view(text).substr(kStart);
  if (digest(rest) != std::string_view(text).substr(kMagic.size(), kDigest)) return std::nullopt;
  std::memcpy(&head_size, rest.data(), sizeof head_size);
  if (head_size > rest.size() - sizeof head_size) return std::nullopt;
  const auto* bytes = reinterpret_cast<const std::byte*>(rest.data()) + sizeof head_size;
  const auto head = nlohmann::json::from_msgpack(bytes, bytes + head_size, true, false);
  if (head.is_discarded()) return std::nullopt;
  auto output = decode_output(
      head, std::vector<std::byte>(bytes + head_size, reinterpret_cast<const std::byte*>(rest.data()) + rest.size()));
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used now
  return output;
}

void DiskCache::store(const std::string& key, const CompileOutput& output) {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::create_directories(fs::path(folder_).parent_path(), ignored);
  mkdir(folder_.c_str(), 0700);
  if (!usable()) return;
  const auto path = path_of(key);
  mkdir(fs::path(path).parent_path().c_str(), 0700);

  const auto message = encode(output);
  const auto head = nlohmann::json::to_msgpack(message.head);
  const std::uint64_t head_size = head.size();
  std::string rest(reinterpret_cast<const char*>(&head_size), sizeof head_size);
  rest.append(head.begin(), head.end());
  rest.append(reinterpret_cast<const char*>(message.body.data()), message.body.size());
  const auto text = fmt::format("{}{}{}", kMagic, digest(rest), rest);

  const auto temporary = fmt::format("{}.{}.{}", path, getpid(), stores_);
  if (!write_file(temporary, text) || rename(temporary.c_str(), path.c_str()) != 0) unlink(temporary.c_str());
  if (stores_++ % kStoresPerEviction == 0) evict();
}

void DiskCache::evict() const {
  struct Item {
    fs::file_time_type used;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<Item> items;
  std::uint64_t total = 0;
  std::error_code failed;
  const auto now = fs::file_time_type::clock::now();
  for (fs::recursive_directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code gone;
    if (!at->is_regular_file(gone)) continue;
    Item item{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone) continue;
    const bool temporary = item.path.filename().string().find('.') != std::string::npos;
    if (temporary && now - item.used > std::chrono::hours(1)) {
      fs::remove(item.path, gone);  // of a process that was killed while writing
      continue;
    }
    total += item.size;
    items.push_back(std::move(item));
  }
  if (total <= bound_) return;
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.used < b.used; });
  for (const auto& item : items) {
    if (total <= bound_ / 4 * 3) break;
    std::error_code gone;
    if (fs::remove(item.path, gone)) total -= item.size;
  }
}

}  // namespace xcuda::compiler
