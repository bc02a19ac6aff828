#include "kernel/subshells.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "kernel/bounds.hpp"
#include "kernel/xeus_versions.hpp"

namespace xcuda::kernel {
namespace {

Error unknown(const std::string& id) {
  return Error(ErrorKind::name, fmt::format("the subshell {} does not exist", bounded_text(id, 100)))
      .advise("create_subshell_request makes one and gives its id; list_subshell_request lists them.");
}

}  // namespace

std::string Subshells::create() {
  const std::lock_guard lock(mutex_);
  if (ids_.size() >= kMost)
    throw Error(ErrorKind::unsupported,
                fmt::format("this kernel already has {} subshells, the most that it allows", kMost))
        .advise("delete_subshell_request ends one.");
  return *ids_.insert(new_id()).first;
}

void Subshells::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (ids_.erase(id) == 0) throw unknown(id);
}

void Subshells::check(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  if (!ids_.contains(id)) throw unknown(id);
}

std::vector<std::string> Subshells::list() const {
  const std::lock_guard lock(mutex_);
  return {ids_.begin(), ids_.end()};
}

bool Subshells::any() const {
  const std::lock_guard lock(mutex_);
  return !ids_.empty();
}

}  // namespace xcuda::kernel
