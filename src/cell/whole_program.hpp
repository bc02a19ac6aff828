// Cells that are whole programs: those that define main().
#pragma once

#include <optional>
#include <string_view>

#include "cell/tree.hpp"

namespace xcuda::cell {

// The magic that runs programs; a cell that defines main() needs no line with its name.
inline constexpr std::string_view kProgramMagic = "cuda";

// Whether a magic is implied, not written: the cell defines main(), whose name is the magic's name_span.
inline bool is_implied(const Magic& magic) { return magic.whole_cell && magic.body_span.begin == 0; }

// The name in the definition of main() at namespace scope. The text may be broken after that, and need not be what the
// parser of cells reads: programs are for nvcc.
std::optional<Span> main_of(std::string_view text);

}  // namespace xcuda::cell
