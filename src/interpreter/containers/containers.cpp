#include "interpreter/containers/containers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell/library_names.hpp"
#include "cell/method.hpp"
#include "interpreter/assignments.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"
#include "language/standard_algorithms.hpp"

namespace xcuda::interpreter {
namespace {

bool is_held(const Value& value) {
  return std::holds_alternative<Container>(value) || std::holds_alternative<Iterator>(value);
}

bool is_get(const cell::Call& call) {
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  return callee != nullptr && callee->text.starts_with("std::get<") && call.arguments.size() == 1;
}

// What the expression is a part of, or a function of: x of x[1], x.y, x.f(), *x and std::get<0>(x).
const cell::ExpressionPtr* base_of(const cell::Expression& expression) {
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) return &index->base;
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) return &member->base;
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node)) return &unary->operand;
  if (const auto* assignment = std::get_if<cell::Assignment>(&expression.node)) return &assignment->target;
  const auto* call = std::get_if<cell::Call>(&expression.node);
  if (call == nullptr) return nullptr;
  if (const auto* member = std::get_if<cell::Member>(&call->callee->node)) return &member->base;
  return is_get(*call) ? &call->arguments.front().value : nullptr;
}

// Of m(i, j) of an object, too.
const cell::ExpressionPtr& inner_of(const cell::Expression& expression) {
  const auto* base = base_of(expression);
  return base != nullptr ? *base : std::get<cell::Call>(expression.node).callee;
}

cell::ExpressionPtr* inner_in(cell::Expression& expression) {
  return const_cast<cell::ExpressionPtr*>(&inner_of(expression));
}

// x->y of what has been followed already is x.y.
void without_arrow(cell::Expression& expression) {
  auto* member = std::get_if<cell::Member>(&expression.node);
  if (auto* call = std::get_if<cell::Call>(&expression.node)) member = std::get_if<cell::Member>(&call->callee->node);
  if (member != nullptr) member->arrow = false;
}

bool is_pointee(const cell::Expression& expression) {
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  return unary != nullptr && unary->op == cell::UnaryOperator::pointee;
}

}  // namespace

const cell::Expression& Containers::kept(cell::ExpressionPtr tree) { return *trees_.emplace_back(std::move(tree)); }

// The expression with a name in the place of a part.
const Containers::Rewritten& Containers::rewritten(const cell::Expression& expression, const Found& found) {
  const auto& part = *found.upto;
  auto& known = rewritten_[{&expression, &part}];
  if (known.tree != nullptr) return known;
  known.name = new_name();
  known.symbol = session_.names().symbol(known.name);
  auto name = std::make_unique<cell::Expression>();
  name->span = part.span;
  name->node = cell::Name{known.name};
  if (&expression == &part) {
    known.tree = &kept(std::move(name));
    return known;
  }
  auto copy = cell::copy_of(expression);
  auto* at = copy.get();
  for (const auto* original = &expression;;) {
    auto* base = inner_in(*at);
    const auto& inner = *inner_of(*original);
    if (&inner == &part) {
      if (found.followed) without_arrow(*at);
      *base = std::move(name);
      break;
    }
    at = base->get();
    original = &inner;
  }
  known.tree = &kept(std::move(copy));
  return known;
}

Containers::Named::Named(Containers& containers, const cell::Expression& expression)
    : containers_(containers), expression_(&expression) {
  if (!containers.is_part(expression)) return;
  if (const auto found = containers.find(expression)) name(*found, expression);
}

Containers::Named::Named(Containers& containers, const Found& found, const cell::Expression& expression)
    : containers_(containers), expression_(&expression) {
  name(found, expression);
}

void Containers::Named::name(const Found& found, const cell::Expression& expression) {
  const auto& known = containers_.rewritten(expression, found);
  variable_ = found.variable;
  if (auto* vector = std::get_if<Pointer>(&variable_->value); vector != nullptr && is_vector(*vector))
    vector->owner = containers_.snippet_of(found.upto->span);
  if (found.constant && !variable_->read_only) {
    auto constant = std::make_shared<Variable>(*variable_);
    constant->read_only = true;
    if (constant->seen == nullptr) constant->seen = variable_;
    if (auto* pointer = std::get_if<Pointer>(&constant->value)) pointer->read_only = true;
    variable_ = std::move(constant);
  }
  lent_.emplace(containers_.session_.names(), known.symbol, variable_.get());
  expression_ = known.tree;
  if (found.upto == &expression) whole_ = variable_;
}

