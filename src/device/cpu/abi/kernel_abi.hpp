// The C ABI between generated code and the runtime. Generated code knows these structs by offset only; it holds no
// addresses, so that a compiled object can be cached and loaded in another process.
//
// A kernel is one function, 32 lanes (one warp) wide, that runs whole blocks. A pool thread owns one BlockFrame: the
// memory of the block that it is running. What it shares with the other threads is the Launch.
//
// Services are what generated code cannot do itself. Each gets the frame and a LaneCall on the caller's stack; an
// answer other than 0 makes the kernel return Outcome::left at once, without running another lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xcuda::device::cpu {

inline constexpr std::uint32_t kLanesPerWarp = 32;

// A range of host addresses. size 0: nothing may be accessed.
struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;  // bytes
};

enum class Service : std::uint32_t {
  check_access,    // a check failed at first sight: arguments[0] addresses; see AccessSite. 0: in bounds and aligned.
  print,           // vprintf: [0] format, [1] argument buffers; result: what vprintf returns (int)
  assert_failed,   // __assertfail: [0] message, [1] file, [2] line, [3] function
  trap,            // trap, brkpt and what the translator found impossible at run time; site.operation says which
  allocate,        // malloc: [0] bytes; result: addresses
  release,         // free: [0] addresses
  sleep,           // nanosleep: [0] nanoseconds, of the first active lane
  timer,           // %globaltimer; result: nanoseconds
  bad_call,        // a call through arguments[0], which are not functions
  directed_f64,    // [0] operation * 4 + rounding, see directed_rounding.cpp; [1] [2] [3] operands; result: the number
  matrix,          // see matrix_call.hpp
  texture,         // see texture_call.hpp
  stack_overflow,  // calls are nested too deep
  recursion_too_deep,  // the same of functions that wait for the block; of how many bytes for a thread
  warp_stuck,  // lanes wait for lanes of their warp, [0] a bit for each, that wait at barriers: at site [1], if any
  // For --race and --init only:
  begin_phase,  // the block begins, or its warps go on after a barrier
  arrive,       // at the barrier of the site
  suspended,    // all lanes of the warp that have not left wait at barriers; where blocks take turns
  warp_synchronised,
  fence,
  copy,          // cp.async begins: [0] to, [1] from; site.size bytes
  close_copies,  // those that began are a group
  wait_copies,   // for all but the newest [0] groups, the open one counted
  arrived,       // at the mbarriers at [0]
  waited,        // the mbarriers at [0] are complete
  missing_lane,  // a shuffle reads lanes [0], which the mask [1] does not name, or which do not take part; --race
  // Always:
  mbarrier_made,  // mbarriers at [0] are initialised: for the message when one cannot complete
  runtime,        // a function of the CUDA Runtime; see runtime_call.hpp
  wrong_shift,    // host code shifts by [0]; [1] the place of the type in kShiftedTypes, base/host_arithmetic.hpp
  count,
};

// The arguments of a service, one value per lane; lanes that are not in mask hold garbage.
struct LaneCall {
  std::uint32_t mask = 0;  // active lanes
  std::uint32_t warp = 0;  // of the block
  std::uint32_t site = 0;  // index into KernelCode::sites
  std::uint32_t reserved = 0;
  std::uint64_t arguments[5][kLanesPerWarp] = {};
  std::uint64_t results[kLanesPerWarp] = {};
};

// Bytes before and after a block's shared memory that its thread may read, and write what it has read.
constexpr std::uint32_t kSharedMargin = 1024;

struct BlockFrame;
struct LaunchAbi;

// The accesses that one bounds check covers, as generated code describes them.
struct CheckedAccesses {
  std::uint32_t count = 0;                // of members
  std::uint32_t shift = 0;                // lane's base: bases[lane >> shift]
  const std::int64_t* pattern = nullptr;  // by lane, added to the base
  struct Member {
    std::uint32_t site;
    std::int32_t distance;  // added to the base
  };
  const Member* members = nullptr;
  // Lanes in pieces of 1 << piece_shift, in which each address is that of the lane before plus stride.
  std::int64_t stride = 0;
  std::uint32_t piece_shift = 0;
};

// LaunchAbi::check asks Service::check_access for each member with the addresses of its lanes. The bases are in
// call->results. Not 0: leave the kernel. LaunchAbi::record, for --race and --init, has the same form: it tells of one
// access that is about to happen. Stored values are in arguments[1...].
using CheckFunction = std::uint32_t (*)(BlockFrame*, LaneCall* call, const CheckedAccesses*, std::uint32_t mask,
                                        std::uint32_t warp);

// Words side by side that lanes of a warp touch, for --race: their marks; reads may be null where none is kept. Not 0:
// they are marked; 0: each of them has to be examined.
struct MarkedRow {
  static constexpr std::uint32_t kWrites = 1, kCommon = 2, kShared = 4;
  std::uint32_t site = 0;
  std::uint32_t words = 0;
  std::uint32_t thread_shift = 0;  // word i is touched by the lane i >> thread_shift after the first one
  std::uint32_t first = 0;         // lane
  std::uint32_t what = 0;          // writes, or reads; common: several lanes read each word; shared memory
};
using MarkFunction = std::uint32_t (*)(BlockFrame*, const MarkedRow*, std::uint64_t* writes, std::uint64_t* reads,
                                       std::uint32_t warp);

// Where marks of an array are: the address for a word at address 0, if there were one. 0: generated code marks nothing.
struct MarkedArray {
  std::uint64_t writes = 0, reads = 0;
};

