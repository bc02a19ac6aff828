// Functions of structs whose bodies are statements: while one runs, its object is in memory, and its members are names.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "arrays/operations.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/method.hpp"
#include "cell/methods.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/native/native_arguments.hpp"
#include "interpreter/native/native_calls.hpp"
#include "interpreter/places.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/targets.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

std::string class_of(const Type& type) { return type.name.substr(0, type.name.find('<')); }

}  // namespace

std::string HostFunctionCalls::qualified(const Type& type, std::string_view method) const {
  const auto own = class_of(type);
  const auto end = method.empty() ? own : method == "~" ? "~" + own : std::string(method);
  return fmt::format("{}::{}", session_.code().functions().class_of(type.name), end);
}

bool HostFunctionCalls::has_method(const Type& type, std::string_view name) const {
  return type.scalar == Scalar::none && !session_.code().functions().find(qualified(type, name)).empty();
}

bool HostFunctionCalls::makes(const Type& type) const {
  if (type.scalar != Scalar::none || type.name.ends_with('*')) return false;
  if (has_method(type, "")) return true;
  const auto members = session_.code().members_of(type);
  return std::any_of(members.begin(), members.end(), [&](const auto& one) { return makes(one.type); });
}

bool HostFunctionCalls::is_made_by_statements(const std::string& type) const {
  return !session_.code().functions().find(fmt::format("{0}::{0}", type)).empty();
}

// this == &other: `this` is a copy in memory of a variable, which the address of `other` is not.
std::optional<bool> HostFunctionCalls::is_this(const cell::Expression& left, const cell::Expression& right) const {
  const auto* own = std::get_if<cell::Name>(&left.node);
  const auto* address = std::get_if<cell::Unary>(&right.node);
  if (own == nullptr || own->text != cell::kThis || address == nullptr || address->op != cell::UnaryOperator::address)
    return std::nullopt;
  const auto* name = std::get_if<cell::Name>(&address->operand->node);
  const auto* other = name == nullptr ? nullptr : session_.names().find(name->text);
  if (const auto* record = other == nullptr ? nullptr : std::get_if<Container>(&other->value)) {
    const auto* held = session_.names().find(own->text);
    const auto* self = held == nullptr ? nullptr : std::get_if<Container>(&held->value);
    return self != nullptr && self->data == record->data;
  }
  if (other == nullptr || !std::holds_alternative<Object>(other->value)) return std::nullopt;
  return home_ == other;
}

bool HostFunctionCalls::has_ends(const Type& type) {
  if (type.scalar != Scalar::none || type.name.ends_with('*')) return false;
  if (has_method(type, "~")) return true;
  const auto members = session_.code().members_of(type);
  return std::any_of(members.begin(), members.end(), [&](const auto& one) { return has_ends(one.type); });
}

std::vector<Pointer> HostFunctionCalls::members_at(const Pointer& object) const {
  std::vector<Pointer> list;
  for (auto& member : session_.code().members_of(object.type)) {
    auto& place = list.emplace_back(object);
    place.owner = fmt::format("{}.{}", object.owner, member.name);  // events and streams are known by it
    place.address += member.offset;
    place.bytes = member.type.size * std::max<std::uint64_t>(count_of(member.shape), 1);
    place.type = member.type.name == "CUevent_st*"    ? Type{"cudaEvent_t", member.type.size, member.type.alignment}
                 : member.type.name == "CUstream_st*" ? Type{"cudaStream_t", member.type.size, member.type.alignment}
                                                      : std::move(member.type);
    place.shape = std::move(member.shape);
    place.whole = false;
    place.is_address = place.shape.size() == 1;
  }
  return list;
}

void HostFunctionCalls::bind_members(const Pointer& object) {
  auto own = object;
  own.shape = {1};
  own.is_address = true;
  for (auto& place : members_at(object)) {
    const auto name = place.owner.substr(place.owner.rfind('.') + 1);
    session_.names().declare(name, {std::move(place), false, run_.source.name});
  }
  session_.names().declare(std::string(cell::kThis), {std::move(own), false, run_.source.name});
}

