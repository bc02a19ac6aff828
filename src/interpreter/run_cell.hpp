// One cell from text to outputs.
#pragma once

#include <optional>
#include <string>

#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

// Nothing escapes; an error is a value that the display renders.
std::optional<display::ErrorView> run_cell(Session& session, const CellText& text, Sink& sink);
// The first half of a parsed cell: compiles its device code, checks its statements, and adds its definitions to the
// session. Throws CompileFailure, CheckFailure, without any change.
display::CompileView define(Session& session, CellRun& run, DeviceCode::CellRequest request = {});
// Evaluates a user expression of the cell that ran last: it is not in the history, its output goes to the sink, and an
// interrupt of that cell ends it, too.
std::optional<display::ErrorView> evaluate(Session& session, const std::string& expression, Sink& sink,
                                           display::Bundle& bundle);

}  // namespace xcuda::interpreter
