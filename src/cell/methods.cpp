#include "cell/methods.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "cell/declared.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

bool opens(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }
bool closes(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }

class Reader {
 public:
  Reader(std::string_view text, Span span)
      : text_(text), offset_(span.begin), tokens_(tokens_of(text.substr(span.begin, span.end - span.begin))) {
    for (auto& token : tokens_) token.span = {token.span.begin + offset_, token.span.end + offset_};
  }

  std::optional<ClassText> read() {
    std::size_t head = 0;
    while (head < tokens_.size() &&
           !begins_struct(tokens_[head].text, head == 0 ? std::string_view() : tokens_[head - 1].text))
      ++head;
    auto open = head;
    while (open < tokens_.size() && !is(open, "{") && !is(open, ";") && !is(open, "(")) ++open;
    if (head >= tokens_.size() || !is(open, "{")) return std::nullopt;
    bool bases = false;
    int depth = 0;  // of the arguments of a specialization
    for (auto i = head + 1; i < open; ++i) {
      if (!bases && is(i, ":")) found_.bases = {tokens_[i].span.end, tokens_[open].span.begin};
      bases = bases || is(i, ":");
      if (bases) continue;
      if (is(i, "<")) ++depth;
      if (depth > 0)
        found_.name += tokens_[i].text;
      else if (tokens_[i].is_identifier() && !is(i, "final"))
        found_.name = own_ = tokens_[i].text;
      if (is(i, ">")) --depth;
      if (is(i, ">>")) depth -= 2;
    }
    if (found_.name.empty()) return std::nullopt;
    found_.simple = !bases;
    for (std::size_t i = 0; i < head; ++i)
      if (is(i, "template") && is(i + 1, "<")) parameters(i + 2, head);
    auto begin = open + 1;
    hides_ = is(head, "class");
    for (auto i = begin; i < tokens_.size() && !is(i, "}");) {
      if (is(i, ";")) {
        if (i > begin) declared(begin, i);
        begin = ++i;
      } else if (is(i, ":") && i == begin + 1) {
        hides_ = !is(begin, "public");
        begin = ++i;
      } else if (is(i, "<") && i > begin && tokens_[i - 1].is_identifier() && after_angles(i) > i) {
        i = after_angles(i);
      } else if (is(i, "virtual")) {
        found_.simple = false;
        ++i;
      } else if (is(i, "(")) {
        i = begin = function(begin, i);
      } else if (is(i, "=") || is(i, "{")) {
        i = begin = member(begin, i);
      } else if (is(i, "operator") && is(i + 1, "(")) {
        i += 3;  // operator()
      } else if (is(i, "operator") && i + 1 < tokens_.size()) {
        i += 2;
      } else {
        i = opens(tokens_[i]) ? after(i) : i + 1;
      }
    }
    return std::move(found_);
  }

