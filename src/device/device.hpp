// The specification of a device. The CUDA device, the CPU device, a remote device (either of them one process away),
// the supervised device (a remote one that is replaced when it dies), a set of those and the fake for tests pass one
// contract suite, tests/contract/.
//
// Two kinds of verbs:
//   calls   return a value and may throw Error (memory, compile, unsupported, device);
//   posts   (post_...) return at once and never throw; they run in the order posted to their stream. The next
//           synchronize() reports what became of them: timings, refused launches, and at most one fault.
//
// A fault ends the device: every later verb throws Error(device). A supervised device replaces it instead, replays
// its journal (device/remote/supervised_device.hpp) and reports the recovery with the fault. An interrupt first asks: a
// device that can stop between two launches skips those that have not begun (Completion::skipped), does all other
// posted work, and goes on without a fault.
//
// Memory outlives the device: create_memory() returns a descriptor, and import_memory() maps it again in a new
// process at the same address. Addresses are chosen by the session inside one window (device/memory.hpp).
// Host data crosses in the staging buffer, a memfd that both sides map.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "base/interrupt.hpp"
#include "base/sanitizers.hpp"
#include "device/board_state.hpp"
#include "device/fault.hpp"
#include "device/host_call.hpp"
#include "device/ids.hpp"
#include "device/memory_requests.hpp"
#include "device/texture_request.hpp"
#include "library/call.hpp"
#include "ptx/resource_usage.hpp"

