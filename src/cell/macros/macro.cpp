#include "cell/macro.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "cell/lexer.hpp"

namespace xcuda::cell {

bool Macro::takes(std::size_t arguments) const {
  if (!parameters.empty() && parameters.back() == "...") return arguments + 1 >= parameters.size();
  return arguments == parameters.size();
}

namespace {

constexpr std::size_t kMaxMacroDepth = 256;     // of macros that call macros
constexpr std::size_t kMaxMacroText = 1 << 20;  // characters, of all replacements together
constexpr std::size_t kMacroCall = 64;          // what a call counts for that is replaced by nothing

Error too_much(std::string_view name, std::string what) {
  return Error(ErrorKind::unsupported, fmt::format("cannot expand the macro {}: {}", name, what))
      .advise("Write a function or a constexpr constant instead.");
}

// "text" as a literal: #x
std::string as_literal(std::string_view text) {
  std::string literal = "\"";
  for (const auto& token : tokens_of(text)) {
    if (token.space_before && literal.size() > 1) literal += ' ';
    const bool quoted = token.kind == TokenKind::string || token.kind == TokenKind::character;
    for (const char c : token.text) {
      if (c == '"' || (quoted && c == '\\')) literal += '\\';
      literal += c;
    }
  }
  return literal + '"';
}

// The arguments as written, for # and ##, and with the macros in them replaced, for all other uses.
struct MacroArguments {
  const std::vector<std::string>&written, &expanded;
};

class Substitution {
 public:
  Substitution(const Macro& macro, const MacroArguments& arguments)
      : macro_(macro),
        arguments_(arguments),
        variadic_(!macro.parameters.empty() && macro.parameters.back() == "..."),
        named_(macro.parameters.size() - (variadic_ ? 1 : 0)) {}

  std::string text() const {
    // A token comes first, so that a # at its start does not begin a directive.
    const auto whole = "; " + macro_.replacement;
    const auto tokens = with_options(tokens_of(whole));
    std::string text;
    for (std::size_t i = 1; i < tokens.size() && text.size() <= kMaxMacroText; ++i) {  // longer: the caller refuses it
      if (const auto after = paste(tokens, i)) {
        while (!text.empty() && text.back() == ' ') text.pop_back();
        const auto next = of(tokens[i + after], arguments_.written);
        const bool rest = tokens[i + after].is("__VA_ARGS__");
        if (rest && next.empty() && text.ends_with(',')) text.pop_back();  // printf(format, ##__VA_ARGS__)
        text += next;
        i += after;
        continue;
      }
      if (tokens[i].space_before && !text.empty()) text += ' ';
      if (tokens[i].is("#") && i + 1 < tokens.size() && is_parameter(tokens[i + 1]))
        text += as_literal(of(tokens[++i], arguments_.written));
      else
        text += of(tokens[i], i + 1 < tokens.size() && paste(tokens, i + 1) ? arguments_.written : arguments_.expanded);
    }
    return text;
  }

 private:
  // __VA_OPT__(text) is the text where `...` has arguments, else nothing.
  std::vector<Token> with_options(std::vector<Token> tokens) const {
    const auto rest = std::min(named_, arguments_.written.size());
    const bool given = std::any_of(arguments_.written.begin() + static_cast<std::ptrdiff_t>(rest),
                                   arguments_.written.end(), [](const std::string& one) { return !one.empty(); });
    for (std::size_t i = 0; variadic_ && i + 1 < tokens.size(); ++i) {
      if (!tokens[i].is("__VA_OPT__") || !tokens[i + 1].is("(")) continue;
      int depth = 0;
      auto close = i + 1;
      for (; close < tokens.size(); ++close) {
        if (tokens[close].is("(")) ++depth;
        if (tokens[close].is(")") && --depth == 0) break;
      }
      if (close == tokens.size()) break;
      const auto at = [&](std::size_t k) { return tokens.begin() + static_cast<std::ptrdiff_t>(k); };
      if (!given) {
        tokens.erase(at(i), at(close + 1));
        --i;
        continue;
      }
      tokens.erase(at(close));
      tokens.erase(at(i), at(i + 2));
      --i;
    }
    return tokens;
  }

  // The number of tokens, one or two, that a ## at i takes. 0: there is no ## at i, or nothing follows it.
  static std::size_t paste(const std::vector<Token>& tokens, std::size_t i) {
    const std::size_t length = tokens[i].is("##") ? 1 : 2;
    const bool two = tokens[i].is("#") && i + 1 < tokens.size() && tokens[i + 1].is("#") && !tokens[i + 1].space_before;
    return (length == 1 || two) && i + length < tokens.size() ? length : 0;
  }

  std::size_t index(const Token& token) const {
    const auto end = macro_.parameters.begin() + static_cast<std::ptrdiff_t>(named_);
    const auto found = token.is_identifier() ? std::find(macro_.parameters.begin(), end, token.text) : end;
    return static_cast<std::size_t>(found - macro_.parameters.begin());
  }
  bool is_parameter(const Token& token) const {
    return index(token) < named_ || (variadic_ && token.is("__VA_ARGS__"));
  }

  std::string of(const Token& token, const std::vector<std::string>& arguments) const {
    if (variadic_ && token.is("__VA_ARGS__")) {
      std::string rest;
      for (auto i = named_; i < arguments.size(); ++i) rest += (i > named_ ? ", " : "") + arguments[i];
      return rest;
    }
    const auto at = index(token);
    return at < named_ ? arguments[at] : std::string(token.text);
  }

  const Macro& macro_;
  MacroArguments arguments_;
  bool variadic_;
  std::size_t named_;
};

class Expansion {
 public:
  Expansion(const FindMacro& find, const FindConstant& constants) : find_(find), constants_(constants) {}

