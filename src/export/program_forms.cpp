// What an expression of an exported program is: an array and of how many dimensions, or a number; and of which type.
#include <fmt/format.h>

#include <algorithm>

#include "cell/expression_root.hpp"
#include "export/program_calls.hpp"
#include "export/program_writer.hpp"

namespace xcuda::exporter {

const cell::Name* ProgramWriter::root(const cell::Expression& expression) const {
  return std::get_if<cell::Name>(&cell::root_of(expression).node);
}

ProgramWriter::Form ProgramWriter::form(const cell::Expression& expression) const {
  struct Visitor {
    const ProgramWriter& self;
    Form join(const Form& a, const Form& b) const {
      return {a.array || b.array, std::max(a.array ? a.rank : 0, b.array ? b.rank : 0), common(a.type, b.type)};
    }
    Form operator()(const cell::IntegerLiteral& literal) const { return {false, 0, literal.type}; }
    Form operator()(const cell::FloatingLiteral& literal) const {
      return {false, 0, literal.single ? "float" : "double"};
    }
    Form operator()(const cell::BoolLiteral&) const { return {false, 0, "bool"}; }
    Form operator()(const cell::CharLiteral&) const { return {false, 0, "char"}; }
    Form operator()(const cell::Name& name) const {
      if (const auto* symbol = self.find(name.text)) return {symbol->kind == Kind::array, symbol->rank, symbol->type};
      if (const auto* piece = self.variable(name.text))
        return {!piece->extents.empty(), static_cast<int>(piece->extents.size()), plain_type(piece->type)};
      return {};
    }
    Form operator()(const cell::Unary& unary) const {
      auto inner = self.form(*unary.operand);
      if (unary.op == "!") inner.type = "bool";
      if (unary.op == "&" || unary.op == "*") return {};
      return inner;
    }
    Form operator()(const cell::Binary& binary) const {
      auto both = join(self.form(*binary.left), self.form(*binary.right));
      if (is_comparison(binary.op)) both.type = "bool";
      return both;
    }
    Form operator()(const cell::Assignment& assignment) const { return self.form(*assignment.target); }
    Form operator()(const cell::Ternary& ternary) const {
      const auto condition = self.form(*ternary.condition);
      auto both = join(self.form(*ternary.yes), self.form(*ternary.no));
      if (condition.array) both.rank = std::max(both.array ? both.rank : 0, condition.rank), both.array = true;
      return both;
    }
    Form operator()(const cell::Cast& cast) const {
      const auto inner = self.form(*cast.operand);
      return {inner.array && !cast.type.ends_with('*'), inner.rank, plain_type(cast.type)};
    }
    Form operator()(const cell::Call& call) const { return self.call_form(call, callee_of(call)); }
    Form operator()(const cell::Index& index) const {
      auto inner = self.form(*index.base);
      if (!inner.array) return {};
      for (const auto& subscript : index.subscripts) inner.rank -= subscript.slice ? 0 : 1;
      inner.array = inner.rank > 0;
      return inner;
    }
    Form operator()(const cell::SizeOf&) const { return {false, 0, "unsigned long"}; }
    Form operator()(const cell::StringLiteral&) const { return {}; }
    Form operator()(const cell::Member&) const { return {}; }
    Form operator()(const cell::List&) const { return {}; }
    Form operator()(const cell::Lambda&) const { return {}; }
  };
  return std::visit(Visitor{*this}, expression.node);
}

ProgramWriter::Form ProgramWriter::call_form(const cell::Call& call, std::string_view function) const {
  if (among(function, kReductions) && is_one_argument_reduction(call, function)) {
    const auto* x = given(call, "x", 0);
    const auto inner = x == nullptr ? Form{} : form(*x);
    if (inner.array) {
      const auto* axis = given(call, "axis", 1);
      Form result{axis != nullptr, inner.rank - 1, ""};
      if (given(call, "keep", 2) != nullptr) result.rank = inner.rank;
      if (function == "mean" || function == "var" || function == "std" || function == "norm")
        result.type = "double";
      else if (function == "any" || function == "all")
        result.type = "bool";
      else if (function == "count" || function.starts_with("arg"))
        result.type = "unsigned long";
      else if (function == "min" || function == "max")
        result.type = inner.type;
      else if (const auto type = xcuda::find_type(inner.type))
        result.type =
            type->is_integer() ? (cell::is_signed(*cell::kind_of(*type)) ? "long" : "unsigned long") : inner.type;
      if (result.array && result.rank == 0) result.array = false;
      return result;
    }
  }
  if (function == "dot" || function == "reduce" || function == "allclose") return {};
  if (function == "size" || function == "ssize") return {false, 0, function == "size" ? "unsigned long" : "long"};
  if (function == "map" && !call.arguments.empty()) {
    const auto* list = std::get_if<cell::List>(&call.arguments[0].value->node);
    return {true, list == nullptr ? 1 : static_cast<int>(list->elements.size()), ""};
  }
  if (among(function, kArrayFunctions) && !call.arguments.empty()) {
    auto inner = form(*call.arguments[0].value);
    const auto* extents = function == "reshape" && call.arguments.size() == 2
                              ? std::get_if<cell::List>(&call.arguments[1].value->node)
                              : nullptr;
    if (function == "reshape")
      inner.rank = static_cast<int>(extents != nullptr ? extents->elements.size() : call.arguments.size() - 1);
    if (function == "argsort" || function == "histogram") inner.type = "unsigned long";
    if (function == "sort" || function == "argsort" || function == "unique" || function == "histogram") inner.rank = 1;
    if (function == "scan") inner.type.clear();
    inner.array = true;
    return inner;
  }
  Form result;  // of elements
  std::string type;
  bool same = true;
  for (const auto& argument : call.arguments) {
    const auto one = form(*argument.value);
    if (one.array) result.rank = std::max(result.rank, one.rank), result.array = true;
    same = same && (type.empty() || one.type == type);
    if (type.empty()) type = one.type;
  }
  if (same && (type == "float" || type == "double") && among(function, kPlainFunctions)) result.type = type;
  if (function == "isnan" || function == "isinf" || function == "isfinite") result.type = "bool";
  return result;
}

bool ProgramWriter::is_special(const cell::Expression& expression) const {
  const auto special = [](const std::string& spelled) {
    const auto type = xcuda::find_type(spelled);
    return type &&
           (type->scalar == Scalar::float16 || type->scalar == Scalar::bfloat16 || type->scalar >= Scalar::complex64) &&
           type->lanes == 1;
  };
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto* symbol = find(name->text);
    return symbol != nullptr && special(symbol->type);
  }
  if (const auto* cast = std::get_if<cell::Cast>(&expression.node))
    return special(cast->type) || is_special(*cast->operand);
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node)) return is_special(*unary->operand);
  if (const auto* binary = std::get_if<cell::Binary>(&expression.node))
    return is_special(*binary->left) || is_special(*binary->right);
  if (const auto* ternary = std::get_if<cell::Ternary>(&expression.node))
    return is_special(*ternary->condition) || is_special(*ternary->yes) || is_special(*ternary->no);
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) return is_special(*index->base);
  if (const auto* call = std::get_if<cell::Call>(&expression.node))
    return std::any_of(call->arguments.begin(), call->arguments.end(),
                       [&](const auto& argument) { return is_special(*argument.value); });
  return false;
}

