#include "session/place.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cell/snippet.hpp"

namespace xcuda::session {

Place place_of(const Source& source, cell::Span span) {
  const auto [line, column] = line_column(source.text, span.begin);
  std::string excerpt(line_text(source.text, line));
  const int rest = static_cast<int>(excerpt.size()) - column + 1;
  const int width = static_cast<int>(span.end - std::min(span.begin, span.end));
  return {source.name, line, column, std::max(0, std::min(width, rest)), std::move(excerpt)};
}

std::string snippet(const Source& source, cell::Span span) { return cell::snippet(source.text, span); }

}  // namespace xcuda::session
