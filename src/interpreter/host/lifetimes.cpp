#include "interpreter/host/lifetimes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/constructors.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/native/class_definition.hpp"
#include "interpreter/native/native_arguments.hpp"
#include "interpreter/native/native_calls.hpp"
#include "interpreter/places.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/statements.hpp"
#include "session/container_data.hpp"

namespace xcuda::interpreter {

const Lifetimes::Rules& Lifetimes::rules_of(const Type& type) {
  static const Rules kNone;
  if (type.scalar != Scalar::none || type.lanes > 1 || type.name.ends_with('*')) return kNone;
  const auto [known, fresh] = rules_.try_emplace(type.name);
  if (!fresh) return known->second;
  Rules rules;
  const auto add = [&](const Rules& part) {
    rules.ends = rules.ends || part.ends;
    rules.copies = rules.copies || part.copies;
    rules.assigns = rules.assigns || part.assigns;
    rules.has_virtual = rules.has_virtual || part.has_virtual;
  };
  if (const auto* definition = class_definition(session_, type)) {
    const auto special = cell::special_members(definition->text);
    const auto tokens = cell::tokens_of(definition->text);
    const bool has_virtual =
        std::any_of(tokens.begin(), tokens.end(), [](const cell::Token& token) { return token.is("virtual"); });
    rules = {special.destructor, special.copies, special.assigns, has_virtual};
    for (const auto& base : special.bases) add(rules_of({base, 1, 1}));
  }
  for (const auto& member : session_.code().members_of(type)) add(rules_of(member.type));
  return rules_[type.name] = rules;
}

void Lifetimes::require_no_virtual(const Type& type, cell::Span span) {
  if (!rules_of(type).has_virtual) return;
  throw error(
      ErrorKind::unsupported,
      fmt::format("statements cannot hold a {}: only the code that makes it can find its virtual functions", type.name),
      span)
      .advise(
          "Make and use such objects within one function of a cell, or in a cell with %%cuda, which runs all of C++.");
}

Value Lifetimes::made(Value value) {
  auto* object = std::get_if<Object>(&value);
  if (object == nullptr || !rules_of(object->type).has_identity()) return value;
  object->temporary = ++last_;
  temporaries_.push_back({last_, {value, false, run_.source.name}});
  return value;
}

Variable* Lifetimes::temporary(const Object& object) {
  const auto found = std::find_if(temporaries_.begin(), temporaries_.end(), [&](const Temporary& one) {
    return object.temporary != 0 && one.number == object.temporary;
  });
  return found == temporaries_.end() ? nullptr : &found->variable;
}

Value Lifetimes::owned(Value value, cell::Span span) {
  auto* object = std::get_if<Object>(&value);
  if (object == nullptr) return value;
  if (temporary(*object) == nullptr && rules_of(object->type).copies) value = copy_of(*object, span);
  auto& own = std::get<Object>(value);
  if (auto* variable = temporary(own)) value = std::exchange(variable->value, Nothing{});
  std::get<Object>(value).temporary = 0;
  return value;
}

Value Lifetimes::copy_of(const Object& object, cell::Span span) {
  if (auto copy = frame_.host_function_calls.copy_of(object, span)) return std::move(*copy);
  NativeArguments arguments(frame_);
  Variable from{object, true, run_.source.name};
  const auto name = arguments.place(from);
  return frame_.native_calls.run(fmt::format("return {}({});", object.type.name, name), object.type.name, arguments,
                                 span);
}

void Lifetimes::end_those_since(std::size_t mark) {
  while (temporaries_.size() > mark) {
    auto& last = temporaries_.back();
    if (std::holds_alternative<Object>(last.variable.value)) end(last.variable);
    temporaries_.pop_back();
  }
}

void Lifetimes::declared(const std::string& name) {
  auto* variable = session_.names().find(name);
  const auto* array = session_.arrays().find(name);
  const auto* object = variable == nullptr ? nullptr : std::get_if<Object>(&variable->value);
  const auto depth = session_.names().depth();
  if (depth == 1) return;
  if (variable != nullptr && is_record_with_end(*variable)) {
    if (session_.names().ends_within(depth, *variable) && !is_within(0, *variable))
      owned_.push_back({depth, variable, name});
    return;
  }
  // A static variable, or what a reference refers to, ends elsewhere; not a temporary that has this name alone.
  if (object != nullptr && (!session_.names().ends_within(depth, *variable) || is_within(0, *variable))) return;
  if (object != nullptr ? rules_of(object->type).has_identity() : array != nullptr && rules_of(array->type).ends)
    owned_.push_back({depth, object != nullptr ? variable : nullptr, name});
}

bool Lifetimes::is_within(std::size_t depth, const Variable& variable) const {
  return std::any_of(owned_.begin(), owned_.end(),
                     [&](const Owned& one) { return one.variable == &variable && one.depth > depth; });
}

Value Lifetimes::taken(Variable& variable) {
  auto value = std::exchange(variable.value, Nothing{});
  const auto* moved = std::get_if<Pointer>(&value);
  return moved != nullptr && moved->shape.empty() ? frame_.places.element(*moved) : value;
}

void Lifetimes::leave_block() {
  const auto depth = session_.names().depth();
  while (!owned_.empty() && owned_.back().depth >= depth) {
    const auto last = owned_.back();
    owned_.pop_back();
    if (last.depth > depth) continue;
    if (last.variable != nullptr) {
      end(*last.variable);
    } else if (const auto* array = session_.arrays().find(last.name); array != nullptr && array->depth == depth) {
      end(pointer_to(*array));
    }
  }
}

void Lifetimes::replaced(const std::string& name) {
  if (session_.names().depth() > 1) return;
  if (auto* variable = session_.names().find(name)) return end(*variable);
  if (const auto* array = session_.arrays().find(name)) end(pointer_to(*array));
}

void Lifetimes::end_deleted(const cell::Expression& pointer, std::string_view deletion) {
  const auto value = evaluate(pointer);
  const auto* to = std::get_if<Pointer>(&value);
  if (to == nullptr || !rules_of(to->type).ends) return;
  auto elements = *to;
  if (deletion == cell::kDelete) elements.shape = {std::min<std::uint64_t>(1, count_of(elements.shape))};
  end(std::move(elements));
}

bool Lifetimes::is_record_with_end(const Variable& variable) {
  const auto* container = std::get_if<Container>(&variable.value);
  const auto* record = container == nullptr ? nullptr : container->data->record.get();
  return record != nullptr && !record->is_a("std::exception") && frame_.records.has_ends(*record);
}

void Lifetimes::end(Variable& variable) {
  if (is_record_with_end(variable)) return frame_.records.end(variable, run_.current);
  if (const auto* moved = std::get_if<Pointer>(&variable.value);
      moved != nullptr && moved->whole && moved->shape.empty())
    return end(*moved);
  const auto* object = std::get_if<Object>(&variable.value);
  if (object == nullptr || !rules_of(object->type).ends) return;
  const Statements::Aside aside(frame_.statements);
  const auto type = object->type;
  if (frame_.host_function_calls.has_ends(type)) return end(frame_.host_function_calls.in_memory(type, object->bytes));
  variable.read_only = false;
  NativeArguments arguments(frame_);
  const auto name = arguments.place(variable);
  frame_.native_calls.run(fmt::format("xcuda_end({});", name), type.name, arguments, run_.current);
}

void Lifetimes::end(Pointer elements) {
  const auto type = elements.type;
  if (!rules_of(type).ends) return;
  const Statements::Aside aside(frame_.statements);
  const auto count = count_of(elements.shape);
  if (count == 0) return;
  auto& statements = frame_.host_function_calls;
  const bool forward = elements.growth != nullptr;  // as g++'s std::vector ends them
  const auto first = elements;
  elements.shape = {count};
  elements.read_only = false;
  elements.growth.reset();
  if (!statements.has_method(type, "~")) {
    NativeArguments arguments(frame_);
    const auto name = arguments.elements(std::move(elements));
    const auto* loop = forward ? "for (unsigned long i = 0; i < {}; ++i) xcuda_end({}[i]);"
                               : "for (unsigned long i = {}; i-- > 0;) xcuda_end({}[i]);";
    frame_.native_calls.run(fmt::format(fmt::runtime(loop), count, name), type.name, arguments, run_.current);
  }
  if (!statements.has_ends(type)) return;
  for (std::uint64_t k = 0; k < count; ++k) {
    auto place = first;
    place.address += (forward ? k : count - 1 - k) * type.size;
    place.bytes = type.size;
    statements.end_at(std::move(place), run_.current);
  }
}

}  // namespace xcuda::interpreter
