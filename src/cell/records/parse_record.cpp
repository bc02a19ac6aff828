// Records: structs with members that only the host has.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cell/constructors.hpp"
#include "cell/container_types.hpp"
#include "cell/methods.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

bool has_hidden_base(std::string_view type, std::string_view bases) {
  const auto holds = [](std::string_view text, std::string_view word) {
    const auto tokens = tokens_of(text);
    return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) { return token.is(word); });
  };
  const auto head = tokens_of(type.substr(0, type.find('{')));
  const bool of_class = std::any_of(head.begin(), head.end(), [](const Token& token) { return token.is("class"); });
  return holds(bases, "private") || holds(bases, "protected") || (of_class && !holds(bases, "public"));
}

// Virtual functions that no device code can have: those of a struct that prints, or names texts or vectors.
bool has_virtual_of_host(std::string_view type) {
  bool is_virtual = false, of_host = false;
  for (const auto& token : tokens_of(type)) {
    if (token.is("__device__")) return false;
    is_virtual = is_virtual || token.is("virtual");
    of_host = of_host || token.is("string") || token.is("cout") || token.is("vector");
  }
  return is_virtual && of_host;
}

}  // namespace

bool Parser::holds_values_of_host(const DevicePiece& type) const {
  const auto own = type.name.find('<') == std::string::npos ? class_text(source_.text, type.span) : std::nullopt;
  return own && (is_derived_from_record(*own) || has_virtual_of_host(text(type.span)) ||
                 std::any_of(own->members.begin(), own->members.end(), [&](const ClassText::MemberText& member) {
                   auto inner = part(member.span);
                   inner.accept("mutable");
                   const auto known = inner.scan_type(0);
                   return known && is_of_host(known->text) && !inner.at("*", known->next) &&
                          !inner.at("&", known->next);
                 }));
}

// As statements name them: "struct std::runtime_error".
std::vector<std::string> Parser::bases_of(const ClassText& own) const {
  std::vector<std::string> bases;
  std::vector<Token> words;
  int depth = 0;
  const auto tokens = tokens_of(text(own.bases));
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    if (i == tokens.size() || (depth == 0 && tokens[i].is(","))) {
      if (!words.empty()) bases.push_back(library_.join(words, types_));
      words.clear();
      continue;
    }
    if (tokens[i].is("<")) ++depth;
    if (tokens[i].is(">")) --depth;
    static constexpr std::string_view kAccess[] = {"public", "private", "protected", "virtual"};
    if (std::find(std::begin(kAccess), std::end(kAccess), tokens[i].text) == std::end(kAccess))
      words.push_back(tokens[i]);
  }
  return bases;
}

// From an exception of the library, or from a struct of a cell.
bool Parser::is_derived_from_record(const ClassText& own) const {
  const auto bases = bases_of(own);
  return std::any_of(bases.begin(), bases.end(), [&](const std::string& one) { return !record_name(one).empty(); });
}

// As statements name it: "const std::vector<double>&", "struct Matrix".
std::string Parser::result_of(const DevicePiece& function) const {
  if (function.of_class.end == 0 && given_.contains(function.type)) return given_.find(function.type)->second;
  if (function.of_class.end == 0 && function.type == "auto") {  // auto f() -> std::vector<int>
    const auto tokens =
        tokens_of(text({function.parameters.end, std::max(function.parameters.end, function.body.begin)}));
    const auto arrow = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) { return token.is("->"); });
    if (arrow != tokens.end() && !std::next(arrow)->is("decltype"))
      return library_.join({std::next(arrow), tokens.end()}, types_);
  }
  static constexpr std::string_view kSpecifiers[] = {"static",    "inline",   "explicit",   "constexpr",
                                                     "constinit", "__host__", "__device__", "__forceinline__",
                                                     "friend",    "virtual"};
  std::vector<Token> words;
  auto written = function.of_class.end == 0 ? std::string_view(function.type)
                                            : text({function.span.begin, function.name_span.begin});
  if (function.of_class.end > 0 && function.type == "void") return "void";  // of a constructor, too
  int attributes = 0;
  for (auto token : tokens_of(written)) {
    if (token.is("[")) ++attributes;
    const bool is_word = attributes == 0 &&
                         std::find(std::begin(kSpecifiers), std::end(kSpecifiers), token.text) == std::end(kSpecifiers);
    if (token.is("]")) --attributes;
    if (!is_word) continue;
    if (const auto given = token.is_identifier() ? given_.find(token.text) : given_.end(); given != given_.end())
      token.text = given->second;
    words.push_back(token);
  }
  if (words.size() > 1 && words.back().is("::")) {  // Matrix& Matrix::operator+=
    while (!words.empty() && (words.back().is("::") || words.back().is_identifier())) {
      const bool scope = words.back().is("::");
      words.pop_back();
      if (!scope && (words.empty() || !words.back().is("::"))) break;
    }
  }
  return library_.join(words, types_);
}

