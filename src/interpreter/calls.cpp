#include "interpreter/calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/library_names.hpp"
#include "cell/macro.hpp"
#include "cell/method.hpp"
#include "cell/parse.hpp"
#include "cell/type_word.hpp"
#include "interpreter/array_calls.hpp"
#include "interpreter/assertions.hpp"
#include "interpreter/composed/composition.hpp"
#include "interpreter/containers/callables.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_streams.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/macro_statements.hpp"
#include "interpreter/host/module_calls.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/host_calls.hpp"
#include "interpreter/host_constants.hpp"
#include "interpreter/initial_values.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/matrices/einsum.hpp"
#include "interpreter/matrices/matrix_calls.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/native/native_calls.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/native/text_ranges.hpp"
#include "interpreter/order_calls.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/targets.hpp"
#include "language/answers.hpp"
#include "language/complaints.hpp"
#include "language/constants.hpp"
#include "language/functions.hpp"
#include "language/standard_algorithms.hpp"

namespace xcuda::interpreter {

Value Calls::of_language(const FunctionCall& of) {
  using language::Operation;
  const auto& call = of.call;
  const auto span = of.span;
  switch (of.row().operation) {
    case Operation::numbers: return frame_.array_calls.of_elements(of);
    case Operation::reduction:
      return language::takes_whole_arrays(of.row(), call.arguments) ? frame_.array_calls.reduce(of)
                                                                    : frame_.array_calls.of_elements(of);
    case Operation::variance: return frame_.array_calls.reduce(of);
    case Operation::median: return frame_.order_calls.median(of);
    case Operation::dot: return frame_.array_calls.dot(of);
    case Operation::all_close: return language::ScalarValue::of(frame_.assertions.all_close(of));
    case Operation::fold: return frame_.array_calls.fold(of);
    case Operation::scan: return frame_.order_calls.scan(of);
    case Operation::sort:
    case Operation::order:
    case Operation::unique: return frame_.order_calls.sort(of);
    case Operation::histogram: return frame_.order_calls.histogram(of);
    case Operation::map: return frame_.array_calls.map(of);
    case Operation::where: return frame_.array_calls.choose(of);
    case Operation::reshape: return frame_.array_calls.reshape(of);
    case Operation::transpose:
    case Operation::reverse: return frame_.array_calls.turn(of);
    case Operation::roll: return frame_.order_calls.roll(of);
    case Operation::extent: return frame_.array_calls.first_extent(of);
    case Operation::matmul: return frame_.matrix_calls.multiply(of);
    case Operation::outer: return frame_.matrix_calls.outer(of);
    case Operation::einsum: return frame_.einsum.sum(of);
    case Operation::kron: return frame_.matrix_calls.kronecker(of);
    case Operation::matrix_power: return frame_.matrix_calls.power(of);
    case Operation::arange:
    case Operation::linspace: return frame_.initial_values.sequence(of);
    case Operation::uniform:
    case Operation::normal:
    case Operation::lognormal:
    case Operation::poisson:
    case Operation::randint:
    case Operation::shard:
    case Operation::replicated:
    case Operation::like:
    case Operation::load: break;
    case Operation::cover: throw language::cover_outside_launch(frame_.text, span);
    case Operation::print: return frame_.host_calls.print(call, span);
    case Operation::assertion: return frame_.assertions.check(call, span), Nothing{};
    case Operation::exchange: return frame_.host_calls.exchange(call, span), Nothing{};
    case Operation::record: return frame_.streams.record(call, span), Nothing{};
    case Operation::wait: return frame_.streams.wait(call, span), Nothing{};
    case Operation::elapsed: return frame_.streams.elapsed(call, span);
    case Operation::environment:
    case Operation::integer_of_text:
    case Operation::real_of_text:
    case Operation::single_of_text: return frame_.host_calls.text(of);
    case Operation::text_of_number:
    case Operation::make_text:
    case Operation::text_length:
    case Operation::text_order: return frame_.texts.of_language(of);
    default:
      if (language::is_of_devices(of.row().operation)) return frame_.devices.call(of);
      return language::is_of_runtime(of.row().operation) ? frame_.runtime_calls.call(of)
                                                         : std::move(evaluate_composed(frame_, of).front());
  }
  throw language::is_initial_value_only(frame_.text, of.row().name, of.span);
}

class Calls::Expanding {
 public:
  Expanding(Calls& calls, const cell::Call& call) : calls_(calls) { calls_.expanding_.push_back(&call); }
  ~Expanding() { calls_.expanding_.pop_back(); }
  Expanding(const Expanding&) = delete;
  Expanding& operator=(const Expanding&) = delete;

