// Copies of what a kernel may write, so that it can be run again on the same data.
#pragma once

#include <string>
#include <vector>

#include "session/session.hpp"

namespace xcuda::session {

class Backups {
 public:
  // Error(memory) when there is no room for the copies; --no-restore needs none.
  Backups(Session& session, CellRun& run, const std::vector<std::string>& arrays, device::ModuleId module);
  ~Backups();
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;
  void post_restore();

 private:
  struct Saved { device::Address original; Array copy; };
  Session& session_;
  device::ModuleId module_;
  std::vector<Saved> saved_;
};

}  // namespace xcuda::session
