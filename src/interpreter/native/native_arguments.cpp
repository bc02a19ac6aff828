#include "interpreter/native/native_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "arrays/function_object.hpp"
#include "cell/expression_root.hpp"
#include "cell/lexer.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/places.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/targets.hpp"
#include "language/standard_algorithms.hpp"

namespace xcuda::interpreter {
namespace {

using Use = NativeArgument::Use;

struct TypedBytes {
  Type type;
  std::vector<std::byte> bytes;
};

// The bytes of values that the host holds; nothing for anything else.
std::optional<TypedBytes> bytes_of_value(const Value& value) {
  if (const auto* number = std::get_if<language::ScalarValue>(&value)) {
    TypedBytes result{number->type(), std::vector<std::byte>(number->type().size)};
    number->store(result.bytes);
    return result;
  }
  if (const auto* object = std::get_if<Object>(&value)) return TypedBytes{object->type, object->bytes};
  if (const auto* dim = std::get_if<device::Dim3>(&value)) {
    TypedBytes result{{"dim3", sizeof *dim, alignof(std::uint32_t)}, std::vector<std::byte>(sizeof *dim)};
    std::memcpy(result.bytes.data(), dim, sizeof *dim);
    return result;
  }
  return std::nullopt;
}

std::vector<std::byte> bytes_of_address(const Pointer& pointer) {
  std::vector<std::byte> bytes(sizeof pointer.address);
  std::memcpy(bytes.data(), &pointer.address, sizeof pointer.address);
  return bytes;
}

std::string literal_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  return result + "\"";
}

}  // namespace

std::string NativeArguments::next_name() const { return fmt::format("xcuda_a{}", arguments_.size()); }

std::string NativeArguments::add(NativeArgument argument, Variable* home, std::string name) {
  argument.name = name.empty() ? next_name() : std::move(name);
  arguments_.push_back(std::move(argument));
  homes_.push_back(home);
  return arguments_.back().name;
}

void NativeArguments::add_value(const Type& type, const std::vector<std::byte>& bytes, std::string name) {
  add({Use::value, {}, type, bytes, {}, false}, {}, std::move(name));
}

// A variable that is given twice is one variable, also where a text names what an argument is: f(p, [&] { ++p; }).
std::string NativeArguments::known_name(const Variable& variable, const std::string& name) {
  for (std::size_t i = 0; i < homes_.size(); ++i) {
    if (homes_[i] != &variable) continue;
    if (!name.empty() && name != arguments_[i].name && declare(name))
      declarations_ += fmt::format("auto& {} = {};\n", name, arguments_[i].name);
    return arguments_[i].name;
  }
  return {};
}

// False for a name that has been declared.
bool NativeArguments::declare(const std::string& name) {
  if (std::find(declared_.begin(), declared_.end(), name) != declared_.end()) return false;
  declared_.push_back(name);
  return true;
}

std::string NativeArguments::variable(Variable& variable, const std::string& name) {
  if (auto known = known_name(variable, name); !known.empty()) return known;
  auto held = bytes_of_value(variable.value);
  if (!held) return {};
  return add({Use::variable, {}, std::move(held->type), std::move(held->bytes), {}, variable.read_only}, &variable,
             name);
}

// A pointer that the call may change: f(T*& p), f(T& p), f(T** p) given &p, [&] { ++p; }.
std::string NativeArguments::pointer_variable(Variable& variable, const std::string& name) {
  if (auto known = known_name(variable, name); !known.empty()) return known;
  const auto& held = std::get<Pointer>(variable.value);
  auto pointee = (held.read_only ? "const " : "") + held.type.name;
  if (held.shape.size() > 1)  // float (*m)[8]
    pointee = fmt::format("xcuda_type<{}[{}]>", pointee, fmt::join(std::span(held.shape).subspan(1), "]["));
  const Type type{pointee + "*", sizeof held.address, alignof(device::Address)};
  return add({Use::variable, {}, type, bytes_of_address(held), held, variable.read_only}, &variable, name);
}

