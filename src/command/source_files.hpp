// The texts of the cells that PTX came from.
#pragma once

#include "display/assembly_view.hpp"
#include "session/session.hpp"

namespace xcuda::command {

display::SourceFiles source_files(session::Session& session, const std::string& ptx);

}  // namespace xcuda::command
