// Containers as values: how they are made, copied and given to variables.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "interpreter/containers/callables.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/declarations.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/places.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/targets.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

// Within containers pairs and tuples are some, too, whatever they hold.
std::optional<cell::ContainerType> held_type(std::string_view type) {
  if (auto known = cell::container_type(type)) return known;
  if (!type.starts_with("std::pair<") && !type.starts_with("std::tuple<")) return std::nullopt;
  cell::ContainerType pair{cell::ContainerKind::pair, {}};
  for (const auto argument : cell::template_arguments(type)) pair.arguments.emplace_back(argument);
  return pair;
}

std::string without_const(std::string_view type) {
  type = trim(type);
  if (type.starts_with("const ")) type.remove_prefix(6);
  return std::string(type);
}

bool is_text_type(std::string_view type) { return cell::type_word(type) == cell::TypeWord::text; }

bool is_callable(const Value& value) { return std::holds_alternative<Function>(value) || is_closure(value); }

const cell::List* list_in(const cell::Expression& expression) { return std::get_if<cell::List>(&expression.node); }

// The types of two containers, whose arguments may be written with other blanks.
bool same_type(std::string_view a, std::string_view b) {
  const auto squeezed = [](std::string_view text) {
    std::string out;
    for (const char c : text)
      if (c != ' ') out += c;
    return out;
  };
  return a == b || squeezed(a) == squeezed(b);
}

// v.begin(), x, &x[3]: where a range may begin, and not a number of elements.
bool is_begin(const cell::Expression& expression) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* member = call == nullptr ? nullptr : std::get_if<cell::Member>(&call->callee->node);
  if (member != nullptr)
    return member->member == "begin" || member->member == "cbegin" || member->member == "end" ||
           member->member == "data";
  const auto* binary = std::get_if<cell::Binary>(&expression.node);
  return binary != nullptr && is_begin(*binary->left);
}

ItemPtr item(Value value) { return std::make_shared<Variable>(Variable{std::move(value), false, {}}); }

}  // namespace

Error Containers::cannot_be(const std::string& type, const Value& value, cell::Span span) {
  const auto* container = std::get_if<Container>(&value);
  return error(ErrorKind::type,
               fmt::format("a {} cannot be made of {}", type,
                           container != nullptr ? "a " + container->data->name : language::describe(form_of(value))),
               span);
}

const Type& Containers::plain_type(const std::string& type, cell::Span span) {
  const auto known = types_.find(type);
  if (known != types_.end()) return known->second;
  auto found = session_.code().find_type(run_.source, type, span);
  const auto& rules = frame_.lifetimes.rules_of(found);
  if (rules.ends || rules.copies)
    throw error(ErrorKind::unsupported,
                fmt::format("statements have no containers of {}, which has a destructor or a copy constructor", type),
                span)
        .advise("A cell with %%cuda runs all of C++.");
  return types_.emplace(type, std::move(found)).first->second;
}

Container Containers::empty(const std::string& type, cell::Span span) {
  auto known = held_type(type);
  if (!known) throw error(ErrorKind::type, fmt::format("{} is not a container", type), span);
  auto data = std::make_shared<ContainerData>();
  data->name = type;
  data->type = std::move(*known);
  for (auto& argument : data->type.arguments) argument = without_const(argument);
  if (const auto record = cell::record_name(type); !record.empty()) {
    data->name = without_const(type);
    data->record = session_.code().functions().record(record);
    if (data->record == nullptr)
      throw error(ErrorKind::name, fmt::format("no cell defines {}", record), span)
          .advise("Run the cell with its definition again.");
    for (const auto& part : data->record->parts) data->type.arguments.push_back(part.type);
  } else {
    for (const auto& argument : data->type.arguments) frame_.records.require_no_ends(argument, span);
  }
  if (data->type.kind == cell::ContainerKind::text_stream) data->text = std::make_shared<std::stringstream>();
  return {std::move(data)};
}

ItemPtr Containers::vector_item(const std::string& type, const Given& given, Braces braces, cell::Span span) {
  return item(
      frame_.vectors.kept(type, given, braces == Braces::yes ? Vectors::Form::list : Vectors::Form::arguments, span));
}

