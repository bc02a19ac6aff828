// The forms of expressions.
#include <fmt/format.h>

#include "base/lane_names.hpp"
#include "base/text.hpp"
#include "cell/container_types.hpp"
#include "cell/expression_root.hpp"
#include "cell/library_names.hpp"
#include "cell/method.hpp"
#include "cell/parser.hpp"
#include "cell/snippet.hpp"
#include "cell/type_word.hpp"
#include "language/addresses.hpp"
#include "language/array_members.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/constants.hpp"
#include "language/host/container_rules.hpp"
#include "language/host/vector_types.hpp"

namespace xcuda::language {

using cell::Span;

Form Checker::form(const cell::Expression& expression) {
  auto result = made_vector(expression).empty() ? visit(expression) : vector_value(expression);
  checked_.forms.insert_or_assign(&expression, result);
  return result;
}

Form Checker::visit(const cell::Expression& expression) {
  struct Visitor {
    Checker& self;
    const cell::Expression& expression;
    Span span;
    Form operator()(const cell::IntegerLiteral& literal) const { return Form::number(ScalarValue::literal(literal)); }
    Form operator()(const cell::FloatingLiteral& literal) const { return Form::number(ScalarValue::literal(literal)); }
    Form operator()(const cell::BoolLiteral& literal) const { return Form::number(ScalarValue::literal(literal)); }
    Form operator()(const cell::CharLiteral& literal) const { return Form::number(ScalarValue::literal(literal)); }
    Form operator()(const cell::StringLiteral&) const { return Form::of(Form::Kind::text); }
    Form operator()(const cell::Name& name) const {
      self.note_lambda(name.text);
      return self.name(name.text, span);
    }
    Form operator()(const cell::Unary& unary) const { return self.unary(unary, span); }
    Form operator()(const cell::Binary& binary) const { return self.binary(binary, span); }
    Form operator()(const cell::Assignment& assignment) const { return self.assignment(assignment, span); }
    Form operator()(const cell::Ternary& ternary) const { return self.ternary(ternary, span); }
    Form operator()(const cell::Cast& cast) const { return self.cast(cast, span); }
    Form operator()(const cell::Call& call) const {
      const auto* reversed = cell::reversed_member(call);
      if (reversed != nullptr && self.is_struct(*reversed))  // r.rend() of a struct of the cells
        if (const auto base = self.form(*reversed->base); !cell::is_library_name(base.type.name))
          return self.method_result(base, cell::reverse_name(*reversed), 0);
      if (auto pointer = self.iterator(expression)) return std::move(*pointer);
      return self.call(call, span);
    }
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
    Form operator()(const cell::LaunchText&) const {
      self.say(launch_as_value(self.source_, span));
      return {};
    }
  };
  return std::visit(Visitor{*this, expression, expression.span}, expression.node);
}

// The form of an array or a list; a list has the type of its numbers, or their common type in C++.
Form Checker::array_or_list(const cell::Expression& expression) {
  const auto* list = std::get_if<cell::List>(&expression.node);
  if (list == nullptr || list->elements.empty()) return form(expression);
  Extents extents = {list->elements.size()};
  std::optional<Form> first;
  std::optional<Kind> kind;
  bool typed = true;
  for (const auto& one : list->elements) {
    const bool row = std::holds_alternative<cell::List>(one->node);
    const auto given = row ? array_or_list(*one) : number(*one, "an element of a list");
    if (!given.is_known()) return {};
    if (first && (given.is_array() != first->is_array() || (row && given.extents != first->extents))) {
      say(complaint(source_, ErrorKind::value, "the rows of the list differ in length", expression.span));
      return {};
    }
    if (!first) first = given;
    const auto own = given.has_type() ? kind_of(given.type) : std::nullopt;
    typed = typed && own;
    if (own) kind = !kind || *kind == *own ? own : std::optional(common_kind(*kind, *own));
  }
  if (first->is_array() && first->extents)
    extents.insert(extents.end(), first->extents->begin(), first->extents->end());
  auto result = Form::array(typed && kind ? type_of(*kind) : Type(), std::move(extents));
  checked_.forms.insert_or_assign(&expression, result);
  return result;
}

bool Checker::may_convert(const Form& form) {
  return form.kind == Form::Kind::object && form.type.scalar == Scalar::none && form.type.lanes == 1 &&
         (!cell::is_library_name(form.type.name) || cell::has_library_operators(form.type.name));
}

Form Checker::number(const cell::Expression& expression, std::string_view what) {
  auto given = form(expression);
  if (!given.is_known() || given.kind == Form::Kind::number) return given;
  if (!may_convert(given)) say(number_expected(source_, given, expression.span, what));
  return {};
}

void Checker::integer(const cell::Expression& expression, std::string_view what) {
  const auto given = number(expression, what);
  if (given.kind == Form::Kind::number && given.has_type() && !given.type.is_integer())
    say(dimension_not_integer(source_, what, given.type, expression.span));
}

Form Checker::name(const std::string& text, Span span) {
  if (auto found = find(text)) return std::move(*found);
  if (forgotten_ || expanded_) return {};
  if (is_place_name(text)) return text == "__LINE__" ? Form::number(Kind::int32) : Form::of(Form::Kind::text);
  if (text == "nullptr" || text == "NULL") return Form::of(Form::Kind::null);
  if (const auto constant = known_constant(text)) return Form::number(*constant);
  if (is_function(text)) return Form::of(Form::Kind::function);
  if (const auto scope = scope_of(text); !scope.empty() && environment_.is_type(scope)) return {};  // a static member
  // std::is_same_v<T, float>; return out; return std::nullopt;
  if (cell::is_library_name(text) || text == "std::cout" || text == "std::nullopt" || text == "std::in_place")
    return {};
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
      std::vector<Shaped> shapes;
      for (const auto& [one, at] : operands)
        if (one->is_array() && one->extents) shapes.push_back({at, *one->extents});
      say(shapes_differ(source_, shapes, span));
      return std::nullopt;
    }
    extents = *whole;
  }
  return extents;
}

