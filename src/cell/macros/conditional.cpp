#include "cell/conditional.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "cell/lexer.hpp"

namespace xcuda::cell {
namespace {

// What goes beyond these is nothing that anybody would write, and counts as 0.
constexpr int kMostMacros = 1000;  // that are looked into; one that another has twice counts twice
constexpr int kMostLevels = 200;   // of parentheses, signs, and macros in macros

const std::string* value_of(std::string_view name, const Macros& macros) {
  for (const auto* known : {&macros, &predefined_macros()})
    if (const auto found = known->find(name); found != known->end()) return &found->second;
  return nullptr;
}

// Integers and their operators, by precedence; a macro is a condition of its own.
class Condition {
 public:
  Condition(std::string_view text, const Macros& macros, int& macros_left, int level = 0)
      : tokens_(tokens_of(text)), macros_(macros), macros_left_(macros_left), level_(level) {}

  std::int64_t value() {
    const auto value = ternary();
    return too_deep_ ? 0 : value;
  }

 private:
  bool at(std::string_view text) const { return at_ < tokens_.size() && tokens_[at_].is(text); }
  bool accept(std::string_view text) {
    if (!at(text)) return false;
    ++at_;
    return true;
  }
  // ">=" is two tokens.
  bool accept_pair(std::string_view first, std::string_view second) {
    const bool both =
        at(first) && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is(second) && !tokens_[at_ + 1].space_before;
    if (both) at_ += 2;
    return both;
  }

