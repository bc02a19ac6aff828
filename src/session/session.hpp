// What lives between cells, and the way of a cell through it:
// text -> Cell -> CompileRequest -> CompileOutput -> module -> LaunchRequest -> LaunchReport -> value -> MIME bundle.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "arrays/operations.hpp"
#include "arrays/sequence.hpp"
#include "base/interrupt.hpp"
#include "cell/tree.hpp"
#include "compiler/compile_output.hpp"
#include "compiler/program.hpp"
#include "device/device.hpp"
#include "device/memory.hpp"
#include "device/selector.hpp"
#include "device/transfer.hpp"
#include "display/array_view.hpp"
#include "display/compile_report.hpp"
#include "display/error_report.hpp"
#include "files/client.hpp"
#include "session/arrays.hpp"
#include "session/capture.hpp"
#include "session/launch_log.hpp"
#include "session/module_variables.hpp"
#include "session/modules.hpp"
#include "session/names.hpp"
#include "session/place.hpp"
#include "session/progress.hpp"
#include "session/settings.hpp"
#include "session/sink.hpp"
#include "session/textures.hpp"
#include "session/workspace.hpp"

namespace xcuda::session {

class Session;

// The cell that runs, or an expression that a client asks for.
struct CellRun {
  Source source;
  std::string cell_id;
  Sink& sink;
  const cell::Cell* cell = nullptr;
  std::vector<cell::Word> compiler_words;  // as given to parse_options, which counts its words in its errors
  cell::Span current;                      // what runs; the place of errors that have none
};

// The magics, the help lines and the shell, which live in command/ and know the session.
class Commands {
 public:
  virtual ~Commands() = default;
  virtual void run(Session& session, CellRun& run, const cell::Magic& magic) = 0;
  virtual void help(Session& session, CellRun& run, const cell::Help& help, cell::Span span) = 0;
  virtual void shell(Session& session, CellRun& run, const cell::Shell& shell, cell::Span span) = 0;

 protected:
  Commands() = default;
  Commands(const Commands&) = default;
  Commands& operator=(const Commands&) = default;
};

using OutputHandler = std::function<void(OutputStream, std::string_view)>;

// A device that %device can choose.
struct DeviceChoice {
  device::Selector selector;
  std::string reason;  // why it cannot be had; empty when it can
  std::function<std::unique_ptr<device::Device>(const OutputHandler&)> start;
  std::optional<device::DeviceInfo> info;  // since it was looked for
};

struct SessionParts {
  std::function<compiler::CompileOutput(const compiler::CompileRequest&, const WaitLimits&)> compile;
  std::vector<DeviceChoice> devices;  // the first one that can be had is used
  // All devices of the machine, with what they are. Takes a fraction of a second: the drivers are asked.
  std::function<std::vector<DeviceChoice>(const WaitLimits&)> look;
  std::shared_ptr<files::Client> files;
  std::string disassembler;  // path of nvdisasm or cuobjdump; empty when there is none
};

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
  void interrupt() { interrupt_.raise(); }  // any thread
  void start_device();                      // early, without waiting for it; Errors: io, memory
  void rest();                              // gives the device's process back; the next cell starts another
  void wake();                              // replaces a process of the device that was given back or lost
  void shut_down();                         // ends the device's process
  device::WaitRequest wait_limits();        // of the cell that runs

  // --- for commands and statements ----------------------------------------------------------------------------------
  struct HistoryEntry {
    std::string name, code, cell_id;
    // undone: by a %reset
    enum class Outcome : std::uint8_t { running, ran, failed, undone } outcome = Outcome::running;
  };
  // A piece of device code that is visible to later cells.
  struct Definition {
    cell::DevicePiece piece;
    std::string text, source;  // its source text; "In[3]"
    int line = 0;
  };

