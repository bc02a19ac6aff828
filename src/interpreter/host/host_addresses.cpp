#include "interpreter/host/host_addresses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "base/text.hpp"
#include "cell/type_word.hpp"
#include "interpreter/declarations.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/comparison.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/places.hpp"
#include "interpreter/session_names.hpp"
#include "language/addresses.hpp"
#include "language/complaints.hpp"
#include "session/container_data.hpp"

namespace xcuda::interpreter {
namespace {

bool is_zero(const Value& value) {
  const auto* number = std::get_if<language::ScalarValue>(&value);
  return number != nullptr && number->is_integer() && !number->truth();
}

// Null pointers compare as 0, and 0 is one.
std::optional<device::Address> address_of(const Value& value) {
  if (std::holds_alternative<NullPointer>(value) || is_zero(value)) return device::Address{0};
  const auto* pointer = std::get_if<Pointer>(&value);
  return pointer == nullptr ? std::nullopt : std::optional(pointer->address);
}

// What one step of a pointer moves over: a row of float (*m)[8] and of an array with several extents.
std::uint64_t bytes_of_step(const Pointer& pointer) {
  const auto rows = std::span(pointer.shape).subspan(std::min<std::size_t>(pointer.shape.size(), 1));
  return std::max<std::uint64_t>(pointer.type.size * count_of(rows), 1);
}

// "float[8]", for messages.
Type with_row(const Pointer& pointer) {
  auto type = pointer.type;
  for (std::size_t i = 1; i < pointer.shape.size(); ++i) type.name += fmt::format("[{}]", pointer.shape[i]);
  return type;
}

bool is_address(const Value& value) {
  const auto* pointer = std::get_if<Pointer>(&value);
  return pointer != nullptr && pointer->is_address;
}

}  // namespace

// To the end of the array that it points into; nothing where there is none.
std::optional<Pointer> Addresses::current(Pointer pointer) const {
  if (pointer.memory == nullptr && !pointer.variable) {
    const auto* array = session_.arrays().at(pointer.address);
    if (array == nullptr) {
      const auto* before = session_.arrays().at(pointer.address - 1);
      if (before == nullptr) return std::nullopt;
      pointer.bytes = 0;  // one past its end
    } else {
      pointer.owner = array->name;
      pointer.bytes = array->address + array->bytes() - pointer.address;
      pointer.read_only = pointer.read_only || array->read_only;
    }
    pointer.whole = array != nullptr && array->address == pointer.address;
  }
  if (!pointer.is_address || pointer.shape.empty()) pointer.shape = {0};
  pointer.shape[0] = pointer.bytes / bytes_of_step(pointer);
  pointer.strides.clear();
  pointer.is_address = true;
  return pointer;
}

Value Addresses::value(const std::string& name, const Pointer& held, cell::Span span) {
  if (held.address == 0) return NullPointer{};
  if (auto found = current(held)) return std::move(*found);
  throw error(ErrorKind::value, fmt::format("{} points to memory that was freed", name), span)
      .advise("Give it new memory, or nullptr.");
}

void Addresses::assign(const std::string& name, Variable& variable, Pointer to, cell::Span span) {
  const auto& held = std::get<Pointer>(variable.value);
  if (!is_contiguous(to))
    throw error(ErrorKind::type, fmt::format("{} is not contiguous", snippet(run_.source, span)), span)
        .advise("Make a contiguous copy: auto piece = ...;");
  to.type = held.type;
  to.shape = held.shape;
  to.is_address = true;
  to.read_only = to.read_only || held.read_only;
  session_.arrays().adopt(to.address, name, to.type);
  if (auto found = current(std::move(to))) variable.value = std::move(*found);
}

Value Addresses::assign(const std::string& name, Variable& variable, const Value& value,
                        const cell::Expression& expression) {
  auto& held = std::get<Pointer>(variable.value);
  if (is_zero(value) || std::holds_alternative<NullPointer>(value)) {
    held.address = held.bytes = held.shape[0] = 0;
    held.memory.reset();
    return NullPointer{};
  }
  if (std::holds_alternative<std::string>(value) && held.type.name == "char") return variable.value = value;
  const auto* to = std::get_if<Pointer>(&value);
  if (to == nullptr || to->shape.empty())
    throw language::pointer_expected(frame_.text, form_of(value), expression.span);
  // What allocates gives bytes, and a cast has been asked for.
  const bool cast =
      std::holds_alternative<cell::Cast>(expression.node) || std::holds_alternative<cell::Call>(expression.node);
  const auto base = frame_.references.part_of_base(*to, held.type);  // B* p = &d;
  if (base) to = &*base;
  if (!cast && to->type != held.type) throw language::wrong_pointee(frame_.text, to->type, held.type, expression.span);
  const bool rows = held.shape.size() > 1 && !language::is_address(expression);  // &m[1] is one
  if (!cast && rows && !std::equal(to->shape.begin() + 1, to->shape.end(), held.shape.begin() + 1, held.shape.end()))
    throw language::wrong_pointee(frame_.text, with_row(*to), with_row(held), expression.span);
  if (to->read_only && !held.read_only)
    throw language::is_constant(frame_.text, snippet(run_.source, expression.span), expression.span);
  assign(name, variable, *to, expression.span);
  return variable.value;
}

// float** q = &p; of a variable p: *q is another name of p.
bool Addresses::declare_alias(const cell::Declarator& declarator) {
  session_.names().hide("*" + declarator.name);
  const auto* named =
      declarator.pointer_to_pointer && declarator.init != nullptr ? language::pointed_name(*declarator.init) : nullptr;
  auto* variable = named == nullptr ? nullptr : session_.names().find(named->text);
  if (variable == nullptr || !is_address(variable->value)) return false;
  session_.arrays().undefine_here(declarator.name);
  session_.names().alias("*" + declarator.name, *variable);
  session_.names().declare(declarator.name, {Nothing{}, true, run_.source.name});
  return true;
}

void Addresses::declare(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (declare_alias(declarator)) return;
  const auto* init = declarator.init.get();
  const auto* list = init == nullptr ? nullptr : std::get_if<cell::List>(&init->node);
  if (list != nullptr && !list->elements.empty())
    throw language::declared_pointer(frame_.text, declaration, declarator);
  const Type of_pointers{declaration.type + (declaration.is_const ? " const*" : "*"), sizeof(device::Address),
                         alignof(device::Address)};
  const auto add_row = [&](Pointer& pointer) {
    if (!declarator.row.empty())
      for (const auto extent : frame_.declarations.extents(declarator)) pointer.shape.push_back(extent);
  };
  if (init != nullptr && language::is_sized_by(run_.source.text, *init, declarator.name) &&
      cell::type_word(declaration.type) == cell::TypeWord::none) {
    Pointer own;  // for sizeof(*p) alone
    own.type = declarator.pointer_to_pointer
                   ? of_pointers
                   : session_.code().find_type(run_.source, declaration.type, declaration.type_span);
    own.owner = declarator.name;
    own.shape = {0};
    add_row(own);
    own.is_address = true;
    session_.arrays().undefine_here(declarator.name);
    session_.names().declare(declarator.name, {std::move(own), false, run_.source.name});
  }
  const auto given = init == nullptr || list != nullptr ? Value(NullPointer{}) : this->given(*init);
  const bool text =
      std::holds_alternative<std::string>(given) || (init != nullptr && std::holds_alternative<NullPointer>(given));
  session_.arrays().undefine_here(declarator.name);
  if (declaration.type == "char" && text) {  // const char* may be assigned to: const is of what it points to
    const bool constant = language::is_constant_pointer(run_.source.text, declaration, declarator);
    session_.names().declare(declarator.name, {given, constant, run_.source.name, kCharacters});
    return;
  }
  Pointer null;
  null.owner = declarator.name;
  null.shape = {0};
  null.is_address = true;
  null.read_only = declaration.is_const;
  const auto* to = std::get_if<Pointer>(&given);
  if (declarator.pointer_to_pointer) {
    null.type = of_pointers;
    null.read_only = false;  // const is of what the pointers in it point to
  } else if (declaration.type == "void")
    null.type = {"unsigned char", 1, 1, Scalar::uint8};
  else if (cell::type_word(declaration.type) == cell::TypeWord::automatic && to != nullptr)
    null.type = to->type;
  else
    null.type = session_.code().find_type(run_.source, declaration.type, declaration.type_span);
  add_row(null);
  auto& variable = session_.names().declare(declarator.name, {std::move(null), false, run_.source.name});
  if (to != nullptr && declaration.type == "void")
    assign(declarator.name, variable, *to, init->span);
  else if (init != nullptr && list == nullptr)
    assign(declarator.name, variable, given, *init);
  variable.read_only = language::is_constant_pointer(run_.source.text, declaration, declarator);
}

void Addresses::declare(const cell::Declaration& declaration, const cell::Declarator& declarator, const Pointer& to,
                        cell::Span span) {
  session_.arrays().undefine_here(declarator.name);
  Pointer null;
  null.owner = declarator.name;
  null.type = to.type;
  null.shape = {0};
  if (to.is_address && to.shape.size() > 1) null.shape.insert(null.shape.end(), to.shape.begin() + 1, to.shape.end());
  null.is_address = true;
  auto& variable = session_.names().declare(declarator.name, {std::move(null), false, run_.source.name});
  if (to.address != 0) assign(declarator.name, variable, to, span);
  variable.read_only = declaration.is_const;
}

std::optional<Value> Addresses::in_memory(const Type& type, std::span<const std::byte> bytes) {
  device::Address address = 0;
  std::memcpy(&address, bytes.data(), sizeof address);
  if (auto handle = frame_.streams.held(type, address)) return handle;
  if (address == 0) return NullPointer{};
  std::string pointee(trim(std::string_view(type.name).substr(0, type.name.size() - 1)));
  Pointer pointer;
  for (const std::string_view word : {"const ", " const"})
    if (const auto at = pointee.find(word); at != std::string::npos) {
      pointee.erase(at, word.size());
      pointer.read_only = true;
    }
  auto known = session_.code().try_find_type(run_.source, pointee == "void" ? "unsigned char" : pointee, run_.current);
  if (known.error) return std::nullopt;
  pointer.type = std::move(known.type);
  pointer.address = address;
  if (auto found = current(pointer)) return std::move(*found);
  // To a variable that was moved to memory: p->next where next is &v.
  session_.names().for_each([&](session::Variable& variable) {
    const auto* held = std::get_if<Pointer>(&variable.value);
    if (held == nullptr || held->memory == nullptr || held->is_address) return;
    const bool inside = address >= held->address && address < held->address + held->bytes;
    const bool past = pointer.memory == nullptr && address == held->address + held->bytes;
    if (!inside && !past) return;
    pointer.memory = held->memory;
    pointer.owner = held->owner;
    pointer.bytes = held->address + held->bytes - address;
  });
  if (auto found = current(std::move(pointer))) return std::move(*found);
  return std::nullopt;
}

Pointer Addresses::followed(Pointer place, cell::Span span) {
  if (!place.shape.empty() || !place.type.name.ends_with('*')) return place;
  std::vector<std::byte> bytes(place.type.size);
  session_.submission().read(place.address, bytes);
  auto value = in_memory(place.type, bytes);
  if (value)
    if (auto* pointer = std::get_if<Pointer>(&*value)) return std::move(*pointer);
  throw error(ErrorKind::value,
              fmt::format("{} {}", snippet(run_.source, span),
                          value ? "is a null pointer" : "points to memory that is not an array's"),
              span);
}

Pointer Addresses::moved(const Pointer& pointer, std::int64_t elements, cell::Span span) {
  auto result = pointer;
  const auto by = elements * static_cast<std::int64_t>(bytes_of_step(pointer));
  result.address += static_cast<device::Address>(by);
  bool inside = false;
  if (pointer.memory != nullptr || pointer.variable) {
    const auto first = pointer.memory != nullptr ? pointer.memory->address() : pointer.address;
    inside = result.address >= first && result.address <= pointer.address + pointer.bytes;
    if (inside) result.bytes -= static_cast<std::uint64_t>(by);
  } else {
    const auto* array = session_.arrays().at(pointer.address);
    if (array == nullptr) array = session_.arrays().at(pointer.address - 1);
    inside = array != nullptr && result.address >= array->address && result.address <= array->address + array->bytes();
    if (inside) result.bytes = array->address + array->bytes() - result.address;
  }
  if (!inside)
    throw error(ErrorKind::value,
                fmt::format("{} is outside of {}", snippet(run_.source, span),
                            pointer.owner.empty() ? "its array" : pointer.owner),
                span);
  if (result.shape.empty()) result.shape = {0};
  result.shape[0] = result.bytes / bytes_of_step(pointer);
  result.whole = false;
  result.is_address = true;
  return result;
}

std::optional<Value> Addresses::operate(cell::BinaryOperator op, const Value& left, const Value& right,
                                        cell::Span span) {
  const bool logical = cell::is_logical(op);
  const bool null_and_zero = (std::holds_alternative<NullPointer>(left) && is_zero(right)) ||
                             (is_zero(left) && std::holds_alternative<NullPointer>(right));
  if (!null_and_zero && cell::is_comparison(op))  // graph == nullptr: a handle is a number
    for (const auto& [handle, other] : {std::pair(&left, &right), std::pair(&right, &left)})
      if (const auto* held = std::get_if<language::ScalarValue>(handle);
          held != nullptr && held->is_integer() && std::holds_alternative<NullPointer>(*other))
        return language::ScalarValue::of(handle == &left ? compare(op, held->as_unsigned(), std::uint64_t{0})
                                                         : compare(op, std::uint64_t{0}, held->as_unsigned()));
  if (!is_address(left) && !is_address(right) && !null_and_zero) return std::nullopt;
  const auto a = address_of(left), b = address_of(right);
  if (cell::is_comparison(op) && a && b) return language::ScalarValue::of(compare(op, *a, *b));
  if (logical) return std::nullopt;
  if (op == cell::BinaryOperator::subtract && a && b && !is_zero(left) && !is_zero(right)) {
    const auto size = static_cast<std::int64_t>(bytes_of_step(std::get<Pointer>(is_address(left) ? left : right)));
    return language::ScalarValue::of(static_cast<std::int64_t>(*a - *b) / size);
  }
  const auto* number = std::get_if<language::ScalarValue>(is_address(left) ? &right : &left);
  const bool moves = op == cell::BinaryOperator::add || (op == cell::BinaryOperator::subtract && is_address(left));
  if (number == nullptr || !number->is_integer() || !moves)
    throw language::not_of_pointers(frame_.text, cell::spelling(op), span, span);
  const auto by = number->as_signed();
  return moved(std::get<Pointer>(is_address(left) ? left : right), op == cell::BinaryOperator::add ? by : -by, span);
}

std::optional<bool> Addresses::truth(const Value& value) {
  if (std::holds_alternative<NullPointer>(value)) return false;
  if (const auto* function = std::get_if<Function>(&value)) return !function->name.empty();
  if (is_address(value)) return true;
  const auto* container = std::get_if<Container>(&value);
  if (container != nullptr && container->data->text != nullptr) return !container->data->text->fail();
  return std::nullopt;
}

const cell::Expression* Addresses::pointee(const cell::Expression& pointer) {
  const auto* name = std::get_if<cell::Name>(&pointer.node);
  if (name == nullptr || session_.names().find("*" + name->text) == nullptr) return nullptr;
  auto& known = pointees_[&pointer];
  if (known == nullptr) {
    known = std::make_unique<cell::Expression>();
    known->span = pointer.span;
    known->node = cell::Name{"*" + name->text};
  }
  return known.get();
}

bool Addresses::is_moved_array(const cell::Expression& expression) const {
  const auto* array = language::moved_array(expression);
  if (array == nullptr || frame_.expressions.form(*std::get<cell::Binary>(expression.node).right).is_array())
    return false;
  const auto& form = frame_.expressions.form(*array);
  return form.is_array() && !form.is_address;
}

Value Addresses::given(const cell::Expression& expression) {
  return is_moved_array(expression) ? Value(of(expression)) : evaluate(expression);
}

Pointer Addresses::of(const cell::Expression& expression) {
  const auto* binary = std::get_if<cell::Binary>(&expression.node);
  const bool sum =
      binary != nullptr && (binary->op == cell::BinaryOperator::add || binary->op == cell::BinaryOperator::subtract);
  const auto* side = sum ? binary->left.get() : nullptr;
  const auto is_array_here = [&](const cell::Expression& one) {
    const auto* unary = std::get_if<cell::Unary>(&one.node);
    if (unary != nullptr && unary->op == cell::UnaryOperator::address) return true;  // &x[i] + n
    const bool named = std::holds_alternative<cell::Name>(one.node) || std::holds_alternative<cell::Index>(one.node) ||
                       (unary != nullptr && unary->op == cell::UnaryOperator::pointee);
    return named && frame_.expressions.form(one).is_array();
  };
  if (sum && (is_array_here(*side) || std::holds_alternative<cell::Binary>(side->node))) {
    const auto by = number(*binary->right, "what is added to a pointer");
    if (!by.is_integer()) throw language::subscript_not_integer(frame_.text, by.type(), binary->right->span);
    const auto n = by.as_signed();
    return moved(of(*side), binary->op == cell::BinaryOperator::add ? n : -n, expression.span);
  }
  auto value = evaluate(expression);
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) value = frame_.arrays.evaluate(computed->node);
  auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr) throw language::pointer_expected(frame_.text, form_of(value), expression.span);
  if (!is_contiguous(*pointer))
    throw error(ErrorKind::type, fmt::format("{} is not contiguous", snippet(run_.source, expression.span)),
                expression.span)
        .advise("Make a contiguous copy: auto piece = ...;");
  return std::move(*pointer);
}

}  // namespace xcuda::interpreter