std::string NativeArguments::memory(Pointer pointer, const cell::Expression& expression, ArrayPassing passing) {
  if (!is_contiguous(pointer))
    throw error(
        ErrorKind::type,
        fmt::format("{} is not contiguous, but a function takes pointers", snippet(run_.source, expression.span)),
        expression.span)
        .advise(fmt::format("Make a contiguous copy: auto piece = {};", snippet(run_.source, expression.span)));
  const bool whole = passing == ArrayPassing::whole || (passing == ArrayPassing::reference && !pointer.is_address);
  const auto use = pointer.shape.empty() ? Use::element : whole ? Use::whole : Use::pointer;
  const auto type = pointer.type;
  const bool read_only = pointer.read_only;
  return add({use, {}, type, {}, std::move(pointer), read_only}, {});
}

std::string NativeArguments::elements(Pointer elements) {
  const auto type = elements.type;
  return add({Use::pointer, {}, type, {}, std::move(elements), false}, {});
}

// A part of a struct that a variable holds, as the part of that variable: whatever else the text names of it is the
// same struct. f(s.x, [&] { s.y = 1; }), f(s, s.x). Its offset is a value, so that the text is the same for v[0] and
// v[1].
std::string NativeArguments::part_of(Variable& variable, const cell::Expression& expression) {
  auto& object = std::get<Object>(variable.value);
  const auto part = frame_.members.host_part(object, expression);
  if (!part.shape.empty()) return {};
  const auto offset = static_cast<std::uint64_t>(part.bytes.data() - object.bytes.data());
  const auto whole = this->variable(variable, {});
  const auto at = text_of(language::ScalarValue::of(offset), expression, ArrayPassing::pointer);
  const auto* constant = variable.read_only ? "const " : "";
  return fmt::format("(*({}xcuda_type<{}>*)((char*)&{} + {}))", constant, part.type.name, whole, at);
}

std::string NativeArguments::place_of(const cell::Expression& expression, ArrayPassing passing) {
  const auto* root = std::get_if<cell::Name>(&cell::root_of(expression).node);
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node);
      unary != nullptr && unary->op == cell::UnaryOperator::pointee)
    root = std::get_if<cell::Name>(&cell::root_of(*unary->operand).node);
  if (root == nullptr) return {};
  auto* held = session_.names().find(root->text);
  if (std::holds_alternative<cell::Name>(expression.node) && held != nullptr &&
      !std::holds_alternative<Pointer>(held->value))
    return variable(*held, {});
  if (frame_.members.host_struct(expression) != nullptr) return part_of(*held, expression);
  const auto* to = held == nullptr ? nullptr : std::get_if<Pointer>(&held->value);
  const bool pointer = to != nullptr;
  const bool changes = passing == ArrayPassing::place || passing == ArrayPassing::reference;
  if (pointer && changes && to->is_address && std::holds_alternative<cell::Name>(expression.node))
    return pointer_variable(*held, {});
  if (pointer && std::holds_alternative<cell::Name>(expression.node) && to->is_address && to->address == 0)
    return fmt::format("static_cast<{}{}*>(nullptr)", to->read_only ? "const " : "", to->type.name);
  if (!pointer && !frame_.lookup.is_on_device(root->text)) return {};
  auto place = frame_.places.of(expression);
  values_.insert_or_assign(&expression, place);
  return memory(std::move(place), expression, passing);
}

// &x[i] of float x[n], also &x[n], which C++ allows where nothing is read there. Nothing for what is outside of it.
std::optional<Pointer> NativeArguments::element_address(const cell::Expression& expression) {
  const auto* address = std::get_if<cell::Unary>(&expression.node);
  const auto* index = address == nullptr || address->op != cell::UnaryOperator::address
                          ? nullptr
                          : std::get_if<cell::Index>(&address->operand->node);
  if (index == nullptr || index->subscripts.size() != 1 || index->subscripts[0].slice) return std::nullopt;
  auto pointer = frame_.addresses.of(*index->base);
  const auto at = number(*index->subscripts[0].start, "a subscript");
  if (pointer.shape.size() != 1 || !at.is_integer() || at.is_negative() || at.as_unsigned() > pointer.shape.front())
    return std::nullopt;
  return frame_.addresses.moved(pointer, at.as_signed(), expression.span);
}

