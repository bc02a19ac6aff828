// What the elements of a std::vector are when it is made, assigned or made longer.
#include <fmt/format.h>

#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/targets.hpp"
#include "language/complaints.hpp"
#include "language/host/vector_types.hpp"

namespace xcuda::interpreter {

Type Vectors::element_type(std::string_view vector, cell::Span span) {
  const auto element = cell::vector_element(vector);
  if (!language::can_be_in_vector(element)) throw language::no_vectors_of(frame_.text, element, span);
  return cell::is_callable_type(element) ? function_pointer()
                                         : session_.code().find_type(run_.source, std::string(element), span);
}

Vectors::Elements Vectors::of_value(const Value& value, const Type& type, const cell::Expression& expression) {
  Elements elements;
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer != nullptr && pointer->type == type && pointer->shape.size() == 1 && is_contiguous(*pointer)) {
    elements.count = pointer->shape.front();
    elements.from = *pointer;
    return elements;
  }
  elements.computed = frame_.array_expressions.node_if_array(value, expression);
  if (elements.computed == nullptr || elements.computed->shape.size() != 1)
    throw error(ErrorKind::type,
                fmt::format("a std::vector<{}> cannot be {}", type.name, language::describe(form_of(value))),
                expression.span);
  elements.count = elements.computed->shape.front();
  return elements;
}

Vectors::Elements Vectors::read(const std::vector<const cell::Expression*>& given, Form form, const Type& type,
                                cell::Span span) {
  Elements elements;
  if (form == Form::list) {
    elements.count = given.size();
    elements.contents.resize(given.size() * type.size);
    for (std::size_t i = 0; i < given.size(); ++i)
      frame_.elements.read(*given[i], type, std::span(elements.contents).subspan(i * type.size, type.size));
    return elements;
  }
  if (given.empty()) return elements;
  const auto first = evaluate(*given[0]);
  const auto* count = std::get_if<language::ScalarValue>(&first);
  if (count == nullptr && given.size() == 1) return of_value(first, type, *given[0]);
  if (count == nullptr && given.size() == 2 && std::holds_alternative<Iterator>(first)) {  // of a container
    const auto last = evaluate(*given[1]);
    for (const auto& value : frame_.containers.between(first, last, span)) {
      const auto bytes = frame_.targets.bytes_of(value, type, span);
      elements.contents.insert(elements.contents.end(), bytes.begin(), bytes.end());
      ++elements.count;
    }
    return elements;
  }
  if (count == nullptr && given.size() == 2) {  // v(a.begin(), a.end())
    auto begin = frame_.addresses.of(*given[0]), end = frame_.addresses.of(*given[1]);
    const auto bytes = static_cast<std::int64_t>(end.address - begin.address);
    if (begin.type != end.type || bytes < 0 || static_cast<std::uint64_t>(bytes) > begin.bytes)
      throw error(ErrorKind::value, "a range goes from its beginning to its end in one array", span);
    begin.shape = {static_cast<std::uint64_t>(bytes) / std::max<std::size_t>(begin.type.size, 1)};
    begin.is_address = false;
    return of_value(begin, type, *given[0]);
  }
  if (count == nullptr || given.size() > 2)
    throw error(ErrorKind::unsupported, "a std::vector is made of a number of elements, a list or a range", span)
        .advise("A cell with %%cuda runs all of C++.");
  if (!count->is_integer() || count->is_negative())
    throw error(ErrorKind::value, fmt::format("a std::vector cannot have {} elements", count->text()), given[0]->span);
  if (given.size() < 2) return without_value(count->as_unsigned(), type);
  elements.count = count->as_unsigned();
  elements.pattern.resize(type.size);
  frame_.elements.read(*given[1], type, elements.pattern);
  return elements;
}

Vectors::Elements Vectors::without_value(std::uint64_t count, const Type& type) {
  Elements elements;
  elements.count = count;
  elements.constructed = !cell::is_library_name(type.name) && frame_.library_values.is_constructed(type);
  return elements;
}

void Vectors::write(const Elements& elements, const Type& type, device::Address to) {
  if (elements.count == 0) return;
  const auto bytes = elements.count * type.size;
  auto& submission = session_.submission();
  if (!elements.contents.empty()) return submission.write(to, elements.contents);
  if (elements.constructed) {
    Pointer made;
    made.address = to;
    made.type = type;
    made.shape = {elements.count};
    made.bytes = bytes;
    return frame_.library_values.make_each(made, {}, "{}", run_.current);
  }
  if (elements.from) {
    if (elements.from->address != to) submission.copy(to, elements.from->address, bytes);
    return;
  }
  if (elements.computed != nullptr) {
    Pointer target;
    target.address = to;
    target.type = type;
    target.shape = {elements.count};
    target.bytes = bytes;
    return frame_.arrays.store(elements.computed, target);
  }
  if (elements.pattern.empty()) return submission.fill({to, bytes, {std::byte{0}}});
  submission.fill({to, elements.count, elements.pattern});
}

// The element of emplace_back(1, 2.5f).
std::vector<std::byte> Vectors::made_of(const std::vector<const cell::Expression*>& values, const Type& type,
                                        cell::Span span) {
  const bool plain = type.scalar != Scalar::none || type.name.ends_with('*');
  if (plain && values.empty()) return std::vector<std::byte>(type.size);
  if (plain && type.lanes == 1)
    throw error(ErrorKind::type, fmt::format("{} is not made of {} values", type.name, values.size()), span);
  const auto* brackets = cell::is_library_name(type.name) ? "()" : "{}";
  auto object = frame_.library_values.made_of(type, values, brackets, span);
  return frame_.targets.bytes_of(frame_.lifetimes.owned(std::move(object), span), type, span);
}

}  // namespace xcuda::interpreter
