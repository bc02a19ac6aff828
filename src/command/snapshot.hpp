// What a session can answer while a cell runs in it: pure data, taken between two cells.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "command/scope.hpp"
#include "display/device_report.hpp"
#include "display/kernel_view.hpp"
#include "session/array_table.hpp"
#include "session/modules.hpp"

namespace xcuda::command {

struct Snapshot {
  Scope scope;
  display::ArrayList arrays;                 // as %arrays lists them, without the device's memory
  std::vector<display::KernelView> kernels;  // as %info shows them, without occupancy
};
Snapshot snapshot_of(session::Session& session);

// What %arrays lists and %info shows, but for what only the device knows.
// "AMD EPYC 9354"; of several devices "device 1", "devices 0 to 2: 4, 3, 3 along axis 0", "a copy on each".
std::string place_text(session::Session& session, const session::Array& array);
display::ArrayList array_list_of(session::Session& session);
display::KernelView kernel_view_of(session::Session& session, const session::Kernel& kernel);

// Runs a cell that has only %arrays and %info. Errors: unsupported (anything else), name, value; it shows nothing then.
using Show = std::function<void(const display::Bundle&)>;
void run_cell(const Snapshot& snapshot, std::string_view code, const Show& show);

}  // namespace xcuda::command
