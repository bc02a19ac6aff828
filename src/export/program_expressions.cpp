// Expressions of an exported program: values of the host, and arrays.
#include <fmt/format.h>

#include <algorithm>

#include "arrays/function_object.hpp"
#include "export/program_calls.hpp"
#include "export/program_writer.hpp"
#include "language/addresses.hpp"

namespace xcuda::exporter {

std::string ProgramWriter::host(const cell::Expression& expression) {
  const auto known = form(expression);
  if (known.is_array()) return operand(expression);
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
      if (unary.op == cell::UnaryOperator::address) {
        const auto* name = std::get_if<cell::Name>(&unary.operand->node);
        if (name != nullptr && self.variable(name->text) != nullptr)
          return self.need("symbol"), fmt::format("xcuda::address_of({})", name->text);
        if (self.form(*unary.operand).is_array())
          return self.operand(*unary.operand) + (name != nullptr ? ".data()" : ".data");
        return self.part(*unary.operand) + ".data";
      }
      if (unary.op == cell::UnaryOperator::pointee) return self.operand(*unary.operand) + ".part(0).get()";
      return with({unary.operand.get()});
    }
    std::string operator()(const cell::Binary& binary) const {
      if (language::is_of_addresses(binary))
        throw self.cannot("an operator between addresses", whole.span, "Compare or subtract the indices.");
      return with({binary.left.get(), binary.right.get()});
    }
    std::string operator()(const cell::Assignment& assignment) const {
      if (self.root(*assignment.target) == nullptr || self.find(self.root(*assignment.target)->text) == nullptr ||
          self.find(self.root(*assignment.target)->text)->kind == Kind::array)
        throw self.cannot("an assignment to an array inside an expression", whole.span,
                          "Write it as a separate statement.");
      return with({assignment.target.get(), assignment.value.get()});
    }
    std::string operator()(const cell::Ternary& ternary) const {
      return with({ternary.condition.get(), ternary.yes.get(), ternary.no.get()});
    }
    std::string operator()(const cell::Cast& cast) const {
      if (cast.type.ends_with('*') && self.form(*cast.operand).is_array())
        return fmt::format("reinterpret_cast<{}>({}.data())", cast.type, self.operand(*cast.operand));
      if (language::gives_address(cast))
        throw self.cannot("the number of an address", whole.span, "A program has addresses of its own: leave it out.");
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
      if (self.form(*size.operand).is_array()) {
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
  using language::Operation;
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  const bool of_cells = callee != nullptr && session_.code().program().is_function(callee->text);
  const auto* row = of_cells ? nullptr : row_of(call);
  const bool of_arrays = std::any_of(call.arguments.begin(), call.arguments.end(),
                                     [&](const auto& argument) { return form(*argument.value).is_array(); });
  if (of_arrays && row == nullptr)
    throw cannot(fmt::format("{}() of an array", text(call.callee->span)), call.callee->span, "Write it as a kernel.");
  if (of_arrays) return function(call, *row);
  if (row != nullptr && row->operation == Operation::where && call.arguments.size() == 3)
    return fmt::format("({} ? {} : {})", host(*call.arguments[0].value), host(*call.arguments[1].value),
                       host(*call.arguments[2].value));
  std::string arguments;
  for (const auto& argument : call.arguments) arguments += (arguments.empty() ? "" : ", ") + host(*argument.value);
  if (of_cells) {  // device code, called with numbers
    need("elements");
    return fmt::format("xcuda::make_array(xcuda::elements({}{}{})).part().get()", function_struct(callee->text),
                       arguments.empty() ? "" : ", ", arguments);
  }
  if (row != nullptr && !row->program.empty() && !row->part.empty()) {
    need(row->part);
    return fmt::format("xcuda::{}({})", row->program, arguments);
  }
  if (row != nullptr && row->has(language::Trait::one_type) && !call.arguments.empty()) {
    if (const auto type = form(whole).type.name; !type.empty())
      return fmt::format("std::{}<{}>({})", row->name, type, arguments);
  }
  Pieces pieces;
  for (const auto& argument : call.arguments) pieces.emplace_back(argument.value->span, host(*argument.value));
  return spliced(whole.span, std::move(pieces));
}

// --- Arrays --------------------------------------------------------------------------------------------------------

// An exported program's subscripts are numbers and slices that count from the front.
void ProgramWriter::refuse(const cell::Subscript& subscript) const {
  for (const auto* one : {&subscript.start, &subscript.stop, &subscript.step}) {
    if (*one == nullptr) continue;
    const auto* unary = std::get_if<cell::Unary>(&(*one)->node);
    const auto* name = std::get_if<cell::Name>(&(*one)->node);
    if (unary != nullptr && unary->op == cell::UnaryOperator::minus)
      throw cannot("a subscript that counts from the end", subscript.span, "Write the extent minus what it counts.");
    if (name != nullptr && (name->text == "..." || name->text == "newaxis" || name->text == "None"))
      throw cannot("this subscript", subscript.span, "Write a ':' for each dimension, or reshape the array.");
    if (form(**one).is_array()) throw cannot("an array of indices", subscript.span, "Write it as a kernel.");
  }
}

std::string ProgramWriter::part(const cell::Expression& expression) {
  std::vector<const cell::Index*> levels;
  const auto* at = &expression;
  while (const auto* index = std::get_if<cell::Index>(&at->node)) {
    levels.push_back(index);
    at = index->base.get();
  }
  if (levels.empty()) throw cannot("this expression", expression.span, "Name an array and its subscripts.");
  const bool slices = std::any_of(levels.begin(), levels.end(), [](const cell::Index* index) {
    return std::any_of(index->subscripts.begin(), index->subscripts.end(),
                       [](const auto& subscript) { return subscript.slice; });
  });
  auto result = operand(*at);
  std::string subscripts;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    for (const auto& subscript : (*level)->subscripts) {
      if (!subscripts.empty()) subscripts += ", ";
      refuse(subscript);
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
    if (slices) {  // a subscript after a slice is for what the slice left
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
          throw cannot(fmt::format("{}, whose extent comes from its initial value", name->text), expression.span,
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
    const auto* row = row_of(*call);
    if (row != nullptr && language::takes_whole_arrays(*row, call->arguments)) return function(*call, *row);
  }
  return elements(expression);
}

std::string ProgramWriter::function(const cell::Call& call, const language::Function& row) {
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
  const auto from_end = [](const cell::Expression& one) {
    const auto* unary = std::get_if<cell::Unary>(&one.node);
    return unary != nullptr && unary->op == cell::UnaryOperator::minus;
  };
  if (axis != nullptr && from_end(*axis))
    throw cannot("an axis that is counted from the end", axis->span, "Count it from the front.");
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
        if (from_end(*call.arguments[i].value))
          throw cannot("an extent of -1", call.arguments[i].value->span, "Write the extent.");
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
    case Operation::like:
    case Operation::sort:
    case Operation::order:
    case Operation::unique:
      if (axis != nullptr) throw cannot("a sort along an axis", axis->span, "Sort each row.");
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
      std::string rest;
      if (bins != nullptr || low != nullptr) rest = ", " + (bins != nullptr ? host(*bins) : "10");
      if (low != nullptr && high != nullptr) rest += fmt::format(", {}, {}", host(*low), host(*high));
      return fmt::format("xcuda::{}({}{})", name, operand(*x), rest);
    }
    case Operation::runtime:
      throw cannot(fmt::format("{}()", row.name), call.callee->span, "Declare an array, and assign to it.");
    default: throw cannot(fmt::format("{}() of an array", row.name), call.callee->span, "Write it as a kernel.");
  }
}

}  // namespace xcuda::exporter
