// Places in a cell's text, for errors.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "cell/tree.hpp"

namespace xcuda::session {

struct Source {
  std::string name;       // "In[7]"
  std::string_view text;  // which outlives this
};

Place place_of(const Source& source, cell::Span span);

// The text of a span, on one line and at most 80 bytes long.
std::string snippet(const Source& source, cell::Span span);

}  // namespace xcuda::session