// n(3), v(rows * columns, 0.0), p{nullptr}, and the initial values that the other members are declared with.
std::vector<HostFunction::MemberValue> Parser::member_values(const ClassText& own, const DevicePiece& constructor) {
  using Style = Declarator::Init;
  std::vector<HostFunction::MemberValue> all;
  std::set<std::string> named;
  const auto bases = bases_of(own);
  const auto within = [&](std::string member, Span span, Style style) {
    auto& one = all.emplace_back();
    one.member = std::move(member);
    one.span = span;
    one.style = style;
    auto inner = part(span);
    if (style == Style::parentheses) {
      for (auto& argument : inner.arguments()) one.given.push_back(std::move(argument.value));
    } else {
      auto list = inner.braces();
      if (auto* elements = std::get_if<List>(&list->node)) one.given = std::move(elements->elements);
    }
    if (inner.failed() && !failed()) failure_.error = std::move(inner.failure_.error);
  };
  if (constructor.body.end > 0) {
    const auto tokens = tokens_of(text({constructor.parameters.end, constructor.body.begin}));
    const auto first = constructor.parameters.end;
    std::size_t i = 0;
    while (i < tokens.size() && !tokens[i].is(":")) ++i;
    for (++i; i + 2 < tokens.size() && !failed();) {
      auto name = std::string(tokens[i].text);
      const auto begin = i;
      while (i < tokens.size() && !tokens[i].is("(") && !tokens[i].is("{")) ++i;  // of a template's arguments, too
      const std::vector<Token> words(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                     tokens.begin() + static_cast<std::ptrdiff_t>(i));
      if (const auto base = library_.join(words, {});
          name != own.name && std::find(bases.begin(), bases.end(), base) != bases.end())
        name = record_name(base);
      const auto open = i;
      for (int depth = 0; i < tokens.size(); ++i) {
        if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[")) ++depth;
        if ((tokens[i].is(")") || tokens[i].is("}") || tokens[i].is("]")) && --depth == 0) break;
      }
      if (i >= tokens.size()) break;
      named.insert(name);
      within(name, {first + tokens[open].span.begin, first + tokens[i].span.end},
             tokens[open].is("{") ? Style::braces : Style::parentheses);
      i += 2;  // the bracket and the comma
    }
  }
  if (named.contains(own.name)) return all;
  std::set<std::string_view> parameters;
  const auto words = tokens_of(text(constructor.parameters));
  for (const auto& word : words)
    if (word.is_identifier()) parameters.insert(word.text);
  for (const auto& member : own.members) {
    auto inner = part(member.span);
    auto declaration = inner.declaration();
    for (auto& declarator : declaration.declarators) {
      if (declarator.init == nullptr || named.contains(declarator.name)) continue;
      auto& one = all.emplace_back();
      one.member = declarator.name;
      one.style = declarator.style;
      one.span = declarator.init->span;
      for (const auto& word : tokens_of(text(one.span))) one.apart = one.apart || parameters.contains(word.text);
      auto* list = std::get_if<List>(&declarator.init->node);
      if (one.style == Style::braces && list != nullptr)
        one.given = std::move(list->elements);
      else
        one.given.push_back(std::move(declarator.init));
    }
  }
  return all;
}

// Those of the prototype in the class, for a function that is defined outside of it.
void Parser::take_default_arguments(const DevicePiece& definition, Span of_class,
                                    std::vector<Declaration>& parameters) const {
  const auto name = definition.name.substr(definition.name.rfind("::") + 2);
  const auto tokens = tokens_of(text(of_class));
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(name) || !tokens[i + 1].is("(")) continue;
    auto end = i + 1;
    for (int depth = 0; end < tokens.size(); ++end) {
      if (tokens[end].is("(")) ++depth;
      if (tokens[end].is(")") && --depth == 0) break;
    }
    auto after = end;
    while (after < tokens.size() && !tokens[after].is(";") && !tokens[after].is("{") && !tokens[after].is(":")) ++after;
    if (after >= tokens.size() || !tokens[after].is(";")) continue;
    const auto from = of_class.begin;
    auto declared = part({from + tokens[i + 1].span.end, from + tokens[end].span.begin}).parameters();
    const bool same = std::equal(declared.begin(), declared.end(), parameters.begin(), parameters.end(),
                                 [](const Declaration& a, const Declaration& b) { return a.type == b.type; });
    for (std::size_t k = 0; same && k < parameters.size(); ++k)
      if (auto& own = parameters[k].declarators.front().init; own == nullptr)
        own = std::move(declared[k].declarators.front().init);
  }
}

