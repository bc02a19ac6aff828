#include "session/workspace.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "session/session.hpp"

namespace xcuda::session {

const device::DeviceInfo& SessionWorkspace::device_info() { return session_.device_info(); }

compiler::CompileOutput SessionWorkspace::compile(const compiler::CompileRequest& request) {
  return session_.parts_.compile(request, session_.limits());
}

compiler::CompileRequest SessionWorkspace::beside_cells(const compiler::Program::Addition& addition) {
  return session_.program_.extend(addition, session_.options());
}

arrays::Workspace::Cells SessionWorkspace::cells() {
  return {session_.program_.revision(), session_.settings_.compiler_options};
}

Type SessionWorkspace::find_type(const std::string& spelling, const cell::Source& source, cell::Span span) {
  CellRun run{{std::string(source.name), std::string(source.text)}, {}, session_.run_->sink};
  return session_.find_type(run, spelling, span);
}

arrays::Workspace::Loaded SessionWorkspace::load(const compiler::CompileOutput& output) {
  const device::ModuleId id{session_.next_module_++};
  auto info = session_.device().load_module({id, "xcuda", output.ptx, output.cubin, output.architecture, {}});
  if (!output.variables.empty()) session_.variables_.add_module(id, output.variables, info);
  return {id, std::move(info)};
}

void SessionWorkspace::unload(device::ModuleId module) {
  session_.variables_.remove_module(session_.device(), module);
  session_.device().unload_module(module);
}

device::Address SessionWorkspace::allocate(std::uint64_t bytes) {
  auto& device = session_.device();
  const auto size = std::max<std::uint64_t>(bytes, 1);
  const auto address = session_.memory_->allocate(size, "a temporary array");
  device.post_name_range({address, size, 1, "a temporary array", "unsigned char"});
  return address;
}

void SessionWorkspace::free(device::Address address) {
  if (session_.memory_ == nullptr) return;
  session_.device_->post_forget_range(address);
  session_.memory_->free(address, session_.streams_.empty() ? device::Memory::Reuse::in_order
                                                            : device::Memory::Reuse::after_synchronisation);
  session_.pending_ = true;
}

void SessionWorkspace::launch(device::LaunchRequest request, const std::string& name) {
  request.stream = session_.default_stream();
  request.checks.bounds = session_.settings_.bounds_checks;
  // What an operation writes is not known: whatever it is given.
  for (std::size_t at = 0; session_.capture_ != nullptr && at + sizeof(device::Address) <= request.arguments.size();
       at += sizeof(device::Address)) {
    device::Address address = 0;
    std::memcpy(&address, request.arguments.data() + at, sizeof address);
    session_.note_written(address);
  }
  request.number = session_.launches_.next_number();
  // Launches of one statement share a site: it begins at one place of the cell.
  const auto* run = session_.run_;
  const auto* statement = run == nullptr ? nullptr : run->source.text.data() + run->current.begin;
  const auto site = session_.launches_.site(statement, {}, [&] {
    if (run == nullptr) return LaunchSite{statement, name, name, {}, {}};
    return LaunchSite{statement, name, snippet(run->source, run->current), place_of(run->source, run->current), {}};
  });
  session_.variables_.post_before_launch(session_.device(), request.module, request.stream);
  session_.launches_.posted(request.number, site);
  session_.device().post_launch(request);
  session_.posted();
}

void SessionWorkspace::fill(const device::FillRequest& request) {
  session_.note_written(request.address);
  session_.device().post_fill(session_.default_stream(), request);
  session_.posted();
}

void SessionWorkspace::copy(device::Address to, device::Address from, std::uint64_t bytes) {
  session_.copy(to, from, bytes);
}

void SessionWorkspace::write(device::Address to, std::span<const std::byte> bytes) { session_.write(to, bytes); }

void SessionWorkspace::read(device::Address from, std::span<std::byte> bytes) { session_.read(from, bytes); }

void SessionWorkspace::read_pieces(device::Address from, std::uint64_t bytes,
                                   const std::function<void(std::span<const std::byte>)>& take) {
  session_.read_pieces(from, bytes, take);
}

}  // namespace xcuda::session