 private:
  Calls& calls_;
};

Value Calls::call(const cell::Call& call, cell::Span span) {
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  if (const auto* member = std::get_if<cell::Member>(&call.callee->node)) {
    if (frame_.output_streams.call(call, *member)) return Nothing{};
    if (auto result = frame_.texts.call(call, *member, span)) return std::move(*result);
    if (auto result = frame_.vectors.call(call, *member, span)) return std::move(*result);
  }
  if (const auto* member = std::get_if<cell::Member>(&call.callee->node))
    if (auto result = frame_.host_function_calls.method(call, *member, span)) return std::move(*result);
  if (const auto* member = std::get_if<cell::Member>(&call.callee->node))
    frame_.library_values.require_index(call, *member, span);
  const auto pointed = callee == nullptr ? frame_.lookup.function_in(*call.callee) : std::nullopt;
  if (pointed) return named(call, frame_.lookup.named(*pointed, call.callee->span), span);
  if (const auto* member = std::get_if<cell::Member>(&call.callee->node))
    if (auto result = frame_.native_calls.member_call(call, *member, span)) return std::move(*result);
  if (const auto* member = std::get_if<cell::Member>(&call.callee->node))
    if (const auto* function = method(call, *member, span)) return evaluate(*function);
  if (callee == nullptr)
    if (auto result = frame_.library_values.method(call, span)) return std::move(*result);
  if (callee == nullptr && frame_.containers.refers(*call.callee)) {  // table['+'](1, 2)
    const auto held = evaluate(*call.callee);
    if (const auto* function = std::get_if<Function>(&held))
      return named(call, frame_.lookup.named(*function, call.callee->span), span);
    if (std::holds_alternative<Object>(held)) {
      std::vector<ItemPtr> given;
      for (const auto& one : call.arguments) {
        const auto* name = std::get_if<cell::Name>(&one.value->node);
        auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
        given.push_back(variable != nullptr ? ItemPtr(std::shared_ptr<void>(), variable)
                                            : std::make_shared<Variable>(Variable{evaluate(*one.value), false, {}}));
      }
      return frame_.callables.call(frame_.callables.of(held, *call.callee, given.size()), given);
    }
  }
  if (std::holds_alternative<cell::Lambda>(call.callee->node))  // [&] { throw 1; }()
    if (const auto function = frame_.callables.lambda(*call.callee, Callables::Use::kept))
      return named(call, function->name, span);
  if (const auto& object = frame_.expressions.form(*call.callee); object.kind == language::Form::Kind::object)
    if (auto result = frame_.host_function_calls.operate(*call.callee, "()", pointers_to(call.arguments), span))
      return std::move(*result);
  if (frame_.native_calls.is_object(*call.callee) ||
      (callee == nullptr && frame_.object_operators.is_struct(*call.callee)))
    return frame_.native_calls.object_call(call, span);
  if (const auto* maker = std::get_if<cell::Call>(&call.callee->node)) {  // made(3)(4)
    if (frame_.native_calls.is_object(*maker->callee)) return frame_.native_calls.object_call(call, span);
    const auto made = evaluate(*call.callee);
    if (const auto* function = std::get_if<Function>(&made))
      return named(call, frame_.lookup.named(*function, call.callee->span), span);
    if (std::holds_alternative<Object>(made)) return frame_.native_calls.object_call(call, made, span);
  }
  if (callee == nullptr) {
    SessionNames names(session_, run_, nullptr);
    throw language::not_a_function(frame_.text, call, span, names);
  }
  if (callee->text == cell::kDelete || callee->text == cell::kDeleteArray) {
    frame_.lifetimes.end_deleted(*call.arguments[0].value, callee->text);
    return of_language({*language::find_function("free"), call, span});
  }
  if (const auto* function = frame_.records.inherited(call, span)) return evaluate(*function);
  if (callee->text == cell::kThrow) frame_.exceptions.raise(call, span);
  if (callee->text == cell::kNew) return frame_.runtime_calls.construct(call, span);
  if (const auto* reversed = reverse_method(call, span)) return evaluate(*reversed);
  return named(call, frame_.lookup.function_called(callee->text, span), span);
}

// `called` is what the callee is the name of, or points to.
Value Calls::named(const cell::Call& call, const std::string& called, cell::Span span) {
  if (auto result = frame_.containers.call(call, called, span)) return std::move(*result);
  if (auto result = frame_.module_calls.call(call, called, span)) return std::move(*result);
  if (auto result = frame_.host_function_calls.call(call, called, span)) return std::move(*result);
  if (language::is_algorithm_call(call))
    if (const auto& into = *language::pointed_into(*call.arguments[0].value);
        frame_.expressions.form(into).is_array() || frame_.references.is_library_array(into) ||
        TextRanges::is_text(session_, into))
      return frame_.native_calls.algorithm(call, span);
  const auto function = language::without_std(called);
  const bool of_cells = session_.code().program().is_function(function);
  const auto found = language::find_function(called);
  const bool of_library = called.starts_with("std::") && cell::is_library_name(called) && call.arguments.size() == 1 &&
                          frame_.expressions.form(*call.arguments[0].value).kind == language::Form::Kind::number;
  if (found && !of_library && (!of_cells || language::comes_before_cells(found->row->operation, called)))
    return of_language({*found, call, span});
  std::vector<Value> evaluated;
  const bool closure = function.starts_with(session::kClosure);
  if (of_cells || closure)
    if (auto result = frame_.native_calls.call(call, function, evaluated, span)) return std::move(*result);
  if (of_cells || closure || language::is_device_intrinsic(function))
    return frame_.array_calls.of_device_code(call, function, std::move(evaluated), span);
  if (cell::type_word(function) == cell::TypeWord::dim3) {
    if (call.arguments.size() > 3) throw error(ErrorKind::value, "a dim3 has at most three extents", span);
    return frame_.dimensions.of(pointers_to(call.arguments), "a dim3", Dimensions::Conversion::implicit);
  }
  const auto vector = function.starts_with("make_") ? xcuda::find_type(function.substr(5)) : xcuda::find_type(function);
  if (vector && (vector->lanes > 1 || vector->scalar >= Scalar::complex64)) {
    std::vector<std::byte> bytes(vector->size);
    frame_.elements.read_members(pointers_to(call.arguments), *vector, bytes, span);
    return frame_.targets.load(*vector, bytes);
  }
  for (const auto type : language::types_in_name(function))  // P(1, 2), P::count()
    if (frame_.lookup.is_type(std::string(type))) return frame_.library_values.made_of_calls(call, span);
  if (call.arguments.empty())
    if (auto limit = language::numeric_limit(called)) return *limit;
  if (const auto* expression = expansion(call, called, span)) {
    const NestedEvaluation nested(session_, *expression);
    const Expanding expanding(*this, call);
    return evaluate(*expression);
  }
  if (language::is_error_check(called) && call.arguments.size() == 1) return evaluate(*call.arguments[0].value);
  if (cell::is_library_function(called)) return frame_.library_values.call(call, span);
  if (const auto answer = language::host_code_answer(called)) {
    throw error(ErrorKind::unsupported, fmt::format("a cell cannot call {}", called), span).advise(answer->advice);
  }
  SessionNames names(session_, run_, nullptr);
  throw language::unknown_function(frame_.text, call, span, names);
}

// r.rend() of a struct of the cells as it is written; null for other calls.
const cell::Expression* Calls::reverse_method(const cell::Call& call, cell::Span span) {
  if (const auto known = expansions_.find(&call); known != expansions_.end()) return known->second.get();
  const auto* reversed = cell::reversed_member(call);
  if (reversed == nullptr) return nullptr;
  const auto& form = frame_.expressions.form(*reversed->base);
  // What a pointer leads to may be of a type that the cell itself defines: its form is not known.
  const bool object = reversed->arrow || (form.kind == language::Form::Kind::object && !form.type.name.empty());
  if (!object || form.type.scalar != Scalar::none || cell::is_library_name(form.type.name)) return nullptr;
  return (expansions_[&call] = cell::as_reverse_method(call, *reversed, span)).get();
}

// x.sum(axis = 0) as sum(x, axis = 0); null if x is not an array or no function has this name.
const cell::Expression* Calls::method(const cell::Call& call, const cell::Member& member, cell::Span span) {
  if (const auto known = expansions_.find(&call); known != expansions_.end()) return known->second.get();
  const bool part = language::has_part(frame_.expressions.form(*member.base), member.member) && call.arguments.empty();
  if (member.arrow || !language::find_function(member.member) ||
      (!part && !frame_.members.is_array_value(*member.base)))
    return nullptr;
  return (expansions_[&call] = cell::as_function(call, member, span)).get();
}

std::vector<Value> Calls::results(const cell::Call& call, cell::Span span, std::size_t wanted) {
  std::vector<Value> list;
  const cell::Call* written = &call;
  if (const auto* member = std::get_if<cell::Member>(&call.callee->node))
    if (const auto* function = method(call, *member, span)) written = std::get_if<cell::Call>(&function->node);
  const auto* callee = std::get_if<cell::Name>(&written->callee->node);
  const auto found = callee == nullptr ? std::nullopt : language::find_function(callee->text);
  const bool of_cells = callee != nullptr && session_.code().program().is_function(language::without_std(callee->text));
  if (found && !of_cells && has_evaluator(found->row->operation))
    return evaluate_composed(frame_, {*found, *written, span, wanted});
  list.push_back(this->call(*written, span));
  return list;
}

// A function that neither the compiler nor statements can run.
bool Calls::calls_refused(const cell::Expression& expression) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  if (callee == nullptr) return false;
  const auto& overloads = session_.code().functions().find(callee->text);
  return std::any_of(overloads.begin(), overloads.end(),
                     [](const auto& one) { return one->function->body == nullptr; });
}