bool ProgramWriter::is_constant(const cell::Expression& expression) const {
  struct Visitor {
    const ProgramWriter& self;
    bool operator()(const cell::IntegerLiteral&) const { return true; }
    bool operator()(const cell::FloatingLiteral&) const { return true; }
    bool operator()(const cell::BoolLiteral&) const { return true; }
    bool operator()(const cell::CharLiteral&) const { return true; }
    bool operator()(const cell::Name& name) const {
      return self.find(name.text) == nullptr && self.variable(name.text) == nullptr;
    }
    bool operator()(const cell::Unary& unary) const {
      return unary.op != "&" && unary.op != "*" && self.is_constant(*unary.operand);
    }
    bool operator()(const cell::Binary& binary) const {
      return self.is_constant(*binary.left) && self.is_constant(*binary.right);
    }
    bool operator()(const cell::Cast& cast) const { return self.is_constant(*cast.operand); }
    bool operator()(const cell::SizeOf& size) const { return size.operand == nullptr; }
    bool operator()(const cell::Assignment&) const { return false; }
    bool operator()(const cell::Ternary&) const { return false; }
    bool operator()(const cell::Call&) const { return false; }
    bool operator()(const cell::Index&) const { return false; }
    bool operator()(const cell::Member&) const { return false; }
    bool operator()(const cell::List&) const { return false; }
    bool operator()(const cell::Lambda&) const { return false; }
    bool operator()(const cell::StringLiteral&) const { return false; }
  };
  return std::visit(Visitor{*this}, expression.node);
}

}  // namespace xcuda::exporter
