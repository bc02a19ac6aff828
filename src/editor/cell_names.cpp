#include "editor/cell_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"
#include "editor/cursor_context.hpp"
#include "editor/scope_names.hpp"
#include "reference/builtins.hpp"

namespace xcuda::editor {

using command::Scope;
using reference::Builtin;
namespace {

constexpr std::array<std::string_view, 17> kQualifiers = {
    "const",        "constexpr", "static",     "volatile",          "extern",     "inline",
    "mutable",      "typename",  "__shared__", "__constant__",      "__device__", "register",
    "__restrict__", "struct",    "alignas",    "__grid_constant__", "unsigned"};
bool is_qualifier(std::string_view word) {
  return std::find(kQualifiers.begin(), kQualifiers.end(), word) != kQualifiers.end();
}

// Words before a name that they do not declare.
bool is_statement_word(std::string_view word) {
  static constexpr std::array<std::string_view, 9> kWords = {"return", "else",   "case",  "goto",     "new",
                                                             "delete", "sizeof", "using", "namespace"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// What a signature returns, without template arguments.
std::string returned_type(const Builtin& builtin) {
  if (builtin.signatures.empty()) return {};
  std::string_view text = builtin.signatures.front();
  if (text.starts_with("const ")) text.remove_prefix(6);
  return std::string(text.substr(0, text.find_first_of(" <&*")));
}

}  // namespace

std::vector<CellNames::Token> CellNames::tokens_of(std::string_view code) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < code.size();) {
    if (std::isspace(static_cast<unsigned char>(code[i])) != 0) {
      ++i;
      continue;
    }
    auto end = i + 1;
    if (is_word(code[i]))
      while (end < code.size() &&
             (is_word(code[end]) || (code.substr(end, 2) == "::" && end + 2 < code.size() && is_word(code[end + 2]))))
        end += code[end] == ':' ? 2 : 1;
    const bool is_name = is_word(code[i]) && std::isdigit(static_cast<unsigned char>(code[i])) == 0;
    tokens.push_back({code.substr(i, end - i), is_name});
    i = end;
  }
  return tokens;
}

CellNames::CellNames(std::string_view text, std::size_t cursor, const Scope& scope)
    : scope_(scope), code_(without_literals(text.substr(0, cursor))) {
  for (const auto& definition : scope.definitions) {
    const auto code = without_literals(definition.source);
    read_aliases(tokens_of(code));
  }
  tokens_ = tokens_of(code_);
  read_aliases(tokens_);
}

void CellNames::read_aliases(const std::vector<Token>& tokens) {
  const auto at = [&](std::size_t i) { return i < tokens.size() ? tokens[i].text : std::string_view(); };
  const auto first_type = [&](std::size_t i) {
    while (is_qualifier(at(i))) ++i;
    return i < tokens.size() && tokens[i].is_name ? std::string(at(i)) : std::string();
  };
  std::size_t end = 0;  // of the typedef in hand
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (at(i) == "namespace" && at(i + 2) == "=") aliases_[std::string(at(i + 1))] = resolved(at(i + 3));
    if (at(i) == "using" && at(i + 1) == "namespace" && !at(i + 2).empty()) {
      opened_.push_back(resolved(at(i + 2)));
    } else if (at(i) == "using" && at(i + 2) == "=") {
      const auto type = first_type(i + 3);
      if (!type.empty() && type != at(i + 1)) aliases_[std::string(at(i + 1))] = resolved(type);
    } else if (at(i) == "using" && at(i + 2) == ";" && at(i + 1).find("::") != std::string_view::npos) {
      const auto name = at(i + 1);
      aliases_[std::string(name.substr(name.rfind(':') + 1))] = resolved(name);
    } else if (at(i) == "typedef") {
      const auto type = first_type(i + 1);
      for (end = std::max(end, i); end < tokens.size() && at(end) != ";";) ++end;
      if (end < tokens.size() && !type.empty() && tokens[end - 1].is_name && at(end - 1) != type)
        aliases_[std::string(at(end - 1))] = resolved(type);
    }
  }
}

std::string CellNames::resolved(std::string_view name) const {
  std::string whole(name);
  for (int hops = 0; hops < 8; ++hops) {  // an alias of itself ends
    const auto head = std::min(whole.find("::"), whole.size());
    const auto found = aliases_.find(std::string_view(whole).substr(0, head));
    if (found == aliases_.end()) break;
    whole = found->second + whole.substr(head);
  }
  if (reference::find_builtin(whole) != nullptr || !reference::members_of(whole).empty()) return whole;
  for (const auto& space : opened_)
    if (auto inside = space + "::" + whole; reference::find_builtin(inside) != nullptr) return inside;
  return whole;
}

