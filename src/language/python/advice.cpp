#include "language/python/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>

#include "base/text.hpp"
#include "cell/parse.hpp"
#include "cell/snippet.hpp"
#include "language/check.hpp"
#include "language/habits.hpp"
#include "language/python/python_text.hpp"
#include "language/python/tokens.hpp"

namespace xcuda::language {
namespace {

// A line, or several while a bracket is open.
struct LogicalLine {
  std::string_view text;
  int first = 0, last = 0;  // from 1 on
  std::optional<std::string> here;
  bool left_out = false;  // Python that has no line here
};

std::vector<LogicalLine> logical_lines(std::string_view text) {
  std::vector<LogicalLine> lines;
  int number = 1, depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  int first = 1;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : '\n';
    if (quote != 0) {
      if (c == '\\') ++at;
      if (c == quote || c == '\n') quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    }
    if (quote == 0 && (c == '(' || c == '[')) ++depth;
    if (quote == 0 && (c == ')' || c == ']')) --depth;
    if (c != '\n') continue;
    if (depth <= 0 || at >= text.size()) {
      lines.push_back({text.substr(begin, at - begin), first, number, std::nullopt});
      begin = at + 1;
      first = number + 1;
      depth = 0;
    }
    ++number;
  }
  return lines;
}

// What nobody writes in C++.
bool is_python(std::string_view line) {
  const bool comprehension =
      line.find(" for ") != std::string_view::npos && line.find(" in ") != std::string_view::npos;
  const bool text = line.find("(f\"") != std::string_view::npos || line.find("(f'") != std::string_view::npos;
  bool module = false;
  for (std::size_t at = 0; (at = line.find('.', at)) != std::string_view::npos; ++at) {
    auto begin = at;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(line[begin - 1])) != 0 || line[begin - 1] == '_'))
      --begin;
    module = module || is_python_module(line.substr(begin, at - begin));
  }
  return comprehension || text || module || line.find("lambda ") != std::string_view::npos;
}

class PythonCell {
 public:
  PythonCell(const cell::Source& source, cell::Grammar grammar, Environment& environment)
      : source_(source), grammar_(grammar), environment_(environment), lines_(logical_lines(source.text)) {}

  // Translates these lines, or all, in their order.
  void translate(const std::set<int>& wrong, Stage stage) {
    PythonLines python({[this](const std::string& name) { return is_known(name); },
                        [this](const std::string& expression) {
                          const auto form = form_at_end(expression);
                          return form.kind == Form::Kind::number ? std::optional<std::size_t>(0) : form.rank();
                        },
                        [this](const std::string& expression) { return number_kind(form_at_end(expression)); },
                        [this](std::string_view name) {
                          const auto kernels = environment_.kernels();
                          return std::find(kernels.begin(), kernels.end(), name) != kernels.end();
                        },
                        [this](const std::string& expression) { return form_at_end(expression).extents; }});
    for (auto& line : lines_) {
      const auto text = trim(line.text);
      const bool foreign = text.empty() || text[0] == '%' || text[0] == '!' || text[0] == '#' || text.ends_with("{");
      const bool meant = stage == Stage::parse || wrong.contains(line.first);
      if (meant && !foreign) line.here = python.translated(text);
      before_ += of(line) + "\n";
    }
  }

  // Of the line of an error, if it is right now.
  const LogicalLine* line_of(const Error& error) const {
    if (!error.place) return nullptr;
    const auto found = std::find_if(lines_.begin(), lines_.end(), [&](const LogicalLine& one) {
      return one.first <= error.place->line && error.place->line <= one.last;
    });
    return found == lines_.end() || !found->here ? nullptr : &*found;
  }

  // Drops the translations that have errors themselves, all of them where the cell cannot be parsed.
  void keep_what_is_right() {
    auto text = before_;
    auto parsed = cell::try_parse_cell(text, source_.name, grammar_);
    while (parsed.error && leave_out(*parsed.error)) {
      text.clear();
      for (const auto& line : lines_) text += of(line) + "\n";
      parsed = cell::try_parse_cell(text, source_.name, grammar_);
    }
    const auto drop = [&](int number) {
      for (auto& line : lines_)
        if (line.first <= number && number <= line.last) line.here.reset();
    };
    if (parsed.error) {
      for (auto& line : lines_) line = {line.text, line.first, line.last, std::nullopt};
      return;
    }
    const auto checked = check(parsed.cell.statements, {text, source_.name}, environment_);
    for (const auto& error : checked.errors)
      if (error.place) drop(error.place->line);
  }

  // All lines that are said differently here.
  std::string translations() const {
    std::string text;
    int shown = 0;
    for (const auto& line : lines_) {
      const auto here = line.left_out ? fmt::format("// for %%python: {}", trim(line.text)) : alone(line, shown);
      if (!here.empty()) text += (text.empty() ? "" : "\n") + here;
    }
    return text;
  }

 private:
  // A line among others: only the last one of a cell is shown by itself.
  std::string alone(const LogicalLine& line, int& shown) const {
    if (!line.here || line.here->empty()) return {};
    const auto& here = *line.here;
    if (here.ends_with(";") || here.starts_with("%") || here.starts_with("!") || is_last(line)) return here;
    if (!trim(line.text).starts_with("print")) return here + ";";
    const auto before = here.rfind("; ");  // what it needs in front
    const auto value = before == std::string::npos ? here : here.substr(before + 2);
    const auto front = before == std::string::npos ? std::string() : here.substr(0, before + 1) + "\n";
    const auto alone = cell::try_parse_expression(value);
    if (alone != nullptr && std::holds_alternative<cell::Name>(alone->node)) return front + "%show " + value;
    return fmt::format("{0}auto shown{1} = {2};\n%show shown{1}", front, ++shown, value);
  }

