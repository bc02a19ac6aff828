// The cache of compiles. One entry is a CompileOutput; its key covers everything that can change it.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/disk_cache.hpp"
#include "compiler/compile_output.hpp"
#include "compiler/toolkit.hpp"

namespace xcuda::compiler {

// The number of a cell counts in no key: the same text in In[9] is the entry of In[7], and renamed() makes it so.
// surroundings: fingerprint of the toolkit, of the program that compiles and of its own headers.
std::string cache_key(const CompileRequest& request, std::string_view surroundings);

// A text that changes when a file below the folder changes; for this program's own headers.
std::string folder_fingerprint(const std::string& folder);

// The output as a compile under another name would have given it; nothing when the name is inside the code (assert,
// __FILE__) and differs.
std::optional<CompileOutput> renamed(CompileOutput output, const std::string& name);

// Whether an entry can be what the request asks for: a cell with kernels has some in its module.
bool can_answer(const CompileOutput& output, const CompileRequest& request);

class MemoryCache {
 public:
  static constexpr std::size_t kAlone = std::size_t{48} << 20;      // bytes
  static constexpr std::size_t kBeforeDisk = std::size_t{1} << 20;  // from disk an entry takes 0.4 ms more
  explicit MemoryCache(std::size_t bound) : bound_(bound) {}
  const CompileOutput* find(const std::string& key);
  void store(const std::string& key, const CompileOutput& output);
  void clear();
  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string key;
    CompileOutput output;
    std::size_t bytes = 0;
  };
  std::size_t bound_, bytes_ = 0;
  std::list<Entry> entries_;  // last used first
  std::unordered_map<std::string, std::list<Entry>::iterator> index_;
};

class OutputCache {
 public:
  // A cache on disk; with an empty folder it holds nothing. bound: bytes of all entries.
  explicit OutputCache(const std::string& folder, std::uint64_t bound = DiskCache::kBound) : cache_(folder, bound) {}
  std::optional<CompileOutput> find(const std::string& key) const;
  void store(const std::string& key, const CompileOutput& output);

 private:
  DiskCache cache_;
};

}  // namespace xcuda::compiler