  ArrayTable& arrays() { return arrays_; }
  NameTable& names() { return names_; }
  TextureTable& textures() { return textures_; }
  ModuleTable& modules() { return modules_; }
  ModuleVariables& variables() { return variables_; }
  compiler::Program& program() { return program_; }
  Settings& settings() { return settings_; }
  Interrupt& interrupt_flag() { return interrupt_; }
  Commands& commands() { return commands_; }
  const SessionParts& parts() const { return parts_; }
  const std::vector<HistoryEntry>& history() const { return history_; }
  const std::vector<Definition>& definitions() const { return definitions_; }
  // Constants of device code as statements see them; see interpreter/constants.hpp, which evaluates them.
  struct ConstantTable {
    std::map<std::string, std::optional<Value>> values;  // those asked for so far; empty while one is evaluated
    int nested_height = 0;  // of what constants and macros stand for, while it is evaluated
    bool varies = false;    // the one that is evaluated, or one in it, names variables
  };
  ConstantTable& constants() { return constants_; }

  // The device in use, started when it is not; its limits as of its start.
  device::Device& device();
  const device::DeviceInfo& device_info();
  const DeviceChoice& choice() const { return parts_.devices[chosen_]; }
  bool device_started() const { return memory_ != nullptr; }
  void look_for_devices();                               // brings the choices up to date
  void switch_device(const device::Selector& selector);  // arrays and modules move along
  device::Recovery restart_device();
  void reset();  // forgets all that cells defined

  // Compiles the cell's device code with these option words, loads it, and makes it the session's.
  // Throws CompileFailure, or the device's Error(compile); nothing has changed then.
  display::CompileView compile_cell(CellRun& run, const std::vector<cell::Word>& option_words);
  // The kernels of the name that a launch spells, the newest first; template instances are made on demand. Error(name)
  // with the nearest name when there is none.
  const std::vector<Kernel>& find_kernels(CellRun& run, const std::string& name, cell::Span span);
  // A module that no cell compiled; one of the same name is replaced. span: of what names it, for errors. Errors: those
  // of files/client.hpp and of the device.
  const Module& load_module(CellRun& run, files::ModuleFile file, cell::Span span);
  // The layout of a type that only the compiler knows. Error(name) when there is none.
  Type find_type(CellRun& run, const std::string& spelling, cell::Span span);
  // The members of a struct, those of its nested structs not among them. Empty for what is none, or is not known.
  struct StructMember {
    std::string name;
    Type type;                         // of an element; without a scalar and members where only the device knows more
    std::vector<std::uint64_t> shape;  // of an array member; else empty
    std::uint64_t offset = 0;          // bytes
  };
  std::vector<StructMember> members_of(CellRun& run, const Type& type);
  std::vector<display::RecordField> fields_of(const Type& type,
                                              std::size_t level = 1);  // as they are shown, "a.x" for a nested one

  // A new array of unknown contents; it takes the name only with define(). Errors: memory, value.
  struct NewArray {
    std::string name;
    Type type;
    std::vector<std::uint64_t> shape;
    bool read_only = false;
    cell::Span span;  // for errors
  };
  Array allocate(CellRun& run, NewArray request);
  void name_as_unwritten(const Array& array);  // for --init: declared without a value
  Array& define(Array array);                  // an older array of this name is freed
  void free_memory(const Array& array);
  void free_array(const std::string& name);

  void exchange(const std::string& a, const std::string& b);  // swap(a, b) of arrays
  void undefine_here(const std::string& name);                // what a declaration in this block replaces
  void enter_block();
  void leave_block();  // arrays of the block are freed, hidden ones are seen again

  // Contents, through the staging buffer.
  void write(device::Address to, std::span<const std::byte> bytes);
  files::OpenArray open_array(const std::string& path);          // good until another one is opened
  void write(device::Address to, const files::OpenArray& file);  // all of its elements
  void read(device::Address from, std::span<std::byte> bytes);   // synchronises
  void copy(device::Address to, device::Address from, std::uint64_t bytes);
  void read_pieces(device::Address from, std::uint64_t bytes,
                   const std::function<void(std::span<const std::byte>)>& take);
  void fill(const Sequence& sequence, const Array& array);
  display::PrintOptions print_options() const;  // as %config has them
  display::ArrayView view(const Pointer& pointer, const display::PrintOptions& options);
  display::ArrayView view(const Pointer& pointer) { return view(pointer, print_options()); }

  arrays::Operations& operations() { return operations_; }

