// The error that ended a cell, as one text: a heading, the excerpt with a caret, notes, the library's words, advice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compiler/compile_output.hpp"
#include "display/fault_report.hpp"
#include "display/rendered_error.hpp"

namespace xcuda::display {

struct ErrorView {
  ErrorView(const Error& error) : error(error) {}  // NOLINT(google-explicit-constructor)
  Error error;
  std::vector<compiler::Diagnostic> diagnostics;  // of a failed compile
  std::optional<FaultView> fault;
  std::optional<RenderedError> rendered;  // by another language: shown as it is
  // The other errors of a cell that was refused before any of it ran, in the order of the cell.
  std::optional<std::vector<Error>> further;
};

RenderedError render_error(const ErrorView& error, Colours colours = Colours::ansi);  // colours: of the traceback

}  // namespace xcuda::display
