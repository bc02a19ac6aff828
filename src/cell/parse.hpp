// Text to tree. A cell is device code, statements, or both; docs/language.md describes the language.
//
// Top-level text is device code when it is a preprocessor line; begins with template, namespace, using, typedef,
// concept, static_assert, extern, inline, asm or an attribute; is a struct, class, union or enum with a body; has any
// __x__ specifier, constexpr, consteval or constinit; or is a function definition or prototype. The rest is statements.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cell/tree.hpp"

namespace xcuda::cell {

// Throws Error(syntax), or Error(unsupported) for C++ that a statement cannot hold; both with a place and advice.
Cell parse_cell(std::string_view text, std::string_view cell_name, Grammar grammar = nullptr);

// The result of parsing without throwing, for text that is being typed.
struct ParseResult {
  Cell cell;  // what was parsed before the error
  std::optional<Error> error;
  bool incomplete = false;  // more text could mend the error
};
ParseResult try_parse_cell(std::string_view text, std::string_view cell_name, Grammar grammar = nullptr,
                           const LibraryScope& library = {});                            // of earlier cells
ParseResult try_parse_device_code(std::string_view text, std::string_view source_name);  // a header

// The cell's text with what statements cannot hold replaced, each in its line: macros that are no expressions
// (FOR(i, n) { ... }), as the preprocessor does it, and types that blocks define, which move to the front of the
// statement or function. Other macros are called when statements and expressions run.
std::string with_replacements(std::string_view text, std::string_view cell_name, Grammar grammar,
                              const LibraryScope& library);  // of earlier cells

// A function of a cell whose body is statements; what cannot be read is HostFunction::refused. All outlives the call.
struct FunctionText {
  std::string_view text, name;  // of its cell
  const DevicePiece* piece = nullptr;
  Grammar grammar = nullptr;
  std::vector<std::string> types;                         // types that the cell defines
  std::map<std::string, std::string, std::less<>> given;  // what the parameters of a template are: T -> float
  std::optional<Error> complaint;                         // a compiler's, which counts if it is not statements either
  LibraryScope library = {};
};
HostFunctionPtr parse_function(const FunctionText& of);
std::shared_ptr<Record> parse_record(const FunctionText& of);  // of the piece of a record

// Whether a function has a body and only the host may run it: not a kernel or device function, nested in nothing.
bool may_be_of_host(const DevicePiece& piece, std::string_view text);

// Parses one expression: a user_expression, a macro's value, a constant's initialiser. Throws as parse_cell() does.
ExpressionPtr parse_expression(std::string_view text, std::string_view source_name);
// Null when the text is not an expression.
ExpressionPtr try_parse_expression(std::string_view text);

// Where a span of the text is.
Place place_of(std::string_view text, Span span, std::string_view source_name);

}  // namespace xcuda::cell
