#include "interpreter/host/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cell/container_types.hpp"
#include "cell/expression_root.hpp"
#include "cell/library_names.hpp"
#include "cell/operator_table.hpp"
#include "cell/type_word.hpp"
#include "interpreter/assignments.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/declarations.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/class_definition.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/places.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/subscripts.hpp"
#include "language/complaints.hpp"
#include "language/host/vector_types.hpp"
#include "language/standard_algorithms.hpp"

namespace xcuda::interpreter {
namespace {

// Without effects, so that it may be evaluated again.
bool is_plain(const cell::Expression& expression) {
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) return is_plain(*member->base);
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node))
    return !cell::is_step(unary->op) && is_plain(*unary->operand);
  if (const auto* index = std::get_if<cell::Index>(&expression.node))
    return is_plain(*index->base) && index->subscripts.size() == 1 && !index->subscripts[0].slice &&
           is_plain(*index->subscripts[0].start);
  return std::holds_alternative<cell::Name>(expression.node) ||
         std::holds_alternative<cell::IntegerLiteral>(expression.node);
}

// x of x = 3, x += 3 and ++x, which they refer to.
const cell::Expression* changed_by(const cell::Expression& expression) {
  if (const auto* assignment = std::get_if<cell::Assignment>(&expression.node)) return assignment->target.get();
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  const bool step = unary != nullptr && cell::is_step(unary->op) && !cell::is_after(unary->op);
  return step ? unary->operand.get() : nullptr;
}

}  // namespace

bool References::may_refer(const cell::Expression& expression) {
  if (std::holds_alternative<cell::Call>(expression.node) || changed_by(expression) != nullptr) return true;
  const auto of_struct = [&](const cell::Expression& object, std::string_view op) {
    const auto& form = frame_.expressions.form(object);
    return form.kind == language::Form::Kind::object &&
           frame_.host_function_calls.has_method(form.type, fmt::format("operator{}", op));
  };
  if (const auto* binary = std::get_if<cell::Binary>(&expression.node))
    return of_struct(*binary->left, cell::spelling(binary->op));
  const auto* index = std::get_if<cell::Index>(&expression.node);
  return index != nullptr &&
         (of_struct(*index->base, "[]") || frame_.object_operators.gives_native_reference(expression));
}

References::Referred References::of(const cell::Expression& expression) {
  if (auto place = frame_.object_operators.referred(expression)) {
    referred_.insert(&expression);
    return {frame_.places.element(*place), std::move(*place)};
  }
  if (auto place = part_of_library(expression)) {
    referred_.insert(&expression);
    return {frame_.places.element(*place), std::move(*place)};
  }
  stored_.reset();
  Referred result{evaluate(expression), frame_.host_function_calls.place_given(expression.span)};
  const auto stored = std::exchange(stored_, std::nullopt);
  if (const auto* changed = changed_by(expression); changed != nullptr && !result.place) {
    if (stored && stored->target == changed) {
      result.place = stored->place;
      referred_.insert(&expression);
      return result;
    }
    if (!is_plain(*changed))
      throw error(ErrorKind::unsupported,
                  fmt::format("{} cannot be changed again in one expression", snippet(run_.source, expression.span)),
                  expression.span)
          .advise("Write two statements.");
    result.place = frame_.targets.of(*changed);
  }
  if (result.place) referred_.insert(&expression);
  return result;
}

namespace {

// Where a part of a container is, if something else holds it, too.
std::optional<Target> place_of(const ItemPtr& element) {
  const bool reads = element->seen != nullptr;
  const auto& item = reads ? element->seen : element;
  const auto* pointer = std::get_if<Pointer>(&item->value);
  if (pointer != nullptr && !pointer->is_address) return *pointer;
  const long own = reads ? 1 : 2;  // those of Named
  if (item.use_count() != 0 && item.use_count() <= own) return std::nullopt;
  return item.get();
}

}  // namespace

