#include "interpreter/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "interpreter/calls.hpp"
#include "interpreter/composed/sparse_matrices.hpp"
#include "interpreter/containers/callables.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/initial_values.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/launches/launched_calls.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/places.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/targets.hpp"
#include "interpreter/texture_declarations.hpp"
#include "language/addresses.hpp"
#include "language/check.hpp"
#include "language/complaints.hpp"
#include "language/functions.hpp"
#include "language/handles.hpp"
#include "language/host/vector_types.hpp"
#include "session/array_table.hpp"

namespace xcuda::interpreter {
namespace {

// int n(3), n{3}, n = 3: one value without a list around it; null when there is none.
const cell::Expression* single_value(const cell::Declarator& declarator) {
  const auto* init = declarator.init.get();
  if (init == nullptr && declarator.constructor.size() == 1 && declarator.constructor[0].name.empty())
    init = declarator.constructor[0].value.get();
  const auto* list = init == nullptr ? nullptr : std::get_if<cell::List>(&init->node);
  if (list == nullptr || list->elements.size() > 1) return init;
  return list->elements.empty() ? nullptr : list->elements.front().get();
}

}  // namespace

std::vector<std::string> Declarations::names() const {
  std::vector<std::string> names;
  for (const auto& [name, number] : declared_) names.push_back(name);
  std::sort(names.begin(), names.end(),
            [&](const std::string& a, const std::string& b) { return declared_.at(a) < declared_.at(b); });
  return names;
}

void Declarations::declare(const cell::Declaration& declaration) {
  if (declaration.unpacked != nullptr) return several(declaration);
  for (const auto& declarator : declaration.declarators) {
    one(declaration, declarator);
    frame_.lifetimes.declared(declarator.name);
    declared_[declarator.name] = declarations_++;
  }
}

// auto [values, counts] = unique(x); auto [lo, hi] = limits(x, n); auto [x, y, z] = position;
void Declarations::several(const cell::Declaration& declaration) {
  const auto& names = declaration.declarators;
  const auto& init = *declaration.unpacked;
  if (names.front().reference && (!declaration.is_const || frame_.containers.refers(init)))
    return frame_.references.bind_parts(declaration);
  const auto* call = std::get_if<cell::Call>(&init.node);
  auto of_container = call == nullptr ? std::nullopt : frame_.containers.evaluate(init);
  auto values =
      call == nullptr || of_container ? std::vector<Value>() : frame_.calls.results(*call, init.span, names.size());
  if (of_container) values.push_back(std::move(*of_container));
  if (call == nullptr) values.push_back(evaluate(init));
  const bool whole = values.size() == 1 && (std::holds_alternative<Object>(values.front()) ||
                                            std::holds_alternative<Container>(values.front()));
  if (call == nullptr || whole) values = frame_.members.parts(values.front(), names.size(), init.span);
  if (values.size() < names.size())
    throw language::too_few_results(frame_.text, init.span, values.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    take(declaration, names[i], std::move(values[i]), init.span);
    frame_.lifetimes.declared(names[i].name);
    declared_[names[i].name] = declarations_++;
  }
}

void Declarations::one(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  // Outside of functions and blocks, what a cell declares is static in any case.
  if (declaration.is_static && frame_.host_function_calls.keep(declaration, declarator)) return;
  if (declarator.reference && frame_.references.bind(declaration, declarator)) return;
  if (frame_.launched_calls.remember(declaration, declarator)) return;
  if (frame_.containers.declare(declaration, declarator)) return;
  const bool automatic = cell::type_word(declaration.type) == cell::TypeWord::automatic;
  const bool of_cells = !kind_of(declaration) && cell::type_word(declaration.type) == cell::TypeWord::none &&
                        !xcuda::find_type(declaration.type);
  const bool several = declarator.pointer || !declarator.extents.empty();
  const bool function_type = declarator.function || cell::is_callable_type(declaration.type) ||
                             (of_cells && points_to_function(session_, declaration.type));
  if (function_type && !several) return function(declaration, declarator);
  if (automatic && declarator.init != nullptr && declarator.extents.empty())
    if (auto known = frame_.lookup.function(*declarator.init))
      return define(declaration, declarator, std::move(*known));
  // float (*table[3])(float), float (**at)(float), std::function<float(float)> table[3]
  if (declarator.function || (function_type && !declarator.pointer && cell::is_callable_type(declaration.type))) {
    cell::Declaration of_functions;
    of_functions.type = kFunctionPointer;
    of_functions.type_span = declaration.type_span;
    if (declarator.extents.empty()) return frame_.addresses.declare(of_functions, declarator);
    return array(of_functions, declarator);
  }
  if (!declarator.extents.empty()) {
    elements(declaration, declarator);
  } else if (declarator.pointer) {
    frame_.addresses.declare(declaration, declarator);
  } else if (!cell::vector_element(declaration.type).empty()) {
    frame_.vectors.declare(declaration, declarator);
  } else {
    variable(declaration, declarator);
  }
}

// void (*f)(float*, int) = scale; void (*f)(float*, int) = nullptr; void (*f)(float*, int);
void Declarations::function(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto* init = single_value(declarator);
  Value value = Function{};
  if (init != nullptr) value = frame_.callables.value(declaration.type, *init);
  if (std::holds_alternative<NullPointer>(value)) value = Function{};
  const bool object = std::holds_alternative<Object>(value) && cell::is_callable_type(declaration.type);
  if (std::holds_alternative<Function>(value) || is_closure(value) || object) {
    define(declaration, declarator, std::move(value));
    session_.names().find(declarator.name)->written = kCallable;
    return;
  }
  throw error(ErrorKind::type,
              fmt::format("{} points to a function, got {}", declarator.name, language::describe(form_of(value))),
              init->span);
}

// int x[3]; int* rows[3];
void Declarations::elements(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (!declarator.pointer) return array(declaration, declarator);
  cell::Declaration of_pointers;
  of_pointers.type = declaration.type + (declaration.is_const ? " const*" : "*");
  of_pointers.type_span = declaration.type_span;
  of_pointers.is_const = language::is_constant_pointer(run_.source.text, declaration, declarator);
  array(of_pointers, declarator);
}

void Declarations::once(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (!cell::vector_element(declaration.type).empty())
    throw error(ErrorKind::unsupported, fmt::format("{} is a static std::vector of a function", declarator.name),
                declarator.name_span)
        .advise("Declare it outside of the function.");
  if (frame_.containers.declare(declaration, declarator)) return;
  if (!declarator.extents.empty())
    elements(declaration, declarator);
  else if (declarator.pointer)
    frame_.addresses.declare(declaration, declarator);
  else
    variable(declaration, declarator);
}

void Declarations::define(const cell::Declaration& declaration, const cell::Declarator& declarator, Value value) {
  value = frame_.containers.owned(frame_.lifetimes.owned(std::move(value), declarator.name_span));
  frame_.lifetimes.replaced(declarator.name);
  if (const auto* object = std::get_if<Object>(&value))  // what its constructor made is known by the type's name
    session_.streams().rename(object->type.name + ".", declarator.name + ".");
  session_.arrays().undefine_here(declarator.name);
  const auto* init =
      cell::type_word(declaration.type) == cell::TypeWord::automatic ? single_value(declarator) : nullptr;
  const bool characters = init != nullptr && std::holds_alternative<cell::StringLiteral>(init->node) &&
                          std::holds_alternative<std::string>(value);
  const auto written = characters                      ? kCharacters
                       : session_.names().depth() == 1 ? written_type(declaration, declarator, value)
                                                       : std::string_view();
  session_.names().declare(declarator.name, {std::move(value), declaration.is_const, run_.source.name, written});
}

// "size_t" of size_t n; of auto m = n; and of auto k = sizeof(n) * 2; nothing where the type's own name is the
// source's.
std::string_view Declarations::written_type(const cell::Declaration& declaration, const cell::Declarator& declarator,
                                            const Value& value) const {
  const auto* number = std::get_if<language::ScalarValue>(&value);
  if (number == nullptr) return {};
  const auto of = [&](const auto& self, const cell::Expression& expression) -> std::string_view {
    if (std::holds_alternative<cell::SizeOf>(expression.node)) return xcuda::find_type("size_t")->written;
    if (const auto* binary = std::get_if<cell::Binary>(&expression.node)) {
      const auto left = self(self, *binary->left);
      return left.empty() ? self(self, *binary->right) : left;
    }
    const auto* name = std::get_if<cell::Name>(&expression.node);
    const auto* known = name == nullptr ? nullptr : session_.names().find(name->text);
    return known == nullptr ? std::string_view() : known->written;
  };
  std::string_view written;
  if (cell::type_word(declaration.type) == cell::TypeWord::automatic) {
    if (const auto* init = single_value(declarator)) written = of(of, *init);
  } else if (const auto type = xcuda::find_type(declaration.type)) {
    written = type->written;
  } else {  // an enumeration
    static std::set<std::string> names;
    return *names.insert(declaration.type).first;
  }
  const auto type = xcuda::find_type(written);
  return type && type->name == number->type().name ? type->written : std::string_view();
}

ArrayTable::New Declarations::request(const cell::Declaration& declaration, const cell::Declarator& declarator,
                                      Type type, std::vector<std::uint64_t> shape) const {
  return {declarator.name, std::move(type), std::move(shape), declaration.is_const, declarator.name_span};
}

std::vector<std::uint64_t> Declarations::extents(const cell::Declarator& declarator) {
  const auto& declared = declarator.row.empty() ? declarator.extents : declarator.row;
  if (declared.size() > kMaxExtents)
    throw frame_.dimensions.too_many(declarator.name, declared.size(), declarator.name_span);
  std::vector<std::uint64_t> shape;
  for (const auto& extent : declared) {
    if (extent == nullptr) {  // "[]": as many as the list has
      if (const auto length = language::length_of_text(declarator)) {
        shape.push_back(*length);
        continue;
      }
      const auto* list = declarator.init == nullptr ? nullptr : std::get_if<cell::List>(&declarator.init->node);
      if (list == nullptr || list->elements.empty()) throw language::missing_extent(frame_.text, declarator);
      shape.push_back(list->elements.size());
      continue;
    }
    const auto value = number(*extent, "an extent");
    if (!value.is_integer())
      throw language::extent_not_integer(frame_.text, declarator.name, value.type(), extent->span);
    if (value.is_negative())
      throw error(ErrorKind::value, fmt::format("an extent of {} is negative: {}", declarator.name, value.text()),
                  extent->span)
          .advise("A 32-bit computation may have overflowed: use size_t.");
    if (value.as_unsigned() == 0)
      throw error(ErrorKind::value, fmt::format("an extent of {} is zero", declarator.name), extent->span)
          .advise("An array needs at least one element.");
    shape.push_back(value.as_unsigned());
  }
  return shape;
}

void Declarations::array(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto word = cell::type_word(declaration.type);
  if (word == cell::TypeWord::automatic) throw language::array_without_type(frame_.text, declaration, declarator);
  const bool handles = word == cell::TypeWord::stream || word == cell::TypeWord::event;
  if (word != cell::TypeWord::none && !handles) throw language::no_arrays_of(frame_.text, declaration);
  if (!declarator.constructor.empty()) throw language::array_with_constructor(frame_.text, declarator);
  const auto type = session_.code().find_type(run_.source, declaration.type, declaration.type_span);
  frame_.lifetimes.require_no_virtual(type, declaration.type_span);
  const auto shape = extents(declarator);
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (__builtin_mul_overflow(count, shape[i], &count))
      throw error(ErrorKind::value, fmt::format("the extents of {} overflow 64 bits", declarator.name),
                  declarator.name_span);
  const bool each =
      declarator.init == nullptr && !cell::is_library_name(type.name) && frame_.library_values.is_constructed(type);
  // Everything that can be wrong with the initial value is found before there is memory for it.
  const auto initial = frame_.initial_values.read(declarator, type, shape);
  auto wanted = request(declaration, declarator, type, shape);
  wanted.spread = frame_.devices.spread_of(declarator, shape);
  auto array = frame_.initial_values.make(std::move(wanted), initial);
  if (declarator.init == nullptr) session_.submission().name_range(unwritten_range(array));
  frame_.lifetimes.replaced(declarator.name);
  const auto elements = pointer_to(session_.arrays().define(std::move(array)));
  if (each) frame_.library_values.make_each(elements, {}, "{}", declarator.name_span);
}

// The kind of scalars in a declaration whose type needs no compiler.
std::optional<language::Kind> Declarations::kind_of(const cell::Declaration& declaration) {
  const auto [known, fresh] = kinds_.try_emplace(&declaration);
  if (fresh)
    if (const auto type = xcuda::find_type(declaration.type); type && type->scalar < Scalar::complex64)
      known->second = language::kind_of(*type);
  return known->second;
}

Value Declarations::initial_number(const cell::Declarator& declarator, const cell::Expression* init,
                                   language::Kind kind) {
  if (init == nullptr) return language::convert(language::ScalarValue::of(0), kind);
  auto value = frame_.scalars.by_program(*init);
  auto evaluated = value ? Value(*value) : evaluate(*init);
  if (auto made = frame_.object_operators.converted(evaluated, language::type_of(kind), *init))
    evaluated = std::move(*made);
  if (!value) value = number(evaluated, init->span, fmt::format("the initial value of {}", declarator.name));
  if (declarator.style == cell::Declarator::Init::braces && !language::converts_exactly(*value, kind))
    throw error(ErrorKind::value,
                fmt::format("{} does not fit {} {}: braces do not narrow", value->text(), language::type_of(kind).name,
                            declarator.name),
                init->span);
  return language::convert(*value, kind);
}

void Declarations::variable(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto& name = declarator.name;
  const auto* init = single_value(declarator);
  if (init != nullptr && language::is_handle(declaration.type) && language::is_null(*init)) init = nullptr;
  if (const auto kind = kind_of(declaration)) {
    if (init == nullptr && declaration.is_const)
      throw error(ErrorKind::value, fmt::format("const {} needs an initial value", name), declarator.name_span);
    if (init != nullptr && language::is_given_to(*init, name))
      define({}, declarator, language::convert(language::ScalarValue::of(0), *kind));
    return define(declaration, declarator, initial_number(declarator, init, *kind));
  }
  switch (cell::type_word(declaration.type)) {
    case cell::TypeWord::texture:
    case cell::TypeWord::surface: return frame_.texture_declarations.declare(declaration, declarator);
    case cell::TypeWord::automatic:
      if (init == nullptr) throw language::auto_without_value(frame_.text, declarator);
      return by_value(declaration, declarator, *init);
    case cell::TypeWord::stream:
      if (init != nullptr) return define(declaration, declarator, frame_.streams.stream(*init));
      return define(declaration, declarator, Stream{session_.streams().stream(name), name});
    case cell::TypeWord::event:
      if (init != nullptr) return define(declaration, declarator, frame_.streams.event(*init));
      return define(declaration, declarator, Event{session_.streams().event(name), name});
    case cell::TypeWord::dim3: return define(declaration, declarator, dimensions(declarator));
    case cell::TypeWord::text: return define(declaration, declarator, frame_.texts.initial(declarator));
    case cell::TypeWord::none: break;
  }
  define(declaration, declarator, initial_object(declaration, declarator));
}

// The initial value of a vector, or of a type that a cell defines.
Value Declarations::initial_object(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto type = session_.code().find_type(run_.source, declaration.type, declaration.type_span);
  if (const auto kind = language::kind_of(type); kind && !language::is_complex(*kind))  // an alias
    return initial_number(declarator, single_value(declarator), *kind);
  frame_.lifetimes.require_no_virtual(type, declaration.type_span);
  if (auto made = frame_.library_values.made(type, declarator)) return std::move(*made);
  if (declarator.init != nullptr) return frame_.elements.value(*declarator.init, type);
  std::vector<std::byte> bytes(type.size);
  if (!declarator.constructor.empty())
    frame_.elements.read_members(pointers_to(declarator.constructor), type, bytes, declarator.name_span);
  return frame_.targets.load(type, bytes);
}

// dim3 g; dim3 g(2, 3); dim3 g{2, 3}; dim3 g = 4;
device::Dim3 Declarations::dimensions(const cell::Declarator& declarator) {
  if (declarator.init != nullptr) return frame_.dimensions.of(*declarator.init, declarator.name);
  const auto given = pointers_to(declarator.constructor);
  if (given.size() > 3) throw error(ErrorKind::value, "a dim3 has at most three extents", declarator.name_span);
  return frame_.dimensions.of(given, declarator.name, Dimensions::Conversion::implicit);
}

// auto b = a; auto b = like(a); auto b = load("file.npy"); auto n = 3;
void Declarations::by_value(const cell::Declaration& declaration, const cell::Declarator& declarator,
                            const cell::Expression& init) {
  const auto* call = std::get_if<cell::Call>(&init.node);
  const auto initial = call == nullptr ? std::nullopt : language::initial_function(*call);
  if (initial && initial->row->operation == language::Operation::like) return like(declaration, declarator, *call);
  if (initial && initial->row->operation == language::Operation::load) return from_file(declaration, declarator, *call);
  using language::Operation;
  if (initial && initial->row->operation != Operation::arange && initial->row->operation != Operation::linspace)
    throw language::initial_value_without_extent(frame_.text, declarator, init.span);
  auto value = evaluate(init);
  auto* pointer = std::get_if<Pointer>(&value);
  if (pointer != nullptr && language::is_address(init)) pointer->is_address = true;                   // auto p = &x[2];
  if (std::holds_alternative<NullPointer>(value) && language::vector_of_iterator(init) != nullptr) {  // of an empty one
    auto& null = value.emplace<Pointer>();
    null.type = frame_.expressions.form(init).type;
    null.is_address = true;
  }
  take(declaration, declarator, std::move(value), init.span);
}

// What auto makes of a value.
void Declarations::take(const cell::Declaration& declaration, const cell::Declarator& declarator, Value value,
                        cell::Span span) {
  const auto& name = declarator.name;
  if (const auto* pointer = std::get_if<Pointer>(&value)) {
    if (pointer->is_address) return frame_.addresses.declare(declaration, declarator, *pointer, span);
    if (pointer->shape.empty())
      throw error(ErrorKind::unsupported, fmt::format("{} would be a pointer: statements cannot declare one", name),
                  span);
    if (is_vector(*pointer)) return frame_.vectors.declare(declaration, declarator, *pointer);
    return copy_of(declaration, declarator, *pointer);
  }
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) {
    Array array;
    frame_.arrays.evaluate(computed->node, [&](const Type& type) {
      array = session_.arrays().allocate(run_, request(declaration, declarator, type, computed->node->shape));
      return array.address;
    });
    session_.arrays().define(std::move(array));
    return;
  }
  if (const auto* matrix = sparse_in(value)) return sparse(declaration, declarator, *matrix);
  if (std::holds_alternative<Nothing>(value) || std::holds_alternative<NullPointer>(value))
    throw language::gives_no_value(frame_.text, span, name);
  define(declaration, declarator, std::move(value));
}

void Declarations::sparse(const cell::Declaration& declaration, const cell::Declarator& declarator,
                          const SparseMatrix& matrix) {
  auto own = matrix;
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < kSparseParts.size(); ++i) {
    const auto& part = *matrix.parts()[i];
    auto wanted = request(declaration, declarator, part.type, part.shape);
    wanted.name = part_name(declarator.name, kSparseParts[i]);
    auto& copy = arrays.emplace_back(session_.arrays().allocate(run_, std::move(wanted)));
    if (copy.bytes() > 0) session_.submission().copy(copy.address, part.address, copy.bytes());
    *own.parts()[i] = pointer_to(copy);
  }
  define(declaration, declarator, sparse_value(std::move(own)));
  for (auto& array : arrays) session_.arrays().define(std::move(array));
}

}  // namespace xcuda::interpreter
