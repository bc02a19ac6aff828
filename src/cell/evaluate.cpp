#include "cell/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

#include "base/text.hpp"

namespace xcuda::cell {
namespace {

Error at(const Where& where, ErrorKind kind, std::string message) {
  return Error(kind, std::move(message)).at(where.get());
}

// The operators by one small number: two characters are enough to tell them apart.
constexpr unsigned code(std::string_view op) {
  return static_cast<unsigned char>(op[0]) |
         (op.size() > 1 ? static_cast<unsigned>(static_cast<unsigned char>(op[1])) << 8 : 0U);
}

// One binary operation: the operands as they are, and the kind that both are converted to.
struct Operation {
  std::string_view op;
  const Value& left;
  const Value& right;
  const Where& where;
  Kind kind;

  Error undefined() const {
    return at(where, ErrorKind::type,
              fmt::format("'{}' is not defined for {} and {}", op, left.type().name, right.type().name));
  }
};

Value shift(const Operation& operation) {
  const auto& left = operation.left;
  const auto& right = operation.right;
  if (!left.is_integer() || !right.is_integer()) throw operation.undefined();
  const auto kind = promoted(left.kind());
  const int bits = bits_of(kind);
  if (right.is_negative() || right.as_unsigned() >= static_cast<std::uint64_t>(bits))
    throw at(operation.where, ErrorKind::value,
             fmt::format("shifting {} by {}: the count must be 0 to {}", type_of(kind).name, right.text(), bits - 1));
  const auto count = right.as_unsigned();
  if (operation.op == "<<") return Value::integer(kind, left.as_unsigned() << count);
  if (is_signed(kind)) return Value::integer(kind, static_cast<std::uint64_t>(left.as_signed() >> count));
  return Value::integer(kind, left.as_unsigned() >> count);
}

Value divide(const Operation& operation, std::uint64_t a, std::uint64_t b) {
  const auto kind = operation.kind;
  const bool quotient = operation.op == "/";
  if (b == 0)
    throw at(operation.where, ErrorKind::value, fmt::format("division by zero ({})", type_of(kind).name))
        .advise("divide floating values, or test the divisor first");
  if (!is_signed(kind)) return Value::integer(kind, quotient ? a / b : a % b);
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  if (y == -1) return Value::integer(kind, quotient ? 0 - a : 0);  // the least number wraps to itself
  return Value::integer(kind, static_cast<std::uint64_t>(quotient ? x / y : x % y));
}

Value integer_binary(const Operation& operation) {
  const auto kind = operation.kind;
  const auto a = convert(operation.left, kind).as_unsigned(), b = convert(operation.right, kind).as_unsigned();
  const auto compared = [&](auto compare) {
    return Value::of(is_signed(kind) ? compare(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b))
                                     : compare(a, b));
  };
  switch (code(operation.op)) {
    case code("+"): return Value::integer(kind, a + b);
    case code("-"): return Value::integer(kind, a - b);
    case code("*"): return Value::integer(kind, a * b);
    case code("/"): return divide(operation, a, b);
    case code("%"): return divide(operation, a, b);
    case code("&"): return Value::integer(kind, a & b);
    case code("|"): return Value::integer(kind, a | b);
    case code("^"): return Value::integer(kind, a ^ b);
    case code("=="): return Value::of(a == b);
    case code("!="): return Value::of(a != b);
    case code("<"): return compared([](auto x, auto y) { return x < y; });
    case code("<="): return compared([](auto x, auto y) { return x <= y; });
    case code(">"): return compared([](auto x, auto y) { return x > y; });
    case code(">="): return compared([](auto x, auto y) { return x >= y; });
    default: throw operation.undefined();
  }
}

Value real_binary(const Operation& operation) {
  const auto kind = operation.kind;
  const double a = convert(operation.left, kind).as_real(), b = convert(operation.right, kind).as_real();
  // Double arithmetic on floats, rounded once, is float arithmetic: 53 bits are more than twice 24 plus two.
  switch (code(operation.op)) {
    case code("+"): return Value::real(kind, a + b);
    case code("-"): return Value::real(kind, a - b);
    case code("*"): return Value::real(kind, a * b);
    case code("/"): return Value::real(kind, a / b);
    case code("=="): return Value::of(a == b);
    case code("!="): return Value::of(a != b);
    case code("<"): return Value::of(a < b);
    case code("<="): return Value::of(a <= b);
    case code(">"): return Value::of(a > b);
    case code(">="): return Value::of(a >= b);
    case code("%"): throw operation.undefined().advise("use fmod(a, b)");
    default: throw operation.undefined();
  }
}

Value complex_binary(const Operation& operation) {
  const auto kind = operation.kind;
  const auto left = convert(operation.left, kind), right = convert(operation.right, kind);
  const std::complex<double> a(left.as_real(), left.imaginary()), b(right.as_real(), right.imaginary());
  const auto result = [&](std::complex<double> value) { return Value::complex(kind, value.real(), value.imag()); };
  switch (code(operation.op)) {
    case code("+"): return result(a + b);
    case code("-"): return result(a - b);
    case code("*"): return result(a * b);
    case code("/"): return result(a / b);
    case code("=="): return Value::of(a == b);
    case code("!="): return Value::of(a != b);
    default: throw operation.undefined();
  }
}

}  // namespace

