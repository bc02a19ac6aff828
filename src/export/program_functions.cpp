// Calls of functions of whole arrays in an exported program.
#include <fmt/format.h>

#include "arrays/function_object.hpp"
#include "export/program_calls.hpp"
#include "export/program_writer.hpp"

namespace xcuda::exporter {

// Extents one after the other, in a list, or those of an array.
std::string ProgramWriter::extents(std::span<const cell::Expression* const> given) {
  std::string all;
  for (const auto* one : given) {
    const auto* list = std::get_if<cell::List>(&one->node);
    if (list == nullptr && form(*one).is_array()) return host(*one);  // x.shape
    for (std::size_t i = 0; i < (list != nullptr ? list->elements.size() : 1); ++i)
      all += (all.empty() ? "" : ", ") + host(list != nullptr ? *list->elements[i] : *one);
  }
  return fmt::format("xcuda::shape({})", all);
}

std::string ProgramWriter::argument(const language::Parameter& parameter, const cell::Expression& given) {
  using language::Takes;
  const auto* list = std::get_if<cell::List>(&given.node);
  if (parameter.takes == Takes::array) return operand(given);
  if (list == nullptr) return host(given);
  std::string all;
  for (const auto& one : list->elements)
    all += (all.empty() ? "" : ", ") + (parameter.takes == Takes::arrays ? operand(*one) : host(*one));
  return fmt::format("{}{}{}", parameter.takes == Takes::arrays ? "xcuda::list(" : "{", all,
                     parameter.takes == Takes::arrays ? ")" : "}");
}

// A function that is put together from others. The library has it under its name, with the parameters of its row.
std::string ProgramWriter::results_of(const cell::Call& call, const cell::Expression& whole,
                                      const language::Function& row, std::size_t results) {
  using language::Takes;
  // The library has another function for several results of what usually has one.
  const bool alone = row.results == 1 || language::is_composed(row.operation);
  need(alone ? row.part : "samples");
  const auto bound = language::bind_arguments(source_, row, call, call.callee->span);
  const auto* fits = language::fitting(row, call.arguments);
  const auto& signature = fits != nullptr ? *fits : language::signatures_of(row).back();
  std::string arguments;
  const auto add = [&](const std::string& one) { arguments += (arguments.empty() ? "" : ", ") + one; };
  bool of_arrays = false;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const auto& parameter = signature.parameters[i];
    of_arrays = of_arrays || parameter.takes == Takes::array || parameter.takes == Takes::arrays ||
                (bound[i] != nullptr && form(*bound[i]).is_array());
    const bool is_shape = parameter.takes == Takes::extents && (signature.open || parameter.name == "n");
    if (is_shape)
      add(extents(std::span(bound).subspan(i, signature.open ? bound.size() - i : 1)));
    else if (bound[i] != nullptr)
      add(argument(parameter, *bound[i]));
    else
      add(parameter.otherwise.empty() ? "std::nullopt" : std::string(parameter.otherwise));
  }
  if (signature.open && signature.parameters.back().takes == Takes::array)
    for (std::size_t i = signature.parameters.size(); i < bound.size(); ++i) add(operand(*bound[i]));
  // The type of a new array, and how many results are wanted of a function that has several.
  std::string wanted;
  if (!of_arrays) wanted = fmt::format("<{}>", plain_type(form(whole).type.name));
  if (row.results > 1) wanted = fmt::format("<{}>", results);
  return fmt::format("xcuda::{}{}{}({})", row.name, alone ? "" : "_results", wanted, arguments);
}

// arange(5), linspace(0, 1, 11) as a value: an array of the type that the checker gives it.
std::string ProgramWriter::sequence(const cell::Call& call, const cell::Expression& whole,
                                    const language::Function& row) {
  need("shapes");
  std::string arguments;
  for (const auto& argument : call.arguments) {
    if (!argument.name.empty())
      throw cannot(fmt::format("the named argument {}", argument.name), argument.name_span, "Pass it by position.");
    arguments += (arguments.empty() ? "" : ", ") + host(*argument.value);
  }
  return fmt::format("xcuda::{}_of<{}>({})", row.name, plain_type(form(whole).type.name), arguments);
}

