// Copies of containers, and assignments to them and their parts.
#include <fmt/format.h>

#include <deque>
#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "cell/library_names.hpp"
#include "cell/method.hpp"
#include "cell/operator_table.hpp"
#include "interpreter/assignments.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/places.hpp"
#include "interpreter/records/records.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

// Whether it has a value that a name can have before the target is known.
bool Containers::goes_first(const cell::Expression& expression) {
  const auto& node = expression.node;
  if (std::holds_alternative<cell::Lambda>(node) || std::holds_alternative<cell::StringLiteral>(node) ||
      std::holds_alternative<cell::IntegerLiteral>(node) || std::holds_alternative<cell::FloatingLiteral>(node))
    return false;
  const auto& form = frame_.expressions.form(expression);
  if (form.kind == language::Form::Kind::number || form.kind == language::Form::Kind::text) return true;
  if (const auto* unary = std::get_if<cell::Unary>(&node);
      unary != nullptr && unary->op == cell::UnaryOperator::address)
    return false;
  return !std::holds_alternative<cell::Name>(node) && !form.is_address && form.kind != language::Form::Kind::function &&
         form.kind != language::Form::Kind::null && !frame_.lookup.function(expression) &&
         !frame_.addresses.is_moved_array(expression);
}

cell::ExpressionPtr Containers::with_leaves(const cell::Expression& expression, Ahead& ahead) {
  if (const auto* list = std::get_if<cell::List>(&expression.node)) {
    auto copy = cell::copy_of(expression);
    auto& elements = std::get<cell::List>(copy->node).elements;
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = with_leaves(*list->elements[i], ahead);
    return copy;
  }
  if (!goes_first(expression)) return cell::copy_of(expression);
  auto name = new_name();
  ahead.leaves.emplace_back(&expression, session_.names().symbol(name));
  return std::make_unique<cell::Expression>(cell::Expression{expression.span, cell::Name{std::move(name)}});
}

const Containers::Ahead& Containers::ahead(const cell::Assignment& assignment) {
  auto& known = ahead_[assignment.value.get()];
  if (known.tree == nullptr) {
    auto tree = with_leaves(*assignment.value, known);
    known.tree = known.leaves.empty() ? assignment.value.get() : &kept(std::move(tree));
  }
  return known;
}

// As C++17 has it: the value first, which may change the container.
std::optional<Value> Containers::assign(const cell::Assignment& assignment, cell::Span span) {
  const auto& target = *assignment.target;
  const bool name = std::holds_alternative<cell::Name>(target.node);
  if (name ? !begins_with_container(target) : !is_part(target)) return std::nullopt;
  if (name) return assign(assignment, *assignment.value, span);
  const auto& known = ahead(assignment);
  std::deque<Variable> values;
  for (const auto& [leaf, symbol] : known.leaves) {
    auto value = Part::evaluate(*leaf);
    if (const auto* computed = std::get_if<ArrayExpression>(&value)) value = frame_.arrays.evaluate(computed->node);
    values.push_back({std::move(value), false, {}});
  }
  std::deque<NameTable::Lent> lent;
  for (std::size_t i = 0; i < values.size(); ++i)
    lent.emplace_back(session_.names(), known.leaves[i].second, &values[i]);
  return assign(assignment, *known.tree, span);
}

