// Calls in statements: printf, assert, swap, constructors, and answers to what host code would call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "arrays/array_math.hpp"
#include "arrays/convert.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "cell/macro.hpp"
#include "cell/parse.hpp"
#include "display/array_view.hpp"
#include "interpreter/arguments.hpp"
#include "interpreter/constants.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/executor.hpp"
#include "interpreter/format_printf.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/streams.hpp"
#include "interpreter/targets.hpp"
#include "language/answers.hpp"
#include "language/constants.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {
Value Executor::call_function(const FunctionCall& of) {
  using language::Operation;
  const auto& [name, call, span] = of;
  switch (of.row().operation) {
    case Operation::numbers: return element_call(of);
    case Operation::reduction:
      return language::takes_whole_arrays(of.row(), call.arguments) ? reduction(of) : element_call(of);
    case Operation::variance:
    case Operation::norm: return reduction(of);
    case Operation::median: return median(of);
    case Operation::dot: return dot(of);
    case Operation::all_close: return cell::Value::of(all_close(of));
    case Operation::fold: return folded(of);
    case Operation::scan: return scanned(of);
    case Operation::sort:
    case Operation::order:
    case Operation::unique: return sorted(of);
    case Operation::histogram: return counted(of);
    case Operation::map: return mapped(of);
    case Operation::where: return chosen(of);
    case Operation::reshape: return reshaped(of);
    case Operation::transpose:
    case Operation::reverse: return turned(of);
    case Operation::roll: return rolled(of);
    case Operation::extent: return first_extent(of);
    case Operation::arange:
    case Operation::linspace:
    case Operation::uniform:
    case Operation::normal:
    case Operation::like:
    case Operation::load: break;
    case Operation::cover:
      throw error(ErrorKind::syntax, "cover(n) stands in a launch: kernel<<<cover(n)>>>(...)", span);
    case Operation::print: return print(call, span), Nothing{};
    case Operation::assertion: return assert_true(call, span), Nothing{};
    case Operation::exchange: return exchange(call, span), Nothing{};
    case Operation::record: return frame_.streams.record(call, span), Nothing{};
    case Operation::wait: return frame_.streams.wait(call, span), Nothing{};
    case Operation::elapsed: return frame_.streams.elapsed(call, span);
    case Operation::environment:
    case Operation::integer_of_text:
    case Operation::real_of_text: return text_function(of);
  }
  const auto& row = of.row();
  const bool shaped = row.operation == Operation::like || row.operation == Operation::load;
  throw error(ErrorKind::type, fmt::format("{}() is an initial value of an array", row.name), span)
      .advise(fmt::format("{} = {};", shaped ? "auto x" : "float x[n]", snippet(run_.source, span)));
}

