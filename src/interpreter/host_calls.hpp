// Functions that statements call on the host: printf, swap, getenv, atoi, atof.
//
//   const int n = getenv("N") ? atoi(getenv("N")) : 1024;
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class HostCalls : public Part {
 public:
  explicit HostCalls(Frame& frame) : Part(frame) {}

  // Both give the number of characters.
  language::ScalarValue print(const cell::Call& call, cell::Span span);
  // By fprintf() or the like: the format first.
  language::ScalarValue print(OutputStream which, std::span<const cell::Expression* const> given, cell::Span span,
                              std::string_view function);
  std::string formatted(std::span<const cell::Expression* const> given, cell::Span span,
                        std::string_view function);  // of the same
  void exchange(const cell::Call& call,
                cell::Span span);      // swap(a, b): variables, elements, or the names of two arrays
  Value text(const FunctionCall& of);  // of one text

 private:
  void require_number(const std::string& text, const FunctionCall& of);
  void exchange_places(const cell::Expression& a, const cell::Expression& b, cell::Span span);
  std::optional<std::string> text_in_struct(const cell::Expression& expression);
};

}  // namespace xcuda::interpreter
