// What commands show of a module: the texts of its cells, its machine code, its definitions.
#pragma once

#include "display/assembly_view.hpp"
#include "session/session.hpp"

namespace xcuda::command {

struct Invocation;

// The cells that a module's PTX names, with their texts.
display::SourceFiles source_files(session::Session& session, const std::string& ptx);

// The disassembled module. Error(unsupported) if it holds no GPU code, or no disassembler is found; what: a name.
std::string disassembled(Invocation& call, const compiler::CompileOutput& output, std::string_view what);

// Shows the kernels and variables of a module that a file or a cell of PTX defined.
void show_module(Invocation& call, const session::Module& module);

}  // namespace xcuda::command
