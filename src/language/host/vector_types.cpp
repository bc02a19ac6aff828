#include "language/host/vector_types.hpp"

#include <algorithm>
#include <iterator>

#include "cell/library_names.hpp"

namespace xcuda::language {
namespace {

constexpr VectorMethod kVectorMethods[] = {
    {"size", VectorOperation::size, 0, 0},
    {"capacity", VectorOperation::capacity, 0, 0},
    {"empty", VectorOperation::empty, 0, 0},
    {"data", VectorOperation::begin, 0, 0},
    {"begin", VectorOperation::begin, 0, 0},
    {"cbegin", VectorOperation::begin, 0, 0},
    {"end", VectorOperation::end, 0, 0},
    {"cend", VectorOperation::end, 0, 0},
    {"at", VectorOperation::at, 1, 1},
    {"front", VectorOperation::front, 0, 0},
    {"back", VectorOperation::back, 0, 0},
    {"push_back", VectorOperation::push_back, 1, 1},
    {"emplace_back", VectorOperation::push_back, 0, 64},
    {"pop_back", VectorOperation::pop_back, 0, 0},
    {"resize", VectorOperation::resize, 1, 2},
    {"reserve", VectorOperation::reserve, 1, 1},
    {"clear", VectorOperation::clear, 0, 0},
    {"assign", VectorOperation::assign, 2, 2},
    {"insert", VectorOperation::insert, 2, 2},
    {"erase", VectorOperation::erase, 1, 2},
    {"shrink_to_fit", VectorOperation::fit, 0, 0},
};

}  // namespace

const VectorMethod* find_vector_method(std::string_view name) {
  const auto* found = std::find_if(std::begin(kVectorMethods), std::end(kVectorMethods),
                                   [&](const auto& row) { return row.name == name; });
  return found == std::end(kVectorMethods) ? nullptr : found;
}

std::string vector_methods() {
  std::string names;
  for (const auto& row : kVectorMethods) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

Form result_of(const VectorMethod& method, const Form& vector) {
  switch (method.operation) {
    case VectorOperation::size:
    case VectorOperation::capacity: return Form::number(Kind::ulong64);
    case VectorOperation::empty: return Form::number(Kind::boolean);
    case VectorOperation::begin:
    case VectorOperation::insert:
    case VectorOperation::erase:
    case VectorOperation::end: {
      auto pointer = Form::array(vector.type, Extents(1));
      pointer.memory = Form::Memory::part;
      pointer.is_address = true;
      pointer.read_only = vector.read_only;
      return pointer;
    }
    case VectorOperation::at:
    case VectorOperation::front:
    case VectorOperation::back:
      if (!vector.has_type()) return {};
      return kind_of(vector.type)              ? Form::number(vector.type)
             : vector.type.name.ends_with('*') ? Form()
                                               : Form{.kind = Form::Kind::object, .type = vector.type};
    default: return Form::of(Form::Kind::nothing);
  }
}

bool is_part_of_library(const Form& object, std::string_view method) {
  const bool array = object.kind == Form::Kind::object && cell::is_library_array(object.type.name);
  return (object.grows || array || object.kind == Form::Kind::text) &&
         (method == "at" || method == "front" || method == "back");
}

const cell::Expression* vector_of_iterator(const cell::Expression& expression) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* member = call == nullptr ? nullptr : std::get_if<cell::Member>(&call->callee->node);
  const auto* row = member == nullptr || member->arrow ? nullptr : find_vector_method(member->member);
  const bool iterator =
      row != nullptr && (row->operation == VectorOperation::begin || row->operation == VectorOperation::end);
  return iterator && call->arguments.empty() ? member->base.get() : nullptr;
}

std::string_view made_vector(const cell::Expression& expression) {
  if (const auto* cast = std::get_if<cell::Cast>(&expression.node)) return cell::vector_element(cast->type);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* name = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  return name == nullptr ? std::string_view() : cell::vector_element(name->text);
}

}  // namespace xcuda::language