ItemPtr Containers::default_item(const std::string& declared, cell::Span span) {
  poll();
  const auto type = without_const(declared);
  if (is_text_type(type)) return item(std::string());
  if (cell::is_callable_type(type)) return item_of(type, Value(Function{}), span);
  if (!cell::vector_element(type).empty()) return vector_item(type, {}, Braces::no, span);
  if (held_type(type)) return item(made(type, {}, Braces::no, span));
  const auto& plain = plain_type(type, span);
  if (const auto kind = language::kind_of(plain); kind && !language::is_complex(*kind))
    return item(language::convert(language::ScalarValue::of(0), *kind));
  if (plain.name.ends_with('*')) return item(NullPointer{});
  if (frame_.library_values.is_constructed(plain)) return item(frame_.library_values.made_of(plain, {}, "{}", span));
  return item(frame_.targets.load(plain, std::vector<std::byte>(plain.size)));
}

bool Containers::is_number(const std::string& type, cell::Span span) {
  return !is_text_type(type) && cell::vector_element(type).empty() && !held_type(type) &&
         !cell::is_callable_type(type) && language::kind_of(plain_type(type, span)).has_value();
}

bool Containers::lists_elements(const std::string& type, const cell::List& list, cell::Span span) {
  return is_text_type(type) || is_number(type, span) ||
         std::all_of(list.elements.begin(), list.elements.end(),
                     [](const auto& one) { return list_in(*one) != nullptr; });
}

ItemPtr Containers::text_item(const cell::Expression& list, const Given& given) {
  if (given.empty()) return item(std::string());
  std::vector<Value> values;
  for (const auto* one : given) values.push_back(Part::evaluate(*one));
  if (std::all_of(values.begin(), values.end(), [](const Value& one) {
        const auto* number = std::get_if<language::ScalarValue>(&one);
        return number != nullptr && number->is_integer();
      })) {
    std::string text;
    for (const auto& one : values)
      text +=
          static_cast<char>(language::convert(std::get<language::ScalarValue>(one), language::Kind::char8).as_signed());
    return item(std::move(text));
  }
  if (values.size() == 1) return item_of("std::string", std::move(values.front()), list.span);
  throw error(ErrorKind::type, fmt::format("a std::string cannot be made of {}", snippet(run_.source, list.span)),
              list.span)
      .advise("Its braces have characters: {'a', 'b'}. Write the text in quotes, or use a cell with %%cuda.");
}

ItemPtr Containers::item_of(const std::string& declared, const cell::Expression& expression) {
  const auto type = without_const(declared);
  const auto* list = list_in(expression);
  if (list != nullptr) {
    Given given;
    for (const auto& one : list->elements) given.push_back(one.get());
    if (is_text_type(type)) return text_item(expression, given);
    if (!cell::vector_element(type).empty()) return vector_item(type, given, Braces::yes, expression.span);
    if (held_type(type)) return item(made(type, given, Braces::yes, expression.span));
    if (given.empty()) return default_item(type, expression.span);
    const auto& plain = plain_type(type, expression.span);
    if (frame_.library_values.is_constructed(plain))
      return item(frame_.library_values.made_of(plain, given, "{}", expression.span));
    return item(frame_.elements.value(expression, plain));
  }
  // std::make_pair(a, b) and std::pair<A, B>(a, b) of a pair: its parts.
  if (const auto container = held_type(type); container && container->kind == cell::ContainerKind::pair)
    if (const auto* call = std::get_if<cell::Call>(&expression.node))
      if (const auto* callee = std::get_if<cell::Name>(&call->callee->node);
          callee != nullptr && (callee->text == "std::make_pair" || callee->text == "std::make_tuple") &&
          call->arguments.size() == container->arguments.size()) {
        Given given;
        for (const auto& one : call->arguments) given.push_back(one.value.get());
        return item(made(type, given, Braces::no, expression.span));
      }
  if (is_struct(type, expression.span) && cell::record_name(type).empty()) {
    const auto& plain = plain_type(type, expression.span);
    const auto& form = frame_.expressions.form(expression);
    if (form.is_known() && form.kind != language::Form::Kind::object && frame_.library_values.is_constructed(plain))
      return item_of(type, *frame_.library_values.converted(plain, expression), expression.span);
  }
  if (cell::is_callable_type(type)) return item_of(type, frame_.callables.value(type, expression), expression.span);
  return item_of(type, Part::evaluate(expression), expression.span);
}

