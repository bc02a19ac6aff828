// Device code is not parsed, but cut into pieces with their names, parameters and values. NVRTC checks it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "cell/container_types.hpp"
#include "cell/declared.hpp"
#include "cell/library_names.hpp"
#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

// using std::vector; which no device code has, as it has no literals of durations without their header.
bool is_of_host_alone(std::string_view declaration, std::string_view text) {
  const auto tokens = tokens_of(declaration);
  if (tokens.size() < 5 || !tokens[0].is("using")) return false;
  const bool literals =
      tokens[1].is("namespace") && tokens[2].is("std") && tokens[tokens.size() - 2].text.ends_with("literals");
  if (literals && tokens[tokens.size() - 2].is("chrono_literals") && text.find("<chrono>") != text.npos) return false;
  if (literals || !tokens[1].is("std") || !tokens[2].is("::") || tokens[3].is("chrono")) return literals;
  const auto headers = library_headers(declaration);  // CUDA has min, swap and sqrt without std, too
  return std::all_of(headers.begin(), headers.end(), [&](std::string_view header) {
    return header == "algorithm" || header == "cmath" || (header == "utility" && tokens[3].is("swap"));
  });
}

// Words before the type and after it that are those of the variables.
bool is_of_variables(const Token& token) { return token.is("static") || token.is("const") || token.is("volatile"); }

bool is_key(const Token& token) {
  return token.is("struct") || token.is("class") || token.is("union") || token.is("enum");
}

}  // namespace

void Parser::add_piece(DevicePiece piece) {
  piece.span.end = std::max(piece.span.end, previous_end_);
  library_.know(piece);
  const auto declaration = text(piece.span);
  for (const std::string_view word : {"using", "typedef", "namespace"})
    if (piece.nesting == 0 && declaration.starts_with(word)) library_.add(declaration);
  piece.of_host = is_of_host_alone(declaration, source_.text) || is_container_alias(declaration);
  const bool is_struct = piece.type.starts_with("struct") || piece.type.starts_with("class");
  if (piece.kind == DeviceKind::type && piece.nesting == 0 && is_struct && !piece.name.empty() &&
      !is_keyword(piece.name)) {
    piece.of_host = holds_values_of_host(piece);
    piece.of_host ? library_.add_record(piece.name) : library_.forget_record(piece.name);
  }
  cell_.device.push_back(std::move(piece));
}

// using Graph = std::vector<std::vector<int>>; which no device code has either.
bool Parser::is_container_alias(std::string_view declaration) const {
  auto tokens = tokens_of(declaration);
  if (!tokens.empty() && tokens.back().is(";")) tokens.pop_back();
  const bool alias = tokens.size() > 3 && tokens[0].is("using") && tokens[2].is("=");
  if (!alias && (tokens.size() < 3 || !tokens[0].is("typedef"))) return false;
  const auto first = tokens.begin() + (alias ? 3 : 1), last = alias ? tokens.end() : std::prev(tokens.end());
  return is_of_host(library_.join({first, last}, types_));
}

void Parser::device_piece(const Scope& outer) {
  inner_conditionals_ = 0;
  one_device_piece(outer);
  for (const auto container : outreached_)
    cell_.device[container].span.end = std::max(cell_.device[container].span.end, previous_end_);
  outreached_.clear();
}