namespace xcuda::device {

// The reserved range of addresses; base is 0 when the device could not have the wanted one and chose for itself.
struct Window {
  // ThreadSanitizer leaves programs little room, in other places.
  Address base = kThreadSanitizer ? 0x7E90'0000'0000 : 0x2000'0000'0000;
  std::uint64_t size = kThreadSanitizer ? std::uint64_t{256} << 30 : std::uint64_t{8} << 40;
};

// --- What a device is ----------------------------------------------------------------------------------------------

enum class Kind : std::uint8_t { cuda, cpu, fake };
std::string_view kind_name(Kind kind);  // "cuda", "cpu", "fake"

struct DeviceInfo {
  Kind kind = Kind::fake;
  int ordinal = 0;
  std::string name;          // "NVIDIA H200", "AMD EPYC ..., 2 threads"
  std::string architecture;  // what to compile for: "sm_90", "compute_80"
  int compute_major = 0, compute_minor = 0;
  std::string driver;                               // "13.0 (580.65.06)", "LLVM 19.1.7 (znver4, AVX-512)"
  std::string uuid;                                 // "GPU-00112233-..."
  int pci_domain = 0, pci_bus = 0, pci_device = 0;  // all 0 without a PCI bus
  std::uint64_t memory_total = 0, memory_free = 0;  // bytes; free is 0 in a list of devices: not known before a start
  std::uint64_t memory_granularity = 0;             // bytes; create_memory sizes are multiples of it
  bool memory_outlives_process = true;              // false: the driver refuses export
  int multiprocessors = 0;                          // host threads on the CPU device
  int warp_size = 32;
  std::uint64_t max_threads_per_block = 0, max_threads_per_multiprocessor = 0, max_blocks_per_multiprocessor = 0;
  Dim3 max_block, max_grid;
  std::uint64_t shared_per_block = 0, shared_per_block_optin = 0, shared_per_multiprocessor = 0;  // bytes
  std::uint64_t registers_per_multiprocessor = 0, registers_per_block = 0;
  std::uint64_t constant_memory = 0, l2_cache = 0;  // bytes
  double peak_bandwidth = 0;                        // bytes per second; 0 when unknown
  double clock_hz = 0, memory_clock_hz = 0;
  std::optional<bool> ecc;
  bool cooperative_launch = false;
  bool knows_arrays = true;         // false: the names of ranges are nothing to it
  Window window;                    // what was obtained
  int process = 0;                  // pid of the worker; 0 when in this process
  std::optional<BoardState> board;  // when devices are listed, where NVML is installed
};

// --- Modules -------------------------------------------------------------------------------------------------------

struct ModuleImage {
  ModuleId id;
  std::string name;              // the cell it came from, "In[7]"
  std::string ptx;               // always
  std::vector<std::byte> cubin;  // empty when compiled for no known GPU; preferred by the CUDA device
  std::string architecture;      // of the cubin
  std::string assembler_log;     // of the cubin: what ptxas -v said
};

struct ParameterLayout {
  std::uint32_t offset = 0, size = 0, alignment = 1;
};

// Native code that a device has made of a kernel, or makes now.
struct NativeCode {
  enum class State : std::uint8_t { compiling, compiled, stored };  // stored: found on disk
  State state = State::compiled;
  std::string variant;      // what blocks and which checks it is for
  std::uint64_t bytes = 0;  // of code
  Nanoseconds time = 0;     // to compile it
};

struct FunctionInfo {
  std::string entry;  // PTX symbol
  std::vector<ParameterLayout> parameters;
  int registers = 0;
  std::uint64_t shared_bytes = 0, local_bytes = 0, constant_bytes = 0;
  int max_threads_per_block = 0;
  std::optional<ptx::Spills> spills;  // where an assembler told
  std::vector<NativeCode> native;     // of module_info(), from a device that compiles kernels when they are launched
};

struct VariableInfo {
  std::string symbol;   // PTX symbol
  Address address = 0;  // of this process only; asked again after a restart
  std::uint64_t size = 0;
  bool constant = false;
};

struct ModuleInfo {
  std::vector<FunctionInfo> functions;
  std::vector<VariableInfo> variables;
  Nanoseconds load_time = 0;
  std::string log;  // of the driver's JIT or of the translator; empty when it had nothing to say
};

// --- Launches ------------------------------------------------------------------------------------------------------

struct Checks {
  bool bounds = true, races = false, uninitialised = false;  // honoured by the CPU device; the GPU has none
};

// A kernel that may be launched soon.
struct PrepareRequest {
  ModuleId module{};
  std::string entry;  // PTX symbol
  Checks checks;
};

enum class LaunchMode : std::uint8_t { normal, cooperative };
// each: one pair of events around this launch. counted: no time but the bytes that it touches, which only the CPU
// device can tell; with Checks::races, whose code tells of each access. Nothing is checked then but bounds.
enum class Timing : std::uint8_t { none, each, counted };

// What a launch waits for where code is made while it runs: the first code that there is, or the code that stays, so
// that a measured time is that of later launches, too.
enum class CodeWait : std::uint8_t { quickest, full };

struct LaunchRequest {
  std::uint64_t number = 0;  // rises with each launch of the session; faults and timings name it
  ModuleId module{};
  std::string entry;  // PTX symbol
  Dim3 grid, block;
  std::optional<Dim3> cluster;
  std::uint64_t dynamic_shared = 0;  // bytes; over 48 KiB the device raises the function's limit itself
  StreamId stream{};
  LaunchMode mode = LaunchMode::normal;
  Timing timing = Timing::none;
  CodeWait code_wait = CodeWait::quickest;
  Checks checks;
  std::vector<std::byte> arguments;  // laid out as FunctionInfo::parameters says
  std::vector<TextureArgument> textures;
};

// What is posted to one device of a set from now on begins after all that was posted to another one.
struct Precedence {
  std::uint32_t device = 0, after = 0;
};

// A captured graph, launched as a whole. Its number is one of the launches': a fault, a refusal and a timing name it,
// or, where the device knows it, the launch inside.
struct GraphLaunch {
  std::uint64_t number = 0;
  GraphId graph{};
  StreamId stream{};
  Timing timing = Timing::none;
};

// A call of a library. Its number is one of the launches': a refusal, a timing and a report name it.
struct LibraryLaunch {
  std::uint64_t number = 0;
  StreamId stream{};
  Timing timing = Timing::none;  // each: a report, too; not in a capture
  library::Call call;
};

struct GraphInfo {
  std::uint64_t nodes = 0;           // launches, fills, copies
  Nanoseconds instantiate_time = 0;  // to make what was captured ready to be launched
};

struct LaunchTiming {
  std::uint64_t number = 0;
  Nanoseconds duration = 0;
  std::optional<std::uint64_t> bytes = {};  // of Timing::counted: each byte that it read, and each that it wrote
};

// A launch that did not run, or a function of a host module that ended by an exception; the device goes on.
struct RefusedLaunch {
  std::uint64_t number = 0;  // 0: another request, which `library` names
  std::string library;  // what the library said: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701): too many resources ..."
  std::string advice;
  std::string thrown = {};  // the type of the exception, whose what() is `library`
};

struct Occupancy {
  int blocks_per_multiprocessor = 0;
  double fraction = 0;  // active warps of possible ones
  std::string limiter;  // "registers", "shared memory", "threads", "blocks"
};
struct OccupancyRequest {
  ModuleId module{};
  std::string entry;
  std::uint32_t block_threads = 0;
  std::uint64_t dynamic_shared = 0;
};

// --- Machine code, for people ---------------------------------------------------------------------------------------

// The code that blocks of this size run with these checks.
struct CodeRequest {
  ModuleId module{};
  std::string entry;  // PTX symbol
  Dim3 block{256, 1, 1};
  Checks checks;
};

struct CodeLine {
  std::string label;         // of a place that is jumped to, "L3"; then there is nothing else
  std::uint64_t offset = 0;  // bytes from the beginning of the code
  std::string instruction;   // as the disassembler prints it
  std::string remark;        // what an operand means; may be empty
  std::string source;        // "In[7]", and which of its lines this is for; 0 when it is for none
  int line = 0;
  std::string lanes;  // "some lanes": what the code is for, where a device has several codes for one line
};

struct MachineCode {
  std::string target;   // "znver4, LLVM 19.1.7"
  std::string variant;  // what blocks and which checks it is for; empty where one code is for all
  std::uint64_t bytes = 0;
  std::vector<CodeLine> lines;
};

// --- What went wrong (fault.hpp has the rest) ----------------------------------------------------------------------

// What a supervised device did after a fault, or after its process was lost while it had nothing to do.
struct Recovery {
  Nanoseconds duration = 0;
  bool window_kept = true;             // false: pointers stored in arrays are stale
  bool arrays_kept = true;             // false: the driver refuses export and the contents are lost
  std::vector<ModuleId> modules_lost;  // modules that the new process could not load

