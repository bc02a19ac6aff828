#include "compiler/type_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cell/lexer.hpp"
#include "compiler/signature.hpp"

namespace xcuda::compiler {
namespace {

using cell::Token;

constexpr std::string_view kLayoutTable = "xcuda_layout";
constexpr std::string_view kAlias = "xcuda_layout_type";
constexpr std::string_view kUnnamed = "xcuda_unnamed";

// Names of types come from those of kernel templates, whose arguments need names: xcuda_unnamed takes the place of
// "struct { int x; }" and what is made of it. Names in unnamed namespaces have "<unnamed>::" in them, and are names.
constexpr std::string_view kNamed = R"(
#if __cplusplus < 201402L
template <class xcuda_T> struct xcuda_named { using type = xcuda_T; };
#else
struct xcuda_unnamed;
template <class xcuda_T> __device__ constexpr bool xcuda_is_unnamed() {
  for (const char* text = __PRETTY_FUNCTION__; *text != 0; ++text) {
    const char* word = "<unnamed>";
    const char* at = text;
    while (*word != 0 && *at == *word) ++at, ++word;
    if (*word == 0 && *at != ':') return true;
  }
  return false;
}
template <class xcuda_T, bool = xcuda_is_unnamed<xcuda_T>()> struct xcuda_named { using type = xcuda_T; };
template <class xcuda_T> struct xcuda_named<xcuda_T, true> { using type = xcuda_unnamed; };
#endif
)";

std::string named_expression(std::string_view type) {
  return type_expression(fmt::format("typename xcuda_named<{}>::type", type));
}

std::string member_expression(const std::string& member) {
  return named_expression(fmt::format("decltype({}::{})", kAlias, member));
}

// The end of "(*name[3])(float)", which begins at open; 0 where that is not a pointer to a function.
std::size_t after_function_pointer(const std::vector<Token>& tokens, std::size_t open) {
  if (open + 1 >= tokens.size() || !tokens[open].is("(") || !tokens[open + 1].is("*")) return 0;
  auto i = open;
  for (int groups = 0; groups < 2 && i < tokens.size() && tokens[i].is("("); ++groups) {
    int depth = 0;
    do {
      if (tokens[i].is("(")) ++depth;
      if (tokens[i].is(")")) --depth;
      ++i;
    } while (depth > 0 && i < tokens.size());
    if (groups == 1) return i;
  }
  return 0;
}

// One member declaration without its ';': "const float *a, b[3] = {}" -> a, b. Nothing for what is not a data member.
void add_members(const std::vector<Token>& tokens, std::vector<std::string>& names) {
  static constexpr std::string_view kOthers[] = {"using", "typedef", "friend",  "template", "static_assert",
                                                 "enum",  "public",  "private", "protected"};
  if (tokens.size() < 2 || std::find(std::begin(kOthers), std::end(kOthers), tokens[0].text) != std::end(kOthers) ||
      std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is("static"); }))
    return;
  std::vector<std::string> found;
  int angles = 0, groups = 0;  // groups: open in an initialiser
  bool initialiser = false;
  const Token* last = nullptr;
  const auto take = [&] {
    if (last != nullptr) found.emplace_back(last->text);
    last = nullptr;
    initialiser = false;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (token.is("<"))
      ++angles;
    else if (token.is(">"))
      --angles;
    if (angles > 0) continue;
    if (initialiser) {
      if (token.is("(") || token.is("{") || token.is("[")) ++groups;
      if (token.is(")") || token.is("}") || token.is("]")) --groups;
      if (token.is(",") && groups == 0) take();
      continue;
    }
    if (const auto after = after_function_pointer(tokens, i); after > 0) {
      for (auto name = i + 1; !tokens[name].is("[") && !tokens[name].is(")"); ++name)
        if (tokens[name].is_identifier()) last = &tokens[name];
      i = after - 1;
      continue;
    }
    if (token.is("(") || token.is(":") || token.is("operator") || token.is("~")) {
      // alignas(16) float x; is the one parenthesis of a data member.
      if (token.is("(") && i > 0 && (tokens[i - 1].is("alignas") || tokens[i - 1].is("__align__"))) {
        while (i < tokens.size() && !tokens[i].is(")")) ++i;
        continue;
      }
      return;  // a function, a bit field
    }
    initialiser = token.is("=") || token.is("{");
    groups = token.is("{") ? 1 : 0;
    if (token.is(","))
      take();
    else if (token.is("["))
      while (i < tokens.size() && !tokens[i].is("]")) ++i;
    else if (token.is_identifier())
      last = &token;
  }
  take();
  names.insert(names.end(), found.begin(), found.end());
}

}  // namespace

