// Expressions: what they are, and which operators and operands do not go together.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/expression_root.hpp"
#include "cell/snippet.hpp"
#include "language/answers.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/constants.hpp"

namespace xcuda::language {

using cell::Span;

namespace {

constexpr std::string_view kTruths[] = {"==", "!=", "<", ">", "<=", ">=", "&&", "||"};

std::optional<Kind> number_kind(const Form& form) { return form.has_type() ? kind_of(form.type) : std::nullopt; }

// What C++ makes of two numbers; nothing where it has no such operator.
std::optional<Kind> result_kind(std::string_view op, Kind left, Kind right) {
  if (among(op, kTruths)) return Kind::boolean;
  const bool integers = is_integer(left) && is_integer(right);
  if (op == "<<" || op == ">>") return integers ? std::optional(promoted(left)) : std::nullopt;
  if (!integers && (op == "%" || op == "&" || op == "|" || op == "^")) return std::nullopt;
  return common_kind(left, right);
}

// Of elements: 16 bits stay 16 bits beside themselves and integers.
std::optional<Kind> element_kind(std::string_view op, Kind left, Kind right) {
  const auto is_short = [](Kind kind) { return kind == Kind::float16 || kind == Kind::bfloat16; };
  if (!among(op, kTruths) && is_short(left) && is_short(right) && left != right) return Kind::float32;
  return result_kind(op, left, right);
}

// Where it is known and cannot fail.
std::optional<Value> folded(std::string_view op, const Value& left, const Value& right) {
  if (is_complex(left.kind()) || is_complex(right.kind()) || !result_kind(op, left.kind(), right.kind()))
    return std::nullopt;
  const bool divides = (op == "/" || op == "%") && left.is_integer() && right.is_integer();
  if (divides && !right.truth()) return std::nullopt;
  const bool shifts = op == "<<" || op == ">>";
  if (shifts &&
      (right.is_negative() || right.as_unsigned() >= static_cast<std::uint64_t>(bits_of(promoted(left.kind())))))
    return std::nullopt;
  return language::binary(op, left, right, Place());
}

bool is_step(const cell::Unary& unary) { return unary.op.ends_with("++") || unary.op.ends_with("--"); }

}  // namespace

Form Checker::form(const cell::Expression& expression) {
  auto result = visit(expression);
  checked_.forms.insert_or_assign(&expression, result);
  return result;
}

Form Checker::visit(const cell::Expression& expression) {
  struct Visitor {
    Checker& self;
    Span span;
    Form operator()(const cell::IntegerLiteral& literal) const { return Form::number(Value::literal(literal)); }
    Form operator()(const cell::FloatingLiteral& literal) const { return Form::number(Value::literal(literal)); }
    Form operator()(const cell::BoolLiteral& literal) const { return Form::number(Value::literal(literal)); }
    Form operator()(const cell::CharLiteral& literal) const { return Form::number(Value::literal(literal)); }
    Form operator()(const cell::StringLiteral&) const { return Form::of(Form::Kind::text); }
    Form operator()(const cell::Name& name) const { return self.name(name.text, span); }
    Form operator()(const cell::Unary& unary) const { return self.unary(unary, span); }
    Form operator()(const cell::Binary& binary) const { return self.binary(binary, span); }
    Form operator()(const cell::Assignment& assignment) const { return self.assignment(assignment, span); }
    Form operator()(const cell::Ternary& ternary) const { return self.ternary(ternary, span); }
    Form operator()(const cell::Cast& cast) const { return self.cast(cast, span); }
    Form operator()(const cell::Call& call) const { return self.call(call, span); }
    Form operator()(const cell::Index& index) const { return self.index(index, span); }
    Form operator()(const cell::Member& member) const { return self.member(member, span); }
    Form operator()(const cell::SizeOf& size) const { return self.size_of(size, span); }
    Form operator()(const cell::List&) const {
      self.say(list_without_type(self.source_, span));
      return {};
    }
    Form operator()(const cell::Lambda&) const {
      self.say(lambda_on_host(self.source_, span));
      return {};
    }
  };
  return std::visit(Visitor{*this, expression.span}, expression.node);
}

Form Checker::number(const cell::Expression& expression, std::string_view what) {
  auto given = form(expression);
  if (!given.is_known() || given.kind == Form::Kind::number) return given;
  say(number_expected(source_, given, expression.span, what));
  return {};
}

void Checker::integer(const cell::Expression& expression, std::string_view what) {
  const auto given = number(expression, what);
  if (given.kind == Form::Kind::number && given.has_type() && !given.type.is_integer())
    say(complaint(source_, ErrorKind::type, fmt::format("an extent of {} is {}, not an integer", what, given.type.name),
                  expression.span)
            .advise("Convert it: int(...)."));
}

Form Checker::name(const std::string& text, Span span) {
  if (auto found = find(text)) return std::move(*found);
  if (forgotten_) return {};
  if (text == "nullptr" || text == "NULL") return Form::of(Form::Kind::null);
  if (const auto constant = known_constant(text)) return Form::number(*constant);
  std::vector<std::string> declared;
  for (const auto& scope : scopes_)
    for (const auto& [known, form] : scope.names) declared.push_back(known);
  say(unknown_name(source_, text, span, environment_, declared));
  return {};
}

std::optional<Extents> Checker::broadcast_or_say(const std::vector<std::pair<const Form*, Span>>& operands, Span span) {
  Extents extents;
  for (const auto& [operand, place] : operands) {
    if (!operand->is_array()) continue;
    if (!operand->extents) return std::nullopt;
    const auto whole = broadcast(extents, *operand->extents);
    if (!whole) {
      if (!certain()) return std::nullopt;
      std::string shapes;
      for (const auto& [one, at] : operands)
        if (one->is_array() && one->extents)
          shapes += fmt::format("{}{} is {}", shapes.empty() ? "" : ", ", cell::snippet(source_.text, at),
                                shape_text(*one->extents));
      say(complaint(source_, ErrorKind::value, fmt::format("the shapes do not match: {}", shapes), span)
              .advise("Counted from the last one, extents must be equal, or one of them 1."));
      return std::nullopt;
    }
    extents = *whole;
  }
  return extents;
}

Form Checker::unary(const cell::Unary& unary, Span span) {
  const auto& operand = *unary.operand;
  if (is_step(unary)) {
    auto result = target(operand);
    if (const auto* name = std::get_if<cell::Name>(&operand.node)) {
      if (result.value && certain())
        assign(name->text, folded(unary.op.ends_with("++") ? "+" : "-", *result.value, Value::of(1)));
      else
        assign(name->text, std::nullopt);
    }
    if (result.is_array() && !result.on_device && result.memory == Form::Memory::whole) {
      const auto op = unary.op.substr(unary.op.size() - 1);
      say(complaint(
              source_, ErrorKind::type,
              fmt::format("{0}{0} needs a number, but {1} is an array", op, cell::snippet(source_.text, operand.span)),
              span)
              .advise(fmt::format("{} {}= 1;", cell::snippet(source_.text, operand.span), op)));
    }
    result.value.reset();
    return result;
  }
  auto given = form(operand);
  if (!given.is_known()) return {};
  if (unary.op == "&") {
    if (given.is_array()) given.extents.reset();
    if (given.kind == Form::Kind::number || given.kind == Form::Kind::object) given = Form::array(given.type);
    given.memory = Form::Memory::part;
    return given;
  }
  if (unary.op == "*") {
    if (given.kind == Form::Kind::number) {
      if (std::holds_alternative<cell::Index>(operand.node)) return {};
      say(power_of_stars(source_, unary, span));
      return {};
    }
    if (!given.is_array()) return {};
    return number_kind(given) ? Form::number(given.type) : Form();
  }
  if (given.kind == Form::Kind::object) return {};
  const auto kind = number_kind(given);
  const auto result = unary.op == "!" ? std::optional(Kind::boolean) : kind ? std::optional(promoted(*kind)) : kind;
  if (given.is_array()) return Form::array(result ? type_of(*result) : Type(), given.extents);
  if (given.kind != Form::Kind::number) {
    say(number_expected(source_, given, operand.span, "the operand of " + unary.op));
    return {};
  }
  if (unary.op == "~" && kind && !is_integer(*kind)) {
    say(complaint(source_, ErrorKind::type, fmt::format("'~' is not defined for {}", given.type.name), span));
    return {};
  }
  if (given.value) return Form::number(language::unary(unary.op, *given.value, Place()));
  return result ? Form::number(*result) : Form();
}

Form Checker::binary(const cell::Binary& binary, Span span) {
  if (binary.op == ",") {
    form(*binary.left);
    return form(*binary.right);
  }
  const auto left = form(*binary.left);
  const bool joins = binary.op == "&&" || binary.op == "||";
  uncertain_ += joins ? 1 : 0;
  const auto right = form(*binary.right);
  uncertain_ -= joins ? 1 : 0;
  return operation(binary.op, left, right, binary, span);
}

Form Checker::operation(std::string_view op, const Form& left, const Form& right, const cell::Binary& binary,
                        Span span) {
  if (!left.is_known() || !right.is_known()) return {};
  const auto *l = binary.left.get(), *r = binary.right.get();
  const auto is_value = [](const Form& form) {
    return form.kind == Form::Kind::number || form.kind == Form::Kind::object || form.is_array();
  };
  const bool joins = op == "&&" || op == "||";
  const auto what_left = joins ? fmt::format("the operand of {}", op) : "the left operand";
  const auto what_right = joins ? fmt::format("the operand of {}", op) : "the right operand";
  const bool on_device =
      left.is_array() || right.is_array() || left.kind == Form::Kind::object || right.kind == Form::Kind::object;
  if (!on_device) {
    const bool null = left.kind == Form::Kind::null || right.kind == Form::Kind::null;
    const bool numbers = left.kind == Form::Kind::number || right.kind == Form::Kind::number;
    if (null && !numbers && (op == "==" || op == "!=")) return Form::number(Kind::boolean);
  }
  for (const auto& [given, expression, what] : {std::tuple(&left, l, what_left), std::tuple(&right, r, what_right)})
    if (!is_value(*given)) {
      say(number_expected(source_, *given, expression->span, on_device ? "an operand" : what));
      return {};
    }
  const auto a = number_kind(left), b = number_kind(right);
  if (left.is_array() || right.is_array()) {
    const auto extents = broadcast_or_say({{&left, l->span}, {&right, r->span}}, span);
    const bool typed = a && b && left.kind != Form::Kind::object && right.kind != Form::Kind::object;
    const auto kind = typed ? element_kind(op, *a, *b) : std::nullopt;
    const bool truth = among(op, kTruths) && typed;
    return Form::array(kind ? type_of(truth ? Kind::boolean : *kind) : Type(), extents);
  }
  if (on_device || !a || !b) return {};
  const auto kind = result_kind(op, *a, *b);
  if (!kind) {
    auto error = complaint(source_, ErrorKind::type,
                           fmt::format("'{}' is not defined for {} and {}", op, left.type.name, right.type.name), span);
    if (op == "%") error.advice = "Use fmod(a, b).";
    say(std::move(error));
    return {};
  }
  if (left.value && right.value && !joins)
    if (const auto value = folded(op, *left.value, *right.value)) return Form::number(*value);
  return Form::number(*kind);
}

// What may be written: a variable, an element, a member. Says so where it is const or nothing.
Form Checker::target(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  if (name == nullptr) {
    const auto* unary = std::get_if<cell::Unary>(&expression.node);
    const bool place = std::holds_alternative<cell::Member>(expression.node) ||
                       std::holds_alternative<cell::Index>(expression.node) || (unary != nullptr && unary->op == "*");
    if (place) return form(expression);
    form(expression);
    say(complaint(source_, ErrorKind::type,
                  fmt::format("{} cannot be assigned to", cell::snippet(source_.text, expression.span)),
                  expression.span));
    return {};
  }
  auto given = form(expression);
  if (given.is_known() && given.read_only && !given.on_device) {
    say(is_constant(source_, name->text, expression.span));
    return {};
  }
  return given;
}

Form Checker::assignment(const cell::Assignment& assignment, Span span) {
  const auto& value = *assignment.value;
  const auto op = std::string_view(assignment.op).substr(0, assignment.op.size() - 1);
  const auto* name = std::get_if<cell::Name>(&assignment.target->node);
  const auto* call = std::get_if<cell::Call>(&value.node);
  const auto initial = call == nullptr || !op.empty() ? std::nullopt : initial_function(*call);
  Form given;
  if (std::holds_alternative<cell::List>(value.node) && op.empty())
    elements(value, {});
  else if (initial && initial->row->result == nullptr)
    this->given(*initial, *call, value.span);
  else if (initial && initial->row->operation == Operation::load)
    this->given(*initial, *call, value.span);
  else
    given = form(value);
  const auto place = target(*assignment.target);
  if (name != nullptr) {
    std::optional<Value> known = given.value;
    if (!op.empty()) known = place.value && given.value ? folded(op, *place.value, *given.value) : std::nullopt;
    assign(name->text, known);
  }
  if (!place.is_known() || !given.is_known()) return place.is_array() ? Form::of(Form::Kind::nothing) : Form();
  const bool number = given.kind == Form::Kind::number;
  if (place.is_array()) {
    if (given.is_array() && given.extents && place.extents && certain()) {
      const auto whole = broadcast(*given.extents, *place.extents);
      const bool fits = whole && whole->size() == place.extents->size() &&
                        std::equal(whole->begin(), whole->end(), place.extents->begin(),
                                   [](const Extent& a, const Extent& b) { return !a || !b || *a == *b; });
      if (!fits)
        say(op.empty() ? complaint(source_, ErrorKind::value,
                                   fmt::format("{} has the shape {}, but {} has the shape {}",
                                               cell::snippet(source_.text, value.span), shape_text(*given.extents),
                                               cell::snippet(source_.text, assignment.target->span),
                                               shape_text(*place.extents)),
                                   value.span)
                       : complaint(source_, ErrorKind::value,
                                   fmt::format("the shapes do not match: {} is {}, {} is {}",
                                               cell::snippet(source_.text, assignment.target->span),
                                               shape_text(*place.extents), cell::snippet(source_.text, value.span),
                                               shape_text(*given.extents)),
                                   span)
                             .advise("Counted from the last one, extents must be equal, or one of them 1."));
    }
    return Form::of(Form::Kind::nothing);
  }
  if (place.kind == Form::Kind::number && !number && op.empty() && given.kind != Form::Kind::object &&
      name != nullptr) {
    say(complaint(source_, ErrorKind::type,
                  fmt::format("{} has the wrong type", cell::snippet(source_.text, value.span)), value.span));
    return {};
  }
  auto result = place;
  result.value.reset();
  return result;
}

Form Checker::ternary(const cell::Ternary& ternary, Span span) {
  const auto chosen = form(*ternary.condition);
  const bool truth = chosen.kind == Form::Kind::text || chosen.kind == Form::Kind::null;
  if (chosen.is_known() && chosen.kind != Form::Kind::number && !truth && !chosen.is_array())
    say(number_expected(source_, chosen, ternary.condition->span, "a condition"));
  ++uncertain_;
  const auto yes = form(*ternary.yes), no = form(*ternary.no);
  --uncertain_;
  if (!chosen.is_known() || !yes.is_known() || !no.is_known()) return {};
  const auto a = number_kind(yes), b = number_kind(no);
  std::optional<Kind> both;
  if (a && b) both = *a == *b ? *a : common_kind(*a, *b);
  if (chosen.is_array()) {
    const auto extents = broadcast_or_say(
        {{&chosen, ternary.condition->span}, {&yes, ternary.yes->span}, {&no, ternary.no->span}}, span);
    return Form::array(both ? type_of(*both) : Type(), extents);
  }
  if (yes.kind == Form::Kind::number && no.kind == Form::Kind::number) {
    auto result = both ? Form::number(*both) : Form();
    const auto& value = chosen.value && chosen.value->truth() ? yes.value : no.value;
    if (chosen.value && value && both) result.value = convert(*value, *both);
    return result;
  }
  if (yes.kind == no.kind && yes.kind != Form::Kind::array && yes.type == no.type) return yes;
  return {};
}

Form Checker::cast(const cell::Cast& cast, Span span) {
  const bool list = std::holds_alternative<cell::List>(cast.operand->node);
  if (cast.type == "dim3") {
    dimension(*cast.operand, "a dim3");
    return Form::of(Form::Kind::dim3);
  }
  auto spelling = cast.type;
  const bool pointer = spelling.ends_with('*');
  if (pointer) {
    spelling.pop_back();
    for (const std::string_view word : {"const ", " const"})
      if (const auto at = spelling.find(word); at != std::string::npos) spelling.erase(at, word.size());
    spelling = std::string(trim(spelling));
  }
  const auto type = spelling == "void" ? type_of(Kind::uint8) : named_type(spelling, span);
  if (list) {
    elements(*cast.operand, type.value_or(Type()));
    if (!type || type->name.empty()) return {};
    const auto kind = kind_of(*type);
    return kind && !is_complex(*kind) ? Form::number(*type)
           : kind                     ? Form()
                                      : Form{.kind = Form::Kind::object, .type = *type};
  }
  const auto given = form(*cast.operand);
  if (!type || type->name.empty() || !given.is_known()) return {};
  if (pointer) {
    if (given.kind == Form::Kind::null) return given;
    if (!given.is_array() || given.memory == Form::Memory::none) {
      say(complaint(source_, ErrorKind::type,
                    fmt::format("{} is not an array", cell::snippet(source_.text, cast.operand->span)), span));
      return {};
    }
    auto result = Form::array(*type, Extents(1));
    result.memory = Form::Memory::part;
    return result;
  }
  if (given.is_array()) return Form::array(*type, given.extents);
  const auto kind = kind_of(*type);
  if (!kind) return given.kind == Form::Kind::object ? Form{.kind = Form::Kind::object, .type = *type} : Form();
  if (is_complex(*kind)) return {};
  if (given.kind != Form::Kind::number) {
    say(number_expected(source_, given, cast.operand->span, "the operand of a cast"));
    return {};
  }
  return given.value ? Form::number(convert(*given.value, *kind)) : Form::number(*type);
}

Form Checker::index(const cell::Index& index, Span span) {
  (void)span;
  const auto base = form(*index.base);
  std::vector<Form> given;
  for (const auto& subscript : index.subscripts) {
    const auto* word = subscript.slice ? nullptr : std::get_if<cell::Name>(&subscript.start->node);
    if (word != nullptr && (word->text == "None" || word->text == "newaxis")) {
      say(complaint(source_, ErrorKind::unsupported, fmt::format("{} cannot add an extent", word->text), subscript.span)
              .advise(fmt::format("Use reshape({}, n, 1).", cell::snippet(source_.text, index.base->span))));
      return {};
    }
    Form one;
    for (const auto* part : {&subscript.start, &subscript.stop, &subscript.step}) {
      if (*part == nullptr) continue;
      auto value = form(**part);
      if (value.is_array() && !subscript.slice) {
        say(array_as_subscript(source_, *index.base, **part));
        return {};
      }
      if (value.is_known() && value.kind != Form::Kind::number) {
        say(number_expected(source_, value, (*part)->span, "a subscript"));
        return {};
      }
      if (value.kind == Form::Kind::number && value.has_type() && !value.type.is_integer()) {
        say(subscript_not_integer(source_, value.type, (*part)->span));
        return {};
      }
      one = std::move(value);
    }
    given.push_back(std::move(one));
  }
  if (!base.is_known()) return {};
  if (!base.is_array()) {
    if (base.kind == Form::Kind::object || base.kind == Form::Kind::texture) return {};
    say(no_elements(source_, base, index.base->span));
    return {};
  }
  if (!base.extents) return {};
  auto extents = *base.extents;
  std::size_t dimension = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& subscript = index.subscripts[i];
    if (dimension >= extents.size()) {
      say(no_more_dimensions(source_, *index.base, subscript.span));
      return {};
    }
    auto& extent = extents[dimension];
    if (subscript.slice) {
      const bool whole = subscript.start == nullptr && subscript.stop == nullptr && subscript.step == nullptr;
      if (!whole) {
        const auto value = [&](const cell::ExpressionPtr& part, const Extent& otherwise) -> Extent {
          if (part == nullptr) return otherwise;
          const auto& known = checked_.forms[part.get()].value;
          return known && !known->is_negative() ? Extent(known->as_unsigned()) : std::nullopt;
        };
        const auto from = value(subscript.start, 0), to = value(subscript.stop, extent),
                   step = value(subscript.step, 1);
        extent =
            from && to && step && *step > 0 && *from < *to ? Extent((*to - *from + *step - 1) / *step) : std::nullopt;
      }
      ++dimension;
      continue;
    }
    if (const auto& value = given[i].value; value && extent && certain())
      if (value->is_negative() || value->as_unsigned() >= *extent) {
        say(complaint(source_, ErrorKind::value,
                      fmt::format("index {} is out of bounds: {} has {} element{} there", value->text(),
                                  cell::snippet(source_.text, index.base->span), *extent, *extent == 1 ? "" : "s"),
                      subscript.start->span)
                .advise(value->is_negative()
                            ? fmt::format("Elements are counted from the front: the last one is [{}].", *extent - 1)
                            : ""));
        return {};
      }
    extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(dimension));
  }
  if (!extents.empty()) {
    auto result = Form::array(base.type, std::move(extents));
    result.memory = Form::Memory::part;
    result.read_only = base.read_only;
    result.on_device = base.on_device;
    return result;
  }
  if (!base.has_type()) return {};
  if (number_kind(base)) return Form::number(base.type);
  return base.type.name.ends_with('*') ? Form() : Form{.kind = Form::Kind::object, .type = base.type};
}