// Pointers into one array are counted from the first of them, so that native code knows them as pointers into it.
std::string NativeArguments::address_of(const cell::Expression& expression) {
  const auto* begin = language::begin_of(expression);
  const auto* end = language::end_of(expression);
  const auto element = element_address(expression);
  const auto& base = begin != nullptr ? *begin : end != nullptr ? *end : expression;
  const auto elements = element ? std::nullopt : frame_.references.library_array(base);
  auto pointer = element ? *element : elements ? *elements : frame_.addresses.of(base);
  if (pointer.memory != nullptr && !elements && !pointer.is_address &&
      !std::holds_alternative<cell::Name>(base.node))  // what is written to a result that nothing names is lost
    throw error(ErrorKind::type,
                fmt::format("expected a pointer, but {} is a result", snippet(run_.source, expression.span)),
                expression.span)
        .advise("Give it a name: auto y = ...;");
  if (pointer.shape.size() > 1 && begin == nullptr && end == nullptr)  // to a row
    return memory(std::move(pointer), expression, ArrayPassing::pointer);
  const auto count = count_of(pointer.shape);
  const auto size = static_cast<std::int64_t>(std::max<std::size_t>(pointer.type.size, 1));
  if (end != nullptr) pointer.address += count * static_cast<std::uint64_t>(size);
  values_.insert_or_assign(&expression, pointer);
  for (const auto& known : arguments_) {
    if (known.use != Use::pointer || known.memory.owner != pointer.owner || known.type != pointer.type) continue;
    const auto apart = static_cast<std::int64_t>(pointer.address - known.memory.address) / size;
    const auto name = known.name;
    return fmt::format("({} + {})", name, text_of(language::ScalarValue::of(apart), expression, ArrayPassing::pointer));
  }
  pointer.shape = {count};
  return memory(std::move(pointer), expression, ArrayPassing::pointer);
}

std::string NativeArguments::text_of(const Value& value, const cell::Expression& expression, ArrayPassing passing) {
  if (const auto* object = std::get_if<Object>(&value))
    if (auto* temporary = frame_.lifetimes.temporary(*object))
      return fmt::format("static_cast<{}&&>({})", object->type.name, variable(*temporary, {}));
  if (auto held = bytes_of_value(value)) {
    const auto type = held->type.name;
    const auto name = add({Use::value, {}, std::move(held->type), std::move(held->bytes), {}, false}, {});
    return fmt::format("static_cast<{}&&>({})", type, name);
  }
  if (const auto* pointer = std::get_if<Pointer>(&value)) return memory(*pointer, expression, passing);
  if (const auto* computed = std::get_if<ArrayExpression>(&value))
    return memory(frame_.arrays.contiguous(frame_.arrays.evaluate(computed->node)), expression, passing);
  if (std::holds_alternative<NullPointer>(value)) return "nullptr";
  if (const auto* function = std::get_if<Function>(&value)) {
    if (function->name.empty()) return "nullptr";
    if (session_.code().program().is_function(function->name)) return function->name;
  }
  if (const auto* text = std::get_if<std::string>(&value)) return literal_text(*text);
  throw error(ErrorKind::type,
              fmt::format("{} is {}, which a function of a cell cannot take", snippet(run_.source, expression.span),
                          language::describe(form_of(value))),
              expression.span);
}

// The text of a variable with a lambda that captures by reference: it means the same in native code.
std::string NativeArguments::closure_text(const cell::Expression& expression) const {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
  const auto* object = held == nullptr ? nullptr : std::get_if<Object>(&held->value);
  return object == nullptr ? std::string() : frame_.closures.text_of(object->type);
}

