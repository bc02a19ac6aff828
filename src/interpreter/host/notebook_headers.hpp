// The user's headers with functions for the host, which a compiler for devices refuses: they are read like cells.
#pragma once

#include "interpreter/run_cell.hpp"

namespace xcuda::interpreter {

// Defines the contents of such headers that the cell includes, if they have changed since the last time, and removes
// their #include from the cell. A header that only has device code stays an include. Throws what define() throws.
void define_host_headers(Session& session, CellRun& run, const DeviceCode::CellRequest& request);

}  // namespace xcuda::interpreter