const cell::ExpressionPtr* Containers::base(const cell::Expression& expression) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* base = base_of(expression);
  return base == nullptr && call != nullptr && frame_.records.is_functor(*call) ? &call->callee : base;
}

bool Containers::begins_with_container(const cell::Expression& expression) {
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto* variable = session_.names().find(name->text);
    return variable != nullptr && is_held(variable->value);
  }
  if (const auto* base = this->base(expression)) return begins_with_container(**base);
  if (const auto* binary = std::get_if<cell::Binary>(&expression.node))
    return begins_with_container(*binary->left) || begins_with_container(*binary->right);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  if (callee == nullptr) return false;
  const bool reversed = callee->text == "std::make_reverse_iterator";  // m.rbegin(), as the parser has it
  if (reversed || language::is_standard_algorithm(callee->text))
    return !call->arguments.empty() && begins_with_container(*call->arguments.front().value);
  if (cell::container_type(callee->text)) return true;
  const auto& functions = session_.code().functions().find(callee->text);
  if (functions.empty()) return false;
  std::string_view result = functions.front()->function->result;
  if (result.ends_with('&')) result.remove_suffix(1);
  return cell::container_type(result).has_value();
}

bool Containers::is_part(const cell::Expression& expression) {
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  if (unary != nullptr && !is_pointee(expression)) return false;
  return base(expression) != nullptr && !std::holds_alternative<cell::Assignment>(expression.node) &&
         begins_with_container(expression);
}

std::optional<Containers::Found> Containers::find(const cell::Expression& expression) {
  const bool step_of_iterator =
      std::holds_alternative<cell::Unary>(expression.node) && !is_pointee(expression);  // it++
  const auto* base = step_of_iterator ? nullptr : this->base(expression);
  if (base == nullptr || std::holds_alternative<cell::Assignment>(expression.node)) {
    if (!begins_with_container(expression)) return std::nullopt;
    if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
      auto* variable = session_.names().find(name->text);
      return Found{{std::shared_ptr<void>(), variable}, &expression, false, variable->read_only};
    }
    return Found{std::make_shared<Variable>(Variable{Part::evaluate(expression), false, {}}), &expression};
  }
  auto found = find(**base);
  if (!found || found->upto != base->get() || !is_held(found->variable->value)) return found;
  return step(*found, expression);
}

// m[k], it->first, q.front() of a container or an iterator.
std::optional<Containers::Found> Containers::step(const Found& base, const cell::Expression& expression) {
  const auto& held = base.variable->value;
  if (const auto* iterator = std::get_if<Iterator>(&held)) {
    const auto* member = std::get_if<cell::Member>(&expression.node);
    const auto* call = std::get_if<cell::Call>(&expression.node);
    if (call != nullptr) member = std::get_if<cell::Member>(&call->callee->node);
    if (is_pointee(expression))
      return Found{pointee(*iterator, expression.span), &expression, false, iterator->constant};
    if (member == nullptr || !member->arrow)
      throw error(ErrorKind::type, fmt::format("{} is an iterator", snippet(run_.source, base.upto->span)),
                  expression.span)
          .advise("*it is its element, it->first a part of it.");
    const Found followed{pointee(*iterator, expression.span), base.upto, true, iterator->constant};
    return std::holds_alternative<Container>(followed.variable->value) ? step(followed, expression)
                                                                       : std::optional(followed);
  }
  const auto container = std::get<Container>(held);  // a subscript may replace the variable's
  auto& data = *container.data;
  if (data.record != nullptr) return frame_.records.step(base, expression);
  if (data.type.kind == cell::ContainerKind::optional)
    if (auto place = step_optional(base, expression)) return place;
  const bool constant = base.constant || base.variable->read_only;
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) {
    if (index->subscripts.size() != 1 || index->subscripts[0].slice)
      throw error(ErrorKind::unsupported, fmt::format("{} has no slices", snippet(run_.source, base.upto->span)),
                  expression.span)
          .advise("Loop over its elements: for (auto& one : v) ...;");
    auto item = element(data, *index->subscripts[0].start, Missing::made, constant ? Access::reads : Access::changes);
    if (const auto* now = std::get_if<Container>(&base.variable->value); now == nullptr || now->data != container.data)
      throw error(ErrorKind::unsupported,
                  fmt::format("the subscript replaced {}", snippet(run_.source, base.upto->span)), expression.span)
          .advise("Compute the subscript before. A cell with %%cuda runs all of C++.");
    return Found{std::move(item), &expression, false, constant};
  }
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) {
    const bool second = member->member == "second";
    if (data.type.kind != cell::ContainerKind::pair || (!second && member->member != "first") || data.items.size() != 2)
      throw error(ErrorKind::name, fmt::format("{} has no member {}", data.name, member->member), expression.span);
    const auto& item = data.items[second ? 1 : 0];
    return Found{item, &expression, false, constant || item->read_only};
  }
  const auto* call = std::get_if<cell::Call>(&expression.node);
  if (call == nullptr) throw error(ErrorKind::type, fmt::format("{} is not a pointer", data.name), expression.span);
  if (is_get(*call)) {
    const auto& callee = std::get<cell::Name>(call->callee->node).text;
    const auto at = static_cast<std::size_t>(std::atoi(callee.c_str() + callee.find('<') + 1));
    if (data.type.kind != cell::ContainerKind::pair || at >= data.items.size())
      throw error(ErrorKind::value, fmt::format("{} has no element {}", data.name, at), expression.span);
    return Found{data.items[at], &expression, false, constant};
  }
  auto result = method(base, *call, std::get<cell::Member>(call->callee->node), expression);
  if (auto* iterator = result ? std::get_if<Iterator>(&result->variable->value) : nullptr)
    if (iterator->of != nullptr) *iterator = with_item(*iterator);
  return result;
}