Form Checker::ternary(const cell::Ternary& ternary, Span span) {
  const auto chosen = form(*ternary.condition);
  if (!chosen.is_array()) condition(chosen, ternary.condition->span);
  ++uncertain_;
  auto yes = form(*ternary.yes), no = form(*ternary.no);
  --uncertain_;
  if (!chosen.is_known() || !yes.is_known() || !no.is_known()) return {};
  const auto a = number_kind(yes), b = number_kind(no);
  std::optional<Kind> both;
  if (a && b) both = *a == *b ? *a : common_kind(*a, *b);
  if (yes.is_address || no.is_address) return yes.is_address ? yes : no;
  if (chosen.is_array() && !chosen.is_address) {
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
  if (cell::container_type(cast.type)) return container_values(*cast.operand), container_form(cast.type);
  const bool may_be_function = cast.style == cell::Cast::Style::functional && find_type(cast.type) &&
                               !cell::is_keyword(cast.type) && !cast.type.ends_with("_t");
  if (may_be_function && (environment_.is_function(cast.type) || environment_.host_function(cast.type, 1) != nullptr)) {
    say(complaint(source_, ErrorKind::type,
                  fmt::format("{0} is a function of a cell, and to statements {0}(x) is a cast", cast.type), span)
            .advise("Give the function another name."));
    return {};
  }
  const bool list = std::holds_alternative<cell::List>(cast.operand->node);
  if (cell::type_word(cast.type) == cell::TypeWord::dim3) {
    dimension(*cast.operand, "a dim3");
    return Form::of(Form::Kind::dim3);
  }
  if (cast.type == "void") return static_cast<void>(form(*cast.operand)), Form::of(Form::Kind::nothing);
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
  auto given = form(*cast.operand);
  if (!type || type->name.empty() || !given.is_known()) return {};
  if (given.kind == Form::Kind::function) return given;
  if (pointer) {
    const bool zero = given.value && given.value->is_integer() && !given.value->truth();  // (float*)0
    if (given.kind == Form::Kind::null || zero) return Form::of(Form::Kind::null);
    const bool moved = moved_array(*cast.operand) != nullptr;  // (float*)(x + n)
    if (!given.is_array() || (given.memory == Form::Memory::none && !moved)) {
      say(not_an_array(source_, cast.operand->span, span));
      return {};
    }
    auto result = Form::array(*type, Extents(1));
    result.memory = Form::Memory::part;
    return result;
  }
  const bool address = (given.is_address && given.rank() == 1 && holds_address(*type)) ||  // (size_t)p of a T* p
                       (given.is_array() && is_integer_of_address(spelling));
  if ((address || gives_address(cast)) && (given.is_array() || given.kind == Form::Kind::null)) {
    if (holds_address(*type)) return Form::number(*type);
    say(address_does_not_fit(source_, cast, span));
    return {};
  }
  if (given.is_array()) return Form::array(*type, given.extents);
  const auto kind = kind_of(*type);
  if (!kind) return given.kind == Form::Kind::object ? Form{.kind = Form::Kind::object, .type = *type} : Form();
  if (is_complex(*kind)) return {};
  if (may_convert(given)) return Form::number(*type);
  if (given.kind != Form::Kind::number) {
    say(number_expected(source_, given, cast.operand->span, "the operand of a cast"));
    return {};
  }
  return given.value ? Form::number(convert(*given.value, *kind)) : Form::number(*type);
}

Form Checker::member(const cell::Member& member, Span span) {
  const auto base = form(*member.base);
  if (!base.is_known()) {
    accessible(base.type, member, span);
    return {};
  }
  if (base.kind == Form::Kind::dim3) {
    if (lane_of(member.member, 3)) return Form::number(Kind::uint32);
    say(unknown_dim3_member(source_, member, span));
    return {};
  }
  if (base.kind == Form::Kind::sparse && !member.arrow) {
    const auto which = sparse_member(member);
    if (!which) {
      say(unknown_sparse_member(source_, member, span));
      return {};
    }
    switch (*which) {
      case SparseMember::nnz: return Form::number(Kind::ulong64);
      case SparseMember::transposed: return Form::sparse(base.type, {(*base.extents)[1], (*base.extents)[0]});
      case SparseMember::shape: return Form::array(type_of(Kind::ulong64), Extents{2});
      case SparseMember::values:
      case SparseMember::columns:
      case SparseMember::rows: break;
    }
    auto part = Form::array(*which == SparseMember::values ? base.type : type_of(Kind::int32), Extents(1));
    part.memory = Form::Memory::part;
    return part;
  }
  if (const auto which = array_member(member); which && base.is_array() && base.rank() != 0) {
    if (*which == ArrayMember::shape)
      return Form::array(type_of(Kind::ulong64), Extents{base.rank() ? Extent(*base.rank()) : Extent()});
    if (*which != ArrayMember::transposed) return Form::number(Kind::ulong64);
    auto turned = Form::array(base.type, base.extents);
    turned.memory = Form::Memory::part;
    turned.read_only = base.read_only;
    if (turned.extents) std::reverse(turned.extents->begin(), turned.extents->end());
    return turned;
  }
  if (base.is_array() && base.rank() == 0 && base.on_device && !member.arrow) return {};
  if (base.is_array() && base.rank() != 0 && !member.arrow) {
    say(members_of_array(source_, member, base.type));
    return {};
  }
  if (base.kind != Form::Kind::object && !base.is_array()) return {};
  if (base.type.lanes > 1)
    return lane_of(member.member, base.type.lanes) ? Form::number(xcuda::type_of(base.type.scalar)) : Form();
  accessible(base.type, member, span);
  const auto members = environment_.members_of(base.type);
  if (!members) return {};
  for (const auto& one : *members) {
    if (one.name != member.member) continue;
    if (!one.shape.empty()) {
      auto part = Form::array(one.type, Extents(one.shape.begin(), one.shape.end()));
      part.memory = Form::Memory::part;
      return part;
    }
    return one.type.name.ends_with('*') ? Form() : element(one.type);
  }
  return {};  // the member's own error names the others
}

Form Checker::size_of(const cell::SizeOf& size, Span span) {
  auto result = Form::number(Kind::ulong64);
  using What = cell::SizeOf::What;
  if (!size.type.empty()) {
    const auto type = named_type(size.type, span);
    if (!type || type->size == 0) return result;
    if (size.what == What::offset) return result;  // which the compiler computes
    result.value = ScalarValue::of(static_cast<std::uint64_t>(size.what == What::size ? type->size : type->alignment));
    return result;
  }
  if (const auto* name = std::get_if<cell::Name>(&size.operand->node))  // sizeof(P) of a struct reads like a name
    if (!find(name->text)) {
      const auto type = environment_.find_type(name->text, span);
      if (!type.error && type.type.size > 0 && size.what == What::size)
        result.value = ScalarValue::of(static_cast<std::uint64_t>(type.type.size));
      if (type.error && !forgotten_) say(unknown_name(source_, name->text, size.operand->span, environment_, {}));
      return result;
    }
  const auto before = checked_.errors.size();
  const auto given = form(*size.operand);
  if (size.what == What::size && checked_.errors.size() == before && given.kind == Form::Kind::number &&
      given.has_type())
    result.value = ScalarValue::of(static_cast<std::uint64_t>(given.type.size));
  return result;
}

}  // namespace xcuda::language