Value binary(std::string_view op, const Value& left, const Value& right, const Where& where) {
  const Operation operation{op, left, right, where, common_kind(left.kind(), right.kind())};
  switch (code(op)) {
    case code("&&"): return Value::of(left.truth() && right.truth());
    case code("||"): return Value::of(left.truth() || right.truth());
    case code("<<"):
    case code(">>"): return shift(operation);
    default: break;
  }
  if (is_integer(operation.kind)) return integer_binary(operation);
  return is_complex(operation.kind) ? complex_binary(operation) : real_binary(operation);
}

Value unary(std::string_view op, const Value& operand, const Where& where) {
  switch (code(op)) {
    case code("!"): return Value::of(!operand.truth());
    case code("+"): return convert(operand, promoted(operand.kind()));
    case code("-"): {
      const auto kind = promoted(operand.kind());
      if (is_integer(kind)) return Value::integer(kind, 0 - operand.as_unsigned());
      if (is_complex(kind)) return Value::complex(kind, -operand.as_real(), -operand.imaginary());
      return Value::real(kind, -operand.as_real());
    }
    case code("~"):
      if (operand.is_integer()) return Value::integer(promoted(operand.kind()), ~operand.as_unsigned());
      [[fallthrough]];
    default: throw at(where, ErrorKind::type, fmt::format("'{}' is not defined for {}", op, operand.type().name));
  }
}

// --- the walk ------------------------------------------------------------------------------------------------------

namespace {

class Walk {
 public:
  Walk(Scope& scope, const Source& source) : scope_(scope), source_(source) {}

  Value operator()(const Expression& expression) {
    return std::visit([&](const auto& node) { return value(node, expression); }, expression.node);
  }

 private:
  Where where(const Expression& expression) const { return {source_, expression.span}; }
  Error error(const Expression& expression, ErrorKind kind, std::string message) const {
    return at(where(expression), kind, std::move(message));
  }

  Value value(const IntegerLiteral& node, const Expression&) { return Value::literal(node); }
  Value value(const FloatingLiteral& node, const Expression&) { return Value::literal(node); }
  Value value(const BoolLiteral& node, const Expression&) { return Value::literal(node); }
  Value value(const CharLiteral& node, const Expression&) { return Value::literal(node); }

