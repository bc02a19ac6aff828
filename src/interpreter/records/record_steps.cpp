// Members, functions and operators of records.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "cell/container_types.hpp"
#include "cell/expression_root.hpp"
#include "cell/methods.hpp"
#include "cell/operator_table.hpp"
#include "cell/records/standard_exceptions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

std::string own_name(const cell::Record& record) { return record.name.substr(0, record.name.find('<')); }

const Container* record_of(const Value& value) {
  const auto* container = std::get_if<Container>(&value);
  return container != nullptr && container->data->record != nullptr ? container : nullptr;
}

// x of x.f(1)
const cell::Member* method_of(const cell::Expression& expression) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  return call == nullptr ? nullptr : std::get_if<cell::Member>(&call->callee->node);
}

}  // namespace

Error Records::unknown_member(const cell::Record& record, std::string_view member, cell::Span span) {
  std::vector<std::string> names;
  for (const auto& part : record.parts)
    if (part.name != cell::kWhat) names.push_back(part.name);
  for (const auto& one : record.functions)
    if (one != own_name(record) && std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
  const auto near = nearest(std::string(member), names);
  return error(ErrorKind::name, fmt::format("{} has no member {}", record.name, member), span)
      .advise(near.empty() ? fmt::format("It has {}.", fmt::join(names, ", ")) : fmt::format("Did you mean {}?", near));
}

void Records::require_visible(const cell::Record& record, std::string_view member, cell::Span span) {
  const auto* part = record.find(member);
  const bool hidden = part != nullptr
                          ? part->hidden
                          : std::find(record.hidden.begin(), record.hidden.end(), member) != record.hidden.end();
  const auto within = [&](const std::string& one) { return frame_.host_function_calls.is_within(one); };
  if (hidden && !within(record.name) && std::none_of(record.bases.begin(), record.bases.end(), within))
    throw error(ErrorKind::type, fmt::format("{} is private in {}", member, record.name), span)
        .advise(fmt::format("Call a public function of it, or write public: in front of {}.", member));
}

Containers::Found Records::step(const Containers::Found& base, const cell::Expression& expression) {
  const auto container = std::get<Container>(base.variable->value);
  const auto& data = *container.data;
  const auto record = data.record;
  require_current(data, base.upto->span);
  const bool constant = base.constant || base.variable->read_only;
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node); unary != nullptr) {
    const auto* name = std::get_if<cell::Name>(&base.upto->node);
    if (name != nullptr && name->text == cell::kThis) return {base.variable, &expression, false, constant};
    return call(base, "operator*", {}, expression);
  }
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) {
    if (index->subscripts.size() != 1 || index->subscripts[0].slice)
      throw error(ErrorKind::unsupported, fmt::format("a {} has no slices", record->name), expression.span)
          .advise("Give its operator[] one subscript, or define operator().");
    return call(base, "operator[]", {index->subscripts[0].start.get()}, expression);
  }
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) {
    const auto* part = record->find(member->member);
    if (part == nullptr) throw unknown_member(*record, member->member, expression.span);
    require_visible(*record, member->member, expression.span);
    const auto& item = data.items[static_cast<std::size_t>(part - record->parts.data())];
    return {std::shared_ptr<Variable>(item), &expression, false, constant || item->read_only};
  }
  const auto& given = std::get<cell::Call>(expression.node);
  const auto* member = method_of(expression);
  if (member == nullptr) return call(base, "operator()", pointers_to(given.arguments), expression);
  require_visible(*record, member->member, given.callee->span);
  if (const auto* part = record->find(member->member)) {  // s.scale(3) of a record in it
    const auto& item = data.items[static_cast<std::size_t>(part - record->parts.data())];
    if (record_of(item->value) != nullptr)
      return call({item, given.callee.get(), false, constant || item->read_only}, "operator()",
                  pointers_to(given.arguments), expression);
  }
  return call(base, member->member, pointers_to(given.arguments), expression);
}

