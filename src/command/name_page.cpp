#include "command/name_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/units.hpp"
#include "command/help.hpp"
#include "command/rows.hpp"
#include "compiler/options.hpp"
#include "display/device_report.hpp"
#include "display/html.hpp"
#include "display/table.hpp"
#include "language/answers.hpp"
#include "language/array_members.hpp"
#include "language/functions.hpp"
#include "language/habits.hpp"
#include "language/python/python_text.hpp"
#include "nvcc/option_table.hpp"
#include "reference/builtins.hpp"
#include "session/settings.hpp"

namespace xcuda::command {
namespace {

using display::Bundle;
using reference::Builtin;

// A declaration or name, a line of prose, and facts in two columns: what most answers look like.
struct Answer {
  std::string heading;                     // code, one or more lines
  std::optional<std::size_t> parameter{};  // of each declaration of the heading, the one that is being written
  std::string prose;                       // may be empty
  std::vector<std::pair<std::string, std::string>> facts;
  std::string source;  // may be empty
};

struct Piece {
  std::size_t begin = 0, end = 0;  // bytes
};

// Where a parameter is in "__global__ void saxpy(float a, const float* x)". Arguments beyond the last one belong to it
// if it is "..."; otherwise there is none for them.
std::optional<Piece> parameter_of(std::string_view declaration, std::size_t number) {
  // The last list at the top: __launch_bounds__(256) has one, too.
  auto open = declaration.npos;
  int around = 0;
  for (std::size_t i = 0; i < declaration.size(); ++i) {
    if (declaration[i] == '(' && around++ == 0) open = i;
    if (declaration[i] == ')') --around;
  }
  if (open == declaration.npos) return std::nullopt;
  std::vector<Piece> parameters;
  // Brackets mark what can be left out in "array x [, int axis = -1]", but not in float x[4].
  const auto optional = [&](std::size_t at) { return declaration[at - 1] == '(' || declaration[at - 1] == ' '; };
  const auto trimmed = [&](Piece piece) {
    while (piece.begin < piece.end && (declaration[piece.begin] == ' ' || declaration[piece.begin] == '['))
      ++piece.begin;
    const auto ends = [&](char c) { return declaration[piece.end - 1] == c; };
    const auto count = [&](char c) {
      return std::count(declaration.begin() + static_cast<std::ptrdiff_t>(piece.begin),
                        declaration.begin() + static_cast<std::ptrdiff_t>(piece.end), c);
    };
    while (piece.begin < piece.end && (ends(' ') || ends('[') || (ends(']') && count(']') > count('[')))) --piece.end;
    return piece;
  };
  int depth = 0;
  for (auto at = open + 1, begin = at; at < declaration.size(); ++at) {
    const char c = declaration[at];
    if (c == '(' || c == '<' || (c == '[' && !optional(at)) || c == '{') ++depth;
    if ((c == '>' || c == ']' || c == '}') && depth > 0) --depth;
    const bool last = c == ')' && depth == 0;
    if (c == ')' && depth > 0) --depth;
    if (!last && (c != ',' || depth > 0)) continue;
    if (const auto piece = trimmed({begin, at}); piece.begin < piece.end) parameters.push_back(piece);
    begin = at + 1;
    if (last) break;
  }
  if (parameters.empty()) return std::nullopt;
  const auto& end = parameters.back();
  if (number >= parameters.size())
    return declaration.substr(end.begin, end.end - end.begin).ends_with("...") ? std::optional(end) : std::nullopt;
  return parameters[number];
}

// The heading with carets below the parameter, and in HTML with the parameter marked.
struct Heading {
  std::string text, html;
};
Heading heading_of(const Answer& answer) {
  if (!answer.parameter) return {answer.heading, display::element("pre", "xc-name", answer.heading)};
  Heading heading;
  for (const auto line : split_lines(answer.heading)) {
    if (!heading.text.empty()) heading.text += "\n", heading.html += "\n";
    heading.text += line;
    const auto piece = parameter_of(line, *answer.parameter);
    if (!piece) {
      heading.html += html_escape(line);
      continue;
    }
    const auto before = line.substr(0, piece->begin), marked = line.substr(piece->begin, piece->end - piece->begin);
    heading.text += fmt::format("\n{}^{}", std::string(code_points_of_bytes(before, before.size()), ' '),
                                std::string(code_points_of_bytes(marked, marked.size()) - 1, '~'));
    heading.html +=
        html_escape(before) + display::element("mark", "xc-param", marked) + html_escape(line.substr(piece->end));
  }
  heading.html = display::enclose("pre", "", heading.html);
  return heading;
}

Bundle bundle_of(const Answer& answer) {
  auto [text, html] = heading_of(answer);
  if (!answer.prose.empty()) {
    text += "\n\n" + answer.prose;
    html += display::element("div", "xc-prose", answer.prose);
  }
  if (!answer.facts.empty()) {
    display::Table table;
    table.columns = {{""}, {""}};
    for (const auto& [name, value] : answer.facts) table.rows.push_back({name, value});
    text += "\n\n" + display::table_text(table);
    html += display::table_html(table);
  }
  if (!answer.source.empty()) {
    text += "\n\n" + answer.source;
    html += display::element("pre", "xc-block", answer.source);
  }
  auto bundle = display::text_bundle(text);
  bundle.data[display::kHtmlMime] = display::html_output(html);
  return bundle;
}

template <class Known> const Known* find_by_name(const std::vector<Known>& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Known& known) { return known.name == name; });
  return found == list.end() ? nullptr : &*found;
}

