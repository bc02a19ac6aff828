#include "interpreter/native/native_statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "cell/expression_root.hpp"
#include "cell/lexer.hpp"
#include "cell/type_word.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host_constants.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/places.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/subscripts.hpp"
#include "language/constants.hpp"
#include "language/functions.hpp"
#include "language/host/vector_types.hpp"

namespace xcuda::interpreter {

NativeStatements::NativeStatements(Frame& frame, const cell::HostFunction& function)
    : Part(frame), outermost_(false), of_function_(true) {
  for (const auto& parameter : function.parameters) declared_.insert(parameter.declarators.front().name);
  accepted_ = accepts(*function.body);
}

bool NativeStatements::accepts(const cell::Statement& statement) {
  struct Visitor {
    NativeStatements& self;
    const cell::Statement& statement;
    bool whole;
    bool operator()(const cell::Declaration& s) const { return self.accepts(s); }
    bool operator()(const cell::ExpressionStatement& s) const { return !s.shown && self.accepts(s.expression); }
    bool operator()(const cell::Block& s) const {
      return std::all_of(s.statements.begin(), s.statements.end(), [&](const auto& one) { return self.accepts(one); });
    }
    bool operator()(const cell::If& s) const {
      return self.accepts(s.condition) && self.accepts(s.then) && self.accepts(s.otherwise);
    }
    bool operator()(const cell::For& s) const {
      if (!self.accepts(s.init)) return false;
      if (whole) self.around_ = self.declared_;
      return self.accepts(s.condition) && self.accepts(s.step) && self.accepts(s.body);
    }
    bool operator()(const cell::While& s) const { return self.accepts(s.condition) && self.accepts(s.body); }
    bool operator()(const cell::DoWhile& s) const { return self.accepts(s.body) && self.accepts(s.condition); }
    bool operator()(const cell::OnDevice&) const { return false; }
    bool operator()(const cell::Try&) const { return false; }
    bool operator()(const cell::Break&) const { return true; }
    bool operator()(const cell::Continue&) const { return true; }
    bool operator()(const cell::Empty&) const { return true; }
    // What only a session does: launches, commands.
    bool operator()(const cell::Launch&) const { return false; }
    // Its array is a pointer there, so only the loop that is compiled may be over one.
    bool operator()(const cell::RangeFor& s) const { return std::exchange(self.outermost_, false) && self.accepts(s); }
    bool operator()(const cell::Switch& s) const {
      return self.accepts(s.value) &&
             std::all_of(s.labels.begin(), s.labels.end(), [&](const auto& one) { return self.accepts(one.value); }) &&
             std::all_of(s.statements.begin(), s.statements.end(), [&](const auto& one) { return self.accepts(one); });
    }
    bool operator()(const cell::Return& s) const { return self.accepts(s, statement); }
    bool operator()(const cell::Magic&) const { return false; }
    bool operator()(const cell::Shell&) const { return false; }
    bool operator()(const cell::Help&) const { return false; }
  };
  if (!std::holds_alternative<cell::RangeFor>(statement.node)) outermost_ = false;
  return std::visit(Visitor{*this, statement, std::exchange(whole_, false)}, statement.node);
}

bool NativeStatements::accepts(const cell::Return& left, const cell::Statement& statement) {
  if (of_function_) return accepts(left.value);
  const std::string_view text = run_.source.text;
  if (left.value != nullptr)
    for (const auto& token :
         cell::tokens_of(text.substr(left.value->span.begin, left.value->span.end - left.value->span.begin)))
      if (declared_.contains(std::string(token.text)) && !around_.contains(std::string(token.text))) return false;
  const auto line = [&](const cell::Statement& one) { return line_column(text, one.span.begin).line; };
  for (const auto* other : returns_)
    if (line(*other) == line(statement) ||
        (std::get<cell::Return>(other->node).value == nullptr) != (left.value == nullptr))
      return false;
  returns_.push_back(&statement);
  return true;
}

bool NativeStatements::accepts(const cell::RangeFor& loop) {
  const auto* name = std::get_if<cell::Name>(&loop.range->node);
  const auto& variable = loop.variable.declarators.front();
  if (name == nullptr || variable.pointer || !is_array(name->text)) return false;
  touches_memory_ = true;
  const auto pointer = frame_.places.of(*loop.range);
  if (pointer.shape.size() != 1 || !pointer.strides.empty()) return false;
  declared_.insert(variable.name);
  return accepts(loop.body);
}

// Numbers and structs; an array is memory of the session.
bool NativeStatements::accepts(const cell::Declaration& declaration) {
  if (declaration.is_static) return false;
  const auto type = xcuda::find_type(declaration.type);
  if (cell::type_word(declaration.type) != cell::TypeWord::automatic && !type &&
      !frame_.lookup.is_type(declaration.type))
    return false;
  if (declaration.unpacked != nullptr) {
    for (const auto& one : declaration.declarators) declared_.insert(one.name);
    return !declaration.declarators.front().reference && accepts(declaration.unpacked);
  }
  for (const auto& one : declaration.declarators) {
    if (one.pointer || one.reference || !one.extents.empty() || !one.constructor.empty()) return false;
    const auto* list = one.init == nullptr ? nullptr : std::get_if<cell::List>(&one.init->node);
    if (list != nullptr) {
      if (!std::all_of(list->elements.begin(), list->elements.end(), [&](const auto& e) { return accepts(e); }))
        return false;
    } else if (!accepts(one.init)) {
      return false;
    }
    declared_.insert(one.name);
  }
  return true;
}

bool NativeStatements::is_array(const std::string& name) const {
  if (declared_.contains(name)) return false;
  if (const auto* held = session_.names().find(name)) return std::holds_alternative<Pointer>(held->value);
  return session_.arrays().find(name) != nullptr;
}

bool NativeStatements::accepts_name(const std::string& name) {
  if (declared_.contains(name)) return true;
  if (of_function_)
    return host_constant(session_, run_.sink, name).has_value() || language::known_constant(name).has_value();
  if (const auto* held = session_.names().find(name)) {
    const auto [known, fresh] = variables_.try_emplace(held, name);
    if (!fresh && known->second != name) return false;  // a reference to it: two variables there
    if (const auto* pointer = std::get_if<Pointer>(&held->value))
      return pointer->shape.empty() && (touches_memory_ = true);
    return std::holds_alternative<language::ScalarValue>(held->value) || std::holds_alternative<Object>(held->value) ||
           std::holds_alternative<device::Dim3>(held->value);
  }
  if (session_.arrays().find(name) != nullptr) return false;
  if (session_.variables().find(name)) return touches_memory_ = true;
  return host_constant(session_, run_.sink, name).has_value() || language::known_constant(name).has_value();
}

// x[i][j], with as many subscripts as it has extents.
bool NativeStatements::accepts_element(const cell::Index& index, std::size_t inner) {
  if (index.subscripts.size() != 1 || index.subscripts[0].slice || !accepts(index.subscripts[0].start)) return false;
  if (frame_.subscripts.counts_from_end(*index.subscripts[0].start)) return false;
  touches_memory_ = true;
  if (const auto* outer = std::get_if<cell::Index>(&index.base->node)) return accepts_element(*outer, inner + 1);
  const auto* name = std::get_if<cell::Name>(&index.base->node);
  if (name == nullptr) return std::holds_alternative<cell::Member>(index.base->node) && accepts(index.base);
  if (declared_.contains(name->text)) return false;
  if (const auto* held = session_.names().find(name->text)) {
    const auto* pointer = std::get_if<Pointer>(&held->value);
    const bool of_pointers = pointer != nullptr && inner > 0 && pointer->type.name.ends_with('*');  // rows[i][j]
    return pointer != nullptr && pointer->shape.size() + (of_pointers ? 1 : 0) == inner + 1 && pointer->strides.empty();
  }
  if (const auto* array = session_.arrays().find(name->text)) return array->shape.size() == inner + 1;
  return session_.variables().find(name->text).has_value();
}

bool NativeStatements::accepts_argument(const cell::Expression& argument) {
  if (const auto* name = std::get_if<cell::Name>(&argument.node); name != nullptr && is_array(name->text)) return true;
  if (const auto* unary = std::get_if<cell::Unary>(&argument.node);
      unary != nullptr && unary->op == cell::UnaryOperator::address)
    return accepts(unary->operand);
  return accepts(argument);
}

// v.size(), v.at(i), v.back()
bool NativeStatements::accepts_vector_call(const cell::Call& call, const cell::Member& member) {
  const auto* name = member.arrow ? nullptr : std::get_if<cell::Name>(&member.base->node);
  const auto* row = name == nullptr ? nullptr : language::find_vector_method(member.member);
  if (row == nullptr || language::changes(row->operation) || declared_.contains(name->text)) return false;
  const auto* array = session_.arrays().find(name->text);
  const auto* held = session_.names().find(name->text);
  const auto* pointer = held == nullptr ? nullptr : std::get_if<Pointer>(&held->value);
  const bool vector = held == nullptr ? array != nullptr && array->growth : pointer != nullptr && is_vector(*pointer);
  using language::VectorOperation;
  const bool known = row->operation == VectorOperation::size || row->operation == VectorOperation::empty ||
                     row->operation == VectorOperation::at || row->operation == VectorOperation::front ||
                     row->operation == VectorOperation::back;
  const bool may_be_caught = row->operation == VectorOperation::at && frame_.exceptions.is_watched();
  if (!vector || !known || may_be_caught) return false;
  touches_memory_ = true;
  return std::all_of(call.arguments.begin(), call.arguments.end(),
                     [&](const auto& argument) { return accepts(*argument.value); });
}

// p.norm(), bodies[i].move(dt): a function of a struct that is compiled code.
bool NativeStatements::accepts_method(const cell::Call& call, const cell::Expression& object, std::string_view method) {
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  const auto* name = std::get_if<cell::Name>(&object.node);
  const bool own = name != nullptr && declared_.contains(name->text);
  const auto* root = std::get_if<cell::Name>(&cell::root_of(object).node);
  const bool place = name != nullptr || std::holds_alternative<cell::Index>(object.node) ||
                     std::holds_alternative<cell::Member>(object.node);
  // What is declared in the loop has no form yet.
  if (!place || root == nullptr || (!own && declared_.contains(root->text))) return false;
  if (of_function_ || (member != nullptr && member->arrow) || frame_.exceptions.is_watched() || !accepts(object))
    return false;
  if (!own) {
    const auto& form = frame_.expressions.form(object);
    if (form.kind != language::Form::Kind::object || form.type.scalar != Scalar::none ||
        !session_.code().functions().find(fmt::format("{}::{}", form.type.name, method)).empty())
      return false;
  }
  touches_memory_ = true;
  return std::all_of(call.arguments.begin(), call.arguments.end(),
                     [&](const auto& argument) { return argument.name.empty() && accepts_argument(*argument.value); });
}

// p of p->x, which points to a struct.
bool NativeStatements::accepts_pointer(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const auto* held = name == nullptr || declared_.contains(name->text) ? nullptr : session_.names().find(name->text);
  const auto* pointer = held == nullptr ? nullptr : std::get_if<Pointer>(&held->value);
  if (pointer == nullptr || !pointer->is_address || pointer->type.scalar != Scalar::none) return false;
  return touches_memory_ = true;
}

// Accepts functions of numbers, by value.
bool NativeStatements::accepts_host_function(const session::KnownFunctionPtr& known, const cell::Call& call) {
  const auto& function = *known->function;
  const auto is_number = [](const std::string& name) {
    const auto type = xcuda::find_type(name);
    return type && language::kind_of(*type).has_value();
  };
  const bool plain = std::all_of(function.parameters.begin(), function.parameters.end(), [&](const auto& parameter) {
    const auto& one = parameter.declarators.front();
    return is_number(parameter.type) && !one.name.empty() && !one.pointer && !one.reference && !one.function &&
           one.extents.empty();
  });
  if (!plain || function.body == nullptr || !function.template_parameters.empty() || !is_number(function.result) ||
      call.arguments.size() != function.parameters.size() ||
      !std::all_of(call.arguments.begin(), call.arguments.end(), [&](const auto& one) { return accepts(one.value); }))
    return false;
  if (std::find(functions_.begin(), functions_.end(), known) != functions_.end()) return true;
  const NativeStatements inside(frame_, function);
  if (!inside.accepted_ || !inside.functions_.empty()) return false;
  functions_.push_back(known);
  return true;
}

bool NativeStatements::accepts(const cell::Call& call) {
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  if (const auto* member = std::get_if<cell::Member>(&call.callee->node))
    return accepts_vector_call(call, *member) || accepts_method(call, *member->base, member->member);
  if (callee == nullptr) return false;
  for (const auto& argument : call.arguments)
    if (!argument.name.empty()) return false;
  if (const auto* held = session_.names().find(callee->text); held != nullptr && !declared_.contains(callee->text)) {
    if (std::holds_alternative<Function>(held->value)) return false;
    if (std::holds_alternative<Object>(held->value) && !is_closure(held->value))  // between(gen)
      return accepts_method(call, *call.callee, "operator()");
  }
  if (session_.code().program().is_function(callee->text)) {
    touches_memory_ = true;
    return std::all_of(call.arguments.begin(), call.arguments.end(),
                       [&](const auto& argument) { return accepts_argument(*argument.value); });
  }
  if (const auto& overloads = session_.code().functions().find(callee->text); !overloads.empty())
    return overloads.size() == 1 && accepts_host_function(overloads.front(), call);
  const auto function = language::find_function(callee->text);
  const auto operation = function ? std::optional(function->row->operation) : std::nullopt;
  using language::Operation;
  // What native_loops.cpp has a meaning for.
  if (operation == Operation::leave)
    return !of_function_ && (exits_ = true) && call.arguments.size() == 1 && accepts(call.arguments[0].value);
  if (operation == Operation::random_number) return call.arguments.empty();
  if (operation == Operation::exchange && callee->text != "std::swap") return false;
  const bool prints =
      operation == Operation::print || operation == Operation::assertion || operation == Operation::print_to;
  if (!prints && operation != Operation::numbers && operation != Operation::reduction &&
      operation != Operation::exchange)
    return false;
  return std::all_of(call.arguments.begin(), call.arguments.end(), [&](const auto& argument) {
    return (prints && std::holds_alternative<cell::StringLiteral>(argument.value->node)) || accepts(argument.value);
  });
}

bool NativeStatements::accepts(const cell::Expression& expression) {
  struct Visitor {
    NativeStatements& self;
    bool operator()(const cell::IntegerLiteral&) const { return true; }
    bool operator()(const cell::FloatingLiteral&) const { return true; }
    bool operator()(const cell::BoolLiteral&) const { return true; }
    bool operator()(const cell::CharLiteral&) const { return true; }
    bool operator()(const cell::Name& e) const { return self.accepts_name(e.text); }
    bool operator()(const cell::Unary& e) const {
      return e.op != cell::UnaryOperator::address && e.op != cell::UnaryOperator::pointee && self.accepts(e.operand);
    }
    bool operator()(const cell::Binary& e) const { return self.accepts(e.left) && self.accepts(e.right); }
    bool operator()(const cell::Assignment& e) const { return self.accepts(e.target) && self.accepts(e.value); }
    bool operator()(const cell::Ternary& e) const {
      return self.accepts(e.condition) && self.accepts(e.yes) && self.accepts(e.no);
    }
    bool operator()(const cell::Cast& e) const {
      const auto* list = std::get_if<cell::List>(&e.operand->node);
      if (list == nullptr) return xcuda::find_type(e.type).has_value() && self.accepts(e.operand);
      return std::all_of(list->elements.begin(), list->elements.end(),
                         [&](const auto& one) { return self.accepts(one); });
    }
    bool operator()(const cell::Call& e) const { return self.accepts(e); }
    bool operator()(const cell::Index& e) const { return self.accepts_element(e); }
    bool operator()(const cell::Member& e) const {
      return e.arrow ? self.accepts_pointer(*e.base) : self.accepts(e.base);
    }
    bool operator()(const cell::SizeOf& e) const { return !e.type.empty(); }
    bool operator()(const cell::StringLiteral&) const { return false; }
    bool operator()(const cell::List&) const { return false; }
    bool operator()(const cell::Lambda&) const { return false; }
    bool operator()(const cell::LaunchText&) const { return false; }
  };
  return std::visit(Visitor{*this}, expression.node);
}

}  // namespace xcuda::interpreter
