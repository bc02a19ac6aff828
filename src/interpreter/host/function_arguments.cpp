#include "interpreter/host/function_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "arrays/operations.hpp"
#include "cell/expression_root.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "interpreter/containers/callables.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/places.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/subscripts.hpp"
#include "language/addresses.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

const cell::Expression* operand_of(const cell::Expression& expression, cell::UnaryOperator op) {
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  return unary != nullptr && unary->op == op ? unary->operand.get() : nullptr;
}

bool is_pointer(const cell::Declarator& declarator) { return declarator.pointer || !declarator.extents.empty(); }

std::string text_of(const cell::Declaration& parameter) {
  const auto& declarator = parameter.declarators.front();
  if (declarator.function) return parameter.type + (is_pointer(declarator) ? " (**)(...)" : " (*)(...)");
  std::string stars(declarator.pointer_to_pointer ? "**" : is_pointer(declarator) ? "*" : "");
  if (declarator.reference) stars += "&";
  return (parameter.is_const ? "const " : "") + parameter.type + stars;
}

}  // namespace

Error FunctionArguments::wrong(const Given& given, std::string_view got) const {
  const auto& name = given.parameter->declarators.front().name;
  return error(ErrorKind::type,
               fmt::format("{} is {}, got {}", name.empty() ? "a parameter" : name, text_of(*given.parameter), got),
               given.span);
}

bool FunctionArguments::is_known(const cell::Declaration& parameter) const {
  return cell::type_word(parameter.type) == cell::TypeWord::none && cell::vector_element(parameter.type).empty();
}

Type FunctionArguments::type_of(const cell::Declaration& parameter) {
  if (parameter.declarators.front().function) return function_pointer();
  if (parameter.type == "void") return {"unsigned char", 1, 1, Scalar::uint8};
  return session_.code().find_type(source_, parameter.type, parameter.type_span);
}

// std::vector<float> v, const std::vector<float>& v
void FunctionArguments::by_vector(Given& given, const cell::Expression& argument) {
  const auto& parameter = *given.parameter;
  const auto* list = std::get_if<cell::List>(&argument.node);
  auto value =
      list == nullptr
          ? evaluate(argument)
          : Value(frame_.vectors.kept(parameter.type, pointers_to(list->elements), Vectors::Form::list, argument.span));
  auto* pointer = std::get_if<Pointer>(&value);
  const auto element = cell::vector_element(parameter.type);
  const auto type = session_.code().find_type(source_, std::string(element), parameter.type_span);
  const auto& declared = parameter.declarators.front();
  const bool changes = declared.reference && !declared.rvalue && !parameter.is_const;
  if (changes && list != nullptr) throw wrong(given, "a list in braces");
  if (pointer == nullptr || pointer->type != type || pointer->shape.size() != 1 || !is_contiguous(*pointer) ||
      (changes && (!is_vector(*pointer) || pointer->memory != nullptr)))
    throw wrong(given, language::describe(form_of(value)));
  if (changes && pointer->read_only) throw language::is_constant(frame_.text, pointer->owner, argument.span);
  pointer->read_only = pointer->read_only || parameter.is_const;
  if (!is_vector(*pointer)) pointer->growth.reset();  // a part of one
  given.value = Vectors::as_vector(std::move(*pointer));
}

// std::map<std::string, int>& m: the container itself, which all that have it share.
void FunctionArguments::by_container(Given& given, const cell::Expression& argument) {
  const auto& parameter = *given.parameter;
  const auto& declarator = parameter.declarators.front();
  const bool changes = declarator.reference && !declarator.rvalue && !parameter.is_const;
  auto value = std::holds_alternative<cell::List>(argument.node) || !declarator.reference
                   ? frame_.containers.converted(parameter.type, argument)
                   : evaluate(argument);
  auto* container = std::get_if<Container>(&value);
  const bool derived = container != nullptr && container->data->record != nullptr && declarator.reference &&
                       container->data->record->is_a(cell::record_name(parameter.type));
  if (container == nullptr || (container->data->name != parameter.type && !derived)) {
    if (changes) throw wrong(given, language::describe(form_of(value)));
    value = frame_.containers.converted(parameter.type, argument);
  }
  const auto* name = std::get_if<cell::Name>(&argument.node);
  auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  if (changes && variable != nullptr && variable->read_only)
    throw language::is_constant(frame_.text, snippet(run_.source, argument.span), argument.span);
  given.value = std::move(value);
  if (changes) given.variable = variable;  // which `return m;` may refer to
}

