// Types and aliases that blocks define: device code has them, in front of the statement or the function of the block.
#include <algorithm>

#include "base/text.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

// The tokens of the statement that begins with the first; a brace that closes it ends it.
std::vector<Token> statement_tokens(const Source& source, std::uint32_t begin, std::uint32_t end) {
  Failure failure;
  Lexer lexer(source, failure, {begin, end});
  std::vector<Token> tokens;
  int depth = 0;
  for (auto token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    static constexpr std::string_view kGoesOn[] = {"else", "while", "catch"};
    const bool ended = depth == 0 && !tokens.empty() && (tokens.back().is("}") || tokens.back().is(";"));
    if (ended && !(token.is_identifier() && among(token.text, kGoesOn))) break;
    if (token.is("(") || token.is("{") || token.is("[")) ++depth;
    if (token.is(")") || token.is("}") || token.is("]")) --depth;
    if (depth < 0) break;
    tokens.push_back(token);
  }
  return tokens;
}

std::string joined_with_blanks(const std::vector<Token>& tokens, std::size_t from, std::size_t to) {
  std::string text;
  for (auto i = from; i < to; ++i) {
    if (i > from && tokens[i].space_before) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

// A definition among the tokens: from its first one to its ';', and what of it goes in front.
struct Definition {
  std::size_t end = 0;   // after its ';'
  std::size_t body = 0;  // after the brace that closes a type; 0: of an alias
  std::string name;
};

std::optional<Definition> definition_at(const std::vector<Token>& tokens, std::size_t first) {
  static constexpr std::string_view kKeys[] = {"struct", "class", "union", "enum"};
  const bool type = among(tokens[first].text, kKeys);
  const bool alias = tokens[first].is("typedef") || tokens[first].is("using") || tokens[first].is("namespace");
  if (!tokens[first].is_identifier() || (!type && !alias)) return std::nullopt;
  Definition found;
  int depth = 0;
  auto i = first;
  for (; i < tokens.size() && !(depth == 0 && tokens[i].is(";")); ++i) {
    if (tokens[i].kind == TokenKind::directive) return std::nullopt;
    if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[")) ++depth;
    if (tokens[i].is(")") || tokens[i].is("}") || tokens[i].is("]")) --depth;
    if (depth < 0) return std::nullopt;
    if (depth == 0 && tokens[i].is("}") && found.body == 0) found.body = i + 1;
  }
  if (i == tokens.size()) return std::nullopt;
  found.end = i + 1;
  if (alias) {
    found.body = 0;
    const bool named = first + 2 < i && tokens[first + 2].is("=");
    if (tokens[first].is("namespace") && !named) return std::nullopt;
    found.name = std::string(named ? tokens[first + 1].text : tokens[i - 1].text);
    return found;
  }
  if (found.body == 0) return std::nullopt;  // struct P p;
  for (auto k = first + 1; k < i && !tokens[k].is("{") && !tokens[k].is(":"); ++k)
    if (tokens[k].is_identifier() && !is_keyword(tokens[k].text)) found.name = std::string(tokens[k].text);
  if (found.name.empty() && found.body + 1 < found.end) return std::nullopt;  // struct { int x; } p;
  if (tokens[found.body - 1].is("}") && found.body < i && tokens[found.body].is("(")) return std::nullopt;
  return found;
}

}  // namespace

bool Parser::is_of_statements(const DevicePiece& function) const {
  if (!function.host_uses.empty()) return true;
  const auto tokens = tokens_of(source_.text.substr(piece_begin_, previous_end_ - piece_begin_));
  for (std::size_t i = 2; i < tokens.size(); ++i)
    if (tokens[i - 2].is("using") && tokens[i - 1].is("namespace") && tokens[i].is("std")) return true;
  return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
    return token.is_identifier() && library_.join({token}, types_) != token.text;
  });
}

void Parser::move_types(std::uint32_t begin) {
  const auto tokens = statement_tokens(source_, begin, end_);
  auto known = library_;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const auto& before = tokens[i - 1];
    if (!before.is("{") && !before.is("}") && !before.is(";")) continue;
    const auto found = definition_at(tokens, i);
    if (!found) continue;
    const auto last = found->body > 0 ? found->body : found->end - 1;
    const auto text = joined_with_blanks(tokens, i, last) + "; ";
    if (found->body == 0 && known.add(text)) continue;  // of C++'s library, and read in the block
    if (!found->name.empty()) {
      if (types_.contains(found->name)) continue;
      const auto [at, fresh] = moved_types_.emplace(found->name, text);
      if (!fresh && at->second != text) continue;
      if (fresh) moved_[piece_begin_] += text;
    } else {
      moved_[piece_begin_] += text;
    }
    const bool variables = found->body > 0 && found->body + 1 < found->end;
    const auto from = tokens[i].span.begin,
               to = variables ? tokens[last - 1].span.end : tokens[found->end - 1].span.end;
    const auto lines = std::count(source_.text.begin() + from, source_.text.begin() + to, '\n');
    replacements_.insert_or_assign(from, std::pair(to, (variables ? found->name : std::string()) +
                                                           std::string(static_cast<std::size_t>(lines), '\n')));
    i = found->end - 1;
  }
}

}  // namespace xcuda::cell
