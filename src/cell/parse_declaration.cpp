// Functions, variables and types of device code: where they end, and what they declare.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/declared.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

constexpr std::string_view kClassKeys[] = {"struct", "class", "union", "enum"};
bool is_class_key(const Token& token) {
  return token.is_identifier() &&
         std::find(std::begin(kClassKeys), std::end(kClassKeys), token.text) != std::end(kClassKeys);
}

// Specifiers that are followed by an argument in parentheses.
bool takes_argument(const Token& token) {
  return is_specifier(token.text) || token.is("alignas") || token.is("decltype") || token.is("noexcept") ||
         token.is("explicit") || token.is("requires") || token.is("typeof") || token.is("__declspec");
}

// Words that may be between a function's parameters and its body.
bool is_trailing(const Token& token) {
  return token.is("const") || token.is("volatile") || token.is("noexcept") || token.is("override") ||
         token.is("final") || token.is("mutable") || token.is("requires") || token.is("throw") || token.is("&") ||
         token.is("&&") || token.is("try") || (token.is_identifier() && is_specifier(token.text));
}

}  // namespace

void Parser::declaration_piece(const Scope& scope, std::uint32_t begin, const TemplateHead& head) {
  DevicePiece piece;
  piece.span.begin = begin;
  piece.nesting = scope.nesting;
  piece.extern_c = scope.extern_c;
  piece.is_template = head.present;
  DeclarationHead words;
  std::optional<std::size_t> class_key;
  while (true) {
    pass_directives();
    const auto token = peek();
    if (token.kind == TokenKind::end) {
      fail_expected("';'", "Device code is declarations, functions and types");
      return;
    }
    if (token.is(";") || token.is("=") || token.is(",") || token.is("{") || token.is("}")) break;
    if (token.is("[")) {
      if (!at("[", 1)) break;
      group();
      continue;
    }
    if (token.is("operator")) {
      next();
      std::string symbol = "operator";
      if (at("(") && at(")", 1)) {
        next();
        next();
        symbol += "()";
      }
      while (!at_end() && !at("(") && !at(";") && !at("{")) {
        const auto part = next();
        if (part.is_identifier() || part.kind == TokenKind::string) symbol += " ";
        symbol += part.text;
      }
      words.name_operator(token, symbol);
      continue;
    }
    if (is_class_key(token) && !class_key) class_key = words.tokens.size();
    if (token.is_identifier()) {
      words.add(next());
      if (takes_argument(token) && at("(")) {
        const auto argument = group();
        words.tokens.insert(words.tokens.end(), argument.begin(), argument.end());
      }
      continue;
    }
    if (token.is("<")) {
      const auto list = angles();
      if (failed()) return;
      words.extend(list);
      continue;
    }
    if (token.is("::") || token.is("~") || token.is("*") || token.is("&") || token.is("&&") || token.is("...")) {
      words.add(next());
      continue;
    }
    if (token.is(":")) break;
    if (token.is("(")) {
      const bool pointer = at("*", 1) || at("&", 1) || at("^", 1);
      if (pointer || words.tokens.empty() || (!words.name_is_last() && !words.is_operator())) {
        // "float (*op)(float)": a variable, its name inside
        const auto inner = group();
        if (pointer) {
          for (const auto& one : inner)
            if (one.is_identifier() && !is_keyword(one.text)) words.name_inside(one);
          continue;
        }
        continue;
      }
      const auto parameters = group();
      if (failed()) return;
      const auto after = peek();
      if (words.is_pointer()) continue;
      if (after.is_identifier() && !is_trailing(after)) continue;  // a macro's argument
      piece.kernel = words.has("__global__");
      piece.annotated = words.is_annotated();
      piece.name = scope.prefix + words.name();
      piece.name_span = words.name_span();
      piece.type = words.type();
      return function_rest(scope, std::move(piece), head, parameters);
    }
    words.add(next());  // not a declaration: NVRTC says so
    words.broken();
  }
  if (failed()) return;
  piece.annotated = words.is_annotated();
  piece.constant_variable = words.has("__constant__");
  piece.device_variable =
      words.has("__device__") || piece.constant_variable || words.has("__managed__") || words.has("__shared__");

  if (class_key) {
    bool body = at("{");
    std::optional<Span> base;
    if (at(":")) {
      base = peek().span;
      while (!at_end() && !at("{") && !at(";") && !at("}")) next();
      body = at("{");
    }
    if (body || at(";")) {
      const auto name = words.class_name(*class_key);
      if (!name && body) piece.unnamed_at = base ? base->begin : peek().span.begin;
      if (name) {
        piece.name = scope.prefix + name->text;
        piece.name_span = name->span;
        types_.insert(name->text);
        if (scope.prefix.empty()) library_.forget_array(name->text);
        if (!scope.prefix.empty()) types_.insert(piece.name);
      }
      piece.type =
          join(std::vector<Token>(words.tokens.begin() + static_cast<std::ptrdiff_t>(*class_key), words.tokens.end()));
      if (body) {
        piece.kind = DeviceKind::type;
        return class_rest(scope, std::move(piece), head);
      }
      next();
      piece.key = "declaration of " + piece.name;
      return add_piece(std::move(piece));
    }
  }
  const bool is_variable = words.is_declaration() || words.is_pointer();
  if (!is_variable) return other_rest(std::move(piece));
  piece.constexpr_variable = words.has("constexpr") || (words.has("const") && !words.has("__constant__"));
  piece.name = scope.prefix + words.name();
  piece.name_span = words.name_span();
  piece.type = words.type();
  variable_rest(scope, std::move(piece));
}

