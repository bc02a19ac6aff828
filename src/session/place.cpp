#include "session/place.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace xcuda::session {

Place place_of(const Source& source, cell::Span span) {
  const auto [line, column] = line_column(source.text, span.begin);
  std::string excerpt(line_text(source.text, line));
  const int rest = static_cast<int>(excerpt.size()) - column + 1;
  const int width = static_cast<int>(span.end - std::min(span.begin, span.end));
  return {source.name, line, column, std::max(0, std::min(width, rest)), std::move(excerpt)};
}

std::string snippet(const Source& source, cell::Span span) {
  std::string text;
  for (auto i = span.begin; i < std::min<std::size_t>(span.end, source.text.size()); ++i) {
    const char c = source.text[i];
    if (std::isspace(static_cast<unsigned char>(c)) == 0)
      text.push_back(c);
    else if (!text.empty() && text.back() != ' ')
      text.push_back(' ');
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == ';')) text.pop_back();
  if (text.size() > 80) {
    text.resize(77 - incomplete_utf8_tail(std::string_view(text).substr(0, 77)));
    text += "...";
  }
  return text;
}

}  // namespace xcuda::session