Containers::Found Records::call(const Containers::Found& base, std::string_view function, const Given& given,
                                const cell::Expression& expression) {
  const auto container = std::get<Container>(base.variable->value);
  const auto record = container.data->record;
  auto& calls = frame_.host_function_calls;
  const bool constant = base.constant || base.variable->read_only;
  auto owner = owner_of(function, record, *base.upto);
  if (const auto at = function.rfind("::"); at != function.npos) {  // Base::f()
    owner = session_.code().functions().record(function.substr(0, at));
    function.remove_prefix(at + 2);
    if (owner == nullptr) throw unknown_member(*record, function, expression.span);
  }
  const auto& overloads = function_of(*owner, function);
  if (overloads.empty()) {
    if (function == "what" && record->is_a("std::exception")) {
      if (!given.empty()) throw error(ErrorKind::type, "what() of an exception takes no arguments", expression.span);
      return {std::make_shared<Variable>(Variable{standard_text(*container.data), false, {}}), &expression};
    }
    const bool declared =
        std::find(record->functions.begin(), record->functions.end(), function) != record->functions.end();
    if (!declared) throw unknown_member(*record, function, expression.span);
    throw error(ErrorKind::name, fmt::format("{}::{} is declared, but no cell defines it", record->name, function),
                expression.span)
        .advise(fmt::format("Define it in the cell of {}.", record->name));
  }
  const auto* known =
      calls.best(overloads, given, constant ? HostFunctionCalls::Whose::constant : HostFunctionCalls::Whose::variable);
  if (known == nullptr) {
    if (constant && calls.best(overloads, given, HostFunctionCalls::Whose::variable) != nullptr)
      throw error(ErrorKind::type,
                  fmt::format("{} is const, and {}::{} may change it", snippet(run_.source, base.upto->span),
                              record->name, function),
                  expression.span)
          .advise("Write const after the parameters of the function if it changes nothing.");
    throw language::wrong_count(frame_.text, *overloads.front()->function, given.size(), expression.span);
  }
  auto result = calls.run_on(*known, *base.variable, given, expression.span);
  const bool reads = (*known)->function->result.starts_with("const ");
  if (result.place) {
    if (auto* const* variable = std::get_if<Variable*>(&*result.place))
      return {std::shared_ptr<Variable>(container.data, *variable), &expression, false, reads};
    if (auto* pointer = std::get_if<Pointer>(&*result.place))
      return {std::make_shared<Variable>(Variable{std::move(*pointer), reads, {}}), &expression, false, reads};
  }
  return {std::make_shared<Variable>(Variable{std::move(result.value), false, {}}), &expression};
}

bool Records::is_functor(const cell::Call& call) {
  const auto* name = std::get_if<cell::Name>(&call.callee->node);
  if (const auto* unary = std::get_if<cell::Unary>(&call.callee->node);
      unary != nullptr && unary->op == cell::UnaryOperator::pointee) {
    name = std::get_if<cell::Name>(&unary->operand->node);
    if (name == nullptr || name->text != cell::kThis) return false;
  }
  if (name == nullptr) return false;
  const auto* variable = session_.names().find(name->text);
  return variable != nullptr && record_of(variable->value) != nullptr;
}

// What a function of a cell makes of these two; nothing if no cell defines one.
std::optional<Value> Records::defined(std::string_view op, const Value& left, const Value& right, cell::Span span) {
  auto& calls = frame_.host_function_calls;
  const auto function = fmt::format("operator{}", op);
  const auto &first = site(left, 1, span), &second = site(right, 2, span);
  Variable one{left, true, run_.source.name}, other{right, true, run_.source.name};
  const NameTable::Lent lent(session_.names(), first.symbol, &one), also(session_.names(), second.symbol, &other);
  if (const auto* record = record_of(left)) {
    const auto& own =
        session_.code().functions().find(fmt::format("{}::{}", own_name(*record->data->record), function));
    if (const auto* known = calls.best(own, {second.name}, HostFunctionCalls::Whose::variable))
      return calls.run_on(*known, one, {second.name}, span).value;
  }
  const auto& free = session_.code().functions().find(function);
  if (const auto* known = calls.best(free, {first.name, second.name}, HostFunctionCalls::Whose::variable))
    return calls.run_free(*known, {first.name, second.name}, span);
  return std::nullopt;
}

std::optional<Value> Records::operate(cell::BinaryOperator op, const Value& left, const Value& right, cell::Span span) {
  using Op = cell::BinaryOperator;
  const auto *one = record_of(left), *other = record_of(right);
  if (one == nullptr && other == nullptr) return std::nullopt;
  for (const auto* record : {one, other})
    if (record != nullptr) require_current(*record->data, span);
  if (auto value = defined(cell::spelling(op), left, right, span)) return value;
  const bool equality = op == Op::equal || op == Op::different;
  if (equality && one != nullptr && other != nullptr && one->data->name == other->data->name)
    if (is_defaulted(*one->data->record, "operator==") || is_defaulted(*one->data->record, "operator<=>"))
      return language::ScalarValue::of(same(*one, *other) == (op == Op::equal));
  const bool relation = op == Op::less || op == Op::greater || op == Op::at_most || op == Op::at_least;
  if (relation && one != nullptr && other != nullptr && one->data->name == other->data->name &&
      is_defaulted(*one->data->record, "operator<=>")) {
    const bool greater = op == Op::greater || op == Op::at_most;
    const bool less = greater ? is_before(*other, *one) : is_before(*one, *other);
    return language::ScalarValue::of(less == (op == Op::less || op == Op::greater));
  }
  if (op == Op::different)
    if (const auto equal = defined("==", left, right, span))
      return language::ScalarValue::of(!frame_.scalars.truth(*equal, span));
  const auto& name = (one != nullptr ? one : other)->data->record->name;
  throw error(ErrorKind::type,
              fmt::format("no operator{} takes {} and {}", cell::spelling(op), language::describe(form_of(left)),
                          language::describe(form_of(right))),
              span)
      .advise(fmt::format("Define it in {}, or work with its members.", name));
}

