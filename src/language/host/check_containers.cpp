// Containers that statements hold: what they hold is known when they run, and what their functions are before that.
#include <fmt/format.h>

#include "cell/container_types.hpp"
#include "cell/snippet.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/host/container_rules.hpp"

namespace xcuda::language {

void Checker::container_values(const cell::Expression& expression) {
  if (const auto* list = std::get_if<cell::List>(&expression.node)) {
    for (const auto& one : list->elements) container_values(*one);
    return;
  }
  if (!std::holds_alternative<cell::Lambda>(expression.node)) form(expression);
}

Form Checker::declared_container(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (declarator.init != nullptr) container_values(*declarator.init);
  for (const auto& argument : declarator.constructor) container_values(*argument.value);
  static_cast<void>(extents(declarator.extents, declarator));
  auto made = container_form(declarator.extents.empty() ? declaration.type : std::string());
  made.read_only = declaration.is_const;
  return made;
}

// The type of a container that a name is of; what an element is, is known when it runs.
std::optional<cell::ContainerType> Checker::container_in(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const auto held = name == nullptr ? std::nullopt : find(name->text);
  if (!held || held->is_known() || held->type.name.empty()) return std::nullopt;
  return cell::container_type(held->type.name);
}

bool Checker::may_be_key(const cell::Index& index) {
  const auto& key = index.subscripts[0].start->node;
  if (std::holds_alternative<cell::StringLiteral>(key) || std::holds_alternative<cell::List>(key)) return true;
  const auto known = container_in(*index.base);
  if (known) return known->is(cell::kMaps);
  const auto* name = std::get_if<cell::Name>(&key);
  const auto held = name == nullptr ? std::nullopt : find(name->text);
  return name == nullptr || (held && held->kind == Form::Kind::text);
}

// out << std::setw(4) << n, in >> a >> b of a text stream
std::optional<Form> Checker::text_stream(const cell::Binary& binary) {
  if (binary.op != BinaryOperator::shift_left && binary.op != BinaryOperator::shift_right) return std::nullopt;
  std::vector<const cell::Expression*> operands = {binary.right.get()};
  const auto* left = binary.left.get();
  for (const auto* inner = std::get_if<cell::Binary>(&left->node); inner != nullptr && inner->op == binary.op;
       inner = std::get_if<cell::Binary>(&left->node)) {
    operands.push_back(inner->right.get());
    left = inner->left.get();
  }
  const auto type = container_in(*left);
  if (!type || type->kind != cell::ContainerKind::text_stream) return std::nullopt;
  for (const auto* operand : operands) {
    const auto* name = std::get_if<cell::Name>(&operand->node);
    const auto* row = manipulator_of(*operand);
    if (row == nullptr || (name != nullptr && find(name->text)))
      form(*operand);
    else if (row->takes_argument())
      number(*std::get<cell::Call>(operand->node).arguments[0].value, row->name);
  }
  return form(*left);
}

// std::getline(file, line), std::map<int, int>(m)
std::optional<Form> Checker::container_function(const cell::Call& call, std::string_view callee) {
  if (!is_container_function(callee)) return std::nullopt;
  for (const auto& argument : call.arguments) container_values(*argument.value);
  return container_form(callee);
}

// counts.find("a")
std::optional<Form> Checker::container_call(const cell::Call& call) {
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  const auto type = member == nullptr || member->arrow ? std::nullopt : container_in(*member->base);
  if (!type) return std::nullopt;
  for (const auto& argument : call.arguments) container_values(*argument.value);
  if (type->kind == cell::ContainerKind::record) return forget_variables(), Form();
  const auto* row = find_container_method(*type, member->member, call.arguments.size());
  if (row == nullptr) {
    say(unknown_container_method(source_, *type, *member, call));
    return Form();
  }
  const auto& name = std::get<cell::Name>(member->base->node).text;
  if (changes(row->operation) && find(name)->read_only) say(is_constant(source_, name, member->base->span));
  return result_of(*row);
}

}  // namespace xcuda::language
