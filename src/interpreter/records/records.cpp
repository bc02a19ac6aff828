#include "interpreter/records/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/container_types.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

namespace {

using Style = cell::Declarator::Init;

std::string class_of(const cell::Record& record) { return record.name.substr(0, record.name.find('<')); }

ItemPtr new_item() { return std::make_shared<Variable>(Variable{Nothing{}, false, {}}); }

bool is_standard(const cell::Record& record) { return record.name.starts_with("std::"); }

// By a constructor that is inherited.
bool has_base_made(const ContainerData& data) {
  return !data.items.empty() && !std::holds_alternative<Nothing>(data.items.front()->value);
}

const ContainerData* record_in(const Value& value) {
  const auto* container = std::get_if<Container>(&value);
  return container != nullptr && container->data->record != nullptr ? container->data.get() : nullptr;
}

}  // namespace

const Records::Site& Records::site(const Value& value, std::size_t argument, cell::Span span) {
  auto& known = sites_[fmt::format("{} {} {}", argument, value.index(), form_of(value).type.name)];
  if (known.name == nullptr) {
    auto name = fmt::format("xcuda_given_{}", sites_.size());
    known.symbol = session_.names().symbol(name);
    known.tree = std::make_unique<cell::Expression>(cell::Expression{span, cell::Name{std::move(name)}});
    known.name = known.tree.get();
  }
  known.tree->span = span;
  return known;
}

const std::vector<KnownFunctionPtr>& Records::constructors(const cell::Record& record) {
  return session_.code().functions().find(fmt::format("{0}::{0}", class_of(record)));
}

bool Records::is_defaulted(const cell::Record& record, std::string_view function) const {
  return std::any_of(record.defaulted.begin(), record.defaulted.end(),
                     [&](const std::string& one) { return one.starts_with(function); });
}

void Records::require_current(const ContainerData& data, cell::Span span) {
  const auto now = session_.code().functions().record(data.record->name);
  if (now == data.record || (now != nullptr && now->layout == data.record->layout)) return;
  const auto what = snippet(run_.source, span);
  if (now == nullptr)
    throw error(ErrorKind::type, fmt::format("{} is a {}, which no cell defines any more", what, data.record->name),
                span)
        .advise(fmt::format("Define {} again, or declare {} again.", data.record->name, what));
  throw error(ErrorKind::type, fmt::format("{} was made before {} was changed", what, data.record->name), span)
      .note(fmt::format("then {}: {}", data.record->name, data.record->layout))
      .note(fmt::format("now {}: {}", now->name, now->layout))
      .advise(fmt::format("Declare {} again, or define {} as it was.", what, now->name));
}

void Records::make(const Container& value, const Given& given, cell::Span span) {
  auto& data = *value.data;
  const auto record = data.record;
  for (std::size_t i = 0; i < record->parts.size(); ++i) data.items.push_back(new_item());
  Variable object{value, false, run_.source.name};
  if (given.size() == 1 && !std::holds_alternative<cell::List>(given.front()->node) &&
      !frame_.expressions.form(*given.front()).is_known()) {
    const auto* name = std::get_if<cell::Name>(&given.front()->node);
    const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
    if (variable == nullptr || record_in(variable->value) != nullptr)
      return make(value, Part::evaluate(*given.front()), span);
  }
  if (is_standard(*record)) return construct_standard(data, given, span);
  if (!constructors(*record).empty()) return construct(object, given, span);
  if (!given.empty() && !record->bases.empty()) {  // using std::runtime_error::runtime_error;
    if (!record->inherits_constructors)
      throw error(ErrorKind::type,
                  fmt::format("{} has no constructor for {} argument{}", record->name, given.size(),
                              given.size() == 1 ? "" : "s"),
                  span)
          .advise(fmt::format("Write using {0}::{1}; in it, or a constructor of its own.", record->bases.front(),
                              record->bases.front().substr(record->bases.front().rfind(':') + 1)));
    construct_base(object, given, span);
    return construct_without_own(object, span);
  }
  if (given.size() > record->parts.size())
    throw error(ErrorKind::value,
                fmt::format("{} has {} members, got {} values", record->name, record->parts.size(), given.size()), span)
        .advise(fmt::format("Its members are {}.", record->layout));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& part = record->parts[i];
    const auto* list = std::get_if<cell::List>(&given[i]->node);
    auto one = list != nullptr ? part_of(part, pointers_to(list->elements), Style::braces, given[i]->span)
                               : part_of(part, {given[i]}, Style::equals, given[i]->span);
    data.items[i]->value = std::move(one->value);
    data.items[i]->written = one->written;
    data.items[i]->read_only = part.is_const;
  }
  construct_without_own(object, span);
}

