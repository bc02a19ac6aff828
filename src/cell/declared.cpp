#include "cell/declared.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {
namespace {

bool is_storage(const Token& token) {
  static constexpr std::string_view kWords[] = {"static",    "extern",    "inline",   "constexpr",
                                                "consteval", "constinit", "register", "thread_local",
                                                "mutable",   "virtual",   "friend",   "typename"};
  return std::find(std::begin(kWords), std::end(kWords), token.text) != std::end(kWords);
}

bool is_type_keyword(std::string_view word) { return is_type_word(word) || word == "decltype"; }

}  // namespace

void DeclarationHead::add(const Token& token) {
  const bool glued = !tokens.empty() && (tokens.back().is("::") || tokens.back().is("~"));
  const bool continues = name_begin_ && name_end_ == tokens.size();
  tokens.push_back(token);
  if (token.is_identifier()) {
    if (is_keyword(token.text) || is_specifier(token.text)) return;
    if (!(glued && name_begin_ && name_end_ + 1 >= tokens.size() - 1 && continues)) name_begin_ = tokens.size() - 1;
    if (glued && tokens.size() >= 2 && *name_begin_ == tokens.size() - 1) {
      // "~P", "::f": the name begins at its mark
      --*name_begin_;
    }
    name_end_ = tokens.size();
  } else if ((token.is("::") || token.is("~")) && continues) {
    name_end_ = tokens.size();
  }
}

void DeclarationHead::extend(const std::vector<Token>& list) {
  const bool continues = name_begin_ && name_end_ == tokens.size();
  tokens.insert(tokens.end(), list.begin(), list.end());
  if (continues) name_end_ = tokens.size();
}

void DeclarationHead::name_operator(const Token& token, std::string symbol) {
  symbol_ = std::move(symbol);
  operator_span_ = token.span;
  if (!(name_begin_ && name_end_ == tokens.size() && !tokens.empty() && tokens.back().is("::")))
    name_begin_ = tokens.size();
  name_end_ = tokens.size();
}

bool DeclarationHead::has(std::string_view word) const {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const Token& token) { return token.is_identifier() && token.text == word; });
}

bool DeclarationHead::is_annotated() const {
  return has("__global__") || has("__device__") || has("__host__") || has("__constant__") || has("__managed__") ||
         has("__shared__");
}

bool DeclarationHead::is_declaration() const {
  if (broken_ || !name_begin_ || name_end_ != tokens.size()) return false;
  return std::any_of(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(*name_begin_),
                     [](const Token& token) {
                       return token.is_identifier() && !is_storage(token) && !is_specifier(token.text) &&
                              !token.is("const") && !token.is("volatile");
                     });
}

std::string DeclarationHead::name() const {
  if (inside_) return std::string(inside_->text);
  if (!name_begin_) return symbol_;
  return join(std::vector<Token>(tokens.begin() + static_cast<std::ptrdiff_t>(*name_begin_),
                                 tokens.begin() + static_cast<std::ptrdiff_t>(name_end_))) +
         symbol_;
}

Span DeclarationHead::name_span() const {
  if (inside_) return inside_->span;
  if (!symbol_.empty()) return operator_span_;
  if (!name_begin_ || name_end_ == 0) return {};
  for (auto i = name_end_; i > *name_begin_; --i)
    if (tokens[i - 1].is_identifier()) return tokens[i - 1].span;
  return tokens[*name_begin_].span;
}

std::string DeclarationHead::type() const {
  std::vector<Token> words;
  const auto stop = inside_ || !name_begin_ ? tokens.size() : *name_begin_;
  for (std::size_t i = 0; i < stop; ++i) {
    const auto& token = tokens[i];
    if (token.is_identifier() && (is_specifier(token.text) || token.is("alignas"))) {
      if (i + 1 < stop && tokens[i + 1].is("(")) {  // and its argument
        int depth = 0;
        for (++i; i < stop; ++i) {
          if (tokens[i].is("(")) ++depth;
          if (tokens[i].is(")") && --depth == 0) break;
        }
      }
      continue;
    }
    if (token.is_identifier() && is_storage(token)) continue;
    words.push_back(token);
  }
  return join(words) + (inside_ ? " (*)" : "");
}

std::optional<DeclarationHead::ClassName> DeclarationHead::class_name(std::size_t class_key) const {
  // The last qualified name after the key, template arguments of a specialisation included; not "final".
  std::vector<Token> words;
  Span span;
  for (auto i = class_key + 1; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (token.is("class") || token.is("struct") || token.is("final")) continue;
    if (token.is_identifier() && (is_specifier(token.text) || token.is("alignas"))) {
      if (i + 1 < tokens.size() && tokens[i + 1].is("(")) {
        int depth = 0;
        for (++i; i < tokens.size(); ++i) {
          if (tokens[i].is("(")) ++depth;
          if (tokens[i].is(")") && --depth == 0) break;
        }
      }
      continue;
    }
    if (token.is_identifier() && words.empty()) span = token.span;
    words.push_back(token);
  }
  if (words.empty()) return std::nullopt;
  return ClassName{join(words), span};
}

