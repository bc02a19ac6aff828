#include "editor/scope_names.hpp"

#include <algorithm>

#include "cell/parse.hpp"
#include "cell/type_word.hpp"
#include "command/command_table.hpp"
#include "language/check.hpp"

namespace xcuda::editor {

using language::Form;

namespace {

// Of a variable that is not an array.
Form form_of_type(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  switch (cell::type_word(type)) {
    case cell::TypeWord::dim3: return {.kind = Form::Kind::dim3, .type = Type{"dim3"}};
    case cell::TypeWord::stream: return Form::of(Form::Kind::stream);
    case cell::TypeWord::event: return Form::of(Form::Kind::event);
    case cell::TypeWord::texture:
    case cell::TypeWord::surface: return Form::of(Form::Kind::texture);
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

Form form_at(std::string_view code, std::size_t begin, ObjectText object, const command::Scope& scope) {
  constexpr std::size_t kMost = 1 << 16;  // bytes: a longer cell is not read again at each key
  auto text = code.substr(begin, object.end - begin);
  if (!text.ends_with('.') || code.size() > kMost) return {};
  text.remove_suffix(1);
  ScopeNames names(scope);
  const cell::Source source{code, "completion"};
  const auto start = code.substr(0, begin).find_last_of(";{}\n");
  const auto whole = std::string(code.substr(0, start == std::string_view::npos ? 0 : start + 1)) + std::string(text);
  const auto parsed = cell::try_parse_cell(whole, source.name, command::grammar);
  const auto& statements = parsed.cell.statements;
  const auto* last =
      parsed.error || statements.empty() ? nullptr : std::get_if<cell::ExpressionStatement>(&statements.back()->node);
  if (last != nullptr) {
    const auto checked = language::check(statements, {whole, source.name}, names);
    const auto found = checked.forms.find(last->expression.get());
    return found == checked.forms.end() ? Form() : found->second;
  }
  const auto tree = object.declared ? nullptr : cell::try_parse_expression(text);
  return tree == nullptr ? Form() : language::form_of(*tree, {text, source.name}, names);
}

std::string type_of_text(std::string_view expression, const command::Scope& scope) {
  const auto tree = cell::try_parse_expression(expression);
  if (tree == nullptr) return {};
  ScopeNames names(scope);
  return language::form_of(*tree, {std::string(expression), "completion"}, names).type.name;
}

}  // namespace xcuda::editor
