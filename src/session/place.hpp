// A cell's text with its name: places and pieces of it, for errors.
#pragma once

#include <string>

#include "cell/lexer.hpp"
#include "cell/snippet.hpp"
#include "cell/tree.hpp"

namespace xcuda::session {

using cell::Source;

// The text of a span, on one line and at most 80 bytes long.
inline std::string snippet(const Source& source, cell::Span span) { return cell::snippet(source.text, span); }

}  // namespace xcuda::session