void FunctionArguments::read(const cell::Declaration& parameter, const cell::Expression& written) {
  auto& named = named_.emplace_back(frame_.containers, written);
  const auto& argument = named.expression();
  auto& given = given_.emplace_back(Given{.parameter = &parameter, .span = argument.span, .back = {}});
  const auto& declarator = parameter.declarators.front();
  if ((declarator.function && !is_pointer(declarator)) || cell::is_callable_type(parameter.type))
    return by_function(given, argument);
  if (!declarator.pointer && cell::container_type(parameter.type)) return by_container(given, argument);
  if (!declarator.pointer && !cell::vector_element(parameter.type).empty()) return by_vector(given, argument);
  if (declarator.reference)
    by_reference(given, argument);
  else if (is_pointer(declarator))
    by_pointer(given, argument);
  else
    by_value(given, argument);
}

// void (*f)(float*, int)
void FunctionArguments::by_function(Given& given, const cell::Expression& argument) {
  if (auto function = frame_.lookup.function(argument)) {
    given.value = std::move(*function);
    return;
  }
  const bool lambda = std::holds_alternative<cell::Lambda>(argument.node);
  auto statements = lambda ? frame_.callables.lambda(argument, Callables::Use::kept) : std::nullopt;
  given.value = statements ? Value(std::move(*statements))
                : lambda   ? Value(frame_.closures.value(argument, given.parameter->type))
                           : evaluate(argument);
  if (std::holds_alternative<NullPointer>(given.value)) given.value = Function{};
  if (is_closure(given.value)) return;
  if (!std::holds_alternative<Function>(given.value)) throw wrong(given, language::describe(form_of(given.value)));
}

void FunctionArguments::by_value(Given& given, const cell::Expression& argument) {
  const auto& parameter = *given.parameter;
  const auto word = cell::type_word(parameter.type);
  if (word == cell::TypeWord::dim3) {
    given.value = frame_.dimensions.of(argument, parameter.declarators.front().name);
    return;
  }
  if (std::holds_alternative<cell::List>(argument.node)) {
    given.value = frame_.elements.value(argument, type_of(parameter));
    return;
  }
  take(given, evaluate(argument), argument);
}

// The value of an argument as a parameter that is a value, or a constant reference to one.
void FunctionArguments::take(Given& given, Value value, const cell::Expression& argument) {
  const auto& parameter = *given.parameter;
  const auto word = cell::type_word(parameter.type);
  given.value = parameter.declarators.front().reference ? std::move(value) : frame_.containers.owned(std::move(value));
  if (!is_known(parameter)) {
    const bool array =
        std::holds_alternative<Pointer>(given.value) || std::holds_alternative<ArrayExpression>(given.value);
    if (auto text = word == cell::TypeWord::text ? frame_.texts.of(given.value) : std::nullopt)
      given.value = std::move(*text);
    else if (array || word == cell::TypeWord::text)
      throw wrong(given, language::describe(form_of(given.value)));
    return;
  }
  if (std::holds_alternative<Function>(given.value)) return;  // using Kernel = void (*)(float*, int);
  const auto* closure = std::get_if<Object>(&given.value);
  if (closure != nullptr && closure->type.name.starts_with(session::kClosure) && closure->type.name == parameter.type)
    return;
  const auto type = type_of(parameter);
  const auto kind = language::kind_of(type);
  if (const auto* number = std::get_if<language::ScalarValue>(&given.value); kind && number != nullptr) {
    given.value = language::convert(*number, *kind);
    return;
  }
  const auto* object = std::get_if<Object>(&given.value);
  if (auto base = object == nullptr ? std::nullopt : frame_.references.part_of_base(*object, type)) {  // f(B) given a D
    given.value = std::move(*base);
    object = std::get_if<Object>(&given.value);
  }
  if (object != nullptr && object->type == type && !parameter.declarators.front().reference)
    given.value = frame_.lifetimes.owned(std::move(given.value), argument.span);
  object = std::get_if<Object>(&given.value);
  if (object == nullptr || object->type != type) throw wrong(given, language::describe(form_of(given.value)));
}

