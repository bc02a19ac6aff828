// One cell from text to outputs.
#pragma once

#include <optional>
#include <string>

#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

// Nothing escapes; an error is a value that the display renders.
std::optional<display::ErrorView> run_cell(Session& session, const CellText& text, Sink& sink);
// The first half of a cell that is parsed: its device code is compiled, its statements are checked, and what it defines
// becomes the session's. Throws CompileFailure, CheckFailure; nothing has changed then.
display::CompileView define(Session& session, CellRun& run, DeviceCode::CellRequest request = {});
// A user expression of the cell that ran last: it is not in the history, what it prints goes to the sink, and an
// interrupt of that cell ends it, too.
std::optional<display::ErrorView> evaluate(Session& session, const std::string& expression, Sink& sink,
                                           display::Bundle& bundle);

}  // namespace xcuda::interpreter