std::optional<Target> References::returned(const cell::Expression& written) {
  const Containers::Named named(frame_.containers, written);
  if (const auto& element = named.element()) return place_of(element);
  const auto& expression = named.expression();
  if (const auto* either = std::get_if<cell::Ternary>(&expression.node))
    return returned(frame_.scalars.truth(evaluate(*either->condition), either->condition->span) ? *either->yes
                                                                                                : *either->no);
  if (may_refer(expression)) return of(expression).place;
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    auto* variable = session_.names().find(name->text);
    const auto* held = variable == nullptr ? nullptr : std::get_if<Pointer>(&variable->value);
    if (held != nullptr && !held->is_address) return *held;
    if (variable != nullptr) return variable;
    if (!frame_.lookup.is_on_device(name->text)) return std::nullopt;
  }
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  if (unary != nullptr && unary->op != cell::UnaryOperator::pointee) return std::nullopt;
  const bool place = unary != nullptr || std::holds_alternative<cell::Name>(expression.node) ||
                     std::holds_alternative<cell::Index>(expression.node) ||
                     std::holds_alternative<cell::Member>(expression.node);
  if (!place) return std::nullopt;
  if (unary != nullptr)
    if (const auto* named = frame_.addresses.pointee(*unary->operand)) return returned(*named);
  move_root(expression);
  return frame_.places.of(expression);
}

Value References::value_of(const Target& place) {
  const auto* pointer = std::get_if<Pointer>(&place);
  return pointer != nullptr && !pointer->shape.empty() ? Value(*pointer) : frame_.targets.load(place);
}

Pointer References::in_memory(Variable& variable, const std::string& name) {
  const auto* object = std::get_if<Object>(&variable.value);
  const auto* number = std::get_if<language::ScalarValue>(&variable.value);
  auto place = object != nullptr ? frame_.host_function_calls.in_memory(object->type, object->bytes)
                                 : frame_.host_function_calls.in_memory(
                                       number->type(), frame_.targets.bytes_of(*number, number->type(), run_.current));
  place.owner = name;
  place.whole = true;  // so that it ends with its variable, and not with a reference
  place.read_only = variable.read_only;
  variable.value = place;
  return place;
}

bool References::is_library_array(const cell::Expression& expression) {
  const auto& form = frame_.expressions.form(expression);
  return form.kind == language::Form::Kind::object && cell::is_library_array(form.type.name);
}

std::optional<Pointer> References::library_array(const cell::Expression& expression) {
  if (!is_library_array(expression)) return std::nullopt;
  const auto place = returned(expression);
  auto array = place ? pointer_to_place(*place, expression) : std::nullopt;
  if (array) frame_.subscripts.open_library_array(*array);
  return array;
}

std::optional<Pointer> References::iterator(const cell::Expression& expression) {
  const auto* begin = language::begin_of(expression);
  const auto* container = begin != nullptr ? begin : language::end_of(expression);
  if (container == nullptr) return std::nullopt;
  auto elements = library_array(*container);
  const bool of_function = std::holds_alternative<cell::Name>(std::get<cell::Call>(expression.node).callee->node);
  if (!elements && of_function && frame_.expressions.form(*container).is_array())
    elements = frame_.addresses.of(*container);
  if (!elements || elements->shape.size() != 1) return std::nullopt;
  if (begin == nullptr)
    elements = frame_.addresses.moved(*elements, static_cast<std::int64_t>(elements->shape[0]), expression.span);
  elements->whole = false;
  elements->growth.reset();
  elements->is_address = true;
  return elements;
}

bool References::is_part_of_library(const cell::Expression& expression) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* member = call == nullptr ? nullptr : std::get_if<cell::Member>(&call->callee->node);
  return member != nullptr && !member->arrow &&
         language::is_part_of_library(frame_.expressions.form(*member->base), member->member);
}

