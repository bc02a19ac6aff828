#include "cell/line_accesses.hpp"

#include <algorithm>
#include <initializer_list>

#include "cell/lexer.hpp"

namespace xcuda::cell {
namespace {

class LineReader {
 public:
  explicit LineReader(std::string_view line) : tokens_(tokens_of(line)) {}

  std::vector<LineAccess> accesses() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (is(i, {"*"}) && is_unary(i))
        add_dereference(i);
      else if (tokens_[i].is_identifier() && !(i > 0 && is(i - 1, {".", "->", "::"})))
        add_chain(i);
    }
    return std::move(found_);
  }

  std::vector<Span> calls(std::string_view name) const {
    std::vector<Span> found;
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (!tokens_[i].is_identifier() || !tokens_[i].text.starts_with(name) || !is(i + 1, {"("})) continue;
      auto first = i;
      while (first >= 2 && is(first - 1, {".", "->", "::"}) && tokens_[first - 2].is_identifier()) first -= 2;
      found.push_back(between(first, after_bracket(i + 1)));
    }
    return found;
  }

  Span all() const { return tokens_.empty() ? Span{} : between(0, tokens_.size()); }

 private:
  bool is(std::size_t i, std::initializer_list<std::string_view> texts) const {
    return i < tokens_.size() && tokens_[i].kind != TokenKind::string &&
           std::find(texts.begin(), texts.end(), tokens_[i].text) != texts.end();
  }

  // Whether an operator has nothing on its left: "return *p", "x = &y".
  bool is_unary(std::size_t i) const {
    if (i == 0 || is(i - 1, {"return", "else", "case"})) return true;
    const auto& before = tokens_[i - 1];
    return before.kind == TokenKind::punctuator && !is(i - 1, {")", "]", ">"});
  }

  // After the bracket that closes the one at i; the end where the line ends before it.
  std::size_t after_bracket(std::size_t i) const {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      depth += is(i, {"(", "["}) ? 1 : is(i, {")", "]"}) ? -1 : 0;
      if (depth == 0) return i + 1;
    }
    return i;
  }

  // The end of the expression in brackets, or of the name with its subscripts and calls, at i.
  std::size_t after_operand(std::size_t i) const {
    while (is(i, {"&"})) ++i;
    if (i < tokens_.size() && tokens_[i].is_identifier()) ++i;
    while (is(i, {"(", "["})) i = after_bracket(i);
    return i;
  }

  Span between(std::size_t first, std::size_t end) const {
    return {tokens_[first].span.begin, tokens_[end - 1].span.end};
  }

  // What an expression's neighbours do with it.
  void set_roles(LineAccess& access, std::size_t first, std::size_t end) const {
    const bool shifted = is(end, {">"}) && is(end + 1, {">"}) && is(end + 2, {"="});  // >>=
    const bool handed_on =
        first > 0 && is(first - 1, {"&"}) && is_unary(first - 1);  // to a function, which may do both
    const bool changed = is(end, {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", "++", "--"}) || shifted ||
                         (first > 0 && is(first - 1, {"++", "--"}));
    access.writes = changed || handed_on || is(end, {"="});
    access.reads = changed || handed_on || !is(end, {"="});
  }

  void add_dereference(std::size_t star) {
    auto first = star + 1;
    while (is(first, {"*"})) ++first;
    if (first >= tokens_.size()) return;
    LineAccess access;
    std::size_t end = first;
    if (is(first, {"("})) {
      end = after_bracket(first);
      if (is(end - 2, {"*"})) end = after_operand(end);  // "*(int*)(p + 1)"
    } else if (tokens_[first].text.ends_with("_cast") && is(first + 1, {"<"})) {
      while (end < tokens_.size() && !is(end, {"("})) ++end;
      end = after_bracket(end);
    } else if (tokens_[first].is_identifier()) {
      access.name = tokens_[first].text;
      end = first + 1;
      if (is(end, {"++", "--"})) ++end;
    } else {
      return;
    }
    access.span = between(star, end);
    set_roles(access, star, end);
    found_.push_back(access);
  }

  // "x", "x[i]", "p->x[i].y" from its first name on.
  void add_chain(std::size_t first) {
    LineAccess access{.name = tokens_[first].text, .kind = LineAccess::Kind::name};
    auto end = first + 1;
    for (;;) {
      if (is(end, {"["})) {
        access.kind = LineAccess::Kind::plain;
        end = after_bracket(end);
      } else if (is(end, {".", "->", "::"}) && end + 1 < tokens_.size() && tokens_[end + 1].is_identifier()) {
        if (is(end + 2, {"("})) return add_call(first, end + 1, end, access);
        if (is(end, {"->"})) access.kind = LineAccess::Kind::plain;
        end += 2;
      } else {
        break;
      }
    }
    if (end == first + 1 && is(end, {"("})) return add_call(first, first, end, access);
    add(access, first, end);
  }

  // Adds a call of the function at `function`. It also reaches its object, tokens [first, end): "x[i].length()".
  void add_call(std::size_t first, std::size_t function, std::size_t end, LineAccess access) {
    const auto name = tokens_[function].text;
    constexpr std::string_view kOfAtomics[] = {"fetch_", "compare_exchange_", "exchange", "load", "store"};
    const bool member =
        function > first && std::any_of(std::begin(kOfAtomics), std::end(kOfAtomics),
                                        [&](std::string_view begin) { return name.starts_with(begin); });
    if (!member && !name.starts_with("atomic")) {
      if (function > first) add(access, first, end);
      return;
    }
    const auto after = after_bracket(function + 1);
    access = {.span = between(first, after),
              .name = function > first ? tokens_[first].text : std::string_view(),
              .kind = LineAccess::Kind::atomic,
              .reads = true,
              .writes = true};
    atomics_end_ = after;
    found_.push_back(access);
  }

  void add(LineAccess access, std::size_t first, std::size_t end) {
    if (first < atomics_end_ && is(first - 1, {"&"})) return;  // "atomicAdd(&x[i], 1)" is the access
    access.span = between(first, end);
    set_roles(access, first, end);
    found_.push_back(access);
  }

  std::vector<Token> tokens_;
  std::vector<LineAccess> found_;
  std::size_t atomics_end_ = 0;  // of the last call of an atomic function
};

}  // namespace

std::vector<LineAccess> accesses_of_line(std::string_view line) { return LineReader(line).accesses(); }

std::vector<Span> calls_of_line(std::string_view line, std::string_view name) { return LineReader(line).calls(name); }

Span code_of_line(std::string_view line) { return LineReader(line).all(); }

}  // namespace xcuda::cell
