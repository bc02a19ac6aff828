// The errors that carry more than text, until run_cell hands them to the display.
#pragma once

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "compiler/compile_output.hpp"
#include "display/error_report.hpp"

namespace xcuda::session {

// Code that NVRTC or nvcc refuses. An error without advice gets the headers that the diagnostics ask for.
struct CompileFailure : Error {
  CompileFailure(Error error, std::vector<compiler::Diagnostic> diagnostics);
  std::vector<compiler::Diagnostic> diagnostics;
};

// Statements that cannot run as they are written: the first error, and the others, in the order of the text.
struct CheckFailure : Error {
  CheckFailure(Error error, std::vector<Error> further) : Error(std::move(error)), further(std::move(further)) {}
  std::vector<Error> further;
};

// A launch that ended the device's process.
struct DeviceFailure : Error {
  DeviceFailure(Error error, display::FaultView fault) : Error(std::move(error)), fault(std::move(fault)) {}
  display::FaultView fault;
};

// An error that another language has put into words already: a traceback of Python's.
struct ForeignFailure : Error {
  ForeignFailure(Error error, display::RenderedError rendered)
      : Error(std::move(error)), rendered(std::move(rendered)) {}
  display::RenderedError rendered;
};

}  // namespace xcuda::session
