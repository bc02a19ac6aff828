// Text to tree. A cell is device code, statements, or both; docs/language.md describes the language.
//
// Top-level text is device code when it is a preprocessor line; begins with template, namespace, using, typedef,
// concept, static_assert, extern, inline; is a struct, class, union or enum with a body; has any __x__ specifier or
// constexpr; or is a function definition or prototype. All else is statements.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "cell/tree.hpp"

namespace xcuda::cell {

// Throws Error(syntax), or Error(unsupported) for C++ that a statement cannot hold; both with a place and advice.
Cell parse_cell(std::string_view text, std::string_view cell_name, Grammar grammar = nullptr);

// The same without throwing, for text that is being typed.
struct ParseResult {
  Cell cell;  // what was parsed before the error
  std::optional<Error> error;
  bool incomplete = false;  // more text could mend the error
};
ParseResult try_parse_cell(std::string_view text, std::string_view cell_name, Grammar grammar = nullptr);
ParseResult try_parse_device_code(std::string_view text, std::string_view source_name);  // a header

// One expression and nothing else: a user_expression, a macro's value, a constant's initialiser. Throws as above.
ExpressionPtr parse_expression(std::string_view text, std::string_view source_name);
// Null when the text is not an expression.
ExpressionPtr try_parse_expression(std::string_view text);

// Where a span of the text is.
Place place_of(std::string_view text, Span span, std::string_view source_name);

}  // namespace xcuda::cell