  bool complete() const { return window_kept && arrays_kept && modules_lost.empty(); }
};

struct Completion {
  std::vector<LaunchTiming> timings;     // of launches with a Timing, in order of number
  std::vector<library::Report> reports;  // of calls of libraries with Timing::each
  std::vector<RefusedLaunch> refused;
  std::vector<std::uint64_t> skipped;  // numbers of launches that did not run, as an interrupt came first
  std::optional<Fault> fault;
  // Set when a supervised device was lost and lives again. Without a fault only its process changes: module memory has
  // new addresses and initial values.
  std::optional<Recovery> recovery;
};

struct WaitRequest {
  Interrupt* interrupt = nullptr;                                 // ends the wait with FaultKind::interrupted
  std::optional<std::chrono::steady_clock::time_point> deadline;  // ends the wait with FaultKind::time_limit
  std::chrono::milliseconds grace{500};  // between an interrupt and the end of the process; a second interrupt ends it
  // Told now and then, during a wait for a process, what it does before it can begin ("compiling scan:
  // optimisation"); an empty text when there is no such work.
  std::function<void(std::string_view)> tell{};
  // Fetches a touched piece of a mirror: it is there when this returns; the result says for what use. Throws nothing.
  std::function<Touch(Address piece, Access access)> fetch{};
};

enum class Limit : std::uint8_t { stack_size, printf_buffer, malloc_heap };  // bytes

// --- The device ----------------------------------------------------------------------------------------------------

class Device {
 public:
  virtual ~Device() = default;

  virtual DeviceInfo info() = 0;  // memory_free is as of now

  // A set (device_set.hpp) has several devices; of any other this is the only one.
  virtual std::uint32_t devices() const { return 1; }
  virtual Device& member(std::uint32_t) { return *this; }
  // Of a set: whether each device reaches the memory of the others. If not, its parts live as MemoryRequest::parts
  // says.
  virtual bool shares_memory() const { return true; }

