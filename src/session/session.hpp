// What lives between cells: tables, the device in use, and the one way to it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arrays/operations.hpp"
#include "arrays/sequence.hpp"
#include "base/interrupt.hpp"
#include "display/error_report.hpp"
#include "session/array_files.hpp"
#include "session/array_table.hpp"
#include "session/device_code.hpp"
#include "session/history.hpp"
#include "session/names.hpp"
#include "session/parts.hpp"
#include "session/recovery.hpp"
#include "session/stream_table.hpp"
#include "session/submission.hpp"
#include "session/textures.hpp"
#include "session/view.hpp"
#include "session/workspace.hpp"

namespace xcuda::session {

class Session {
 public:
  Session(SessionParts parts, Commands& commands);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The body of a cell, which is in the history from here on. Nothing escapes; an error is a value.
  std::optional<display::ErrorView> run_cell(const CellText& text, Sink& sink,
                                             const std::function<void(CellRun&)>& body);
  // A body and all that it posts: what it threw, or what the device says at its end.
  std::optional<display::ErrorView> run_to_end(CellRun& run, const std::function<void()>& body);
  void wake();                                           // before a cell, and after a command of the shell
  void switch_device(const device::Selector& selector);  // arrays and modules move along
  void reset();                                          // forgets all that cells defined

  ArrayTable& arrays() { return arrays_; }
  NameTable& names() { return names_; }
  TextureTable& textures() { return textures_; }
  StreamTable& streams() { return streams_; }
  ModuleVariables& variables() { return variables_; }
  DeviceCode& code() { return code_; }
  arrays::Operations& operations() { return operations_; }

  Submission& submission() { return submission_; }
  LaunchLog& launches() { return launches_; }
  Recovery& recovery() { return recovery_; }
  ChosenDevice& chosen() { return device_; }
  device::Device& device() { return device_.get(); }
  const device::DeviceInfo& device_info() { return device_.info(); }

  Settings& settings() { return settings_; }
  Interrupt& interrupt_flag() { return interrupt_; }
  Progress& progress() { return progress_; }
  Commands& commands() { return commands_; }
  const SessionParts& parts() const { return parts_; }
  const std::vector<session::HistoryEntry>& history() const { return history_; }
  std::uint64_t next_seed() { return seed_++; }

  // What statements and commands call by its older names; it goes when they name the parts.
  using NewArray = ArrayTable::New;
  using StructMember = session::StructMember;
  using HistoryEntry = session::HistoryEntry;
  using Definition = session::Definition;
  using ConstantTable = session::ConstantTable;
  void interrupt() { interrupt_.raise(); }
  ModuleTable& modules() { return code_.modules(); }
  const compiler::Program& program() const { return code_.program(); }
  const std::vector<Definition>& definitions() const { return code_.definitions(); }
  ConstantTable& constants() { return code_.constants(); }
  const DeviceChoice& choice() const { return device_.choice(); }
  bool device_started() const { return device_.started(); }
  void look_for_devices() { device_.look(limits_of(submission_.wait_request())); }
  device::Recovery restart_device() { return recovery_.restart(); }
  display::CompileView compile_cell(CellRun& run, const std::vector<cell::Word>& words) {
    return code_.compile(run, words);
  }
  const std::vector<Kernel>& find_kernels(CellRun& run, const std::string& name, cell::Span span) {
    return code_.find_kernels(run, name, span);
  }
  const Module& load_module(CellRun& run, files::ModuleFile file, cell::Span span) {
    return code_.load_file(run, std::move(file), span);
  }
  Type find_type(CellRun& run, const std::string& spelling, cell::Span span) {
    return code_.find_type(run.source, spelling, span);
  }
  std::vector<StructMember> members_of(CellRun&, const Type& type) { return code_.members_of(type); }
  std::vector<display::RecordField> fields_of(const Type& type) { return code_.fields_of(type); }
  Array allocate(CellRun& run, NewArray request) { return arrays_.allocate(run, std::move(request)); }
  void name_as_unwritten(const Array& array) { arrays_.name_as_unwritten(array); }
  Array& define(Array array) { return arrays_.define(std::move(array)); }
  void free_memory(const Array& array) { arrays_.free_memory(array); }
  void free_array(const std::string& name) { arrays_.free(name); }
  void exchange(const std::string& a, const std::string& b) { arrays_.exchange(a, b); }
  void undefine_here(const std::string& name) { arrays_.undefine_here(name); }
  void enter_block() { arrays_.enter_block(); }
  void leave_block() { arrays_.leave_block(); }
  void write(device::Address to, std::span<const std::byte> bytes) { submission_.write(to, bytes); }
  files::OpenArray open_array(const std::string& path) { return session::open_array(*this, path); }
  void write(device::Address to, const files::OpenArray& file) { session::write(*this, to, file); }
  void read(device::Address from, std::span<std::byte> bytes) { submission_.read(from, bytes); }
  void copy(device::Address to, device::Address from, std::uint64_t bytes) { submission_.copy(to, from, bytes); }
  void read_pieces(device::Address from, std::uint64_t bytes,
                   const std::function<void(std::span<const std::byte>)>& take) {
    submission_.read({from, bytes}, take);
  }
  void fill(const Sequence& sequence, const Array& array) { arrays::fill(operations_, sequence, pointer_to(array)); }
  display::PrintOptions print_options() const { return session::print_options(settings_); }
  display::ArrayView view(const Pointer& pointer, const display::PrintOptions& options) {
    return view_of(*this, pointer, options);
  }
  display::ArrayView view(const Pointer& pointer) { return view_of(*this, pointer, print_options()); }
  void synchronize() { submission_.synchronize(); }
  void limit_launches(double seconds) { submission_.time_limit().set(seconds); }
  device::StreamId stream(const std::string& name) { return streams_.stream(name); }
  device::EventId event(const std::string& name) { return streams_.event(name); }
  void note_recorded(device::EventId event) { streams_.note_recorded(event); }
  bool was_recorded(device::EventId event) const { return streams_.was_recorded(event); }
  Capture* capture() const { return submission_.capture(); }
  device::StreamId default_stream() const { return submission_.default_stream(); }
  device::WaitRequest wait_limits() { return submission_.wait_request(); }

 private:
  SessionParts parts_;
  Commands& commands_;
  Settings settings_;
  Interrupt interrupt_;
  Current current_;
  Progress progress_;
  LaunchLog launches_;
  ChosenDevice device_{parts_, current_};
  ModuleVariables variables_;
  Submission submission_;
  StreamTable streams_{device_};
  SessionWorkspace workspace_{*this, current_};
  TextureTable textures_{device_, submission_};
  // Names and constants may hold textures and temporary memory, and go before these.
  DeviceCode code_;
  arrays::Operations operations_{workspace_};
  NameTable names_;
  ArrayTable arrays_;
  Recovery recovery_;
  std::vector<session::HistoryEntry> history_;
  std::uint64_t seed_ = kFirstSeed;
  static constexpr std::uint64_t kFirstSeed = 0x5eed;  // a fixed start: Restart and Run All repeats
};

}  // namespace xcuda::session
