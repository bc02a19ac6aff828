// What %config shows and sets, as one table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::session {

constexpr double kMaxSeconds = 1e6;  // of a limit: eleven days

// A lost rank is the session's to handle, more ranks than cores are welcome, and the threads of each share the cores.
constexpr std::string_view kMpirun = "mpirun --enable-recovery --oversubscribe --bind-to none -n {n}";

struct Settings {
  double grace = 0.5;                      // seconds between an interrupt and the end of a worker
  std::uint64_t output_cap = 16 << 20;     // bytes of output per cell
  double idle = 0;                         // minutes without a cell until the device's process is given back; 0: never
  std::uint64_t memory = 0;                // bytes of arrays, and of each worker's own memory; 0: no limit
  double duration = 0;                     // seconds a cell may take; 0: no limit
  std::uint64_t processes = 0;             // how many a command or program of a cell may have at once; 0: no limit
  double timeout = 0;                      // seconds a cell's launches may take; 0: no limit
  bool bounds_checks = true;               // of the CPU device
  bool deterministic = false;              // libraries add in a fixed order
  bool split = true;                       // grids between devices, as arrays are split
  bool tf32 = false;                       // products of float with factors of 10 bits, on the tensor cores
  std::string compiler_options;            // of every compile, in front of the cell's own
  std::string launcher{kMpirun};           // the command that starts the ranks of %device mpi:N
  int precision = 8;                       // digits of array elements
  std::uint64_t edge_items = 3;            // elements at each end of a summarised axis
  std::optional<std::uint64_t> threshold;  // elements of an array that is shown whole; otherwise what fits a page
};

struct Setting {
  std::string_view name;
  std::string_view value;  // what it takes: "SECONDS"
  std::string_view help;
  std::string (*show)(const Settings&);
  bool (*set)(Settings&, std::string_view);  // false: the value is not one
};

const std::vector<Setting>& setting_table();
const Setting* find_setting(std::string_view name);

}  // namespace xcuda::session