std::string Containers::snippet_of(cell::Span span) const { return snippet(run_.source, span); }

void Containers::require_changeable(const Found& found, const cell::Expression& expression) {
  if (found.constant || found.variable->read_only)
    throw language::is_constant(frame_.text, snippet(run_.source, expression.span), expression.span);
}

std::optional<Value> Containers::unary(const cell::Unary& unary, const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&unary.operand->node);
  auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  auto* iterator = variable == nullptr ? nullptr : std::get_if<Iterator>(&variable->value);
  if (iterator != nullptr && iterator->of == nullptr) {  // ++c of char& c = s[0];
    if (!cell::is_step(unary.op)) return std::nullopt;
    if (iterator->constant) throw language::is_constant(frame_.text, name->text, expression.span);
    auto& c = character(*iterator, expression.span);
    const char before = c;
    c = static_cast<char>(c + (cell::operator_of_step(unary.op) == cell::BinaryOperator::add ? 1 : -1));
    return language::ScalarValue::of(cell::is_after(unary.op) ? before : c);
  }
  if (iterator != nullptr && cell::is_step(unary.op)) {
    const auto before = *iterator;
    *iterator = moved(before, cell::operator_of_step(unary.op) == cell::BinaryOperator::add ? 1 : -1, expression.span);
    return cell::is_after(unary.op) ? before : *iterator;
  }
  const auto* held = variable == nullptr ? nullptr : std::get_if<Container>(&variable->value);
  if (held != nullptr && held->data->record != nullptr && cell::is_step(unary.op))
    return frame_.records.count(*variable, unary, expression.span);
  if (!is_part(*unary.operand)) return std::nullopt;
  const auto found = find(*unary.operand);
  if (!found) return std::nullopt;
  const Named named(*this, *found, expression);
  return Part::evaluate(named.expression());
}

// f(rows[i], m[k]): elements are given by names of their own, so that whoever takes them may refer to them.
std::optional<Value> Containers::with_named_arguments(const cell::Call& call, const cell::Expression& expression) {
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto* address = std::get_if<cell::Unary>(&call.arguments[i].value->node);
    const bool of_address = address != nullptr && address->op == cell::UnaryOperator::address;
    if (is_part(of_address ? *address->operand : *call.arguments[i].value)) which.push_back(i);
  }
  if (which.empty()) return std::nullopt;
  std::deque<Named> named;
  auto key = std::vector<const cell::Expression*>();
  for (const auto i : which) {
    const auto* address = std::get_if<cell::Unary>(&call.arguments[i].value->node);
    const bool of_address = address != nullptr && address->op == cell::UnaryOperator::address;
    named.emplace_back(*this, of_address ? *address->operand : *call.arguments[i].value);
    key.push_back(&named.back().expression());
  }
  auto& known = calls_[key];
  if (known == nullptr) {
    auto copy = cell::copy_of(expression);
    auto& arguments = std::get<cell::Call>(copy->node).arguments;
    for (std::size_t k = 0; k < which.size(); ++k) {
      auto& argument = arguments[which[k]].value;
      const auto* address = std::get_if<cell::Unary>(&call.arguments[which[k]].value->node);
      if (address != nullptr && address->op == cell::UnaryOperator::address)
        std::get<cell::Unary>(argument->node).operand = cell::copy_of(*key[k]);
      else
        argument = cell::copy_of(*key[k]);
    }
    known = &kept(std::move(copy));
  }
  return Part::evaluate(*known);
}