void Parser::one_device_piece(const Scope& outer) {
  auto scope = outer;
  scope.nesting += conditional_nesting();
  drop_read_tokens();
  const auto first = peek();
  if (first.kind == TokenKind::directive) return directive_piece(scope);
  if (first.is("}")) {
    fail(first.span, "this '}' closes nothing", "Remove it, or open the block with '{'");
    return;
  }
  if (first.is(";")) {  // a stray one belongs to the piece before
    next();
    if (!cell_.device.empty() && cell_.device.back().nesting == scope.nesting && !cell_.device.back().container)
      cell_.device.back().span.end = previous_end_;
    else if (scope.nesting == 0 && !cell_.device.empty()) {
      auto piece =
          std::find_if(cell_.device.rbegin(), cell_.device.rend(), [](const auto& one) { return one.nesting == 0; });
      if (piece != cell_.device.rend()) piece->span.end = previous_end_;
    }
    return;
  }
  if (first.is("namespace") || (first.is("inline") && at("namespace", 1))) return namespace_piece(scope);
  if (first.is("extern") && peek(1).kind == TokenKind::string) {
    if (at("{", 2)) {
      next();
      next();
      const auto open = next();
      if (!enter(open.span)) return;
      DevicePiece piece;
      piece.kind = DeviceKind::other;
      piece.container = piece.extern_c = true;
      piece.span.begin = first.span.begin;
      piece.nesting = scope.nesting;
      cell_.device.push_back(std::move(piece));
      auto inner = outer;
      ++inner.nesting;
      inner.extern_c = true;
      container_body(inner, cell_.device.size() - 1, open);
      return leave();
    }
    next();
    next();
    scope.extern_c = true;
    return declaration_piece(scope, first.span.begin, {});
  }
  if (first.is("template")) return template_piece(scope);
  static constexpr std::string_view kSimple[] = {"using", "typedef", "static_assert",
                                                 "asm",   "concept", "_Static_assert"};
  if (std::find(std::begin(kSimple), std::end(kSimple), first.text) != std::end(kSimple))
    return simple_piece(scope, first.span.begin, {});
  declaration_piece(scope, first.span.begin, {});
}

// --- preprocessor lines --------------------------------------------------------------------------------------------

void Parser::directive_piece(const Scope& scope) {
  const auto token = next();
  const auto line = split_directive(token.text);
  if (line.name == "else" || line.name == "elif" || line.name == "elifdef" || line.name == "elifndef" ||
      line.name == "endif") {
    if (conditionals_.empty()) {
      fail(token.span, fmt::format("#{} without an #if", line.name), "The #if must be in the same cell");
      return;
    }
    cell_.device[conditionals_.back().piece].span.end = token.span.end;
    if (line.name == "endif") conditionals_.pop_back();
    return;
  }
  DevicePiece piece;
  piece.kind = DeviceKind::directive;
  piece.span = token.span;
  piece.nesting = scope.nesting;
  piece.directive = std::string(line.name);
  const auto rest = without_comments(line.rest);
  if (line.name == "if" || line.name == "ifdef" || line.name == "ifndef") {
    if (conditionals_.size() == kMaxDepth) return fail_too_deep(token.span);
    piece.container = true;
    piece.value = line.name == "if" && rest.starts_with("0\n") ? "0" : rest;  // without the lines that "#if 0" disables
    cell_.device.push_back(std::move(piece));
    conditionals_.push_back({cell_.device.size() - 1, cell_.statements.size(), token.span});
    return;
  }
  piece.value = rest;
  piece.name = rest;
  if (line.name == "define") {
    define_piece(piece, line.rest);
    library_.know(piece);
  }
  if (line.name == "undef") library_.undefine(rest);
  if (line.name == "include" && rest.size() > 2) piece.name = rest.substr(1, rest.size() - 2);
  piece.key = fmt::format("#{} {}", line.name, line.name == "define" ? piece.name : rest);
  if (line.name == "pragma" || line.name == "error" || line.name == "warning") piece.name.clear();
  cell_.device.push_back(std::move(piece));
}

void Parser::define_piece(DevicePiece& piece, std::string_view rest) {
  std::size_t length = 0;
  while (length < rest.size() && is_identifier_character(rest[length])) ++length;
  if (length == 0 || !is_identifier_start(rest[0])) {
    fail(piece.span, "#define needs a name", "Write #define NAME value");
    return;
  }
  piece.name = std::string(rest.substr(0, length));
  const auto begin = piece.span.begin + static_cast<std::uint32_t>(rest.data() - text(piece.span).data());
  piece.name_span = {begin, begin + static_cast<std::uint32_t>(length)};
  rest.remove_prefix(length);
  piece.function_like_macro = rest.starts_with('(');
  piece.value = without_comments(rest);
  if (!piece.function_like_macro) return;
  const auto close = piece.value.find(')');
  std::string rest_name;  // of GNU's args...
  const auto list = tokens_of(std::string_view(piece.value).substr(0, close));
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].is("...") && i > 0 && list[i - 1].is_identifier())
      rest_name = std::exchange(piece.parameter_names.back(), "...");
    else if (list[i].is_identifier() || list[i].is("..."))
      piece.parameter_names.emplace_back(list[i].text);
  }
  piece.value = close == std::string::npos ? "" : std::string(trim(std::string_view(piece.value).substr(close + 1)));
  if (rest_name.empty()) return;
  std::string value;
  std::size_t done = 0;
  const auto whole = "; " + piece.value;  // so that a # at its start does not begin a directive
  for (const auto& token : tokens_of(whole)) {
    if (!token.is(rest_name)) continue;
    value += piece.value.substr(done, token.span.begin - 2 - done) + "__VA_ARGS__";
    done = token.span.end - 2;
  }
  piece.value = value + piece.value.substr(done);
}

