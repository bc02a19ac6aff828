// Statements.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/make_expression.hpp"
#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

bool is_storage(std::string_view word) {
  return word == "static" || word == "constexpr" || word == "register" || word == "thread_local" || word == "mutable" ||
         word == "constinit";
}

// The number of characters that printf gives is not what the cell shows.
bool prints(const Expression& expression) {
  const auto* call = std::get_if<Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<Name>(&call->callee->node);
  if (callee == nullptr) return false;
  const auto name = std::string_view(callee->text).substr(callee->text.starts_with("std::") ? 5 : 0);
  return name == "printf" || name == "fprintf" || name == "puts";
}

// [[maybe_unused]] is passed elsewhere.
bool has_no_meaning_here(const Token& token) {
  return token.is("alignas") || token.is("__attribute__") || token.is("__align__");
}

}  // namespace

void Parser::statement_into(std::vector<StatementPtr>& into) {
  drop_read_tokens();
  if (raw_line(into)) return;
  if (failed()) return;
  if (auto parsed = statement()) into.push_back(std::move(parsed));
}

// One statement, in a block or after if, for, while; null for a stray ';' and after an error.
StatementPtr Parser::statement() {
  if (replaced_ == Replaced::statements) replace_in_statement();
  const Inside inside(in_statement_);
  const auto first = peek();
  if (first.kind == TokenKind::end) {
    fail_expected("a statement");
    return nullptr;
  }
  if (first.kind == TokenKind::directive) return directive_statement();
  if (first.is("[") && at("[", 1)) return pass_attribute() ? statement() : nullptr;
  if (first.is("{")) {
    if (!enter(first.span)) return nullptr;
    next();
    Block block;
    block_statements(block, first);
    leave();
    return make_statement({first.span.begin, previous_end_}, std::move(block));
  }
  if (first.is(";")) {
    next();
    return make_statement(first.span, Empty{});
  }
  if (first.is("if")) return if_statement();
  if (first.is("for")) return for_statement();
  if (first.is("while")) return while_statement();
  if (first.is("do")) return do_statement();
  if (first.is("switch")) return switch_statement();
  if (at_device_block()) return device_block();
  if (first.is("try")) return try_statement();
  if (first.is("break") || first.is("continue")) {
    next();
    if (loops_ == 0 && (switches_ == 0 || first.is("continue"))) {
      fail(first.span, fmt::format("'{}' outside a loop", first.text), "Use it inside for, while or do");
      return nullptr;
    }
    bool shown = false;
    end_statement(shown);
    const Span span{first.span.begin, previous_end_};
    return first.text == "break" ? make_statement(span, Break{}) : make_statement(span, Continue{});
  }
  if (first.is("return")) {
    next();
    Return node;
    if (!at(";")) node.value = initializer();
    expect(";", "after return");
    return make_statement({first.span.begin, previous_end_}, std::move(node));
  }
  if (const auto declaration = library_declaration(); declaration.end > 0) {
    while (previous_end_ < declaration.end) next();
    return make_statement(declaration, Empty{});
  }
  if (first.is("static_assert") && at("(", 1)) return static_assertion();
  if (refused_statement()) return nullptr;
  if (first.is("goto") || (first.is_identifier() && at(":", 1) && !is_keyword(first.text) && !at("::", 1)))
    return jump();
  return simple_statement();
}

// `using namespace std::chrono;` in a block: what follows is read with it. Empty where there is none.
Span Parser::library_declaration() {
  const auto first = peek();
  if (!first.is("using") && !first.is("typedef")) return {};
  std::size_t end = 0;
  while (!at(";", end) && peek(end).kind != TokenKind::end) ++end;
  const Span span{first.span.begin, peek(end).span.end};
  return library_.add(text(span)) ? span : Span{};
}

