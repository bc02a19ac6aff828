// What ended a cell, as one text: a heading, the excerpt with a caret, notes, what the library said, what to do now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compiler/compile_output.hpp"
#include "device/device.hpp"
#include "display/rendered_error.hpp"

namespace xcuda::display {

// A device's fault with what the session knows about it.
struct FaultView {
  device::Fault fault;
  std::string launch;                         // "saxpy<<<32768, 512>>>(2, x, y, out, n)"; empty when unknown
  std::vector<std::string> candidates;        // launches, when it was one of several
  bool before_launch = false;                 // found by a check that ran before the launch
  std::vector<std::string> possibly_written;  // arrays with pointers to non-const since the last synchronisation
  std::vector<std::string> others;            // the arrays that no such launch may write
  std::optional<device::Recovery> recovery;
  std::string recovered_variables;  // "as of the last synchronisation: counter, table"; may be empty
};

struct ErrorView {
  ErrorView(const Error& error) : error(error) {}  // NOLINT(google-explicit-constructor)
  Error error;
  std::vector<compiler::Diagnostic> diagnostics;  // of a failed compile
  std::optional<FaultView> fault;
  std::optional<RenderedError> rendered;  // by another language: shown as it is
  // Of a cell that was refused before any of it ran: the other errors, in the order of the cell.
  std::optional<std::vector<Error>> further;
};

RenderedError render_error(const ErrorView& error, Colours colours = Colours::ansi);  // colours: of the traceback

// "  2 | y[i] = a * x;" and the line with the carets; nothing when the place has no excerpt.
std::string excerpt_text(const Place& place, Colours colours);

}  // namespace xcuda::display