// --- parameters ----------------------------------------------------------------------------------------------------

std::vector<ParameterText> split_parameters(const std::vector<Token>& parameters) {
  std::vector<ParameterText> result;
  std::vector<Token> one;
  bool in_default = false;
  const auto finish = [&] {
    in_default = false;
    if (one.empty()) return;
    ParameterText parameter;
    // "T (*f)(int)": the name is inside the first parentheses.
    std::size_t name = one.size();
    for (std::size_t i = 0; i + 2 < one.size(); ++i)
      if (one[i].is("(") && (one[i + 1].is("*") || one[i + 1].is("&"))) {
        for (auto k = i + 2; k < one.size() && !one[k].is(")"); ++k)
          if (one[k].is_identifier() && !is_keyword(one[k].text)) name = k;
        break;
      }
    if (name == one.size()) {
      auto last = one.size();
      bool array = false;
      while (last > 0 && one[last - 1].is("]")) {
        int depth = 0;
        while (last > 0) {
          --last;
          if (one[last].is("]")) ++depth;
          if (one[last].is("[") && --depth == 0) break;
        }
        array = true;
      }
      const auto is_word = [](const Token& token) {
        return token.is_identifier() && !is_specifier(token.text) && !token.is("const") && !token.is("volatile") &&
               !token.is("typename") && !token.is("struct") && !token.is("enum") && !token.is("class");
      };
      if (last > 1 && is_word(one[last - 1]) && !is_type_keyword(one[last - 1].text) && !one[last - 2].is("::") &&
          std::any_of(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(last - 1), is_word))
        name = last - 1;
      if (array) {  // "float x[3]" is "float* x"; further extents stay
        auto open = last;
        auto close = open;
        for (int depth = 0; close < one.size(); ++close) {
          if (one[close].is("[")) ++depth;
          if (one[close].is("]") && --depth == 0) break;
        }
        Token star = one[open];
        star.text = "*";
        one.erase(one.begin() + static_cast<std::ptrdiff_t>(open),
                  one.begin() + static_cast<std::ptrdiff_t>(std::min(close + 1, one.size())));
        const auto at = name < one.size() && name < open ? name : open;
        one.insert(one.begin() + static_cast<std::ptrdiff_t>(at), star);
        if (name == at) ++name;
        if (name > one.size()) name = one.size();
      }
    }
    if (name < one.size()) {
      parameter.name = std::string(one[name].text);
      one.erase(one.begin() + static_cast<std::ptrdiff_t>(name));
    }
    std::erase_if(one, [](const Token& token) {
      return token.is("__restrict__") || token.is("__restrict") || token.is("__grid_constant__") ||
             token.is("restrict");
    });
    const bool by_value = std::none_of(
        one.begin(), one.end(), [](const Token& token) { return token.is("*") || token.is("&") || token.is("&&"); });
    if (by_value) std::erase_if(one, [](const Token& token) { return token.is("const"); });
    while (!one.empty() && one.back().is("const")) one.pop_back();
    // "const float*" and "float const*" are one type.
    if (one.size() > 1 && one[0].is("const")) {
      std::size_t words = 1;
      while (words < one.size() && (one[words].is_identifier() || one[words].is("::"))) ++words;
      std::rotate(one.begin(), one.begin() + 1, one.begin() + static_cast<std::ptrdiff_t>(words));
    }
    parameter.type = std::move(one);
    one.clear();
    result.push_back(std::move(parameter));
  };
  int depth = 0, angle = 0;
  for (std::size_t i = 1; i + 1 < parameters.size(); ++i) {
    const auto& token = parameters[i];
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}")) --depth;
    if (depth == 0 && !in_default) {
      if (token.is("<")) ++angle;
      if (token.is(">")) --angle;
    }
    if (token.is(",") && depth == 0 && angle <= 0) {
      angle = 0;
      finish();
      continue;
    }
    if (token.is("=") && depth == 0 && angle <= 0) in_default = true;
    if (!in_default) one.push_back(token);
  }
  finish();
  if (result.size() == 1 && result[0].name.empty() && result[0].type.size() == 1 && result[0].type[0].is("void"))
    result.clear();
  return result;
}

namespace {
std::string numbered(const std::vector<Token>& tokens, const std::vector<std::string>& parameters) {
  std::string text;
  bool word = false;
  for (const auto& token : tokens) {
    const auto found =
        token.is_identifier() ? std::find(parameters.begin(), parameters.end(), token.text) : parameters.end();
    const bool is_word = token.is_identifier() || token.kind == TokenKind::number;
    if (word && is_word) text.push_back(' ');
    if (found != parameters.end())
      text += "$" + std::to_string(found - parameters.begin());
    else
      text += token.is("class") ? std::string_view("typename") : token.text;
    word = is_word;
  }
  return text;
}
}  // namespace

