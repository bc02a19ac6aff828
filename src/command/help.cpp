#include "command/help.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "command/guide_text.hpp"
#include "command/name_page.hpp"
#include "compiler/options.hpp"
#include "display/html.hpp"
#include "display/table.hpp"
#include "language/habits.hpp"
#include "reference/builtins.hpp"
#include "session/settings.hpp"

namespace xcuda::command {
namespace {

using display::Align;
using display::Bundle;
using display::Column;
using display::Field;
using display::Table;
constexpr auto kCode = Column::Kind::code;
constexpr auto kProse = Column::Kind::prose;

// Lines of at most 88 characters, for a console.
std::string wrapped(std::string_view text) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (column > 0 && column + 1 + end > 88) {
      lines += '\n';
      column = 0;
    } else if (column > 0) {
      lines += ' ';
      ++column;
    }
    lines += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// A page grows in text and HTML at once.
class Page {
 public:
  Page& title(std::string_view text) {
    return add(fmt::format("── {}", text), display::element("div", "xc-title", text));
  }
  Page& usage(std::string_view text) { return add(std::string(text), display::element("div", "xc-name", text)); }
  Page& paragraph(std::string_view text) { return add(wrapped(text), display::element("div", "xc-prose", text)); }
  Page& code(std::string_view text) {
    std::string indented;
    for (const auto line : split_lines(text)) indented += (indented.empty() ? "    " : "\n    ") + std::string(line);
    return add(indented, display::element("pre", "xc-block", text));
  }
  Page& table(const Table& table) { return add(display::table_text(table), display::table_html(table)); }

  Bundle bundle() const {
    auto bundle = display::text_bundle(text_);
    bundle.data[display::kHtmlMime] = display::html_output(html_);
    return bundle;
  }