std::string NativeArguments::text_of(const cell::Expression& expression, ArrayPassing passing) {
  if (language::is_library_object(expression)) {
    library_objects_ = true;
    return snippet(run_.source, expression.span);
  }
  if (const auto& side = frame_.references.chosen(expression); &side != &expression) return text_of(side, passing);
  if (std::holds_alternative<cell::Lambda>(expression.node)) {
    auto text = function_object(expression).text;
    bind_names(text);
    return text;
  }
  const auto* cast = std::get_if<cell::Cast>(&expression.node);
  if (std::holds_alternative<cell::List>(expression.node) ||
      (cast != nullptr && cast->style == cell::Cast::Style::braces)) {
    std::string text(run_.source.text.substr(expression.span.begin, expression.span.end - expression.span.begin));
    bind_names(text);
    return text;
  }
  if (auto text = closure_text(expression); !text.empty()) {
    bind_names(text);
    return text;
  }
  if (const auto* name = std::get_if<cell::Name>(&expression.node); name != nullptr &&
                                                                    session_.names().find(name->text) == nullptr &&
                                                                    session_.arrays().find(name->text) == nullptr) {
    const auto& program = session_.code().program();
    const auto constant = program.host_constant(name->text);
    const bool enumerator = constant && constant->kind == compiler::HostConstant::Kind::enumerator;  // of its own type
    if (enumerator || program.is_function(name->text)) return name->text;
  }
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node);
      unary != nullptr && unary->op == cell::UnaryOperator::address)
    if (auto place = place_of(*unary->operand, ArrayPassing::reference); !place.empty()) return "&" + place;
  if (const auto function = frame_.lookup.function_in(expression))
    return text_of(Value(*function), expression, passing);
  if (const auto* call = std::get_if<cell::Call>(&expression.node))  // f(T(3)): no copy of it is made
    if (const auto* callee = std::get_if<cell::Name>(&call->callee->node);
        callee != nullptr && frame_.lookup.is_type(callee->text) && !xcuda::find_type(callee->text) &&
        !frame_.host_function_calls.is_made_by_statements(callee->text)) {
      std::string given;
      for (const auto& argument : call->arguments)
        given += (given.empty() ? "" : ", ") + text_of(*argument.value, ArrayPassing::pointer);
      return fmt::format("{}({})", callee->text, given);
    }
  if (auto place = frame_.object_operators.place(expression, *this); !place.empty()) return place;
  if (auto place = place_of(expression, passing); !place.empty()) return place;
  if (frame_.references.may_refer(expression)) {
    auto referred = frame_.references.of(expression);
    values_.insert_or_assign(&expression, referred.value);
    if (!referred.place) return text_of(referred.value, expression, passing);
    if (auto* const* held = std::get_if<Variable*>(&*referred.place))
      if (auto place = variable(**held, {}); !place.empty()) return place;
    if (auto pointer = frame_.references.pointer_to_place(*referred.place, expression))
      return memory(std::move(*pointer), expression, passing);
    return text_of(referred.value, expression, passing);
  }
  return text_of(values_.insert_or_assign(&expression, evaluate(expression)).first->second, expression, passing);
}

Value NativeArguments::value_of(const cell::Expression& argument) {
  const auto known = values_.find(&argument);
  if (known == values_.end()) return evaluate(argument);
  const auto* place = std::get_if<Pointer>(&known->second);
  return place != nullptr ? frame_.references.value_of(*place) : known->second;
}

std::string NativeArguments::pointed_text(const cell::Expression& expression, ArrayPassing passing) {
  return frame_.addresses.is_moved_array(expression) ? address_of(expression) : text_of(expression, passing);
}

// A lambda that captures by reference is declared again, with what it names: false for any other variable.
bool NativeArguments::bind_lambda(const Variable& variable, const std::string& name) {
  const auto* object = std::get_if<Object>(&variable.value);
  const auto text = object == nullptr ? std::string() : frame_.closures.text_of(object->type);
  if (text.empty()) return false;
  if (!declare(name)) return true;
  bind_names(text);
  declarations_ += Closures::declaration(name, text);
  return true;
}

