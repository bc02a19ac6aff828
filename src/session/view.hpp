// Arrays and sparse matrices as they are shown.
#pragma once

#include <string>

#include "arrays/pointer.hpp"
#include "arrays/sparse.hpp"
#include "display/array_view.hpp"
#include "display/matrix_table.hpp"
#include "session/settings.hpp"

namespace xcuda::session {

class Session;

display::PrintOptions print_options(const Settings& settings, const Type& type);

// "NVIDIA H200"; of several devices those that hold it. The memory of a set of CPU devices is the host's, so that only
// the arrays say whose it is.
std::string home_of(Session& session, const arrays::Pointer& elements);

// Synchronises, and reads the elements that are shown.
display::ArrayView view_of(Session& session, const arrays::Pointer& pointer, const display::PrintOptions& options);
// Reads so many elements of the matrix.
display::SparseView view_of(Session& session, const arrays::SparseMatrix& matrix, std::uint64_t shown);

}  // namespace xcuda::session