ItemPtr Containers::item_of(const std::string& declared, Value value, cell::Span span) {
  const auto type = without_const(declared);
  if (cell::is_callable_type(type)) {
    if (std::holds_alternative<NullPointer>(value)) value = Function{};
    if (!is_callable(value) && !std::holds_alternative<Object>(value)) throw cannot_be(type, value, span);
    auto made = item(std::move(value));
    made->written = kCallable;
    return made;
  }
  if (is_text_type(type)) {
    auto text = frame_.texts.of(value);
    if (!text) throw cannot_be(type, value, span);
    return item(std::move(*text));
  }
  if (!cell::vector_element(type).empty()) return item(frame_.vectors.kept(type, value, span));
  if (const auto container = held_type(type)) {
    const auto* other = std::get_if<Container>(&value);
    if (other != nullptr && same_type(other->data->name, type)) {
      if (other->data->record != nullptr) frame_.records.require_current(*other->data, span);
      return item(owned(std::move(value)));
    }
    if (container->kind == cell::ContainerKind::optional) return item(optional_of(type, std::move(value), span));
    if (container->kind == cell::ContainerKind::record) {
      auto result = empty(type, span);
      const auto& record = *result.data->record;
      const bool part = other != nullptr && other->data->record != nullptr && other->data->record->is_a(record.name);
      if (!part && !frame_.records.has_constructors(record))
        throw cannot_be(std::string(cell::record_name(type)), value, span);
      frame_.records.make(result, std::move(value), span);
      return item(std::move(result));
    }
    const bool pair = container->kind == cell::ContainerKind::pair;
    if (!pair || (other != nullptr && other->data->type.kind != container->kind)) throw cannot_be(type, value, span);
    if (other == nullptr && !std::holds_alternative<Object>(value)) throw cannot_be(type, value, span);
    auto result = empty(type, span);
    const auto count = container->arguments.size();
    std::vector<Value> values;
    if (other == nullptr) values = frame_.members.parts(value, count, span);
    if (other != nullptr)
      for (const auto& one : parts(*other, count, span)) values.push_back(value_of(*one, span));
    for (std::size_t i = 0; i < count; ++i)
      result.data->items.push_back(item_of(container->arguments[i], std::move(values[i]), span));
    return item(std::move(result));
  }
  const auto& plain = plain_type(type, span);
  const auto kind = language::kind_of(plain);
  if (const auto* number = std::get_if<language::ScalarValue>(&value); kind && number != nullptr)
    return item(language::convert(*number, *kind));
  if (const auto* object = std::get_if<Object>(&value); object != nullptr && object->type == plain) {
    auto own = *object;
    own.temporary = 0;
    return item(std::move(own));
  }
  if (plain.name.ends_with('*')) {
    if (auto* pointer = std::get_if<Pointer>(&value)) {
      frame_.targets.address_of(value, plain, span);  // or an error
      pointer->is_address = true;
      pointer->whole = false;
      return item(std::move(value));
    }
    if (std::holds_alternative<std::string>(value) || std::holds_alternative<NullPointer>(value))
      return item(std::move(value));
    if (const auto* zero = std::get_if<language::ScalarValue>(&value); zero != nullptr && !zero->truth())
      return item(NullPointer{});
  }
  // std::pair<int, float> of the library from a pair of containers' elements.
  if (const auto* other = std::get_if<Container>(&value))
    if (auto object = object_of(*other, plain, span)) return item(std::move(*object));
  return item(frame_.targets.load(plain, frame_.targets.bytes_of(value, plain, span)));
}

