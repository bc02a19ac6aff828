// Functions of arrays.
#include <fmt/format.h>

#include <algorithm>

#include "session/executor.hpp"
#include "session/initial.hpp"

namespace xcuda::session {

// Nothing when no argument is an array and the function is none of arrays and of device code.
std::optional<Value> Executor::array_call(const cell::Call& call, std::string_view function, cell::Span span) {
  const bool of_cells = session_.program().is_function(function);
  if (!of_cells && !is_element_function(function)) return std::nullopt;
  std::vector<ArrayNodePtr> inputs;
  std::vector<Value> values;
  for (const auto& argument : call.arguments) values.push_back(evaluate(*argument.value));
  const bool arrays = std::any_of(values.begin(), values.end(), [&](const Value& value) { return is_array(value); });
  if (!arrays && !of_cells) {
    std::vector<cell::Value> numbers;
    for (std::size_t i = 0; i < values.size(); ++i)
      numbers.push_back(number(values[i], call.arguments[i].value->span, fmt::format("an argument of {}", function)));
    if (!cell::is_scalar_function(function)) return std::nullopt;
    return cell::call_scalar_function(function, numbers, where(span));
  }
  for (std::size_t i = 0; i < values.size(); ++i) inputs.push_back(node_of(values[i], *call.arguments[i].value));
  const auto result = combine(ArrayNode::Kind::function, std::string(function), std::move(inputs), span);
  const auto& node = std::get<ArrayExpression>(result).node;
  std::const_pointer_cast<ArrayNode>(node)->of_cells = of_cells;
  if (!node->shape.empty()) return result;
  auto one = arrays_.evaluate(node);  // a function of device code, called with numbers
  one.shape.clear();
  return element(one);
}

}  // namespace xcuda::session
