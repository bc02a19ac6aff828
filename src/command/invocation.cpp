#include "command/invocation.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cell/parse.hpp"
#include "interpreter/interpreter.hpp"

namespace xcuda::command {

Error Invocation::error(ErrorKind kind, std::string message) const {
  return Error(kind, std::move(message)).at(run.source.place(magic.name_span));
}
Error Invocation::error(ErrorKind kind, std::string message, const cell::Word& word) const {
  return Error(kind, std::move(message)).at(run.source.place(word.span));
}

const std::vector<cell::StatementPtr>& Invocation::statements() const {
  return magic.whole_cell ? run.cell->statements : magic.statements;
}

void Invocation::expect_operands(std::size_t least, std::size_t most) const {
  const auto given = arguments.operands.size();
  const auto given_text = fmt::format("{} {}", given, given == 1 ? "is" : "are");
  if (given > most)
    throw error(ErrorKind::value,
                most == 0 ? fmt::format("{} takes no words, but {} given", title(), given_text)
                          : fmt::format("{} takes at most {} word{}, but {} given", title(), most, most == 1 ? "" : "s",
                                        given_text),
                arguments.operands[most])
        .advise(fmt::format("Usage: {}", command.usage));
  if (given < least)
    throw error(ErrorKind::value,
                fmt::format("{} needs {} word{}, but {} given", title(), least, least == 1 ? "" : "s", given_text))
        .advise(fmt::format("Usage: {}", command.usage));
}

session::Array& Invocation::array(const cell::Word& word) const {
  if (auto* array = session.arrays().find(word.text)) return *array;
  const auto names = session.arrays().names();
  auto failure = error(ErrorKind::name, fmt::format("the array {} is not defined", word.text), word);
  if (word.text.find_first_of("[(.") != std::string::npos)
    failure.advice = fmt::format("Give it a name first: auto y = {};", word.text);
  else if (const auto near = nearest(word.text, names); !near.empty())
    failure.advice = fmt::format("Did you mean {}?", near);
  else if (names.empty())
    failure.advice = "The session has no arrays yet; declare one: float x[1024];";
  else
    failure.advice = "%arrays lists them.";
  throw failure;
}

session::Kernel Invocation::kernel(const cell::Word& word) const {
  const auto& overloads = session.code().modules().find(word.text);
  if (!overloads.empty()) return overloads.front();
  return session.code().find_kernels(run, word.text, word.span).front();
}

session::Pointer Invocation::any_array(const cell::Word& word) const {
  // Blanks in front keep the places of the expression those of the cell.
  const auto expression = cell::try_parse_expression(std::string(word.span.begin, ' ') + word.text);
  if (expression == nullptr)
    throw this->error(ErrorKind::syntax, fmt::format("{} is not an expression", word.text), word)
        .advise(fmt::format("Usage: {}", command.usage));
  run.current = word.span;
  interpreter::Interpreter interpreter(session, run);
  const auto value = interpreter.evaluate(*expression);
  const auto found = interpreter.elements(value);
  if (!found || found->shape.empty())
    throw error(ErrorKind::type, fmt::format("{} is not an array", word.text), word)
        .advise("%arrays lists the arrays.");
  return *found;
}

}  // namespace xcuda::command
