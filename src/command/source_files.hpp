// What a module was made from and made to: the texts of cells, machine code.
#pragma once

#include "display/assembly_view.hpp"
#include "session/session.hpp"

namespace xcuda::command {

struct Invocation;

display::SourceFiles source_files(session::Session& session, const std::string& ptx);

// The disassembled module. Error(unsupported) where there is no code of a GPU, or nothing that reads it; what: a name.
std::string disassembled(Invocation& call, const compiler::CompileOutput& output, std::string_view what);

}  // namespace xcuda::command
