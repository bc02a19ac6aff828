#include "interpreter/records/exceptions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell/container_types.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/session_names.hpp"
#include "language/functions.hpp"
#include "session/container_data.hpp"

namespace xcuda::interpreter {
namespace {

const ContainerData* record_thrown(const Value& value) {
  const auto* container = std::get_if<Container>(&value);
  return container != nullptr && container->data->record != nullptr ? container->data.get() : nullptr;
}

// As a program writes it.
std::string type_thrown(std::string_view type) {
  const auto record = cell::record_name(type);
  return std::string(record.empty() ? type : record);
}

}  // namespace

// --- throw ---------------------------------------------------------------------------------------------------------

void Exceptions::raise(const cell::Call& call, cell::Span span) {
  if (call.arguments.empty() && handled_.empty())
    throw error(ErrorKind::value, "throw; outside of a handler has no exception to throw again", span)
        .advise("C++ ends the program there (std::terminate). Write what to throw: throw std::runtime_error(\"...\");");
  const auto exception = call.arguments.empty()
                             ? handled_.back().exception
                             : std::make_shared<const Exception>(exception_of(*call.arguments.front().value, span));
  const auto* closed = send(exception);
  throw uncaught(*exception, closed, span);
}

void Exceptions::raise(Error error, OfLibrary thrown) {
  Exception exception;
  const auto record = session_.code().functions().record(thrown.type);
  auto data = std::make_shared<ContainerData>();
  data->name = exception.type = std::string(cell::kRecord) + record->name;
  data->type = {cell::ContainerKind::record, {}};
  data->record = record;
  for (const auto& part : record->parts) {
    data->type.arguments.push_back(part.type);
    data->items.push_back(std::make_shared<Variable>(Variable{thrown.what, false, {}}));
  }
  exception.item = std::make_shared<Variable>(Variable{Container{std::move(data)}, false, run_.source.name});
  if (error.place) exception.place = *error.place;
  const auto kept = std::make_shared<const Exception>(std::move(exception));
  if (const auto* closed = send(kept))
    error.notes.push_back(fmt::format("{} is noexcept, so C++ would call std::terminate", closed->name));
  throw std::move(error);
}

std::string Exceptions::range_text(std::string_view of, const language::ScalarValue& at, std::string_view limit,
                                   std::size_t size) {
  return fmt::format("{} (which is {}) {} (which is {})", of, at.as_unsigned(), limit, size);
}

const cell::HostFunction* Exceptions::send(const ExceptionPtr& exception) {
  for (auto i = limits_.size(); i-- > 0;) {
    if (limits_[i].closed != nullptr) return limits_[i].closed;
    for (const auto& handler : limits_[i].tried->handlers)
      if (takes(handler, *exception)) throw Thrown{i, {&handler, exception}};
  }
  return nullptr;
}

// A literal, or a pointer to characters, is const char*; other texts are strings.
std::string Exceptions::type_of_text(const cell::Expression& expression) {
  if (std::holds_alternative<cell::StringLiteral>(expression.node)) return std::string(kCharacters);
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto* variable = session_.names().find(name->text);
    return std::string(variable != nullptr && variable->written == kCharacters ? kCharacters : "std::string");
  }
  if (const auto* choice = std::get_if<cell::Ternary>(&expression.node)) return type_of_text(*choice->yes);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  if (call == nullptr) return "std::string";
  const auto* member = std::get_if<cell::Member>(&call->callee->node);
  const auto* callee = std::get_if<cell::Name>(&call->callee->node);
  if (member != nullptr)
    return std::string(member->member == "c_str" || member->member == "what" ? kCharacters : "std::string");
  if (callee == nullptr) return std::string(kCharacters);
  const auto row = language::find_function(callee->text);
  const bool made = row && (row->row->operation == language::Operation::text_of_number ||
                            row->row->operation == language::Operation::make_text);
  const auto& known = session_.code().functions().find(callee->text);
  const bool text =
      made || cell::type_word(known.empty() ? callee->text : known.front()->function->result) == cell::TypeWord::text;
  return std::string(text ? "std::string" : kCharacters);
}

// Of an enumerator, whose value is a number; empty for other expressions.
std::string Exceptions::enumeration_of(const cell::Expression& expression) const {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  if (name == nullptr || session_.names().find(name->text) != nullptr) return {};
  for (const auto& definition : session_.code().definitions())
    for (const auto& [enumerator, value] : definition.piece.enumerators)
      if (name->text == enumerator || name->text == definition.piece.name + "::" + enumerator)
        return definition.piece.name;
  return {};
}