std::string parameter_key(const std::vector<ParameterText>& parameters,
                          const std::vector<std::string>& template_parameters) {
  std::string key;
  for (const auto& parameter : parameters) {
    if (!key.empty()) key.push_back(',');
    key += numbered(parameter.type, template_parameters);
  }
  return key;
}

std::vector<std::string> template_parameters(const std::vector<Token>& list) {
  std::vector<std::string> names;
  int depth = 0;
  const Token* last = nullptr;
  bool in_default = false;
  std::size_t words = 0;
  const auto finish = [&] {
    names.emplace_back(last && words > 1 ? std::string(last->text) : std::string());
    last = nullptr;
    in_default = false;
    words = 0;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& token = list[i];
    if (token.is("<") || token.is("(") || token.is("[") || token.is("{")) ++depth;
    if (token.is(">") || token.is(")") || token.is("]") || token.is("}")) --depth;
    if (depth > 1) continue;
    if (depth == 0) {
      if (words > 0) finish();
      break;
    }
    if (token.is(",")) {
      finish();
    } else if (token.is("=")) {
      in_default = true;
    } else if (!in_default && token.is_identifier()) {
      ++words;
      last = &token;
    }
  }
  return names;
}

std::string template_text(const std::vector<Token>& list, const std::vector<std::string>& parameters) {
  // Defaults and names do not make another template.
  std::vector<Token> kept;
  int depth = 0;
  bool in_default = false;
  for (const auto& token : list) {
    if (token.is("<") || token.is("(") || token.is("[") || token.is("{")) ++depth;
    if (token.is(">") || token.is(")") || token.is("]") || token.is("}")) --depth;
    if (depth == 0 || (depth == 1 && token.is(","))) in_default = false;
    if (depth == 1 && token.is("=")) in_default = true;
    if (!in_default) kept.push_back(token);
  }
  return "template" + numbered(kept, parameters);
}

// --- aliases, enumerators, lines -----------------------------------------------------------------------------------

std::optional<Token> declared_alias(const std::vector<Token>& tokens) {
  if (tokens.size() < 2) return std::nullopt;
  if (tokens[0].is("using") || tokens[0].is("concept")) {
    const bool names = tokens.size() > 2 && tokens[1].is_identifier() && !tokens[1].is("namespace") &&
                       (tokens[2].is("=") || tokens[2].is("["));
    return names ? std::optional(tokens[1]) : std::nullopt;
  }
  if (!tokens[0].is("typedef")) return std::nullopt;
  int depth = 0;
  std::optional<Token> last;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (depth == 0 && token.is("(") && i + 2 < tokens.size() && (tokens[i + 1].is("*") || tokens[i + 1].is("&")) &&
        tokens[i + 2].is_identifier())
      return tokens[i + 2];
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}")) --depth;
    if (depth == 0 && token.is_identifier() && !is_keyword(token.text)) last = token;
  }
  return last;
}

std::vector<std::pair<std::string, std::string>> enumerators_of(const std::vector<Token>& tokens) {
  std::vector<std::pair<std::string, std::string>> result;
  std::string name;
  std::vector<Token> value;
  bool in_value = false;
  int depth = 0;
  const auto finish = [&] {
    if (!name.empty()) result.emplace_back(std::move(name), join(value));
    name.clear();
    value.clear();
    in_value = false;
  };
  for (const auto& token : tokens) {
    if (token.kind == TokenKind::directive) continue;
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}")) --depth;
    if (depth == 0 && token.is(","))
      finish();
    else if (depth == 0 && token.is("=") && !in_value)
      in_value = true;
    else if (in_value)
      value.push_back(token);
    else if (name.empty() && token.is_identifier())
      name = std::string(token.text);
  }
  finish();
  return result;
}

std::string without_comments(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size();) {
    if (line.substr(i).starts_with("//")) break;
    if (line.substr(i).starts_with("/*")) {
      const auto close = line.find("*/", i + 2);
      text.push_back(' ');
      i = close == std::string_view::npos ? line.size() : close + 2;
    } else if (line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == '\n' || line[i + 1] == '\r')) {
      i += line[i + 1] == '\r' && i + 2 < line.size() && line[i + 2] == '\n' ? 3 : 2;
    } else if (line[i] == '"') {
      do {
        text.push_back(line[i]);
        if (line[i] == '\\' && i + 1 < line.size()) text.push_back(line[++i]);
        ++i;
      } while (i < line.size() && line[i] != '"');
      if (i < line.size()) text.push_back(line[i++]);
    } else {
      text.push_back(line[i++]);
    }
  }
  return std::string(trim(text));
}

}  // namespace xcuda::cell