void NativeArguments::bind_names(std::string_view text) {
  const auto tokens = cell::tokens_of(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool part = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::"));
    if (!tokens[i].is_identifier() || part) continue;
    const std::string name(tokens[i].text);
    if (std::any_of(arguments_.begin(), arguments_.end(), [&](const auto& one) { return one.name == name; })) continue;
    auto* held = session_.names().find(name);
    if (held != nullptr && bind_lambda(*held, name)) continue;
    if (held != nullptr && !std::holds_alternative<Pointer>(held->value)) {
      variable(*held, name);
      continue;
    }
    const auto* array = session_.arrays().find(name);
    if (held == nullptr && array == nullptr) continue;
    auto pointer = held != nullptr ? std::get<Pointer>(held->value) : pointer_to(*array);
    if (held != nullptr && pointer.is_address) {
      pointer_variable(*held, name);
      continue;
    }
    if (!is_contiguous(pointer)) continue;
    if (is_vector(pointer)) pointer = Vectors::now(std::move(pointer));
    const auto type = pointer.type;
    const bool read_only = pointer.read_only;
    const auto use = is_vector(pointer) ? Use::vector : pointer.shape.empty() ? Use::element : Use::pointer;
    add({use, {}, type, {}, std::move(pointer), read_only}, {}, name);
  }
}

// To where native code has left it.
void NativeArguments::point(Pointer& pointer, const NativeArgument& to) const {
  if (to.bytes == bytes_of_address(pointer)) return;
  const Type element{pointer.type.name + "*", sizeof pointer.address, alignof(device::Address)};
  auto found = frame_.addresses.in_memory(element, to.bytes);
  if (auto* moved = found ? std::get_if<Pointer>(&*found) : nullptr) {
    auto shape = std::move(pointer.shape);
    const bool read_only = pointer.read_only;
    pointer = *moved;
    pointer.read_only = read_only;
    if (shape.size() > 1) {
      shape[0] = pointer.shape[0] / count_of(std::span(shape).subspan(1));
      pointer.shape = std::move(shape);
    }
  } else if (found) {
    pointer.address = pointer.bytes = pointer.shape[0] = 0;
    pointer.memory.reset();
  } else {
    throw error(ErrorKind::value,
                fmt::format("{} now points to memory that is not an array's", snippet(run_.source, run_.current)),
                run_.current);
  }
}

// A temporary stays the same one.
void NativeArguments::set_bytes(Value& value, const Type& type, const std::vector<std::byte>& bytes) const {
  if (auto* object = std::get_if<Object>(&value))
    object->bytes = bytes;
  else
    value = frame_.targets.load(type, bytes);
}

void NativeArguments::refresh(std::vector<NativeArgument>& arguments) const {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (homes_[i] == nullptr) continue;
    const auto& value = homes_[i]->value;
    auto& argument = arguments[i];
    const auto* pointer = std::get_if<Pointer>(&value);
    if (auto now = bytes_of_value(value)) {
      argument.bytes = std::move(now->bytes);
    } else if (pointer != nullptr && pointer->is_address) {
      argument.bytes = bytes_of_address(*pointer);
    } else if (pointer != nullptr) {  // a later argument has moved it to memory
      argument.use = Use::element;
      argument.memory = *pointer;
    }
  }
}

void NativeArguments::bring_back() {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const auto& argument = arguments_[i];
    if (homes_[i] == nullptr || argument.use != Use::variable || argument.read_only) continue;
    auto& value = homes_[i]->value;
    if (auto* pointer = std::get_if<Pointer>(&value))
      point(*pointer, argument);
    else if (auto* dim = std::get_if<device::Dim3>(&value))
      std::memcpy(dim, argument.bytes.data(), sizeof *dim);
    else
      set_bytes(value, argument.type, argument.bytes);
  }
}

}  // namespace xcuda::interpreter