Value Executor::call(const cell::Call& call, cell::Span span) {
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  if (callee == nullptr) throw no_function(call, span);
  const auto function = language::without_std(callee->text);
  const bool of_cells = session_.program().is_function(function);
  const auto found = language::find_function(callee->text);
  if (found && (!of_cells || language::is_of_statements(found->row->operation)))
    return call_function({*found, call, span});
  if (of_cells || language::is_device_intrinsic(function)) return device_call(call, function, span);
  if (function == "dim3") {
    if (call.arguments.size() > 3) throw error(ErrorKind::value, "a dim3 has three extents at most", span);
    return frame_.dimensions.of(pointers_to(call.arguments), "a dim3");
  }
  const auto vector = function.starts_with("make_") ? xcuda::find_type(function.substr(5)) : xcuda::find_type(function);
  if (vector && (vector->lanes > 1 || vector->scalar >= Scalar::complex64)) {
    std::vector<std::byte> bytes(vector->size);
    frame_.elements.read_members(pointers_to(call.arguments), *vector, bytes, span);
    return frame_.targets.load(*vector, bytes);
  }
  if (call.arguments.empty())
    if (auto limit = cell::numeric_limit(callee->text)) return *limit;
  if (const auto answer = language::host_code_answer(callee->text)) {
    if (answer->accepted) return session_.synchronize(), Nothing{};
    // A check around a call of the runtime: what is inside is what there is an equivalent for.
    for (const auto& argument : call.arguments) {
      const auto* inner = std::get_if<cell::Call>(&argument.value->node);
      const auto* name = inner != nullptr ? std::get_if<cell::Name>(&inner->callee->node) : nullptr;
      if (name != nullptr && language::host_code_answer(name->text)) {
        evaluate(*argument.value);
        return Nothing{};
      }
    }
    throw error(ErrorKind::unsupported, fmt::format("{} is not called in a cell", callee->text), span)
        .advise(answer->advice);
  }
  if (const auto* expression = expansion(call, callee->text, span)) {
    const NestedEvaluation nested(session_, *expression);
    return evaluate(*expression);
  }
  const auto source = session_.program().source_of(callee->text);
  const auto kernels = session_.program().kernel_names();
  if (std::find(kernels.begin(), kernels.end(), callee->text) != kernels.end())
    throw error(ErrorKind::type, fmt::format("{} is a kernel, and a kernel is launched", callee->text), span)
        .advise(fmt::format("{}<<<grid, block>>>({})", callee->text, call.arguments.empty() ? "" : "..."));
  if (!source.empty())
    throw error(ErrorKind::unsupported, fmt::format("{} is device code, and statements cannot call it", callee->text),
                span)
        .advise("Call it in a kernel.");
  auto failure = error(ErrorKind::name, fmt::format("there is no function {}", callee->text), call.callee->span);
  const auto given = call.arguments.empty() ? std::string("x") : snippet(run_.source, call.arguments[0].value->span);
  if (auto known = language::familiar_function(callee->text, given); !known.empty())
    failure.advice = std::move(known);
  else if (const auto near = nearest(function, language::function_names()); !near.empty())
    failure.advice = fmt::format("Did you mean {}?", near);
  throw failure;
}

// x.sum(), np.sum(x), kernel[grid, block](x): what is written here.
Error Executor::no_function(const cell::Call& call, cell::Span span) {
  auto failure =
      error(ErrorKind::type, fmt::format("{} is not a function", snippet(run_.source, call.callee->span)), span);
  if (const auto* index = std::get_if<cell::Index>(&call.callee->node)) {
    const auto* name = std::get_if<cell::Name>(&index->base->node);
    const auto kernels = session_.program().kernel_names();
    if (name != nullptr && std::find(kernels.begin(), kernels.end(), name->text) != kernels.end())
      failure.advice = fmt::format("A kernel is launched as {}<<<grid, block>>>(...).", name->text);
  }
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  if (member == nullptr) return failure;
  const auto* base = std::get_if<cell::Name>(&member->base->node);
  static constexpr std::string_view kModules[] = {"np",   "cp",   "numpy", "cupy",  "torch",
                                                  "cuda", "math", "jnp",   "random"};
  const bool module = base != nullptr && among(base->text, kModules) && session_.names().find(base->text) == nullptr &&
                      session_.arrays().find(base->text) == nullptr;
  const auto of = !module                  ? snippet(run_.source, member->base->span)
                  : call.arguments.empty() ? std::string("x")
                                           : snippet(run_.source, call.arguments[0].value->span);
  failure.advice = language::familiar_member(member->member, of);
  if (failure.advice.empty() && module)
    failure.advice = fmt::format("Functions stand without a module: {}(...). %help lists them.", member->member);
  if (failure.advice.empty())
    failure.advice =
        "Functions stand in front of their arguments: sum(x). Members that are functions are for device code.";
  return failure;
}