// T&& of a value without a name, which the parameter is a name of: what the function leaves in it ends with the
// statement.
void FunctionArguments::by_rvalue(Given& given, const cell::Expression& argument) {
  if (!std::holds_alternative<cell::List>(argument.node)) {
    auto value = evaluate(argument);
    const auto* object = std::get_if<Object>(&value);
    if (auto* temporary = object == nullptr ? nullptr : frame_.lifetimes.temporary(*object)) {
      given.variable = temporary;
      return;
    }
    return take(given, std::move(value), argument);
  }
  by_value(given, argument);
}

void FunctionArguments::by_reference(Given& given, const cell::Expression& written) {
  const auto& parameter = *given.parameter;
  const auto& argument = frame_.references.chosen(written);
  const auto& node = argument.node;
  const bool place = std::holds_alternative<cell::Name>(node) || std::holds_alternative<cell::Index>(node) ||
                     std::holds_alternative<cell::Member>(node) ||
                     operand_of(argument, cell::UnaryOperator::pointee) != nullptr ||
                     frame_.references.may_refer(argument);
  const bool call = std::holds_alternative<cell::Call>(node);
  if (!place || (call && (parameter.is_const || parameter.declarators.front().rvalue))) {
    if (parameter.declarators.front().rvalue) return by_rvalue(given, argument);
    if (!parameter.is_const)
      throw error(ErrorKind::type,
                  fmt::format("{} is a value, but {} may change it", snippet(run_.source, argument.span),
                              parameter.declarators.front().name),
                  argument.span)
          .advise("Give it a variable.");
    return by_value(given, argument);
  }
  if (is_known(parameter) && !is_pointer(parameter.declarators.front())) frame_.references.move_root_of_part(argument);
  const auto* name = std::get_if<cell::Name>(&node);
  auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  const auto* held = variable == nullptr ? nullptr : std::get_if<Pointer>(&variable->value);
  const bool of_host = variable != nullptr && (held == nullptr || held->is_address);
  const bool constant = name != nullptr && variable == nullptr && !frame_.lookup.is_on_device(name->text);
  const auto target = of_host || constant ? Target(variable) : frame_.targets.of(argument);
  if (auto* const* referred = std::get_if<Variable*>(&target); referred != nullptr && *referred != nullptr)
    variable = *referred;
  if (constant || std::holds_alternative<Selection>(target)) {
    auto value =
        constant ? evaluate(argument) : Value(frame_.subscripts.elements(std::get<Selection>(target), argument.span));
    if (!parameter.is_const) throw wrong(given, language::describe(form_of(value)));
    return take(given, std::move(value), argument);
  }
  const bool constant_pointer =
      language::is_constant_pointer(source_.text, parameter, parameter.declarators.front());  // T* const& p
  const bool deduced = cell::type_word(parameter.type) == cell::TypeWord::automatic;          // auto& of a constant
  if (of_host && variable->read_only && !parameter.is_const && !constant_pointer && !deduced)
    throw language::is_constant(frame_.text, name->text, argument.span);
  const auto* pointer = std::get_if<Pointer>(&target);
  const bool element = pointer == nullptr || pointer->shape.empty();
  if (element && is_known(parameter) && !is_pointer(parameter.declarators.front())) {
    if (const auto type = frame_.targets.type_of(target); type != type_of(parameter)) {
      if (auto base = frame_.references.part_of_base(target, argument, type_of(parameter))) {  // f(B&) given a D
        base->read_only = base->read_only || parameter.is_const;
        given.value = std::move(*base);
        return;
      }
      if (parameter.is_const) return take(given, frame_.targets.load(target), argument);
      throw wrong(given, "a " + type.name);
    }
  }
  if (std::holds_alternative<Variable*>(target)) {
    given.variable = variable;
  } else if (pointer != nullptr) {
    auto part = *pointer;
    part.is_address = false;  // the element itself, also of m->data where m is a pointer
    part.read_only = part.read_only || parameter.is_const;
    given.value = std::move(part);
  } else {
    given.value = frame_.targets.load(target);
    given.back = target;
    const auto* held = std::get_if<Object>(&given.value);  // make(n.data) of float*& p
    if (held == nullptr || !held->type.name.ends_with('*') || !parameter.declarators.front().pointer) return;
    auto to = frame_.addresses.in_memory(held->type, held->bytes);
    given.value = to ? std::move(*to) : Value(NullPointer{});  // what it pointed to was freed
  }
}

