// Expressions of an exported program: values of the host, and arrays.
#include <fmt/format.h>

#include <algorithm>

#include "arrays/function_object.hpp"
#include "export/program_calls.hpp"
#include "export/program_writer.hpp"

namespace xcuda::exporter {

std::string ProgramWriter::host(const cell::Expression& expression) {
  const auto known = form(expression);
  if (known.array) return operand(expression);
  struct Visitor {
    ProgramWriter& self;
    const cell::Expression& whole;
    std::string with(std::initializer_list<const cell::Expression*> inner) const {
      Pieces pieces;
      for (const auto* one : inner) pieces.emplace_back(one->span, self.host(*one));
      return self.spliced(whole.span, std::move(pieces));
    }
    std::string operator()(const cell::Name& name) const {
      if (const auto* symbol = self.find(name.text)) return symbol->spelling;
      if (self.variable(name.text) != nullptr)
        return self.need("symbol"), fmt::format("xcuda::from_symbol({})", name.text);
      self.expect_known(name.text, whole.span);
      return name.text;
    }
    std::string operator()(const cell::Unary& unary) const {
      if (unary.op == "&") {
        const auto* name = std::get_if<cell::Name>(&unary.operand->node);
        if (name != nullptr && self.variable(name->text) != nullptr)
          return self.need("symbol"), fmt::format("xcuda::address_of({})", name->text);
        if (self.form(*unary.operand).array)
          return self.operand(*unary.operand) + (name != nullptr ? ".data()" : ".data");
        return self.part(*unary.operand) + ".data";
      }
      if (unary.op == "*") return self.operand(*unary.operand) + ".part(0).get()";
      return with({unary.operand.get()});
    }
    std::string operator()(const cell::Binary& binary) const { return with({binary.left.get(), binary.right.get()}); }
    std::string operator()(const cell::Assignment& assignment) const {
      if (self.root(*assignment.target) == nullptr || self.find(self.root(*assignment.target)->text) == nullptr ||
          self.find(self.root(*assignment.target)->text)->kind == Kind::array)
        throw self.cannot("an assignment to an array inside of an expression", whole.span,
                          "Write it as a statement of its own.");
      return with({assignment.target.get(), assignment.value.get()});
    }
    std::string operator()(const cell::Ternary& ternary) const {
      return with({ternary.condition.get(), ternary.yes.get(), ternary.no.get()});
    }
    std::string operator()(const cell::Cast& cast) const {
      if (cast.type.ends_with('*') && self.form(*cast.operand).array)
        return fmt::format("reinterpret_cast<{}>({}.data())", cast.type, self.operand(*cast.operand));
      return with({cast.operand.get()});
    }
    std::string operator()(const cell::Call& call) const { return self.host_call(call, whole); }
    std::string operator()(const cell::Index& index) const {
      const auto* name = self.root(whole);
      const auto* symbol = name == nullptr ? nullptr : self.find(name->text);
      const auto* inner = index.base.get();
      while (const auto* next = std::get_if<cell::Index>(&inner->node)) inner = next->base.get();
      if ((symbol != nullptr && symbol->kind != Kind::array) ||
          std::holds_alternative<cell::Member>(inner->node)) {  // a part of a struct
        Pieces pieces = {{index.base->span, self.host(*index.base)}};
        for (const auto& subscript : index.subscripts) pieces.emplace_back(subscript.span, self.host(*subscript.start));
        return self.spliced(whole.span, std::move(pieces));
      }
      if (symbol == nullptr && name != nullptr && self.variable(name->text) != nullptr) self.need("symbol");
      return self.part(whole) + ".get()";
    }
    std::string operator()(const cell::Member& member) const {
      if (member.arrow) return fmt::format("{}.part(0).get().{}", self.operand(*member.base), member.member);
      return with({member.base.get()});
    }
    std::string operator()(const cell::List& list) const {
      Pieces pieces;
      for (const auto& one : list.elements) pieces.emplace_back(one->span, self.host(*one));
      return self.spliced(whole.span, std::move(pieces));
    }
    std::string operator()(const cell::SizeOf& size) const {
      if (size.operand == nullptr) return self.text(whole.span);
      if (self.form(*size.operand).array) {
        if (std::holds_alternative<cell::Name>(size.operand->node) &&
            self.variable(std::get<cell::Name>(size.operand->node).text) == nullptr)
          return self.operand(*size.operand) + ".bytes()";
        throw self.cannot("sizeof of an expression over arrays", whole.span, "Name the array.");
      }
      return with({size.operand.get()});
    }
    std::string operator()(const cell::IntegerLiteral&) const { return self.text(whole.span); }
    std::string operator()(const cell::FloatingLiteral&) const { return self.text(whole.span); }
    std::string operator()(const cell::BoolLiteral&) const { return self.text(whole.span); }
    std::string operator()(const cell::CharLiteral&) const { return self.text(whole.span); }
    std::string operator()(const cell::StringLiteral&) const { return self.text(whole.span); }
    std::string operator()(const cell::Lambda&) const { return self.text(whole.span); }
  };
  return std::visit(Visitor{*this, expression}, expression.node);
}

std::string ProgramWriter::host_call(const cell::Call& call, const cell::Expression& whole) {
  const auto name = callee_of(call);
  const bool of_arrays = std::any_of(call.arguments.begin(), call.arguments.end(),
                                     [&](const auto& argument) { return form(*argument.value).array; });
  if (of_arrays) return function(call, name);
  if (name == "elapsed") {
    need("launch");
    return fmt::format("xcuda::elapsed({}, {})", host(*call.arguments[0].value), host(*call.arguments[1].value));
  }
  if (name == "where" && call.arguments.size() == 3)
    return fmt::format("({} ? {} : {})", host(*call.arguments[0].value), host(*call.arguments[1].value),
                       host(*call.arguments[2].value));
  std::string arguments;
  for (const auto& argument : call.arguments) arguments += (arguments.empty() ? "" : ", ") + host(*argument.value);
  if (name == "ceil_div") return need("launch"), fmt::format("xcuda::ceil_div({})", arguments);
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  if (callee != nullptr && session_.program().is_function(callee->text)) {  // device code, called with numbers
    need("elements");
    return fmt::format("xcuda::make_array(xcuda::elements({}{}{})).part().get()", function_struct(callee->text),
                       arguments.empty() ? "" : ", ", arguments);
  }
  if ((name == "min" || name == "max" || name == "clamp") && !call.arguments.empty()) {  // of numbers of several types
    auto type = form(*call.arguments[0].value).type;
    for (const auto& argument : call.arguments) type = common(type, form(*argument.value).type);
    if (!type.empty()) return fmt::format("std::{}<{}>({})", name, type, arguments);
  }
  Pieces pieces;
  for (const auto& argument : call.arguments) pieces.emplace_back(argument.value->span, host(*argument.value));
  return spliced(whole.span, std::move(pieces));
}

// --- Arrays --------------------------------------------------------------------------------------------------------

std::string ProgramWriter::part(const cell::Expression& expression) {
  std::vector<const cell::Index*> levels;
  const auto* at = &expression;
  while (const auto* index = std::get_if<cell::Index>(&at->node)) {
    levels.push_back(index);
    at = index->base.get();
  }
  if (levels.empty())
    throw cannot("what this stands for in a program", expression.span, "Name an array and its subscripts.");
  const bool slices = std::any_of(levels.begin(), levels.end(), [](const cell::Index* index) {
    return std::any_of(index->subscripts.begin(), index->subscripts.end(),
                       [](const auto& subscript) { return subscript.slice; });
  });
  auto result = operand(*at);
  std::string subscripts;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    for (const auto& subscript : (*level)->subscripts) {
      if (!subscripts.empty()) subscripts += ", ";
      if (!subscript.slice) {
        subscripts += host(*subscript.start);
        continue;
      }
      std::string range;
      if (subscript.start != nullptr || subscript.stop != nullptr || subscript.step != nullptr)
        range = subscript.start != nullptr ? host(*subscript.start) : "0";
      if (subscript.stop != nullptr) range += ", " + host(*subscript.stop);
      if (subscript.step != nullptr)
        range += fmt::format("{}, {}", subscript.stop != nullptr ? "" : ", SIZE_MAX", host(*subscript.step));
      subscripts += fmt::format("xcuda::Range({})", range);
    }
    if (slices) {  // a subscript behind a slice is for what the slice left
      result += fmt::format(".part({})", subscripts);
      subscripts.clear();
    }
  }
  return slices ? result : fmt::format("{}.part({})", result, subscripts);
}

