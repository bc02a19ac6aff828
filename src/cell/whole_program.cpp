#include "cell/whole_program.hpp"

#include <fmt/format.h>

#include "cell/lexer.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

// After the parameters that begin at the '(' at `open`, does a body follow?
bool is_definition(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  auto at = open;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].is("(")) ++depth;
    if (tokens[at].is(")") && --depth == 0) break;
    if (tokens[at].is("{") || tokens[at].is(";")) return false;
  }
  for (++at; at < tokens.size(); ++at) {
    if (tokens[at].is("{")) return true;
    const bool between = tokens[at].is_identifier() || tokens[at].is("-") || tokens[at].is(">") ||
                         tokens[at].is("->") || tokens[at].kind == TokenKind::directive;  // noexcept, -> int, try
    if (!between) return false;
  }
  return false;
}

}  // namespace

std::optional<Span> main_of(std::string_view text) {
  if (text.find("main") == std::string_view::npos) return std::nullopt;
  const auto tokens = tokens_of(text);
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (token.is("{")) ++depth;
    if (token.is("}")) --depth;
    if (!token.is("main") || i == 0 || i + 1 >= tokens.size() || !tokens[i + 1].is("(")) continue;
    const auto& type = tokens[i - 1];
    if (!type.is_identifier() || type.is("return") || type.is("else")) continue;
    // Braces in branches of #if need not balance; what begins its line is not inside anything.
    const bool first_column = type.span.begin == 0 || text[type.span.begin - 1] == '\n';
    if ((depth == 0 || first_column) && is_definition(tokens, i + 1)) return token.span;
  }
  return std::nullopt;
}

// A cell that defines main() is as if its magic were on a line above it.
void Parser::whole_program() {
  if (cell_.magic && cell_.magic->takes == MagicText::words) return;
  const auto main = main_of(source_.text);
  if (!main || grammar_ == nullptr) return;
  if (cell_.magic)
    return fail(cell_.magic->name_span,
                fmt::format("main() below %%{}: a cell that defines main() is a program", cell_.magic->name),
                fmt::format("Remove %%{} to run the program, or write the statements of main() directly into the cell",
                            cell_.magic->name));
  if (const auto first = peek(); first.is("%") || first.is("!"))
    return fail({first.span.begin, end_of_line(first.span.begin)},
                "a cell that defines main() is a program and holds nothing else", "Put this line into its own cell");
  tokens_.clear();
  position_ = 0;
  lexer_.seek(end_);
  cell_.magic = Magic{.name = std::string(kProgramMagic),
                      .takes = MagicText::words,
                      .name_span = *main,
                      .whole_cell = true,
                      .words = {},
                      .line = {},
                      .body = std::string(source_.text),
                      .body_span = {0, end_},
                      .statements = {}};
}

}  // namespace xcuda::cell