// After the parameters: trailing words, initialisers, and the body or ';'.
void Parser::function_rest(const Scope& scope, DevicePiece piece, const TemplateHead& head,
                           const std::vector<Token>& parameters) {
  const auto list = split_parameters(parameters);
  piece.parameters = {parameters.front().span.end, parameters.back().span.begin};
  for (const auto& parameter : list) piece.parameter_names.push_back(parameter.name);
  piece.kind = DeviceKind::prototype;
  std::string qualifiers;
  std::optional<std::uint32_t> tried;  // where the try of a function try block begins
  while (!at_end()) {
    pass_directives();
    const auto token = peek();
    if (token.is(";")) {
      next();
      break;
    }
    if (token.is("__global__") || token.is("__device__") || token.is("__host__") || token.is("__constant__")) {
      fail_expected("';'", "A prototype ends with ';', a function has a body in braces");
      return;
    }
    if (token.is("=") || token.is(",")) {
      if (at("default", 1)) piece.kind = DeviceKind::function;
      until_semicolon();
      break;
    }
    if (token.is(":")) {
      next();
      while (!at_end()) {
        while (!at_end() && !at("(") && !at("{") && !at(";")) {
          if (at("<"))
            angles();
          else
            next();
        }
        if (at("(") || at("{")) group();
        if (!accept(",")) break;
      }
      continue;
    }
    if (token.is("{")) {
      piece.kind = DeviceKind::function;
      host_uses_ = &piece.host_uses;
      const auto outside = replaced_;
      if (outside != Replaced::none && !piece.annotated && scope.nesting == 0) replaced_ = Replaced::all;
      group();
      if (replaced_ == Replaced::all && !head.present && is_of_statements(piece)) move_types(token.span.begin);
      replaced_ = outside;
      while (tried && at("catch")) {
        next();
        if (at("(")) group();
        if (at("{")) group();
      }
      host_uses_ = nullptr;
      piece.body = {tried.value_or(token.span.begin), previous_end_};
      break;
    }
    if (token.is("}")) {
      fail_expected("'{' or ';' after the function's parameters");
      return;
    }
    if (token.is("(") || token.is("[")) {
      group();
      continue;
    }
    if (token.is("<")) {
      angles();
      continue;
    }
    if (token.is("const")) qualifiers = " const";
    if (token.is("try")) tried = token.span.begin;
    if (token.line_start && !is_trailing(token) && token.is_identifier() && qualifiers.empty() && !at("->")) {
      // Most likely a forgotten ';' or '{': say so here, where the next line begins.
      static constexpr std::string_view kNew[] = {"template", "namespace", "struct", "class", "using",
                                                  "typedef",  "extern",    "static", "inline"};
      if (std::find(std::begin(kNew), std::end(kNew), token.text) != std::end(kNew)) {
        fail_expected("';'", "A prototype ends with ';', a function has a body in braces");
        return;
      }
    }
    next();
  }
  if (failed()) return;
  if (at_end() && piece.kind == DeviceKind::prototype && source_.text[previous_end_ - 1] != ';') {
    fail_expected("'{' or ';' after the function's parameters");
    return;
  }
  piece.key = piece.extern_c ? fmt::format("extern \"C\" {}", piece.name)
                             : fmt::format("{}({}){}", piece.name, parameter_key(list, head.parameters), qualifiers);
  if (head.present) piece.key += " " + head.text;
  if (piece.kind == DeviceKind::prototype) piece.key += ";";
  (void)scope;
  add_piece(std::move(piece));
}