std::optional<Value> Containers::object_of(const Container& pair, const Type& type, cell::Span span) {
  if (pair.data->type.kind != cell::ContainerKind::pair || !cell::is_library_name(type.name)) return std::nullopt;
  const auto members = session_.code().members_of(type);
  if (members.size() != pair.data->items.size()) return std::nullopt;
  std::vector<std::byte> bytes(type.size);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto part = frame_.targets.bytes_of(value_of(*pair.data->items[i], span), members[i].type, span);
    std::copy(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(members[i].offset));
  }
  return Object{type, std::move(bytes)};
}

// The element of emplace(1, "a").
ItemPtr Containers::item_of(const std::string& declared, const Given& given, cell::Span span) {
  const auto type = without_const(declared);
  if (given.empty()) return default_item(type, span);
  if (given.size() == 1) {
    if (!cell::vector_element(type).empty()) return vector_item(type, given, Braces::no, span);
    if (const auto container = held_type(type);
        container && !container->is(static_cast<cell::ContainerKinds>(cell::ContainerKind::pair)))
      return item(made(type, given, Braces::no, span));
    return item_of(type, *given.front());
  }
  if (is_text_type(type)) return item(frame_.texts.repeated(*given[0], *given[1]));
  if (!cell::vector_element(type).empty()) return vector_item(type, given, Braces::no, span);
  if (held_type(type)) return item(made(type, given, Braces::no, span));
  const auto& plain = plain_type(type, span);
  const bool constructed = cell::is_library_name(type) || frame_.library_values.is_constructed(plain);
  return item(frame_.library_values.made_of(plain, given, constructed ? "()" : "{}", span));
}

ItemPtr Containers::pair_of(const ContainerData& map, ItemPtr key, ItemPtr value) {
  const auto& arguments = map.type.arguments;
  auto pair = empty(fmt::format("std::pair<{}, {}>", arguments[0], arguments[1]), run_.current);
  key->read_only = true;
  pair.data->items = {std::move(key), std::move(value)};
  return item(std::move(pair));
}

std::string Containers::element_type(const ContainerData& data) const {
  const auto& arguments = data.type.arguments;
  return data.type.is(cell::kMaps) ? fmt::format("std::pair<{}, {}>", arguments[0], arguments[1]) : arguments[0];
}

// A map's pair from {key, value}, a pair or another value.
ItemPtr Containers::entry_of(const ContainerData& data, const cell::Expression& expression) {
  if (!data.type.is(cell::kMaps)) return item_of(data.type.arguments[0], expression);
  const auto* list = list_in(expression);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  Given given;
  if (list != nullptr)
    for (const auto& one : list->elements) given.push_back(one.get());
  if (callee != nullptr && callee->text.starts_with("std::make_pair"))
    for (const auto& one : call->arguments) given.push_back(one.value.get());
  if (given.size() == 2)
    return pair_of(data, item_of(data.type.arguments[0], *given[0]), item_of(data.type.arguments[1], *given[1]));
  if (!given.empty())
    throw error(ErrorKind::type, fmt::format("an element of a {} is {{key, value}}", data.name), expression.span);
  const auto value = Part::evaluate(expression);
  std::vector<Value> values;
  if (const auto* pair = std::get_if<Container>(&value))
    for (const auto& one : parts(*pair, 2, expression.span)) values.push_back(value_of(*one, expression.span));
  else
    values = frame_.members.parts(value, 2, expression.span);
  return pair_of(data, item_of(data.type.arguments[0], std::move(values[0]), expression.span),
                 item_of(data.type.arguments[1], std::move(values[1]), expression.span));
}

