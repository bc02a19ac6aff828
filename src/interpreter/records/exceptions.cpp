#include "interpreter/records/exceptions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell/container_types.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/lifetimes.hpp"
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
      if (takes(handler, *exception)) {
        ++exception->flights;
        throw Thrown{i, {&handler, exception}};
      }
  }
  return nullptr;
}

bool Exceptions::is_characters(const cell::Expression& expression) {
  if (std::holds_alternative<cell::StringLiteral>(expression.node)) return true;
  if (const auto* choice = std::get_if<cell::Ternary>(&expression.node))
    return is_characters(*choice->yes) && is_characters(*choice->no);
  if (const auto* call = std::get_if<cell::Call>(&expression.node)) return gives_characters(*call);
  const auto* index = std::get_if<cell::Index>(&expression.node);
  const auto* member = std::get_if<cell::Member>(&expression.node);
  const auto* name = std::get_if<cell::Name>(index != nullptr    ? &index->base->node
                                             : member != nullptr ? &member->base->node
                                                                 : &expression.node);
  const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  if (index != nullptr && variable == nullptr) return name != nullptr;  // of an array of pointers
  if (variable == nullptr) return false;
  const auto* container = std::get_if<Container>(&variable->value);
  if (container == nullptr) return member != nullptr || index != nullptr || variable->written == kCharacters;
  const auto& data = *container->data;
  if (member != nullptr && data.record != nullptr) {
    const auto* part = data.record->find(member->member);
    return part != nullptr && part->type.ends_with("char*");
  }
  return index != nullptr && !data.type.arguments.empty() && data.type.arguments.back().ends_with("char*");
}

bool Exceptions::gives_characters(const cell::Call& call) {
  const auto& functions = session_.code().functions();
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  if (member != nullptr) {
    if (member->member == "c_str" || member->member == "what" || member->member == "data") return true;
    const auto* name = std::get_if<cell::Name>(&member->base->node);
    const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
    if (variable == nullptr) return false;
    const auto* object = std::get_if<Object>(&variable->value);
    const auto* record = record_thrown(variable->value);
    if (record != nullptr) {
      const auto& known = frame_.records.function_of(*record->record, member->member);
      return !known.empty() && gives_characters(*known.front()->function);
    }
    const auto& known = functions.find(object == nullptr ? "" : object->type.name + "::" + member->member);
    return !known.empty() && gives_characters(*known.front()->function);
  }
  if (callee == nullptr) return false;
  const auto* variable = session_.names().find(callee->text);
  const auto* held = variable == nullptr ? nullptr : std::get_if<Function>(&variable->value);
  const auto& known = functions.find(held != nullptr ? held->name : callee->text);
  if (!known.empty()) return gives_characters(*known.front()->function);
  const auto row = language::find_function(callee->text);
  const bool made = row && (row->row->operation == language::Operation::text_of_number ||
                            row->row->operation == language::Operation::make_text);
  return !made && cell::type_word(callee->text) != cell::TypeWord::text;  // others are the C library's
}

// Where its result is auto, what its first return has.
bool Exceptions::gives_characters(const cell::HostFunction& function) {
  if (cell::type_word(function.result) != cell::TypeWord::automatic) return function.result.ends_with("char*");
  const auto* body = function.body == nullptr ? nullptr : std::get_if<cell::Block>(&function.body->node);
  if (body == nullptr) return false;
  for (const auto& statement : body->statements)
    if (const auto* given = std::get_if<cell::Return>(&statement->node))
      return given->value != nullptr && is_characters(*given->value);
  return false;
}

std::string Exceptions::declared_type(const cell::Expression& expression) const {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  if (variable == nullptr) return {};
  for (const auto& one : handled_)
    if (one.variable == variable) return one.type;
  return frame_.host_function_calls.parameter_type(name->text);
}

// Of an enumerator or a parameter, whose value is a number; empty for other expressions.
std::string Exceptions::enumeration_of(const cell::Expression& expression) const {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  if (name == nullptr) return {};
  const bool variable = session_.names().find(name->text) != nullptr;
  const auto declared = declared_type(expression);
  for (const auto& definition : session_.code().definitions())
    for (const auto& [enumerator, value] : definition.piece.enumerators)
      if (variable ? declared == definition.piece.name
                   : name->text == enumerator || name->text == definition.piece.name + "::" + enumerator)
        return definition.piece.name;
  return {};
}

Exceptions::Exception Exceptions::exception_of(const cell::Expression& expression, cell::Span span) {
  Exception exception;
  exception.place = run_.source.place(span);
  auto value = evaluate(expression);
  if (std::holds_alternative<Pointer>(value) && !std::holds_alternative<cell::Name>(expression.node) &&
      is_characters(expression))
    if (auto text = frame_.texts.of(value)) value = std::move(*text);
  // throw e; throws what the type that e is declared with has of it.
  const auto base = std::string(cell::record_name(declared_type(expression)));
  if (const auto* record = base.empty() ? nullptr : record_thrown(value);
      record != nullptr && record->record->name != base && record->record->is_a(base))
    value = frame_.records.base_of(std::get<Container>(value), session_.code().functions().record(base));
  if (const auto* number = std::get_if<language::ScalarValue>(&value)) {
    exception.type = enumeration_of(expression);
    if (exception.type.empty()) exception.type = number->type().name;
  } else if (std::holds_alternative<std::string>(value)) {
    exception.type = is_characters(expression) ? kCharacters : "std::string";
  } else if (const auto* object = std::get_if<Object>(&value); object != nullptr && !is_closure(value)) {
    exception.type = object->type.name;
    value = frame_.lifetimes.owned(std::move(value), expression.span);
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
      value = frame_.containers.owned(frame_.lifetimes.owned(std::move(value), caught.type_span));
  }
  Variable variable{std::move(value), caught.is_const && !declarator.pointer, run_.source.name};
  if (exception.type == kCharacters) variable.written = kCharacters;
  names.declare(declarator.name, std::move(variable));
  if (!declarator.reference) frame_.lifetimes.declared(declarator.name);
}

void Exceptions::finish(const Caught& caught) {
  const auto& exception = caught.exception;
  const bool handled =
      std::any_of(handled_.begin(), handled_.end(), [&](const Handled& one) { return one.exception == exception; });
  if (exception->flights == 0 && !handled) frame_.lifetimes.end(*exception->item);
}

Exceptions::Closed::Closed(Exceptions& exceptions, const cell::HostFunction& function)
    : exceptions_(exceptions), closes_(function.is_noexcept) {
  if (closes_) exceptions_.limits_.push_back({nullptr, &function});
}

}  // namespace xcuda::interpreter