  Value value(const Name& node, const Expression& whole) {
    if (const auto* variable = scope_.find(node.text)) return variable->value;
    if (const auto value = scope_.other(whole)) return *value;
    if (const auto value = known_constant(node.text)) return *value;
    auto failure = error(whole, ErrorKind::name, fmt::format("unknown name '{}'", node.text));
    const auto near = nearest(node.text, scope_.names());
    if (!near.empty()) throw std::move(failure).advise(fmt::format("did you mean '{}'?", near));
    throw failure;
  }

  Value value(const Unary& node, const Expression& whole) {
    if (node.op == "++" || node.op == "--") return step(node, whole).after;
    if (node.op == "post++" || node.op == "post--") return step(node, whole).before;
    if (node.op == "*" || node.op == "&") return otherwise(whole, "a pointer");
    return unary(node.op, (*this)(*node.operand), where(whole));
  }

  Value value(const Binary& node, const Expression& whole) {
    if (node.op == ",") {
      (*this)(*node.left);
      return (*this)(*node.right);
    }
    if (node.op == "&&") return Value::of((*this)(*node.left).truth() && (*this)(*node.right).truth());
    if (node.op == "||") return Value::of((*this)(*node.left).truth() || (*this)(*node.right).truth());
    const auto left = (*this)(*node.left);
    return binary(node.op, left, (*this)(*node.right), where(whole));
  }

  Value value(const Ternary& node, const Expression&) {
    // Both sides give the type, but only one is evaluated; the other's type is found where that has no effect.
    const bool yes = (*this)(*node.condition).truth();
    const auto chosen = (*this)(yes ? *node.yes : *node.no);
    const auto kind = type_only(yes ? *node.no : *node.yes);
    if (!kind || *kind == chosen.kind()) return chosen;
    return convert(chosen, common_kind(chosen.kind(), *kind));
  }

  Value value(const Assignment& node, const Expression& whole) {
    const auto op = std::string_view(node.op).substr(0, node.op.size() - 1);
    const auto right = (*this)(*node.value);
    return change(*node.target, whole,
                  [&](const Value& before) { return op.empty() ? right : binary(op, before, right, where(whole)); })
        .after;
  }

  Value value(const Cast& node, const Expression& whole) {
    const auto type = scope_.find_type(node.type);
    const auto kind = type ? kind_of(*type) : std::nullopt;
    if (!kind) return otherwise(whole, fmt::format("a cast to {}", node.type));
    const Expression* operand = node.operand.get();
    const auto* list = std::get_if<List>(&operand->node);
    if (list && list->elements.size() > 1)
      throw error(whole, ErrorKind::type, fmt::format("{} holds one value, not {}", node.type, list->elements.size()));
    if (list && list->elements.empty()) return convert(Value::of(0), *kind);
    if (list) operand = list->elements.front().get();
    const auto value = (*this)(*operand);
    if (list && !converts_exactly(value, *kind))
      throw error(*operand, ErrorKind::value, fmt::format("{} does not fit into {}", value.text(), node.type))
          .advise(fmt::format("write {}(...) to convert it anyway", node.type));
    return convert(value, *kind);
  }

  Value value(const Call& node, const Expression& whole) {
    if (const auto value = scope_.other(whole)) return *value;
    const auto* name = std::get_if<Name>(&node.callee->node);
    if (!name) throw error(*node.callee, ErrorKind::type, "this is not a function");
    if (!is_scalar_function(name->text)) {
      auto failure = error(*node.callee, ErrorKind::name, fmt::format("unknown function '{}'", name->text));
      const auto near = nearest(name->text, scalar_functions());
      if (!near.empty()) throw std::move(failure).advise(fmt::format("did you mean '{}'?", near));
      throw failure;
    }
    std::vector<Value> arguments;
    arguments.reserve(node.arguments.size());
    for (const auto& argument : node.arguments) {
      if (!argument.name.empty())
        throw error(*argument.value, ErrorKind::type,
                    fmt::format("{}() has no argument named {}", name->text, argument.name));
      arguments.push_back((*this)(*argument.value));
    }
    return call_scalar_function(name->text, arguments, where(whole));
  }