// A variable whose address is given is in memory from then on: the function may keep the address, and other arguments
// and the function itself may name the variable.
void FunctionArguments::by_pointer(Given& given, const cell::Expression& argument) {
  const auto& declarator = given.parameter->declarators.front();
  if (declarator.pointer_to_pointer) {
    const auto& pointer = cell::without_casts(argument);
    if (const auto* named = frame_.addresses.pointee(pointer)) {
      given.variable = session_.names().find(std::get<cell::Name>(named->node).text);
      return;
    }
    const auto* operand = operand_of(pointer, cell::UnaryOperator::address);
    const auto* name = operand == nullptr ? nullptr : std::get_if<cell::Name>(&operand->node);
    if (auto* variable = name == nullptr ? nullptr : session_.names().find(name->text)) {
      given.variable = variable;
      return;
    }
  } else if (const auto* operand = operand_of(cell::without_casts(argument), cell::UnaryOperator::address)) {
    const auto* name = std::get_if<cell::Name>(&operand->node);
    const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
    const auto* held = variable == nullptr ? nullptr : std::get_if<Pointer>(&variable->value);
    if (held != nullptr && held->is_address) throw wrong(given, "the address of a pointer");
  }
  if (given.parameter->type == "void")
    if (auto function = frame_.lookup.function(argument)) {
      given.value = std::move(*function);
      return;
    }
  const bool moved = std::holds_alternative<cell::Binary>(argument.node);
  given.value = moved ? Value(frame_.addresses.of(argument)) : evaluate(argument);
  if (const auto* number = std::get_if<language::ScalarValue>(&given.value);
      number != nullptr && number->is_integer() && !number->truth())
    given.value = NullPointer{};
  if (const auto* pointer = std::get_if<Pointer>(&given.value); pointer != nullptr && !is_contiguous(*pointer))
    throw error(ErrorKind::type,
                fmt::format("{} is not contiguous, but a function takes pointers", snippet(run_.source, argument.span)),
                argument.span)
        .advise(fmt::format("Make a contiguous copy: auto piece = {};", snippet(run_.source, argument.span)));
  const bool text = std::holds_alternative<std::string>(given.value) && given.parameter->type == "char";
  if (text || std::holds_alternative<NullPointer>(given.value)) return;
  const auto* pointer = std::get_if<Pointer>(&given.value);
  if (pointer == nullptr || pointer->shape.empty()) throw wrong(given, language::describe(form_of(given.value)));
  if (is_known(*given.parameter) && !declarator.pointer_to_pointer) {
    const auto type = type_of(*given.parameter);
    if (auto base = frame_.references.part_of_base(*pointer, type)) {  // f(B*) given a D*
      given.value = std::move(*base);
      pointer = std::get_if<Pointer>(&given.value);
    }
    if (pointer->type != type && (given.parameter->type != "void" || declarator.function))
      throw wrong(given, fmt::format("a pointer to {}", pointer->type.name));
  }
  if (pointer->read_only && !given.parameter->is_const)
    throw error(
        ErrorKind::type,
        fmt::format("{} is const, but {} may write to it", snippet(run_.source, argument.span), declarator.name),
        argument.span);
}