  // Physical memory, mapped at an address, zero. Returns a descriptor that keeps its contents alive, or none when
  // memory cannot outlive this device. Errors: memory (how much was free), value (address taken, misaligned).
  virtual File create_memory(const MemoryRequest& request) = 0;
  virtual void import_memory(const MemoryRequest& request, const File& descriptor) = 0;
  // Returns the address of the wanted part here: outside the window, until destroy_memory() or the end of the process.
  // A new process is not told. Errors: unsupported (this device has none), value (no such handle), memory (refused).
  virtual Address open_memory(const ForeignMemory& memory);
  virtual void destroy_memory(MemoryId id) = 0;  // waits for what was posted, then unmaps
  // Maps memory whose contents are elsewhere: the descriptor's bytes, at an address where nothing can be touched. Code
  // that touches a piece waits until WaitRequest::fetch of the synchronisation has answered; the access that it then
  // gets lasts until post_guard(). destroy_memory() ends a mirror. Errors: unsupported (this device is not a process of
  // its own on the host), value.
  virtual void mirror_memory(const MemoryRequest& request, const File& descriptor);
  virtual void post_guard(const std::vector<GuardedRange>& ranges);  // of mirrors

  virtual void post_name_range(const ArrayRange& range) = 0;
  virtual void post_forget_range(Address address) = 0;

  // The device's memory as this process sees it, for reading: posted work is visible after synchronize(). Empty for
  // memory that this process cannot see (a GPU's, very large pieces), and for a range that is not one piece.
  virtual std::span<const std::byte> visible(Address from, std::uint64_t bytes);

  // The staging buffer, page-locked by the device. Its bytes belong to a posted read or write until synchronize().
  virtual std::span<std::byte> staging() = 0;
  virtual void post_fill(StreamId stream, const FillRequest& request) = 0;
  virtual void post_copy(StreamId stream, const CopyRequest& request) = 0;  // device to device
  // Device to staging, which in a set is that of the stream's device; `to` is an offset.
  virtual void post_read(StreamId stream, const CopyRequest& request) = 0;
  virtual void post_write(StreamId stream, const CopyRequest& request) = 0;  // staging to device; `from` is an offset

  // Errors: compile (PTX or CUBIN refused; what the library said, opcode, kernel and line), memory.
  virtual ModuleInfo load_module(const ModuleImage& image) = 0;
  virtual void unload_module(ModuleId id) = 0;
  virtual ModuleInfo module_info(ModuleId id) = 0;  // with the addresses of this process
  // Puts these variables of the module, by symbol, at these addresses of the window. Returns their initial bytes, one
  // after the other, for the caller to write there. Errors: unsupported, value, name.
  virtual std::vector<std::byte> place_variables(ModuleId module, const std::vector<VariableInfo>& variables);
  // Errors: value (no such module), name (no such kernel), unsupported: a kernel that cannot be translated; a GPU,
  // whose code is in the CUBIN, for the toolkit's disassembler.
  virtual MachineCode machine_code(const CodeRequest& request);

  // A device that compiles kernels may begin with this one, beside all else. The result is not reported: the launch
  // waits for that compile and reports its errors.
  virtual void post_prepare(const PrepareRequest&) {}
  virtual void post_launch(const LaunchRequest& request) = 0;
  virtual Occupancy occupancy(const OccupancyRequest& request) = 0;
  // Threads of a block that give the highest occupancy; dynamic_shared of the request is per block.
  virtual std::uint32_t best_block(const OccupancyRequest& request) = 0;

  // Opens a library, if it is not open yet, and returns facts about it. Errors: unsupported (it is not installed, with
  // the line that installs it; this device has none), device (it cannot be started).
  virtual library::Facts open_library(const library::OpenRequest& request);
  virtual void post_library(const LibraryLaunch& request) = 0;

  // Host modules. Their code runs in the device's process and may end it: a fault like a kernel's. A supervised device
  // restarts its process before the first one, without the sandbox. Errors: value, unsupported (by the loader).
  virtual HostModuleInfo load_host_module(const HostModuleImage& image) = 0;
  virtual void unload_host_module(ModuleId id) = 0;  // after what was posted
  // Runs after all posts to the default stream, or within the post. Its results are in staging(). Not in a capture.
  virtual void post_host_call(const HostCall& request) = 0;

