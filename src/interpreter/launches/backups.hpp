// Copies of memory that a kernel may write, so that it can run again on the same data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

class Backups {
 public:
  // Error(memory) when there is no room for the copies; --no-restore needs none.
  Backups(Session& session, CellRun& run, const std::vector<std::string>& arrays, device::ModuleId module);
  Backups(Session& session, CellRun& run, const std::vector<std::string>& arrays);  // also every module's variables
  ~Backups();
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;
  void post_restore();

 private:
  void save(CellRun& run, const std::vector<std::string>& arrays);

  std::optional<DeviceOrder::Use> only_on(std::uint32_t device, std::size_t copies);

  struct Saved {
    device::Address original;
    Array copy;
    std::uint32_t device = 0;
    std::size_t copies = 1;  // that the array has
  };
  Session& session_;
  std::vector<device::ModuleId> modules_;
  std::vector<Saved> saved_;
};

}  // namespace xcuda::interpreter