std::optional<Value> Records::operate(cell::UnaryOperator op, const Value& operand, cell::Span span) {
  const auto* record = record_of(operand);
  if (record == nullptr) return std::nullopt;
  auto& calls = frame_.host_function_calls;
  const auto function = fmt::format("operator{}", cell::spelling(op));
  Variable own{operand, true, run_.source.name};
  const auto& methods =
      session_.code().functions().find(fmt::format("{}::{}", own_name(*record->data->record), function));
  if (const auto* known = calls.best(methods, {}, HostFunctionCalls::Whose::variable))
    return calls.run_on(*known, own, {}, span).value;
  const auto& place = site(operand, 1, span);
  const NameTable::Lent lent(session_.names(), place.symbol, &own);
  const auto& free = session_.code().functions().find(function);
  if (const auto* known = calls.best(free, {place.name}, HostFunctionCalls::Whose::variable))
    return calls.run_free(*known, {place.name}, span);
  throw error(ErrorKind::type, fmt::format("{} has no {}", record->data->record->name, function), span)
      .advise("Define it, or work with its members.");
}

// Member by member, as a defaulted operator<=> compares.
bool Records::is_before(const Container& left, const Container& right) {
  for (std::size_t i = 0; i < left.data->items.size(); ++i) {
    const auto a = frame_.containers.value_of(*left.data->items[i], run_.current);
    const auto b = frame_.containers.value_of(*right.data->items[i], run_.current);
    if (frame_.containers.less(a, b)) return true;
    if (frame_.containers.less(b, a)) return false;
  }
  return false;
}

bool Records::same(const Container& left, const Container& right) {
  for (std::size_t i = 0; i < left.data->items.size(); ++i)
    if (!frame_.containers.same(frame_.containers.value_of(*left.data->items[i], run_.current),
                                frame_.containers.value_of(*right.data->items[i], run_.current)))
      return false;
  return true;
}

std::optional<Value> Records::assign(Variable& record, std::string_view op, const cell::Expression& given,
                                     cell::Span span) {
  const auto container = std::get<Container>(record.value);
  require_current(*container.data, span);
  auto& calls = frame_.host_function_calls;
  const auto function = fmt::format("operator{}=", op);
  const auto& name = container.data->record->name;
  const auto& own =
      session_.code().functions().find(fmt::format("{}::{}", own_name(*container.data->record), function));
  if (const auto* known = calls.best(own, {&given}, HostFunctionCalls::Whose::variable)) {
    calls.run_on(*known, record, {&given}, span);
    return record.value;
  }
  const auto& place = site(record.value, 1, span);
  const NameTable::Lent lent(session_.names(), place.symbol, &record);
  const auto& free = session_.code().functions().find(function);
  if (const auto* known = calls.best(free, {place.name, &given}, HostFunctionCalls::Whose::variable)) {
    calls.run_free(*known, {place.name, &given}, span);
    return record.value;
  }
  throw error(ErrorKind::type, fmt::format("{} has no {}", name, function), span)
      .advise("Define it, or work with its members.");
}

Value Records::count(Variable& record, const cell::Unary& unary, cell::Span span) {
  const auto container = std::get<Container>(record.value);
  require_current(*container.data, span);
  if (record.read_only) throw language::is_constant(frame_.text, snippet(run_.source, unary.operand->span), span);
  auto& calls = frame_.host_function_calls;
  const auto function = fmt::format("operator{}", cell::spelling(unary.op));
  const auto& name = container.data->record->name;
  const Value zero = language::ScalarValue::of(0);  // the int that C++ gives those after the operand
  const auto &place = site(record.value, 1, span), &marker = site(zero, 2, span);
  Variable number{zero, true, run_.source.name};
  const NameTable::Lent lent(session_.names(), place.symbol, &record), also(session_.names(), marker.symbol, &number);
  const bool after = cell::is_after(unary.op);
  Given given;
  if (after) given.push_back(marker.name);
  const auto& own =
      session_.code().functions().find(fmt::format("{}::{}", own_name(*container.data->record), function));
  if (const auto* known = calls.best(own, given, HostFunctionCalls::Whose::variable)) {
    auto result = calls.run_on(*known, record, given, span);
    return after ? std::move(result.value) : record.value;
  }
  given.insert(given.begin(), place.name);
  const auto& free = session_.code().functions().find(function);
  if (const auto* known = calls.best(free, given, HostFunctionCalls::Whose::variable)) {
    auto result = calls.run_free(*known, given, span);
    return after ? std::move(result) : record.value;
  }
  throw error(ErrorKind::type, fmt::format("{} has no {}({})", name, function, after ? "int" : ""), span)
      .advise("Define it, or work with its members.");
}

bool Records::print(const Container& record, cell::Span span) {
  if (record.data->record == nullptr) return false;
  const auto& overloads = session_.code().functions().find("xcuda_output_" + own_name(*record.data->record));
  if (overloads.empty() || overloads.front()->function->body == nullptr) return false;
  const Value value = record;
  const auto& place = site(value, 1, span);
  Variable own{value, true, run_.source.name};
  const NameTable::Lent lent(session_.names(), place.symbol, &own);
  frame_.host_function_calls.run_free(overloads.front(), {place.name}, span);
  return true;
}

}  // namespace xcuda::interpreter
