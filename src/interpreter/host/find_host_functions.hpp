// Which functions of a cell are the host's: those that launch kernels, call the CUDA Runtime or what only the C library
// of the host has, or call such a function. Their bodies are statements.
#pragma once

#include "cell/parse.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

// They become the cell's functions, before it is compiled. Error(syntax) of what they hold.
void find_host_functions(session::Session& session, session::CellRun& run, cell::Grammar grammar);

}  // namespace xcuda::interpreter