  std::string expanded(std::string_view text) {
    const auto tokens = tokens_of(text);
    std::string result;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].space_before && i > 0) result += ' ';
      const auto name = std::string(tokens[i].text);
      const bool call = tokens[i].is_identifier() && i + 1 < tokens.size() && tokens[i + 1].is("(");
      const auto macro =
          call && std::find(open_.begin(), open_.end(), name) == open_.end() ? find_(name) : std::nullopt;
      const auto close = macro ? closing(tokens, i + 1) : 0;
      auto arguments = close > 0 ? arguments_of(text, tokens, i + 1, close) : std::vector<std::string>();
      if (macro && arguments.empty() && macro->parameters.size() == 1) arguments.emplace_back();
      if (close == 0 || !macro->takes(arguments.size())) {
        result += name;
        continue;
      }
      const auto refuse = [&](std::string what) {
        throw too_much(open_.empty() ? name : open_.front(), std::move(what));
      };
      if (depth_ == kMaxMacroDepth) refuse(fmt::format("it calls macros nested deeper than {} levels", kMaxMacroDepth));
      ++depth_;
      const auto written = arguments;
      for (auto& argument : arguments) argument = expanded(with_constants(argument));
      open_.push_back(name);
      const auto replacement = Substitution(*macro, {written, arguments}).text();
      written_ += kMacroCall + replacement.size();
      if (written_ > kMaxMacroText) refuse(fmt::format("its expansion takes more than {} characters", kMaxMacroText));
      result += expanded(replacement);
      open_.pop_back();
      --depth_;
      i = close;
    }
    return result;
  }

 private:
  std::string with_constants(std::string_view text) {
    if (!constants_) return std::string(text);
    std::string result;
    std::size_t done = 0;
    for (const auto& token : tokens_of(text)) {
      const auto* value = token.is_identifier() ? constants_(token.text) : nullptr;
      if (value == nullptr || value->empty() || open_constants_.contains(token.text)) continue;
      const auto name = open_constants_.emplace(token.text).first;
      result.append(text.substr(done, token.span.begin - done)).append(with_constants(*value));
      open_constants_.erase(name);
      done = token.span.end;
      if (result.size() > kMaxMacroText) break;
    }
    return result.append(text.substr(done));
  }

  // The index of the parenthesis that closes the one at open; 0 when there is none.
  static std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
    int depth = 0;
    for (auto i = open; i < tokens.size(); ++i) {
      if (tokens[i].is("(")) ++depth;
      if (tokens[i].is(")") && --depth == 0) return i;
    }
    return 0;
  }

  static std::vector<std::string> arguments_of(std::string_view text, const std::vector<Token>& tokens,
                                               std::size_t open, std::size_t close) {
    std::vector<std::string> arguments;
    int depth = 0;
    auto begin = open + 1;
    for (auto i = open + 1; i <= close; ++i) {
      const auto& token = tokens[i];
      if ((token.is(",") && depth == 0) || i == close) {
        if (i > begin) {
          const auto from = tokens[begin].span.begin;
          arguments.emplace_back(text.substr(from, tokens[i - 1].span.end - from));
        } else if (i != close || !arguments.empty()) {
          arguments.emplace_back();
        }
        begin = i + 1;
      }
      if (token.is("(") || token.is("[") || token.is("{")) ++depth;
      if (token.is(")") || token.is("]") || token.is("}")) --depth;
    }
    return arguments;
  }

  const FindMacro& find_;
  const FindConstant& constants_;
  std::vector<std::string> open_;
  std::set<std::string, std::less<>> open_constants_;
  std::size_t depth_ = 0;
  std::size_t written_ = 0;  // characters
};

}  // namespace

std::string expand_macros(std::string_view text, const FindMacro& find, const FindConstant& constants) {
  return Expansion(find, constants).expanded(text);
}

void place_at(Expression& expression, Span span) {
  expression.span = span;
  struct Visitor {
    Span span;
    void operator()(ExpressionPtr& one) const {
      if (one != nullptr) place_at(*one, span);
    }
    void operator()(std::vector<ExpressionPtr>& list) const {
      for (auto& one : list) (*this)(one);
    }
    void operator()(Unary& node) const { (*this)(node.operand); }
    void operator()(Binary& node) const { (*this)(node.left), (*this)(node.right); }
    void operator()(Assignment& node) const { (*this)(node.target), (*this)(node.value); }
    void operator()(Ternary& node) const { (*this)(node.condition), (*this)(node.yes), (*this)(node.no); }
    void operator()(Cast& node) const { (*this)(node.operand); }
    void operator()(Call& node) const {
      (*this)(node.callee);
      for (auto& argument : node.arguments) {
        argument.name_span = span;
        (*this)(argument.value);
      }
    }
    void operator()(Index& node) const {
      (*this)(node.base);
      for (auto& subscript : node.subscripts) {
        subscript.span = span;
        (*this)(subscript.start), (*this)(subscript.stop), (*this)(subscript.step);
      }
    }
    void operator()(Member& node) const { (*this)(node.base); }
    void operator()(List& node) const { (*this)(node.elements); }
    void operator()(SizeOf& node) const { (*this)(node.operand); }
    void operator()(Lambda&) const {}
    void operator()(LaunchText&) const {}
    void operator()(Name&) const {}
    void operator()(IntegerLiteral&) const {}
    void operator()(FloatingLiteral&) const {}
    void operator()(BoolLiteral&) const {}
    void operator()(CharLiteral&) const {}
    void operator()(StringLiteral&) const {}
  };
  std::visit(Visitor{span}, expression.node);
}

}  // namespace xcuda::cell