void FunctionArguments::bind() {
  for (auto& given : given_) {
    const auto& parameter = *given.parameter;
    const auto& declarator = parameter.declarators.front();
    const auto& name = declarator.name;
    if (name.empty()) continue;
    if (given.variable != nullptr && declarator.pointer_to_pointer) {
      session_.names().alias("*" + name, *given.variable);
      session_.names().declare(name, {Nothing{}, true, source_.name});
    } else if (given.variable != nullptr) {
      session_.names().alias(name, *given.variable);
    } else if (!declarator.pointer && !declarator.reference && !cell::vector_element(parameter.type).empty()) {
      frame_.vectors.declare(parameter, declarator, std::get<Pointer>(given.value));
      frame_.lifetimes.declared(name);
    } else if (is_pointer(declarator) && (!declarator.reference || given.back)) {
      bind_pointer(given);
    } else {
      given.bound = &session_.names().declare(name, {given.value, parameter.is_const, source_.name});
      if (auto* object = std::get_if<Object>(&given.bound->value)) object->temporary = 0;
      if (!declarator.reference) frame_.lifetimes.declared(name);
    }
  }
}

void FunctionArguments::bind_pointer(Given& given) {
  const auto& parameter = *given.parameter;
  const auto& declarator = parameter.declarators.front();
  const auto& name = declarator.name;
  auto& names = session_.names();
  if (std::holds_alternative<std::string>(given.value)) {
    names.declare(name, {given.value, false, source_.name, kCharacters});
    return;
  }
  if (std::holds_alternative<Function>(given.value)) {
    names.declare(name, {given.value, false, source_.name});
    return;
  }
  auto* to = std::get_if<Pointer>(&given.value);
  if (to != nullptr && declarator.extents.size() > 1) {  // float m[][8]
    std::vector<std::uint64_t> shape;
    std::uint64_t row = std::max<std::size_t>(to->type.size, 1);
    for (std::size_t i = 1; i < declarator.extents.size(); ++i) {
      const auto extent = number(*declarator.extents[i], "an extent");
      if (!extent.is_integer() || extent.is_negative() || !extent.truth())
        throw language::extent_not_integer(frame_.text, name, extent.type(), declarator.extents[i]->span);
      shape.push_back(extent.as_unsigned());
      row *= shape.back();
    }
    shape.insert(shape.begin(), to->bytes / row);
    to->shape = std::move(shape);
    to->is_address = false;
    to->read_only = to->read_only || parameter.is_const;
    names.declare(name, {*to, false, source_.name});
    return;
  }
  Pointer null;
  null.owner = name;
  null.shape = {0};
  null.is_address = true;
  null.read_only = parameter.is_const;
  const bool of_bytes = parameter.type == "void" && !declarator.function;
  null.type = to != nullptr && !of_bytes ? to->type : is_known(parameter) ? type_of(parameter) : Type();
  auto& variable = names.declare(name, {std::move(null), false, source_.name});
  given.bound = &variable;
  if (to != nullptr) frame_.addresses.assign(name, variable, *to, given.span);
  variable.read_only = language::is_constant_pointer(source_.text, parameter, declarator);
}

void FunctionArguments::take_changes() {
  for (auto& given : given_) {
    if (!given.back || given.bound == nullptr) continue;
    const auto& declarator = given.parameter->declarators.front();
    if (const auto* held = std::get_if<Pointer>(&given.bound->value);
        held != nullptr && declarator.reference && declarator.pointer)
      given.after = frame_.addresses.value(declarator.name, *held, given.span);
    else
      given.after = given.bound->value;
  }
}

void FunctionArguments::store_changes() {
  for (const auto& given : given_)
    if (given.back && given.bound != nullptr) frame_.targets.store(*given.back, given.after, given.span);
}

}  // namespace xcuda::interpreter
