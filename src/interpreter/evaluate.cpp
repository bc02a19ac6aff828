// Expressions of statements: scalars by C++'s rules (cell/evaluate.hpp), arrays by name, element, row and slice.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "arrays/array_math.hpp"
#include "arrays/convert.hpp"
#include "base/text.hpp"
#include "interpreter/constants.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/executor.hpp"
#include "language/answers.hpp"
#include "language/constants.hpp"

namespace xcuda::interpreter {
namespace {

std::string describe(const Value& value) {
  struct Visitor {
    std::string operator()(const Nothing&) const { return "nothing"; }
    static std::string article(const std::string& type) {
      return (std::string_view("aeio").find(type[0]) == std::string_view::npos ? "a " : "an ") + type;
    }
    std::string operator()(const cell::Value& number) const { return article(number.type().name); }
    std::string operator()(const device::Dim3&) const { return "a dim3"; }
    std::string operator()(const Object& object) const { return article(object.type.name); }
    std::string operator()(const Stream&) const { return "a stream"; }
    std::string operator()(const Event&) const { return "an event"; }
    std::string operator()(const Texture& texture) const { return fmt::format("a {}", texture.object->kind()); }
    std::string operator()(const Pointer& pointer) const {
      return pointer.shape.empty() ? "a pointer to " + pointer.type.name : "an array of " + pointer.type.name;
    }
    std::string operator()(const NullPointer&) const { return "a null pointer"; }
    std::string operator()(const std::string&) const { return "a string"; }
    std::string operator()(const ArrayExpression&) const { return "an array"; }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace

cell::Value Executor::number(const Value& value, cell::Span span, std::string_view what) {
  if (const auto* scalar = std::get_if<cell::Value>(&value)) return *scalar;
  // A text is a pointer that is not null, as getenv() gives it.
  if (what == "a condition" && std::holds_alternative<std::string>(value)) return cell::Value::of(true);
  if (what == "a condition" && std::holds_alternative<NullPointer>(value)) return cell::Value::of(false);
  auto failure = error(ErrorKind::type, fmt::format("{} is {}, and a number is expected", what, describe(value)), span);
  if (std::holds_alternative<Pointer>(value))
    failure.advice = fmt::format("One element is {}[i].", snippet(run_.source, span));
  if (std::holds_alternative<ArrayExpression>(value))
    failure.advice = "any(...), all(...), sum(...) and the like make one number of an array.";
  throw failure;
}

cell::Value Executor::number(const cell::Expression& expression, std::string_view what) {
  if (const auto value = scalar(expression)) return *value;
  return number(evaluate(expression), expression.span, what);
}

std::optional<cell::Value> Executor::scalar(const cell::Expression& expression) {
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto* variable = session_.names().find(name->text);
    const auto* value = variable == nullptr ? nullptr : std::get_if<cell::Value>(&variable->value);
    return value == nullptr ? std::nullopt : std::optional(*value);
  }
  const auto [known, fresh] = programs_.try_emplace(&expression);
  if (fresh) {
    auto made =
        ScalarProgram::make(expression, session_.names(), [&](const std::string& name) -> std::optional<cell::Value> {
          if (session_.arrays().find(name) != nullptr) return std::nullopt;
          const auto constant = host_constant(session_, run_.sink, name);
          const bool fixed = constant && constant->kind == HostConstant::Kind::fixed;
          const auto* value = fixed ? std::get_if<cell::Value>(&constant->value) : nullptr;
          return value == nullptr ? std::nullopt : std::optional(*value);
        });
    programs_[&expression] = made;  // found again: making it may have asked for others
    return made ? made->run(session_.names(), frame_.text, stack_) : std::nullopt;
  }
  return known->second ? known->second->run(session_.names(), frame_.text, stack_) : std::nullopt;
}

Value Executor::name(const cell::Name& name, cell::Span span) {
  const auto& text = name.text;
  if (const auto* variable = session_.names().find(text)) return variable->value;
  if (const auto* array = session_.arrays().find(text)) return pointer_to(*array);
  if (auto constant = host_constant(session_, run_.sink, text)) return std::move(constant->value);
  if (const auto variable = session_.variables().find(text)) {
    const auto type = variable->type.empty() ? Type{"unsigned char", 1, 1, Scalar::uint8}
                                             : session_.find_type(run_, variable->type, span);
    Pointer pointer{text, variable->address, type, {}, variable->size, true, variable->constant, true};
    pointer.shape = extents_of(session_, run_.sink, *variable, type);
    if (pointer.shape.size() > kMaxExtents) throw frame_.dimensions.too_many(text, pointer.shape.size(), span);
    return pointer;
  }
  if (text == "nullptr" || text == "NULL") return NullPointer{};
  if (const auto constant = cell::known_constant(text)) return *constant;
  throw unknown_name(text, span);
}

Error Executor::unknown_name(const std::string& text, cell::Span span) {
  if (const auto answer = language::host_code_answer(text))
    return error(ErrorKind::unsupported, fmt::format("{} has no place in a cell", text), span).advise(answer->advice);
  auto failure = error(ErrorKind::name, fmt::format("there is no variable or array {}", text), span);
  const auto kernels = session_.program().kernel_names();
  if (std::find(kernels.begin(), kernels.end(), text) != kernels.end()) {
    failure.message = fmt::format("{} is a kernel, and a kernel is launched", text);
    failure.advice = fmt::format("{}<<<grid, block>>>(...);", text);
    return failure;
  }
  auto names = session_.names().all();
  for (const auto& array : session_.arrays().names()) names.push_back(array);
  if (text == "None")
    failure.advice = "Nothing is nullptr.";
  else if (text == "True" || text == "False")
    failure.advice = text == "True" ? "C++ writes true." : "C++ writes false.";
  else if (text == "stream")
    failure.advice = "Declare one: stream s;";
  else if (const auto near = nearest(text, names); !near.empty())
    failure.advice = fmt::format("Did you mean {}?", near);
  return failure;
}

// The value of the memory behind a pointer to one element.
Value Executor::element(const Pointer& pointer) {
  std::vector<std::byte> bytes(pointer.type.size);
  session_.read(pointer.address, bytes);
  if (pointer.type.lanes > 1 || pointer.type.scalar == Scalar::none) return Object{pointer.type, std::move(bytes)};
  return cell::Value::load(pointer.type, bytes);
}

// One subscript. An array in its place is NumPy's way to choose elements.
cell::Value Executor::element_number(const cell::Expression& expression, const cell::Expression& base) {
  if (const auto value = scalar(expression)) return *value;
  const auto value = evaluate(expression);
  if (!is_array(value)) return number(value, expression.span, "a subscript");
  const auto x = snippet(run_.source, base.span), i = snippet(run_.source, expression.span);
  throw error(ErrorKind::unsupported, fmt::format("{} is an array, and a subscript is one number or a slice", i),
              expression.span)
      .advise(std::holds_alternative<cell::Binary>(expression.node)
                  ? fmt::format("Elements where a condition holds: {0} = where({1}, 0, {0})", x, i)
                  : fmt::format("Elements by their indices: map(size({1}), [](size_t k, const float* x, const int* i) "
                                "{{ return x[i[k]]; }}, {0}, {1})",
                                x, i));
}

Pointer Executor::subscript(const cell::Index& index, cell::Span span) {
  auto base = evaluate_place(*index.base);
  auto strides = strides_of(base);
  std::size_t dimension = 0;  // that the next subscript is for
  const auto end = base.address + base.bytes;
  for (const auto& subscript : index.subscripts) {
    const auto* word = subscript.slice ? nullptr : std::get_if<cell::Name>(&subscript.start->node);
    if (word != nullptr && (word->text == "None" || word->text == "newaxis"))
      throw error(ErrorKind::unsupported, fmt::format("a new extent is not made by {}", word->text), subscript.span)
          .advise(fmt::format("reshape({}, n, 1) has it.", snippet(run_.source, index.base->span)));
    if (dimension >= base.shape.size())
      throw error(ErrorKind::type,
                  fmt::format("{} has no more dimensions to subscript", snippet(run_.source, index.base->span)),
                  subscript.span);
    const auto extent = base.shape[dimension];
    const auto position = [&](const cell::Expression& expression, std::uint64_t limit) {
      const auto value = element_number(expression, *index.base);
      if (!value.type().is_integer())
        throw error(ErrorKind::type, fmt::format("a subscript is {}, not an integer", value.type().name),
                    expression.span);
      if (value.is_negative() || value.as_unsigned() > limit)
        throw error(ErrorKind::value,
                    fmt::format("index {} is out of bounds: {} has {} element{} there", value.text(),
                                base.owner.empty() ? "the array" : base.owner, extent, extent == 1 ? "" : "s"),
                    expression.span)
            .advise(value.is_negative()
                        ? fmt::format("Elements are counted from the front: the last one is [{}].", extent - 1)
                        : "");
      return value.as_unsigned();
    };
    const auto advance = [&](std::uint64_t at) {
      base.address += static_cast<device::Address>(static_cast<std::int64_t>(at) * strides[dimension] *
                                                   static_cast<std::int64_t>(base.type.size));
    };
    const auto here = static_cast<std::ptrdiff_t>(dimension);
    if (!subscript.slice) {
      advance(position(*subscript.start, extent - 1));
      base.shape.erase(base.shape.begin() + here);
      strides.erase(strides.begin() + here);
    } else {
      const auto start = subscript.start != nullptr ? position(*subscript.start, extent) : 0;
      const auto stop = subscript.stop != nullptr ? position(*subscript.stop, extent) : extent;
      std::uint64_t step = 1;
      if (subscript.step != nullptr) {
        const auto value = number(*subscript.step, "a step");
        if (!value.type().is_integer() || value.is_negative() || value.as_unsigned() == 0)
          throw error(ErrorKind::value,
                      fmt::format("the step of a slice is {}: it has to be an integer of at least 1", value.text()),
                      subscript.step->span)
              .advise("reverse(x) has the elements in the other order.");
        step = std::min(value.as_unsigned(), std::max<std::uint64_t>(extent, 1));
      }
      if (stop <= start)
        throw error(ErrorKind::value, fmt::format("the slice {}:{} is empty", start, stop), subscript.span);
      advance(start);
      base.shape[dimension] = (stop - start + step - 1) / step;
      strides[dimension] *= static_cast<std::int64_t>(step);
      ++dimension;
    }
    base.whole = false;
  }
  base.bytes = end - base.address;
  base.strides = std::move(strides);
  if (is_contiguous(base)) base.strides.clear();
  (void)span;
  return base;
}

Pointer Executor::evaluate_place(const cell::Expression& expression) {
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) return subscript(*index, expression.span);
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) return member_place(*member, expression.span);
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node); unary != nullptr && unary->op == "*") {
    auto pointee = evaluate_place(*unary->operand);
    pointee.shape.clear();
    return pointee;
  }
  const auto* named = std::get_if<cell::Name>(&expression.node);
  const auto value = named != nullptr ? name(*named, expression.span) : evaluate(expression);
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) return frame_.arrays.evaluate(computed->node);
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr)
    throw error(ErrorKind::type,
                fmt::format("{} is {}, and has no elements", snippet(run_.source, expression.span), describe(value)),
                expression.span);
  return *pointer;
}

