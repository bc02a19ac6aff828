// Expressions of an exported program: values of the host, and arrays.
#include <fmt/format.h>

#include <algorithm>

#include "cell/library_names.hpp"
#include "cell/method.hpp"
#include "export/program_calls.hpp"
#include "export/program_writer.hpp"
#include "language/addresses.hpp"
#include "language/array_members.hpp"
#include "language/host/stream_types.hpp"
#include "language/standard_algorithms.hpp"
#include "language/subscript_rules.hpp"

namespace xcuda::exporter {

// x.sum(axis = 0) is sum(x, axis = 0), and x.T is transpose(x).
const cell::Expression& ProgramWriter::as_call(const cell::Expression& expression) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto& callee = call != nullptr ? *call->callee : expression;
  const auto* member = std::get_if<cell::Member>(&callee.node);
  const bool turned =
      call == nullptr && member != nullptr && language::array_member(*member) == language::ArrayMember::transposed;
  if (member == nullptr || member->arrow || (call == nullptr && !turned) || !form(*member->base).is_array())
    return expression;
  auto& known = methods_[&expression];
  if (known == nullptr) {
    cell::Call none;
    none.callee = std::make_unique<cell::Expression>();
    none.callee->span = expression.span;
    known = cell::as_function(call != nullptr ? *call : none, *member, expression.span);
    if (turned) std::get<cell::Call>(known->node).callee->node = cell::Name{"transpose"};
  }
  return *known;
}

std::string ProgramWriter::host(const cell::Expression& given) {
  const auto& expression = as_call(given);
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
        const auto* symbol = name == nullptr ? nullptr : self.find(name->text);
        if (symbol != nullptr && (symbol->kind == Kind::number || symbol->kind == Kind::object))
          return "&" + symbol->spelling;
        if (symbol == nullptr && name != nullptr && self.variable(name->text) != nullptr)
          return self.need("symbol"), fmt::format("xcuda::address_of({})", name->text);
        if (self.form(*unary.operand).is_array())
          return self.operand(*unary.operand) + (name != nullptr ? ".data()" : ".data");
        return self.part(*unary.operand) + ".data";
      }
      if (unary.op == cell::UnaryOperator::pointee) return self.operand(*unary.operand) + ".part(0).get()";
      return with({unary.operand.get()});
    }
    std::string operator()(const cell::Binary& binary) const {
      if (language::stream_output(binary)) throw self.cannot("std::cout", whole.span, "Print with printf().");
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
        throw self.cannot("the numeric value of an address", whole.span,
                          "A program has addresses of its own: leave it out.");
      return with({cast.operand.get()});
    }
    std::string operator()(const cell::Call& call) const { return self.host_call(call, whole); }
    std::string operator()(const cell::Index& index) const {
      const auto* extents = std::get_if<cell::Member>(&index.base->node);
      if (extents != nullptr && language::array_member(*extents) == language::ArrayMember::shape &&
          self.form(*extents->base).is_array())
        return fmt::format("xcuda::shape_of({}).at({})", self.whole_operand(*extents->base),
                           self.host(*index.subscripts[0].start));
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
      const auto which = language::array_member(member);
      const bool size = which == language::ArrayMember::size;
      if (self.form(*member.base).is_array() && (size || which == language::ArrayMember::ndim))
        return fmt::format("xcuda::shape_of({}).{}", self.whole_operand(*member.base), size ? "count()" : "rank");
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
    std::string operator()(const cell::LaunchText&) const { return self.text(whole.span); }
  };
  return std::visit(Visitor{*this, expression}, expression.node);
}