  bool is_last(const LogicalLine& line) const {
    const auto end = static_cast<std::size_t>(line.text.data() + line.text.size() - source_.text.data());
    return trim(std::string_view(source_.text).substr(end)).empty();
  }

  // The line of an error that Python has and cells have not; false: it is another one.
  bool leave_out(const Error& error) {
    const auto number = error.place ? error.place->line : 0;
    for (auto& line : lines_) {
      if (number < line.first || number > line.last || line.left_out) continue;
      if (line.here || !is_python(line.text)) return false;
      return line.left_out = true;
    }
    return false;
  }

  // As many lines as the cell has there.
  std::string of(const LogicalLine& line) const {
    if (!line.here && !line.left_out) return std::string(line.text);
    auto text = line.here.value_or("");
    const bool last = line.text.data() + line.text.size() == source_.text.data() + source_.text.size();
    if (!last && !text.empty() && !text.ends_with(";") && !text.starts_with("%")) text += ";";
    return text + std::string(static_cast<std::size_t>(line.last - line.first), '\n');
  }

  bool is_known(const std::string& name) {
    if (environment_.find(name) || environment_.is_function(name)) return true;
    return before_.find(name) != std::string::npos && form_at_end(name).is_known();
  }

  // After the lines so far.
  Form form_at_end(const std::string& expression) {
    if (const auto alone = cell::try_parse_expression(expression)) {
      const cell::Source of{expression, source_.name};
      if (const auto form = form_of(*alone, of, environment_); form.is_known()) return form;
    }
    const auto text = before_ + expression;
    const auto parsed = cell::try_parse_cell(text, source_.name, grammar_);
    if (parsed.error || parsed.cell.statements.empty()) return {};
    const auto* last = std::get_if<cell::ExpressionStatement>(&parsed.cell.statements.back()->node);
    if (last == nullptr) return {};
    const auto checked = check(parsed.cell.statements, {text, source_.name}, environment_);
    const auto found = checked.forms.find(last->expression.get());
    return found == checked.forms.end() ? Form() : found->second;
  }

  const cell::Source& source_;
  cell::Grammar grammar_;
  Environment& environment_;
  std::vector<LogicalLine> lines_;
  std::string before_;  // the lines so far, as they are here
};

bool is_of_module(const Error& error) {
  const auto& place = *error.place;
  if (place.column < 1 || static_cast<std::size_t>(place.column) > place.excerpt.size()) return false;
  const auto rest = std::string_view(place.excerpt).substr(static_cast<std::size_t>(place.column) - 1);
  const auto dot = rest.find('.');
  return dot != std::string_view::npos && is_python_module(rest.substr(0, dot));
}

std::string_view line_at(std::string_view text, const Error& error) {
  const auto lines = split_lines(text);
  const auto number = error.place ? static_cast<std::size_t>(error.place->line) : 0;
  return number > 0 && number <= lines.size() ? lines[number - 1] : std::string_view();
}

// A name of its own, outside of texts.
bool has_word(std::string_view line, std::string_view word) {
  const auto tokens = python_tokens(line);
  return tokens && tokens->size() > 2 && (*tokens)[1].kind == PythonToken::Kind::name &&
         std::any_of(tokens->begin(), tokens->end(),
                     [&](const PythonToken& one) { return one.kind == PythonToken::Kind::name && one.text == word; });
}

}  // namespace

std::vector<Error> with_python_advice(std::vector<Error> errors, const cell::Source& source, Stage stage,
                                      cell::Grammar grammar, Environment& environment) {
  std::set<int> wrong;
  PythonCell cell(source, grammar, environment);
  for (const auto& line : logical_lines(source.text))
    for (const auto& error : errors)
      if (error.place && line.first <= error.place->line && error.place->line <= line.last) wrong.insert(line.first);
  cell.translate(wrong, stage);
  cell.keep_what_is_right();
  std::vector<Error> advised;
  const LogicalLine* before = nullptr;
  std::set<int> of_modules;  // the lines of fig, ax = plt.subplots(): what its names are is not known then
  for (const auto& error : errors)
    if (error.place && is_of_module(error)) of_modules.insert(error.place->line);
  for (auto& error : errors) {
    const auto* line = cell.line_of(error);
    if (line == nullptr && error.place && of_modules.contains(error.place->line) && !is_of_module(error)) continue;
    if (line != nullptr && line == before) continue;
    before = line;
    if (line == nullptr && stage == Stage::parse && has_word(line_at(source.text, error), "is"))
      error.advice = find_habit(Habit::Kind::word, "is")->advice;
    else if (line == nullptr && stage == Stage::parse && is_python(line_at(source.text, error)))
      error.advice = "%%python runs a cell of Python on the same arrays.";
    const auto here = line == nullptr ? std::string() : stage == Stage::parse ? cell.translations() : *line->here;
    if (!here.empty()) {
      const cell::Span whole{0, static_cast<std::uint32_t>(line->text.size())};
      if (is_of_module(error)) error.message = fmt::format("{} is Python, not C++", cell::snippet(line->text, whole));
      error.library.clear();
      error.notes.clear();
      error.advice = here;
    }
    advised.push_back(std::move(error));
  }
  return advised;
}

}  // namespace xcuda::language