Value Executor::evaluate(const cell::Expression& expression) {
  if (const auto value = scalar(expression)) return *value;
  struct Visitor {
    Executor& self;
    const cell::Expression& expression;
    cell::Span span() const { return expression.span; }

    Value operator()(const cell::Name& name) const {
      auto value = self.name(name, span());
      // A module variable of one element is read like a scalar.
      if (const auto* pointer = std::get_if<Pointer>(&value); pointer != nullptr && pointer->shape.empty())
        return self.element(*pointer);
      return value;
    }
    Value operator()(const cell::StringLiteral& literal) const { return literal.value; }
    Value operator()(const cell::Unary& unary) const {
      if (unary.op == "&") return address(unary);
      const auto& of = unary.operand->node;
      if (unary.op == "*" && (std::holds_alternative<cell::IntegerLiteral>(of) ||
                              std::holds_alternative<cell::FloatingLiteral>(of) || self.scalar(*unary.operand)))
        throw self
            .error(ErrorKind::type,
                   fmt::format("{} is a number, and no pointer that * could follow",
                               snippet(self.run_.source, unary.operand->span)),
                   span())
            .advise("A power is pow(x, y); C++ has no **.");
      if (unary.op == "*") return self.element(self.evaluate_place(expression));
      if (unary.op.ends_with("++") || unary.op.ends_with("--")) return self.step(unary, span());
      const auto value = self.evaluate(*unary.operand);
      if (has_device_operators(value))
        return self.operate(ArrayNode::Kind::unary, unary.op, {{value, *unary.operand}}, span());
      return cell::unary(unary.op, self.number(value, unary.operand->span, "the operand of " + unary.op),
                         self.where(span()));
    }
    Value address(const cell::Unary& unary) const {
      auto pointer = self.evaluate_place(*unary.operand);
      if (!is_contiguous(pointer))
        throw self
            .error(ErrorKind::type,
                   fmt::format("{} does not lie in one piece, and a pointer to it would miss its elements",
                               snippet(self.run_.source, unary.operand->span)),
                   span())
            .advise("auto piece = ...; makes a copy that does.");
      pointer.shape = {pointer.bytes / std::max<std::size_t>(pointer.type.size, 1)};
      pointer.whole = false;
      return pointer;
    }
    Value operator()(const cell::Binary& binary) const { return self.binary(binary, span()); }
    Value operator()(const cell::Assignment& assignment) const { return self.assign(assignment, span()); }
    Value operator()(const cell::Ternary& ternary) const {
      const auto condition = self.evaluate(*ternary.condition);
      if (self.is_array(condition))
        return self.combine(
            ArrayNode::Kind::ternary, "?",
            {self.node_of(condition, *ternary.condition), self.node_of(self.evaluate(*ternary.yes), *ternary.yes),
             self.node_of(self.evaluate(*ternary.no), *ternary.no)},
            span());
      const bool chosen = self.number(condition, ternary.condition->span, "a condition").truth();
      auto value = self.evaluate(chosen ? *ternary.yes : *ternary.no);
      const auto* number = std::get_if<cell::Value>(&value);
      if (number == nullptr) return value;
      // The type is that of both sides together, and the side not taken is not evaluated.
      const auto other = self.kind_of(chosen ? *ternary.no : *ternary.yes);
      return other && *other != number->kind() ? cell::convert(*number, cell::common_kind(number->kind(), *other))
                                               : *number;
    }
    Value operator()(const cell::Cast& cast) const { return self.cast(cast, span()); }
    Value operator()(const cell::Call& call) const { return self.call(call, span()); }
    Value operator()(const cell::Index& index) const {
      if (auto* held = self.host_struct(expression)) {
        const auto part = self.host_part(std::get<Object>(held->value), expression);
        if (part.shape.empty()) return self.load(part.type, part.bytes);
        throw self
            .error(ErrorKind::type,
                   fmt::format("{} is an array inside of a struct of the host", snippet(self.run_.source, span())),
                   span())
            .advise("Name one of its elements.");
      }
      auto pointer = self.subscript(index, span());
      if (pointer.shape.empty()) return self.element(pointer);
      return pointer;
    }
    Value operator()(const cell::Member& member) const { return self.member(member, expression); }
    Value operator()(const cell::List&) const {
      throw self.error(ErrorKind::type, "a list in braces has no type of its own here", span())
          .advise(
              "Lists are initial values, float x[3] = {1, 2, 3}; with its type in front, Point{1, 2}, one is a value.");
    }
    Value operator()(const cell::SizeOf& size) const {
      std::size_t bytes = 0;
      if (!size.type.empty())
        bytes = self.session_.find_type(self.run_, size.type, span()).size;
      else {
        const auto* type = std::get_if<cell::Name>(&size.operand->node);  // sizeof(P) of a struct reads like a name
        if (type != nullptr && self.names_a_type(type->text))
          return cell::Value::of(
              static_cast<std::uint64_t>(self.session_.find_type(self.run_, type->text, span()).size));
        if (const auto kind = self.kind_of(*size.operand))  // without its effects, as sizeof(++n) has none
          return cell::Value::of(static_cast<std::uint64_t>(cell::type_of(*kind).size));
        const auto value = self.evaluate(*size.operand);
        if (const auto* pointer = std::get_if<Pointer>(&value))
          bytes = count_of(pointer->shape) * pointer->type.size;
        else if (const auto* number = std::get_if<cell::Value>(&value))
          bytes = number->type().size;
        else if (const auto* object = std::get_if<Object>(&value))
          bytes = object->type.size;
        else if (std::holds_alternative<device::Dim3>(value))
          bytes = sizeof(device::Dim3);
        else
          throw self.error(ErrorKind::type, "sizeof has no answer for this", span());
      }
      return cell::Value::of(static_cast<std::uint64_t>(bytes));
    }
    Value operator()(const cell::Lambda&) const {
      throw self.error(ErrorKind::unsupported, "lambdas do not run on the host", span())
          .advise("Write a __device__ function.");
    }
    Value operator()(const cell::IntegerLiteral& literal) const { return cell::Value::literal(literal); }
    Value operator()(const cell::FloatingLiteral& literal) const { return cell::Value::literal(literal); }
    Value operator()(const cell::BoolLiteral& literal) const { return cell::Value::literal(literal); }
    Value operator()(const cell::CharLiteral& literal) const { return cell::Value::literal(literal); }
  };
  return std::visit(Visitor{*this, expression}, expression.node);
}