Bundle array_answer(const display::ArrayRow& array) {
  std::string declaration = fmt::format("{} {}", array.type.as_written(), array.name);
  for (const auto extent : array.shape) declaration += fmt::format("[{}]", extent);
  Answer answer{.heading = declaration};
  answer.facts = {{"array of", dtype_name(array.type)},
                  {"shape", display::shape_text(array.shape)},
                  {"size", format_bytes(array.bytes)}};
  if (!array.device.empty()) answer.facts.emplace_back("device", array.device);
  if (!array.defined.empty()) answer.facts.emplace_back("declared in", array.defined);
  return bundle_of(answer);
}

Bundle scalar_answer(const KnownScalar& scalar) {
  Answer answer{
      .heading = fmt::format("{} {}{}{}", scalar.type, scalar.name, scalar.value.empty() ? "" : " = ", scalar.value)};
  if (!scalar.defined.empty()) answer.facts.emplace_back("declared in", scalar.defined);
  return bundle_of(answer);
}

// Overloads of one name are shown together.
Answer definition_answer(const std::vector<const KnownDefinition*>& definitions, Detail detail,
                         std::optional<std::size_t> parameter = {}) {
  Answer answer{.parameter = parameter};
  for (const auto* definition : definitions) {
    if (!answer.heading.empty()) answer.heading += "\n";
    answer.heading += declaration_of(*definition);
    const auto where =
        definition->line > 0 ? fmt::format("{}:{}", definition->defined, definition->line) : definition->defined;
    answer.facts.emplace_back(kind_text(definition->kind), where.empty() ? "" : "defined in " + where);
    if (detail == Detail::source && !definition->source.empty())
      answer.source += (answer.source.empty() ? "" : "\n\n") + definition->source;
  }
  if (detail == Detail::summary &&
      std::any_of(definitions.begin(), definitions.end(), [](const auto* d) { return !d->source.empty(); }))
    answer.prose = fmt::format("{}?? shows the source.", definitions.front()->name);
  return answer;
}

Answer builtin_answer(const Builtin& builtin, std::optional<std::size_t> parameter = {}) {
  Answer answer{
      .heading = builtin.signatures.empty() ? builtin.name : fmt::format("{}", fmt::join(builtin.signatures, "\n")),
      .parameter = parameter,
      .prose = builtin.help};
  static constexpr std::string_view kWhere[] = {"device code", "statements", "device code and statements"};
  answer.facts.emplace_back(kind_name(builtin.kind),
                            "in " + std::string(kWhere[static_cast<std::size_t>(builtin.where)]));
  if (!builtin.header.empty()) answer.facts.emplace_back("header", "#include " + builtin.header);
  return answer;
}

Bundle compiler_option_answer(const compiler::OptionSpec& option) {
  Answer answer{.heading = std::string(option.name), .prose = std::string(option.help)};
  if (!option.alias.empty()) answer.facts.emplace_back("short", option.alias);
  if (!option.choices.empty()) answer.facts.emplace_back("values", option.choices);
  answer.facts.emplace_back("option of", "%%kernel");
  return bundle_of(answer);
}

std::vector<const KnownDefinition*> definitions_of(std::string_view name, const Scope& scope) {
  std::vector<const KnownDefinition*> found;
  for (const auto& definition : scope.definitions)
    if (definition.name == name) found.push_back(&definition);
  // A name without its namespaces, when only one is meant.
  if (found.empty() && name.find("::") == std::string_view::npos)
    for (const auto& definition : scope.definitions)
      if (definition.name.ends_with(fmt::format("::{}", name))) found.push_back(&definition);
  return found;
}

std::optional<Answer> call_answer(std::string_view name, std::size_t argument, const Scope& scope) {
  if (name.ends_with('>')) name = name.substr(0, name.find('<'));
  if (const auto definitions = definitions_of(name, scope); !definitions.empty())
    return definition_answer(definitions, Detail::summary, argument);
  const auto* builtin = reference::find_builtin(name);
  if (builtin == nullptr) builtin = reference::find_in_namespaces(name);
  return builtin == nullptr ? std::nullopt : std::optional(builtin_answer(*builtin, argument));
}

// The page of a function of cells, under a name that it has elsewhere: np.dot, thrust::reduce, x.sum.
std::optional<Bundle> page_of_function(std::string_view function, std::string_view name, std::string_view advice) {
  const auto* builtin = language::find_function(function) ? reference::find_builtin(function) : nullptr;
  if (builtin == nullptr) return std::nullopt;
  auto answer = builtin_answer(*builtin);
  answer.facts.emplace_back(name, fmt::format("is {} here", advice));
  return bundle_of(answer);
}

