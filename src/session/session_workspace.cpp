#include "session/session_workspace.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "session/session.hpp"

namespace xcuda::session {

const device::DeviceInfo& SessionWorkspace::device_info() { return session_.device_info(); }

compiler::CompileOutput SessionWorkspace::compile(const compiler::CompileRequest& request) {
  return session_.code().compile(request);
}

compiler::CompileRequest SessionWorkspace::beside_cells(const compiler::Program::Addition& addition) {
  return session_.code().program().extend(addition, session_.code().options());
}

arrays::Workspace::Cells SessionWorkspace::cells() {
  return {session_.code().program().revision(), session_.settings().compiler_options};
}

Type SessionWorkspace::find_type(const std::string& spelling, const cell::Source& source, cell::Span span) {
  return session_.code().find_type({std::string(source.name), source.text}, spelling, span);
}

arrays::Workspace::Loaded SessionWorkspace::load(const compiler::CompileOutput& output) {
  const auto id = session_.code().next_module();
  auto info = session_.device().load_module({id, "xcuda", output.ptx, output.cubin, output.architecture, {}});
  if (!output.variables.empty()) session_.variables().add_module(id, output.variables, info);
  return {id, std::move(info)};
}

void SessionWorkspace::unload(device::ModuleId module) {
  session_.variables().remove_module(module);
  session_.device().unload_module(module);
}

device::Address SessionWorkspace::allocate(std::uint64_t bytes) {
  const auto size = std::max<std::uint64_t>(bytes, 1);
  const auto address = session_.chosen().memory().allocate(
      device::Placement{{{session_.chosen().order().current(), size}}}, "a temporary array");
  session_.submission().name_range({address, size, 1, "a temporary array", "unsigned char"});
  return address;
}

void SessionWorkspace::free(device::Address address) {
  if (!session_.chosen().started()) return;
  if (auto* capture = session_.submission().capture()) return capture->keep(address);
  session_.submission().forget(address);
  session_.chosen().memory().free(address, session_.streams().reuse());
}

device::Address SessionWorkspace::scratch(std::uint64_t bytes) {
  constexpr std::uint64_t kLeast = 4096;
  session_.submission().forbid_in_capture("a value cannot be read");
  auto& chosen = session_.chosen();
  auto& memory = chosen.memory();
  const auto base = chosen.info().window.base;
  auto& known = chosen.scratch(chosen.order().current());
  if (known.bytes < bytes) {
    if (known.bytes > 0) {
      session_.submission().forget(base + known.place);
      memory.free(base + known.place, session_.streams().reuse());
      known = {};
    }
    const auto address = allocate(std::max(std::bit_ceil(bytes), kLeast));
    memory.rename(address, "partial results");
    known = {std::max(std::bit_ceil(bytes), kLeast), address - base};
  }
  return base + known.place;
}

void SessionWorkspace::launch(device::LaunchRequest&& request, const std::string& name) {
  auto& submission = session_.submission();
  request.stream = submission.default_stream();
  request.checks.bounds = session_.settings().bounds_checks;
  // What an operation writes is not known: whatever it is given.
  if (auto* capture = submission.capture())
    for (std::size_t at = 0; at + sizeof(device::Address) <= request.arguments.size(); at += sizeof(device::Address)) {
      device::Address address = 0;
      std::memcpy(&address, request.arguments.data() + at, sizeof address);
      capture->wrote(address);
    }
  submission.launch(std::move(request), site(name));
}

// Launches of one statement share a site: it begins at one place of the cell.
SharedSite SessionWorkspace::site(const std::string& name) {
  const auto* run = current_.run;
  const auto* statement = run == nullptr ? nullptr : run->source.text.data() + run->current.begin;
  return session_.launches().site(statement, name, {}, [&] {
    if (run == nullptr) return LaunchSite{statement, name, name, {}, {}};
    return LaunchSite{statement, name, snippet(run->source, run->current), run->source.place(run->current), {}};
  });
}

namespace {

library::Sums sums_of(Session& session) {
  return session.settings().deterministic ? library::Sums::fixed_order : library::Sums::any_order;
}

}  // namespace

const library::Facts& SessionWorkspace::library(library::Family family) {
  return session_.chosen().library(family).facts;
}

std::uint64_t SessionWorkspace::workspace_bytes(const library::Call& call) {
  auto planned = call;
  planned.sums = sums_of(session_);
  return session_.chosen().workspace_bytes(planned);
}

void SessionWorkspace::call(library::Call call, const std::string& name) {
  const auto& opened = session_.chosen().library(library::family_of(call.operation));
  if (call.workspace == 0) {
    call.workspace =
        session_.chosen().workspace(library::family_of(call.operation), session_.chosen().order().current());
    call.workspace_bytes = opened.facts.workspace_bytes;
  }
  call.sums = sums_of(session_);
  if (session_.settings().tf32 && call.precision == library::Precision::full) call.precision = library::Precision::tf32;
  const auto at = site(name);
  auto* const reported = session_.submission().capture() == nullptr ? session_.launches().library_calls() : nullptr;
  if (reported == nullptr)
    return void(session_.submission().launch(device::LibraryLaunch{.call = std::move(call)}, at));
  LaunchLog::LibraryCall record{
      0, name, at->place, opened.facts, library::operations_of(call), library::arithmetic_type_of(call)};
  record.number =
      session_.submission().launch(device::LibraryLaunch{.timing = device::Timing::each, .call = std::move(call)}, at);
  reported->push_back(std::move(record));
}

void SessionWorkspace::fill(const device::FillRequest& request) { session_.submission().fill(request); }

void SessionWorkspace::copy(device::Address to, device::Address from, std::uint64_t bytes) {
  session_.submission().copy(to, from, bytes);
}

void SessionWorkspace::write(device::Address to, std::span<const std::byte> bytes) {
  session_.submission().write(to, bytes);
}

void SessionWorkspace::read(device::Address from, std::span<std::byte> bytes) {
  session_.submission().read(from, bytes);
}

void SessionWorkspace::read_pieces(device::Address from, std::uint64_t bytes,
                                   const std::function<void(std::span<const std::byte>)>& take) {
  session_.submission().read({from, bytes}, take);
}

}  // namespace xcuda::session