// A name that stands for no value, and that cells define as a type.
bool Executor::names_a_type(const std::string& text) {
  if (session_.names().find(text) != nullptr || session_.arrays().find(text) != nullptr) return false;
  const auto& definitions = session_.definitions();
  return xcuda::find_type(text) ||
         std::any_of(definitions.begin(), definitions.end(), [&](const Session::Definition& d) {
           return d.piece.name == text &&
                  (d.piece.kind == cell::DeviceKind::type || d.piece.kind == cell::DeviceKind::alias);
         });
}

// The kind of a scalar expression that is not evaluated; nothing where that would take an evaluation.
std::optional<cell::Kind> Executor::kind_of(const cell::Expression& expression) {
  if (std::holds_alternative<cell::BoolLiteral>(expression.node)) return cell::Kind::boolean;
  if (std::holds_alternative<cell::CharLiteral>(expression.node)) return cell::Kind::char8;
  if (const auto* literal = std::get_if<cell::IntegerLiteral>(&expression.node))
    return cell::Value::literal(*literal).kind();
  if (const auto* literal = std::get_if<cell::FloatingLiteral>(&expression.node))
    return cell::Value::literal(*literal).kind();
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto* variable = session_.names().find(name->text);
    if (variable == nullptr && session_.arrays().find(name->text) == nullptr &&
        !session_.variables().find(name->text)) {
      if (const auto constant = host_constant(session_, run_.sink, name->text)) {
        const auto* number = std::get_if<cell::Value>(&constant->value);
        return number == nullptr ? std::nullopt : std::optional(number->kind());
      }
      const auto known = cell::known_constant(name->text);
      return known ? std::optional(known->kind()) : std::nullopt;
    }
    const auto* number = variable == nullptr ? nullptr : std::get_if<cell::Value>(&variable->value);
    return number == nullptr ? std::nullopt : std::optional(number->kind());
  }
  if (std::holds_alternative<cell::SizeOf>(expression.node)) return cell::Kind::ulong64;
  if (const auto* call = std::get_if<cell::Call>(&expression.node)) {
    const auto* name = std::get_if<cell::Name>(&call->callee->node);
    const auto function = name == nullptr || session_.program().is_function(name->text)
                              ? std::nullopt
                              : language::find_function(name->text);
    std::vector<cell::Kind> kinds;
    for (const auto& argument : call->arguments) {
      const auto kind = kind_of(*argument.value);
      if (!kind) return std::nullopt;
      kinds.push_back(*kind);
    }
    return function ? language::type_of_call(*function, kinds) : std::nullopt;
  }
  if (const auto* member = std::get_if<cell::Member>(&expression.node)) {
    const auto* base = std::get_if<cell::Name>(&member->base->node);
    const auto* variable = base == nullptr ? nullptr : session_.names().find(base->text);
    if (variable == nullptr) return std::nullopt;
    return std::holds_alternative<device::Dim3>(variable->value) ? std::optional(cell::Kind::uint32) : std::nullopt;
  }
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) {
    const auto* name = std::get_if<cell::Name>(&index->base->node);
    const auto* array = name == nullptr ? nullptr : session_.arrays().find(name->text);
    const auto one = [](const cell::Subscript& subscript) { return !subscript.slice; };
    const bool element = array != nullptr && index->subscripts.size() == array->shape.size() &&
                         std::all_of(index->subscripts.begin(), index->subscripts.end(), one);
    return element ? cell::kind_of(array->type) : std::nullopt;
  }
  if (const auto* binary = std::get_if<cell::Binary>(&expression.node)) {
    const auto left = kind_of(*binary->left), right = kind_of(*binary->right);
    static constexpr std::string_view kTruths = " == != < > <= >= && || ";
    if (kTruths.find(" " + binary->op + " ") != std::string_view::npos) return cell::Kind::boolean;
    if (binary->op == "<<" || binary->op == ">>") return left ? std::optional(cell::promoted(*left)) : std::nullopt;
    return left && right ? std::optional(cell::common_kind(*left, *right)) : std::nullopt;
  }
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node)) {
    if (unary->op == "!") return cell::Kind::boolean;
    if (unary->op == "*" || unary->op == "&") return std::nullopt;
    const auto operand = kind_of(*unary->operand);
    const bool step = unary->op.ends_with("++") || unary->op.ends_with("--");
    return operand && !step ? std::optional(cell::promoted(*operand)) : operand;
  }
  if (const auto* ternary = std::get_if<cell::Ternary>(&expression.node)) {
    const auto yes = kind_of(*ternary->yes), no = kind_of(*ternary->no);
    if (!yes || !no) return std::nullopt;
    return *yes == *no ? *yes : cell::common_kind(*yes, *no);
  }
  if (const auto* assignment = std::get_if<cell::Assignment>(&expression.node)) return kind_of(*assignment->target);
  if (const auto* cast = std::get_if<cell::Cast>(&expression.node))
    if (const auto type = xcuda::find_type(cast->type)) return cell::kind_of(*type);
  return std::nullopt;
}

}  // namespace xcuda::interpreter
