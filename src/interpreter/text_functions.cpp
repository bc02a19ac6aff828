// What a cell asks of the process it runs in: getenv for notebooks that run with parameters, atoi and atof for its
// texts.
//
//   const int n = getenv("N") ? atoi(getenv("N")) : 1024;
#include <fmt/format.h>

#include <cstdlib>

#include "interpreter/executor.hpp"

namespace xcuda::interpreter {

Value Executor::text_function(std::string_view function, const cell::Call& call, cell::Span span) {
  if (call.arguments.size() != 1) throw error(ErrorKind::type, fmt::format("{} takes one text", function), span);
  const auto value = evaluate(*call.arguments[0].value);
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) {
    auto failure = error(
        ErrorKind::type,
        fmt::format("{} takes a text, and {} is none", function, snippet(run_.source, call.arguments[0].value->span)),
        call.arguments[0].value->span);
    if (std::holds_alternative<NullPointer>(value))
      failure.advice = "The variable is not set: getenv(\"N\") ? atoi(getenv(\"N\")) : 1024 gives it a default.";
    throw failure;
  }
  if (function == "atoi") return cell::Value::of(std::atoi(text->c_str()));
  if (function == "atof") return cell::Value::of(std::atof(text->c_str()));
  const char* const found = std::getenv(text->c_str());
  if (found == nullptr) return NullPointer{};
  return std::string(found);
}

}  // namespace xcuda::interpreter