std::optional<Pointer> References::part_of_library(const cell::Expression& expression) {
  if (!is_part_of_library(expression)) return std::nullopt;
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* member = std::get_if<cell::Member>(&call->callee->node);
  if (auto element = frame_.vectors.element(*call, *member, expression.span)) return element;
  const bool at = member->member == "at", back = member->member == "back";
  if (call->arguments.size() != (at ? 1 : 0)) return std::nullopt;
  auto array = library_array(*member->base);
  if (!array) return std::nullopt;
  auto i = language::ScalarValue::of(back ? array->shape.front() - 1 : std::uint64_t{0});
  if (at) i = number(*call->arguments[0].value, "a subscript");
  const auto size = array->shape.front();
  if (!i.is_integer() || i.is_negative() || i.as_unsigned() >= size) {
    auto failure =
        language::out_of_bounds(frame_.text, i, snippet(run_.source, member->base->span), size, expression.span);
    if (!at) throw failure;
    frame_.exceptions.raise(std::move(failure),
                            {"std::out_of_range", Exceptions::range_text("array::at: __n", i, ">= _Nm", size)});
  }
  array->address += i.as_unsigned() * array->type.size;
  array->bytes -= i.as_unsigned() * array->type.size;
  array->shape.erase(array->shape.begin());
  array->whole = false;
  return array;
}

void References::move_root(const cell::Expression& expression) {
  if (auto* held = frame_.members.host_struct(expression))
    in_memory(*held, std::get<cell::Name>(cell::root_of(expression).node).text);
}

void References::move_for_address(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  return name == nullptr ? move_root(expression) : move_for_address(name->text);
}

void References::move_for_address(const std::string& name) {
  auto* variable = session_.names().find(name);
  if (variable == nullptr || is_closure(variable->value)) return;
  if (std::holds_alternative<language::ScalarValue>(variable->value) || std::holds_alternative<Object>(variable->value))
    in_memory(*variable, name);
}

void References::move_root_of_part(const cell::Expression& expression) {
  if (!std::holds_alternative<cell::Name>(expression.node)) move_root(expression);
}

std::optional<Pointer> References::pointer_to_place(const Target& place, const cell::Expression& expression) {
  if (const auto* pointer = std::get_if<Pointer>(&place)) return *pointer;
  auto* const* variable = std::get_if<Variable*>(&place);
  if (variable == nullptr) return std::nullopt;
  if (const auto* pointer = std::get_if<Pointer>(&(*variable)->value)) return *pointer;
  const auto& value = (*variable)->value;
  if (!std::holds_alternative<Object>(value) && !std::holds_alternative<language::ScalarValue>(value))
    return std::nullopt;
  return in_memory(**variable, snippet(run_.source, expression.span));
}

bool References::is_of_this_type(const cell::Declaration& declaration, const Value& value) const {
  const auto* number = std::get_if<language::ScalarValue>(&value);
  const auto* object = std::get_if<Object>(&value);
  if (object != nullptr) {  // of another struct of the cells, such as a base
    const auto *wanted = class_definition(session_, {declaration.type, 1, 1}),
               *own = class_definition(session_, object->type);
    return wanted == nullptr || own == nullptr || wanted == own;
  }
  const auto type = xcuda::find_type(declaration.type);
  return number == nullptr || !type || *type == number->type();
}

void References::bind(const cell::Declaration& declaration, const cell::Declarator& declarator, Pointer place) {
  place.read_only = place.read_only || declaration.is_const;
  place.is_address = false;
  if (place.shape.empty()) place.whole = false;
  session_.arrays().undefine_here(declarator.name);
  session_.names().declare(declarator.name, {std::move(place), declaration.is_const, run_.source.name});
}

void References::bind_parts(const cell::Declaration& declaration) {
  const auto& names = declaration.declarators;
  const Containers::Named named(frame_.containers, *declaration.unpacked);
  const auto& place = named.expression();
  if (const auto* name = std::get_if<cell::Name>(&place.node))
    if (const auto* variable = session_.names().find(name->text))
      if (const auto* pair = std::get_if<Container>(&variable->value)) {
        const auto access =
            variable->read_only || declaration.is_const ? Containers::Access::reads : Containers::Access::changes;
        const auto parts = frame_.containers.parts(*pair, names.size(), place.span);
        for (std::size_t i = 0; i < names.size(); ++i) frame_.containers.bind(declaration, names[i], parts[i], access);
        return;
      }
  move_root(place);
  const auto parts = frame_.members.parts_of_place(frame_.places.of(place), names.size(), place.span);
  for (std::size_t i = 0; i < names.size(); ++i) bind(declaration, names[i], parts[i]);
}

