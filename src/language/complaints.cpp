#include "language/complaints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/called_at.hpp"
#include "base/text.hpp"
#include "cell/expression_root.hpp"
#include "cell/snippet.hpp"
#include "language/answers.hpp"
#include "language/functions.hpp"
#include "language/habits.hpp"
#include "language/python/python_text.hpp"

namespace xcuda::language {

using cell::Source;
using cell::Span;

Error complaint(const Source& source, ErrorKind kind, std::string message, Span span) {
  return Error(kind, std::move(message)).at(source.place(span));
}

// x[0], m[0, 0]
static std::string first_element(const Source& source, const Form& array, Span span) {
  const std::vector<std::string_view> zeros(std::max<std::size_t>(array.rank().value_or(1), 1), "0");
  return fmt::format("{}[{}]", cell::snippet(source.text, span), fmt::join(zeros, ", "));
}

Error number_expected(const Source& source, const Form& given, Span span, std::string_view what) {
  auto failure =
      complaint(source, ErrorKind::type, fmt::format("expected a number for {}, got {}", what, describe(given)), span);
  if (given.kind == Form::Kind::sparse) {
    const auto text = cell::snippet(source.text, span);
    failure.advice = fmt::format("{0}.values takes operators, element by element; so does dense({0}).", text);
  }
  if (!given.is_array()) return failure;
  failure.advice = given.memory == Form::Memory::none
                       ? "any(...), all(...) or sum(...) reduces an array to one number."
                       : fmt::format("Write {} for one element.", first_element(source, given, span));
  return failure;
}

Error array_expected(const Source& source, std::string_view function, Span argument) {
  return complaint(
      source, ErrorKind::type,
      fmt::format("{}() expects an array, but {} is not one", function, cell::snippet(source.text, argument)),
      argument);
}

Error unknown_name(const Source& source, const std::string& name, Span span, Environment& environment,
                   const std::vector<std::string>& declared) {
  if (const auto answer = host_code_answer(name))
    return complaint(source, ErrorKind::unsupported, fmt::format("a cell cannot use {}", name), span)
        .advise(answer->advice);
  auto failure = complaint(source, ErrorKind::name, fmt::format("{} is not defined", name), span);
  const auto kernels = environment.kernels();
  if (std::find(kernels.begin(), kernels.end(), name) != kernels.end()) {
    failure.message = fmt::format("{} is a kernel: it must be launched", name);
    failure.advice = fmt::format("{}<<<grid, block>>>(...);", name);
    return failure;
  }
  auto names = environment.names();
  names.insert(names.end(), declared.begin(), declared.end());
  if (const auto* habit = find_habit(Habit::Kind::word, name))
    failure.advice = habit->advice;
  else if (is_python_module(name))
    failure.advice = "Functions and constants need no module: sqrt(x), M_PI. %help lists them.";
  else if (name == "stream")
    failure.advice = "Declare one: stream s;";
  else if (const auto near = nearest(name, names); !near.empty())
    failure.advice = fmt::format("Did you mean {}?", near);
  return failure;
}

Error takes_iterators(const Source& source, const cell::Call& call, const IteratorRange& range, Span span) {
  const auto& name = std::get<cell::Name>(call.callee->node).text;
  return complaint(source, ErrorKind::type, fmt::format("{} takes iterators, and statements have none", name), span)
      .advise(familiar_algorithm(name, range));
}

// With the angle that is missing on both sides, up to the end of the statement: an expression's span ends before its
// last parenthesis.
Error launch_as_shifts(const Source& source, std::string_view kernel, Span span) {
  const auto end = std::min(source.text.find_first_of(";\n", span.begin), source.text.size());
  auto text = cell::snippet(source.text, {span.begin, static_cast<std::uint32_t>(end)});
  text.insert(text.find("<<"), "<");
  if (const auto at = text.find(">>"); at != std::string::npos) text.insert(at, ">");
  return complaint(source, ErrorKind::syntax, fmt::format("a launch of {} has three angles on both sides", kernel),
                   span)
      .advise(text + ";");
}

Error is_initial_value_only(const Source& source, std::string_view function, Span span) {
  const auto found = find_function(function);
  const bool shaped = found && (found->row->operation == Operation::like || found->row->operation == Operation::load);
  return complaint(source, ErrorKind::type, fmt::format("{}() can only initialise an array", function), span)
      .advise(fmt::format("{} = {};", shaped ? "auto x" : "float x[n]", cell::snippet(source.text, span)));
}

Error cover_outside_launch(const Source& source, Span span) {
  return complaint(source, ErrorKind::syntax, "cover(n) is only for launches: kernel<<<cover(n)>>>(...)", span);
}

Error is_constant(const Source& source, std::string_view name, Span span) {
  return complaint(source, ErrorKind::type, fmt::format("{} is const", name), span);
}

Error cannot_be_assigned(const Source& source, Span span) {
  return complaint(source, ErrorKind::type, fmt::format("{} cannot be assigned to", cell::snippet(source.text, span)),
                   span);
}

Error wrong_type(const Source& source, Span value) {
  return complaint(source, ErrorKind::type, fmt::format("{} has the wrong type", cell::snippet(source.text, value)),
                   value);
}

Error step_of_array(const Source& source, const cell::Unary& unary, Span span) {
  const auto op = cell::spelling(cell::operator_of_step(unary.op));
  const auto array = cell::snippet(source.text, unary.operand->span);
  return complaint(source, ErrorKind::type, fmt::format("{0}{0} needs a number, but {1} is an array", op, array), span)
      .advise(fmt::format("{} {}= 1;", array, op));
}

Error address_does_not_fit(const Source& source, const cell::Cast& cast, Span span) {
  const auto operand = cell::snippet(source.text, cast.operand->span);
  return complaint(source, ErrorKind::type, fmt::format("the address {} does not fit {}", operand, cast.type), span)
      .advise(fmt::format("(size_t){} is the address as a number.", operand));
}

Error not_an_array(const Source& source, Span operand, Span span) {
  return complaint(source, ErrorKind::type, fmt::format("{} is not an array", cell::snippet(source.text, operand)),
                   span);
}

Error shapes_differ(const Source& source, std::span<const Shaped> operands, Span span) {
  std::string shapes;
  for (const auto& one : operands)
    shapes += fmt::format("{}{} is {}", shapes.empty() ? "" : ", ", cell::snippet(source.text, one.span),
                          shape_text(one.extents));
  return complaint(source, ErrorKind::value, fmt::format("the shapes do not match: {}", shapes), span)
      .advise("Counted from the last one, extents must be equal, or one of them 1.");
}

static bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

Error value_does_not_fit(const Source& source, const Shaped& value, std::string_view target, const Extents& shape) {
  return complaint(source, ErrorKind::value,
                   fmt::format("{} has the shape {}, but {} has the shape {}", cell::snippet(source.text, value.span),
                               shape_text(value.extents), target, shape_text(shape)),
                   value.span)
      .advise(is_name(target) ? fmt::format("auto {} = {}; makes a new array of it.", target,
                                            cell::snippet(source.text, value.span))
                              : std::string());
}

Error value_does_not_fit(const Source& source, const Shaped& value, const cell::Declarator& declared,
                         const Extents& shape) {
  const auto text = cell::snippet(source.text, value.span);
  return complaint(source, ErrorKind::value,
                   fmt::format("{} has the shape {}, but {} is declared {}", text, shape_text(value.extents),
                               declared.name, shape_text(shape)),
                   value.span)
      .advise(fmt::format("Write auto {} = {}; to take its shape.", declared.name, text));
}

Error no_more_dimensions(const Source& source, Span base, Span subscript) {
  return complaint(source, ErrorKind::type,
                   fmt::format("{} has no more dimensions to subscript", cell::snippet(source.text, base)), subscript);
}

Error subscript_not_integer(const Source& source, const Type& type, Span span) {
  return complaint(source, ErrorKind::type, fmt::format("a subscript is {}, not an integer", type.name), span);
}

Error out_of_bounds(const Source& source, const ScalarValue& index, std::string_view array, std::uint64_t extent,
                    Span subscript) {
  return complaint(source, ErrorKind::value,
                   fmt::format("index {} is out of bounds: {} has {} element{} there", index.text(), array, extent,
                               extent == 1 ? "" : "s"),
                   subscript);
}

Error computed_out_of_bounds(const Source& source, const ScalarValue& index, std::string_view array,
                             std::uint64_t extent, Span subscript) {
  auto error = out_of_bounds(source, index, array, extent, subscript);
  if (index.is_negative() && extent > 0)
    error.advice = fmt::format("A computed index counts from the front: the last element is [{}].", extent - 1);
  return error;
}

Error slice_out_of_bounds(const Source& source, const cell::Subscript& slice, const cell::Expression& bound,
                          const ScalarValue& value, std::string_view array, std::uint64_t extent) {
  const bool stop = slice.stop.get() == &bound;
  auto error = complaint(source, ErrorKind::value,
                         fmt::format("a slice {} {} is out of bounds: {} has {} element{} there",
                                     stop ? "up to" : "from", value.text(), array, extent, extent == 1 ? "" : "s"),
                         bound.span);
  const auto part = [&](const cell::ExpressionPtr& one) {
    return one == nullptr ? std::string() : std::string(cell::snippet(source.text, one->span));
  };
  if (slice.step != nullptr) return error;
  if (stop && !value.is_negative())
    error.advice = fmt::format("Slices are not clipped: [{}:] goes to the end.", part(slice.start));
  else if (!stop && value.is_negative())
    error.advice = fmt::format("Slices are not clipped: [:{}] begins with the first element.", part(slice.stop));
  return error;
}

Error too_few_results(const Source& source, Span of, std::size_t results, std::size_t names) {
  return complaint(source, ErrorKind::value,
                   fmt::format("{} gives {}, but {} names were given", cell::snippet(source.text, of),
                               results < 2 ? "one result" : fmt::format("{} results", results), names),
                   of);
}

Error wrong_number_of_parts(const Source& source, Span of, std::uint64_t parts, std::size_t names) {
  return complaint(source, ErrorKind::value,
                   fmt::format("{} has {} part{}, but {} name{} {} given", cell::snippet(source.text, of), parts,
                               parts == 1 ? "" : "s", names, names == 1 ? "" : "s", names == 1 ? "is" : "are"),
                   of);
}

Error no_elements(const Source& source, const Form& given, Span span) {
  return complaint(source, ErrorKind::type,
                   fmt::format("{} is {} and has no elements", cell::snippet(source.text, span), describe(given)),
                   span);
}

Error kNoBlock(const Source& source, const std::string& kernel, Span configuration) {
  return complaint(source, ErrorKind::type, fmt::format("the launch of {} has no block", kernel), configuration)
      .advise(fmt::format("Write {}<<<grid, block>>>(...), or <<<cover(n)>>> to let it choose both.", kernel));
}

Error list_without_type(const Source& source, Span span) {
  return complaint(source, ErrorKind::type, "a list in braces has no type here", span)
      .advise(
          "Use a list where an array is taken, isin(x, {1, 2}), as an initial value, float x[3] = {1, 2, 3}, or "
          "write its type: Point{1, 2}.");
}

Error power_of_stars(const Source& source, const cell::Unary& unary, Span span) {
  return complaint(source, ErrorKind::type,
                   fmt::format("{} is a number, not a pointer: * cannot be applied to it",
                               cell::snippet(source.text, unary.operand->span)),
                   span)
      .advise("C++ has no **: write pow(x, y).");
}

Error gives_no_value(const Source& source, Span init, std::string_view name) {
  return complaint(source, ErrorKind::type,
                   fmt::format("{} has no value to initialise {} with", cell::snippet(source.text, init), name), init);
}

Error unknown_dim3_member(const Source& source, const cell::Member& member, Span span) {
  const Span at{span.end - static_cast<std::uint32_t>(member.member.size()), span.end};
  return complaint(source, ErrorKind::name, fmt::format("a dim3 has no member {}", member.member), at)
      .advise("Its members are x, y and z.");
}

namespace {

Error not_integer(const Source& source, std::string_view of, const Type& type, Span span) {
  return complaint(source, ErrorKind::type, fmt::format("an extent of {} is {}, not an integer", of, type.name), span);
}

}  // namespace

Error extent_not_integer(const Source& source, std::string_view of, const Type& type, Span span) {
  return not_integer(source, of, type, span).advise("Convert it: (size_t)(...).");
}

Error extent_in_braces(const Source& source, std::string_view of, const Type& type, Span span) {
  return complaint(source, ErrorKind::type,
                   fmt::format("an extent of {} is {}, and braces do not narrow it to an integer", of, type.name), span)
      .advise("Convert it, int(...), or use parentheses: dim3(...).");
}

Error dimension_not_integer(const Source& source, std::string_view of, const Type& type, Span span) {
  return not_integer(source, of, type, span).advise("Convert it: int(...).");
}

Error dimension_expected(const Source& source, std::string_view what, Span span) {
  return complaint(source, ErrorKind::type, fmt::format("{} must be an integer, a dim3 or {{x, y, z}}", what), span);
}

Error initial_value_without_extent(const Source& source, const cell::Declarator& declarator, Span init) {
  return complaint(source, ErrorKind::type, fmt::format("the extent of {} is missing", declarator.name),
                   declarator.name_span)
      .advise(fmt::format("float {}[n] = {};", declarator.name, cell::snippet(source.text, init)));
}

Error swap_takes_names(const Source& source, Span span) {
  return complaint(source, ErrorKind::type, "swap takes two names, or two elements", span);
}

Error missing_extent(const Source& source, const cell::Declarator& declarator) {
  return complaint(source, ErrorKind::value, fmt::format("the extent of {} is missing", declarator.name),
                   declarator.name_span)
      .advise(declarator.init != nullptr && !std::holds_alternative<cell::List>(declarator.init->node)
                  ? fmt::format("auto {} = {};", declarator.name, cell::snippet(source.text, declarator.init->span))
                  : fmt::format("Write {0}[n], or give a list to count: {0}[] = {{1, 2, 3}}.", declarator.name));
}

Error event_expected(const Source& source, Span span) {
  return complaint(source, ErrorKind::type, fmt::format("{} is not an event", cell::snippet(source.text, span)), span)
      .advise("Declare one: event e;");
}

Error assertion_assigns(const Source& source, Span target, Span value) {
  const Span whole{target.begin, value.end};
  const auto name = cell::snippet(source.text, target);
  return complaint(source, ErrorKind::type,
                   fmt::format("assert({}) assigns to {}", cell::snippet(source.text, whole), name), whole)
      .advise(fmt::format("Did you mean ==? assert({} == {});", name, cell::snippet(source.text, value)));
}

Error pointer_expected(const Source& source, const Form& given, Span span) {
  auto failure = complaint(source, ErrorKind::type, fmt::format("expected a pointer, got {}", describe(given)), span);
  if (given.is_array())
    failure.advice = fmt::format("Store it in an array first: auto t = {};", cell::snippet(source.text, span));
  return failure;
}

Error wrong_pointee(const Source& source, const Type& given, const Type& wanted, Span span) {
  return complaint(source, ErrorKind::type,
                   fmt::format("expected {}*, but {} points to {}", wanted.name, cell::snippet(source.text, span),
                               given.name),
                   span)
      .advise(fmt::format("If you mean its bytes, cast it: ({}*){}.", wanted.name, cell::snippet(source.text, span)));
}

Error not_the_array(const Source& source, const cell::Declaration& declaration, const cell::Declarator& declarator,
                    Span span) {
  std::string extents;
  for (const auto& extent : declarator.row) extents += fmt::format("[{}]", cell::snippet(source.text, extent->span));
  return complaint(source, ErrorKind::type,
                   fmt::format("{} is not {}{}, which {} {}", cell::snippet(source.text, span), declaration.type,
                               extents, declarator.name, declarator.reference ? "refers to" : "points to"),
                   span);
}

Error not_of_pointers(const Source& source, std::string_view op, Span pointer, Span span) {
  const auto name = cell::snippet(source.text, pointer);
  return complaint(source, ErrorKind::type, fmt::format("{} is a pointer, and pointers have no {}", name, op), span)
      .advise(fmt::format("For its elements, write {}[0:n].", name));
}

Error cannot_call(const Source& source, const cell::HostFunction& function, Span span) {
  if (!function.refused || !function.refused->place)
    return complaint(source, ErrorKind::unsupported, fmt::format("cannot call {}", function.name), span);
  auto failure = *function.refused;
  failure.notes.push_back(called_at(source.place(span)));
  return failure;
}

Error wrong_count(const Source& source, const cell::HostFunction& function, std::size_t given, Span span) {
  const auto most = function.parameters.size();
  const auto required = required_arguments(function);
  const auto takes = required == most ? std::to_string(most) : fmt::format("{} to {}", required, most);
  return complaint(source, ErrorKind::type,
                   fmt::format("{} takes {} argument{}, but {} {} given", function.name, takes, most == 1 ? "" : "s",
                               given, given == 1 ? "is" : "are"),
                   span);
}

Error not_iterable(const Source& source, const Form& given, Span span) {
  return complaint(source, ErrorKind::type,
                   fmt::format("expected an array or a list to loop over, got {}", describe(given)), span);
}

Error second_default(const Source& source, Span label) {
  return complaint(source, ErrorKind::syntax, "a switch has at most one default", label);
}

Error second_case(const Source& source, Span value) {
  return complaint(source, ErrorKind::syntax,
                   fmt::format("an earlier case has the value {}, too", cell::snippet(source.text, value)), value);
}

Error return_statement(const Source& source, Span span) {
  return complaint(source, ErrorKind::unsupported, "a cell returns nothing", span)
      .advise("return; and return 0; end it; assert(condition) ends it with an error.");
}

Error declared_static(const Source& source, Span span) {
  return complaint(source, ErrorKind::unsupported,
                   "static cannot be used here: what a cell declares lives until %reset", span)
      .advise("Leave it out.");
}

Error reference_without_place(const Source& source, const cell::Declarator& declarator) {
  return complaint(
             source, ErrorKind::type,
             fmt::format("{} is a reference: it needs the variable or the element that it refers to", declarator.name),
             declarator.name_span)
      .advise(fmt::format("auto& {} = x[i];", declarator.name));
}

Error declared_pointer(const Source& source, const cell::Declaration& declaration, const cell::Declarator& declarator) {
  return complaint(source, ErrorKind::type,
                   fmt::format("{} is a pointer, but a list has several values", declarator.name), declarator.name_span)
      .advise(fmt::format("{}* {}[k] is an array of pointers.", declaration.type, declarator.name));
}

Error array_without_type(const Source& source, const cell::Declaration& declaration,
                         const cell::Declarator& declarator) {
  return complaint(source, ErrorKind::type, fmt::format("the element type of {} is missing", declarator.name),
                   declaration.type_span)
      .advise(fmt::format("Write float {0}[n], or auto {0} = like(x).", declarator.name));
}

Error no_arrays_of(const Source& source, const cell::Declaration& declaration) {
  return complaint(source, ErrorKind::unsupported, fmt::format("arrays of {} are not supported", declaration.type),
                   declaration.type_span);
}

Error array_with_constructor(const Source& source, const cell::Declarator& declarator) {
  return complaint(source, ErrorKind::syntax, fmt::format("the array {} must be initialised with =", declarator.name),
                   declarator.name_span);
}

Error auto_without_value(const Source& source, const cell::Declarator& declarator) {
  return complaint(source, ErrorKind::type, fmt::format("auto {} needs an initial value", declarator.name),
                   declarator.name_span);
}

}  // namespace xcuda::language