// --- containers ----------------------------------------------------------------------------------------------------

void Parser::namespace_piece(const Scope& scope) {
  const auto begin = peek().span.begin;
  accept("inline");
  next();
  while (at("[")) group();
  std::string name;
  Span name_span;
  while (peek().is_identifier() || at("::")) {
    if (at("inline")) {
      next();
      continue;
    }
    name_span = peek().span;
    name += next().text;
  }
  DevicePiece piece;
  piece.span.begin = begin;
  piece.name_span = name_span;
  piece.nesting = scope.nesting;
  piece.name = scope.prefix + name;
  if (at("=")) {
    piece.kind = DeviceKind::alias;
    piece.key = "namespace " + piece.name;
    next();
    piece.value = join(until_semicolon());
    return add_piece(std::move(piece));
  }
  const auto open = expect("{", "of the namespace");
  if (failed()) return;
  if (!enter(open.span)) return;
  piece.kind = DeviceKind::name_space;
  piece.container = true;
  cell_.device.push_back(std::move(piece));
  Scope inner = scope;
  if (!name.empty()) inner.prefix += name + "::";
  inner.nesting = scope.nesting + 1 - conditional_nesting();
  container_body(inner, cell_.device.size() - 1, open);
  leave();
}

void Parser::container_body(const Scope& scope, std::size_t container, const Token& open) {
  while (!at_end() && !at("}")) {
    if (mode_ == Mode::mixed && peek().line_start && (at("%") || at("!"))) {
      fail(peek().span, "a magic cannot be inside a namespace", "Put it after the namespace");
      break;
    }
    device_piece(scope);
  }
  if (!failed()) expect_close("}", open);
  cell_.device[container].span.end = previous_end_;
}

// --- using, typedef, static_assert, ... up to ';' ------------------------------------------------------------------

void Parser::simple_piece(const Scope& scope, std::uint32_t begin, const TemplateHead& head) {
  DevicePiece piece;
  piece.span.begin = begin;
  piece.nesting = scope.nesting;
  piece.is_template = head.present;
  auto tokens = until_semicolon();
  if (failed() || tokens.empty()) return;
  const auto name_token = declared_alias(tokens);
  if (name_token) {
    piece.kind = DeviceKind::alias;
    piece.name = scope.prefix + std::string(name_token->text);
    piece.name_span = name_token->span;
    piece.key = "type " + piece.name;
    types_.emplace(name_token->text);
    if (scope.prefix.empty()) library_.forget_array(name_token->text);
    if (!scope.prefix.empty()) types_.insert(piece.name);
    const auto open = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) { return token.is("{"); });
    const auto close = std::find_if(open, tokens.end(), [](const Token& token) { return token.is("}"); });
    if (tokens.size() > 1 && tokens[1].is("enum") && close != tokens.end())  // typedef enum { off, on } Switch;
      for (auto& [name, value] : enumerators_of({std::next(open), close}))
        piece.enumerators.emplace_back(scope.prefix + name, value);
  } else {
    piece.key = scope.prefix + head.text + join(tokens);
  }
  add_piece(std::move(piece));
}

