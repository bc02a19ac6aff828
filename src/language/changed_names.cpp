#include "language/changed_names.hpp"

#include "cell/expression_root.hpp"

namespace xcuda::language {
namespace {

using Names = std::set<std::string>;

void changed_by(const cell::Expression* expression, Names& names);
void changed_by(const std::vector<cell::Argument>& arguments, Names& names) {
  for (const auto& argument : arguments) changed_by(argument.value.get(), names);
}

void changed_by(const cell::Expression* expression, Names& names) {
  if (expression == nullptr) return;
  const auto target = [&](const cell::Expression& one) {
    const auto* place = &cell::without_casts(one);
    if (const auto* unary = std::get_if<cell::Unary>(&place->node);
        unary != nullptr && unary->op == cell::UnaryOperator::address)
      place = unary->operand.get();  // f(&k)
    if (const auto* name = std::get_if<cell::Name>(&place->node)) names.insert(name->text);
  };
  const auto& node = expression->node;
  if (const auto* unary = std::get_if<cell::Unary>(&node)) {
    if (cell::is_step(unary->op)) target(*unary->operand);
    changed_by(unary->operand.get(), names);
  } else if (const auto* binary = std::get_if<cell::Binary>(&node)) {
    changed_by(binary->left.get(), names);
    changed_by(binary->right.get(), names);
  } else if (const auto* assignment = std::get_if<cell::Assignment>(&node)) {
    target(*assignment->target);
    changed_by(assignment->value.get(), names);
  } else if (const auto* ternary = std::get_if<cell::Ternary>(&node)) {
    for (const auto* one : {&ternary->condition, &ternary->yes, &ternary->no}) changed_by(one->get(), names);
  } else if (const auto* cast = std::get_if<cell::Cast>(&node)) {
    changed_by(cast->operand.get(), names);
  } else if (const auto* call = std::get_if<cell::Call>(&node)) {
    for (const auto& argument : call->arguments) target(*argument.value);  // swap(a, b)
    changed_by(call->arguments, names);
  } else if (const auto* index = std::get_if<cell::Index>(&node)) {
    changed_by(index->base.get(), names);
    for (const auto& one : index->subscripts)
      for (const auto* part : {&one.start, &one.stop, &one.step}) changed_by(part->get(), names);
  }
}

void changed_by(const cell::Statement* statement, Names& names) {
  if (statement == nullptr) return;
  const auto& node = statement->node;
  if (const auto* one = std::get_if<cell::ExpressionStatement>(&node)) {
    changed_by(one->expression.get(), names);
  } else if (const auto* block = std::get_if<cell::Block>(&node)) {
    for (const auto& inner : block->statements) changed_by(inner.get(), names);
  } else if (const auto* branch = std::get_if<cell::If>(&node)) {
    changed_by(branch->condition.get(), names);
    changed_by(branch->then.get(), names);
    changed_by(branch->otherwise.get(), names);
  } else if (const auto* loop = std::get_if<cell::For>(&node)) {
    changed_by(loop->init.get(), names);
    changed_by(loop->condition.get(), names);
    changed_by(loop->step.get(), names);
    changed_by(loop->body.get(), names);
  } else if (const auto* each = std::get_if<cell::RangeFor>(&node)) {
    changed_by(each->range.get(), names);
    for (const auto& pointer : each->each) changed_by(pointer.get(), names);
    changed_by(each->body.get(), names);
  } else if (const auto* chosen = std::get_if<cell::Switch>(&node)) {
    changed_by(chosen->value.get(), names);
    for (const auto& inner : chosen->statements) changed_by(inner.get(), names);
  } else if (const auto* once = std::get_if<cell::While>(&node)) {
    changed_by(once->condition.get(), names);
    changed_by(once->body.get(), names);
  } else if (const auto* again = std::get_if<cell::DoWhile>(&node)) {
    changed_by(again->condition.get(), names);
    changed_by(again->body.get(), names);
  } else if (const auto* there = std::get_if<cell::OnDevice>(&node)) {
    changed_by(there->device.get(), names);
    changed_by(there->body.get(), names);
  } else if (const auto* tried = std::get_if<cell::Try>(&node)) {
    changed_by(tried->body.get(), names);
    for (const auto& handler : tried->handlers) changed_by(handler.body.get(), names);
  } else if (const auto* declaration = std::get_if<cell::Declaration>(&node)) {
    for (const auto& one : declaration->declarators) changed_by(one.init.get(), names);
  } else if (const auto* launch = std::get_if<cell::Launch>(&node)) {
    changed_by(launch->arguments, names);
  }
}

}  // namespace

std::set<std::string> names_changed_by(const cell::Statement& statement) {
  Names names;
  changed_by(&statement, names);
  return names;
}

std::set<std::string> names_changed_by(const cell::Expression& expression) {
  Names names;
  changed_by(&expression, names);
  return names;
}

}  // namespace xcuda::language