// The overload that takes these; null: the compiler's code, or another one, has to.
const session::KnownFunctionPtr* HostFunctionCalls::chosen_method(const Type& type, std::string_view name,
                                                                  const Expressions& given) {
  const session::KnownFunctionPtr* best = nullptr;
  int most = -1;
  for (const auto& one : session_.code().functions().find(qualified(type, name))) {
    const auto& parameters = one->function->parameters;
    const bool copies = !parameters.empty() && parameters[0].type == class_of(type);
    const bool copied = given.size() == 1 && frame_.expressions.form(*given[0]).type.name == type.name;
    if (name.empty() && given.size() == 1 && copies != copied) continue;
    if (const int fits = fit(*one->function, given); fits > most) {
      best = &one;
      most = fits;
    }
  }
  return best;
}

// A class template is parsed again for its arguments.
Value HostFunctionCalls::run_method(const session::KnownFunctionPtr& known, Pointer object, const Expressions& given,
                                    cell::Span span) {
  called_.insert(known);
  require_depth(*known->function, span);
  object.shape.clear();
  object.read_only = known->function->is_const && known->text->find("mutable") == std::string::npos;
  Running running{known, known->function, {}};
  const auto own = cell::class_around(*known->text, known->piece);
  if (own && !own->template_parameters.empty()) {
    const auto arguments = cell::template_arguments(object.type.name);
    auto& made = known->instances[object.type.name];
    if (own->name.find('<') == std::string::npos)
      for (std::size_t i = 0; i < std::min(arguments.size(), own->template_parameters.size()); ++i)
        running.given[own->template_parameters[i]] = arguments[i];
    else if (const auto found = cell::arguments_in(*own, object.type.name))
      running.given.insert(found->begin(), found->end());
    auto tokens = running.given;
    tokens[class_of(object.type)] = object.type.name;
    if (made == nullptr)
      made = cell::parse_function(
          {*known->text, known->source, &known->piece, known->grammar, known->types, tokens, {}, known->library});
    running.function = made;
  }
  if (running.function->body == nullptr) throw language::cannot_call(frame_.text, *running.function, span);
  return run(running, given, &object, span);
}

Pointer HostFunctionCalls::in_memory(const Type& type, std::span<const std::byte> bytes) {
  Pointer pointer;
  pointer.type = type;
  const auto memory = std::make_shared<const Temporary>(session_.operations().workspace(), bytes.size());
  pointer.owner = type.name;
  pointer.address = memory->address();
  pointer.bytes = bytes.size();
  pointer.memory = memory;
  session_.submission().write(pointer.address, bytes);
  return pointer;
}

// Whether arguments name the variable whose function is called: s.add(s.x), s.each([&] { s.x = 1; }).
bool HostFunctionCalls::is_named_in(const cell::Expression& object, const Expressions& given) {
  const auto* held = frame_.members.host_struct(object);
  if (held == nullptr) return false;
  const auto& names = session_.names();
  return std::any_of(given.begin(), given.end(), [&](const cell::Expression* argument) {
    const auto tokens =
        cell::tokens_of(run_.source.text.substr(argument->span.begin, argument->span.end - argument->span.begin));
    return std::any_of(tokens.begin(), tokens.end(), [&](const cell::Token& token) {
      return token.is_identifier() && names.find(std::string(token.text)) == held;
    });
  });
}