  Value value(const SizeOf& node, const Expression& whole) {
    if (!node.operand) {
      if (node.type.ends_with('*')) return Value::of(std::uint64_t{8});
      if (const auto type = scope_.find_type(node.type); type && type->size > 0)
        return Value::of(static_cast<std::uint64_t>(type->size));
    } else if (const auto value = scope_.other(whole)) {
      return *value;
    } else if (const auto kind = type_only(*node.operand)) {
      return Value::of(static_cast<std::uint64_t>(type_of(*kind).size));
    } else if (const auto* name = std::get_if<Name>(&node.operand->node)) {
      if (const auto type = scope_.find_type(name->text); type && type->size > 0)
        return Value::of(static_cast<std::uint64_t>(type->size));
    }
    return otherwise(whole, "sizeof of this");
  }

  Value value(const StringLiteral&, const Expression& whole) { return otherwise(whole, "a string"); }
  Value value(const Index&, const Expression& whole) { return otherwise(whole, "an element"); }
  Value value(const Member&, const Expression& whole) { return otherwise(whole, "a member"); }
  Value value(const List&, const Expression& whole) { return otherwise(whole, "a list in braces"); }
  Value value(const Lambda&, const Expression& whole) { return otherwise(whole, "a lambda"); }

  Value otherwise(const Expression& whole, std::string_view what) {
    if (const auto value = scope_.other(whole)) return *value;
    throw error(whole, ErrorKind::type, fmt::format("{} is not a number", what));
  }

  Scope::Change change(const Expression& target, const Expression& whole,
                       const std::function<Value(const Value&)>& compute) {
    if (const auto* name = std::get_if<Name>(&target.node)) {
      if (auto* variable = scope_.find(name->text)) {
        if (variable->is_const)
          throw error(target, ErrorKind::type, fmt::format("{} is const", name->text))
              .advise("declare it without const to change it");
        const auto before = variable->value;
        const auto after = convert(compute(before), before.kind());
        scope_.find(name->text)->value = after;  // compute may have declared names
        return {before, after};
      }
    }
    if (const auto change = scope_.change(target, compute)) return *change;
    if (const auto* name = std::get_if<Name>(&target.node)) {
      const auto near = nearest(name->text, scope_.names());
      throw error(target, ErrorKind::name, fmt::format("unknown name '{}'", name->text))
          .advise(near.empty() ? "declare it first: auto " + name->text + " = ...;"
                               : fmt::format("did you mean '{}'?", near));
    }
    throw error(whole, ErrorKind::type, "this cannot be assigned to")
        .advise("a variable or an element stands on the left of '='");
  }

  Scope::Change step(const Unary& node, const Expression& whole) {
    const auto op = node.op.ends_with("++") ? "+" : "-";
    return change(*node.operand, whole, [&](const Value& before) {
      if (before.kind() == Kind::boolean)
        throw error(whole, ErrorKind::type, fmt::format("'{}{}' is not defined for bool", op, op));
      return binary(op, before, Value::of(1), where(whole));
    });
  }