 private:
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }

  // What comes after the bracket that closes this one.
  std::size_t after(std::size_t open) const {
    int depth = 0;
    for (auto i = open; i < tokens_.size(); ++i) {
      if (opens(tokens_[i])) ++depth;
      if (closes(tokens_[i]) && --depth == 0) return i + 1;
    }
    return tokens_.size();
  }

  // Past std::function<int(int)>; `open` where no list of template arguments begins.
  std::size_t after_angles(std::size_t open) const {
    int depth = 0;
    for (auto i = open; i < tokens_.size() && !is(i, ";") && !is(i, "{") && !is(i, "="); ++i) {
      if (is(i, "<")) ++depth;
      if (is(i, ">") && --depth == 0) return i + 1;
    }
    return open;
  }

  // A declaration without parameters, from its first token to the one after its last.
  void declared(std::size_t begin, std::size_t end) {
    static constexpr std::string_view kOthers[] = {"static", "using",  "typedef", "enum",    "struct",
                                                   "class",  "friend", "union",   "template"};
    const Span span{tokens_[begin].span.begin, tokens_[end - 1].span.end};
    const auto first = is(begin, "inline") && begin + 1 < end ? begin + 1 : begin;  // inline static int n = 0;
    if (among(tokens_[first].text, kOthers)) return found_.others.push_back(span);
    found_.members.push_back({span, hides_});
  }

  std::size_t after_semicolon(std::size_t i) const {
    while (i < tokens_.size() && !is(i, ";") && !is(i, "}")) i = opens(tokens_[i]) ? after(i) : i + 1;
    return is(i, ";") ? i + 1 : i;
  }

  void parameters(std::size_t first, std::size_t head) {
    for (auto i = first; i < head; ++i)
      if (tokens_[i].is_identifier() && (is(i + 1, ",") || is(i + 1, ">") || is(i + 1, "=")))
        found_.template_parameters.emplace_back(tokens_[i].text);
  }

  // int n = 3; float* p{nullptr}; struct Inner { ... };
  std::size_t member(std::size_t begin, std::size_t at) {
    const bool type = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
                                  tokens_.begin() + static_cast<std::ptrdiff_t>(at), [](const Token& token) {
                                    return token.is("struct") || token.is("class") || token.is("enum") ||
                                           token.is("union") || token.is("static") || token.is("using");
                                  });
    const auto end = after_semicolon(at);
    if (at > begin) declared(begin, is(end - 1, ";") ? end - 1 : end);
    if (type && is(at, "{") && tokens_[at - 1].is_identifier()) found_.types.emplace_back(tokens_[at - 1].text);
    if (!type && at > begin && tokens_[at - 1].is_identifier()) {
      const auto first = is(at, "=") ? at + 1 : at;
      found_.initials.push_back(
          {std::string(tokens_[at - 1].text), {tokens_[first].span.begin, tokens_[end - 2].span.end}});
    }
    return end;
  }

  std::size_t function(std::size_t begin, std::size_t open) {
    auto name = open;  // its first token
    while (name > begin && !is(name, "operator")) --name;
    if (!is(name, "operator")) name = open - 1 > begin && is(open - 2, "~") ? open - 2 : open - 1;
    DevicePiece piece;
    piece.kind = DeviceKind::function;
    bool of_friend = false;
    for (auto i = begin; i < name; ++i) {
      if (is(i, "__device__") || is(i, "__global__") || is(i, "template") || is(i, "friend")) piece.annotated = true;
      static constexpr std::string_view kSpecifiers[] = {"static",   "inline",     "explicit", "constexpr",
                                                         "__host__", "__device__", "virtual",  "friend"};
      if (is(i, "friend")) of_friend = true;
      if (is(i, "static")) piece.value = "static";
      if (!among(tokens_[i].text, kSpecifiers))
        piece.type += (piece.type.empty() || !tokens_[i].is_identifier() ? "" : " ") + std::string(tokens_[i].text);
    }
    for (auto i = name; i < open; ++i) piece.name += tokens_[i].text;
    const auto own = piece.name;
    piece.name = found_.name + "::" + piece.name;
    if (!of_friend) {
      found_.functions.push_back(own);
      if (hides_) found_.hidden.push_back(own);
    }
    piece.name_span = {tokens_[name].span.begin, tokens_[open - 1].span.end};
    piece.key = piece.name;
    const auto parameters_end = after(open);
    if (parameters_end > tokens_.size() || parameters_end == 0) return tokens_.size();
    piece.parameters = {tokens_[open].span.end, tokens_[parameters_end - 1].span.begin};
    auto i = parameters_end;
    std::optional<std::size_t> tried;  // the try of a function try block
    while (i < tokens_.size() && !is(i, "{") && !is(i, ";") && !is(i, "=") && !is(i, ":") && !is(i, "}")) {
      if (is(i, "try")) tried = i;
      i = opens(tokens_[i]) ? after(i) : i + 1;
    }
    if (is(i, ":"))
      for (++i; i < tokens_.size();) {  // n(3), p{q}
        while (i < tokens_.size() && !is(i, "(") && !is(i, "{")) ++i;
        i = after(i);
        if (!is(i, ",")) break;
        ++i;
      }
    if (is(i, "=") && is(i + 1, "default")) {
      auto& key = found_.defaulted.emplace_back(own);
      for (auto k = open; k < parameters_end; ++k) key += tokens_[k].text;
    }
    if (!is(i, "{")) {
      const auto end = after_semicolon(i);
      const bool pure = is(i, "=");  // or defaulted, or deleted
      if (!of_friend && !pure)
        found_.declarations.push_back(
            {piece.name, {tokens_[begin].span.begin, tokens_[end - 1].span.end}, piece.annotated});
      return end;
    }
    auto end = after(i);
    while (tried && is(end, "catch")) end = after(after(end + 1));
    piece.span = {tokens_[begin].span.begin, tokens_[end - 1].span.end};
    piece.body = {tokens_[tried.value_or(i)].span.begin, tokens_[end - 1].span.end};
    if (of_friend) {
      piece.name = piece.key = own;
      if (output_function(text_, piece).empty()) {
        found_.friends.push_back(std::move(piece));
        return is(end, ";") ? end + 1 : end;
      }
      piece.annotated = false;
    }
    if (own == own_ || own == "~" + own_) piece.type = "void";
    found_.methods.push_back(std::move(piece));
    return is(end, ";") ? end + 1 : end;
  }

  std::string_view text_;
  std::uint32_t offset_;
  std::vector<Token> tokens_;
  ClassText found_;
  std::string own_;     // its name without arguments
  bool hides_ = false;  // what comes is private or protected
};

}  // namespace