bool Parser::refused_statement() {
  const auto first = peek();
  static constexpr struct {
    std::string_view word, what, advice;
  } kRefused[] = {
      {"case", "'case' outside a switch", "Put it directly into the braces of a switch"},
      {"default", "'default' outside a switch", "Put it directly into the braces of a switch"},
      {"catch", "'catch' without a try", "A catch follows the block of its try: try { ... } catch (...) { ... }"},
  };
  static constexpr struct {
    std::string_view word, advice;
  } kPython[] = {
      {"import", "Headers come with #include <...>; arrays and their functions are there"},
      {"from", "Headers come with #include <...>; arrays and their functions are there"},
      {"def", "Write __device__ float f(float x) { return x; }"},
      {"lambda", "Write [](float x) { return x; }, or a __device__ function"},
      {"elif", "Write else if (...)"},
      {"pass", "Write {}"},
      {"del", "%free x frees an array"},
  };
  for (const auto& python : kPython)
    if (first.is(python.word) && (peek(1).is_identifier() || at(":", 1) || peek(1).kind == TokenKind::end) &&
        !at("=", 2) && !at(";", 2)) {
      fail(first.span, fmt::format("'{}' is Python, but a cell is C++", python.word), std::string(python.advice));
      return true;
    }
  for (const auto& refused : kRefused)
    if (first.is(refused.word)) {
      fail(first.span, fmt::format("statements cannot contain {}", refused.what), std::string(refused.advice),
           ErrorKind::unsupported);
      return true;
    }
  if (first.is("else")) {
    fail(first.span, "'else' without an if", "An else follows the statement or the closing brace of its if");
    return true;
  }
  if (mode_ == Mode::statements || depth_ > 0 || loops_ > 0) {
    const bool specifier = first.is_identifier() && is_specifier(first.text);
    static constexpr std::string_view kDevice[] = {"template", "namespace",     "using",  "typedef",
                                                   "concept",  "static_assert", "extern", "inline"};
    if (specifier || std::find(std::begin(kDevice), std::end(kDevice), first.text) != std::end(kDevice)) {
      fail(first.span, fmt::format("'{}' begins device code, which cannot be here", first.text),
           "Put it at the top level of the cell");
      return true;
    }
  }
  return false;
}

// static_assert(condition, "text") in a block or a function: an assert with the text.
StatementPtr Parser::static_assertion() {
  const auto begin = next().span.begin;
  const auto open = next();
  auto condition = assignment();
  if (accept(",")) {
    auto text = assignment();
    const Span span = condition->span;
    condition = make(span, Binary{BinaryOperator::logical_and, std::move(condition), std::move(text)});
  }
  expect_close(")", open);
  const Span span{begin, previous_end_};
  std::vector<Argument> given(1);
  given.front().value = std::move(condition);
  auto call = make(span, Call{make(span, Name{"assert"}), std::move(given)});
  expect(";", "after static_assert(...)");
  return make_statement({begin, previous_end_}, ExpressionStatement{std::move(call), false});
}

void Parser::block_statements(Block& block, const Token& open) {
  while (!at_end() && !at("}")) statement_into(block.statements);
  expect_close("}", open);
}

// The statement after if, for, while and do.
StatementPtr Parser::body() {
  if (!enter(peek().span)) return nullptr;
  std::vector<StatementPtr> one;
  statement_into(one);
  leave();
  return one.empty() ? nullptr : std::move(one.front());
}

// ';', or the end of the cell after its last expression, which is then shown.
void Parser::end_statement(bool& shown) {
  if (accept(";")) return;
  if (failed()) return fail({}, {});
  if (at_end() && depth_ == 0 && loops_ == 0) {
    shown = true;
    return;
  }
  fail_expected("';'");
}

StatementPtr Parser::simple_statement() {
  const auto begin = peek().span.begin;
  std::size_t opened = 0;
  while (at("(", opened) && launch_name(opened) == 0) ++opened;
  if (launch_name(opened) > 0) return launch_statement();
  if (at_declaration()) {
    auto node = declaration();
    if (at(":")) {
      fail_expected("';'");
      return nullptr;
    }
    if (!accept(";") && !(last_may_be_open_ && at_end())) fail_expected("';'", "A declaration ends with ';'");
    return make_statement({begin, previous_end_}, std::move(node));
  }
  ExpressionStatement node;
  node.expression = expression();
  end_statement(node.shown);
  if (prints(*node.expression)) node.shown = false;
  return make_statement({begin, previous_end_}, std::move(node));
}