std::string ProgramWriter::host_call(const cell::Call& call, const cell::Expression& whole) {
  using language::Operation;
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  if (callee != nullptr && callee->text == cell::kThrow) return thrown(call, whole);
  const bool of_cells = callee != nullptr && session_.code().program().is_function(callee->text);
  const auto* row = of_cells ? nullptr : row_of(call);
  if (!throws_ && row != nullptr &&
      (row->operation == Operation::text_of_number || row->operation == Operation::make_text))
    throw cannot("a std::string", whole.span, "Print with printf().");
  if (row != nullptr && language::is_of_devices(row->operation))
    throw cannot(fmt::format("{}()", row->name), call.callee->span, "An exported program has one device.");
  if (row != nullptr && row->name.starts_with("omp_"))
    throw cannot(fmt::format("{}()", row->name), call.callee->span,
                 "Programs run on one thread: use clock() for times.");
  const bool of_arrays = std::any_of(call.arguments.begin(), call.arguments.end(),
                                     [&](const auto& argument) { return form(*argument.value).is_array(); });
  if (of_arrays && language::is_algorithm_call(call))
    throw cannot(fmt::format("{}() of an array", text(call.callee->span)), call.callee->span,
                 "Use a function of arrays, such as x = sort(x);");
  if (of_arrays && row == nullptr)
    throw cannot(fmt::format("{}() of an array", text(call.callee->span)), call.callee->span, "Write it as a kernel.");
  if (of_arrays) return function(call, whole, *row);
  if (row != nullptr && row->operation == Operation::where && call.arguments.size() == 3)
    return fmt::format("({} ? {} : {})", host(*call.arguments[0].value), host(*call.arguments[1].value),
                       host(*call.arguments[2].value));
  if (row != nullptr && language::is_composed(row->operation) && !row->part.empty() && !form(whole).is_array())
    throw cannot(fmt::format("{}() of a number", row->name), call.callee->span, "Give it an array of one element.");
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

std::string ProgramWriter::subscript(const cell::Subscript& subscript, const cell::Index& index) {
  if (language::is_new_axis(subscript)) return "xcuda::NewAxis()";
  if (language::is_ellipsis(subscript)) {
    auto left = form(*index.base).rank().value_or(0);
    for (const auto& other : index.subscripts)
      if (&other != &subscript && !language::is_new_axis(other)) --left;
    std::string all;
    for (std::size_t i = 0; i < left; ++i) all += i == 0 ? "xcuda::Range()" : ", xcuda::Range()";
    return all;
  }
  if (!subscript.slice) {
    if (form(*subscript.start).is_array())
      throw cannot("an array of indices", subscript.span, "Use take() or where(), or write it as a kernel.");
    return host(*subscript.start);
  }
  const auto bound = [&](const cell::ExpressionPtr& given) { return given != nullptr ? host(*given) : "xcuda::kOpen"; };
  if (subscript.step != nullptr)
    return fmt::format("xcuda::Range({}, {}, {})", bound(subscript.start), bound(subscript.stop),
                       host(*subscript.step));
  if (subscript.stop != nullptr)
    return fmt::format("xcuda::Range({}, {})", subscript.start != nullptr ? host(*subscript.start) : "0",
                       host(*subscript.stop));
  return fmt::format("xcuda::Range({})", subscript.start != nullptr ? host(*subscript.start) : "");
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
    return std::any_of(index->subscripts.begin(), index->subscripts.end(), [](const auto& one) {
      return one.slice || language::is_new_axis(one) || language::is_ellipsis(one);
    });
  });
  auto result = operand(*at);
  std::string subscripts;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    for (const auto& one : (*level)->subscripts)
      if (const auto text = subscript(one, **level); !text.empty())
        subscripts += (subscripts.empty() ? "" : ", ") + text;
    if (slices) {  // a subscript after a slice is for what the slice left
      result += fmt::format(".part({})", subscripts);
      subscripts.clear();
    }
  }
  return slices ? result : fmt::format("{}.part({})", result, subscripts);
}

// As an operand of a function that asks an array for its shape.
std::string ProgramWriter::whole_operand(const cell::Expression& expression) {
  need("elements");
  return operand(expression);
}

std::string ProgramWriter::operand(const cell::Expression& given) {
  const auto& expression = as_call(given);
  if (std::holds_alternative<cell::List>(expression.node))
    throw cannot("a list in braces as an array", expression.span, "Give it a name first: int values[2] = {1, 2};");
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
    if (row != nullptr && gives_array(*row, *call)) return function(*call, expression, *row);
  }
  return elements(expression);
}

}  // namespace xcuda::exporter
