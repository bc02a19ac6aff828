#include "interpreter/expressions.hpp"

#include "interpreter/assignments.hpp"
#include "interpreter/calls.hpp"
#include "interpreter/containers/callables.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/containers/moves.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/operator_expressions.hpp"
#include "interpreter/places.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/subscripts.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

const language::Form& Expressions::form(const cell::Expression& expression) {
  if (const auto checked = run_.forms.find(&expression); checked != run_.forms.end() && checked->second.is_known())
    return checked->second;
  const auto [known, fresh] = forms_.try_emplace(&expression);
  if (fresh) {
    SessionNames names(session_, run_, nullptr);
    known->second = language::form_of(expression, frame_.text, names);
  }
  return known->second;
}

Value Expressions::evaluate(const cell::Expression& expression) {
  if (!std::holds_alternative<cell::Name>(expression.node)) {
    if (const auto value = frame_.scalars.by_program(expression)) return *value;
    if (auto vector = frame_.vectors.made(expression)) return std::move(*vector);
    if (auto value = frame_.containers.evaluate(expression)) return std::move(*value);
  }
  struct Visitor {
    Expressions& self;
    const cell::Expression& expression;
    cell::Span span() const { return expression.span; }

    Value operator()(const cell::Name& name) const {
      if (is_moved(self.run_.source, expression))
        if (auto value = moved(self.frame_, expression)) return std::move(*value);
      auto value = self.frame_.lookup.value(name, span());
      // A module variable of one element is read like a scalar.
      if (const auto* pointer = std::get_if<Pointer>(&value); pointer != nullptr && pointer->shape.empty())
        return self.frame_.places.element(*pointer);
      return value;
    }
    Value operator()(const cell::StringLiteral& literal) const { return literal.value; }
    Value operator()(const cell::Unary& unary) const {
      return self.frame_.operator_expressions.unary(unary, expression);
    }
    Value operator()(const cell::Binary& binary) const {
      return self.frame_.operator_expressions.binary(binary, span());
    }
    Value operator()(const cell::Assignment& assignment) const {
      return self.frame_.assignments.assign(assignment, span());
    }
    Value operator()(const cell::Ternary& ternary) const {
      return self.frame_.operator_expressions.ternary(ternary, expression);
    }
    Value operator()(const cell::Cast& cast) const { return self.frame_.operator_expressions.cast(cast, span()); }
    Value operator()(const cell::Call& call) const {
      if (auto pointer = self.frame_.references.iterator(expression)) return std::move(*pointer);
      return self.frame_.calls.call(call, span());
    }
    Value operator()(const cell::Index& index) const {
      if (auto value = self.frame_.object_operators.subscript(index, expression)) return std::move(*value);
      if (auto value = self.frame_.members.host_value(expression)) return std::move(*value);
      if (auto character = self.frame_.texts.character(index, span())) return std::move(*character);
      if (const auto extent = self.frame_.subscripts.of_shape(index)) return *extent;
      auto pointer = self.frame_.places.subscript(index);
      if (pointer.shape.empty()) return self.frame_.places.element(pointer);
      return pointer;
    }
    Value operator()(const cell::Member& member) const { return self.frame_.members.value(member, expression); }
    Value operator()(const cell::List& list) const { return self.frame_.elements.array(list, span()); }
    Value operator()(const cell::SizeOf& size) const { return self.frame_.operator_expressions.size_of(size, span()); }
    Value operator()(const cell::Lambda&) const {
      if (auto function = self.frame_.callables.lambda(expression, Callables::Use::kept)) return std::move(*function);
      return self.frame_.closures.value(expression);
    }
    Value operator()(const cell::LaunchText&) const { throw language::launch_as_value(self.frame_.text, span()); }
    Value operator()(const cell::IntegerLiteral& literal) const { return language::ScalarValue::literal(literal); }
    Value operator()(const cell::FloatingLiteral& literal) const { return language::ScalarValue::literal(literal); }
    Value operator()(const cell::BoolLiteral& literal) const { return language::ScalarValue::literal(literal); }
    Value operator()(const cell::CharLiteral& literal) const { return language::ScalarValue::literal(literal); }
  };
  return std::visit(Visitor{*this, expression}, expression.node);
}

}  // namespace xcuda::interpreter
