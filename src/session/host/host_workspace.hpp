// The workspace that compiles and loads host code, where that runs in a process of its own.
#pragma once

#include <map>

#include "session/session_workspace.hpp"

namespace xcuda::session {

class HostWorker;

class HostWorkspace final : public SessionWorkspace {
 public:
  HostWorkspace(Session& session, const Current& current, HostWorker& worker)
      : SessionWorkspace(session, current), worker_(worker) {}

  const device::DeviceInfo& device_info() override;
  compiler::CompileRequest beside_cells(const compiler::Program::Addition& addition) override;
  // Loads a module; variables that cells know are in the session's memory, as another copy of them.
  Loaded load(const compiler::CompileOutput& output) override;
  void unload(device::ModuleId module) override;
  bool has_variables(device::ModuleId module) const { return variables_.contains(module); }

 private:
  void place_variables(device::ModuleId module, const compiler::CompileOutput& output, device::ModuleInfo& info);

  HostWorker& worker_;
  std::map<device::ModuleId, device::Address> variables_;  // the memory that those of a module share
};

}  // namespace xcuda::session
