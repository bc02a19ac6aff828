// The subshells that clients made, by their ids. Thread-safe.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::kernel {

class Subshells {
 public:
  static constexpr std::size_t kMost = 100;

  std::string create();                     // its id. Error(unsupported) when there are kMost
  void remove(const std::string& id);       // Error(name) when there is no such subshell
  void check(const std::string& id) const;  // Error(name) when there is no such subshell
  std::vector<std::string> list() const;
  bool any() const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> ids_;
};

}  // namespace xcuda::kernel