// auto& r = f();
bool References::bind_result(const cell::Declaration& declaration, const cell::Declarator& declarator,
                             const cell::Expression& result) {
  auto referred = of(result);
  if (!referred.place) {
    if (!declaration.is_const)
      throw error(ErrorKind::type,
                  fmt::format("{} is a value: {} can only refer to it as a constant", snippet(run_.source, result.span),
                              declarator.name),
                  result.span)
          .advise(fmt::format("Declare a variable: {} {} = ...;", declaration.type, declarator.name));
    auto value = frame_.lifetimes.owned(std::move(referred.value), result.span);
    session_.arrays().undefine_here(declarator.name);
    session_.names().declare(declarator.name, {std::move(value), true, run_.source.name});
    return true;
  }
  if (const auto* pointer = std::get_if<Pointer>(&*referred.place)) {
    bind(declaration, declarator, *pointer);
    return true;
  }
  auto* const* variable = std::get_if<Variable*>(&*referred.place);
  if (variable == nullptr || (declaration.is_const && !(*variable)->read_only &&
                              cell::type_word(declaration.type) != cell::TypeWord::automatic &&
                              !is_of_this_type(declaration, (*variable)->value)))
    return false;
  bind(declaration, declarator, **variable);
  return true;
}

void References::bind(const cell::Declaration& declaration, const cell::Declarator& declarator, Variable& variable) {
  session_.arrays().undefine_here(declarator.name);
  if (declaration.is_const && std::holds_alternative<Container>(variable.value))  // which both have from now on
    session_.names().declare(declarator.name, {variable.value, true, variable.defined, variable.written});
  else
    session_.names().alias(declarator.name, variable);
}

const cell::Expression& References::chosen(const cell::Expression& expression) {
  const auto* either = std::get_if<cell::Ternary>(&expression.node);
  if (either == nullptr) return expression;
  const auto &yes = frame_.expressions.form(*either->yes), &no = frame_.expressions.form(*either->no);
  const bool places = yes.kind == no.kind && yes.type == no.type && yes.has_type() &&
                      (yes.kind == language::Form::Kind::number || yes.kind == language::Form::Kind::object);
  if (!places) return expression;
  return chosen(frame_.scalars.truth(evaluate(*either->condition), either->condition->span) ? *either->yes
                                                                                            : *either->no);
}

// B& r = d; of records: the same object, whose type is known as B. Null where it is not one.
ItemPtr References::record_as_base(const cell::Declaration& declaration, const Variable& variable) {
  const auto* object = std::get_if<Container>(&variable.value);
  const auto declared = cell::record_name(declaration.type);
  if (object == nullptr || object->data->record == nullptr || declared.empty()) return nullptr;
  const auto& record = *object->data->record;
  const auto base = std::find(record.bases.begin(), record.bases.end(), declared);
  if (base == record.bases.end()) return nullptr;
  static std::set<std::string, std::less<>> names;
  auto item = std::make_shared<Variable>(Variable{variable.value, declaration.is_const, run_.source.name});
  item->written = *names.emplace(declared).first;
  return item;
}

