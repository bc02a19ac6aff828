// Functions of the host: their parameters as declarations, their bodies as statements.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.hpp"
#include "cell/library_names.hpp"
#include "cell/make_expression.hpp"
#include "cell/make_statement.hpp"
#include "cell/methods.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

// "template <class T, int N = 4, class... A>": nothing where one is a template itself.
std::optional<std::vector<TemplateParameter>> template_parameters_of(std::string_view text) {
  std::vector<TemplateParameter> list;
  const auto tokens = tokens_of(text);
  if (tokens.size() < 3 || !tokens[0].is("template") || !tokens[1].is("<")) return list;
  std::vector<Token> words, fallback;
  bool in_fallback = false, pack = false;
  int depth = 0;
  for (std::size_t i = 2; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (token.is("template")) return std::nullopt;
    if (token.is("...")) {
      pack = true;
      continue;
    }
    const bool last = depth == 0 && token.is(">");
    if (last || (depth == 0 && token.is(","))) {
      if (last && words.empty() && list.empty()) return list;  // template <>
      if (words.size() < 2) return std::nullopt;
      const bool type = words.front().is("typename") || words.front().is("class");
      list.push_back({std::string(words.back().text), join(fallback),
                      type ? TemplateParameter::Kind::type : TemplateParameter::Kind::value, pack});
      pack = false;
      words.clear();
      fallback.clear();
      in_fallback = false;
      if (last) return list;
      continue;
    }
    if (token.is("<") || token.is("(")) ++depth;
    if (token.is(">") || token.is(")")) --depth;
    if (depth == 0 && token.is("="))
      in_fallback = true;
    else
      (in_fallback ? fallback : words).push_back(token);
  }
  return std::nullopt;
}

}  // namespace

// A parser for a part of the same source: its places are those of the cell.
Parser Parser::part(Span range) const {
  Parser inner(source_.text.substr(0, range.end), source_.name, grammar_);
  inner.types_ = types_;
  inner.given_ = given_;
  inner.packs_ = packs_;
  inner.methods_ = methods_;
  inner.library_ = library_;
  inner.mode_ = Mode::statements;
  inner.in_function_ = true;
  inner.previous_end_ = range.begin;
  inner.lexer_.seek(range.begin);
  return inner;
}

std::vector<Declaration> Parser::parameters() {
  std::vector<Declaration> list;
  if (at("void") && peek(1).kind == TokenKind::end) next();
  while (!at_end()) {
    Declaration one;
    const auto begin = peek().span.begin;
    const auto type = scan_type(0);
    if (!type) {
      fail_expected("the type of a parameter");
      break;
    }
    one.type = type->text;
    one.is_const = type->is_const;
    const auto* array = library_.array(one.type);
    if (array != nullptr) {
      one.type = array->element;
      one.is_const = one.is_const || array->is_const;
    }
    for (std::size_t i = 0; i < type->next; ++i) next();
    one.type_span = {begin, previous_end_};
    std::size_t name = 0;
    while (at("*", name) || at("&", name) || at("&&", name) || at("const", name)) ++name;
    if (at(",", name) || at("=", name) || peek(name).kind == TokenKind::end) {
      Declarator unnamed;
      unnamed.name_span = one.type_span;
      while (name-- > 0) {
        unnamed.pointer = at("*") || unnamed.pointer;
        unnamed.reference = at("&") || at("&&") || unnamed.reference;
        unnamed.rvalue = at("&&") || unnamed.rvalue;
        next();
      }
      if (accept("=")) unnamed.init = assignment();
      one.declarators.push_back(std::move(unnamed));
    } else {
      one.declarators.push_back(declarator());
    }
    auto& last = one.declarators.back();
    if (array != nullptr) add_extents(*array, last);
    if (last.pointer && !last.row.empty() && !last.function) {  // T (*m)[8] is T m[][8]
      last.pointer = false;
      last.extents = std::move(last.row);
      last.extents.insert(last.extents.begin(), nullptr);
      last.row.clear();
    }
    if (last.pack && !packs_.empty())
      expand_parameter(std::move(one), list);
    else
      list.push_back(std::move(one));
    if (!accept(",")) break;
  }
  if (!failed() && !at_end()) fail_expected("',' or ')' after a parameter");
  return list;
}

