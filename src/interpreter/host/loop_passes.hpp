// How many passes a loop is going to take, where its head tells: for (int i = 0; i < n; i += 2). For the line of
// progress, which may be wrong about a loop whose body changes what its head reads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cell/tree.hpp"

namespace xcuda::interpreter {

using KnownNumber = std::function<std::optional<double>(const std::string& name)>;

// Called after the loop's first statement has run: `known` has the value that its variable begins with. Nothing for any
// other head, and for one that counts away from its end.
std::optional<std::uint64_t> passes_of(const cell::For& loop, const KnownNumber& known);

}  // namespace xcuda::interpreter