std::string CellNames::type_of_expression(std::size_t token) const {
  if (token >= tokens_.size()) return {};
  const auto begin = static_cast<std::size_t>(tokens_[token].text.data() - code_.data());
  if (auto type = type_of_text(std::string_view(code_).substr(begin, code_.find(';', begin) - begin), scope_);
      !type.empty())
    return type;
  while (token < tokens_.size() &&
         (tokens_[token].text == "(" || tokens_[token].text == "&" || tokens_[token].text == "*"))
    ++token;
  if (token >= tokens_.size() || !tokens_[token].is_name) return {};
  auto whole = resolved(tokens_[token].text);
  const auto* builtin = reference::find_builtin(whole);
  if (builtin != nullptr && builtin->kind == Builtin::Kind::function) return returned_type(*builtin);
  return whole;
}

// The last declaration of the name in front of the cursor.
std::string CellNames::declared_type(std::string_view object) const {
  for (auto i = tokens_.size(); i-- > 1;) {
    if (tokens_[i].text != object || i + 1 >= tokens_.size()) continue;
    constexpr std::string_view kBehind = "=;({,)[:";
    if (kBehind.find(tokens_[i + 1].text.front()) == std::string_view::npos) continue;
    auto type = i - 1;
    while (type > 0 && (tokens_[type].text == "*" || tokens_[type].text == "&" || is_qualifier(tokens_[type].text)))
      --type;
    if (tokens_[type].text == ">") {
      for (int depth = 0; type > 0; --type) {
        depth += tokens_[type].text == ">" ? 1 : tokens_[type].text == "<" ? -1 : 0;
        if (depth == 0) break;
      }
      if (type > 0) --type;
    }
    if (!tokens_[type].is_name || is_statement_word(tokens_[type].text)) continue;
    if (tokens_[type].text != "auto") return resolved(tokens_[type].text);
    if (tokens_[i + 1].text == "=") return type_of_expression(i + 2);
  }
  return {};
}

std::string CellNames::type_of(std::string_view object) const {
  if (auto type = declared_type(object); !type.empty()) return type;
  const auto whole = resolved(object);  // a temporary: cg::this_grid(), BlockReduce(temp)
  const auto* builtin = reference::find_builtin(whole);
  if (builtin != nullptr && builtin->kind == Builtin::Kind::function) return returned_type(*builtin);
  return reference::members_of(whole).empty() ? std::string() : whole;
}

std::vector<StructMember> struct_members(std::string_view source, std::string_view name) {
  const auto code = without_literals(source);
  std::size_t open = std::string::npos, next = 0;
  for (auto at = code.find(name); at != std::string::npos && open == std::string::npos; at = code.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at > 0 && is_word(code[at - 1])) || (end < code.size() && is_word(code[end]))) continue;
    const auto before = trim(std::string_view(code).substr(0, at));
    if (next < end) next = code.find_first_of("{;(=", end);
    if ((before.ends_with("struct") || before.ends_with("class") || before.ends_with("union") ||
         before.ends_with(")")) &&
        next != std::string::npos && code[next] == '{')
      open = next;
  }
  std::vector<StructMember> members;
  if (open == std::string::npos) return members;
  std::string chunk;
  const auto add = [&] {
    std::string_view text = trim(chunk);
    for (const std::string_view access : {"public:", "private:", "protected:"})
      if (text.starts_with(access)) text = trim(text.substr(access.size()));
    const auto declaration = std::string(trim(text.ends_with('{') ? text.substr(0, text.size() - 1) : text));
    chunk.clear();
    for (const std::string_view word :
         {"using", "typedef", "static_assert", "struct", "class", "union", "enum", "friend", "template", "~"})
      if (text.starts_with(word)) return;
    const auto paren = text.find('(');
    const bool is_function = paren != std::string_view::npos;
    if (is_function) text = text.substr(0, paren);
    // Each last word in front of a comma, a bracket, an initial value or the end.
    int depth = 0;
    std::size_t words = 0;
    for (std::size_t i = 0; i <= text.size();) {
      const char c = i < text.size() ? text[i] : ',';
      if (is_word(c) && depth == 0) {
        auto end = i;
        while (end < text.size() && is_word(text[end])) ++end;
        const auto after = trim(text.substr(end));
        const bool ends = after.empty() || std::string_view(",[={:").find(after.front()) != std::string_view::npos;
        const auto word = text.substr(i, end - i);
        if (++words > 1 && ends && word != name && !word.starts_with("operator") &&
            std::isdigit(static_cast<unsigned char>(word.front())) == 0)
          members.push_back({std::string(word), declaration, is_function});
        i = end;
        if (!after.empty() && (after.front() == '=' || after.front() == '{'))
          i = std::min(text.find(',', end), text.size());
        continue;
      }
      depth += c == '<' || c == '[' ? 1 : c == '>' || c == ']' ? -1 : 0;
      ++i;
    }
  };
  int depth = 0;
  for (auto i = open; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '}' && --depth <= 0) break;
    if (c == '}' && depth == 1 && chunk.find('(') != std::string::npos)
      add();  // the end of a function's body
    else if (c == ';' && depth == 1)
      add();
    else if (depth == 1)
      chunk += c;
    if (c == '{') ++depth;
  }
  return members;
}

}  // namespace xcuda::editor
