#include "interpreter/host/references.hpp"

#include <fmt/format.h>

#include <utility>

#include "cell/type_word.hpp"
#include "interpreter/members.hpp"
#include "interpreter/places.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

bool References::is_of_this_type(const cell::Declaration& declaration, const Value& value) const {
  const auto* number = std::get_if<language::ScalarValue>(&value);
  const auto type = xcuda::find_type(declaration.type);
  return number == nullptr || !type || *type == number->type();
}

void References::bind(const cell::Declaration& declaration, const cell::Declarator& declarator, Pointer place) {
  place.read_only = place.read_only || declaration.is_const;
  place.is_address = false;
  session_.arrays().undefine_here(declarator.name);
  session_.names().declare(declarator.name, {std::move(place), declaration.is_const, run_.source.name});
}

void References::bind_parts(const cell::Declaration& declaration) {
  const auto& place = *declaration.unpacked;
  if (frame_.members.host_struct(place) != nullptr)
    throw error(
        ErrorKind::unsupported,
        fmt::format("parts of the variable {} cannot have names of their own", snippet(run_.source, place.span)),
        place.span)
        .advise("Write auto [...] for copies of them.");
  const auto& names = declaration.declarators;
  const auto parts = frame_.members.parts_of_place(frame_.places.of(place), names.size(), place.span);
  for (std::size_t i = 0; i < names.size(); ++i) bind(declaration, names[i], parts[i]);
}

bool References::bind(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto* list = declarator.init == nullptr ? nullptr : std::get_if<cell::List>(&declarator.init->node);
  if (declarator.init == nullptr || (list != nullptr && list->elements.size() != 1))
    throw language::reference_without_place(frame_.text, declarator);
  const auto& place = list != nullptr ? *list->elements.front() : *declarator.init;
  const auto wrong = [&] {
    return error(ErrorKind::type,
                 fmt::format("{} is not of the type {}, which {} refers to", snippet(run_.source, place.span),
                             declaration.type, declarator.name),
                 place.span);
  };
  const auto* name = std::get_if<cell::Name>(&place.node);
  auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  if (variable != nullptr && !std::holds_alternative<Pointer>(variable->value)) {
    if (!is_of_this_type(declaration, variable->value)) {
      if (declaration.is_const) return false;
      throw wrong();
    }
    if (variable->read_only && !declaration.is_const) throw language::is_constant(frame_.text, name->text, place.span);
    if (name->text == declarator.name) throw wrong();
    session_.arrays().undefine_here(declarator.name);
    session_.names().alias(declarator.name, *variable);
    return true;
  }
  if (frame_.members.host_struct(place) != nullptr) {
    if (declaration.is_const) return false;
    throw error(
        ErrorKind::unsupported,
        fmt::format("{} is a part of a variable: it cannot have a name of its own", snippet(run_.source, place.span)),
        place.span)
        .advise(fmt::format("Write {} where you need it.", snippet(run_.source, place.span)));
  }
  const auto* unary = std::get_if<cell::Unary>(&place.node);
  const bool has_place = name != nullptr || std::holds_alternative<cell::Index>(place.node) ||
                         std::holds_alternative<cell::Member>(place.node) ||
                         (unary != nullptr && unary->op == cell::UnaryOperator::pointee);
  if (!has_place) {
    if (declaration.is_const) return false;
    throw error(ErrorKind::type,
                fmt::format("{} is a value: {} can only refer to it as a constant", snippet(run_.source, place.span),
                            declarator.name),
                place.span)
        .advise(fmt::format("const {}& {} = ...;", declaration.type, declarator.name));
  }
  auto target = frame_.places.of(place);
  if (target.shape.empty() && cell::type_word(declaration.type) != cell::TypeWord::automatic)
    if (const auto type = xcuda::find_type(declaration.type); type) {
      const bool same = declarator.pointer ? target.type.name == type->name + "*" : *type == target.type;
      if (!same && declaration.is_const) return false;
      if (!same) throw wrong();
    }
  if (target.read_only && !declaration.is_const)
    throw language::is_constant(frame_.text, snippet(run_.source, place.span), place.span);
  bind(declaration, declarator, std::move(target));
  return true;
}

}  // namespace xcuda::interpreter