// What generated code has to know of the running block to mark words by itself; marks and times as in shadow.hpp.
struct WarpOrder {
  std::uint64_t phase = 0, synchronised = 0;
};
struct AccessView {
  std::uint64_t time = 0, launch = 0, block = 0;
  std::uint64_t shared_writes = 0, shared_reads = 0;  // as MarkedArray, of offset 0
  std::uint64_t stamps = 0;                           // for --init: a number for each word, of offset 0
  std::uint32_t begun = 0;                            // words that have it are written
  std::uint32_t barrier = 0;                          // 1 + site of the barrier that threads wait at, if any
  WarpOrder warps[kLanesPerWarp] = {};
};

using ServiceFunction = std::uint32_t (*)(BlockFrame*, LaneCall*);

// Constant while a launch runs; shared by all pool threads.
struct LaunchAbi {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t warps = 1;                // per block: ceil(threads / 32)
  std::uint32_t last_mask = 0xffff'ffff;  // lanes of a block's last warp
  std::uint32_t shared_bytes = 0;         // static (KernelCode::static_shared) plus dynamic
  std::uint32_t dynamic_shared = 0;
  const std::byte* parameters = nullptr;     // laid out as FunctionInfo::parameters says
  const AddressRange* bounds = nullptr;      // one per KernelCode::bounds, looked up at launch
  const std::uint8_t* watched = nullptr;     // one per KernelCode::bounds, for --race and --init: 0: no need to tell
  const std::uint64_t* variables = nullptr;  // LoadedModule::variable_addresses()
  std::array<ServiceFunction, static_cast<std::size_t>(Service::count)> services{};
  CheckFunction check = nullptr, record = nullptr;  // see above
  MarkFunction mark = nullptr;
  const MarkedArray* marked = nullptr;  // one per KernelCode::bounds, for --race
  std::uint64_t envreg[4] = {};         // %envreg0..3
  std::uint64_t grid_id = 0;
  void* runtime = nullptr;  // the runtime's own
};

// What a pointer to a device function holds (function: index into Module::functions). It is not an address, so that a
// wrong call is an error instead of a jump.
constexpr std::uint64_t function_token(std::uint32_t function) {
  return (std::uint64_t{0xc0de} << 32) + 16 * (std::uint64_t{function} + 1);
}

// An mbarrier is a word: the number of its phase, then how many arrivals are pending, then how many each phase expects.
inline constexpr std::uint64_t kMbarrierCountBits = 20;

// The save area of a warp begins with this; the masks of the lanes that wait for each of the kernel's blocks of
// instructions follow, where they wait for different ones.
struct WarpSave {
  static constexpr std::uint32_t kDone = 0xffff'ffff;     // states: no lane is left
  static constexpr std::uint32_t kMany = 0xffff'fffe;     // lanes wait for different blocks
  static constexpr std::uint32_t kYielded = 0xffff'fffd;  // lanes wait for different blocks, and some gave way
  std::uint32_t state = 0;      // a state above, or the number of the block of instructions that all wait for
  std::uint32_t mask = 0;       // the lanes that wait for that block
  std::uint32_t masks[1] = {};  // of Dispatch::inlined
  static constexpr std::uint32_t kQueueOffset = 64;  // of Dispatch::shared: a LaneQueueSave
};

// Where the lanes of a warp that diverged are. Masks; a lane is in one of them, or it has left.
struct LaneQueueSave {
  std::uint32_t running = 0;
  std::uint32_t ready = 0;
  std::uint32_t met = 0;    // wait for lanes of the warp
  std::uint32_t held = 0;   // wait at barriers
  std::uint32_t gave = 0;   // gave way
  std::uint32_t asked = 0;  // of those that met: for a call, which goes on if no other lane comes
  std::uint32_t reserved[10] = {};
  std::uint32_t next[32] = {};   // the kernel's block of instructions where each lane goes on
  std::uint32_t named[32] = {};  // of lanes that met: for whom they wait
};

// The memory of the block that one pool thread runs (or, in a cooperative launch, of one block).
struct BlockFrame {
  const LaunchAbi* launch = nullptr;
  std::uint32_t block_index[3] = {};  // generated code writes [0]; [1] and [2] are the caller's
  std::uint32_t resume = 0;           // 0: blocks start anew; 1: go on with the block in `saves` (cooperative launches)
  std::byte* shared = nullptr;        // LaunchAbi::shared_bytes, aligned to 128
  std::byte* saves = nullptr;         // warps x KernelCode::save_bytes, aligned to 64
  std::byte* locals = nullptr;        // warps x 32 x KernelCode::local_bytes, aligned to 64
  AddressRange* caches = nullptr;     // KernelCode::cached_ranges of them, zero at launch: the range that an access of
                                      // unknown origin was last found in; check_access refreshes it
  void* runtime = nullptr;            // the runtime's own
  AccessView* view = nullptr;         // for --race and --init
  std::uint32_t votes[4] = {};        // of barriers that reduce
  std::uint64_t stack_limit = 0;      // calls of device functions must not bring the thread's stack below it
  std::uint64_t stack_end = 0;        // locals and arguments of device functions are between the two
};

enum class Outcome : std::uint32_t {
  finished,  // all blocks of the run
  waiting,   // cooperative launches: every live warp waits for other blocks
  left,      // a service asked for it; frame->block_index is the block
};

// Runs the blocks [x_begin, x_end) of row (block_index[1], block_index[2]), one after the other. Returns an Outcome.
using KernelFunction = std::uint32_t (*)(BlockFrame*, std::uint32_t x_begin, std::uint32_t x_end);

}  // namespace xcuda::device::cpu
