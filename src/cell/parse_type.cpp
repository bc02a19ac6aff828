// The names of types, told from other names without knowing what was declared elsewhere; sizeof and its kin.
#include <algorithm>

#include "base/type.hpp"
#include "cell/container_types.hpp"
#include "cell/library_names.hpp"
#include "cell/make_expression.hpp"
#include "cell/parser.hpp"
#include "cell/type_word.hpp"

namespace xcuda::cell {

bool is_type_word(std::string_view word) {
  static constexpr std::string_view kWords[] = {"auto", "bool",  "char",   "double",   "float", "int",
                                                "long", "short", "signed", "unsigned", "void",  "__int128"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

namespace {

// std::vector<int>::iterator is what auto makes of v.begin(), std::vector<int>::size_type a size_t. Other types as they
// are.
std::string member_of_container(std::string type) {
  const auto open = type.find('<');
  const bool container = type.starts_with("std::") && open != type.npos && is_container_name(type.substr(5, open - 5));
  if (!container || type.ends_with('>')) return type;
  if (type.ends_with("iterator")) return "auto";
  if (type.ends_with(">::size_type")) return "size_t";
  return type.ends_with(">::difference_type") ? "long" : type;
}

}  // namespace

bool Parser::known_type(const std::string& name) const {
  const auto word = name.substr(0, name.find('<'));
  return types_.contains(word) || !record_name(name).empty() || type_word(name) != TypeWord::none ||
         find_type(name).has_value();
}

std::string Parser::joined(std::size_t from, std::size_t to) {
  std::vector<Token> tokens;
  for (auto i = from; i < to; ++i) tokens.push_back(peek(i));
  return library_.join(tokens, types_);
}

// The index after the '>' that closes the '<' at open, if what is between can be template arguments.
std::optional<std::size_t> Parser::scan_template_arguments(std::size_t open) {
  static constexpr std::size_t kMostTokens = 128;
  int angles = 1, round = 0;
  for (auto i = open + 1; i < open + kMostTokens; ++i) {
    const auto token = peek(i);
    if (token.kind == TokenKind::end || token.kind == TokenKind::directive || token.kind == TokenKind::string)
      return std::nullopt;
    if (token.kind != TokenKind::punctuator) continue;
    if (token.text == "(" || token.text == "[") ++round;
    if ((token.text == ")" || token.text == "]") && --round < 0) return std::nullopt;
    if (token.text == ";" || token.text == "{" || token.text == "}" || token.text == "<<<") return std::nullopt;
    if (round > 0) continue;
    if (token.text == "&&" || token.text == "||" || token.text == "=") return std::nullopt;
    if (token.text == "<") ++angles;
    if (token.text == ">" && --angles == 0) return i + 1;
  }
  return std::nullopt;
}

// "(*name)(", "(*table[3])(", "(**table)(": after a type they declare pointers to functions.
bool Parser::at_function_pointer(std::size_t from) {
  if (!at("(", from) || !at("*", from + 1)) return false;
  auto i = from + 2;
  while (at("*", i) || at("const", i)) ++i;
  if (!peek(i).is_identifier() || is_keyword(peek(i).text)) return false;
  ++i;
  while (i != 0 && at("[", i)) i = after_brackets(i);
  return i != 0 && at(")", i) && at("(", i + 1);
}

// (*row)[4], (&all)[4]
bool Parser::at_row(std::size_t from) {
  if (!at("(", from) || (!at("*", from + 1) && !at("&", from + 1))) return false;
  const auto name = from + (at("const", from + 2) ? 3 : 2);
  return peek(name).is_identifier() && !is_keyword(peek(name).text) && at(")", name + 1) && at("[", name + 2);
}

bool Parser::extents(Declarator& node) {
  while (at("[")) {
    const auto open = next();
    if (at("]")) {
      if (!node.extents.empty()) {
        fail(open.span, "only the first extent can be omitted", "Give the number of elements");
        return false;
      }
      node.extents.push_back(nullptr);
    } else {
      do {
        node.extents.push_back(assignment());
        if (at(":") || at("::")) {
          fail(peek().span, "a slice cannot be an extent", "Give the number of elements");
          return false;
        }
      } while (accept(","));
    }
    expect_close("]", open);
  }
  return true;
}

std::optional<Parser::TypeScan> Parser::scan_type(std::size_t from) {
  TypeScan scan;
  std::vector<Token> words;
  auto i = from;
  const auto skip_qualifiers = [&] {
    while (peek(i).is("const") || peek(i).is("volatile")) {
      if (peek(i).text == "const") scan.is_const = true;
      ++i;
    }
  };
  skip_qualifiers();
  const auto lead = peek(i);
  if (lead.is("struct") || lead.is("class") || lead.is("enum") || lead.is("union") || lead.is("typename")) {
    ++i;
    skip_qualifiers();
  }
  if (is_type_word(peek(i).text) && peek(i).is_identifier()) {
    while (peek(i).is_identifier() && is_type_word(peek(i).text)) {
      words.push_back(peek(i++));
      skip_qualifiers();
    }
    scan.is_auto = words.size() == 1 && type_word(words[0].text) == TypeWord::automatic;
    scan.known = true;
  } else {
    if (peek(i).is("::")) words.push_back(peek(i++));
    while (true) {
      const auto word = peek(i);
      if (!word.is_identifier() || is_keyword(word.text)) return std::nullopt;
      words.push_back(word);
      ++i;
      if (peek(i).is("<")) {
        if (const auto after = scan_template_arguments(i))
          while (i < *after) words.push_back(peek(i++));
      }
      if (!peek(i).is("::") || subscript_colons_) break;
      words.push_back(peek(i++));
    }
    scan.known = known_type(library_.join(words, types_));
    skip_qualifiers();
  }
  scan.text = member_of_container(library_.join(words, types_));
  scan.is_auto = scan.is_auto || scan.text == "auto";
  scan.known = scan.known || scan.is_auto || find_type(scan.text).has_value();
  scan.next = i;
  return scan;
}

// offsetof(P, x), offsetof(P, in.v[2])
ExpressionPtr Parser::offset_of() {
  const auto word = next();
  const auto open = next();
  SizeOf node{.type = {}, .operand = nullptr, .what = SizeOf::What::offset};
  if (const auto type = scan_type(0)) {
    node.type = type->text;
    for (std::size_t i = 0; i < type->next; ++i) next();
  }
  if (node.type.empty() || !at(",") || !peek(1).is_identifier()) {
    fail(open.span, "offsetof takes a struct and one of its members", "offsetof(P, x)");
    return nothing();
  }
  next();
  std::size_t end = 0;
  while (!at(")", end) && peek(end).kind != TokenKind::end) ++end;
  node.member = joined(0, end);
  for (std::size_t i = 0; i < end; ++i) next();
  expect_close(")", open);
  return make({word.span.begin, previous_end_}, std::move(node));
}

// sizeof(int[3][n]) is sizeof(int) * 3 * n; words: how many tokens the parenthesis and the type have.
ExpressionPtr Parser::size_of_array(const Token& word, std::size_t words) {
  const auto open = peek();
  const auto type = joined(1, words);
  for (std::size_t k = 0; k < words; ++k) next();
  const auto span = [&] { return Span{word.span.begin, previous_end_}; };
  auto size = make(span(), SizeOf{type, nullptr, SizeOf::What::size});
  while (at("[")) {
    const auto bracket = next();
    auto extent = assignment();
    expect_close("]", bracket);
    size = make(span(), Binary{BinaryOperator::multiply, std::move(size), std::move(extent)});
  }
  expect_close(")", open);
  size->span = span();
  return size;
}

namespace {

// cudaDeviceProp, cudaExtent, cudaError_t
bool is_runtime_type(std::string_view name) {
  return name == "cudaDeviceProp" || !library_members(name).empty() ||
         (name.starts_with("cuda") && name.ends_with("_t"));
}

}  // namespace

ExpressionPtr Parser::size_of() {
  const auto word = next();
  if (at("...")) return size_of_pack();
  const auto what = word.is("alignof") ? SizeOf::What::alignment : SizeOf::What::size;
  if (at("(")) {
    if (auto type = scan_type(1)) {
      auto i = type->next;
      while (at("*", i)) ++i;
      if (what == SizeOf::What::size && at("[", i) && type->known) return size_of_array(word, i);
      if (at("(", i) && at("*", i + 1) && at(")", i + 2) && type->known) {  // sizeof(float (*)[8])
        for (std::size_t k = 0; k < i; ++k) next();
        while (at("(") || at("[")) group();
        expect(")", "of sizeof");
        return make({word.span.begin, previous_end_}, SizeOf{"void*", nullptr, what});
      }
      if (at(")", i) && (type->known || i > type->next || is_runtime_type(type->text))) {
        const auto text = joined(1, i);
        for (std::size_t k = 0; k <= i; ++k) next();
        const auto of_library = text == "std::string"          ? 32u
                                : vector_element(text).empty() ? 0u
                                                               : 24u;  // as g++ has them
        if (of_library > 0 && what == SizeOf::What::size)
          return make({word.span.begin, previous_end_}, IntegerLiteral{of_library, true, 1});
        return make({word.span.begin, previous_end_}, SizeOf{text, nullptr, what});
      }
    }
  }
  if (!enter(word.span)) return nothing();
  auto operand = unary();
  leave();
  const Span span{word.span.begin, previous_end_};
  if (const auto* text = std::get_if<StringLiteral>(&operand->node))
    return make(span, IntegerLiteral{text->value.size() + 1, true, 1});
  return make(span, SizeOf{{}, std::move(operand), what});
}

}  // namespace xcuda::cell