// By a value that is known: a copy, or what a constructor makes of it.
void Records::make(const Container& value, Value given, cell::Span span) {
  auto& data = *value.data;
  if (data.items.empty())
    for (std::size_t i = 0; i < data.record->parts.size(); ++i) data.items.push_back(new_item());
  const auto* other = record_in(given);
  if (other != nullptr && other->name == data.name) {
    require_current(*other, span);
    auto own = frame_.containers.owned(std::move(given));
    data.items = std::get<Container>(own).data->items;
    return;
  }
  if (other != nullptr && other->record->is_a(data.record->name)) {
    data.items = base_of(std::get<Container>(given), data.record).data->items;
    return;
  }
  Variable object{value, false, run_.source.name};
  const auto& place = site(given, 0, span);
  Variable argument{std::move(given), false, run_.source.name};
  const NameTable::Lent lent(session_.names(), place.symbol, &argument);
  if (is_standard(*data.record)) return construct_standard(data, {place.name}, span);
  if (!constructors(*data.record).empty()) return construct(object, {place.name}, span);
  if (data.record->inherits_constructors) {
    construct_base(object, {place.name}, span);
    return construct_without_own(object, span);
  }
  if (data.record->parts.empty()) throw frame_.containers.cannot_be(data.record->name, argument.value, span);
  const auto& part = data.record->parts.front();
  data.items.front()->value = part_of(part, {place.name}, Style::equals, span)->value;
  data.items.front()->read_only = part.is_const;
  construct_without_own(object, span);
}

void Records::construct(Variable& object, const Given& given, cell::Span span) {
  const auto record = std::get<Container>(object.value).data->record;
  auto& calls = frame_.host_function_calls;
  const auto& own = constructors(*record);
  if (const auto* known = calls.best(own, given, HostFunctionCalls::Whose::variable)) {
    calls.run_on(*known, object, given, span);
    return;
  }
  if (given.empty() && is_defaulted(*record, class_of(*record) + "()")) return construct_without_own(object, span);
  throw error(
      ErrorKind::type,
      fmt::format("{} has no constructor for {} argument{}", record->name, given.size(), given.size() == 1 ? "" : "s"),
      span);
}

void Records::construct_without_own(Variable& object, cell::Span span) {
  const auto record = std::get<Container>(object.value).data->record;
  const auto& implicit = session_.code().functions().find(class_of(*record) + "::");
  if (!implicit.empty()) frame_.host_function_calls.run_on(implicit.front(), object, {}, span);
}

void Records::initialize(Variable& object, const cell::HostFunction& constructor) {
  auto& data = *std::get<Container>(object.value).data;
  const auto record = data.record;
  const auto& values = constructor.members;
  const auto find = [&](std::string_view name) {
    return std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.member == name; });
  };
  if (const auto other = find(class_of(*record)); other != values.end())
    return construct(object, pointers_to(other->given), other->span);
  if (!record->bases.empty() && !only_) {
    const auto base = find(record->bases.front());
    if (base != values.end())
      construct_base(object, pointers_to(base->given), base->span);
    else if (!has_base_made(data))
      construct_base(object, {}, constructor.name_span);
  }
  for (std::size_t i = 0; i < record->parts.size(); ++i) {
    auto& item = *data.items[i];
    if (!std::holds_alternative<Nothing>(item.value)) continue;  // it was given
    const auto& part = record->parts[i];
    if (only_ && *only_ != i) continue;
    const auto value = find(part.name);
    if (value != values.end() && value->apart) {
      const auto outer = std::exchange(only_, i);
      const auto make = [&] { return construct_without_own(object, constructor.name_span), true; };
      Exceptions::finishing(make, [&] { only_ = outer; });
      if (!std::holds_alternative<Nothing>(item.value)) continue;
    }
    auto one = value == values.end() ? default_part(part, constructor.name_span) : part_of(part, *value);
    item.value = std::move(one->value);
    item.written = one->written;
    item.read_only = part.is_const;
  }
}