Form Checker::member(const cell::Member& member, Span span) {
  const auto base = form(*member.base);
  if (!base.is_known()) return {};
  if (base.kind == Form::Kind::dim3) {
    if (member.member == "x" || member.member == "y" || member.member == "z") return Form::number(Kind::uint32);
    say(unknown_dim3_member(source_, member, span));
    return {};
  }
  if (base.is_array() && !member.arrow) {
    if (base.on_device && base.rank() == 0) return {};
    auto known = familiar_member(member.member, cell::snippet(source_.text, member.base->span));
    say(complaint(source_, ErrorKind::type,
                  fmt::format("{} is an array; only its elements have members",
                              cell::snippet(source_.text, member.base->span)),
                  member.base->span)
            .advise(known.empty() ? fmt::format("Write {0}[i].{1} for one element.",
                                                cell::snippet(source_.text, member.base->span), member.member)
                                  : known));
    return {};
  }
  if (base.kind != Form::Kind::object && !base.is_array()) return {};
  static constexpr std::string_view kLanes = "xyzw";
  if (base.type.lanes > 1) {
    const auto lane = member.member.size() == 1 ? kLanes.find(member.member[0]) : std::string_view::npos;
    return lane < static_cast<std::size_t>(base.type.lanes) ? Form::number(xcuda::type_of(base.type.scalar)) : Form();
  }
  const auto members = environment_.members_of(base.type);
  if (!members) return {};
  for (const auto& one : *members) {
    if (one.name != member.member) continue;
    if (!one.shape.empty()) {
      auto part = Form::array(one.type, Extents(one.shape.begin(), one.shape.end()));
      part.memory = Form::Memory::part;
      return part;
    }
    const auto kind = kind_of(one.type);
    return kind                           ? Form::number(one.type)
           : one.type.name.ends_with('*') ? Form()
                                          : Form{.kind = Form::Kind::object, .type = one.type};
  }
  return {};  // the member's own error names the others
}

Form Checker::size_of(const cell::SizeOf& size, Span span) {
  auto result = Form::number(Kind::ulong64);
  if (!size.type.empty()) {
    const auto type = named_type(size.type, span);
    if (type && type->size > 0) result.value = Value::of(static_cast<std::uint64_t>(type->size));
    return result;
  }
  if (const auto* name = std::get_if<cell::Name>(&size.operand->node))  // sizeof(P) of a struct reads like a name
    if (!find(name->text)) return result;
  const auto before = checked_.errors.size();
  const auto given = form(*size.operand);
  if (checked_.errors.size() == before && given.kind == Form::Kind::number && given.has_type())
    result.value = Value::of(static_cast<std::uint64_t>(given.type.size));
  return result;
}

}  // namespace xcuda::language
