// Structured bindings: names of the parts of a value. Labels, and jumps to them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/library_names.hpp"
#include "cell/make_expression.hpp"
#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

constexpr std::string_view kEach = "xcuda_each";

}  // namespace

// auto [values, counts] = unique(x); auto& [mass, velocity] = bodies[3];
void Parser::bindings(Declaration& node) {
  const auto open = next();
  do {
    const auto name = peek();
    if (!name.is_identifier() || is_keyword(name.text)) return fail_expected("a name");
    next();
    Declarator one;
    one.name = std::string(name.text);
    one.name_span = name.span;
    node.declarators.push_back(std::move(one));
  } while (accept(","));
  expect_close("]", open);
  if (at(":")) {  // of a loop
    node.unpacked = make(open.span, Name{std::string(kEach)});
    return;
  }
  if (!accept("=")) return fail_expected("'=' and what has several parts");
  node.unpacked = assignment();
}

// for (auto& [a, b] : list): the element whose parts have names.
Declaration Parser::each_of(const Declaration& parts) {
  Declaration each;
  each.type = "auto";
  each.type_span = parts.type_span;
  each.is_const = parts.is_const;
  auto& one = each.declarators.emplace_back();
  one.name = kEach;
  one.name_span = parts.declarators.front().name_span;
  one.reference = parts.declarators.front().reference;
  return each;
}

// The body of such a loop, whose first statement names the parts.
StatementPtr Parser::with_parts(Declaration parts, Span span, StatementPtr body) {
  Block block;
  const Span whole{span.begin, body == nullptr ? span.end : body->span.end};
  block.statements.push_back(make_statement(span, std::move(parts)));
  if (body != nullptr) block.statements.push_back(std::move(body));
  return make_statement(whole, std::move(block));
}

// goto name; and name:
StatementPtr Parser::jump() {
  const auto first = next();
  const bool jumps = first.is("goto");
  const auto name = jumps ? next() : first;
  if (!name.is_identifier() || is_keyword(name.text)) {
    fail(name.span, "goto takes the name of a label", "goto done; ... done:");
    return nullptr;
  }
  expect(jumps ? ";" : ":", jumps ? "after goto" : "after a label");
  (jumps ? jumps_ : labels_).emplace_back(name.text, name.span);
  const Span span{first.span.begin, previous_end_};
  Call call{make(span, Name{std::string(jumps ? kGoto : kLabel)}), {}};
  call.arguments.push_back({{}, {}, make(name.span, StringLiteral{std::string(name.text)})});
  return make_statement(span, ExpressionStatement{make(span, std::move(call)), false});
}

// Each goto has a label in the same cell or function.
void Parser::check_jumps() {
  for (const auto& jump : jumps_) {
    const auto& name = jump.first;
    if (std::none_of(labels_.begin(), labels_.end(), [&](const auto& label) { return label.first == name; }))
      return fail(jump.second, fmt::format("the label {} is not defined", name),
                  fmt::format("Write {}: before a statement", name), ErrorKind::name);
  }
}

}  // namespace xcuda::cell
