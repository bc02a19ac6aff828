// Operators and assignments: their results, and which operands do not go together.
#include <fmt/format.h>

#include <algorithm>

#include "cell/library_names.hpp"
#include "cell/snippet.hpp"
#include "language/addresses.hpp"
#include "language/answers.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/handles.hpp"
#include "language/host/vector_types.hpp"
#include "language/part_calls.hpp"

namespace xcuda::language {

using cell::Span;

namespace {

// The kind of elements: 16 bits stay 16 bits beside themselves and integers, and truths joined by & are truths.
std::optional<Kind> element_kind(BinaryOperator op, Kind left, Kind right) {
  if (cell::is_bitwise(op) && left == Kind::boolean && right == Kind::boolean) return Kind::boolean;
  const auto is_short = [](Kind kind) { return kind == Kind::float16 || kind == Kind::bfloat16; };
  const auto result = result_kind(op, left, right);
  if (result != Kind::boolean && is_short(left) && is_short(right) && left != right) return Kind::float32;
  return result;
}

// Where it is known and cannot fail.
std::optional<ScalarValue> folded(BinaryOperator op, const ScalarValue& left, const ScalarValue& right) {
  if (is_complex(left.kind()) || is_complex(right.kind()) || !result_kind(op, left.kind(), right.kind()))
    return std::nullopt;
  const bool divides = op == BinaryOperator::divide || op == BinaryOperator::remainder;
  if (divides && left.is_integer() && right.is_integer() && !right.truth()) return std::nullopt;
  const bool shifts = cell::family(op) == cell::BinaryRow::Family::shift;
  if (shifts &&
      (right.is_negative() || right.as_unsigned() >= static_cast<std::uint64_t>(bits_of(promoted(left.kind())))))
    return std::nullopt;
  return language::binary(op, left, right, Place());
}

// Whether nothing remains of an expression whose value is not taken.
bool is_dropped(const cell::Expression& expression) {
  if (const auto* call = std::get_if<cell::Call>(&expression.node)) {
    if (const auto* member = std::get_if<cell::Member>(&call->callee->node))
      return is_function_of_arrays(member->member);
    const auto* name = std::get_if<cell::Name>(&call->callee->node);
    return name != nullptr && is_function_of_arrays(name->text);
  }
  if (const auto* binary = std::get_if<cell::Binary>(&expression.node)) return binary->op != BinaryOperator::comma;
  return std::holds_alternative<cell::Name>(expression.node) || std::holds_alternative<cell::Index>(expression.node) ||
         std::holds_alternative<cell::Member>(expression.node);
}

}  // namespace

Form Checker::unary(const cell::Unary& unary, Span span) {
  const auto& operand = *unary.operand;
  if (cell::is_step(unary.op)) {
    auto result = target(operand);
    if (const auto* name = std::get_if<cell::Name>(&operand.node)) {
      if (result.value && certain())
        assign(name->text, folded(cell::operator_of_step(unary.op), *result.value, ScalarValue::of(1)));
      else
        assign(name->text, std::nullopt);
    }
    if (result.is_array() && !result.on_device && !result.is_address && result.memory == Form::Memory::whole)
      say(step_of_array(source_, unary, span));
    result.value.reset();
    steps(unary, span);
    return result;
  }
  auto given = form(operand);
  steps(unary, span);
  if (!given.is_known()) return {};
  const bool function = given.kind == Form::Kind::function;
  if (function && unary.op == UnaryOperator::logical_not) return Form::number(Kind::boolean);
  if (function && (unary.op == UnaryOperator::address || unary.op == UnaryOperator::pointee)) return given;
  if (unary.op == UnaryOperator::address) {
    if (given.is_array()) given.extents.reset();
    if (given.kind == Form::Kind::number || given.kind == Form::Kind::object) given = Form::array(given.type);
    given.memory = Form::Memory::part;
    return given;
  }
  if (unary.op == UnaryOperator::pointee) {
    if (given.kind == Form::Kind::text) return Form::number(Kind::char8);
    if (given.kind == Form::Kind::number) {
      if (std::holds_alternative<cell::Index>(operand.node)) return {};
      say(power_of_stars(source_, unary, span));
      return {};
    }
    if (!given.is_array()) return {};
    if (given.rank() > 1) {  // a row
      given.extents->erase(given.extents->begin());
      given.is_address = false;
      return given;
    }
    if (number_kind(given)) return Form::number(given.type);
    const bool pointers = !given.has_type() || given.type.name.ends_with('*');
    return given.is_address && given.rank() == 1 && !pointers ? element(given.type) : Form();
  }
  if (given.kind == Form::Kind::object) return {};
  if (unary.op == UnaryOperator::logical_not && (given.is_address || given.kind == Form::Kind::null))
    return Form::number(Kind::boolean);
  if (given.is_address) return say(not_of_pointers(source_, cell::spelling(unary.op), operand.span, span)), Form();
  const auto kind = number_kind(given);
  const auto result = kind                                     ? result_kind(unary.op, *kind)
                      : unary.op == UnaryOperator::logical_not ? std::optional(Kind::boolean)
                                                               : std::nullopt;
  if (given.is_array() && unary.op == UnaryOperator::bit_not && kind == Kind::boolean)
    checked_.remarks.push_back(
        {fmt::format("{0} gives -2 and -1; !{1} is true where the condition is false",
                     cell::snippet(source_.text, span), cell::snippet(source_.text, operand.span)),
         source_.place(span)});
  if (given.is_array()) return Form::array(result ? type_of(*result) : Type(), given.extents);
  if (given.kind != Form::Kind::number) {
    say(number_expected(source_, given, operand.span, fmt::format("the operand of {}", cell::spelling(unary.op))));
    return {};
  }
  if (kind && !result) {
    say(undefined_operator(unary.op, *kind).at(source_.place(span)));
    return {};
  }
  if (given.value) return Form::number(language::unary(unary.op, *given.value, Place()));
  return result ? Form::number(*result) : Form();
}

// kernel<<4, 256>>(x): two angles are a shift.
bool Checker::is_launch_as_shifts(const cell::Binary& binary, Span span) {
  const auto* left = &binary;
  while (const auto* inner = std::get_if<cell::Binary>(&left->left->node)) left = inner;
  const auto* name = std::get_if<cell::Name>(&left->left->node);
  if (name == nullptr || left->op != BinaryOperator::shift_left || find(name->text)) return false;
  const auto kernels = environment_.kernels();
  if (std::find(kernels.begin(), kernels.end(), name->text) == kernels.end()) return false;
  say(launch_as_shifts(source_, name->text, span));
  return true;
}

// a ** b of arrays would be a times the first element of b.
bool Checker::is_power(const cell::Binary& binary, Span span) {
  const auto* unary = std::get_if<cell::Unary>(&binary.right->node);
  const auto at = binary.right->span.begin;
  if (binary.op != BinaryOperator::multiply || unary == nullptr || unary->op != UnaryOperator::pointee || at == 0 ||
      source_.text[at - 1] != '*')
    return false;
  const auto power = form(*unary->operand);
  if (!power.is_array() || power.is_address) return false;
  say(complaint(source_, ErrorKind::type, "** is not an operator of C++: here it multiplies by the first element", span)
          .advise(fmt::format("pow({}, {})", cell::snippet(source_.text, binary.left->span),
                              cell::snippet(source_.text, unary->operand->span))));
  return true;
}

Form Checker::comma(const cell::Binary& binary) {
  form(*binary.left);
  if (is_dropped(*binary.left))  // a, b = b, a and a.min(), a.max() of Python
    checked_.remarks.push_back(
        {fmt::format("{} is dropped: in C++ a comma makes no tuple, but computes one expression after the other",
                     cell::snippet(source_.text, binary.left->span)),
         source_.place(binary.left->span)});
  // a, b = b, a
  const auto* last = std::get_if<cell::Name>(&binary.right->node);
  if (const auto* before = std::get_if<cell::Binary>(&binary.left->node);
      last != nullptr && before != nullptr && before->op == BinaryOperator::comma && !checked_.remarks.empty()) {
    const auto* first = std::get_if<cell::Name>(&before->left->node);
    const auto* assigned = std::get_if<cell::Assignment>(&before->right->node);
    if (first != nullptr && assigned != nullptr && first->text == last->text)
      checked_.remarks.back().text += fmt::format("; swap({}, {}); exchanges the two", first->text,
                                                  cell::snippet(source_.text, assigned->target->span));
  }
  return form(*binary.right);
}

// Expressions nest to 1,000 levels: what only some need of the stack is in functions of its own.
Form Checker::binary(const cell::Binary& binary, Span span) {
  if (auto known = text_stream(binary)) return std::move(*known);
  if (is_launch_as_shifts(binary, span)) return {};
  if (binary.op == BinaryOperator::comma) return comma(binary);
  if (is_stream_output(binary)) return stream(binary);
  const auto left = form(*binary.left);
  if (is_power(binary, span)) return {};
  const bool joins = cell::is_logical(binary.op);
  uncertain_ += joins ? 1 : 0;
  const auto right = form(*binary.right);
  uncertain_ -= joins ? 1 : 0;
  compares(binary, span);
  if (is_of_addresses(binary) && left.is_array() && right.is_array())
    return Form::number(binary.op == BinaryOperator::subtract ? Kind::long64 : Kind::boolean);
  return operation(binary, left, right, span);
}

Form Checker::operation(const cell::Binary& binary, const Form& left, const Form& right, Span span) {
  const auto op = binary.op;
  if (!left.is_known() || !right.is_known()) return {};
  if (auto text = of_texts(binary, left, right)) return std::move(*text);
  if (left.is_address || right.is_address) return of_addresses(binary, left, right, span);
  const auto *l = binary.left.get(), *r = binary.right.get();
  const auto is_value = [](const Form& form) {
    return form.kind == Form::Kind::number || form.kind == Form::Kind::object || form.is_array();
  };
  const bool joins = cell::is_logical(op);
  const bool compares = op == BinaryOperator::equal || op == BinaryOperator::different;
  const bool functions = left.kind == Form::Kind::function && right.kind == Form::Kind::function;
  if (functions && (compares || joins)) return Form::number(Kind::boolean);
  const auto what_left = joins ? fmt::format("the operand of {}", cell::spelling(op)) : "the left operand";
  const auto what_right = joins ? fmt::format("the operand of {}", cell::spelling(op)) : "the right operand";
  const bool on_device =
      left.is_array() || right.is_array() || left.kind == Form::Kind::object || right.kind == Form::Kind::object;
  if (!on_device) {
    const bool null = left.kind == Form::Kind::null || right.kind == Form::Kind::null;
    const bool numbers = left.kind == Form::Kind::number || right.kind == Form::Kind::number;
    const bool handle = is_handle(left.type.written) || is_handle(right.type.written);  // graph == nullptr
    if (null && (!numbers || handle) && compares) return Form::number(Kind::boolean);
  }
  for (const auto& [given, expression, what] : {std::tuple(&left, l, what_left), std::tuple(&right, r, what_right)})
    if (!is_value(*given)) {
      say(number_expected(source_, *given, expression->span, on_device ? "an operand" : what));
      return {};
    }
  const auto a = number_kind(left), b = number_kind(right);
  if (left.grows && right.grows && a && a == b && cell::is_comparison(op)) return Form::number(Kind::boolean);
  if (left.is_array() || right.is_array()) {
    const auto extents = broadcast_or_say({{&left, l->span}, {&right, r->span}}, span);
    const bool typed = a && b && left.kind != Form::Kind::object && right.kind != Form::Kind::object;
    const auto kind = typed ? element_kind(op, *a, *b) : std::nullopt;
    if (typed && (op == BinaryOperator::remainder || op == BinaryOperator::bit_xor) && !kind) {
      say(undefined_operator(op, *a, *b).at(source_.place(span)));
      return {};
    }
    return Form::array(kind ? type_of(*kind) : Type(), extents);
  }
  if (left.kind == Form::Kind::object) return method_result(left, fmt::format("operator{}", cell::spelling(op)), 1);
  if (on_device || !a || !b) return {};
  const auto kind = result_kind(op, *a, *b);
  if (!kind) {
    say(undefined_operator(op, *a, *b).at(source_.place(span)));
    return {};
  }
  if (left.value && right.value && !joins)
    if (const auto value = folded(op, *left.value, *right.value)) return Form::number(*value);
  return Form::number(*kind);
}

// p + n, p - q, p == nullptr: as C++ has them, where one side is a name declared T*.
Form Checker::of_addresses(const cell::Binary& binary, const Form& left, const Form& right, Span span) {
  const auto op = binary.op;
  if (cell::is_logical(op) || cell::is_comparison(op)) return Form::number(Kind::boolean);
  const auto& pointer = left.is_address ? left : right;
  const auto& other = left.is_address ? right : left;
  const bool number = other.kind == Form::Kind::number;
  if (op == BinaryOperator::subtract && left.is_array() && right.is_array()) return Form::number(Kind::long64);
  const bool moves = op == BinaryOperator::add || (op == BinaryOperator::subtract && left.is_address);
  if (moves && number) return pointer;
  say(not_of_pointers(source_, cell::spelling(op), (left.is_address ? binary.left : binary.right)->span, span));
  return {};
}

// What may be written: a variable, an element, a member. Says so where it is const or nothing.
Form Checker::target(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  if (name == nullptr) {
    const auto* unary = std::get_if<cell::Unary>(&expression.node);
    const bool place = std::holds_alternative<cell::Member>(expression.node) ||
                       std::holds_alternative<cell::Index>(expression.node) ||
                       (unary != nullptr && unary->op == UnaryOperator::pointee);
    if (place) return form(expression);
    form(expression);
    if (const auto* either = std::get_if<cell::Ternary>(&expression.node)) {
      for (const auto* side : {&either->yes, &either->no}) {
        target(**side);
        if (const auto* named = std::get_if<cell::Name>(&(*side)->node)) assign(named->text, std::nullopt);
      }
      return checked_.forms[either->yes.get()];
    }
    if (std::holds_alternative<cell::Assignment>(expression.node) ||
        (unary != nullptr && cell::is_step(unary->op) && !cell::is_after(unary->op))) {  // (x += 2) *= 3, ++(++x)
      auto given = form(expression);
      given.value.reset();
      return given;
    }
    const auto* binary = std::get_if<cell::Binary>(&expression.node);
    if (binary != nullptr && may_convert(form(*binary->left))) return {};
    const auto* call = std::get_if<cell::Call>(&expression.node);  // std::get<0>(t) = 5
    const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
    if (callee != nullptr && cell::is_library_name(callee->text)) return {};
    if (call != nullptr && part_function(*call) != nullptr) return form(expression);
    if (callee != nullptr && points_to_function(callee->text)) return {};
    if (callee != nullptr) {  // get(v, 1) = 3
      const auto* function = environment_.host_function(callee->text, call->arguments.size());
      if (function != nullptr && function->result.ends_with('&') && !function->result.starts_with("const "))
        return form_of_result(*function);
      if (function == nullptr && environment_.gives_reference(callee->text)) return {};
    }
    const auto* member = call == nullptr ? nullptr : std::get_if<cell::Member>(&call->callee->node);
    if (call != nullptr) {  // m(i, j) = 3, m.at(i) = 3 of a struct, v.back() = 3
      const auto base = member != nullptr   ? form(*member->base)
                        : callee == nullptr ? form(*call->callee)
                                            : find(callee->text).value_or(Form::of(Form::Kind::nothing));
      const bool part = member != nullptr && is_part_of_library(base, member->member);
      if (part && base.read_only)
        return say(is_constant(source_, cell::snippet(source_.text, member->base->span), member->base->span)), Form();
      if (part || !base.is_known() || may_convert(base) || cell::is_library_view(base.type.name)) return {};
    }
    say(cannot_be_assigned(source_, expression.span));
    return {};
  }
  auto given = form(expression);
  if (given.is_known() && given.read_only && !given.on_device && !given.is_address) {
    say(is_constant(source_, name->text, expression.span));
    return {};
  }
  return given;
}

void Checker::swapped(const cell::Call& call, Span span) {
  const auto* a = call.arguments.size() == 2 ? std::get_if<cell::Name>(&call.arguments[0].value->node) : nullptr;
  const auto* b = call.arguments.size() == 2 ? std::get_if<cell::Name>(&call.arguments[1].value->node) : nullptr;
  if (call.arguments.size() != 2) return say(swap_takes_names(source_, span));
  if (a == nullptr || b == nullptr) {
    for (const auto& argument : call.arguments) {
      const auto given = target(*argument.value);
      if (given.is_array()) return say(swap_takes_names(source_, span));
      if (const auto* name = std::get_if<cell::Name>(&argument.value->node)) assign(name->text, std::nullopt);
    }
    return;
  }
  const auto left = form(*call.arguments[0].value), right = form(*call.arguments[1].value);
  assign(a->text, right.value);
  assign(b->text, left.value);
}

Form Checker::assignment(const cell::Assignment& assignment, Span span) {
  const auto& value = *assignment.value;
  const auto names_array = [&](const cell::Name& one) {
    const auto known = find(one.text);
    return known && known->is_array();
  };
  const bool plain = !assignment.op;
  const auto* name = std::get_if<cell::Name>(&assignment.target->node);
  if (const auto* tie = std::get_if<cell::Call>(&assignment.target->node); tie != nullptr && is_tie(*tie)) {
    form(value);
    for (const auto& argument : tie->arguments)
      if (const auto* part = std::get_if<cell::Name>(&argument.value->node);
          part == nullptr || part->text != "std::ignore")
        target(*argument.value), part != nullptr ? assign(part->text, std::nullopt) : void();
    return {};
  }
  const auto* call = std::get_if<cell::Call>(&value.node);
  const auto initial = call == nullptr || !plain ? std::nullopt : initial_function(*call);
  Form given;
  if (const auto* lambda = plain ? std::get_if<cell::Lambda>(&value.node) : nullptr) {
    const auto place = name != nullptr ? target(*assignment.target) : form(*assignment.target);
    const bool element = name == nullptr && (!place.is_known() || is_function_pointer(place.type.name));
    if (place.kind == Form::Kind::function || element) return forget_captured(*lambda), Form();
  }
  if (std::holds_alternative<cell::List>(value.node) && plain)
    elements(value, {});
  else if (initial && initial->row->result == nullptr)
    this->given(*initial, *call, value.span);
  else if (initial && initial->row->operation == Operation::load)
    this->given(*initial, *call, value.span);
  else if (std::holds_alternative<cell::List>(value.node) &&
           (std::holds_alternative<cell::Index>(assignment.target->node) || (name != nullptr && names_array(*name))))
    given = array_or_list(value);  // x[idx] += {1, 2}
  else
    given = form(value);
  auto place = target(*assignment.target);
  if (name != nullptr) {
    std::optional<ScalarValue> known = given.value;
    if (!plain) known = place.value && given.value ? folded(*assignment.op, *place.value, *given.value) : std::nullopt;
    assign(name->text, known);
  }
  if (place.is_address && name != nullptr) {
    if (plain) points(place, given, value);
    return place;
  }
  if (!place.is_known() && !place.type.written.empty())
    plain ? converts(value, place.type) : steps_by(assignment, span);
  if (!place.is_known() || !given.is_known()) return place.is_array() ? Form::of(Form::Kind::nothing) : Form();
  const bool number = given.kind == Form::Kind::number;
  if (number && place.kind == Form::Kind::number && place.has_type()) {
    if (plain)
      converts(value, place.type);
    else
      steps_by(assignment, span);
  }
  if (place.is_array()) {
    if (given.is_array() && given.extents && place.extents && certain()) {
      const auto whole = broadcast(*given.extents, *place.extents);
      const bool fits = whole && whole->size() == place.extents->size() &&
                        std::equal(whole->begin(), whole->end(), place.extents->begin(),
                                   [](const Extent& a, const Extent& b) { return !a || !b || *a == *b; });
      if (!fits)
        say(plain ? value_does_not_fit(source_, {value.span, *given.extents},
                                       cell::snippet(source_.text, assignment.target->span), *place.extents)
                  : shapes_differ(
                        source_,
                        std::vector<Shaped>{{assignment.target->span, *place.extents}, {value.span, *given.extents}},
                        span));
    }
    return Form::of(Form::Kind::nothing);
  }
  if (plain && is_handle(place.type.written) && given.kind == Form::Kind::null) return place;
  if (place.kind == Form::Kind::number && !number && plain && given.kind != Form::Kind::object && name != nullptr) {
    say(wrong_type(source_, value.span));
    return {};
  }
  auto result = place;
  result.value.reset();
  return result;
}

}  // namespace xcuda::language