std::optional<Value> Containers::construct(const cell::Expression& expression) {
  if (const auto* cast = std::get_if<cell::Cast>(&expression.node)) {
    if (!cell::container_type(cast->type)) return std::nullopt;
    frame_.records.require_no_ends(cast->type, expression.span);
    const auto* list = std::get_if<cell::List>(&cast->operand->node);
    Given given = {cast->operand.get()};
    if (list != nullptr) {
      given.clear();
      for (const auto& one : list->elements) given.push_back(one.get());
    }
    return made(cast->type, given,
                list != nullptr && cast->style == cell::Cast::Style::braces ? Braces::yes : Braces::no,
                expression.span);
  }
  const auto& call = std::get<cell::Call>(expression.node);
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  if (callee == nullptr) return std::nullopt;
  Given given;
  for (const auto& one : call.arguments) given.push_back(one.value.get());
  frame_.records.require_no_ends(callee->text, expression.span);
  if (cell::container_type(callee->text)) return made(callee->text, given, Braces::no, expression.span);
  if (callee->text.starts_with("std::make_optional")) {
    const auto types = cell::template_arguments(callee->text);
    auto value = types.empty() && given.size() == 1 ? Part::evaluate(*given.front()) : Value(Nothing{});
    auto result = empty(fmt::format("std::optional<{}>", types.empty() ? type_of(value, expression.span) : types[0]),
                        expression.span);
    const auto& type = result.data->type.arguments[0];
    result.data->items = {types.empty() ? item_of(type, std::move(value), expression.span)
                                        : item_of(type, given, expression.span)};
    return result;
  }
  const bool pair = callee->text == "std::make_pair";
  const bool tie = callee->text == "std::tie";  // of values that are compared
  if (!pair && !tie && callee->text != "std::make_tuple") return std::nullopt;
  // std::make_pair("a", 1): of plain values it is the library's own.
  const bool of_host = std::any_of(given.begin(), given.end(), [&](const auto* one) {
    const auto& form = frame_.expressions.form(*one);
    return form.kind == language::Form::Kind::text || form.grows || begins_with_container(*one);
  });
  if (!of_host && !tie) return std::nullopt;
  std::vector<Value> values;
  std::string types;
  for (const auto* one : given) {
    values.push_back(Part::evaluate(*one));
    types += (types.empty() ? "" : ", ") + type_of(values.back(), one->span);
  }
  auto result = empty(fmt::format("std::{}<{}>", pair ? "pair" : "tuple", types), expression.span);
  for (std::size_t i = 0; i < values.size(); ++i)
    result.data->items.push_back(item_of(result.data->type.arguments[i], std::move(values[i]), given[i]->span));
  return result;
}

std::optional<Value> Containers::evaluate(const cell::Expression& expression) {
  const auto span = expression.span;
  if (const auto* binary = std::get_if<cell::Binary>(&expression.node)) return stream(*binary);
  if (std::holds_alternative<cell::Cast>(expression.node)) return construct(expression);
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  if (unary != nullptr && !is_pointee(expression)) return this->unary(*unary, expression);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  if (call != nullptr && base(expression) == nullptr) {
    if (auto made = construct(expression)) return made;
    return with_named_arguments(*call, expression);
  }
  if (!is_part(expression)) return std::nullopt;
  const auto found = find(expression);
  if (!found) return std::nullopt;
  if (found->upto == &expression && !found->followed) return value_of(*found->variable, span);
  const Named named(*this, *found, expression);
  return Part::evaluate(named.expression());
}

}  // namespace xcuda::interpreter
