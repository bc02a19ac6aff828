// What a cell asks of the process it runs in: getenv for notebooks that run with parameters, atoi and atof for its
// texts.
//
//   const int n = getenv("N") ? atoi(getenv("N")) : 1024;
#include <fmt/format.h>

#include <cstdlib>

#include "interpreter/executor.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

Value Executor::text_function(const FunctionCall& of) {
  const auto& argument = *bound(of)[0];
  const auto value = evaluate(argument);
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) {
    auto failure =
        error(ErrorKind::type,
              fmt::format("{} takes a text, and {} is none", of.row().name, snippet(run_.source, argument.span)),
              argument.span);
    if (std::holds_alternative<NullPointer>(value))
      failure.advice = "The variable is not set: getenv(\"N\") ? atoi(getenv(\"N\")) : 1024 gives it a default.";
    throw failure;
  }
  if (of.row().operation == language::Operation::integer_of_text) return cell::Value::of(std::atoi(text->c_str()));
  if (of.row().operation == language::Operation::real_of_text) return cell::Value::of(std::atof(text->c_str()));
  const char* const found = std::getenv(text->c_str());
  if (found == nullptr) return NullPointer{};
  return std::string(found);
}

}  // namespace xcuda::interpreter