bool References::bind(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto* list = declarator.init == nullptr ? nullptr : std::get_if<cell::List>(&declarator.init->node);
  if (declarator.init == nullptr || (list != nullptr && list->elements.size() != 1))
    throw language::reference_without_place(frame_.text, declarator);
  const auto& written = chosen(list != nullptr ? *list->elements.front() : *declarator.init);
  const Containers::Named named(frame_.containers, written);
  const auto& place = named.expression();
  if (const auto& element = named.element()) {
    const auto* vector = std::get_if<Pointer>(&element->value);
    if (vector == nullptr || (vector->shape.empty() && !vector->is_address)) {
      if (element->read_only && !declaration.is_const)
        throw language::is_constant(frame_.text, snippet(run_.source, place.span), place.span);
      frame_.containers.bind(declaration, declarator, element,
                             declaration.is_const ? Containers::Access::reads : Containers::Access::changes);
      return true;
    }
  }
  const auto wrong = [&] {
    return error(ErrorKind::type,
                 fmt::format("{} is not of the type {}, which {} refers to", snippet(run_.source, place.span),
                             declaration.type, declarator.name),
                 place.span);
  };
  if (const auto character = declaration.is_const ? std::nullopt : frame_.texts.place(place))
    return frame_.containers.refer(declarator.name, place, named.kept(), *character), true;
  const auto* name = std::get_if<cell::Name>(&place.node);
  auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  const auto base_in = [&](const Target& target) -> std::optional<Pointer> {  // B& r = d;
    const Type base{declaration.type, 1, 1};
    if (declarator.pointer || !is_derived(frame_.targets.type_of(target), base)) return std::nullopt;
    return part_of_base(target, place, session_.code().find_type(run_.source, declaration.type, declaration.type_span));
  };
  if (variable != nullptr && !std::holds_alternative<Pointer>(variable->value)) {
    if (auto part = std::holds_alternative<Object>(variable->value) ? base_in(variable) : std::nullopt) {
      bind(declaration, declarator, std::move(*part));
      return true;
    }
    if (auto base = record_as_base(declaration, *variable)) {
      if (variable->read_only && !declaration.is_const)
        throw language::is_constant(frame_.text, name->text, place.span);
      session_.names().alias(declarator.name, base);
      return true;
    }
    if (!is_of_this_type(declaration, variable->value)) {
      if (declaration.is_const) return false;
      throw wrong();
    }
    if (variable->read_only && !declaration.is_const) throw language::is_constant(frame_.text, name->text, place.span);
    if (name->text == declarator.name) throw wrong();
    bind(declaration, declarator, *variable);
    return true;
  }
  if (may_refer(place)) return bind_result(declaration, declarator, place);
  move_root(place);
  const auto* unary = std::get_if<cell::Unary>(&place.node);
  const bool has_place = name != nullptr || std::holds_alternative<cell::Index>(place.node) ||
                         std::holds_alternative<cell::Member>(place.node) ||
                         (unary != nullptr && unary->op == cell::UnaryOperator::pointee);
  if (!has_place) {
    if (declaration.is_const) return false;
    throw error(ErrorKind::type,
                fmt::format("{} is a value: {} can only refer to it as a constant", snippet(run_.source, place.span),
                            declarator.name),
                place.span)
        .advise(fmt::format("const {}& {} = ...;", declaration.type, declarator.name));
  }
  auto target = frame_.places.of(place);
  if (!declarator.row.empty() && (target.is_address || target.shape != frame_.declarations.extents(declarator)))
    throw language::not_the_array(frame_.text, declaration, declarator, place.span);
  if (target.shape.empty() && cell::type_word(declaration.type) != cell::TypeWord::automatic)
    if (const auto type = xcuda::find_type(declaration.type); type) {
      const bool same = declarator.pointer ? target.type.name == type->name + "*" : *type == target.type;
      if (!same && declaration.is_const) return false;
      if (!same) throw wrong();
    }
  if (target.read_only && !declaration.is_const)
    throw language::is_constant(frame_.text, snippet(run_.source, place.span), place.span);
  if (auto part = target.shape.empty() ? base_in(target) : std::nullopt) {
    target = std::move(*part);
  } else if (target.shape.empty() && target.type.scalar == Scalar::none && !declarator.pointer &&
             !is_of_this_type(declaration, Object{target.type, {}})) {
    if (declaration.is_const) return false;
    throw wrong();
  }
  bind(declaration, declarator, std::move(target));
  return true;
}

}  // namespace xcuda::interpreter
