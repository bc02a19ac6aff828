// The parts of a session that array operations use.
#pragma once

#include "arrays/workspace.hpp"
#include "session/current.hpp"
#include "session/launch_log.hpp"

namespace xcuda::session {

class Session;

class SessionWorkspace : public arrays::Workspace {
 public:
  SessionWorkspace(Session& session, const Current& current) : session_(session), current_(current) {}

  const device::DeviceInfo& device_info() override;
  compiler::CompileOutput compile(const compiler::CompileRequest& request) override;
  compiler::CompileRequest beside_cells(const compiler::Program::Addition& addition) override;
  Cells cells() override;
  Type find_type(const std::string& spelling, const cell::Source& source, cell::Span span) override;
  Loaded load(const compiler::CompileOutput& output) override;
  void unload(device::ModuleId module) override;
  device::Address allocate(std::uint64_t bytes) override;
  void free(device::Address address) override;
  device::Address scratch(std::uint64_t bytes) override;
  void launch(device::LaunchRequest&& request, const std::string& name) override;
  void fill(const device::FillRequest& request) override;
  void copy(device::Address to, device::Address from, std::uint64_t bytes) override;
  const library::Facts& library(library::Family family) override;
  std::uint64_t workspace_bytes(const library::Call& call) override;
  void call(library::Call call, const std::string& name) override;
  void write(device::Address to, std::span<const std::byte> bytes) override;
  void read(device::Address from, std::span<std::byte> bytes) override;
  void read_pieces(device::Address from, std::uint64_t bytes,
                   const std::function<void(std::span<const std::byte>)>& take) override;

 protected:
  Session& session_;

 private:
  SharedSite site(const std::string& name);

  const Current& current_;
};

}  // namespace xcuda::session
