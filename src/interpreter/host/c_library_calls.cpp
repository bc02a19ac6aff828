// Random numbers, output and exit() of the C library.
#include <fmt/format.h>

#include "interpreter/host/c_random.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/host_calls.hpp"
#include "interpreter/statements.hpp"

namespace xcuda::interpreter {

Value RuntimeCalls::random(const Arguments&, cell::Span) { return language::ScalarValue::of(c_random().next()); }

Value RuntimeCalls::seed(const Arguments& given, cell::Span) {
  c_random().seed(static_cast<std::uint32_t>(number(*given[0], "the seed").as_unsigned()));
  return Nothing{};
}

Value RuntimeCalls::leave(const Arguments& given, cell::Span span) {
  const auto status = number(*given[0], "the status");
  if (status.truth()) throw error(ErrorKind::assertion, fmt::format("exit({})", status.text()), span);
  frame_.statements.end();
  return Nothing{};
}

Value RuntimeCalls::print_to(const Arguments& given, cell::Span span) {
  const auto file = number(*given[0], "the file");
  const auto which = file.as_unsigned() == 2 ? OutputStream::err : OutputStream::out;
  frame_.host_calls.print(which, std::span(given).subspan(1), span);
  return Nothing{};
}

Value RuntimeCalls::print_line(const Arguments& given, cell::Span) {
  const auto value = evaluate(*given[0]);
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr)
    throw error(ErrorKind::type, fmt::format("{} is not a string", snippet(run_.source, given[0]->span)),
                given[0]->span);
  run_.sink.stream(OutputStream::out, *text + "\n");
  return Nothing{};
}

}  // namespace xcuda::interpreter