// What a function-like macro's call expands to; null when there is no such macro. Errors in it are at the call.
const cell::Expression* Calls::expansion(const cell::Call& call, const std::string& name, cell::Span span) {
  if (const auto known = expansions_.find(&call); known != expansions_.end()) return known->second.get();
  const auto macro = session_.code().program().function_macro(name);
  // A macro that names itself means something else by that: what it was expanded to has the place of its call.
  const bool inside_itself = std::any_of(expanding_.begin(), expanding_.end(), [&](const auto* outer) {
    return expansions_.at(outer)->span == span && std::get<cell::Name>(outer->callee->node).text == name;
  });
  if (!macro || inside_itself) return nullptr;
  if (!macro->takes(call.arguments.size()))
    throw error(ErrorKind::type,
                fmt::format("the macro {} takes {} argument{}, but {} {} given", name, macro->parameters.size(),
                            macro->parameters.size() == 1 ? "" : "s", call.arguments.size(),
                            call.arguments.size() == 1 ? "is" : "are"),
                span);
  const auto text = frame_.macro_statements.expand(name, span);
  auto expression = cell::try_parse_expression(text);
  // An error ends the cell, whatever a check would do then.
  const bool check = language::is_error_check(name) && call.arguments.size() == 1;
  if (check && (expression == nullptr || calls_refused(*expression))) return nullptr;
  if (expression == nullptr)
    throw error(ErrorKind::unsupported,
                fmt::format("the macro {} does not expand to an expression: {}", name, trim(text)), span)
        .advise("Call it as a statement of its own, or write its statements into the cell.");
  cell::place_at(*expression, span);
  return (expansions_[&call] = std::move(expression)).get();
}

}  // namespace xcuda::interpreter