std::optional<Value> Containers::assign(const cell::Assignment& assignment, const cell::Expression& given,
                                        cell::Span span) {
  const auto& target = *assignment.target;
  const auto found = find(target);
  if (!found) return std::nullopt;
  auto& held = found->variable->value;
  const auto* part = std::get_if<Iterator>(&held);
  if (found->upto == &target && std::holds_alternative<language::ScalarValue>(held)) require_changeable(*found, target);
  if (found->upto == &target && !found->followed && (part != nullptr || std::holds_alternative<Container>(held))) {
    require_changeable(*found, target);
    const auto text = snippet(run_.source, target.span);
    if (part != nullptr && part->of == nullptr) {
      if (part->constant) throw language::is_constant(frame_.text, text, span);
      auto value = number(given, "the value");
      auto& c = character(*part, target.span);
      if (assignment.op) value = language::binary(*assignment.op, language::ScalarValue::of(c), value, where(span));
      c = static_cast<char>(language::convert(value, language::Kind::char8).as_signed());
      return language::ScalarValue::of(c);
    }
    if (const auto* container = std::get_if<Container>(&held);
        container != nullptr && container->data->record != nullptr && assignment.op)
      return frame_.records.assign(*found->variable, cell::spelling(*assignment.op), given, span);
    if (assignment.op) {
      if (part == nullptr) throw error(ErrorKind::type, fmt::format("{} cannot be changed by this", text), span);
      const auto by = number(given, "a number of steps").as_signed();
      held = moved(*part, *assignment.op == cell::BinaryOperator::subtract ? -by : by, span);
      return held;
    }
    if (part != nullptr) {
      auto other = Part::evaluate(given);
      if (!std::holds_alternative<Iterator>(other)) throw language::wrong_type(frame_.text, assignment.value->span);
      return held = std::move(other);
    }
    const auto container = std::get<Container>(held);
    auto other = converted(container.data->name, given);
    container.data->take(*std::get<Container>(other).data);
    return held;
  }
  const Named named(*this, *found, target);
  auto& known = assignments_[{&assignment, &named.expression()}];
  if (known == nullptr) {
    auto copy = std::make_unique<cell::Expression>();
    copy->span = span;
    copy->node = cell::Assignment{assignment.op, cell::copy_of(named.expression()), cell::copy_of(given)};
    known = &kept(std::move(copy));
  }
  return frame_.assignments.assign(std::get<cell::Assignment>(known->node), span);
}

namespace {

ItemPtr copied(Value value) { return std::make_shared<Variable>(Variable{std::move(value), false, {}}); }

}  // namespace

ItemPtr Containers::copy_of(const Variable& from, const std::string& type, cell::Span span) {
  poll();
  const auto& value = from.value;
  if (const auto* container = std::get_if<Container>(&value)) return copied(copy_of(*container));
  if (const auto* pointer = std::get_if<Pointer>(&value); pointer != nullptr && is_vector(*pointer))
    return copied(frame_.vectors.kept(cell::vector_element(type).empty()  // float v[3] of a record
                                          ? fmt::format("std::vector<{}>", pointer->type.name)
                                          : type,
                                      Vectors::now(*pointer), span));
  if (const auto* pointer = std::get_if<Pointer>(&value);
      pointer != nullptr && pointer->shape.empty() && !pointer->is_address)
    return copied(frame_.places.element(*pointer));  // a struct that has moved to memory
  return copied(value);
}

Container Containers::copy_of(const Container& container) {
  const auto& from = *container.data;
  struct Depth {
    int& depth;
    ~Depth() { --depth; }
  } const inside{++depth_};
  if (depth_ > kDeepestCopies)
    throw error(ErrorKind::value, fmt::format("a {} holds others {} deep: it cannot be copied", from.name, depth_ - 1),
                run_.current)
        .advise("Hold all of them in one vector, and the indices of those that belong together in each.");
  auto copy = std::make_shared<ContainerData>();
  copy->name = from.name;
  copy->type = from.type;
  copy->record = from.record;
  copy->before = from.before;
  copy->order = from.order;
  if (from.text != nullptr)
    throw error(ErrorKind::type, fmt::format("a {} cannot be copied", from.name), run_.current)
        .advise("Give it by reference.");
  const auto type_at = [&](std::size_t i) {
    return from.type.is(cell::kOfParts) ? from.type.arguments[i] : from.type.arguments[0];
  };
  for (std::size_t i = 0; i < from.items.size(); ++i) {
    copy->items.push_back(copy_of(*from.items[i], type_at(i), run_.current));
    if (from.record != nullptr) copy->items.back()->read_only = from.record->parts[i].is_const;
  }
  const auto entry = [&](const ItemPtr& one) {
    if (from.type.is(cell::kSets)) return one;  // which cannot change
    const auto& pair = *std::get<Container>(one->value).data;
    return pair_of(from, copy_of(*pair.items[0], from.type.arguments[0], run_.current),
                   copy_of(*pair.items[1], from.type.arguments[1], run_.current));
  };
  copy->sorted = from.sorted;  // with what orders it: nothing is compared
  for (auto& [key, one] : copy->sorted) one = entry(one);
  copy->hashed = from.hashed;  // in the same order
  for (auto& [key, one] : copy->hashed) one = entry(one);
  return {std::move(copy)};
}

Value Containers::owned(Value value) {
  auto* container = std::get_if<Container>(&value);
  if (container == nullptr || container->data.use_count() == 1) return value;
  return copy_of(*container);
}

}  // namespace xcuda::interpreter
