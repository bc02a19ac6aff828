#include "interpreter/native/library_values.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "cell/constructors.hpp"
#include "cell/library_names.hpp"
#include "cell/operator_table.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/native/class_definition.hpp"
#include "interpreter/native/native_arguments.hpp"
#include "interpreter/native/native_calls.hpp"
#include "interpreter/records/exceptions.hpp"
#include "language/changed_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

// Nanoseconds since 1970 that never run backwards: all clocks of the library are this one.
std::int64_t nanoseconds_now() {
  using std::chrono::duration_cast, std::chrono::nanoseconds, std::chrono::steady_clock, std::chrono::system_clock;
  static const auto apart = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()) -
                            duration_cast<nanoseconds>(steady_clock::now().time_since_epoch());
  return (duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()) + apart).count();
}

constexpr const char* kObject = "xcuda_object";  // in native code
constexpr const char* kTimePoint = "std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>";

}  // namespace

std::string LibraryValues::given_text(NativeArguments& arguments, const std::vector<const cell::Expression*>& values) {
  std::string text;
  for (const auto* value : values)
    text += (text.empty() ? "" : ", ") + arguments.pointed_text(*value, ArrayPassing::place);
  return text;
}

Value LibraryValues::call(const cell::Call& call, cell::Span span) {
  const auto& callee = std::get<cell::Name>(call.callee->node).text;
  if (call.arguments.empty())
    if (auto time = now(callee, span)) return std::move(*time);
  NativeArguments arguments(frame_);
  const auto text = fmt::format("return {}({});", callee, given_text(arguments, pointers_to(call.arguments)));
  return frame_.native_calls.run(text, text, arguments, span);
}

std::optional<Value> LibraryValues::now(std::string_view callee, cell::Span span) {
  static constexpr std::string_view kClocks[] = {"std::chrono::high_resolution_clock::now",
                                                 "std::chrono::steady_clock::now", "std::chrono::system_clock::now"};
  if (!among(callee, kClocks)) return std::nullopt;
  frame_.native_code.wait();
  auto type = session_.code().find_type(run_.source, kTimePoint, span);  // which may take as long as a compile
  const auto nanoseconds = nanoseconds_now();
  Object time{std::move(type), std::vector<std::byte>(sizeof nanoseconds)};
  std::memcpy(time.bytes.data(), &nanoseconds, sizeof nanoseconds);
  return time;
}

Value LibraryValues::assign(const cell::Call& target, const cell::Assignment& assignment, cell::Span span) {
  const auto* callee = std::get_if<cell::Name>(&target.callee->node);
  if (callee == nullptr || !cell::is_library_name(callee->text))
    throw language::cannot_be_assigned(frame_.text, assignment.target->span);
  NativeArguments arguments(frame_);
  const auto value = arguments.text_of(*assignment.value, ArrayPassing::pointer);
  const auto place = given_text(arguments, pointers_to(target.arguments));
  const auto op = assignment.op ? std::string(cell::spelling(*assignment.op)) : std::string();
  const auto text = fmt::format("{}({}) {}= {};", callee->text, place, op, value);
  return frame_.native_calls.run(text, text, arguments, span);
}

std::optional<Value> LibraryValues::method(const cell::Call& call, cell::Span span) {
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  if (member == nullptr || member->arrow) return std::nullopt;
  const auto value = evaluate(*member->base);
  if (!std::holds_alternative<Object>(value)) return std::nullopt;
  NativeArguments arguments(frame_);
  const auto base = arguments.text_of(value, *member->base, ArrayPassing::pointer);
  const auto text =
      fmt::format("return {}.{}({});", base, member->member, given_text(arguments, pointers_to(call.arguments)));
  return frame_.native_calls.run(text, text, arguments, span);
}

Value LibraryValues::assigned(const Type& type, const Value& before, const Value& value,
                              const cell::Assignment& assignment, cell::Span span) {
  NativeArguments arguments(frame_);
  const auto given = arguments.text_of(value, *assignment.value, ArrayPassing::pointer);
  const auto text = assignment.op ? fmt::format("{0} {1} = {2}; {1} {3}= {4}; return {1};", type.name, kObject,
                                                arguments.text_of(before, *assignment.target, ArrayPassing::pointer),
                                                cell::spelling(*assignment.op), given)
                                  : fmt::format("{0} {1} = {2}; return {1};", type.name, kObject, given);
  return frame_.native_calls.run(text, text, arguments, span);
}