std::string ProgramWriter::composed(const cell::Call& call, const cell::Expression& whole,
                                    const language::Function& row) {
  const auto known = form(whole);
  if (!known.is_known() || (known.is_array() && !known.extents))
    throw cannot(fmt::format("{}(), whose number of dimensions is not known before it runs", row.name),
                 call.callee->span, "Name the axis, or reshape() the array.");
  auto result = results_of(call, whole, row, 1);
  if (row.results > 1) result = fmt::format("std::get<0>({})", result);
  return known.is_array() ? result : fmt::format("xcuda::only({})", result);
}

std::string ProgramWriter::function(const cell::Call& call, const cell::Expression& whole,
                                    const language::Function& row) {
  using language::Operation;
  const auto given = [&](std::string_view parameter) { return language::given(call, row, parameter); };
  const auto own = [&](const cell::Expression* expression) {  // a function of device code
    if (const auto* function = expression == nullptr ? nullptr : std::get_if<cell::Name>(&expression->node))
      return function_struct(function->text);
    const auto object = expression == nullptr ? FunctionObject{} : function_object(*expression);
    if (object.text.empty())
      throw cannot("a call without its function", call.callee->span, "Name a function of device code.");
    return function_struct(object.text);
  };
  if (!row.part.empty()) need(row.part);
  const auto name = row.program.empty() ? row.name : row.program;
  const auto* x = call.arguments.empty() ? nullptr : call.arguments[0].value.get();
  const auto* axis = given("axis");
  const auto in_braces = [&] {  // the axis, and whether it is kept
    const auto* keep = given("keep");
    return axis == nullptr
               ? std::string()
               : fmt::format(", xcuda::Axis{{{}{}}}", host(*axis), keep != nullptr ? ", " + host(*keep) : "");
  };
  switch (row.operation) {
    case Operation::reduction:
    case Operation::variance:
    case Operation::norm:
    case Operation::median: {
      if (const auto* order = given("ord"))
        throw cannot("norm() with an order", order->span, "Write the sum of powers: pow(sum(pow(abs(x), p)), 1 / p).");
      const auto* ddof = given("ddof");
      const auto result =
          fmt::format("xcuda::{}({}{}{})", name, operand(*x), in_braces(), ddof != nullptr ? ", " + host(*ddof) : "");
      // Along the only axis there is: the one element that is left.
      const bool one = axis != nullptr && form(*x).rank() == 1 && given("keep") == nullptr;
      return one ? result + ".part().get()" : result;
    }
    case Operation::dot:
    case Operation::all_close: {
      std::string arguments;
      for (const auto& argument : call.arguments) {
        if (!argument.name.empty() && argument.name != "rtol")
          throw cannot(fmt::format("the named argument {}", argument.name), argument.name_span,
                       "Pass rtol and atol by position: allclose(a, b, 1e-5, 1e-8).");
        arguments += (arguments.empty() ? "" : ", ") +
                     (form(*argument.value).is_array() ? operand(*argument.value) : host(*argument.value));
      }
      return fmt::format("xcuda::{}({})", name, arguments);
    }
    case Operation::fold:
      return fmt::format("xcuda::{}({}, {}, {})", name, operand(*x), host(*given("init")), own(given("op")));
    case Operation::map: {
      std::string extents, arguments;
      const auto* list = std::get_if<cell::List>(&x->node);
      for (std::size_t i = 0; list != nullptr && i < list->elements.size(); ++i)
        extents += (extents.empty() ? "" : ", ") + host(*list->elements[i]);
      for (std::size_t i = 2; i < call.arguments.size(); ++i) {
        const auto& argument = *call.arguments[i].value;
        if (!form(argument).is_array())
          arguments += ", " + host(argument);
        else if (std::holds_alternative<cell::Name>(argument.node))
          arguments += fmt::format(", xcuda::whole({})", operand(argument));
        else
          arguments += fmt::format(", xcuda::whole(xcuda::make_array({}))", operand(argument));
      }
      return fmt::format("xcuda::{}<{}>(xcuda::shape({}), {}{})", name, list == nullptr ? 1 : list->elements.size(),
                         list == nullptr ? host(*x) : extents, own(call.arguments[1].value.get()), arguments);
    }
    case Operation::reshape:
    case Operation::transpose:
    case Operation::reverse: {
      std::string extents;
      for (std::size_t i = 1; i < call.arguments.size(); ++i) {
        const auto* list = std::get_if<cell::List>(&call.arguments[i].value->node);
        if (list == nullptr) extents += ", " + host(*call.arguments[i].value);
        for (std::size_t k = 0; list != nullptr && k < list->elements.size(); ++k)
          extents += ", " + host(*list->elements[k]);
      }
      return fmt::format("xcuda::{}({}{})", name, operand(*x), extents);
    }
    case Operation::extent: {
      const auto type = row.result({}).type.name;
      return fmt::format("{}xcuda::lazy({}).shape.extent[0]", type == "long" ? "(long)" : "", operand(*x));
    }
    case Operation::sort:
    case Operation::order:  // along an axis, unless there is only one
      if (axis == nullptr && form(*x).rank() == 1) return fmt::format("xcuda::{}({})", name, operand(*x));
      need("samples");
      return fmt::format("xcuda::{}({}, {})", name, operand(*x), axis != nullptr ? host(*axis) : "-1");
    case Operation::like:
    case Operation::unique:
      if (axis != nullptr) throw cannot("unique() along an axis", call.callee->span, "Write it as a kernel.");
      return fmt::format("xcuda::{}({})", name, operand(*x));
    case Operation::scan: {
      const auto *op = given("op"), *init = given("init"), *inclusive = given("inclusive");
      std::string rest;
      if (axis != nullptr) rest += ", " + host(*axis);
      if (op != nullptr) rest += ", " + own(op);
      if (init != nullptr) rest += ", " + host(*init);
      if (inclusive != nullptr) rest += ", " + host(*inclusive);
      return fmt::format("xcuda::{}{}{}({}{})", name, op == nullptr && init != nullptr ? "_from" : "",
                         axis != nullptr ? "_along" : "", operand(*x), rest);
    }
    case Operation::roll: {
      const auto* shift = given("shift");
      return fmt::format("xcuda::{}({}, {}{})", name, operand(*x), host(*shift),
                         axis != nullptr ? ", " + host(*axis) : "");
    }
    case Operation::histogram: {
      const auto *bins = given("bins"), *low = given("lo"), *high = given("hi");
      if (bins != nullptr && form(*bins).is_array())
        throw cannot("an array of edges", bins->span, "Give the number of bins, and lo and hi.");
      std::string rest;
      if (bins != nullptr || low != nullptr) rest = ", " + (bins != nullptr ? host(*bins) : "10");
      if (low != nullptr && high != nullptr) rest += fmt::format(", {}, {}", host(*low), host(*high));
      return fmt::format("xcuda::{}({}{})", name, operand(*x), rest);
    }
    case Operation::arange:
    case Operation::linspace: return sequence(call, whole, row);
    default:
      if (language::is_of_runtime(row.operation))
        throw cannot(fmt::format("{}()", row.name), call.callee->span, "Declare an array, and assign to it.");
      if (!row.part.empty()) return composed(call, whole, row);
      throw cannot(fmt::format("{}() of an array", row.name), call.callee->span, "Write it as a kernel.");
  }
}

}  // namespace xcuda::exporter
