// std::istringstream, std::ostringstream and std::stringstream, and std::getline.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <type_traits>

#include "interpreter/containers/containers.hpp"
#include "interpreter/host/host_streams.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/targets.hpp"
#include "language/complaints.hpp"
#include "session/host_functions.hpp"

namespace xcuda::interpreter {
namespace {

using language::Kind;
using language::ScalarValue;

// At the end of the input it stays what it is.
template <class T> ScalarValue number_from(std::istream& from, const ScalarValue& present) {
  auto value = static_cast<T>(0);
  if constexpr (std::is_floating_point_v<T>)
    value = static_cast<T>(present.as_real());
  else if constexpr (std::is_signed_v<T>)
    value = static_cast<T>(present.as_signed());
  else
    value = static_cast<T>(present.as_unsigned());
  from >> value;
  return ScalarValue::of(value);
}

}  // namespace

// By its type, because a shift evaluates its operands itself.
bool Containers::may_be_stream(const cell::Expression& expression) {
  const auto in = [](std::string_view type) { return type.find("stringstream") != std::string_view::npos; };
  const auto* name = std::get_if<cell::Name>(&expression.node);
  if (name == nullptr && !begins_with_container(expression)) return false;
  const auto* root = &expression;
  for (;;) {
    const auto* call = std::get_if<cell::Call>(&root->node);
    const auto* member = call == nullptr ? nullptr : std::get_if<cell::Member>(&call->callee->node);
    if (const auto* part = std::get_if<cell::Member>(&root->node)) member = part;
    if (member != nullptr)
      root = member->base.get();
    else if (const auto* index = std::get_if<cell::Index>(&root->node))
      root = index->base.get();
    else if (const auto* unary = std::get_if<cell::Unary>(&root->node))
      root = unary->operand.get();
    else
      break;
  }
  if (const auto* whole = std::get_if<cell::Name>(&root->node)) {
    const auto* variable = session_.names().find(whole->text);
    if (variable == nullptr) return false;
    if (const auto* iterator = std::get_if<Iterator>(&variable->value))
      return iterator->of != nullptr && in(iterator->of->name);
    const auto* container = std::get_if<Container>(&variable->value);
    return container != nullptr && in(container->data->name);
  }
  if (const auto* cast = std::get_if<cell::Cast>(&root->node)) return in(cast->type);
  const auto* call = std::get_if<cell::Call>(&root->node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  if (callee == nullptr) return false;
  const auto& functions = session_.code().functions().find(callee->text);
  return in(callee->text) || (!functions.empty() && in(functions.front()->function->result));
}

// text << a << b, text >> a >> b; nothing where the leftmost operand is something else.
std::optional<Value> Containers::stream(const cell::Binary& binary) {
  using Op = cell::BinaryOperator;
  if (binary.op != Op::shift_left && binary.op != Op::shift_right) return std::nullopt;
  std::vector<const cell::Expression*> operands;
  const auto* left = &binary;
  for (;;) {
    operands.push_back(left->right.get());
    const auto* inner = std::get_if<cell::Binary>(&left->left->node);
    if (inner == nullptr || inner->op != binary.op) break;
    left = inner;
  }
  if (!may_be_stream(*left->left)) return std::nullopt;
  const auto found = find(*left->left);
  const auto* container = found ? std::get_if<Container>(&found->variable->value) : nullptr;
  if (container == nullptr || found->upto != left->left.get() || container->data->text == nullptr) return std::nullopt;
  const auto value = *container;
  auto& text = *value.data->text;
  std::reverse(operands.begin(), operands.end());
  for (const auto* operand : operands) {
    if (binary.op == Op::shift_left)
      frame_.output_streams.write(text, *operand);
    else
      read(text, *operand);
  }
  return value;
}

void Containers::read(std::stringstream& from, const cell::Expression& target) {
  const Named named(*this, target);
  const auto place = frame_.targets.of(named.expression());
  const auto before = frame_.targets.load(place);
  if (std::holds_alternative<std::string>(before)) {
    std::string word;
    from >> word;
    if (!from.fail()) frame_.targets.store(place, word, target.span);
    return;
  }
  const auto* number = std::get_if<ScalarValue>(&before);
  if (number == nullptr)
    throw error(ErrorKind::type,
                fmt::format("{} is {}: a stream reads numbers and texts", snippet(run_.source, target.span),
                            language::describe(form_of(before))),
                target.span);
  if (from.fail()) return;
  const auto value = [&]() -> ScalarValue {
    switch (number->kind()) {
      case Kind::boolean: return number_from<bool>(from, *number);
      case Kind::char8:
      case Kind::int8:
      case Kind::uint8: {
        char c = 0;
        from >> c;
        return from.fail() ? *number : ScalarValue::of(c);
      }
      case Kind::int16: return number_from<short>(from, *number);
      case Kind::uint16: return number_from<unsigned short>(from, *number);
      case Kind::int32: return number_from<int>(from, *number);
      case Kind::uint32: return number_from<unsigned>(from, *number);
      case Kind::long64:
      case Kind::llong64: return number_from<long>(from, *number);
      case Kind::ulong64:
      case Kind::ullong64: return number_from<unsigned long>(from, *number);
      case Kind::float64: return number_from<double>(from, *number);
      default: return number_from<float>(from, *number);
    }
  }();
  frame_.targets.store(place, value, target.span);
}

// std::getline(text, line), std::getline(text, line, ',')
Value Containers::get_line(const cell::Call& call, cell::Span span) {
  if (call.arguments.size() < 2 || call.arguments.size() > 3)
    throw error(ErrorKind::value, "std::getline takes a stream, a string, and perhaps what ends a line", span);
  auto value = Part::evaluate(*call.arguments[0].value);
  const auto* container = std::get_if<Container>(&value);
  if (container == nullptr || container->data->text == nullptr)
    throw error(
        ErrorKind::type,
        fmt::format("{} is not a stream that statements read", snippet(run_.source, call.arguments[0].value->span)),
        call.arguments[0].value->span)
        .advise("They read a std::istringstream. A program in a cell with %%cuda reads files.");
  const auto& target = *call.arguments[1].value;
  const Named named(*this, target);
  const auto place = frame_.targets.of(named.expression());
  if (!std::holds_alternative<std::string>(frame_.targets.load(place)))
    throw error(ErrorKind::type, fmt::format("{} is not a string", snippet(run_.source, target.span)), target.span);
  const char end =
      call.arguments.size() > 2 ? static_cast<char>(number(*call.arguments[2].value, "a character").as_signed()) : '\n';
  std::string line;
  const bool good = container->data->text->good();
  std::getline(*container->data->text, line, end);
  if (good) frame_.targets.store(place, line, target.span);
  return value;
}

}  // namespace xcuda::interpreter