Record Parser::record(const FunctionText& of) {
  const auto& piece = *of.piece;
  know_names_of(of);
  Record record;
  record.name = piece.name;
  auto own = class_text(source_.text, piece.span);
  const auto refuse = [&](std::string what, std::string advice) {
    if (!failed()) fail(piece.name_span, std::move(what), std::move(advice), ErrorKind::unsupported);
  };
  const auto special = special_members(text(piece.span));
  const std::string_view all = "A cell with %%cuda runs all of C++";
  const auto bases = own ? bases_of(*own) : std::vector<std::string>();
  const bool derived = own && bases.size() == 1 && is_derived_from_record(*own) && own->template_parameters.empty();
  if (derived) record.bases = {std::string(record_name(bases.front()))};
  if (!own || (!bases.empty() && !derived))
    refuse(fmt::format("statements have no {} with such bases", piece.name),
           fmt::format("One base, whose members only the host has as well, is what it can have. {}", all));
  if (derived && has_hidden_base(text(piece.span), text(own->bases)))
    refuse(fmt::format("the base {} of {} is private{}", record.bases.front(), piece.name,
                       record.bases.front().starts_with("std::") ? ", so no handler of it takes the exception" : ""),
           fmt::format("Write public in front of {}. {}", record.bases.front(), all));
  if (special.copies || special.assigns)
    refuse(fmt::format("statements copy a {} member by member: it cannot have a copy constructor or operator=",
                       piece.name),
           fmt::format("Leave them out, or write `= default`. {}", all));
  for (const auto& other : own ? own->others : std::vector<Span>())
    if (derived && text(other).starts_with("using") && text(other).find('=') == std::string_view::npos)
      record.inherits_constructors = true;
    else if (!failed() && !text(other).starts_with("friend"))
      fail(other,
           fmt::format("{} has members that only the host has, and can hold no static members, types or names",
                       piece.name),
           fmt::format("Put this in front of {}", piece.name), ErrorKind::unsupported);
  // Who its friends are is known to the compiler only.
  const auto tokens = tokens_of(text(piece.span));
  const bool hides = std::none_of(tokens.begin(), tokens.end(), [](const Token& one) { return one.is("friend"); });
  for (const auto& member : own ? own->members : std::vector<ClassText::MemberText>()) {
    auto inner = part(member.span);
    auto declaration = failed() ? Declaration() : inner.declaration();
    if (!inner.failed() && !inner.at_end() && !failed())
      fail(member.span, fmt::format("statements have no member such as {}", text(member.span)), std::string(all),
           ErrorKind::unsupported);
    if (inner.failed() && !failed()) failure_.error = std::move(inner.failure_.error);
    for (auto& declarator : declaration.declarators) {
      if (declarator.reference || declarator.function || declarator.pointer_to_pointer || !declarator.row.empty() ||
          (declarator.pointer && !record_name(declaration.type).empty())) {
        if (!failed())
          fail(member.span,
               fmt::format("statements have no member such as {} in a struct of the host", text(member.span)),
               fmt::format("Hold a value, or an index. {}", all), ErrorKind::unsupported);
        break;
      }
      auto& one = record.parts.emplace_back();
      one.name = declarator.name;
      one.type = declaration.type;
      if (declarator.pointer) one.type = (declaration.is_const ? "const " : "") + one.type + "*";
      one.is_const = declaration.is_const && !declarator.pointer;
      one.hidden = member.hidden && hides;
      one.span = declarator.name_span;
      one.extents = std::move(declarator.extents);
      record.layout += fmt::format("{}{} {}", record.layout.empty() ? "" : "; ", one.type, one.name);
      for (const auto& extent : one.extents)
        record.layout += extent == nullptr ? "[]" : fmt::format("[{}]", text(extent->span));
    }
  }
  if (own) {
    record.functions = std::move(own->functions);
    if (hides) record.hidden = std::move(own->hidden);
    record.defaulted = std::move(own->defaulted);
  }
  if (failed()) record.refused = std::move(failure_.error);
  return record;
}

std::shared_ptr<Record> parse_record(const FunctionText& of) {
  return std::make_shared<Record>(Parser(of.text, of.name, of.grammar).record(of));
}

}  // namespace xcuda::cell