Value HostFunctionCalls::on_object(const cell::Expression& base, const session::KnownFunctionPtr& known,
                                   const Expressions& given, cell::Span span) {
  const bool named = std::holds_alternative<cell::Name>(base.node) || std::holds_alternative<cell::Index>(base.node) ||
                     std::holds_alternative<cell::Member>(base.node) || std::holds_alternative<cell::Unary>(base.node);
  const auto on = [&](const Type& type, std::vector<std::byte>& bytes) {
    auto object = in_memory(type, bytes);
    object.owner = snippet(run_.source, base.span);
    return Exceptions::finishing([&] { return run_method(known, object, given, span); },
                                 [&] { session_.submission().read(object.address, bytes); });
  };
  const auto in_place = [&](const Target& target) -> std::optional<Value> {
    const auto* pointer = std::get_if<Pointer>(&target);
    if (pointer != nullptr) return run_method(known, *pointer, given, span);
    if (!known->function->result.ends_with('&') && named) return std::nullopt;
    if (auto moved = frame_.references.pointer_to_place(target, base)) return run_method(known, *moved, given, span);
    return std::nullopt;
  };
  if (!named || frame_.references.may_refer(base)) {
    Value value;
    if (frame_.references.may_refer(base)) {
      auto referred = frame_.references.of(base);
      if (referred.place)
        if (auto result = in_place(*referred.place)) return std::move(*result);
      value = std::move(referred.value);
    } else {
      value = evaluate(base);
    }
    auto& object = std::get<Object>(value);
    auto* temporary = frame_.lifetimes.temporary(object);
    auto& held = temporary != nullptr ? std::get<Object>(temporary->value) : object;
    auto bytes = held.bytes;
    const auto type = held.type;
    return Exceptions::finishing([&] { return on(type, bytes); },
                                 [&] {
                                   if (auto* still = frame_.lifetimes.temporary(object))
                                     std::get<Object>(still->value).bytes = bytes;
                                 });
  }
  const auto* name = std::get_if<cell::Name>(&base.node);
  const auto* constant = name == nullptr ? nullptr : session_.names().find(name->text);
  if (const auto* held = constant == nullptr ? nullptr : std::get_if<Object>(&constant->value);
      held != nullptr && constant->read_only && known->function->is_const) {
    auto bytes = held->bytes;
    return on(Type(held->type), bytes);
  }
  if (known->function->result.ends_with('&') || is_named_in(base, given)) frame_.references.move_root(base);
  const auto target = frame_.targets.of(base);
  if (auto result = in_place(target)) return std::move(*result);
  if (const auto* part = std::get_if<HostPart>(&target)) {
    std::vector<std::byte> bytes(part->bytes.begin(),
                                 part->bytes.begin() + static_cast<std::ptrdiff_t>(part->type.size));
    return Exceptions::finishing([&] { return on(part->type, bytes); },
                                 [&] { std::memcpy(part->bytes.data(), bytes.data(), bytes.size()); });
  }
  auto* const variable = *std::get_if<Variable*>(&target);
  const auto type = std::get<Object>(variable->value).type;
  auto bytes = std::get<Object>(variable->value).bytes;
  const auto* outer = std::exchange(home_, variable);
  return Exceptions::finishing(
      [&] { return on(type, bytes); },
      [&] {
        home_ = outer;
        if (auto* object = std::get_if<Object>(&variable->value))
          object->bytes = std::move(bytes);
        else if (const auto* moved = std::get_if<Pointer>(&variable->value))  // by the function
          session_.submission().write(moved->address, bytes);
      });
}

std::optional<Value> HostFunctionCalls::method(const cell::Call& call, const cell::Member& member, cell::Span span) {
  const auto given = pointers_to(call.arguments);
  const auto& form = frame_.expressions.form(*member.base);
  const bool named = std::holds_alternative<cell::Name>(member.base->node);  // of a type that its cell defines, too
  if (!(member.arrow && named) && !has_method(form.type, member.member)) return std::nullopt;
  if (member.arrow) {
    const auto value = evaluate(*member.base);
    const auto* pointer = std::get_if<Pointer>(&value);
    const auto* known = pointer == nullptr ? nullptr : chosen_method(pointer->type, member.member, given);
    return known == nullptr ? std::nullopt : std::optional(run_method(*known, *pointer, given, span));
  }
  if (form.kind != language::Form::Kind::object) return std::nullopt;
  const auto* known = chosen_method(form.type, member.member, given);
  if (known == nullptr) return std::nullopt;
  return on_object(*member.base, *known, given, span);
}

std::optional<Value> HostFunctionCalls::operate(const cell::Expression& object, std::string_view op,
                                                const Expressions& given, cell::Span span) {
  const auto& form = frame_.expressions.form(object);
  const auto* known = chosen_method(form.type, fmt::format("operator{}", op), given);
  if (known == nullptr) return std::nullopt;
  return on_object(object, *known, given, span);
}

bool HostFunctionCalls::make_at(Pointer place, const Expressions& given, cell::Span span) {
  if (!makes(place.type)) return false;
  const auto* known = chosen_method(place.type, "", given);
  if (known == nullptr && (has_method(place.type, "") || !given.empty())) return false;
  place.shape.clear();
  for (auto& member : members_at(place)) {
    if (!frame_.library_values.is_constructed(member.type) && !makes(member.type)) continue;
    auto one = member;
    const auto count = std::max<std::uint64_t>(count_of(member.shape), 1);
    for (std::uint64_t i = 0; i < count; ++i, one.address += member.type.size)
      if (!make_at(one, {}, span) && member.shape.empty()) {
        one.shape = {1};
        frame_.library_values.make_each(one, {}, "{}", span);
      }
  }
  if (known != nullptr) run_method(*known, place, given, span);
  return true;
}