// member = value; with the place of the value.
StatementPtr Parser::initial_value(const std::string& member, Span value) {
  auto inner = part(value);
  auto expression = inner.at("{") ? inner.braces() : inner.assignment();
  if (inner.failed() && !failure_.error) failure_.error = std::move(inner.failure_.error);
  if (failed()) return nullptr;
  auto target = make(value, Member{make(value, Name{std::string(kThis)}), member, true});
  auto assigned = make(value, Assignment{std::nullopt, std::move(target), std::move(expression)});
  return make_statement(value, ExpressionStatement{std::move(assigned), false});
}

// What a constructor does before its body: n(3), p{nullptr}, and the initial values that members are declared with.
std::vector<StatementPtr> Parser::initial_values(const ClassText& own, const DevicePiece& constructor) {
  std::vector<StatementPtr> list;
  std::set<std::string> named;
  const auto tokens = tokens_of(source_.text.substr(0, constructor.body.begin));
  std::size_t i = 0;
  while (i < tokens.size() && (tokens[i].span.begin <= constructor.parameters.end || !tokens[i].is(":"))) ++i;
  ++i;
  while (i + 2 < tokens.size() && !failed()) {
    const auto name = tokens[i];
    const auto first = ++i;
    bool several = false;
    for (int depth = 0; i < tokens.size(); ++i) {
      several = several || (depth == 1 && tokens[i].is(","));
      if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[")) ++depth;
      if ((tokens[i].is(")") || tokens[i].is("}") || tokens[i].is("]")) && --depth == 0) break;
    }
    if (i >= tokens.size()) break;
    if (name.is(own.name.substr(0, own.name.find('<')))) {  // P() : P(16) {}
      const Span whole{name.span.begin, tokens[i].span.end}, given{tokens[first].span.begin, tokens[i].span.end};
      auto inner = part(given);
      std::vector<Argument> list_given;
      if (tokens[first].is("("))
        list_given = inner.arguments();
      else if (auto braces = inner.braces(); auto* elements = std::get_if<List>(&braces->node))
        for (auto& one : elements->elements) list_given.push_back({{}, {}, std::move(one)});
      if (inner.failed() && !failed()) failure_.error = std::move(inner.failure_.error);
      std::vector<StatementPtr> alone;
      auto callee = make(whole, Member{make(whole, Name{std::string(kThis)}), std::string(name.text), true});
      auto call = make(whole, Call{std::move(callee), std::move(list_given)});
      alone.push_back(make_statement(whole, ExpressionStatement{std::move(call), false}));
      return alone;
    }
    named.emplace(name.text);
    const bool braces = tokens[first].is("{");
    const Span inside{tokens[first].span.end, tokens[i].span.begin};
    if (!braces && several) {
      fail(name.span, fmt::format("{} is initialised with several values", name.text),
           "Assign to it in the constructor's body", ErrorKind::unsupported);
      break;
    }
    if (i > first + 1 || braces)
      list.push_back(
          initial_value(std::string(name.text), braces ? Span{tokens[first].span.begin, tokens[i].span.end} : inside));
    i += 2;  // the bracket and the comma
  }
  std::vector<StatementPtr> all;
  for (const auto& initial : own.initials)
    if (!named.contains(initial.member)) all.push_back(initial_value(initial.member, initial.value));
  std::move(list.begin(), list.end(), std::back_inserter(all));
  return all;
}

void Parser::know_names_of(const FunctionText& of) {
  types_ = {of.types.begin(), of.types.end()};
  given_ = of.given;
  library_ = of.library;
  know_packs(of);
}

namespace {

// At the end of the handlers of a constructor, whose object is not made.
template <class Thrown> void throw_again(Statement& tried, const Thrown& thrown) {
  auto& statements = std::get<Block>(tried.node).statements;
  if (statements.empty()) return;
  for (auto& handler : std::get<Try>(statements.front()->node).handlers) {
    if (handler.body == nullptr) continue;
    auto again = make_statement(handler.span, ExpressionStatement{thrown(handler.span), false});
    std::get<Block>(handler.body->node).statements.push_back(std::move(again));
  }
}

}  // namespace

HostFunction Parser::function(const FunctionText& of) {
  const auto& piece = *of.piece;
  know_names_of(of);
  HostFunction function;
  function.name = piece.name;
  function.span = piece.span;
  function.name_span = piece.name_span;
  const bool method = piece.name.find("::") != std::string::npos;
  const bool of_record = piece.of_class.end > 0;
  const auto own = of_record ? class_text(source_.text, piece.of_class)
                   : method  ? class_around(source_.text, piece)
                             : std::nullopt;
  if (own) {
    given_.emplace("this", kThis);
    types_.insert(own->name);
    for (const auto& parameter : own->template_parameters) {
      library_.forget_array(parameter);
      if (!given_.contains(parameter)) types_.insert(parameter);
    }
    for (const auto& one : own->methods) methods_.insert(one.name.substr(own->name.size() + 2));
    for (const auto& one : own->declarations) methods_.insert(one.name.substr(own->name.size() + 2));
    if (of_record) methods_.insert(own->functions.begin(), own->functions.end());
    methods_.erase(own->name.substr(0, own->name.find('<')));
    for (const auto& type : own->types) {
      library_.forget_array(type);
      const auto whole = given_.find(own->name);  // Buffer<float>
      const auto inner_type = (whole == given_.end() ? own->name : whole->second) + "::" + type;
      given_.emplace(type, inner_type);
      types_.insert(inner_type);
    }
  }
  function.result = result_of(piece);
  function.is_noexcept = piece.name.find('~') != std::string::npos;
  for (const auto& token : tokens_of(text({piece.parameters.end, std::max(piece.parameters.end, piece.body.begin)}))) {
    if (token.is(":")) break;
    function.is_const = function.is_const || token.is("const");
    function.is_noexcept = (function.is_noexcept || token.is("noexcept") || token.is("throw")) && !token.is("false");
  }
  std::string stream;
  auto heads = template_parameters_of(text({piece.span.begin, piece.name_span.begin}));
  const bool pack = heads && std::any_of(heads->begin(), heads->end(), [](const auto& one) { return one.pack; });
  if (!heads || (pack && piece.kernel)) {
    fail(piece.name_span, fmt::format("statements cannot hold the template {}", piece.name),
         "its parameters can be types and values", ErrorKind::unsupported);
  } else {
    function.template_parameters = std::move(*heads);
    for (const auto& one : function.template_parameters) {
      library_.forget_array(one.name);
      if (one.kind == TemplateParameter::Kind::type && !given_.contains(one.name)) types_.insert(one.name);
    }
  }
  auto listed = piece.parameters;
  if (piece.name.starts_with("xcuda_output_")) {  // the name of its stream
    function.result = "void";
    for (const auto& token : tokens_of(text(piece.parameters))) {
      if (token.is(",")) {
        listed.begin = piece.parameters.begin + token.span.end;
        break;
      }
      if (token.is_identifier()) stream = token.text;
    }
    given_[stream] = "std::cout";
  }
  auto head = part(listed), inner = part(piece.body);
  if (!failed()) function.parameters = head.parameters();
  inner.packs_ = head.packs_;
  const bool within = own && piece.span.begin >= own->span.begin && piece.span.end <= own->span.end;
  if (own && !within) take_default_arguments(piece, own->span, function.parameters);
  const bool is_implicit = of_record && piece.body.end == 0;  // the constructor that a record has without one
  if (is_implicit) function.body = make_statement(piece.span, Block{});
  const bool waits = pack && packs_.empty();  // for the lengths of its packs
  if (waits) function.body = make_statement(piece.span, Block{});
  if (!failed() && !head.failed() && !piece.kernel && !is_implicit && !waits)
    function.body = inner.at("try") ? inner.try_as_body() : inner.statement();
  if (own && piece.name == own->name + "::" + own->name && function.body != nullptr &&
      text(piece.body).starts_with("try"))
    throw_again(*function.body, [&](Span span) { return make(span, Call{make(span, Name{std::string(kThrow)}), {}}); });
  if (!inner.failed()) inner.check_jumps();
  if (of_record && function.body != nullptr && (is_implicit || piece.name == own->name + "::" + own->name)) {
    function.members = member_values(*own, piece);
    function.is_constructor = true;
  } else if (own && function.body != nullptr && piece.name == own->name + "::" + own->name) {
    auto list = initial_values(*own, piece);
    list.push_back(std::move(function.body));
    function.body = make_statement(piece.body, Block{std::move(list)});
  }
  for (auto* one : {this, &head, &inner})
    if (one->failed() && !function.refused) function.refused = std::move(one->failure_.error);
  if (function.refused) function.body.reset();
  const bool same_line = function.refused && function.refused->place && of.complaint && of.complaint->place &&
                         function.refused->place->line == of.complaint->place->line;
  if (of.complaint && !same_line) function.refused = of.complaint;
  return function;
}

// Whether it launches kernels or calls the CUDA Runtime, and sees the variables around it.
bool Parser::is_host_function(const std::vector<Token>& captures, const DevicePiece& lambda) {
  if (lambda.type.find("__device__") != std::string::npos) return false;
  const auto tokens = tokens_of(text(lambda.body));
  bool of_host = false;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    of_host = of_host || tokens[i].is("<<<") || (tokens[i].text.starts_with("cuda") && tokens[i + 1].is("("));
  if (!of_host) return false;
  for (std::size_t i = 1; i + 1 < captures.size(); ++i) {
    const bool by_reference = captures[i].is("&") || captures[i].is(",") || captures[i - 1].is("&");
    if (by_reference) continue;
    fail(captures[i].span, "a lambda that launches kernels or calls the CUDA Runtime captures by reference alone",
         "Write [&], or a function with parameters", ErrorKind::unsupported);
    return false;
  }
  return true;
}

// It is a function of the cell, which statements know by a name that nobody can write.
ExpressionPtr Parser::host_lambda(DevicePiece lambda) {
  auto& piece = lambda;
  piece.kind = DeviceKind::function;
  const auto whole = std::string(source_.text);
  piece.name = fmt::format("{}{:016x}", kHostLambdaPrefix,
                           std::hash<std::string>{}(fmt::format("{} {}", piece.span.begin, whole)));
  piece.key = piece.name + "()";
  const auto arrow = piece.type.find("->");
  piece.type = arrow == std::string::npos ? "auto" : std::string(trim(std::string_view(piece.type).substr(arrow + 2)));
  piece.host_uses.push_back({"<<<", piece.body});
  auto name = make(piece.span, Name{piece.name});
  cell_.device.push_back(std::move(piece));
  return name;
}

namespace {

// Open at the end of the text: #ifndef X, after which #define X comes at once. Nothing where another #if is open.
std::optional<int> include_guards(std::string_view text) {
  struct Open {
    std::string name;
    bool guard = false;
  };
  std::vector<Open> open;
  for (const auto line : split_lines(text)) {
    const auto words = trim(line);
    if (!words.starts_with('#')) continue;
    const auto tokens = tokens_of(words.substr(1));
    if (tokens.empty()) continue;
    const auto name = tokens.size() > 1 ? std::string(tokens[1].text) : std::string();
    if (tokens[0].is("if") || tokens[0].is("ifdef") || tokens[0].is("ifndef"))
      open.push_back({tokens[0].is("ifndef") ? name : std::string(), false});
    else if (tokens[0].is("endif") && !open.empty())
      open.pop_back();
    else if ((tokens[0].is("else") || tokens[0].is("elif")) && !open.empty())
      open.back() = {};
    else if (tokens[0].is("define") && !open.empty() && !name.empty() && open.back().name == name)
      open.back().guard = true;
    else if (!open.empty() && !open.back().guard)
      open.back().name.clear();
  }
  if (!std::all_of(open.begin(), open.end(), [](const Open& one) { return one.guard; })) return std::nullopt;
  return static_cast<int>(open.size());
}

}  // namespace

bool may_be_of_host(const DevicePiece& piece, std::string_view text) {
  const bool named = piece.name.find("::") == std::string::npos && piece.name.find("operator") == std::string::npos;
  if (piece.kind != DeviceKind::function || piece.kernel || piece.body.end == 0 || !named) return false;
  if (piece.nesting > 0 && include_guards(text.substr(0, piece.span.begin)) != piece.nesting) return false;
  const auto head = text.substr(piece.span.begin, piece.name_span.begin - piece.span.begin);
  return head.find("__device__") == head.npos && head.find("constexpr") == head.npos;
}

HostFunctionPtr parse_function(const FunctionText& of) {
  return std::make_shared<const HostFunction>(Parser(of.text, of.name, of.grammar).function(of));
}

}  // namespace xcuda::cell
