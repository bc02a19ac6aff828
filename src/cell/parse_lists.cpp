// Lists in braces, arguments and subscripts.
#include <fmt/format.h>

#include <utility>

#include "cell/library_names.hpp"
#include "cell/make_expression.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {

ExpressionPtr Parser::initializer() { return at("{") ? braces() : assignment(); }

// T{.x = 1, .y = 2}: a lambda without parameters that gives it, so that a compiler makes it.
ExpressionPtr Parser::designated_braces() {
  const auto begin = peek().span.begin;
  group();
  const Span span{begin, previous_end_};
  if (const auto element = vector_element(brace_type_); !element.empty()) brace_type_ = std::string(element);
  if (brace_type_.empty() || library_.is_record(brace_type_)) {
    fail(span, "a list with the names of members needs its type, a struct that device code has",
         "Write P{.x = 1, .y = 2}, or give the values in order", ErrorKind::unsupported);
    return nothing();
  }
  auto made = make(span, Lambda{fmt::format("[&] {{ return {}{}; }}", brace_type_, text(span))});
  return make(span, Call{std::move(made), {}});
}

ExpressionPtr Parser::braces() {
  if (at(".", 1) && peek(2).is_identifier()) return designated_braces();
  const auto open = next();
  if (!enter(open.span)) return nothing();
  const bool colons = std::exchange(subscript_colons_, false);
  List list;
  while (!at_end() && !at("}")) {
    if (!expansion_into(list.elements)) list.elements.push_back(initializer());
    if (!accept(",")) break;
  }
  subscript_colons_ = colons;
  expect_close("}", open);
  leave();
  return make({open.span.begin, previous_end_}, std::move(list));
}

std::vector<Argument> Parser::arguments(Separators separators) {
  const auto open = next();
  const auto outer = std::exchange(brace_type_, {});
  const bool colons = std::exchange(subscript_colons_, false);
  std::vector<Argument> list;
  while (!at_end() && !at(")")) {
    Argument argument;
    const auto begin = peek().span.begin;
    if (peek().is_identifier() && at("=", 1)) {
      const auto name = next();
      next();
      argument.name = std::string(name.text);
      argument.name_span = name.span;
    }
    if (std::vector<ExpressionPtr> expanded; expansion_into(expanded)) {
      for (auto& one : expanded) list.push_back({{}, {}, std::move(one)});
      if (!accept(",")) break;
      continue;
    }
    const auto words = separators == Separators::of_macro ? text_argument() : 0;
    for (std::size_t i = 0; i < words; ++i) next();
    if (words > 0)  // SWAP(float*, a, b)
      argument.value = make({begin, previous_end_}, LaunchText{std::string(text({begin, previous_end_}))});
    else
      argument.value = launch_name() > 0 ? launch_expression() : initializer();
    list.push_back(std::move(argument));
    if (separators == Separators::of_macro && at(";") && at(")", 1)) next();  // CHECK(cudaFree(p););
    if (!accept(",")) break;
    if (at(")")) {
      fail_expected("an argument after ','");
      break;
    }
  }
  subscript_colons_ = colons;
  brace_type_ = outer;
  expect_close(")", open);
  return list;
}

Index Parser::subscripts(ExpressionPtr base) {
  const auto open = next();
  Index index{std::move(base), {}};
  const bool colons = std::exchange(subscript_colons_, true);
  do {
    Subscript subscript;
    subscript.span = {peek().span.begin, peek().span.begin};
    ExpressionPtr* parts[] = {&subscript.start, &subscript.stop, &subscript.step};
    std::size_t part = 0;
    while (!at_end() && !at(",") && !at("]")) {
      if (at(":") || at("::")) {
        const auto colon = next();
        subscript.slice = true;
        part += colon.text.size();
        if (part > 2) {
          fail(colon.span, "a slice has at most three parts", "Write start:stop:step");
          break;
        }
      } else if (part == 0 && !subscript.start && at("...")) {
        const auto dots = next();
        subscript.start = make(dots.span, Name{"..."});
      } else if (*parts[part]) {
        fail_expected("',', ':' or ']'");
        break;
      } else {
        *parts[part] = initializer();
      }
    }
    if (!subscript.slice && !subscript.start) {
      fail_expected("an index", "Write a[i], a[i, j] or a slice a[start:stop:step]");
      break;
    }
    subscript.span.end = previous_end_;
    index.subscripts.push_back(std::move(subscript));
  } while (accept(","));
  subscript_colons_ = colons;
  expect_close("]", open);
  return index;
}

}  // namespace xcuda::cell
