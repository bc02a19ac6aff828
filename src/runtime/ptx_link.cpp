#include "runtime/ptx_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace xcuda::runtime {
namespace {

constexpr std::size_t kFileNumbers = 10'000;  // of each text, in .file and .loc

struct Statement {
  enum class Kind { directive, prototype, variable, function } kind = Kind::directive;
  enum class Linkage { internal, visible, external, weak } linkage = Linkage::internal;
  std::string name, text;
};

bool of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (of_name(text[end]) || (end == at && text[end] == '.'))) ++end;
  return text.substr(at, end - at);
}

// The end of the string or comment that begins here; `at` where none does.
std::size_t skip_opaque(std::string_view text, std::size_t at) {
  const auto after = [&](std::string_view end, std::size_t from) {
    const auto found = text.find(end, from);
    return found == text.npos ? text.size() : found + end.size();
  };
  if (text[at] == '"') return after("\"", at + 1);
  if (text.substr(at, 2) == "//") return after("\n", at);
  if (text.substr(at, 2) == "/*") return after("*/", at + 2);
  return at;
}

// Names of the statement, up to its body, its initialiser or its end: the one that it declares is the last of them
// outside parentheses.
void read_head(Statement& statement, std::string_view head) {
  using Linkage = Statement::Linkage;
  int depth = 0;
  bool function = false;
  for (std::size_t i = 0; i < head.size();) {
    if (const auto next = skip_opaque(head, i); next != i) {
      i = next;
      continue;
    }
    depth += head[i] == '(' ? 1 : head[i] == ')' ? -1 : 0;
    if (head[i] == '[' || head[i] == '=') break;
    const auto word = word_at(head, i);
    if (word.empty()) {
      ++i;
      continue;
    }
    i += word.size();
    if (word == ".visible") statement.linkage = Linkage::visible;
    if (word == ".extern") statement.linkage = Linkage::external;
    if (word == ".weak" || word == ".common") statement.linkage = Linkage::weak;
    if (word == ".func" || word == ".entry") function = true;
    const bool is_name = word[0] != '.' && !std::isdigit(static_cast<unsigned char>(word[0]));
    if (depth == 0 && is_name && (!function || statement.name.empty())) statement.name = word;
  }
  statement.kind = function ? Statement::Kind::function : Statement::Kind::variable;
}

// The statements of a module; of .section, which has the names of inlined functions, nothing stays.
std::vector<Statement> statements_of(std::string_view text) {
  std::vector<Statement> statements;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto next = skip_opaque(text, at); next != at) {
      at = next;
      continue;
    }
    if (text[at] != '.') {
      ++at;
      continue;
    }
    const auto word = word_at(text, at);
    const std::size_t begin = at;
    Statement statement;
    if (word == ".version" || word == ".target" || word == ".address_size" || word == ".file") {
      at = std::min(text.find('\n', at), text.size());
      statement.text = text.substr(begin, at - begin);
      statements.push_back(std::move(statement));
      continue;
    }
    std::size_t body = text.npos;
    int depth = 0;
    bool initialiser = false;
    for (; at < text.size(); ++at) {
      if (const auto next = skip_opaque(text, at); next != at) at = next - 1;
      const char c = text[at];
      if (c == '=' && depth == 0) initialiser = true;
      if (c == '{' && depth++ == 0) body = std::min(body, at);
      if (c == '}' && --depth == 0 && !initialiser) break;
      if (c == ';' && depth == 0) break;
    }
    at = std::min(at + 1, text.size());
    if (word == ".section") continue;
    statement.text = text.substr(begin, at - begin);
    read_head(statement, text.substr(begin, std::min(body, at) - begin));
    if (statement.kind == Statement::Kind::function && body == text.npos) statement.kind = Statement::Kind::prototype;
    statements.push_back(std::move(statement));
  }
  return statements;
}

// With other names, and the numbers of files moved by so many; without what .loc says of inlined functions.
std::string rewritten(std::string_view text, const std::map<std::string, std::string, std::less<>>& names,
                      std::size_t files) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto next = skip_opaque(text, at); next != at) {
      result += text.substr(at, next - at);
      at = next;
      continue;
    }
    const auto word = word_at(text, at);
    if (word.empty()) {
      result += text[at++];
      continue;
    }
    at += word.size();
    const auto found = names.find(word);
    result += found == names.end() ? word : std::string_view(found->second);
    if (word != ".loc" && word != ".file") continue;
    const auto digits = text.find_first_of("0123456789", at);
    const auto number = word_at(text, digits);
    result += fmt::format(" {}", std::stoul(std::string(number)) + files);
    at = digits + number.size();
    const auto end = std::min(text.find('\n', at), text.size());
    const auto rest = text.substr(at, end - at);
    result += word == ".loc" ? rest.substr(0, rest.find(',')) : rest;
    at = end;
  }
  return result;
}

}  // namespace

std::string linked_ptx(const std::vector<std::string>& texts) {
  using Kind = Statement::Kind;
  using Linkage = Statement::Linkage;
  if (texts.size() == 1) return texts[0];
  std::vector<std::vector<Statement>> modules;
  std::set<std::string> defined;
  for (const auto& text : texts) {
    modules.push_back(statements_of(text));
    for (const auto& one : modules.back())
      if (one.kind != Kind::directive && one.kind != Kind::prototype && one.linkage != Linkage::external &&
          one.linkage != Linkage::internal)
        defined.insert(one.name);
  }
  std::string head, files, prototypes, variables, functions;
  std::set<std::string> taken, own = defined;  // own: names that texts have for themselves
  for (std::size_t i = 0; i < modules.size(); ++i) {
    std::map<std::string, std::string, std::less<>> names;
    for (const auto& one : modules[i])
      if (one.kind != Kind::directive && one.linkage == Linkage::internal && !names.contains(one.name) &&
          !own.insert(one.name).second)
        names.emplace(one.name, fmt::format("{}$text{}", one.name, i));
    for (const auto& one : modules[i]) {
      const auto text = rewritten(one.text, names, i * kFileNumbers) + "\n";
      if (one.kind == Kind::directive) {
        if (one.text.starts_with(".file"))
          files += text;
        else if (i == 0)
          head += text;
      } else if (one.kind == Kind::prototype) {
        prototypes += text;
      } else if (one.linkage == Linkage::internal ||
                 (one.linkage == Linkage::external ? !defined.contains(one.name) && taken.insert(one.name).second
                                                   : taken.insert(one.name).second)) {
        (one.kind == Kind::variable ? variables : functions) += text;
      }
    }
  }
  return head + prototypes + variables + functions + files;
}

// A condition's handle is the address of its word.
std::string with_graph_functions(std::string text) {
  constexpr std::string_view kSetConditional = R"(
.visible .func cudaGraphSetConditional(.param .b64 condition, .param .b32 value)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [condition];
  ld.param.u32 %r1, [value];
  st.u32 [%rd1], %r1;
  ret;
}
)";
  if (text.find(".extern .func cudaGraphSetConditional") != text.npos) text += kSetConditional;
  return text;
}

}  // namespace xcuda::runtime