// What a function-like macro's call stands for; null when there is no such macro. Errors in it are at the call.
const cell::Expression* Executor::expansion(const cell::Call& call, const std::string& name, cell::Span span) {
  if (const auto known = expansions_.find(&call); known != expansions_.end()) return known->second.get();
  const auto macro = session_.program().function_macro(name);
  // A macro that names itself means something else by that: what it was expanded to has the place of its call.
  const bool inside_itself = std::any_of(expansions_.begin(), expansions_.end(), [&](const auto& one) {
    const auto* outer = std::get_if<cell::Name>(&one.first->callee->node);
    return one.second->span == span && outer != nullptr && outer->text == name;
  });
  if (!macro || inside_itself) return nullptr;
  if (!macro->takes(call.arguments.size()))
    throw error(ErrorKind::type,
                fmt::format("the macro {} takes {} argument{}, and {} {} given", name, macro->parameters.size(),
                            macro->parameters.size() == 1 ? "" : "s", call.arguments.size(),
                            call.arguments.size() == 1 ? "is" : "are"),
                span);
  const auto& cell = run_.source.text;
  run_.current = span;  // where a macro without an end is reported
  const auto text = cell::expand_macros(std::string_view(cell).substr(span.begin, span.end - span.begin),
                                        [&](std::string_view one) { return session_.program().function_macro(one); });
  auto expression = cell::try_parse_expression(text);
  if (expression == nullptr)
    throw error(ErrorKind::unsupported,
                fmt::format("the macro {} stands for more than an expression: {}", name, trim(text)), span)
        .advise("Write its statements into the cell.");
  cell::place_at(*expression, span);
  return (expansions_[&call] = std::move(expression)).get();
}

void Executor::print(const cell::Call& call, cell::Span span) {
  const auto* format =
      call.arguments.empty() ? nullptr : std::get_if<cell::StringLiteral>(&call.arguments[0].value->node);
  if (format == nullptr) throw error(ErrorKind::type, "printf takes a format in quotes", span);
  std::vector<PrintArgument> arguments;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const auto& expression = *call.arguments[i].value;
    const auto value = evaluate(expression);
    if (const auto* text = std::get_if<std::string>(&value))
      arguments.push_back({*text, expression.span});
    else if (const auto* pointer = std::get_if<Pointer>(&value)) {
      // %p takes an array; everything else wants a number
      auto& argument = arguments.emplace_back();
      argument.value = pointer->address;
      argument.span = expression.span;
    } else
      arguments.push_back({number(value, expression.span, "an argument of printf"), expression.span});
  }
  run_.sink.stream(OutputStream::out,
                   format_printf(run_.source, format->value, call.arguments[0].value->span, arguments));
}

void Executor::exchange(const cell::Call& call, cell::Span span) {
  if (call.arguments.size() != 2) throw error(ErrorKind::type, "swap takes two names", span);
  const auto* a = std::get_if<cell::Name>(&call.arguments[0].value->node);
  const auto* b = std::get_if<cell::Name>(&call.arguments[1].value->node);
  if (a == nullptr || b == nullptr) throw error(ErrorKind::type, "swap takes two names", span);
  auto* first = session_.arrays().find(a->text);
  auto* second = session_.arrays().find(b->text);
  const bool hidden = session_.names().find(a->text) != nullptr || session_.names().find(b->text) != nullptr;
  if (first != nullptr && second != nullptr && !hidden) {
    if (first->type != second->type || first->shape != second->shape)
      throw error(ErrorKind::type,
                  fmt::format("{} and {} differ: {}, {}", a->text, b->text, declaration_text(*first),
                              declaration_text(*second)),
                  span);
    if (first->read_only || second->read_only)
      throw error(ErrorKind::type, fmt::format("{} is const", first->read_only ? a->text : b->text), span);
    if (first != second) session_.exchange(a->text, b->text);
    return;
  }
  auto& left = frame_.lookup.variable(*call.arguments[0].value);
  auto& right = frame_.lookup.variable(*call.arguments[1].value);
  const auto* x = std::get_if<cell::Value>(&left.value);
  const auto* y = std::get_if<cell::Value>(&right.value);
  if (left.value.index() != right.value.index() || (x != nullptr && x->type() != y->type()))
    throw error(ErrorKind::type, fmt::format("{} and {} are of different types", a->text, b->text), span);
  std::swap(left.value, right.value);
}

}  // namespace xcuda::interpreter