// What belongs to CUDA's host API, to C++ or to NumPy: what to write here.
std::optional<Bundle> habit_answer(std::string_view name) {
  if (const auto host = language::host_code_answer(name))
    return display::text_bundle(fmt::format("{} is not a part of cells: {}.", name, host->advice));
  const auto dot = name.rfind('.');
  const auto last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const bool of_module = dot != std::string_view::npos && language::is_python_module(name.substr(0, name.find('.')));
  if (dot != std::string_view::npos && !of_module && !language::is_function_of_arrays(last)) return std::nullopt;
  if (dot != std::string_view::npos)
    if (auto page = page_of_function(last, name, fmt::format("{}(...)", last))) return page;
  auto advice = language::familiar_function(last, "x");
  if (advice.empty()) return std::nullopt;
  if (advice == fmt::format("x.{}", last))
    return bundle_of({.heading = advice, .prose = std::string(language::help_of_array_member(last))});
  if (auto page = page_of_function(std::string_view(advice).substr(0, advice.find('(')), name, advice)) return page;
  return display::text_bundle(fmt::format("{} has another name here: {}", name, advice));
}

}  // namespace

std::optional<Bundle> option_page(std::string_view name, std::string_view magic) {
  for (const auto& command : table()) {
    if (!magic.empty() && command.name != magic) continue;
    for (const auto& option : command.options)
      if (option.name == name)
        return bundle_of({.heading = option_text(option),
                          .prose = std::string(option.help),
                          .facts = {{"option of", fmt::format("%{}", command.name)}}});
  }
  const auto* command = find(magic);
  if (command != nullptr && command->operand == Operand::program) {
    for (const auto& option : nvcc::option_table())
      if (option.name == name)
        return bundle_of(
            {.heading = std::string(name), .prose = std::string(option.help), .facts = {{"option of", "nvcc"}}});
    return std::nullopt;
  }
  if (const auto* option = compiler::find_option(name)) return compiler_option_answer(*option);
  return std::nullopt;
}

Bundle member_page(const reference::Builtin& member, std::string_view type) {
  return bundle_of({.heading = member.signatures.front(),
                    .prose = member.help,
                    .facts = {{"member of", std::string(type)}},
                    .source = ""});
}

Bundle setting_page(const session::Setting& setting) {
  return bundle_of(
      {.heading = fmt::format("%config {} {}", setting.name, setting.value), .prose = std::string(setting.help)});
}

std::optional<Bundle> name_page(std::string_view name, Detail detail, const Scope& scope) {
  name = trim(name);
  if (name.empty()) return std::nullopt;
  if (name.starts_with('%')) {
    const auto magic = name.substr(std::min(name.find_first_not_of('%'), name.size()));
    if (const auto* command = find(magic)) return command_help(*command);
    const auto* habit = language::find_habit(language::Habit::Kind::command, magic);
    if (habit == nullptr) return std::nullopt;
    return display::text_bundle(fmt::format("%{} is a magic of {}. {}", magic, habit->owner, habit->advice));
  }
  if (name.starts_with('-')) return option_page(name, "");
  if (name.ends_with('>')) name = name.substr(0, name.find('<'));  // scale<double>
  if (const auto* array = find_by_name(scope.arrays, name)) return array_answer(*array);
  if (const auto* scalar = find_by_name(scope.scalars, name)) return scalar_answer(*scalar);
  if (const auto definitions = definitions_of(name, scope); !definitions.empty())
    return bundle_of(definition_answer(definitions, detail));
  if (const auto* command = find(name)) return command_help(*command);
  if (const auto* builtin = reference::find_builtin(name)) return bundle_of(builtin_answer(*builtin));
  if (const auto* builtin = reference::find_in_namespaces(name)) return bundle_of(builtin_answer(*builtin));
  return habit_answer(name);
}

std::optional<Bundle> call_page(std::string_view name, std::size_t argument, const Scope& scope) {
  const auto answer = call_answer(name, argument, scope);
  return answer ? std::optional(bundle_of(*answer)) : std::nullopt;
}

Bundle argument_page(std::string_view called, std::size_t argument, Bundle page, const Scope& scope) {
  const auto answer = call_answer(called, argument, scope);
  if (!answer) return page;
  const auto heading = bundle_of({.heading = answer->heading, .parameter = answer->parameter});
  for (const auto mime : {display::kTextMime, display::kHtmlMime})
    if (page.data.contains(mime))
      page.data[mime] = heading.data[mime].get<std::string>() + (mime == display::kTextMime ? "\n\n" : "") +
                        page.data[mime].get<std::string>();
  return page;
}

Command name_command() {
  return {
      .name = "name?",
      .shape = Shape::notation,
      .operand = Operand::name,
      .usage = "name?  name??",
      .summary = "Describe a command, array, scalar or kernel; with ?? also its source",
      .setup = "__device__ float square(float x) { return x * x; }\n",
      .example = "square?\n",
  };
}

}  // namespace xcuda::command