void Parser::template_piece(const Scope& scope) {
  const auto begin = next().span.begin;
  if (!at("<")) {  // an explicit instantiation
    DevicePiece piece;
    piece.span.begin = begin;
    piece.nesting = scope.nesting;
    piece.is_template = true;
    piece.key = scope.prefix + "template " + join(until_semicolon());
    return add_piece(std::move(piece));
  }
  TemplateHead head;
  head.present = true;
  while (at("<") && !failed()) {
    const auto tokens = angles();
    const auto parameters = template_parameters(tokens);
    head.parameters.insert(head.parameters.end(), parameters.begin(), parameters.end());
    head.text += template_text(tokens, head.parameters);
    if (at("template")) next();
  }
  if (failed()) return;
  if (at("using") || at("concept")) return simple_piece(scope, begin, head);
  declaration_piece(scope, begin, head);
}

// --- `struct P { float x, y; } p = {1, 2}, *q;`: the type is device code, the variables are a statement -------------

// The index of the token after the brackets that open at `from`; 0 if they stay open.
std::size_t Parser::after_group(std::size_t from) {
  int depth = 0;
  for (auto i = from;; ++i) {
    const auto token = peek(i);
    if (token.kind == TokenKind::end) return 0;
    if (token.is("(") || token.is("{") || token.is("[")) ++depth;
    if ((token.is(")") || token.is("}") || token.is("]")) && --depth == 0) return i + 1;
  }
}

bool Parser::at_type_with_variables() {
  std::size_t i = 0;
  while (is_of_variables(peek(i))) ++i;
  if (!is_key(peek(i))) return false;
  bool named = false, bases = false;
  while (!at("{", ++i)) {
    const auto token = peek(i);
    if (token.kind == TokenKind::end || token.is(";") || token.is("=")) return false;
    bases = bases || token.is(":");
    if (token.is("(")) {  // of alignas(16)
      if (!peek(i - 1).is_identifier() || !(peek(i - 1).is("alignas") || is_specifier(peek(i - 1).text))) return false;
      const auto after = after_group(i);
      if (after == 0) return false;
      i = after - 1;
    } else if (token.is_identifier() && !bases && !is_key(token) && !token.is("final") && !token.is("alignas") &&
               !is_specifier(token.text)) {
      if (std::exchange(named, true)) return false;  // struct P p{1, 2};
    }
  }
  const auto after = after_group(i);
  if (after == 0) return false;
  const auto next = peek(after);
  if (next.line_start || (next.is_identifier() && is_specifier(next.text))) return false;
  return next.is("*") || is_of_variables(next) || (next.is_identifier() && !is_keyword(next.text));
}

bool Parser::type_with_variables() {
  if (mode_ != Mode::mixed || !at_type_with_variables()) return false;
  if (!conditionals_.empty()) {
    read_conditions_again();
    return true;
  }
  const auto begin = peek().span.begin;
  Declaration variables;
  variables.defines_type = true;
  const auto pass = [&] {
    while (is_of_variables(peek())) {
      const auto word = next();
      if (word.is("static")) variables.is_static = true;
      if (word.is("const")) variables.is_const = true;
    }
  };
  pass();
  variables.type_span.begin = peek().span.begin;
  of_variables_ = true;
  declaration_piece({}, peek().span.begin, {});
  of_variables_ = false;
  if (failed()) return true;
  variables.type_span.end = previous_end_;
  pass();
  auto& type = cell_.device.back();
  if (type.name.empty()) {
    std::size_t name = 0;
    while (!peek(name).is_identifier() && peek(name).kind != TokenKind::end) ++name;
    type.name = fmt::format("type_of_{}", peek(name).text);
    type.key = "type " + type.name;
    types_.insert(type.name);
    if (!type.enumerators.empty() && type.type.starts_with("enum")) type.type = "enum " + type.name;
  }
  variables.type = library_.is_record(type.name) ? std::string(kRecord) + type.name : type.name;
  do {
    variables.declarators.push_back(declarator());
  } while (!failed() && accept(","));
  if (!accept(";") && !failed()) fail_expected("';'", "A declaration ends with ';'");
  cell_.statements.push_back(make_statement({begin, previous_end_}, std::move(variables)));
  return true;
}

}  // namespace xcuda::cell
