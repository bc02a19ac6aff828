// throw, try and catch.
#include "cell/library_names.hpp"
#include "cell/make_expression.hpp"
#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {

StatementPtr Parser::try_statement() {
  const auto begin = next().span.begin;
  constexpr std::string_view kForm = "try { ... } catch (const std::exception& e) { ... }";
  if (!at("{")) return fail_expected("'{' after try", kForm), nullptr;
  Try node;
  node.body = body();
  if (!failed() && !at("catch")) fail_expected("'catch' after the block of try", kForm);
  while (!failed() && at("catch")) {
    if (!node.handlers.empty() && node.handlers.back().caught.declarators.empty())
      fail(node.handlers.back().span, "catch (...) takes every exception, so no handler can follow it",
           "Put it after the others");
    else
      node.handlers.push_back(handler());
  }
  return make_statement({begin, previous_end_}, std::move(node));
}

// Of void f() try { ... } catch (...) { ... }
StatementPtr Parser::try_as_body() {
  const auto begin = peek().span.begin;
  std::vector<StatementPtr> statements;
  if (auto tried = try_statement()) statements.push_back(std::move(tried));
  return make_statement({begin, previous_end_}, Block{std::move(statements)});
}

Handler Parser::handler() {
  Handler node;
  const auto begin = next().span.begin;
  const auto open = expect("(", "after catch", "catch (const std::exception& e), catch (...)");
  if (failed()) return node;
  if (!accept("...")) {
    auto& caught = node.caught;
    const auto first = peek().span.begin;
    const auto type = scan_type(0);
    if (!type || type->is_auto) {
      fail_expected("the type of an exception", "catch (const std::exception& e), catch (...)");
      return node;
    }
    caught.type = type->text;
    caught.is_const = type->is_const;
    for (std::size_t i = 0; i < type->next; ++i) next();
    caught.type_span = {first, previous_end_};
    std::size_t name = 0;
    while (at("*", name) || at("&", name) || at("&&", name) || at("const", name)) ++name;
    if (peek(name).is_identifier()) {
      caught.declarators.push_back(declarator());
    } else {
      Declarator unnamed;
      unnamed.name_span = caught.type_span;
      for (; name > 0; --name) {
        unnamed.pointer = unnamed.pointer || at("*");
        unnamed.reference = unnamed.reference || at("&") || at("&&");
        next();
      }
      caught.declarators.push_back(std::move(unnamed));
    }
  }
  expect_close(")", open);
  node.span = {begin, previous_end_};
  if (!failed() && !at("{")) fail_expected("'{' after catch (...)");
  if (!failed()) node.body = body();
  return node;
}

ExpressionPtr Parser::throw_expression() {
  const auto word = next();
  Call call{make(word.span, Name{std::string(kThrow)}), {}};
  if (!at(";") && !at(")") && !at(":") && !at(",") && !at_end()) {
    if (at("{")) {
      fail(peek().span, "throw takes a value, not a list in braces", "throw std::runtime_error(\"...\");");
      return nothing();
    }
    call.arguments.push_back({{}, {}, assignment()});
  }
  return make({word.span.begin, previous_end_}, std::move(call));
}

}  // namespace xcuda::cell
