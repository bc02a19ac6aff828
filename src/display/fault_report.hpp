// A fault of a launch, in words: the kernel's line, which thread accessed which element, what may have been changed.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "display/styled_text.hpp"
#include "display/thread_picture.hpp"

namespace xcuda::display {

// A device's fault with what the session knows about it.
// Host code that is compiled is a kernel of one thread to a device, and not to a reader.
enum class FaultyCode : std::uint8_t { kernel, host_function, host_loop };

struct FaultView {
  device::Fault fault;
  FaultyCode code = FaultyCode::kernel;
  std::string line, other_line;               // the text of the lines that the fault names; empty when not at hand
  int barrier_line = 0;                       // of a race: a barrier between its two lines; 0: none, or not known
  std::string launch;                         // "saxpy<<<32768, 512>>>(2, x, y, out, n)"; empty when unknown
  std::vector<std::string> candidates;        // launches, when it was one of several
  bool before_launch = false;                 // found by a check that ran before the launch
  std::vector<std::string> possibly_written;  // arrays with pointers to non-const since the last synchronisation
  std::vector<std::string> others;            // the arrays that no such launch may write
  std::optional<device::Recovery> recovery;
  std::optional<MarkedThreads> failed_threads;  // of one block: those whose assert failed, if there are several
  std::string recovered_variables;              // "as of the last synchronisation: counter, table"; may be empty
};

StyledText styled_fault_places(const FaultView& view);  // the lines of the kernel, with carets
StyledText styled_fault(const FaultView& view);         // the rest
nlohmann::json fault_json(const FaultView& view);
// What to change in the kernel; empty where the fault does not tell.
std::string fault_advice(const FaultView& view);

}  // namespace xcuda::display
