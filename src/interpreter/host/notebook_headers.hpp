// Headers of the user's with functions for the host, which a compiler for devices refuses: they are read like cells.
#pragma once

#include "interpreter/run_cell.hpp"

namespace xcuda::interpreter {

// Defines what such headers hold that the cell includes, unless they have not changed since, and takes their #include
// out of the cell. What only has device code stays an include. Throws what define() throws of a header.
void define_host_headers(Session& session, CellRun& run, const DeviceCode::CellRequest& request);

}  // namespace xcuda::interpreter
