// Which functions of a cell are the host's: those that launch kernels, call the CUDA Runtime or what only the C library
// of the host has, or call such a function. Their bodies are statements.
#pragma once

#include "cell/parse.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

// They become the cell's functions, before it is compiled. Error(syntax) of what they hold.
void find_host_functions(session::Session& session, session::CellRun& run, cell::Grammar grammar);

// Takes the extern "C" prototypes out of the cell of what other cells define: all cells are one program, in which a
// definition with the linkage or the result of another file would contradict them.
void drop_known_prototypes(session::Session& session, session::CellRun& run);
bool holds_host_code(session::Session& session, const session::CellRun& run);  // whether there are any

}  // namespace xcuda::interpreter
