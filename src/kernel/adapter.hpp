// Where exceptions end: exceptions of an engine, a request's content or ZeroMQ become values.
#pragma once

#include <functional>
#include <optional>

#include "base/error.hpp"
#include "kernel/engine.hpp"

namespace xcuda::kernel {

// Runs action; returns the exception as an Error, if it threw.
std::optional<Error> caught(const std::function<void()>& action);

// Runs action and gives back its error, or the one it threw.
std::optional<display::RenderedError> guarded(const std::function<std::optional<display::RenderedError>()>& action);

}  // namespace xcuda::kernel
