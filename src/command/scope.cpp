#include "command/scope.hpp"

#include <cctype>

#include "base/text.hpp"

namespace xcuda::command {
namespace {

std::string_view without_leading_comments(std::string_view text) {
  for (text = trim(text); text.starts_with("//") || text.starts_with("/*"); text = trim(text)) {
    const bool line = text[1] == '/';
    const auto end = text.find(line ? "\n" : "*/");
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (line ? 1 : 2));
  }
  return text;
}

}  // namespace

std::string declaration_of(const KnownDefinition& definition) {
  if (!definition.signature.empty()) return definition.signature;
  std::string_view head = without_leading_comments(definition.source);
  const bool macro = definition.kind == KnownDefinition::Kind::macro;
  head = trim(head.substr(0, head.find_first_of(macro ? "\n" : "{;")));
  std::string line;
  for (const char c : head) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank)
      line += c;
    else if (!line.ends_with(' '))
      line += ' ';
  }
  return line.empty() ? definition.name : line;
}

}  // namespace xcuda::command
