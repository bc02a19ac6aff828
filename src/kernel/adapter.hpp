// Where exceptions end: what an engine, a request's content or ZeroMQ throws becomes a value.
#pragma once

#include <functional>
#include <optional>

#include "base/error.hpp"
#include "kernel/engine.hpp"

namespace xcuda::kernel {

// Runs action; what it threw, if it threw.
std::optional<Error> caught(const std::function<void()>& action);

// Runs action and gives back its error, or the one it threw.
std::optional<display::RenderedError> guarded(const std::function<std::optional<display::RenderedError>()>& action);

}  // namespace xcuda::kernel
