// Finds the host's functions in a cell: they launch kernels, call the CUDA Runtime or functions that only the host's C
// library has, or call such a function. Their bodies are statements.
#pragma once

#include "cell/parse.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

// Makes them the cell's functions, before it is compiled. Error(syntax) for their bodies.
void find_host_functions(session::Session& session, session::CellRun& run, cell::Grammar grammar);

// Removes the cell's extern "C" prototypes of functions that other cells define: all cells are one program, in which a
// definition with another linkage or result would contradict them.
void drop_known_prototypes(session::Session& session, session::CellRun& run);
bool holds_host_code(session::Session& session, const session::CellRun& run);  // whether there are any

}  // namespace xcuda::interpreter