std::optional<Value> HostFunctionCalls::make(const Type& type, const Expressions& given, cell::Span span) {
  if (!makes(type)) return std::nullopt;
  std::vector<std::byte> bytes(type.size);
  const auto object = in_memory(type, bytes);
  if (!make_at(object, given, span)) return std::nullopt;
  session_.submission().read(object.address, bytes);
  return frame_.lifetimes.made(Object{type, std::move(bytes)});
}

template <class Call> Value HostFunctionCalls::with(const Object& object, cell::Span span, const Call& call) {
  const std::string name = "xcuda_object";
  cell::Expression named;
  named.span = span;
  named.node = cell::Name{name};
  session_.arrays().enter_block();
  session_.names().declare(name, {object, true, run_.source.name});
  auto result = call(named);
  session_.arrays().leave_block();
  return result;
}

bool HostFunctionCalls::print(const Object& object, cell::Span span) {
  const auto& overloads = session_.code().functions().find("xcuda_output_" + class_of(object.type));
  if (overloads.empty() || overloads.front()->function->body == nullptr) return false;
  const auto known = overloads.front();
  called_.insert(known);
  with(object, span, [&](const cell::Expression& named) {
    if (known->function->template_parameters.empty()) return run({known, known->function, {}}, {&named}, {}, span);
    cell::Call call;
    call.arguments.push_back({{}, {}, cell::copy_of(named)});
    return run(instance(known, {}, call, known->function->name, span), {&named}, {}, span);
  });
  return true;
}

std::optional<Value> HostFunctionCalls::copy_of(const Object& object, cell::Span span) {
  for (const auto& one : session_.code().functions().find(qualified(object.type, ""))) {
    const auto& parameters = one->function->parameters;
    if (parameters.size() != 1 || parameters[0].type != class_of(object.type) ||
        parameters[0].declarators.front().rvalue)
      continue;
    std::vector<std::byte> bytes(object.type.size);
    const auto place = in_memory(object.type, bytes);
    with(object, span, [&](const cell::Expression& from) { return run_method(one, place, {&from}, span); });
    session_.submission().read(place.address, bytes);
    return frame_.lifetimes.made(Object{object.type, std::move(bytes)});
  }
  return std::nullopt;
}

Value HostFunctionCalls::moved(const Object& object, const cell::Expression& expression) {
  const auto type = object.type;
  for (const auto& one : session_.code().functions().find(qualified(type, ""))) {
    const auto& parameters = one->function->parameters;
    if (parameters.size() != 1 || parameters[0].type != class_of(type) || !parameters[0].declarators.front().rvalue)
      continue;
    std::vector<std::byte> bytes(type.size);
    const auto place = in_memory(type, bytes);
    run_method(one, place, {&expression}, expression.span);
    session_.submission().read(place.address, bytes);
    return frame_.lifetimes.made(Object{type, std::move(bytes)});
  }
  if (has_method(type, ""))
    if (auto copy = copy_of(object, expression.span)) return std::move(*copy);
  NativeArguments arguments(frame_);
  auto& variable = *session_.names().find(std::get<cell::Name>(expression.node).text);
  const auto place = std::holds_alternative<Object>(variable.value)
                         ? arguments.place(variable)
                         : arguments.text_of(expression, ArrayPassing::pointer);  // it has moved to memory
  const auto text = fmt::format("return {0}(static_cast<{0}&&>({1}));", type.name, place);
  return frame_.native_calls.run(text, text, arguments, expression.span);
}

// As C++ has it: the destructor's body, then the members from the last to the first.
void HostFunctionCalls::end_at(Pointer place, cell::Span span) {
  place.shape.clear();
  const bool own = has_method(place.type, "~");
  if (own) run_method(session_.code().functions().find(qualified(place.type, "~")).front(), place, {}, span);
  auto members = members_at(place);
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (!own && !has_ends(member->type)) continue;
    if (member->shape.empty()) member->shape = {1};
    frame_.lifetimes.end(*member);
  }
}

}  // namespace xcuda::interpreter
