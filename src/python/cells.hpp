// Cells of %%python in a session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "display/bundle.hpp"
#include "session/session.hpp"

namespace xcuda::python {

// Where a cursor is in the body of a %%python cell.
struct CellPlace {
  std::string code;        // the body
  std::size_t cursor = 0;  // bytes of the body
  std::size_t begin = 0;   // of the body in the cell, bytes
};
std::optional<CellPlace> cell_place(std::string_view cell, std::size_t cursor);

struct PythonCell {
  std::string code;
  std::vector<std::string> outputs;  // names that become arrays of the session when the cell has run
};
// Runs a cell. Errors: ForeignFailure (a traceback), io, interrupted.
void run_cell(session::Session& session, session::CellRun& run, const PythonCell& cell);

struct Match {
  std::string text, type, signature;
};
struct Matches {
  std::vector<Match> matches;
  std::size_t begin = 0, end = 0;  // of the cell, bytes: what a match replaces
};
// Nothing where Python cannot be started. Errors: interrupted.
Matches complete(session::Session& session, const CellPlace& place);
std::optional<display::Bundle> inspect(session::Session& session, const CellPlace& place, int detail);

// Memory that was freed while Python used it: Python releases pieces that none of its variables holds.
void release(session::Session& session);

}  // namespace xcuda::python
