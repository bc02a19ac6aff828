// Calls: whether they fit the function's row, and the result that the row gives them.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/expression_root.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/parse.hpp"
#include "cell/snippet.hpp"
#include "cell/type_word.hpp"
#include "language/answers.hpp"
#include "language/array_members.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/constants.hpp"
#include "language/host/vector_types.hpp"
#include "language/python/python_text.hpp"
#include "language/standard_algorithms.hpp"

namespace xcuda::language {

using cell::Span;

Form Checker::call(const cell::Call& call, Span span) {
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  if (callee != nullptr && callee->text == cell::kThrow) {
    for (const auto& thrown : call.arguments) container_values(*thrown.value);
    return {};
  }
  if (is_object(*call.callee)) return object_call(call);
  if (callee == nullptr) {
    const auto* member = std::get_if<cell::Member>(&call.callee->node);
    if (const auto* name = member == nullptr ? nullptr : std::get_if<cell::Name>(&member->base->node))
      if (const auto base = find(name->text); base && !base->is_known())
        accessible(base->type, *member, call.callee->span);
    if (auto known = stream_call(call)) return std::move(*known);
    if (auto known = text_call(call)) return std::move(*known);
    if (auto known = vector_call(call)) return std::move(*known);
    if (holds_function(*call.callee) || is_object_in_place(*call.callee)) return object_call(call);
    if (std::holds_alternative<cell::Call>(call.callee->node)) {  // made(3)(4)
      const auto made = form(*call.callee);
      if (!made.is_known() || made.kind == Form::Kind::object || made.kind == Form::Kind::function)
        return object_call(call);
    }
    if (member != nullptr && is_struct(*member)) {  // a function of its own
      const auto base = form(*member->base);
      accessible(base.type, *member, call.callee->span);
      return method_result(base, member->member, call.arguments.size());
    }
    const auto* root = std::get_if<cell::Name>(&cell::root_of(*call.callee).node);
    const bool module = root != nullptr && is_python_module(root->text) && !find(root->text);  // np.linalg.norm(x)
    if (member != nullptr && !module) {
      if (const auto* function = method(call, *member, span)) return form(*function);
      const bool computed = std::holds_alternative<cell::Call>(member->base->node) ||
                            (root == nullptr && std::holds_alternative<cell::Member>(member->base->node)) ||
                            std::holds_alternative<cell::Binary>(member->base->node) ||
                            std::holds_alternative<cell::Cast>(member->base->node) ||
                            std::holds_alternative<cell::Assignment>(member->base->node) ||
                            std::holds_alternative<cell::Ternary>(member->base->node) ||
                            std::holds_alternative<cell::Index>(member->base->node) ||
                            std::holds_alternative<cell::Unary>(member->base->node);
      if (computed) {
        const auto base = form(*member->base);
        const bool known = base.kind == Form::Kind::object || (member->arrow && base.is_array());
        if (known || !base.is_known()) {  // (b - a).count()
          for (const auto& argument : call.arguments) container_values(*argument.value);
          return method_result(base, member->member, call.arguments.size());
        }
      }
    }
    if (member != nullptr && root != nullptr && !module && !find(root->text))
      return name(root->text, cell::root_of(*call.callee).span), Form();
    const bool known = member != nullptr && !member->arrow && !module;
    if (!forgotten_) say(not_a_function(source_, call, span, environment_, known ? form(*member->base) : Form()));
    return {};
  }
  if (auto known = container_function(call, callee->text)) return std::move(*known);
  if (callee->text == cell::kGoto) return Form::of(Form::Kind::nothing);
  if (callee->text == cell::kLabel) return forget_variables(), Form::of(Form::Kind::nothing);
  if (callee->text == cell::kDelete || callee->text == cell::kDeleteArray)
    return function_call(*find_function("free"), call, span);
  if (callee->text == cell::kNew) {
    for (const auto& argument : call.arguments) elements(*argument.value, {});
    return find_function("calloc")->row->result({});
  }
  if (environment_.is_macro(callee->text)) return macro_call(call);
  if (points_to_function(callee->text)) return object_call(call);
  const auto name = without_std(callee->text);
  const bool of_cells = environment_.is_function(name);
  const auto found = find_function(callee->text);
  if (environment_.is_module_function(callee->text)) return module_call(call, span);
  if (const auto* function = environment_.host_function(callee->text, call.arguments.size()))
    return host_call(*function, call, span);
  if (is_algorithm_call(call)) {
    const auto& place = *pointed_into(*call.arguments[0].value);
    const auto* first = std::get_if<cell::Name>(&place.node);
    const bool unknown = first != nullptr && !find(first->text) && !environment_.is_function(first->text);
    const auto known = unknown ? Form() : form(place);
    const bool iterates =
        vector_of_iterator(*call.arguments[0].value) == nullptr || known.grows;  // x.begin() of an array
    const bool of_library =
        known.kind == Form::Kind::text || (known.kind == Form::Kind::object && cell::is_library_array(known.type.name));
    if (!known.is_known() || of_library || (known.is_array() && iterates)) return algorithm_call(call);
  }
  if (const auto range = of_cells ? std::nullopt : iterator_range(source_, call);
      range && !familiar_algorithm(callee->text, *range).empty() && form(*range->base).is_array()) {
    say(takes_iterators(source_, call, *range, span));
    return {};
  }
  if (const auto range = of_cells ? std::nullopt : iterator_range(source_, call); range && !checked_.errors.empty()) {
    // What declares it is an error already: sort(d.begin(), d.end()) of a thrust::device_vector d.
    const auto said = checked_.errors.size();
    const bool unknown = !form(*range->base).is_known();
    checked_.errors.erase(checked_.errors.begin() + static_cast<std::ptrdiff_t>(said), checked_.errors.end());
    if (unknown) return {};
  }
  if (found && !is_of_library(call) && (!of_cells || comes_before_cells(found->row->operation, callee->text)))
    return function_call(*found, call, span);
  const auto forms = [&] {
    std::vector<Form> given;
    for (const auto& argument : call.arguments)
      given.push_back(std::holds_alternative<cell::List>(argument.value->node) ? Form() : form(*argument.value));
    return given;
  };
  if (of_cells || is_device_intrinsic(name))
    return device_call(call, of_cells ? environment_.result_type(name) : Type());
  if (cell::type_word(name) == cell::TypeWord::dim3) {
    for (const auto& argument : call.arguments) extent(*argument.value, "a dim3");
    return Form::of(Form::Kind::dim3);
  }
  const auto vector = name.starts_with("make_") ? xcuda::find_type(name.substr(5)) : xcuda::find_type(name);
  if (vector && (vector->lanes > 1 || vector->scalar >= Scalar::complex64)) {
    for (const auto& argument : call.arguments) elements(*argument.value, *vector);
    return vector->lanes > 1 ? Form{.kind = Form::Kind::object, .type = *vector} : Form::number(*vector);
  }
  for (const auto type : types_in_name(name))  // P(1, 2), P::count()
    if (environment_.is_type(type)) {
      forms();
      if (type != name.substr(0, name.find('<'))) return {};
      auto made = environment_.find_type(std::string(name), call.callee->span);
      return made.error || made.type.name.empty() ? Form() : Form{.kind = Form::Kind::object, .type = made.type};
    }
  if (call.arguments.empty())
    if (const auto limit = numeric_limit(callee->text)) return Form::number(*limit);
  if (is_error_check(callee->text) && call.arguments.size() == 1) return form(*call.arguments[0].value);
  if (cell::is_library_function(callee->text)) {  // which may change variables: std::exchange(x, 3)
    forms();
    for (const auto& argument : call.arguments)
      if (const auto* given = std::get_if<cell::Name>(&argument.value->node)) assign(given->text, std::nullopt);
    return {};
  }
  if (host_code_answer(callee->text) || forgotten_) return {};
  const auto said = checked_.errors.size();
  forms();
  const auto named = find(callee->text);
  auto unknown = named && named->is_array() ? array_called(source_, call, *named)
                                            : unknown_function(source_, call, span, environment_);
  // The line that an answer to a habit offers has other arguments: help(sum).
  if (is_habit(callee->text))
    checked_.errors.erase(checked_.errors.begin() + static_cast<std::ptrdiff_t>(said), checked_.errors.end());
  say(std::move(unknown));
  return {};
}

// std::norm(z) of a number is C++'s function; of an array it is the function of arrays.
bool Checker::is_of_library(const cell::Call& call) {
  const auto& callee = std::get<cell::Name>(call.callee->node).text;
  return callee.starts_with("std::") && cell::is_library_name(callee) && call.arguments.size() == 1 &&
         call.arguments[0].name.empty() && form(*call.arguments[0].value).kind == Form::Kind::number;
}

// What it gives depends on its template, which the compiler checks.
Form Checker::algorithm_call(const cell::Call& call) {
  std::set<std::string> places;  // whose names are reported once, if they are unknown
  for (const auto& argument : call.arguments) {
    const auto& given = *argument.value;
    if (const auto* lambda = std::get_if<cell::Lambda>(&given.node)) {
      forget_captured(*lambda);
      continue;
    }
    const auto* name = std::get_if<cell::Name>(&given.node);
    const bool object = is_library_object(given) || std::holds_alternative<cell::List>(given.node) ||
                        (name != nullptr && environment_.is_function(name->text) && !find(name->text));
    const auto* into = object ? nullptr : pointed_into(given);
    if (into != nullptr) {
      if (places.insert(cell::snippet(source_.text, into->span)).second) form(*into);
    } else if (!object)
      form(given);
  }
  return {};
}

// With each element of arrays, or once.
Form Checker::device_call(const cell::Call& call, Type type) {
  const auto& callee = std::get<cell::Name>(call.callee->node).text;
  const bool memory = environment_.takes_memory(without_std(callee));
  std::vector<Form> forms;
  for (const auto& argument : call.arguments) {
    const auto& given = *argument.value;
    if (std::holds_alternative<cell::Lambda>(given.node) || is_library_object(given)) continue;
    if (std::holds_alternative<cell::List>(given.node)) {
      elements(given, {});
      continue;
    }
    forms.push_back(form(given));
    const auto* address = std::get_if<cell::Unary>(&given.node);
    const auto& place =
        memory && address != nullptr && address->op == UnaryOperator::address ? *address->operand : given;
    if (const auto* name = std::get_if<cell::Name>(&place.node); memory && name != nullptr)
      assign(name->text, std::nullopt);
  }
  if (memory) return kind_of(type) ? Form::number(std::move(type)) : Form();
  bool array = false, known = true;
  Extents extents;
  for (const auto& one : forms) {
    array = array || one.is_array();
    known = known && one.is_known();
    const auto whole = one.is_array() && one.extents ? broadcast(extents, *one.extents) : std::nullopt;
    if (one.is_array()) known = known && whole;
    if (whole) extents = *whole;
  }
  if (array) return Form::array(std::move(type), known ? std::optional(std::move(extents)) : std::nullopt);
  if (!known || type.name.empty() || type.name == "void") return {};
  return kind_of(type) ? Form::number(std::move(type)) : Form();
}

void Checker::argument(const Parameter& parameter, const cell::Expression& expression, const Function& function,
                       Form& result) {
  const auto what = std::string(parameter.name);
  const auto wrong = [&](Error error) {
    say(std::move(error));
    result = {};
  };
  switch (parameter.takes) {
    case Takes::function: result = Form::of(Form::Kind::function); return;
    case Takes::arrays:
      result = Form::of(Form::Kind::list);
      if (const auto* list = std::get_if<cell::List>(&expression.node))
        for (const auto& one : list->elements) {
          result.parts.push_back(array_or_list(*one));
          if (result.parts.back().kind == Form::Kind::number)
            return wrong(array_expected(source_, function.name, one->span));
        }
      else
        form(expression);
      return;
    case Takes::extents:
      if (const auto* member = std::get_if<cell::Member>(&expression.node);
          member != nullptr && array_member(*member) == ArrayMember::shape) {
        result = form(expression);
        return;
      }
      if (const auto* list = std::get_if<cell::List>(&expression.node)) {
        result = Form::of(Form::Kind::list);
        for (const auto& one : list->elements) {
          auto& part = result.parts.emplace_back();
          if (std::holds_alternative<cell::List>(one->node))
            argument(parameter, *one, function, part);  // the widths of pad()
          else
            part = number(*one, "an extent");
        }
        return;
      }
      result = number(expression, "an extent");
      return;
    case Takes::matrix:
      result = array_or_list(expression);
      if (result.kind == Form::Kind::sparse || !result.is_known() || result.is_array()) return;
      return wrong(array_expected(source_, function.name, expression.span));
    case Takes::array:
      result = array_or_list(expression);
      if (!result.is_known() || result.is_array() || function.operation == Operation::all_close) return;
      return wrong(result.kind == Form::Kind::sparse ? sparse_matrix_given(source_, function.name, expression.span)
                                                     : array_expected(source_, function.name, expression.span));
    case Takes::number:
    case Takes::truth:
      if (parameter.name == "axis" && std::holds_alternative<cell::List>(expression.node))
        return wrong(
            complaint(source_, ErrorKind::type, "axis is one number, not a list", expression.span)
                .advise(fmt::format("Take one axis after the other: {0}({0}(x, axis = 1), axis = 0).", function.name)));
      result = number(expression, what);
      return;
    case Takes::event:
      result = form(expression);
      if (result.is_known() && result.kind != Form::Kind::event) wrong(event_expected(source_, expression.span));
      return;
    case Takes::word: {  // by itself, as a text, or (void*)kernel
      const auto* given = &cell::without_casts(expression);
      if (std::holds_alternative<cell::Name>(given->node)) return;
      result = form(expression);
      return;
    }
    case Takes::any:
      if (!is_of_runtime(function.operation) && !is_of_statements(function.operation)) {
        result = array_or_list(expression);
        const bool order = function.operation == Operation::norm;  // norm(x, "fro")
        if (result.kind == Form::Kind::text && !order) wrong(number_expected(source_, result, expression.span, what));
        return;
      }
      [[fallthrough]];
    case Takes::text:
    case Takes::stream:
    case Takes::name: result = form(expression); return;
  }
}

// The forms that the parameters are given; nothing, with an error, where they do not fit the row.
std::optional<std::vector<Form>> Checker::given(const FunctionName& function, const cell::Call& call, Span span) {
  const auto& row = *function.row;
  const auto bound = try_bind(source_, row, call, span);
  if (bound.error) {
    say(*bound.error);
    return std::nullopt;
  }
  const auto* fits = fitting(row, call.arguments);
  const auto& signature = fits != nullptr ? *fits : signatures_of(row).back();
  std::vector<Form> forms;
  for (std::size_t i = 0; i < bound.given.size(); ++i) {
    auto& one = forms.emplace_back(Form::of(Form::Kind::nothing));
    if (bound.given[i] == nullptr) continue;
    if (i < signature.parameters.size())
      argument(signature.parameters[i], *bound.given[i], row, one);
    else
      one = form(*bound.given[i]);
  }
  return forms;
}

Form Checker::function_call(const FunctionName& function, const cell::Call& call, Span span) {
  const auto& row = *function.row;
  switch (row.operation) {
    case Operation::assertion:
      if (call.arguments.size() != 1) return Form::of(Form::Kind::nothing);  // running it says what assert takes
      if (const auto& given = call.arguments[0]; given.name.empty())
        asserted(*given.value);
      else
        say(assertion_assigns(source_, given.name_span, given.value->span));  // n = 3 looks like a named argument
      return Form::of(Form::Kind::nothing);
    case Operation::exchange: swapped(call, span); return Form::of(Form::Kind::nothing);
    case Operation::cover: say(cover_outside_launch(source_, span)); return {};
    default: break;
  }
  if (row.operation == Operation::arange || row.operation == Operation::linspace) return sequence(function, call);
  if (is_initial_value(row.operation)) {
    say(is_initial_value_only(source_, row.name, span));
    return {};
  }
  if (!takes_whole_arrays(row, call.arguments) && row.numbers != nullptr) {  // of elements
    std::vector<Form> forms;
    std::vector<std::pair<const Form*, Span>> operands;
    for (const auto& argument : call.arguments) forms.push_back(form(*argument.value));
    const bool array = std::any_of(forms.begin(), forms.end(), [](const Form& one) { return one.is_array(); });
    for (std::size_t i = 0; i < forms.size(); ++i) {
      operands.emplace_back(&forms[i], call.arguments[i].value->span);
      const bool value = !forms[i].is_known() || forms[i].kind == Form::Kind::number || forms[i].is_array() ||
                         forms[i].kind == Form::Kind::object;
      if (value) continue;
      say(number_expected(source_, forms[i], call.arguments[i].value->span,
                          array ? "an operand" : fmt::format("an argument of {}", row.name)));
      return {};
    }
    const auto count = signatures_of(row).front().parameters.size();
    if (forms.size() != count) {
      say(complaint(
          source_, ErrorKind::type,
          fmt::format("{}() takes {} argument{}, not {}", row.name, count, count == 1 ? "" : "s", forms.size()), span));
      return {};
    }
    if (array && !broadcast_or_say(operands, span)) return Form::array({});
    return result_of(function, forms);
  }
  const auto forms = given(function, call, span);
  if (is_of_runtime(row.operation)) forget_outputs(call);
  if (!forms) return {};
  if (row.operation == Operation::dot && (*forms)[0].rank() > 1 && (*forms)[1].rank() > 1)
    checked_.remarks.push_back({fmt::format("{} is the sum of all products; matmul() is the product of matrices",
                                            cell::snippet(source_.text, span)),
                                source_.place(span)});
  for (std::size_t i = 0; i < forms->size() && i < 2; ++i)  // what is not known may be anything
    if ((*forms)[i].kind == Form::Kind::unknown && row.result != nullptr && i == 0 &&
        (signatures_of(row).back().parameters[0].takes == Takes::array ||
         signatures_of(row).back().parameters[0].takes == Takes::matrix))
      return {};
  return result_of(function, *forms);
}

// arange(10), linspace(0, 1, 11): as an expression it is an array.
Form Checker::sequence(const FunctionName& function, const cell::Call& call) {
  for (const auto& argument : call.arguments) {  // the run says what else is missing or too much
    const auto& signatures = signatures_of(*function.row);
    const bool known = argument.name.empty() || std::any_of(signatures.begin(), signatures.end(), [&](const auto& one) {
                         const auto names = one.names();
                         return std::find(names.begin(), names.end(), argument.name) != names.end();
                       });
    if (known) continue;
    if (auto bound = try_bind(source_, *function.row, call, call.callee->span); bound.error) say(*bound.error);
    return Form::array({}, Extents(1));
  }
  std::optional<Kind> kind;
  if (function.row->operation == Operation::arange) kind = Kind::int32;
  for (const auto& argument : call.arguments) {
    const auto given = number(*argument.value, function.row->name);
    const auto own = given.has_type() ? kind_of(given.type) : std::nullopt;
    if (kind && own)
      kind = common_kind(*kind, *own);
    else
      kind.reset();
  }
  if (function.row->operation == Operation::linspace) kind = Kind::float64;
  if (!function.type.empty()) return Form::array(find_type(function.type).value_or(Type()), Extents(1));
  return Form::array(kind ? type_of(*kind) : Type(), Extents(1));
}

// A truth, an array of them, or "a condition && a string".
void Checker::asserted(const cell::Expression& condition) {
  if (std::holds_alternative<cell::StringLiteral>(condition.node)) return;
  const auto* binary = std::get_if<cell::Binary>(&condition.node);
  if (binary != nullptr && cell::is_logical(binary->op)) {
    asserted(*binary->left);
    ++uncertain_;
    asserted(*binary->right);
    --uncertain_;
    return;
  }
  if (const auto* assigned = std::get_if<cell::Assignment>(&condition.node); assigned != nullptr && !assigned->op)
    return say(assertion_assigns(source_, assigned->target->span, assigned->value->span));
  const auto given = form(condition);
  const bool holds = !given.is_known() || given.kind == Form::Kind::number || given.is_array() ||
                     given.kind == Form::Kind::null || given.kind == Form::Kind::function;
  if (!holds) say(number_expected(source_, given, condition.span, "the condition"));
}

void Checker::forget_outputs(const cell::Call& call) {
  for (const auto& argument : call.arguments) {
    const auto* place = &cell::without_casts(*argument.value);
    const auto* address = std::get_if<cell::Unary>(&place->node);
    if (address == nullptr || address->op != UnaryOperator::address) continue;
    if (const auto* name = std::get_if<cell::Name>(&address->operand->node)) assign(name->text, std::nullopt);
  }
}

}  // namespace xcuda::language
