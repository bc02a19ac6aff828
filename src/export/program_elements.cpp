// Expressions over whole arrays in an exported program: a struct with the element's expression, and its arguments.
#include <fmt/format.h>

#include <algorithm>

#include "export/program_calls.hpp"
#include "export/program_writer.hpp"

namespace xcuda::exporter {

std::string ProgramWriter::elements(const cell::Expression& expression) {
  need("elements");
  Element one{{}, is_special(expression)};
  const auto value = element(expression, one);
  return named_struct(value, one, expression.span);
}

std::string ProgramWriter::compound(const cell::Expression& target, cell::BinaryOperator op,
                                    const cell::Expression& value) {
  need("elements");
  Element one{{}, is_special(target) || is_special(value)};
  const auto left = parameter(target, operand(target), one), right = element(value, one);
  if (const auto named = cell::row_of(op).function; one.special && !named.empty()) {
    need("wide");
    return named_struct(fmt::format("xcuda::{}({}, {})", named, left, right), one, value.span);
  }
  return named_struct(fmt::format("{} {} ({})", left, cell::spelling(op), right), one, value.span);
}

std::string ProgramWriter::named_struct(const std::string& body, const Element& element, cell::Span span) {
  std::string parameters, arguments;
  for (const auto& [name, argument] : element.inputs) {
    parameters += fmt::format("{}auto {}", parameters.empty() ? "" : ", ", name);
    arguments += ", " + argument;
  }
  // nvcc takes the bodies of __device__ functions out of what the host compiles, and with them the type of an auto.
  const auto text =
      element.calls
          ? fmt::format("  __device__ auto operator()({}) const -> decltype({}) {{ return {}; }}\n", parameters, body,
                        body)
          : fmt::format("  __host__ __device__ auto operator()({}) const {{ return {}; }}\n", parameters, body);
  auto [known, fresh] = structs_.try_emplace(text, static_cast<int>(structs_.size()) + 1);
  const auto name = fmt::format("Expression{}", known->second);
  if (fresh) functors_ += fmt::format("struct {} {{  // {}\n{}}};\n", name, place_text(span), text);
  return fmt::format("xcuda::elements({}(){})", name, arguments);
}

// "(float a) const {return a;}" of "[](float a){return a;}": nvcc knows what a lambda gives only inside of a function.
static std::string without_captures(std::string_view lambda) {
  const auto list = lambda.find('(', lambda.find(']'));
  const auto body = lambda.find('{');
  if (list == std::string_view::npos || list > body) return fmt::format("() const {}", lambda.substr(body));
  int depth = 0;
  auto end = list;
  do {
    if (lambda[end] == '(') ++depth;
    if (lambda[end] == ')') --depth;
    ++end;
  } while (depth > 0 && end < lambda.size());
  return fmt::format("{} const {}", lambda.substr(list, end - list), lambda.substr(end));
}

// A function of device code as an object that templates take.
std::string ProgramWriter::function_struct(const std::string& name) {
  need("elements");
  const bool math = !session_.code().program().is_function(name) && language::is_element_function(name);
  if (math) need("wide");
  const auto called = math ? fmt::format("xcuda::math::{}", language::without_std(name)) : name;
  const auto text = called.starts_with('[')
                        ? fmt::format("  __host__ __device__ auto operator(){}\n", without_captures(called))
                        : fmt::format(
                              "  template <class... T> __device__ auto operator()(const T&... x) const -> "
                              "decltype({0}(x...)) {{ return {0}(x...); }}\n",
                              called);
  auto [known, fresh] = structs_.try_emplace(text, static_cast<int>(structs_.size()) + 1);
  const auto spelled = fmt::format("Function{}", known->second);
  if (fresh) functors_ += fmt::format("struct {} {{\n{}}};\n", spelled, text);
  return spelled + "()";
}

std::string ProgramWriter::parameter(const cell::Expression& expression, std::string argument, Element& element) {
  for (const auto& [name, known] : element.inputs)
    if (known == argument) return name;
  const auto* named = root(expression);
  auto name = named == nullptr ? std::string("value") : named->text.substr(named->text.rfind(':') + 1);
  const auto taken = [&](const std::string& wanted) {
    return std::any_of(element.inputs.begin(), element.inputs.end(),
                       [&](const auto& input) { return input.first == wanted; });
  };
  const auto base = name;
  for (int i = 1; taken(name); ++i) name = fmt::format("{}_{}", base, i);
  element.inputs.emplace_back(name, std::move(argument));
  return name;
}

std::string ProgramWriter::element(const cell::Expression& given, Element& element) {
  const auto& expression = as_call(given);
  const auto known = form(expression);
  if (!known.is_array())
    return is_constant(expression) ? text(expression.span) : parameter(expression, host(expression), element);
  struct Visitor {
    ProgramWriter& self;
    const cell::Expression& whole;
    Element& element;
    std::string leaf() const { return self.parameter(whole, self.operand(whole), element); }
    std::string operator()(const cell::Unary& unary) const {
      return self.spliced(whole.span, {{unary.operand->span, self.element(*unary.operand, element)}});
    }
    std::string operator()(const cell::Binary& binary) const {
      const auto left = self.element(*binary.left, element), right = self.element(*binary.right, element);
      if (const auto named = cell::row_of(binary.op).function; element.special && !named.empty())
        return self.need("wide"), fmt::format("xcuda::{}({}, {})", named, left, right);
      auto joined = self.spliced(whole.span, {{binary.left->span, left}, {binary.right->span, right}});
      const auto given = self.form(whole);
      const bool truths = cell::is_bitwise(binary.op) && given.has_type() && given.type.scalar == Scalar::boolean;
      return truths ? fmt::format("bool({})", joined) : joined;
    }
    std::string operator()(const cell::Ternary& ternary) const {
      const auto condition = self.element(*ternary.condition, element), yes = self.element(*ternary.yes, element),
                 no = self.element(*ternary.no, element);
      if (element.special) return self.need("wide"), fmt::format("xcuda::choose({}, {}, {})", condition, yes, no);
      return self.spliced(whole.span,
                          {{ternary.condition->span, condition}, {ternary.yes->span, yes}, {ternary.no->span, no}});
    }
    std::string operator()(const cell::Cast& cast) const {
      const auto inner = self.element(*cast.operand, element);
      return fmt::format("{}<{}>({})", element.special ? (self.need("wide"), "xcuda::convert") : "static_cast",
                         plain_type(cast.type), inner);
    }
    std::string operator()(const cell::Call& call) const { return self.element_call(call, whole, element); }
    std::string operator()(const cell::Assignment&) const {
      throw self.cannot("an assignment inside an expression over arrays", whole.span,
                        "Write it as a separate statement.");
    }
    std::string operator()(const cell::IntegerLiteral&) const { return leaf(); }
    std::string operator()(const cell::FloatingLiteral&) const { return leaf(); }
    std::string operator()(const cell::BoolLiteral&) const { return leaf(); }
    std::string operator()(const cell::CharLiteral&) const { return leaf(); }
    std::string operator()(const cell::StringLiteral&) const { return leaf(); }
    std::string operator()(const cell::Name&) const { return leaf(); }
    std::string operator()(const cell::Index&) const { return leaf(); }
    std::string operator()(const cell::Member&) const { return leaf(); }
    std::string operator()(const cell::List&) const { return leaf(); }
    std::string operator()(const cell::SizeOf&) const { return leaf(); }
    std::string operator()(const cell::Lambda&) const { return leaf(); }
    std::string operator()(const cell::LaunchText&) const { return leaf(); }
  };
  return std::visit(Visitor{*this, expression, element}, expression.node);
}

std::string ProgramWriter::element_call(const cell::Call& call, const cell::Expression& whole, Element& element) {
  using language::Operation;
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  const bool of_cells = callee != nullptr && session_.code().program().is_function(callee->text);
  const auto* row = of_cells ? nullptr : row_of(call);
  if (row != nullptr && gives_array(*row, call)) {
    const bool lazy = row->operation == Operation::map;
    return parameter(whole, lazy ? fmt::format("xcuda::make_array({})", operand(whole)) : operand(whole), element);
  }
  std::vector<std::string> arguments;
  for (const auto& argument : call.arguments) arguments.push_back(this->element(*argument.value, element));
  if (row != nullptr && row->operation == Operation::where && arguments.size() == 3)
    return element.special
               ? (need("wide"), fmt::format("xcuda::choose({}, {}, {})", arguments[0], arguments[1], arguments[2]))
               : fmt::format("({} ? {} : {})", arguments[0], arguments[1], arguments[2]);
  if (of_cells || (callee != nullptr && callee->text.starts_with("__"))) {
    element.calls = true;
    return fmt::format("{}({})", callee->text, fmt::join(arguments, ", "));
  }
  const bool plain = !element.special && row != nullptr && row->has(language::Trait::plain) &&
                     std::all_of(call.arguments.begin(), call.arguments.end(), [&](const auto& argument) {
                       const auto kind = language::number_kind(form(*argument.value));
                       const bool real = kind == language::Kind::float32 || kind == language::Kind::float64;
                       return real && kind == language::number_kind(form(*call.arguments[0].value));
                     });
  if (!plain && (row == nullptr || !row->has(language::Trait::of_elements)))
    return fmt::format("{}({})", callee == nullptr ? std::string() : callee->text, fmt::join(arguments, ", "));
  if (!plain) need("wide");
  return fmt::format("{}{}({})", plain ? "" : "xcuda::math::", row->name, fmt::join(arguments, ", "));
}

}  // namespace xcuda::exporter
