// Declarations: scalars of the host, arrays of the device, and their initial values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arrays/convert.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "interpreter/arguments.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/executor.hpp"
#include "interpreter/initial.hpp"

namespace xcuda::interpreter {

namespace {

bool is_texture(std::string_view type) {
  const auto word = type.substr(0, type.find('<'));
  return word == "texture" || word == "surface";
}

}  // namespace

void Executor::note_declared(const std::string& name) { declared_[name] = declarations_++; }

std::vector<std::string> Executor::declared() const {
  std::vector<std::string> names;
  for (const auto& [name, number] : declared_) names.push_back(name);
  std::sort(names.begin(), names.end(),
            [&](const std::string& a, const std::string& b) { return declared_.at(a) < declared_.at(b); });
  return names;
}

void Executor::declare(const cell::Declaration& declaration) {
  for (const auto& declarator : declaration.declarators) {
    if (declaration.is_static)
      throw error(ErrorKind::unsupported, "static has no meaning here: what a cell declares lives until %reset",
                  declaration.type_span)
          .advise("Leave it out.");
    if (declarator.reference)
      throw error(ErrorKind::unsupported,
                  fmt::format("{} is a reference, and statements have no variables of that kind", declarator.name),
                  declarator.name_span)
          .advise("Use the name of what it refers to; swap(a, b) exchanges two names.");
    if (declarator.pointer && !declarator.extents.empty()) {
      cell::Declaration of_pointers;
      of_pointers.type = declaration.type + (declaration.is_const ? " const*" : "*");
      of_pointers.type_span = declaration.type_span;
      declare_array(of_pointers, declarator);
    } else if (declarator.pointer) {
      declare_text(declaration, declarator);
    } else if (!declarator.extents.empty())
      declare_array(declaration, declarator);
    else
      declare_scalar(declaration, declarator);
    note_declared(declarator.name);
  }
}

Error Executor::too_many_extents(std::string_view of, std::size_t count, cell::Span span) const {
  return error(ErrorKind::value, fmt::format("{} has {} extents, and an array has at most {}", of, count, kMaxExtents),
               span)
      .advise("Several indices can be one: x[i * n + j].");
}

std::vector<std::uint64_t> Executor::extents(const cell::Declarator& declarator) {
  if (declarator.extents.size() > kMaxExtents)
    throw too_many_extents(declarator.name, declarator.extents.size(), declarator.name_span);
  std::vector<std::uint64_t> shape;
  for (const auto& extent : declarator.extents) {
    if (extent == nullptr) {  // "[]": as many as the list has
      const auto* list = declarator.init == nullptr ? nullptr : std::get_if<cell::List>(&declarator.init->node);
      if (list == nullptr || list->elements.empty())
        throw error(ErrorKind::value, fmt::format("the extent of {} is missing", declarator.name), declarator.name_span)
            .advise(fmt::format("Write {}[n], or give a list to count: {}[] = {{1, 2, 3}}.", declarator.name,
                                declarator.name));
      shape.push_back(list->elements.size());
      continue;
    }
    const auto value = number(*extent, "an extent");
    if (!value.is_integer())
      throw error(ErrorKind::type,
                  fmt::format("an extent of {} is {}, not an integer", declarator.name, value.type().name),
                  extent->span)
          .advise("Convert it: (size_t)(...).");
    if (value.is_negative())
      throw error(ErrorKind::value, fmt::format("an extent of {} is negative: {}", declarator.name, value.text()),
                  extent->span)
          .advise("If it was computed in 32 bits, it may have overflowed: use size_t.");
    if (value.as_unsigned() == 0)
      throw error(ErrorKind::value, fmt::format("an extent of {} is zero", declarator.name), extent->span)
          .advise("An array has at least one element.");
    shape.push_back(value.as_unsigned());
  }
  return shape;
}

// const char* s = "text"; and no other pointer.
void Executor::declare_text(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (declaration.type == "char" && declarator.init != nullptr) {
    auto value = evaluate(*declarator.init);
    if (std::holds_alternative<std::string>(value) || std::holds_alternative<NullPointer>(value)) {
      session_.undefine_here(declarator.name);
      session_.names().declare(declarator.name, {std::move(value), false, run_.source.name});
      return;
    }
  }
  throw error(ErrorKind::unsupported,
              fmt::format("{} is a pointer, and statements have no variables of that kind", declarator.name),
              declarator.name_span)
      .advise(fmt::format("An array is declared with its extent, {0} {1}[n], and its name is the pointer; {0}* {1}[k] "
                          "is an array of pointers.",
                          declaration.type, declarator.name));
}

void Executor::declare_array(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (declaration.type == "auto")
    throw error(ErrorKind::type, fmt::format("the element type of {} is missing", declarator.name),
                declaration.type_span)
        .advise(fmt::format("Write float {}[n], or auto {} = like(x).", declarator.name, declarator.name));
  if (declaration.type == "dim3" || declaration.type == "stream" || declaration.type == "event" ||
      is_texture(declaration.type))
    throw error(ErrorKind::unsupported, fmt::format("there are no arrays of {}", declaration.type),
                declaration.type_span);
  if (!declarator.constructor.empty())
    throw error(ErrorKind::syntax, fmt::format("the array {} takes its initial value after =", declarator.name),
                declarator.name_span);
  const auto type = session_.find_type(run_, declaration.type, declaration.type_span);
  const auto shape = extents(declarator);
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (__builtin_mul_overflow(count, shape[i], &count))
      throw error(ErrorKind::value, fmt::format("the extents of {} overflow 64 bits", declarator.name),
                  declarator.name_span);
  InitialReader reader(*this, session_, run_);
  // Everything that can be wrong with the initial value is found before there is memory for it.
  const auto initial = reader.read(declarator, type, shape);
  auto array = reader.make({declarator.name, type, shape, declaration.is_const, declarator.name_span}, initial);
  if (declarator.init == nullptr) session_.name_as_unwritten(array);
  session_.define(std::move(array));
}

// Of a declaration of scalars whose type needs no compiler.
std::optional<cell::Kind> Executor::declared_kind(const cell::Declaration& declaration) {
  const auto [known, fresh] = declared_kinds_.try_emplace(&declaration);
  if (fresh)
    if (const auto type = xcuda::find_type(declaration.type); type && type->scalar < Scalar::complex64)
      known->second = cell::kind_of(*type);
  return known->second;
}

cell::Value Executor::initial_number(const cell::Declarator& declarator, const cell::Expression& init,
                                     cell::Kind kind) {
  auto value = scalar(init);
  if (!value) value = number(evaluate(init), init.span, fmt::format("the initial value of {}", declarator.name));
  if (declarator.style == cell::Declarator::Init::braces && !cell::converts_exactly(*value, kind))
    throw error(ErrorKind::value,
                fmt::format("{} does not fit {} {}: braces do not narrow", value->text(), cell::type_of(kind).name,
                            declarator.name),
                init.span);
  return cell::convert(*value, kind);
}

void Executor::declare_scalar(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto& name = declarator.name;
  const auto store = [&](Value value) {
    session_.undefine_here(name);
    session_.names().declare(name, {std::move(value), declaration.is_const, run_.source.name});
  };
  if (is_texture(declaration.type)) return declare_texture(declaration, declarator);
  if (declaration.type == "stream") {
    store(Stream{session_.stream(name), name});
    return;
  }
  if (declaration.type == "event") {
    store(Event{session_.event(name), name});
    return;
  }
  if (declaration.type == "dim3") {
    store(declared_dimensions(declarator));
    return;
  }
  const cell::Expression* init = declarator.init.get();
  if (init == nullptr && declarator.constructor.size() == 1 && declarator.constructor[0].name.empty())
    init = declarator.constructor[0].value.get();
  if (const auto* list = init == nullptr ? nullptr : std::get_if<cell::List>(&init->node);
      list != nullptr && list->elements.size() <= 1)
    init = list->elements.empty() ? nullptr : list->elements.front().get();
  if (declaration.type == "auto") {
    if (init == nullptr)
      throw error(ErrorKind::type, fmt::format("auto {} needs an initial value", name), declarator.name_span);
    declare_auto(declaration, declarator, *init);
    return;
  }
  if (const auto kind = declared_kind(declaration)) {
    if (init == nullptr && declaration.is_const)
      throw error(ErrorKind::value, fmt::format("const {} needs an initial value", name), declarator.name_span);
    store(init == nullptr ? cell::convert(cell::Value::of(0), *kind) : initial_number(declarator, *init, *kind));
    return;
  }
  const auto type = session_.find_type(run_, declaration.type, declaration.type_span);
  if (const auto kind = cell::kind_of(type); kind && !cell::is_complex(*kind)) {  // an alias that a cell defined
    store(init == nullptr ? cell::convert(cell::Value::of(0), *kind) : initial_number(declarator, *init, *kind));
    return;
  }
  std::vector<std::byte> bytes(type.size);
  InitialReader reader(*this, session_, run_);
  if (declarator.init != nullptr) {
    reader.element(*declarator.init, type, bytes);
  } else if (!declarator.constructor.empty()) {
    reader.members(pointers_to(declarator.constructor), type, bytes, declarator.name_span);
  }
  store(load(type, bytes));
}

// dim3 g; dim3 g(2, 3); dim3 g{2, 3}; dim3 g = 4;
device::Dim3 Executor::declared_dimensions(const cell::Declarator& declarator) {
  auto given = pointers_to(declarator.constructor);
  if (declarator.init != nullptr) {
    const auto* list = std::get_if<cell::List>(&declarator.init->node);
    if (list == nullptr) return frame_.dimensions.of(*declarator.init, declarator.name);
    given = pointers_to(list->elements);
  }
  if (given.size() > 3) throw error(ErrorKind::value, "a dim3 has three extents at most", declarator.name_span);
  return frame_.dimensions.of(given, declarator.name);
}

}  // namespace xcuda::interpreter