  // The kind of an expression without its effects: of names, literals, casts and operators on them.
  std::optional<Kind> type_only(const Expression& expression) {
    if (const auto* name = std::get_if<Name>(&expression.node)) {
      const auto* variable = scope_.find(name->text);
      if (variable) return variable->value.kind();
      const auto constant = known_constant(name->text);
      return constant ? std::optional(constant->kind()) : std::nullopt;
    }
    if (const auto* node = std::get_if<IntegerLiteral>(&expression.node)) return Value::literal(*node).kind();
    if (const auto* node = std::get_if<FloatingLiteral>(&expression.node)) return Value::literal(*node).kind();
    if (std::holds_alternative<BoolLiteral>(expression.node)) return Kind::boolean;
    if (std::holds_alternative<CharLiteral>(expression.node)) return Kind::char8;
    if (const auto* node = std::get_if<Cast>(&expression.node)) {
      const auto type = scope_.find_type(node->type);
      return type ? kind_of(*type) : std::nullopt;
    }
    if (const auto* node = std::get_if<Unary>(&expression.node)) {
      if (node->op == "!") return Kind::boolean;
      const auto kind = type_only(*node->operand);
      return !kind || node->op == "*" || node->op == "&" ? std::nullopt
                                                         : std::optional(node->op.size() > 1 ? *kind : promoted(*kind));
    }
    if (const auto* node = std::get_if<Binary>(&expression.node)) {
      static constexpr std::string_view kLogical[] = {"==", "!=", "<", "<=", ">", ">=", "&&", "||"};
      if (std::find(std::begin(kLogical), std::end(kLogical), node->op) != std::end(kLogical)) return Kind::boolean;
      const auto left = type_only(*node->left), right = type_only(*node->right);
      if (node->op == ",") return right;
      if (!left || !right) return std::nullopt;
      return node->op == "<<" || node->op == ">>" ? promoted(*left) : common_kind(*left, *right);
    }
    if (const auto* node = std::get_if<Assignment>(&expression.node)) return type_only(*node->target);
    if (const auto* node = std::get_if<Ternary>(&expression.node)) {
      const auto yes = type_only(*node->yes), no = type_only(*node->no);
      if (!yes || !no) return std::nullopt;
      return *yes == *no ? *yes : common_kind(*yes, *no);
    }
    if (std::holds_alternative<SizeOf>(expression.node)) return Kind::ulong64;
    if (const auto* node = std::get_if<Call>(&expression.node)) {
      // A scalar function's type depends on its arguments' types alone: ones of these types will do.
      const auto* name = std::get_if<Name>(&node->callee->node);
      if (!name || !is_scalar_function(name->text)) return std::nullopt;
      std::vector<Value> arguments;
      for (const auto& argument : node->arguments) {
        const auto kind = type_only(*argument.value);
        if (!kind) return std::nullopt;
        arguments.push_back(convert(Value::of(1), *kind));
      }
      return call_scalar_function(name->text, arguments, where(expression)).kind();
    }
    return std::nullopt;
  }

  Scope& scope_;
  const Source& source_;
};

bool all_scalar_form(const std::vector<Argument>& arguments) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const Argument& one) { return one.name.empty() && is_scalar_form(*one.value); });
}

}  // namespace

Value evaluate(const Expression& expression, Scope& scope, const Source& source) {
  return Walk(scope, source)(expression);
}

bool is_scalar_form(const Expression& expression) {
  const auto both = [](const auto& a, const auto& b) { return is_scalar_form(*a) && is_scalar_form(*b); };
  if (const auto* node = std::get_if<Unary>(&expression.node))
    return node->op != "*" && node->op != "&" && is_scalar_form(*node->operand);
  if (const auto* node = std::get_if<Binary>(&expression.node)) return both(node->left, node->right);
  if (const auto* node = std::get_if<Assignment>(&expression.node)) return both(node->target, node->value);
  if (const auto* node = std::get_if<Ternary>(&expression.node))
    return is_scalar_form(*node->condition) && both(node->yes, node->no);
  if (const auto* node = std::get_if<Cast>(&expression.node))
    return find_type(node->type) && is_scalar_form(*node->operand);
  if (const auto* node = std::get_if<Call>(&expression.node)) {
    const auto* name = std::get_if<Name>(&node->callee->node);
    return name && is_scalar_function(name->text) && all_scalar_form(node->arguments);
  }
  return !std::holds_alternative<StringLiteral>(expression.node) && !std::holds_alternative<Index>(expression.node) &&
         !std::holds_alternative<Member>(expression.node) && !std::holds_alternative<List>(expression.node) &&
         !std::holds_alternative<SizeOf>(expression.node) && !std::holds_alternative<Lambda>(expression.node);
}

}  // namespace xcuda::cell