std::string ProgramWriter::operand(const cell::Expression& expression) {
  need("array");
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    if (const auto* symbol = find(name->text)) return symbol->spelling;
    if (const auto* piece = variable(name->text)) {
      need("symbol");
      std::string extents;
      for (const auto& extent : piece->extents) {
        if (extent.empty())
          throw cannot(fmt::format("{}, whose extent its initial value says", name->text), expression.span,
                       "Write the extent in its declaration.");
        extents += (extents.empty() ? "" : ", ") + extent;
      }
      return fmt::format("xcuda::array_of_symbol({}, xcuda::shape({}))", name->text, extents);
    }
    expect_known(name->text, expression.span);
    return name->text;
  }
  if (std::holds_alternative<cell::Index>(expression.node)) return part(expression);
  if (const auto* call = std::get_if<cell::Call>(&expression.node)) {
    const auto name = callee_of(*call);
    const bool reduces = among(name, kReductions) && is_one_argument_reduction(*call, name);
    if (reduces || among(name, kArrayFunctions)) return function(*call, name);
  }
  return elements(expression);
}

std::string ProgramWriter::function(const cell::Call& call, std::string_view name) {
  const auto at = call.callee->span;
  const auto* x = given(call, "x", 0);
  const auto own = [&](const cell::Expression* expression) {  // a function of device code
    if (const auto* function = expression == nullptr ? nullptr : std::get_if<cell::Name>(&expression->node))
      return function_struct(function->text);
    const auto object = expression == nullptr ? FunctionObject{} : function_object(*expression);
    if (object.text.empty())
      throw cannot("a call without its function", at, "Give it the name of a function of device code.");
    return function_struct(object.text);
  };
  if (among(name, kReductions) && is_one_argument_reduction(call, name)) {
    need("reduce");
    std::string rest;
    if (const auto* axis = given(call, "axis", 1)) {
      const auto* keep = given(call, "keep", 2);
      rest = fmt::format(", xcuda::Axis{{{}{}}}", host(*axis), keep != nullptr ? ", " + host(*keep) : "");
    }
    if (const auto* ddof = given(call, "ddof", 3)) rest += ", " + host(*ddof);
    const auto call_text = fmt::format("xcuda::{}({}{})", name == "std" ? "std_of" : name, operand(*x), rest);
    // Along the only axis there is: the one element that is left.
    return !rest.empty() && rest.find("Axis") != std::string::npos && form(*x).rank == 1 &&
                   given(call, "keep", 2) == nullptr
               ? call_text + ".part().get()"
               : call_text;
  }
  if (name == "dot" || name == "allclose") {
    need("reduce");
    std::string arguments;
    for (const auto& argument : call.arguments) {
      if (!argument.name.empty() && argument.name != "rtol")
        throw cannot(fmt::format("{} by its name", argument.name), argument.name_span,
                     "Give rtol and atol by their positions: allclose(a, b, 1e-5, 1e-8).");
      arguments += (arguments.empty() ? "" : ", ") +
                   (form(*argument.value).array ? operand(*argument.value) : host(*argument.value));
    }
    return fmt::format("xcuda::{}({})", name, arguments);
  }
  if (name == "reduce") {
    need("reduce");
    const auto *init = given(call, "init", 1), *op = given(call, "op", 2);
    return fmt::format("xcuda::reduce({}, {}, {})", operand(*x), host(*init), own(op));
  }
  if (name == "map") {
    need("elements");
    std::string extents;
    const auto& first = *call.arguments[0].value;
    if (const auto* list = std::get_if<cell::List>(&first.node))
      for (const auto& one : list->elements) extents += (extents.empty() ? "" : ", ") + host(*one);
    else
      extents = host(first);
    const auto* list = std::get_if<cell::List>(&first.node);
    std::string arguments;
    for (std::size_t i = 2; i < call.arguments.size(); ++i) {
      const auto& argument = *call.arguments[i].value;
      if (!form(argument).array)
        arguments += ", " + host(argument);
      else if (std::holds_alternative<cell::Name>(argument.node))
        arguments += fmt::format(", xcuda::whole({})", operand(argument));
      else
        arguments += fmt::format(", xcuda::whole(xcuda::make_array({}))", operand(argument));
    }
    return fmt::format("xcuda::map<{}>(xcuda::shape({}), {}{})", list == nullptr ? 1 : list->elements.size(), extents,
                       own(call.arguments[1].value.get()), arguments);
  }
  if (name == "reshape" || name == "transpose" || name == "reverse") {
    need("elements");
    auto inner = operand(*x);
    std::string extents;
    for (std::size_t i = 1; i < call.arguments.size(); ++i) {
      const auto* list = std::get_if<cell::List>(&call.arguments[i].value->node);
      if (list == nullptr) extents += ", " + host(*call.arguments[i].value);
      for (std::size_t k = 0; list != nullptr && k < list->elements.size(); ++k)
        extents += ", " + host(*list->elements[k]);
    }
    return fmt::format("xcuda::{}({}{})",
                       name == "reshape"     ? "reshaped"
                       : name == "transpose" ? "transposed"
                                             : "reversed",
                       inner, extents);
  }
  if (name == "size" || name == "ssize")
    return (need("elements"),
            fmt::format("{}xcuda::lazy({}).shape.extent[0]", name == "size" ? "" : "(long)", operand(*x)));
  if (name == "like") return fmt::format("xcuda::like({})", operand(*x));
  if (name == "scan") {
    need("order");
    const auto *init = given(call, "init", 2), *inclusive = given(call, "inclusive", 3);
    if (const auto* op = given(call, "op", 1)) {
      if (init == nullptr) return fmt::format("xcuda::scan({}, {})", operand(*x), own(op));
      return fmt::format("xcuda::scan({}, {}, {}{})", operand(*x), own(op), host(*init),
                         inclusive != nullptr ? ", " + host(*inclusive) : "");
    }
    if (init != nullptr) throw cannot("a sum with an initial value", at, "Add it to the result: scan(x) + init.");
    return fmt::format("xcuda::scan({}{})", operand(*x), inclusive != nullptr ? ", " + host(*inclusive) : "");
  }
  if (name == "sort" || name == "argsort" || name == "unique")
    return need("order"), fmt::format("xcuda::{}({})", name, operand(*x));
  if (name == "histogram") {
    need("order");
    const auto *bins = given(call, "bins", 1), *low = given(call, "lo", 2), *high = given(call, "hi", 3);
    std::string rest;
    if (bins != nullptr || low != nullptr) rest = ", " + (bins != nullptr ? host(*bins) : "10");
    if (low != nullptr && high != nullptr) rest += fmt::format(", {}, {}", host(*low), host(*high));
    return fmt::format("xcuda::histogram({}{})", operand(*x), rest);
  }
  throw cannot(fmt::format("{}() of an array", name), at, "Write it as a kernel.");
}

}  // namespace xcuda::exporter
