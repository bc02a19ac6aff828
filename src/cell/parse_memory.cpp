// new and delete, in terms of memory: new T[n] is (T*)calloc(n, sizeof(T)), delete[] p is free(p).
#include <fmt/format.h>

#include <utility>

#include "cell/make_expression.hpp"

namespace xcuda::cell {

ExpressionPtr Parser::new_memory() {
  const auto begin = next().span.begin;
  const auto type = scan_type(0);
  if (!type) {
    fail_expected("a type after new");
    return nothing();
  }
  auto text = type->text;
  for (std::size_t i = 0; i < type->next; ++i) next();
  while (accept("*")) text += "*";
  ExpressionPtr count;
  if (at("[")) {
    const auto open = next();
    const bool colons = std::exchange(subscript_colons_, false);
    count = assignment();
    subscript_colons_ = colons;
    expect_close("]", open);
  }
  if ((at("(") && at(")", 1)) || (at("{") && at("}", 1))) {
    next();
    next();
  } else if (at("(") || at("{")) {
    fail(peek().span, fmt::format("new {} with initial values", text), fmt::format("Write *p = {}(...) after it", text),
         ErrorKind::unsupported);
    return nothing();
  }
  const Span span{begin, previous_end_};
  if (count == nullptr) count = make(span, IntegerLiteral{1});
  Call call{make(span, Name{"calloc"}), {}};
  call.arguments.push_back({{}, {}, std::move(count)});
  call.arguments.push_back({{}, {}, make(span, SizeOf{text, nullptr})});
  return make(span, Cast{text + "*", make(span, std::move(call)), Cast::Style::parentheses});
}

ExpressionPtr Parser::delete_memory() {
  const auto begin = next().span.begin;
  if (at("[") && at("]", 1)) {
    next();
    next();
  }
  if (!enter(peek().span)) return nothing();
  auto pointer = unary();
  leave();
  const Span span{begin, previous_end_};
  Call call{make(span, Name{"free"}), {}};
  call.arguments.push_back({{}, {}, std::move(pointer)});
  return make(span, std::move(call));
}

}  // namespace xcuda::cell
