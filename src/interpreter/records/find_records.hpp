#pragma once

#include "cell/parse.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

// Makes the structs of a cell that only the host has, and their functions and operators, code that statements run.
// Throws Error(unsupported) for what statements cannot hold, Error(type) where device code names such a struct.
void find_records(session::Session& session, session::CellRun& run, cell::Grammar grammar);

}  // namespace xcuda::interpreter