  // Waits for all that was posted. Throws what went wrong with it: Error(launch), DeviceFailure, Error(interrupted).
  void synchronize();
  LaunchLog& launches() { return launches_; }
  Progress& progress() { return progress_; }
  void posted();  // something is under way on the device
  // How long something may be under way, in all, from now on; 0 seconds: no limit. Each cell starts with that of
  // %config timeout.
  void limit_launches(double seconds);
  device::StreamId stream(const std::string& name);  // made when it is new
  device::EventId event(const std::string& name);    // made when it is new
  void end_texture(device::TextureId id);            // on the device, behind what was launched with it
  void note_recorded(device::EventId event) { recorded_.insert(event); }
  bool was_recorded(device::EventId event) const { return recorded_.contains(event); }
  // The graph whose statements run; null when there is none.
  Capture* capture() const { return capture_; }
  void set_capture(Capture* capture) { capture_ = capture; }
  // Where work goes that names no stream.
  device::StreamId default_stream() const { return capture_ != nullptr ? capture_->stream() : device::StreamId{0}; }
  device::GraphId next_graph() { return device::GraphId{next_graph_++}; }
  device::StreamId next_stream() { return device::StreamId{next_stream_++}; }
  void note_written(device::Address address);  // by what is posted
  std::uint64_t next_seed() { return seed_++; }

 private:
  const compiler::TypeLayout* layout_of(const std::string& spelling, std::string& why);
  void forbid_in_capture(std::string_view what) const;
  void note_definitions(const CellRun& run, const compiler::Replaced& replaced);
  Module& load(CellRun& run, compiler::CompileOutput output, std::string source);
  friend class SessionWorkspace;
  void revive();
  void take_fault();
  void after_restart();
  std::string recovered(const device::Recovery& recovery);  // names of variables that were put back
  std::string refresh_addresses();
  void move_arrays();
  Error refusal(const device::RefusedLaunch& refused);
  Error skipped(const std::vector<std::uint64_t>& numbers);
  [[noreturn]] void fail(const device::Fault& fault, const std::optional<device::Recovery>& recovery);
  WaitLimits limits();
  compiler::CompileOptions options(const std::vector<cell::Word>& words = {});
  device::Transfer transfer();
  OutputHandler output_handler();

  SessionParts parts_;
  Commands& commands_;
  Settings settings_;
  Interrupt interrupt_;
  compiler::Program program_;
  std::size_t chosen_ = 0;
  std::unique_ptr<device::Device> device_;
  device::DeviceInfo info_;
  std::unique_ptr<device::Memory> memory_;
  SessionWorkspace workspace_{*this};  // outlives what names hold in temporary memory
  arrays::Operations operations_{workspace_};
  ArrayTable arrays_;
  TextureTable textures_{*this};
  std::vector<std::pair<std::size_t, std::string>> local_arrays_;  // depth and name of those declared in open blocks
  std::vector<std::pair<std::size_t, std::string>> hidden_;        // block depth, name of an array it hides
  NameTable names_;
  ModuleTable modules_;
  ModuleVariables variables_;
  LaunchLog launches_;
  Progress progress_;
  std::vector<HistoryEntry> history_;
  std::vector<Definition> definitions_;
  std::map<std::string, device::StreamId> streams_;
  std::map<std::string, device::EventId> events_;
  std::set<device::EventId> recorded_;
  Capture* capture_ = nullptr;
  std::map<std::string, compiler::TypeLayout> layouts_;
  ConstantTable constants_;
  CellRun* run_ = nullptr;        // the cell that runs
  bool resting_ = false;          // the device's process was given back
  bool addresses_stale_ = false;  // the device's process was replaced, and module memory was not asked for again yet
  bool pending_ = false;          // something was posted since the last synchronisation
  void stop_launch_clock();
  double launch_limit_ = 0;                                        // seconds; 0: none
  std::chrono::steady_clock::duration launch_time_left_{};         // of that limit, before what is under way
  std::optional<std::chrono::steady_clock::time_point> deadline_;  // of what is under way
  std::uint32_t next_module_ = 1, next_stream_ = 1, next_event_ = 1, next_graph_ = 1;
  std::uint64_t seed_ = 0x5eed;  // a fixed start: Restart and Run All repeats
};

}  // namespace xcuda::session
