// An array as it is shown.
#pragma once

#include "arrays/pointer.hpp"
#include "display/array_view.hpp"
#include "session/settings.hpp"

namespace xcuda::session {

class Session;

display::PrintOptions print_options(const Settings& settings, const Type& type);

// Synchronises, and reads what is shown.
display::ArrayView view_of(Session& session, const arrays::Pointer& pointer, const display::PrintOptions& options);

}  // namespace xcuda::session