void Containers::fill(ContainerData& data, const Given& given, Braces braces, cell::Span span) {
  using Kind = cell::ContainerKind;
  const auto& arguments = data.type.arguments;
  if (data.type.kind == Kind::text_stream) {
    if (!given.empty()) data.text->str(frame_.texts.text(*given.front()));
    return;
  }
  if (data.type.kind == Kind::optional) return fill_optional(data, given, span);
  if (data.type.kind == Kind::pair) {
    if (!given.empty() && given.size() != arguments.size()) {
      if (given.size() == 1) {
        auto other = item_of(data.name, Part::evaluate(*given.front()), span);
        return data.take(*std::get<Container>(other->value).data);
      }
      throw error(ErrorKind::value, fmt::format("{} has {} parts, got {}", data.name, arguments.size(), given.size()),
                  span);
    }
    for (std::size_t i = 0; i < arguments.size(); ++i)
      data.items.push_back(given.empty() ? default_item(arguments[i], span) : item_of(arguments[i], *given[i]));
    return;
  }
  if (data.type.kind == Kind::array) {
    const auto size = size_of_array(data, span);
    const auto* inner = given.size() == 1 ? list_in(*given.front()) : nullptr;  // {{"a", "b"}}
    Given list = given;
    if (inner != nullptr && cell::container_type(arguments[0]) == std::nullopt) {
      list.clear();
      for (const auto& one : inner->elements) list.push_back(one.get());
    }
    if (list.size() > size)
      throw error(ErrorKind::value, fmt::format("{} has {} elements, got {}", data.name, size, list.size()), span);
    for (std::size_t i = 0; i < size; ++i)
      data.items.push_back(i < list.size() ? item_of(arguments[0], *list[i]) : default_item(arguments[0], span));
    return;
  }
  // {{1, 2}} of numbers, as ({1, 2}): the elements.
  const auto* inner = given.size() == 1 ? list_in(*given.front()) : nullptr;
  const bool within =
      inner != nullptr && (braces == Braces::no ||
                           (inner->elements.size() > 1 && !data.type.is(cell::kMaps) && is_number(arguments[0], span)));
  if (braces == Braces::yes || within) {
    std::vector<ItemPtr> entries;
    const auto take = [&](const cell::Expression& one) { entries.push_back(entry_of(data, one)); };
    if (within)
      for (const auto& one : inner->elements) take(*one);
    else
      for (const auto* one : given) take(*one);
    return add_all(data, entries, span);
  }
  if (given.empty()) return;
  if (given.size() == 2 && is_begin(*given[0])) return add_all(data, range(data, *given[0], *given[1], span), span);
  const bool counted = data.type.is(Kind::vector | Kind::deque | Kind::list);
  auto first = Part::evaluate(*given.front());
  if (const auto* number = std::get_if<language::ScalarValue>(&first); counted && number != nullptr) {
    const auto count = count_of(*given.front(), *number);
    ItemPtr pattern = given.size() > 1 ? item_of(arguments[0], *given[1]) : nullptr;
    for (std::uint64_t i = 0; i < count; ++i)
      data.items.push_back(pattern == nullptr ? default_item(arguments[0], span)
                           : i + 1 == count   ? pattern
                                              : copy_of(*pattern, arguments[0], span));
    return;
  }
  const auto* other = std::get_if<Container>(&first);
  if (given.size() != 1 || other == nullptr || !same_type(other->data->name, data.name))
    throw cannot_be(data.name, first, given.front()->span);
  auto copy = owned(std::move(first));
  data.take(*std::get<Container>(copy).data);
}

std::size_t Containers::size_of_array(const ContainerData& data, cell::Span span) {
  const auto& extent = data.type.arguments.at(1);
  const auto* known = session_.names().find(extent);
  const auto* number = known == nullptr ? nullptr : std::get_if<language::ScalarValue>(&known->value);
  const auto size = number != nullptr ? number->as_unsigned() : std::strtoull(extent.c_str(), nullptr, 10);
  if (size == 0 || size > kMostItems)
    throw error(ErrorKind::value,
                fmt::format("{} has a number of elements that statements do not know: {}", data.name, extent), span)
        .advise("Write the number.");
  return size;
}

Value Containers::made(const std::string& type, const Given& given, Braces braces, cell::Span span) {
  auto result = empty(type, span);
  if (result.data->record != nullptr) return frame_.records.make(result, given, span), result;
  fill(*result.data, take_order(*result.data, given, braces, span), braces, span);
  return result;
}

Value Containers::converted(const std::string& type, const cell::Expression& expression) {
  if (const auto* list = list_in(expression)) {
    Given given;
    for (const auto& one : list->elements) given.push_back(one.get());
    return made(type, given, Braces::yes, expression.span);
  }
  return item_of(type, expression)->value;
}

}  // namespace xcuda::interpreter