 private:
  Page& add(const std::string& text, const std::string& html) {
    text_ += (text_.empty() ? "" : "\n\n") + text;
    html_ += html;
    return *this;
  }
  std::string text_, html_;
};

std::string magic_name(const Command& command) {
  switch (command.shape) {
    case Shape::line: return fmt::format("%{}", command.name);
    case Shape::cell: return fmt::format("%%{}", command.name);
    case Shape::line_or_cell: return fmt::format("%{0}, %%{0}", command.name);
    case Shape::notation: return std::string(command.name);
  }
  return {};
}

Table command_table() {
  Table table;
  table.columns = {{"command", Align::left, kCode}, {"what it does", Align::left, kProse}};
  for (const auto& command : command::table()) table.rows.push_back({magic_name(command), command.summary});
  return table;
}

std::string compiler_option_text(const compiler::OptionSpec& spec) {
  // "-fmad" beside "--fmad" says nothing new.
  const bool same = spec.alias.empty() || spec.alias == spec.name.substr(1);
  std::string text(same ? std::string(spec.name) : fmt::format("{}, {}", spec.alias, spec.name));
  switch (spec.value) {
    case compiler::OptionValue::none: return text;
    case compiler::OptionValue::boolean: return text + "=true|false";
    case compiler::OptionValue::number: return text + "=N";
    case compiler::OptionValue::word: return text + "=WORD";
    case compiler::OptionValue::text: return text + " TEXT";
    case compiler::OptionValue::folder: return text + " FOLDER";
    case compiler::OptionValue::file: return text + " FILE";
  }
  return text;
}

std::string compiler_option_help(const compiler::OptionSpec& spec) {
  std::string text(spec.help);
  if (!spec.choices.empty()) text += fmt::format(" ({})", spec.choices);
  return text;
}

Table compiler_option_table() {
  Table table;
  table.columns = {{"option", Align::left, kCode}, {"what it does", Align::left, kProse}};
  for (const auto& spec : compiler::option_table())
    if (spec.use != compiler::OptionUse::refused && spec.use != compiler::OptionUse::ignored)
      table.rows.push_back({compiler_option_text(spec), compiler_option_help(spec)});
  return table;
}

Table option_table(const Command& command) {
  Table table;
  table.columns = {{"option", Align::left, kCode}, {"what it does", Align::left, kProse}};
  for (const auto& option : command.options) table.rows.push_back({option_text(option), option.help});
  return table;
}

Table type_table() {
  Table table;
  table.columns = {{"type", Align::left, kCode}, {"dtype"}, {"note", Align::left, kProse}};
  for (const auto& row : type_rows()) table.rows.push_back({row.spelling, row.dtype, row.note});
  return table;
}

Table setting_table() {
  Table table;
  const session::Settings defaults;
  table.columns = {{"setting", Align::left, kCode}, {"value"}, {"default"}, {"what it does", Align::left, kProse}};
  for (const auto& setting : session::setting_table())
    table.rows.push_back({setting.name, setting.value, setting.show(defaults), setting.help});
  return table;
}

Bundle language_page() {
  Page page;
  page.title("The language of a cell");
  for (const auto& lesson : lessons()) page.title(lesson.title).paragraph(lesson.text).code(lesson.example);
  return page.bundle();
}
Bundle types_page() { return Page().title("Element types of arrays, and scalars").table(type_table()).bundle(); }
Bundle options_page() {
  return Page()
      .title("Options of a compile, as nvcc and NVRTC know them; one dash or two")
      .table(compiler_option_table())
      .bundle();
}
Bundle settings_page() { return Page().title("Settings: %config name value").table(setting_table()).bundle(); }

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

// A table of Markdown; columns of code are quoted.
std::string markdown_table(const Table& table) {
  std::string head = "|", rule = "|", body;
  for (const auto& column : table.columns) {
    head += fmt::format(" {} |", column.title);
    rule += "---|";
  }
  for (const auto& row : table.rows) {
    body += "|";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool code = table.columns[c].kind == kCode && !row[c].text.empty();
      body += fmt::format(" {0}{1}{0} |", code ? "`" : "", markdown_cell(row[c].text));
    }
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body;
}

std::string markdown_code(std::string_view code) {
  return fmt::format("```cuda\n{}{}```\n", code, code.ends_with('\n') ? "" : "\n");
}

// setup: a cell that the example needs and that the page has not shown yet; may be empty.
std::string command_document(const Command& command, std::string_view setup) {
  auto text = fmt::format("### {}\n\n{}.\n\n```text\n{}\n```\n", markdown_cell(magic_name(command)), command.summary,
                          command.usage);
  if (!command.details.empty()) text += fmt::format("\n{}\n", command.details);
  if (!command.options.empty()) text += "\n" + markdown_table(option_table(command));
  if (command.compiler_options) text += "\nIt also takes the [options of a compile](#options-of-a-compile).\n";
  if (command.example.empty()) return text;
  if (!setup.empty()) text += "\n" + markdown_code(setup);
  return text + "\n" + markdown_code(command.example);
}

std::vector<std::string> known_names(const Scope& scope) {
  std::vector<std::string> names;
  for (const auto& array : scope.arrays) names.push_back(array.name);
  for (const auto& scalar : scope.scalars) names.push_back(scalar.name);
  for (const auto& definition : scope.definitions) names.push_back(definition.name);
  for (const auto& command : table())
    if (command.shape != Shape::notation) names.emplace_back(command.name);
  for (const auto& topic : topics()) names.emplace_back(topic.name);
  for (const auto& builtin : reference::builtins()) names.push_back(builtin.name);
  return names;
}

}  // namespace

std::string option_text(const Option& option) {
  if (!option.choices.empty()) return fmt::format("{} {}", option.name, fmt::join(option.choices, "|"));
  return option.value.empty() ? std::string(option.name) : fmt::format("{} {}", option.name, option.value);
}

const std::vector<Topic>& topics() {
  static const std::vector<Topic> list = {
      {"language", "device code, arrays, launches and what is shown, with examples", language_page},
      {"types", "element types and their NumPy names", types_page},
      {"options", "options of a compile", options_page},
      {"settings", "what %config sets", settings_page},
  };
  return list;
}

Bundle help_page() {
  Page page;
  page.title("CUDA C++ in cells");
  for (const auto& lesson : lessons()) page.title(lesson.title).paragraph(lesson.text).code(lesson.example);
  Table more;
  more.columns = {{"more", Align::left, kCode}, {"about", Align::left, kProse}};
  for (const auto& topic : topics()) more.rows.push_back({fmt::format("%help {}", topic.name), topic.summary});
  more.rows.push_back({"%help launch", "a command, with its options and an example"});
  return page.title("Commands").table(command_table()).table(more).bundle();
}

Bundle magic_list() {
  return Page().table(command_table()).paragraph("%help NAME explains a command and shows an example.").bundle();
}

Bundle command_help(const Command& command) {
  Page page;
  page.usage(command.usage).paragraph(fmt::format("{}.", command.summary));
  for (auto rest = command.details; !rest.empty();) {
    const auto end = std::min(rest.find("\n\n"), rest.size());
    page.paragraph(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  if (!command.options.empty()) page.table(option_table(command));
  if (command.compiler_options) page.paragraph("It also takes the options of a compile: %help options lists them.");
  if (command.operand == Operand::setting) page.table(setting_table());
  if (!command.example.empty()) page.title("Example").code(command.example);
  return page.bundle();
}

Bundle help_on(std::string_view name, const Scope& scope) {
  if (const auto found = name_page(name, Detail::summary, scope)) return *found;
  std::string_view bare = name;
  while (bare.starts_with('%')) bare.remove_prefix(1);
  for (const auto& topic : topics())
    if (topic.name == bare) return topic.page();
  if (const auto* habit = language::find_habit(language::Habit::Kind::command, bare))
    return display::text_bundle(fmt::format("%{} belongs to {}. {}", bare, habit->owner, habit->advice));
  Error error(ErrorKind::name, fmt::format("found no help on \"{}\"", name));
  const auto near = nearest(bare, known_names(scope));
  throw std::move(error).advise(near.empty() ? "%help lists the commands and topics"
                                             : fmt::format("did you mean {}?", near));
}

std::string commands_document() {
  std::string text =
      "# Commands\n\n"
      "This page is generated from the rows of the commands (`src/command`); `XCUDA_APPROVE=1 test_command` writes it "
      "anew.\n\n";
  text += markdown_table(command_table());
  text += "\n## The language in short\n";
  for (const auto& lesson : lessons())
    text += fmt::format("\n### {}\n\n{}\n\n{}", lesson.title, lesson.text, markdown_code(lesson.example));
  text += "\n## Commands one by one\n";
  std::set<std::string_view> shown;
  for (const auto& command : table())
    text += "\n" + command_document(command, shown.insert(command.setup).second ? command.setup : "");
  text +=
      "\n## Options of a compile\n\nAs nvcc and NVRTC know them, with one dash or two, in `%%kernel` and in `%config "
      "options`.\n\n" +
      markdown_table(compiler_option_table());
  text +=
      "\n## Settings\n\n`%config` shows them, `%config name value` changes one.\n\n" + markdown_table(setting_table());
  text += "\n## Types\n\n" + markdown_table(type_table());
  text += "\n## Commands of other kernels\n\nThey are not available here; each answers with what to do instead.\n\n";
  Table foreign;
  foreign.columns = {{"magic", Align::left, kCode}, {"of"}, {"here"}};
  for (const auto& habit : language::habits())
    if (habit.kind == language::Habit::Kind::command)
      for (const auto& name : language::names_of(habit))
        foreign.rows.push_back({fmt::format("%{}", name), std::string(habit.owner), std::string(habit.advice)});
  return text + markdown_table(foreign);
}

}  // namespace xcuda::command