// --- declarations --------------------------------------------------------------------------------------------------

bool Parser::at_declaration() {
  while (has_no_meaning_here(peek()) && at("(", 1)) {  // where the variable lies is the session's concern
    next();
    group();
  }
  while (at("[") && at("[", 1) && pass_attribute()) {}
  std::size_t i = 0;
  while (peek(i).is_identifier() && is_storage(peek(i).text)) ++i;
  if (i > 0) return true;
  const auto first = peek();
  if (first.is("struct") || first.is("class") || first.is("union") || first.is("enum") || first.is("typename") ||
      first.is("volatile"))
    return true;
  const auto type = scan_type(0);
  if (!type) return first.is("const");
  const bool keyword = first.is_identifier() && is_keyword(first.text);  // a builtin type, const or auto
  i = type->next;
  const bool array = at("(", i) && at("*", i + 1) && peek(i + 2).is_identifier() && at(")", i + 3) && at("[", i + 4);
  if (type->known && (array || at_function_pointer(i) || (at("(", i) && at("&", i + 1)))) return true;
  if (keyword && !at("(", i) && !at("{", i)) return true;
  if (keyword && type->is_const) return true;
  if (peek(i).is_identifier()) return !is_keyword(peek(i).text) && !peek(i).is("operator");
  // "P* p" and "P *p" declare a pointer where P is a type or what follows is not a product.
  std::size_t stars = 0;
  while (at("*", i) || at("&", i) || at("&&", i) || at("const", i) || at("__restrict__", i)) ++i, ++stars;
  if (stars == 0 || !peek(i).is_identifier() || is_keyword(peek(i).text)) return false;
  if (type->known || at("=", i + 1) || at(":", i + 1) || (at("[", i + 1) && at("]", i + 2))) return true;
  if (at("*", type->next) && at("[", i + 1)) {  // P* list[2] = {...}
    auto close = i + 1;
    while (at("[", close)) {
      int depth = 0;
      do {
        if (at("[", close)) ++depth;
        if (at("]", close)) --depth;
      } while (peek(close++).kind != TokenKind::end && depth > 0);
    }
    if (at("=", close) && at("{", close + 1)) return true;
  }
  return at("*", type->next) && peek(type->next).space_before != peek(i).space_before &&
         (at(";", i + 1) || (at(",", i + 1) && at("*", i + 2)));
}

Declaration Parser::declaration() {
  Declaration node;
  const auto storage = [&] { return peek().is_identifier() && is_storage(peek().text); };
  while (storage() || (at("const") && peek(1).is_identifier() && is_storage(peek(1).text))) {  // const static int
    if (peek().is("static")) node.is_static = true;
    if (peek().is("constexpr") || peek().is("const")) node.is_const = true;
    next();
  }
  const auto begin = peek().span.begin;
  const auto type = scan_type(0);
  if (!type) {
    fail_expected("a type");
    return node;
  }
  node.type = type->text;
  node.is_const = node.is_const || type->is_const;
  for (std::size_t i = 0; i < type->next; ++i) next();
  while (peek().is_identifier() && is_storage(peek().text)) {
    if (peek().is("static")) node.is_static = true;
    next();
  }
  node.type_span = {begin, previous_end_};
  const bool refers = at("&") || at("&&");
  if (type->is_auto && at("[", refers ? 1 : 0)) {
    if (refers) next();
    bindings(node);
    for (auto& one : node.declarators) one.reference = refers;
    return node;
  }
  if (at("{")) {
    const bool another = type->known && types_.contains(node.type);
    fail(node.type_span, fmt::format("{} cannot be defined here{}", node.type, another ? ": the cell has another" : ""),
         another ? "Give it another name" : "Put types at the top level of a cell");
    return node;
  }
  const auto* array = library_.array(node.type);
  if (array != nullptr) {
    node.type = array->element;
    node.is_const = node.is_const || array->is_const;
  }
  const auto outer = std::exchange(brace_type_, node.type);
  do {
    node.declarators.push_back(declarator());
    if (array != nullptr) add_extents(*array, node.declarators.back());
  } while (!failed() && accept(","));
  brace_type_ = outer;
  return node;
}

