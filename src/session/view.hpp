// An array as it is shown.
#pragma once

#include "arrays/pointer.hpp"
#include "arrays/sparse.hpp"
#include "display/array_view.hpp"
#include "display/matrix_table.hpp"
#include "session/settings.hpp"

namespace xcuda::session {

class Session;

display::PrintOptions print_options(const Settings& settings, const Type& type);

// Synchronises, and reads what is shown.
display::ArrayView view_of(Session& session, const arrays::Pointer& pointer, const display::PrintOptions& options);
// With so many of its elements, which are read.
display::SparseView view_of(Session& session, const arrays::SparseMatrix& matrix, std::uint64_t shown);

}  // namespace xcuda::session
