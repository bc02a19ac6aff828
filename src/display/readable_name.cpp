#include "display/readable_name.hpp"

#include <cctype>

namespace xcuda::display {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

// Reads a text up to the bracket that ends it. Brackets deeper than `deepest` are left empty.
class Shortener {
 public:
  Shortener(std::string_view text, int deepest) : text_(text), deepest_(deepest) {}

  std::string read(int depth = 0) {
    std::string out;
    std::size_t name = 0;  // where the name begins that is being read, scopes and all
    while (at_ < text_.size() && (depth == 0 || text_[at_] != '>')) {
      const auto rest = text_.substr(at_);
      if (rest.starts_with("operator")) {
        at_ += 8;
        out += "operator";
        while (at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>' || text_[at_] == '-' || text_[at_] == '='))
          out += text_[at_++];
      } else if (rest.starts_with("::")) {
        at_ += 2;
        out.erase(name);
      } else if (rest.starts_with(kAnonymous)) {
        at_ += kAnonymous.size();
      } else if (text_[at_] == '<') {
        ++at_;
        const std::string inside = read(depth + 1);
        if (at_ < text_.size()) ++at_;
        out += depth >= deepest_ && !inside.empty() ? "<...>" : "<" + inside + ">";
      } else {
        const char letter = text_[at_++];
        out += letter;
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_') name = out.size();
      }
    }
    return out;
  }

 private:
  std::string_view text_;
  int deepest_;
  std::size_t at_ = 0;
};

// Without what is between the last parentheses outside of brackets: a function's parameters.
std::string without_parameters(const std::string& name) {
  if (!name.ends_with(')')) return name;
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
    if (depth == 0) return name.substr(0, at) + "(...)";
  }
  return name;
}

}  // namespace

std::string readable_name(std::string_view name) {
  if (name.size() <= kLongName) return std::string(name);
  constexpr int kDeepest = 5;
  std::string text;
  for (int deepest = kDeepest; deepest >= 0; --deepest) {
    text = Shortener(name, deepest).read();
    if (text.size() <= kLongName) return text;
    text = without_parameters(text);
    if (text.size() <= kLongName) break;
  }
  return text;
}

}  // namespace xcuda::display
