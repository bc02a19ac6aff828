#include "cell/snippet.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace xcuda::cell {

std::string snippet(std::string_view source, Span span) {
  std::string text;
  for (auto i = span.begin; i < std::min<std::size_t>(span.end, source.size()); ++i) {
    const char c = source[i];
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

}  // namespace xcuda::cell
