// The atomic operations of g++, __sync_fetch_and_add() and its siblings: statements run on one thread.
#include <string_view>
#include <utility>

#include "cell/expression_root.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "language/operators.hpp"

namespace xcuda::interpreter {

Target RuntimeCalls::target_of(const cell::Expression& pointer) {
  const auto* place = &cell::without_casts(pointer);
  const auto* unary = std::get_if<cell::Unary>(&place->node);
  if (unary != nullptr && unary->op == cell::UnaryOperator::address) return frame_.targets.of(*unary->operand);
  auto element = frame_.addresses.of(*place);
  element.shape.clear();
  return element;
}

Value RuntimeCalls::update(std::string_view name, const Arguments& given, cell::Span span) {
  using cell::BinaryOperator;
  static constexpr std::pair<std::string_view, BinaryOperator> kOperators[] = {{"_add", BinaryOperator::add},
                                                                               {"_sub", BinaryOperator::subtract},
                                                                               {"_or", BinaryOperator::bit_or},
                                                                               {"_and", BinaryOperator::bit_and},
                                                                               {"_xor", BinaryOperator::bit_xor}};
  const auto target = target_of(*given[0]);
  const auto before = number(frame_.targets.load(target), given[0]->span, "what is changed");
  auto value = number(*given[1], "the value");
  const bool gives_new = name.ends_with("_and_fetch");
  const auto words = name.substr(0, name.size() - (gives_new ? std::string_view("_and_fetch").size() : 0));
  for (const auto& [word, op] : kOperators)
    if (words.ends_with(word)) value = language::binary(op, before, value, where(span));
  const auto after = frame_.targets.store(target, value, span);
  return gives_new ? after : Value(before);
}

Value RuntimeCalls::exchange_if(std::string_view name, const Arguments& given, cell::Span span) {
  const auto target = target_of(*given[0]);
  const auto before = number(frame_.targets.load(target), given[0]->span, "what is changed");
  const auto expected = language::convert(number(*given[1], "the expected value"), before.type());
  const auto value = number(*given[2], "the value");
  const bool same = before.as_unsigned() == expected.as_unsigned();
  if (same) frame_.targets.store(target, value, span);
  return name.starts_with("__sync_bool") ? Value(language::ScalarValue::of(same)) : Value(before);
}

}  // namespace xcuda::interpreter