void LibraryValues::require_index(const cell::Call& call, const cell::Member& member, cell::Span span) {
  if (member.member != "at" || member.arrow || call.arguments.size() != 1) return;
  const auto& form = frame_.expressions.form(*member.base);
  if (form.kind != language::Form::Kind::object || !cell::is_library_array(form.type.name)) return;
  const auto& given = *call.arguments[0].value;
  const auto members = session_.code().members_of(form.type);
  if (members.empty() || members.front().shape.empty() || !language::names_changed_by(given).empty()) return;
  const auto size = members.front().shape.front();
  const auto index = number(given, "a subscript");
  if (!index.is_integer() || (!index.is_negative() && index.as_unsigned() < size)) return;
  frame_.exceptions.raise(error(ErrorKind::value,
                                fmt::format("index {} is out of bounds: {} has {} elements", index.text(),
                                            snippet(run_.source, member.base->span), size),
                                span),
                          {"std::out_of_range", Exceptions::range_text("array::at: __n", index, ">= _Nm", size)});
}

// Of the library, with members that are not known; or of a cell, with a constructor or initial values of members.
bool LibraryValues::is_constructed(const Type& type) {
  if (type.scalar != Scalar::none || type.name.ends_with('*')) return false;
  if (const auto known = constructed_.find(type.name); known != constructed_.end()) return known->second;
  constructed_[type.name] = false;  // a struct of itself
  const auto members = session_.code().members_of(type);
  bool constructed = cell::is_library_name(type.name) && members.empty();
  if (const auto* definition = class_definition(session_, type)) {
    constructed = cell::has_constructor(definition->text);
    for (const auto& base : cell::special_members(definition->text).bases)
      constructed = constructed || is_constructed({base, 1, 1});
  }
  for (const auto& member : members) constructed = constructed || is_constructed(member.type);
  return constructed_[type.name] = constructed;
}

std::optional<Value> LibraryValues::made(const Type& type, const cell::Declarator& declarator) {
  if (declarator.init != nullptr) return converted(type, *declarator.init);
  const bool zeros = cell::is_library_name(type.name) && cell::is_made_of_zeros(type.name);
  if (!is_constructed(type) || (declarator.constructor.empty() && zeros)) return std::nullopt;
  const auto given = pointers_to(declarator.constructor);
  return made_of(type, given, given.empty() ? "{}" : "()", declarator.name_span);
}

Value LibraryValues::made_of_calls(const cell::Call& call, cell::Span span) {
  const auto& name = std::get<cell::Name>(call.callee->node).text;
  const bool of_type = name.find('<') == std::string::npos || name.ends_with('>');  // not P<3>::count()
  if (of_type && frame_.lookup.is_type(name.substr(0, name.find('<'))))
    if (auto value = frame_.host_function_calls.make(session_.code().find_type(run_.source, name, span),
                                                     pointers_to(call.arguments), span))
      return std::move(*value);
  frame_.lifetimes.require_no_virtual({name, 1, 1}, span);
  NativeArguments arguments(frame_);
  const auto text = fmt::format("return {}({});", name, given_text(arguments, pointers_to(call.arguments)));
  return frame_.native_calls.run(text, text, arguments, span);
}

std::optional<Value> LibraryValues::converted(const Type& type, const cell::Expression& operand) {
  if (!is_constructed(type)) return std::nullopt;
  if (const auto* list = std::get_if<cell::List>(&operand.node))
    return made_of(type, pointers_to(list->elements), "{}", operand.span);
  if (cell::is_library_name(type.name)) return made_of(type, {&operand}, "()", operand.span);
  const auto& form = frame_.expressions.form(operand);
  if (form.is_known() && form.kind != language::Form::Kind::object)
    return made_of(type, {&operand}, "()", operand.span);
  auto value = evaluate(operand);
  if (const auto* object = std::get_if<Object>(&value); object != nullptr && object->type == type) return value;
  NativeArguments arguments(frame_);
  const auto text = fmt::format("return {}({});", type.name, arguments.text_of(value, operand, ArrayPassing::pointer));
  return frame_.native_calls.run(text, text, arguments, operand.span);
}