void Parser::variable_rest(const Scope& scope, DevicePiece piece) {
  const auto begin = piece.span.begin;
  piece.kind = DeviceKind::variable;
  std::vector<DevicePiece> declared;
  bool has_value = false;
  while (pass_directives(), !at_end()) {
    while (pass_directives(), at("[")) {
      const auto extent = group();
      if (extent.size() >= 2) piece.extents.emplace_back(text({extent.front().span.end, extent.back().span.begin}));
    }
    if (at("=")) {
      next();
      has_value = true;
      const auto from = peek().span.begin;
      while (pass_directives(), !at_end() && !at(",") && !at(";") && !at("}")) {
        if (at("(") || at("[") || at("{"))
          group();
        else if (at("<") && scan_template_arguments(0))
          angles();
        else
          next();
      }
      piece.value = std::string(text({from, std::max(from, previous_end_)}));
    } else if (at("{") || at("(")) {
      has_value = true;
      const auto open = peek().span.end;
      group();
      piece.value = std::string(trim(text({open, std::max(open, previous_end_ - 1)})));
    } else if (at(":")) {  // a bit-field, or nonsense
      next();
      continue;
    }
    if (!has_value) piece.constexpr_variable = false;
    piece.key = piece.name;
    declared.push_back(piece);
    if (!accept(",")) break;
    while (at("*") || at("&") || at("const")) next();
    if (!peek().is_identifier()) break;
    const auto name = next();
    piece.name = scope.prefix + std::string(name.text);
    piece.name_span = name.span;
    piece.value.clear();
    piece.extents.clear();
    has_value = false;
    piece.constexpr_variable = declared.front().constexpr_variable;
  }
  if (failed()) return;
  pass_directives();
  if (!accept(";")) {
    fail_expected("';'", "A declaration ends with ';'");
    return;
  }
  for (std::size_t i = 0; i < declared.size(); ++i) {
    declared[i].span = {begin, previous_end_};
    if (i > 0) ++declared[i].nesting;
    library_.know(declared[i]);
    cell_.device.push_back(std::move(declared[i]));
  }
}

void Parser::class_rest(const Scope& scope, DevicePiece piece, const TemplateHead& head) {
  const bool is_enum = piece.type.starts_with("enum");
  const bool scoped = piece.type.starts_with("enum class") || piece.type.starts_with("enum struct");
  const auto body_begin = peek().span.begin;
  group();
  if (failed()) return;
  if (is_enum) {
    const auto prefix = scoped ? piece.name + "::" : scope.prefix;
    for (auto& [name, value] : enumerators_of(tokens_of(text({body_begin + 1, previous_end_ - 1}))))
      piece.enumerators.emplace_back(prefix + name, value);
  }
  const auto after = peek();
  if (!after.is(";") && (after.line_start || after.kind == TokenKind::end)) {
    fail(after_previous(), fmt::format("expected ';' after {}", piece.type), "A type ends with ';'");
    failure_.at_end = after.kind == TokenKind::end;
    return;
  }
  piece.key = "type " + piece.name;
  if (head.present) piece.key += " " + head.text;
  piece.ends_at_brace = of_variables_;
  if (of_variables_) return add_piece(std::move(piece));
  if (accept(";")) {
    if (piece.name.empty() && !piece.enumerators.empty()) piece.key += "enum " + piece.enumerators.front().first;
    return add_piece(std::move(piece));
  }
  // "struct P { ... } p, q[3];": the variables are listed after their type, one deeper.
  auto variable = piece;
  variable.enumerators.clear();
  piece.device_variable = piece.constant_variable = false;
  const auto index = cell_.device.size();
  cell_.device.push_back(std::move(piece));
  while (at("*") || at("&") || at("const")) next();
  if (!peek().is_identifier()) {
    until_semicolon();
  } else {
    const auto name = next();
    variable.name = scope.prefix + std::string(name.text);
    variable.name_span = name.span;
    if (cell_.device[index].name.empty())
      cell_.device[index].key += "of " + variable.name;
    else
      variable.type = cell_.device[index].name;
    ++variable.nesting;
    variable_rest(scope, std::move(variable));
  }
  cell_.device[index].span.end = previous_end_;
}

void Parser::other_rest(DevicePiece piece) {
  while (!at_end() && !at(";") && !at("}")) {
    if (at("{")) {
      group();
      if (!at(";")) break;
    } else if (at("(") || at("[")) {
      group();
    } else {
      const auto before = position_;
      pass_directives();
      if (at_end()) break;
      next();
      if (position_ == before) break;
    }
  }
  accept(";");
  if (failed() || previous_end_ <= piece.span.begin) return;
  piece.key = std::string(text({piece.span.begin, previous_end_}));
  add_piece(std::move(piece));
}

}  // namespace xcuda::cell