Exceptions::Exception Exceptions::exception_of(const cell::Expression& expression, cell::Span span) {
  Exception exception;
  exception.place = run_.source.place(span);
  auto value = evaluate(expression);
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto* variable = session_.names().find(name->text);
    for (const auto& one : handled_)  // throw e; throws what the handler's type has of it
      if (const auto* record = variable == one.variable ? record_thrown(value) : nullptr;
          record != nullptr && record->name != one.type && !cell::record_name(one.type).empty())
        value = frame_.records.base_of(std::get<Container>(value),
                                       session_.code().functions().record(cell::record_name(one.type)));
  }
  if (const auto* number = std::get_if<language::ScalarValue>(&value)) {
    exception.type = enumeration_of(expression);
    if (exception.type.empty()) exception.type = number->type().name;
  } else if (std::holds_alternative<std::string>(value)) {
    exception.type = type_of_text(expression);
  } else if (const auto* object = std::get_if<Object>(&value); object != nullptr && !is_closure(value)) {
    exception.type = object->type.name;
    std::get<Object>(value).temporary = 0;
  } else if (const auto* container = std::get_if<Container>(&value)) {
    exception.type = container->data->name;
    value = frame_.containers.owned(std::move(value));
  } else {
    throw error(ErrorKind::unsupported,
                fmt::format("statements throw numbers, texts, structs and exceptions of C++'s library, and not {}",
                            language::describe(form_of(value))),
                expression.span)
        .advise("Put what the handler needs into a struct. A cell with %%cuda runs all of C++.");
  }
  exception.item = std::make_shared<Variable>(Variable{std::move(value), false, run_.source.name});
  return exception;
}

Error Exceptions::uncaught(const Exception& exception, const cell::HostFunction* closed, cell::Span span) {
  const auto& value = exception.item->value;
  std::string said;
  if (const auto* record = record_thrown(value); record != nullptr && record->record->is_a("std::exception"))
    said = frame_.records.what(std::get<Container>(value), span);
  else if (const auto* number = std::get_if<language::ScalarValue>(&value))
    said = number->text();
  else if (const auto* text = std::get_if<std::string>(&value))
    said = *text;
  auto message = fmt::format("{} was thrown, and nothing catches it", type_thrown(exception.type));
  if (closed != nullptr)
    message = fmt::format("{} was thrown, and leaves {}, which is noexcept: C++ calls std::terminate",
                          type_thrown(exception.type), closed->name);
  auto failure = Error(ErrorKind::value, std::move(message)).at(exception.place);
  return said.empty() ? std::move(failure) : std::move(failure).said(std::move(said));
}

// --- catch ---------------------------------------------------------------------------------------------------------

bool Exceptions::is_base(const Exception& exception, const std::string& type) {
  const auto& value = exception.item->value;
  if (const auto* record = record_thrown(value)) {
    const auto base = cell::record_name(type);
    return !base.empty() && record->record->is_a(base);
  }
  const auto* object = std::get_if<Object>(&value);
  if (object == nullptr || !cell::record_name(type).empty()) return false;
  if (cell::type_word(type) != cell::TypeWord::none || xcuda::find_type(type)) return false;
  auto answer = session_.code().try_find_type(run_.source, type, {});
  return !answer.error && frame_.references.part_of_base(*object, answer.type).has_value();
}

bool Exceptions::takes(const cell::Handler& handler, const Exception& exception) {
  if (handler.caught.declarators.empty()) return true;
  const auto& type = handler.caught.type;
  if (handler.caught.declarators.front().pointer)
    return exception.type == kCharacters && type == "char" && handler.caught.is_const;
  if (cell::type_word(type) == cell::TypeWord::text) return exception.type == "std::string";
  if (const auto known = xcuda::find_type(type)) return known->name == exception.type;
  return type == exception.type || is_base(exception, type);
}

Exceptions::Handling::Handling(Exceptions& exceptions, const Caught& caught) : exceptions_(exceptions) {
  auto& names = exceptions.session_.names();
  const auto& handler = *caught.handler;
  exceptions.bind(handler, *caught.exception);
  Handled handled{caught.exception, nullptr, handler.caught.type};
  if (!handler.caught.declarators.empty() && !handler.caught.declarators.front().name.empty())
    handled.variable = names.find(handler.caught.declarators.front().name);
  exceptions.handled_.push_back(std::move(handled));
}

void Exceptions::bind(const cell::Handler& handler, const Exception& exception) {
  const auto& caught = handler.caught;
  if (caught.declarators.empty() || caught.declarators.front().name.empty()) return;
  const auto& declarator = caught.declarators.front();
  auto& names = session_.names();
  auto& item = exception.item;
  auto value = item->value;
  if (const auto* object = std::get_if<Object>(&value); object != nullptr && object->type.name != caught.type) {
    const auto type = session_.code().find_type(run_.source, caught.type, caught.type_span);
    value = *frame_.references.part_of_base(*object, type);
  } else if (declarator.reference && !caught.is_const) {
    return names.alias(declarator.name, item);
  }
  if (!declarator.reference) {
    const auto base = cell::record_name(caught.type);
    const auto* record = record_thrown(value);
    if (record != nullptr && record->record->name != base)
      value = frame_.records.base_of(std::get<Container>(value), session_.code().functions().record(base));
    else
      value = frame_.containers.owned(std::move(value));
  }
  Variable variable{std::move(value), caught.is_const && !declarator.pointer, run_.source.name};
  if (exception.type == kCharacters) variable.written = kCharacters;
  names.declare(declarator.name, std::move(variable));
}

Exceptions::Closed::Closed(Exceptions& exceptions, const cell::HostFunction& function)
    : exceptions_(exceptions), closes_(function.is_noexcept || function.name.find('~') != std::string::npos) {
  if (closes_) exceptions_.limits_.push_back({nullptr, &function});
}

}  // namespace xcuda::interpreter