std::uint64_t Records::extent_of(const cell::Record::Part& part) {
  const auto extent = number(*part.extents.front(), "an extent");
  if (!extent.is_integer() || extent.is_negative() || !extent.truth())
    throw error(ErrorKind::value, fmt::format("{} has {} elements", part.name, extent.text()), run_.current);
  return extent.as_unsigned();
}

namespace {

// What statements hold elements of T v[3] in.
std::string type_of_elements(const cell::Record::Part& part, std::uint64_t count) {
  return cell::is_of_host(part.type) ? fmt::format("std::array<{}, {}>", part.type, count)
                                     : fmt::format("std::vector<{}>", part.type);
}

}  // namespace

ItemPtr Records::default_part(const cell::Record::Part& part, cell::Span span) {
  if (part.extents.empty()) return frame_.containers.default_item(part.type, span);
  const auto type = type_of_elements(part, extent_of(part));
  return cell::is_of_host(part.type) ? frame_.containers.default_item(type, span)
                                     : frame_.containers.item_of(type, {part.extents.front().get()}, span);
}

ItemPtr Records::part_of(const cell::Record::Part& part, const cell::HostFunction::MemberValue& value) {
  return part_of(part, pointers_to(value.given), value.style, value.span);
}

ItemPtr Records::part_of(const cell::Record::Part& part, const Given& given, Style style, cell::Span span) {
  auto& containers = frame_.containers;
  const auto* list = given.size() != 1 ? nullptr : std::get_if<cell::List>(&given.front()->node);
  if (style == Style::equals && list != nullptr) return part_of(part, pointers_to(list->elements), Style::braces, span);
  if (given.empty()) return default_part(part, span);
  if (!part.extents.empty()) {
    const auto count = extent_of(part);
    const auto type = type_of_elements(part, count);
    if (style == Style::braces && cell::is_of_host(part.type))
      return std::make_shared<Variable>(
          Variable{containers.made(type, given, Containers::Braces::yes, span), false, {}});
    if (style == Style::braces && given.size() == count)
      return containers.vector_item(type, given, Containers::Braces::yes, span);
    throw error(ErrorKind::unsupported, fmt::format("{} has {} elements, got {}", part.name, count, given.size()), span)
        .advise("Give each a value, or none: {}.");
  }
  if (style != Style::braces)
    return style == Style::equals ? containers.item_of(part.type, *given.front())
                                  : containers.item_of(part.type, given, span);
  const bool text = cell::type_word(part.type) == cell::TypeWord::text;
  if (text && given.size() == 1) return containers.item_of(part.type, *given.front());
  if (!text && !cell::vector_element(part.type).empty()) {
    const bool copies = given.size() == 1 && list == nullptr && frame_.expressions.form(*given.front()).is_array();
    return containers.vector_item(part.type, given, copies ? Containers::Braces::no : Containers::Braces::yes, span);
  }
  if (cell::container_type(part.type) || part.type.starts_with("std::pair<") || part.type.starts_with("std::tuple<"))
    return std::make_shared<Variable>(
        Variable{containers.made(part.type, given, Containers::Braces::yes, span), false, {}});
  if (!text && given.size() == 1 && !containers.is_number(part.type, span)) {
    const auto& plain = containers.plain_type(part.type, span);
    if (!plain.name.ends_with('*') && frame_.expressions.form(*given.front()).type.name != plain.name)
      return std::make_shared<Variable>(Variable{frame_.library_values.made_of(plain, given, "{}", span), false, {}});
  }
  return given.size() == 1 ? containers.item_of(part.type, *given.front()) : containers.item_of(part.type, given, span);
}

}  // namespace xcuda::interpreter