Value LibraryValues::made_of(const Type& type, const std::vector<const cell::Expression*>& values,
                             std::string_view brackets, cell::Span span) {
  if (auto value = frame_.host_function_calls.make(type, values, span)) return std::move(*value);
  NativeArguments arguments(frame_);
  const auto text = fmt::format("return {}{}{}{};", type.name, brackets[0], given_text(arguments, values), brackets[1]);
  return frame_.native_calls.run(text, text, arguments, span);
}

void LibraryValues::make_each(Pointer elements, const std::vector<const cell::Expression*>& values,
                              std::string_view brackets, cell::Span span) {
  const auto type = elements.type.name;
  const auto count = count_of(elements.shape);
  if (count == 0) return;
  elements.shape = {count};
  elements.read_only = false;
  auto first = elements;
  first.bytes = elements.type.size;
  if (frame_.host_function_calls.make_at(first, values, span)) {
    for (std::uint64_t i = 1; i < count; ++i) {
      first.address += elements.type.size;
      frame_.host_function_calls.make_at(first, values, span);
    }
    return;
  }
  NativeArguments arguments(frame_);
  const auto place = arguments.elements(std::move(elements));
  const auto text = fmt::format("new (xcuda_place{{&{}[i]}}) {}{}{}{};", place, type, brackets[0],
                                given_text(arguments, values), brackets[1]);
  frame_.native_calls.run(fmt::format("for (unsigned long i = 0; i < {}; ++i) {}", count, text), text, arguments, span);
}

Value LibraryValues::part(const Object& object, std::string_view expression) {
  NativeArguments arguments(frame_);
  arguments.add_value(object.type, object.bytes, kObject);
  return frame_.native_calls.run(fmt::format("return {};", expression), object.type.name, arguments, run_.current);
}

Pointer LibraryValues::elements(const Object& span) {
  const auto first = part(span, fmt::format("{}.data()", kObject));
  const auto count = std::get<language::ScalarValue>(part(span, fmt::format("{}.size()", kObject))).as_unsigned();
  auto elements = std::holds_alternative<Pointer>(first) ? std::get<Pointer>(first) : Pointer();
  elements.bytes = count * elements.type.size;
  elements.shape = {count};
  elements.whole = elements.is_address = false;
  return elements;
}

std::optional<std::vector<Value>> LibraryValues::parts(const Object& object) {
  if (!cell::is_library_tuple(object.type.name)) return std::nullopt;
  std::vector<Value> list;
  const auto count = cell::template_arguments(object.type.name).size();
  for (std::size_t i = 0; i < count; ++i) list.push_back(part(object, fmt::format("std::get<{}>({})", i, kObject)));
  return list;
}

std::optional<std::string> LibraryValues::text(const Object& object,
                                               const std::function<std::string(const Value&)>& text_of) {
  if (const auto elements = parts(object)) {
    std::vector<std::string> texts;
    for (const auto& element : *elements) texts.push_back(text_of(element));
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
  }
  const auto arguments = cell::template_arguments(object.type.name);
  if (object.type.name.find("chrono::duration<") == std::string::npos || arguments.size() != 2) return std::nullopt;
  struct Unit {
    std::string_view ratio, name;
  };
  static constexpr Unit kUnits[] = {{"<1ll, 1000000000ll>", "ns"}, {"<1ll, 1000000ll>", "µs"}, {"<1ll, 1000ll>", "ms"},
                                    {"<1ll, 1ll>", "s"},           {"<60ll, 1ll>", "min"},     {"<3600ll, 1ll>", "h"}};
  const auto number = text_of(part(object, fmt::format("{}.count()", kObject)));
  for (const auto& unit : kUnits)
    if (arguments[1].ends_with(unit.ratio)) return fmt::format("{} {}", number, unit.name);
  return std::nullopt;
}

}  // namespace xcuda::interpreter