// "Row r[2], *p" where Row is float[8]: float r[2][8], (*p)[8]
void Parser::add_extents(const ArrayName& array, Declarator& declarator) {
  const bool points = declarator.pointer || declarator.reference;
  auto& extents = points ? declarator.row : declarator.extents;
  for (const auto& text : array.extents) {
    Parser inner(text, source_.name);
    extents.push_back(inner.only_expression());
    extents.back()->span = declarator.name_span;
  }
}

Declarator Parser::declarator() {
  Declarator node;
  while (at("*") || at("&") || at("&&") || at("const") || at("volatile") || at("__restrict__") || at("__restrict")) {
    const auto token = next();
    if (token.text == "*" && node.pointer_to_pointer)
      fail(token.span, "statements cannot declare a pointer to pointers to pointers",
           "Use an array of pointers to pointers in device code", ErrorKind::unsupported);
    if (token.text == "*") node.pointer_to_pointer = std::exchange(node.pointer, true);
    if (token.text == "&" || token.text == "&&") node.reference = true;
    if (token.text == "&&") node.rvalue = true;
  }
  if (in_function_ && depth_ == 0 && at("...") && peek(1).is_identifier()) {
    next();
    node.pack = true;
  }
  node.function = at_function_pointer(0);
  if (node.function) {
    next(), next();
    for (; at("*") || at("const"); next()) node.pointer = node.pointer || at("*");
  }
  const bool of_row = at_row(0);
  if (of_row) {
    next();
    (next().is("*") ? node.pointer : node.reference) = true;
    if (at("const")) next();
  }
  const auto name = peek();
  if (name.is("(") && (at("*", 1) || at("&", 1))) {
    fail(name.span, "statements declare no references to functions, and no pointers to pointers to arrays",
         "Write float (*f)(float) or float (*m)[8]", ErrorKind::unsupported);
    return node;
  }
  if (!name.is_identifier() || is_keyword(name.text)) {
    if (name.is_identifier())
      fail(name.span, fmt::format("'{}' is a keyword and cannot be a name", name.text), "Choose another name");
    else
      fail_expected("a name after the type");
    return node;
  }
  next();
  while (at("[") && at("[", 1) && pass_attribute()) {}
  if (at("::")) {
    fail({name.span.begin, peek(1).span.end}, "a qualified name cannot be declared", "Declare a plain name");
    return node;
  }
  node.name = std::string(name.text);
  node.name_span = name.span;
  declared_.insert(node.name);
  if (depth_ > 0 || loops_ > 0 || in_function_) block_names_.insert(node.name);
  if (of_row) next();
  if (!extents(node)) return node;
  if (of_row) node.row = std::exchange(node.extents, {});
  if (node.function) {
    next();
    node.parameters.begin = peek().span.begin;
    group();
    node.parameters.end = previous_end_;
  }
  if (accept("=")) {
    node.style = Declarator::Init::equals;
    node.init = initializer();
  } else if (at("{")) {
    node.style = Declarator::Init::braces;
    node.init = braces();
  } else if (at("(")) {
    node.style = Declarator::Init::parentheses;
    auto list = arguments();
    if (list.size() == 1 && list[0].name.empty())
      node.init = std::move(list[0].value);
    else
      node.constructor = std::move(list);
  } else if (const bool unknown = !node.row.empty() && !node.row[0]; unknown) {
    fail(node.name_span, fmt::format("{} has a row without a length", node.name), "Give the number of elements");
  } else if (!node.extents.empty() && !node.extents[0] && !failed() && !(in_function_ && depth_ == 0)) {
    fail(node.name_span, fmt::format("{}[] has neither an extent nor a list of values", node.name),
         fmt::format("Write {}[n], or {}[] = {{1, 2, 3}}", node.name, node.name));
  }
  return node;
}

}  // namespace xcuda::cell