  virtual void create_stream(StreamId id) = 0;
  virtual void destroy_stream(StreamId id) = 0;
  virtual void create_event(EventId id) = 0;
  virtual void destroy_event(EventId id) = 0;
  virtual void post_record(EventId event, StreamId stream) = 0;
  virtual void post_wait(StreamId stream, EventId event) = 0;
  // Of a set.
  virtual void post_order(std::span<const Precedence> order);
  // Words that devices have in common (shared_words.hpp), for the two posts that follow. False: this device cannot use
  // them. Errors: memory.
  virtual bool share_words(const File& words);
  // Writes the value once all that was posted, to any stream, is done; not if any of it was left out.
  virtual void post_write_value(std::uint32_t word, std::uint32_t value);
  // What is posted from now on, to any stream, begins when the word has this value or a later one. If the value is
  // lost, it is left out up to the next synchronize(); a GPU does what it had taken before the loss was known.
  virtual void post_wait_value(std::uint32_t word, std::uint32_t value);
  virtual Nanoseconds elapsed(EventId from, EventId to) = 0;  // after synchronize(); Error(value) if not recorded

  // Between these two calls `stream` is a new stream whose launches, fills and copies are kept and do not run; other
  // streams join it when they wait for an event recorded in it, and have to be joined back the same way. Launches are
  // not timed there, and nothing may cross the staging buffer. One capture at a time. Not told to a new process:
  // a graph ends with its device. Errors: value (an id is taken, a capture is already running or none does, streams
  // were not joined back, a captured request was wrong: then there is no graph).
  virtual void begin_capture(GraphId id, StreamId stream) = 0;
  virtual GraphInfo end_capture(GraphId id) = 0;
  virtual void post_graph(const GraphLaunch& request) = 0;
  // Destroys a graph after its launches; ends a capture that has not ended. Does nothing when there is no such graph.
  virtual void post_destroy_graph(GraphId id) = 0;

  // Creates a texture or surface object; launches name it by its id. It has to end before the memory that it reads.
  // Errors: value (an id is taken, too large for the device), memory (a copy does not fit).
  virtual void create_texture(const TextureRequest& request) = 0;
  // Destroys a texture after the launches that use it. Does nothing when there is no such texture.
  virtual void post_destroy_texture(TextureId id) = 0;

  virtual void set_limit(Limit limit, std::uint64_t bytes) = 0;
  virtual std::uint64_t limit(Limit limit) = 0;

  virtual void rouse() {}  // something will be asked soon: wakes a process, and replaces one that could not be before
  // Waits until everything posted on every stream is done.
  virtual Completion synchronize(const WaitRequest& request) = 0;
  // For who waits for several devices that may wait for each other: begins what synchronize() waits for,
  // tells whether that would return at once, and whether it would end by a loss.
  virtual void begin_synchronize() {}
  virtual bool is_done() { return true; }
  struct Look {
    bool gone = false;  // its process has ended, or is about to
    std::string doing;  // as WaitRequest::tell has it
  };
  virtual Look look() { return {}; }        // passes on what its process has printed
  virtual bool has_room() { return true; }  // for a post, which would wait for it
  // A fault that a call found, and threw Error(device) or Error(interrupted) for, or a late recovery; told once.
  virtual std::optional<Completion> take_fault() { return std::nullopt; }

  // False after an end that nothing recovered from: calls throw its reason.
  virtual bool lives() const { return true; }
  virtual bool idles() { return false; }  // its process is seen to wait for work; if not, synchronize() can tell

  // Replaces the device's process, as after a fault. Error(unsupported) for a device that has none of its own.
  virtual Recovery restart();
  virtual void begin_rest() {}  // begins what rest(), restart() and the destructor wait for
  // Ends the process and gives back what it holds of the device; memory stays. Every verb is an Error until restart().
  virtual void rest();

 protected:
  Device() = default;
  Device(const Device&) = default;
  Device& operator=(const Device&) = default;
};

}  // namespace xcuda::device
