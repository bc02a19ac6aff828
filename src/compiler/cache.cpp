#include "compiler/cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file_stamp.hpp"
#include "base/hash.hpp"
#include "compiler/compiler_codec.hpp"
#include "compiler/diagnostics.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "xcuda compile 2\n";
constexpr std::string_view kOwnName = "/In[*]";

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
    hash.add(kernel.only_launched ? 1 : 0);
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
    if (auto stamp = file_stamp(at->path()); !stamp.empty()) files.push_back(std::move(stamp));
  }
  std::sort(files.begin(), files.end());
  return fmt::format("{}", fmt::join(files, ""));
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

bool can_answer(const CompileOutput& output, const CompileRequest& request) {
  return request.type_query || !output.kernels.empty() ||
         std::all_of(request.kernels.begin(), request.kernels.end(),
                     [](const auto& kernel) { return kernel.is_template || kernel.only_launched; });
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

// size of the head, head, body.
std::optional<CompileOutput> OutputCache::find(const std::string& key) const {
  const auto entry = cache_.find(key);
  std::uint64_t head_size = 0;
  if (!entry || entry->size() < sizeof head_size) return std::nullopt;
  std::memcpy(&head_size, entry->data(), sizeof head_size);
  if (head_size > entry->size() - sizeof head_size) return std::nullopt;
  const auto* bytes = entry->data() + sizeof head_size;
  const auto head = nlohmann::json::from_msgpack(bytes, bytes + head_size, true, false);
  if (head.is_discarded()) return std::nullopt;
  return decode_output(head, std::vector<std::byte>(bytes + head_size, entry->data() + entry->size()));
}

void OutputCache::store(const std::string& key, const CompileOutput& output) {
  const auto message = encode(output);
  const auto head = nlohmann::json::to_msgpack(message.head);
  const std::uint64_t head_size = head.size();
  std::vector<std::byte> entry(sizeof head_size + head.size() + message.body.size());
  std::memcpy(entry.data(), &head_size, sizeof head_size);
  std::memcpy(entry.data() + sizeof head_size, head.data(), head.size());
  std::copy(message.body.begin(), message.body.end(),
            entry.begin() + static_cast<std::ptrdiff_t>(sizeof head_size + head.size()));
  cache_.store(key, entry);
}

}  // namespace xcuda::compiler
