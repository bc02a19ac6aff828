// How much of an error, a value or a list of completions goes to the client, which keeps it in memory and in the
// notebook. A note takes the place of what is cut. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "kernel/engine.hpp"

namespace xcuda::kernel {

inline constexpr std::size_t kMaxEvalue = 4 << 10;       // bytes; the whole message is in the traceback
inline constexpr std::size_t kMaxTraceback = 256 << 10;  // bytes of all lines
inline constexpr std::size_t kMaxExpressions = 256;      // user_expressions of one request
inline constexpr std::size_t kMaxValue = 1 << 20;        // bytes of one user expression, as JSON
inline constexpr std::size_t kMaxValues = 16 << 20;      // of all of a request
inline constexpr std::size_t kMaxPage = 4 << 20;         // an inspection, and what is shown in the pager
inline constexpr std::size_t kMaxMatches = 1000;         // completions
inline constexpr std::size_t kMaxMatch = 1 << 10;        // bytes of one, and of its signature

// The start of the text, at most so many bytes, and how much is missing: "int x ... [cut: 2.0 MiB]".
std::string bounded_text(std::string text, std::size_t bytes);

// The error with all parts within their limits; a long traceback keeps its first and last lines.
display::RenderedError bounded_error(display::RenderedError error);

// A bundle of at most about so many bytes of JSON: the largest forms are left out first, then text/plain is cut.
// text/plain says what is missing.
Json bounded_bundle(Json data, std::size_t bytes);

struct BoundedMatches {
  editor::Matches kept;
  std::size_t left_out = 0;
};
BoundedMatches bounded_matches(editor::Matches found);

}  // namespace xcuda::kernel
