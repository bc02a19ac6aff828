// Any bytes as a cell: no crash, no endless loop, spans inside the text, one error with a place.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cell/dump.hpp"
#include "cell/is_complete.hpp"
#include "cell/parse.hpp"
#include "interpreter/scalar_program.hpp"
#include "language/answers.hpp"
#include "language/constants.hpp"

namespace {

using namespace xcuda::cell;

void require(bool condition) {
  if (!condition) std::abort();
}

MagicText grammar(std::string_view name, MagicShape) {
  return name == "kernel"   ? MagicText::device_code
         : name == "launch" ? MagicText::statements
         : name == "alloc"  ? MagicText::declarations
                            : MagicText::words;
}

void check(Span span, std::string_view text) { require(span.begin <= span.end && span.end <= text.size()); }

// Evaluates an expression of the scalars a, n and x.
void evaluate(const Expression& expression, std::string_view text) {
  xcuda::session::NameTable names;
  names.declare("a", {xcuda::language::ScalarValue::of(1.5f)});
  names.declare("n", {xcuda::language::ScalarValue::of(7)});
  names.declare("x", {xcuda::language::ScalarValue::of(-2.0)});
  const auto program = xcuda::interpreter::ScalarProgram::make(expression, names, xcuda::language::known_constant);
  if (!program) return;
  xcuda::interpreter::ScalarProgram::Stack stack;
  try {
    program->run(names, {"In[1]", text}, stack);
  } catch (const xcuda::Error&) {}
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto result = try_parse_cell(text, "In[1]", grammar);
  for (const auto& piece : result.cell.device) {
    check(piece.span, text);
    check(piece.name_span, text);
    for (const auto& use : piece.host_uses) check(use.span, text);
  }
  for (const auto& statement : result.cell.statements) check(statement->span, text);
  if (result.error) {
    require(result.error->place.has_value() && result.error->place->line >= 1 && result.error->place->column >= 1);
    require(!result.error->message.empty());
  } else {
    xcuda::language::host_code_error(result.cell, "In[1]");
  }
  dump(result.cell);
  is_complete(text, grammar);
  if (const auto expression = try_parse_expression(text)) evaluate(*expression, text);
  return 0;
}
