#include "editor/scope_names.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "cell/parse.hpp"
#include "cell/type_word.hpp"
#include "command/command_table.hpp"
#include "editor/cursor_context.hpp"
#include "language/check.hpp"

namespace xcuda::editor {

using language::Form;

namespace {

// The form of a variable that is not an array.
Form form_of_type(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  switch (cell::type_word(type)) {
    case cell::TypeWord::dim3: return {.kind = Form::Kind::dim3, .type = Type{"dim3"}};
    case cell::TypeWord::stream: return Form::of(Form::Kind::stream);
    case cell::TypeWord::event: return Form::of(Form::Kind::event);
    case cell::TypeWord::texture:
    case cell::TypeWord::surface: return Form::of(Form::Kind::texture);
    case cell::TypeWord::text: return Form::of(Form::Kind::text);
    case cell::TypeWord::automatic:
    case cell::TypeWord::none: break;
  }
  auto known = find_type(type);
  if (known && language::kind_of(*known)) return Form::number(std::move(*known));
  return {.kind = Form::Kind::object, .type = known ? std::move(*known) : Type{std::string(type)}};
}

}  // namespace

std::optional<Form> ScopeNames::find(const std::string& name) {
  for (const auto& array : scope_.arrays)
    if (array.name == name) {
      auto form = Form::array(array.type, language::Extents(array.shape.begin(), array.shape.end()));
      form.memory = Form::Memory::whole;
      form.grows = std::find(scope_.vectors.begin(), scope_.vectors.end(), name) != scope_.vectors.end();
      return form;
    }
  for (const auto& scalar : scope_.scalars)
    if (scalar.name == name) return form_of_type(scalar.type);
  return Form();
}

language::Environment::TypeAnswer ScopeNames::find_type(const std::string& spelling, cell::Span) {
  return {xcuda::find_type(spelling).value_or(Type{spelling}), {}};
}

bool ScopeNames::is_function(std::string_view name) {
  return std::any_of(scope_.definitions.begin(), scope_.definitions.end(), [&](const auto& one) {
    return one.kind == command::KnownDefinition::Kind::function && one.name == name;
  });
}

namespace {

// The cell up to `begin`, without the statement that it is in, and what closes its blocks. The head of a for is a block
// of its own.
struct Opened {
  std::string text, closing;
};
Opened opened_at(std::string_view code, std::size_t begin) {
  const auto blank = without_literals(code.substr(0, begin));
  const auto statement_before = [&](std::size_t at) {
    const auto found = at == 0 ? std::string::npos : blank.find_last_of(";{}\n", at - 1);
    return found == std::string::npos ? 0 : found + 1;
  };
  const auto word_before = [&](std::size_t at) {
    const auto text = trim(std::string_view(blank).substr(0, at));
    auto first = text.size();
    while (first > 0 && is_word(text[first - 1])) --first;
    return std::pair(text.substr(first), first);
  };
  auto first = statement_before(begin);
  const auto statement = trim(std::string_view(blank).substr(first));
  if (statement.starts_with("case ") || statement.starts_with("default:")) first = blank.rfind(':') + 1;
  Opened opened{std::string(code.substr(0, first)), {}};
  std::vector<std::size_t> places;  // of brackets that are not closed
  for (std::size_t i = 0; i < opened.text.size(); ++i) {
    const char c = blank[i];
    if (c == '{' || c == '(' || c == '[') places.push_back(i);
    if ((c == '}' || c == ')' || c == ']') && !places.empty()) places.pop_back();
  }
  for (const auto place : places) {
    const auto [word, from] = word_before(place);
    if (blank[place] == '{') {
      opened.closing.insert(0, word == "do" ? "} while (false);" : "}");
    } else if (blank[place] == '(' && word == "for") {
      opened.text.replace(from, place + 1 - from, "{" + std::string(place - from, ' '));
      opened.closing.insert(0, "}");
    } else {
      opened.text.resize(statement_before(place));
      break;
    }
  }
  return opened;
}

}  // namespace

Form form_at(std::string_view code, std::size_t begin, ObjectText object, const command::Scope& scope) {
  constexpr std::size_t kMost = 1 << 16;  // bytes: a longer cell is not read again at each key
  auto text = code.substr(begin, object.end - begin);
  if (!text.ends_with('.') || code.size() > kMost) return {};
  text.remove_suffix(1);
  ScopeNames names(scope);
  const auto opened = opened_at(code, begin);
  const auto closed = opened.text + std::string(text) + ";" + opened.closing;
  const cell::Source source{"completion", closed};
  const auto parsed = cell::try_parse_cell(source.text, source.name, command::grammar);
  if (!parsed.error) {
    const auto checked = language::check(parsed.cell.statements, source, names);
    const auto first = static_cast<std::uint32_t>(opened.text.size());
    const cell::Span whole{first, first + static_cast<std::uint32_t>(text.size())};
    for (const auto& [expression, form] : checked.forms)
      if (expression->span.begin == whole.begin && expression->span.end == whole.end) return form;
  }
  const auto tree = object.declared ? nullptr : cell::try_parse_expression(text);
  return tree == nullptr ? Form() : language::form_of(*tree, {source.name, text}, names);
}

std::string type_of_text(std::string_view expression, const command::Scope& scope) {
  const auto tree = cell::try_parse_expression(expression);
  if (tree == nullptr) return {};
  ScopeNames names(scope);
  return language::form_of(*tree, {"completion", expression}, names).type.name;
}

}  // namespace xcuda::editor