  // One level further in, if that is not too deep.
  template <class Rule> std::int64_t nested(Rule rule) {
    if (level_ >= kMostLevels) {
      at_ = tokens_.size();
      too_deep_ = true;
      return 0;
    }
    ++level_;
    const auto value = rule();
    --level_;
    return value;
  }
  // Integers wrap.
  template <class Operation> static std::int64_t wrapped(std::int64_t a, std::int64_t b, Operation operation) {
    return static_cast<std::int64_t>(operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  }

  std::int64_t ternary() {
    return nested([this] { return choice(); });
  }
  std::int64_t choice() {
    const auto condition = either();
    if (!accept("?")) return condition;
    const auto yes = ternary();
    accept(":");
    const auto no = ternary();
    return condition != 0 ? yes : no;
  }
  std::int64_t either() {
    auto left = both();
    while (accept("||")) {
      const auto right = both();
      left = left != 0 || right != 0 ? 1 : 0;
    }
    return left;
  }
  std::int64_t both() {
    auto left = bits();
    while (accept("&&")) {
      const auto right = bits();
      left = left != 0 && right != 0 ? 1 : 0;
    }
    return left;
  }
  std::int64_t bits() {
    auto left = equal();
    for (;;) {
      if (accept("&"))
        left &= equal();
      else if (accept("|"))
        left |= equal();
      else if (accept("^"))
        left ^= equal();
      else
        return left;
    }
  }
  std::int64_t equal() {
    auto left = compared();
    for (;;) {
      if (accept("=="))
        left = left == compared() ? 1 : 0;
      else if (accept("!="))
        left = left != compared() ? 1 : 0;
      else
        return left;
    }
  }
  std::int64_t compared() {
    auto left = shifted();
    for (;;) {
      if (accept("<=") || accept_pair("<", "="))
        left = left <= shifted() ? 1 : 0;
      else if (accept(">=") || accept_pair(">", "="))
        left = left >= shifted() ? 1 : 0;
      else if (accept("<"))
        left = left < shifted() ? 1 : 0;
      else if (accept(">"))
        left = left > shifted() ? 1 : 0;
      else
        return left;
    }
  }
  std::int64_t shifted() {
    auto left = sum();
    for (;;) {
      if (accept("<<") || accept_pair("<", "<"))
        left = wrapped(left, sum(), [](auto a, auto b) { return b < 64 ? a << b : 0; });
      else if (accept(">>") || accept_pair(">", ">"))
        left = left >> std::clamp<std::int64_t>(sum(), 0, 63);
      else
        return left;
    }
  }
  std::int64_t sum() {
    auto left = product();
    for (;;) {
      if (accept("+"))
        left = wrapped(left, product(), std::plus());
      else if (accept("-"))
        left = wrapped(left, product(), std::minus());
      else
        return left;
    }
  }
  std::int64_t product() {
    auto left = unary();
    for (;;) {
      const bool times = at("*"), over = at("/");
      if (!times && !over && !at("%")) return left;
      ++at_;
      const auto right = unary();
      if (times)
        left = wrapped(left, right, std::multiplies());
      else if (right == 0)
        left = 0;
      else if (right == -1)  // the least integer has no opposite
        left = over ? wrapped(0, left, std::minus()) : 0;
      else
        left = over ? left / right : left % right;
    }
  }
  std::int64_t unary() {
    const auto operand = [this] { return nested([this] { return unary(); }); };
    if (accept("!")) return operand() == 0 ? 1 : 0;
    if (accept("-")) return wrapped(0, operand(), std::minus());
    if (accept("+")) return operand();
    if (accept("~")) return ~operand();
    if (accept("(")) {
      const auto inside = ternary();
      accept(")");
      return inside;
    }
    if (at_ >= tokens_.size()) return 0;
    const auto& token = tokens_[at_++];
    if (token.kind == TokenKind::number) return std::strtoll(std::string(token.text).c_str(), nullptr, 0);
    if (token.is("defined")) return is_defined() ? 1 : 0;
    if (token.is("true")) return 1;
    if (!token.is_identifier()) return 0;
    const auto* value = value_of(token.text, macros_);
    if (at("(")) skip_group();  // __has_include(<x>), and macros with parameters
    if (value == nullptr || level_ >= kMostLevels || --macros_left_ < 0) return 0;
    return Condition(*value, macros_, macros_left_, level_ + 1).value();
  }
  bool is_defined() {
    const bool open = accept("(");
    const bool known = at_ < tokens_.size() && value_of(tokens_[at_].text, macros_) != nullptr;
    ++at_;
    if (open) accept(")");
    return known;
  }
  void skip_group() {
    for (int depth = 0; at_ < tokens_.size(); ++at_) {
      if (at("(")) ++depth;
      if (at(")") && --depth == 0) break;
    }
    ++at_;
  }

  std::vector<Token> tokens_;
  const Macros& macros_;
  int& macros_left_;
  int level_;
  bool too_deep_ = false;
  std::size_t at_ = 0;
};

}  // namespace

const Macros& predefined_macros() {
  static const Macros kMacros = {
      {"__CUDACC__", "1"},
      {"__NVCC__", "1"},
      {"__cplusplus", "202002"},
      {"__linux__", "1"},
      {"__linux", "1"},
      {"linux", "1"},
      {"__unix__", "1"},
      {"__GNUC__", "12"},
      {"__LP64__", "1"},
      {"__x86_64__", "1"},
      {"__STDC__", "1"},
      {"CUDART_VERSION", std::to_string(kRuntimeVersion)},
      {"CUDA_VERSION", std::to_string(kRuntimeVersion)},
      {"__CUDACC_VER_MAJOR__", "13"},
      {"__CUDACC_VER_MINOR__", "0"},
  };
  return kMacros;
}

bool holds(std::string_view name, std::string_view rest, const Macros& macros) {
  if (name == "if" || name == "elif") {
    const auto end = rest.find('\n');  // lines that "#if 0" disables follow
    const bool continued = end != std::string_view::npos && end > 0 && rest[end - 1] == '\\';
    int macros_left = kMostMacros;
    return Condition(continued ? rest : rest.substr(0, end), macros, macros_left).value() != 0;
  }
  const auto words = tokens_of(rest);
  const bool known = !words.empty() && value_of(words.front().text, macros) != nullptr;
  return name.ends_with("ndef") ? !known : known;
}

}  // namespace xcuda::cell