std::string output_function(std::string_view text, const DevicePiece& piece) {
  if (piece.kind != DeviceKind::function || piece.name != "operator<<") return {};
  const auto tokens = tokens_of(text.substr(piece.parameters.begin, piece.parameters.end - piece.parameters.begin));
  const auto comma = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) { return token.is(","); });
  const bool stream = std::any_of(tokens.begin(), comma, [](const Token& token) { return token.is("ostream"); });
  if (!stream) return {};
  for (auto at = comma; at != tokens.end(); ++at)
    if (at->is_identifier() && !at->is("const")) return "xcuda_output_" + std::string(at->text);
  return {};
}

std::optional<ClassText> class_text(std::string_view text, Span span) {
  auto found = Reader(text, span).read();
  if (found) found->span = span;
  return found;
}

void add_methods(std::vector<DevicePiece>& pieces, const DevicePiece& type, const std::vector<DevicePiece>& methods) {
  auto at = std::find_if(pieces.begin(), pieces.end(), [&](const DevicePiece& one) { return one.span == type.span; });
  const int nesting = type.nesting + 1;
  if (at != pieces.end()) ++at;
  for (auto method : methods) {
    method.nesting = nesting;
    at = std::next(pieces.insert(at, std::move(method)));
  }
}

std::optional<std::map<std::string, std::string, std::less<>>> arguments_in(const ClassText& specialization,
                                                                            std::string_view type) {
  const auto patterns = template_arguments(specialization.name), given = template_arguments(type);
  if (patterns.size() != given.size()) return std::nullopt;
  std::map<std::string, std::string, std::less<>> found;
  const auto& parameters = specialization.template_parameters;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto pattern = tokens_of(patterns[i]), argument = tokens_of(given[i]);
    const auto parameter = std::find_if(pattern.begin(), pattern.end(), [&](const Token& token) {
      return std::find(parameters.begin(), parameters.end(), token.text) != parameters.end();
    });
    const auto front = static_cast<std::size_t>(parameter - pattern.begin());
    const auto back = parameter == pattern.end() ? 0 : pattern.size() - front - 1;
    const bool none = parameter == pattern.end();
    if (none ? argument.size() != pattern.size() : argument.size() < front + back + 1) return std::nullopt;
    const auto same = [](const Token& a, const Token& b) { return a.text == b.text; };
    if (!std::equal(pattern.begin(), parameter, argument.begin(), same) ||
        !std::equal(pattern.end() - static_cast<std::ptrdiff_t>(back), pattern.end(),
                    argument.end() - static_cast<std::ptrdiff_t>(back), same))
      return std::nullopt;
    if (none) continue;
    const auto& first = argument[front];
    const auto& last = argument[argument.size() - back - 1];
    const auto value = given[i].substr(first.span.begin, last.span.end - first.span.begin);
    if (!found.emplace(parameter->text, value).second && found.find(parameter->text)->second != value)
      return std::nullopt;
  }
  return found;
}

std::optional<std::size_t> speciality(const ClassText& definition, std::string_view type) {
  if (definition.name.find('<') == std::string::npos) return 0;
  const auto arguments = arguments_in(definition, type);
  if (!arguments) return std::nullopt;
  constexpr std::size_t kComplete = 1000;  // more than any that still has parameters
  return arguments->empty() ? kComplete : tokens_of(definition.name).size() - arguments->size();
}

bool MostSpecial::takes(std::string_view definition) {
  const auto own = class_text(definition, {0, static_cast<std::uint32_t>(definition.size())});
  const auto special = own ? speciality(*own, type_) : std::optional<std::size_t>(0);
  if (!special || *special < most_) return false;
  most_ = *special;
  return true;
}

std::optional<ClassText> class_around(std::string_view text, const DevicePiece& method) {
  const auto name = std::string_view(method.name).substr(0, std::min(method.name.rfind("::"), method.name.find('<')));
  const auto tokens = tokens_of(text);
  std::optional<ClassText> declared;
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].span.begin >= method.span.begin) break;
    if (tokens[i].is(";") || tokens[i].is("}")) begin = i + 1;
    if ((tokens[i].is("struct") || tokens[i].is("class")) && tokens[i + 1].is(name)) {
      auto end = i;
      while (end < tokens.size() && !tokens[end].is("{") && !tokens[end].is(";")) ++end;
      if (end >= tokens.size() || tokens[end].is(";")) continue;  // a declaration alone
      for (int depth = 0; end + 1 < tokens.size(); ++end) {
        if (tokens[end].is("{")) ++depth;
        if (tokens[end].is("}") && --depth == 0) break;
      }
      auto found = class_text(text, {tokens[begin].span.begin, tokens[end].span.end});
      if (!found) continue;
      if (std::any_of(found->methods.begin(), found->methods.end(),
                      [&](const DevicePiece& one) { return one.span == method.span; }))
        return found;
      const bool outside = std::any_of(found->declarations.begin(), found->declarations.end(),
                                       [&](const auto& one) { return one.name == method.name; });
      if (!declared && outside) declared = std::move(found);
    }
  }
  return declared;
}

}  // namespace xcuda::cell
