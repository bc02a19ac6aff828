// new and delete, in terms of memory: new T[n] is (T*)calloc(n, sizeof(T)), delete p is (operator delete)(p). Of what
// is more than zeros, new T(1, 2) is (T*)(operator new)(1, sizeof(T), T(1, 2)), and new T[3]{1} has the list there. And
// functions of <iterator>, in terms of operators: std::next(p, n) is p + n.
#include <fmt/format.h>

#include <utility>

#include "base/type.hpp"
#include "cell/library_names.hpp"
#include "cell/make_expression.hpp"
#include "cell/method.hpp"

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
  bool array = false;
  if (at("[")) {
    const auto open = next();
    const bool colons = std::exchange(subscript_colons_, false);
    if (!at("]")) count = assignment();
    subscript_colons_ = colons;
    expect_close("]", open);
    if (count == nullptr && !at("{")) return fail_expected("the number of elements"), nothing();
    if (at("[")) {
      fail(peek().span, "statements make arrays of one extent by new", "Declare the array: float m[n][8];",
           ErrorKind::unsupported);
      return nothing();
    }
    array = true;
  }
  const bool simple = find_type(text).has_value() || text.ends_with('*');
  ExpressionPtr value;  // of each element
  const auto type_end = previous_end_;
  if (at("(")) {
    auto list = arguments();
    const Span made{begin, previous_end_};
    if (list.size() == 1 && simple)
      value = std::move(list[0].value);
    else if (!list.empty())
      value = make(made, Call{make({begin, type_end}, Name{text}), std::move(list)});
  } else if (at("{")) {
    auto list = braces();
    const auto given = std::get<List>(list->node).elements.size();
    if (array && count == nullptr) count = make(list->span, IntegerLiteral{given});
    if (array && given > 0)
      value = std::move(list);
    else if (given > 0)
      value = make({begin, previous_end_}, Cast{text, std::move(list), Cast::Style::braces});
  }
  const Span span{begin, previous_end_};
  if (value == nullptr && !simple) value = make(span, Cast{text, make(span, List{}), Cast::Style::braces});
  if (count == nullptr) count = make(span, IntegerLiteral{1});
  Call call{make(span, Name{value == nullptr ? std::string("calloc") : std::string(kNew)}), {}};
  call.arguments.push_back({{}, {}, std::move(count)});
  call.arguments.push_back({{}, {}, make(span, SizeOf{text, nullptr})});
  if (value != nullptr) call.arguments.push_back({{}, {}, std::move(value)});
  return make(span, Cast{text + "*", make(span, std::move(call)), Cast::Style::parentheses});
}

ExpressionPtr Parser::delete_memory() {
  const auto begin = next().span.begin;
  const bool array = at("[") && at("]", 1);
  if (array) {
    next();
    next();
  }
  if (!enter(peek().span)) return nothing();
  auto pointer = unary();
  leave();
  const Span span{begin, previous_end_};
  Call call{make(span, Name{std::string(array ? kDeleteArray : kDelete)}), {}};
  call.arguments.push_back({{}, {}, std::move(pointer)});
  return make(span, std::move(call));
}

// v.rbegin() and std::rbegin(v) are std::make_reverse_iterator(v.end()); null for other calls.
ExpressionPtr Parser::reverse_iterator(Span span, ExpressionPtr& callee, std::vector<Argument>& given) {
  auto* member = std::get_if<Member>(&callee->node);
  const auto* function = std::get_if<Name>(&callee->node);
  const auto reversed = [&](ExpressionPtr iterator) {
    std::vector<Argument> arguments;
    arguments.push_back({{}, {}, std::move(iterator)});
    return make(span, Call{make(callee->span, Name{"std::make_reverse_iterator"}), std::move(arguments)});
  };
  for (const auto& [name, from] : kReverseMethods) {
    if (member != nullptr && member->member == name && given.empty())
      return reversed(
          make(span, Call{make(callee->span, Member{std::move(member->base), std::string(from), member->arrow}), {}}));
    if (function != nullptr && function->text == fmt::format("std::{}", name) && given.size() == 1)
      return reversed(make(span, Call{make(callee->span, Name{fmt::format("std::{}", from)}), std::move(given)}));
  }
  return nullptr;
}

// std::next(p), std::prev(p, n), std::advance(p, n), std::distance(a, b); null for other calls.
ExpressionPtr Parser::moved_iterator(std::string_view function, Span span, std::vector<Argument>& given) {
  const bool next = function == "std::next", back = function == "std::prev", distance = function == "std::distance";
  const bool moves = next || back;
  if (!moves && !distance && function != "std::advance") return nullptr;
  if (moves && given.size() == 1) given.push_back({{}, {}, make(span, IntegerLiteral{1})});
  if (given.size() != 2) return nullptr;
  auto first = std::move(given[0].value), second = std::move(given[1].value);
  if (moves)
    return make(span,
                Binary{next ? BinaryOperator::add : BinaryOperator::subtract, std::move(first), std::move(second)});
  if (distance) return make(span, Binary{BinaryOperator::subtract, std::move(second), std::move(first)});
  return make(span, Assignment{BinaryOperator::add, std::move(first), std::move(second)});
}

}  // namespace xcuda::cell