namespace {

// "int n = 3", and neither operator=(...) nor a parameter's default.
bool has_initial_value(const std::vector<Token>& member) {
  int depth = 0;
  for (std::size_t i = 0; i < member.size(); ++i) {
    if (member[i].is("(")) ++depth;
    if (member[i].is(")")) --depth;
    if (depth == 0 && member[i].is("=") && i > 0 && !member[i - 1].is("operator")) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> member_names(std::string_view definition) {
  const auto tokens = cell::tokens_of(definition);
  std::vector<std::string> names;
  std::size_t i = 0;
  while (i < tokens.size() && !tokens[i].is("{")) ++i;
  std::vector<Token> member;
  int depth = 1;
  bool body = false;              // the braces are a function's or a nested type's
  const Token* nested = nullptr;  // where a nested type's body begins
  for (++i; i < tokens.size() && depth > 0; ++i) {
    const auto& token = tokens[i];
    if (token.is("{")) {
      // "= {}" and "x{}" belong to a data member; a body follows ')' or words after it, or a class head.
      const auto has = [&](std::string_view word) {
        return std::any_of(member.begin(), member.end(), [&](const Token& one) { return one.is(word); });
      };
      if (depth == 1) {
        const bool type = has("struct") || has("class") || has("union") || has("enum");
        body = !has_initial_value(member) && (has("(") || type);
        nested = body && type && (!has("(") || has("alignas") || has("__align__")) ? &token : nullptr;
      }
      ++depth;
    } else if (token.is("}")) {
      if (--depth == 1 && body) {
        const bool unnamed = member.size() == 1 && i + 1 < tokens.size() && tokens[i + 1].is(";");
        const bool members = nested != nullptr && unnamed && !member[0].is("enum");
        if (members)  // of an unnamed union: they are the outer type's
          for (auto& name : member_names(definition.substr(nested->span.begin, token.span.end - nested->span.begin)))
            names.push_back(std::move(name));
        member.clear();
        if (nested != nullptr)
          member.push_back({.kind = cell::TokenKind::identifier, .text = "int"});  // of "struct In { ... } in;"
        body = false;
      }
      continue;
    } else if (depth == 1 && token.is(";")) {
      add_members(member, names);
      member.clear();
      continue;
    } else if (depth == 1 && token.is(":") && member.size() == 1) {
      member.clear();  // public:
      continue;
    }
    if (depth == 1 || member.empty() || !body) member.push_back(token);
  }
  return names;
}

void add_layout(const TypeQuery& query, NvrtcJob& job) {
  job.source += fmt::format("#line 1 \"/xcuda/layout\"\nusing {} = {};\n", kAlias, query.type);
  job.source += kNamed;
  job.source +=
      "template <class xcuda_T, bool = __is_enum(xcuda_T)> constexpr int xcuda_enumeration = 0;\n"
      "template <class xcuda_T> constexpr int xcuda_enumeration<xcuda_T, true> = "
      "static_cast<__underlying_type(xcuda_T)>(-1) < "
      "static_cast<__underlying_type(xcuda_T)>(0) ? 1 : 2;\n";
  job.source += fmt::format(
      "extern \"C\" __device__ const unsigned long long {0}[] = {{sizeof({1}), alignof({1}), "
      "__is_trivially_copyable({1}), xcuda_enumeration<{1}>",
      kLayoutTable, kAlias);
  for (const auto& member : query.members)
    job.source += fmt::format(", __INTADDR__(&((({}*)0)->{})), sizeof({}::{})", kAlias, member, kAlias, member);
  job.source += "};\n";
  job.name_expressions.push_back(named_expression(kAlias));
  for (const auto& member : query.members) job.name_expressions.push_back(member_expression(member));
}

std::optional<TypeLayout> read_layout(const TypeQuery& query, const ptx::Module& module,
                                      const std::vector<std::pair<std::string, std::string>>& lowered_names) {
  const auto* table = module.find_variable(kLayoutTable);
  if (table == nullptr) return std::nullopt;
  std::vector<std::uint64_t> values(table->size / 8);  // without the zeros at the end, where the PTX leaves them out
  std::memcpy(values.data(), table->initial.data(), std::min<std::size_t>(table->initial.size(), values.size() * 8));
  if (values.size() < 4) return std::nullopt;

  const auto type_of = [&](const std::string& expression) -> std::string {
    const auto found = std::find_if(lowered_names.begin(), lowered_names.end(),
                                    [&](const auto& one) { return one.first == expression; });
    return found == lowered_names.end() ? "" : helper_type(found->second).value_or("");
  };
  // A type without a name is known by its member.
  const auto named = [](const std::string& type, std::string_view otherwise) {
    return type.empty() || type == kUnnamed ? std::string(otherwise) : type;
  };
  TypeLayout layout;
  layout.type = named(type_of(named_expression(kAlias)), query.type);
  layout.size = values[0];
  layout.alignment = values[1];
  layout.trivially_copyable = values[2] != 0;
  layout.enumeration = static_cast<TypeLayout::Enumeration>(values[3]);
  for (std::size_t i = 0; i < query.members.size() && 5 + 2 * i < values.size(); ++i)
    layout.members.push_back({query.members[i],
                              named(type_of(member_expression(query.members[i])),
                                    fmt::format("decltype({}::{})", layout.type, query.members[i])),
                              values[4 + 2 * i], values[5 + 2 * i]});
  return layout;
}

}  // namespace xcuda::compiler
