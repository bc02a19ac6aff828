#include "language/python/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "cell/snippet.hpp"
#include "language/check.hpp"
#include "language/habits.hpp"
#include "language/python/python_text.hpp"
#include "language/python/python_words.hpp"
#include "language/python/tokens.hpp"

namespace xcuda::language {
namespace {

// A line, or several while a bracket is open.
struct LogicalLine {
  std::string_view text;
  int first = 0, last = 0;  // from 1 on
  std::optional<std::string> here;
  bool left_out = false;   // Python that has no line here
  std::size_t level = 0;   // of blocks
  std::size_t closes = 0;  // blocks that end with it
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

// for x in y:, if x:
bool begins_block(std::string_view line) {
  static constexpr std::string_view kWords[] = {"for", "while", "if", "elif", "else"};
  const auto tokens = python_tokens(line);
  return tokens && tokens->size() > 2 && among((*tokens)[0].text, kWords) && (*tokens)[1].text != "(" &&
         std::any_of(tokens->begin(), tokens->end(), [](const PythonToken& one) { return one.text == ":"; });
}

class PythonCell {
 public:
  PythonCell(const cell::Source& source, cell::Grammar grammar, Environment& environment)
      : source_(source), grammar_(grammar), environment_(environment), lines_(logical_lines(source.text)) {}

  // Translates these lines, or all, in their order.
  void translate(const std::set<int>& wrong, Stage stage) {
    wrong_ = wrong;
    stage_ = stage;
    whole_ =
        stage == Stage::parse && std::any_of(lines_.begin(), lines_.end(), [](const LogicalLine& line) {
          const auto text = trim(line.text);
          return text.starts_with("import ") || text.starts_with("print(") || begins_block(text) || is_python(text);
        });
    translate_all();
  }

  void translate_all() {
    std::set<std::string, std::less<>> real;
    for (auto known = real.size() + 1; known != real.size();) {
      known = real.size();
      real = translate_once(wrong_, stage_, std::move(real));
    }
  }

  // The line of an error, if it is right now.
  const LogicalLine* line_of(const Error& error) const {
    if (!error.place) return nullptr;
    const auto found = std::find_if(lines_.begin(), lines_.end(), [&](const LogicalLine& one) {
      return one.first <= error.place->line && error.place->line <= one.last;
    });
    return found == lines_.end() || !found->here ? nullptr : &*found;
  }

  // Drops the translations that have errors themselves, all of them where the cell cannot be parsed.
  void keep_what_is_right() {
    auto text = written();
    auto parsed = cell::try_parse_cell(text, source_.name, grammar_);
    while (parsed.error && leave_out(*parsed.error)) {
      if (whole_) translate_all();  // what follows may be known now
      text = written();
      parsed = cell::try_parse_cell(text, source_.name, grammar_);
    }
    if (parsed.error) return drop_all();
    for (bool again = true; again;) {
      const auto checked = check(parsed.cell.statements, {source_.name, text}, environment_);
      again = false;
      for (const auto& error : checked.errors)
        if (error.place && drop(error.place->line)) again = whole_;
      if (!again) break;
      if (blocks_) return drop_all();  // a block without one of its lines is another
      translate_all();
      text = written();
      parsed = cell::try_parse_cell(text, source_.name, grammar_);
      if (parsed.error) return drop_all();
    }
  }

  bool is_python_cell() const { return whole_; }

  // All lines that are written differently here.
  std::string translations() const {
    std::string text;
    int shown = 0;
    for (const auto& line : lines_) {
      auto here = line.left_out ? fmt::format("// for %%python: {}", trim(line.text)) : alone(line, shown);
      const std::string blanks(2 * line.level, ' ');
      if (const auto inside = here.find("{ auto "); inside != std::string::npos && !here.ends_with("}"))
        here.replace(inside + 1, 1, "\n  " + blanks);  // for (...) { auto v = x[i];
      if (!here.empty()) text += (text.empty() ? "" : "\n") + blanks + here;
      for (std::size_t i = 1; i <= line.closes; ++i) text += "\n" + std::string(2 * (line.level - i), ' ') + "}";
    }
    return text;
  }

 private:
  std::set<std::string, std::less<>> translate_once(const std::set<int>& wrong, Stage stage,
                                                    std::set<std::string, std::less<>> real) {
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
                        [this](const std::string& expression) { return form_at_end(expression).extents; }},
                       std::move(real));
    before_.clear();
    open_.clear();
    LogicalLine* last = nullptr;
    for (auto& line : lines_) {
      if (line.left_out) {
        before_ += of(line) + "\n";
        continue;
      }
      const auto text = trim(line.text);
      line.closes = 0;
      line.here.reset();
      const bool comment = whole_ && is_comment(text);
      const bool foreign = text.empty() || (text[0] == '%' && !is_timed(text)) || text[0] == '!' || text[0] == '#' ||
                           text.ends_with("{");
      const bool meant = stage == Stage::parse || wrong.contains(line.first);
      if (comment)
        line.here = "";
      else if (whole_ && !foreign)
        translate_in_cell(line, last, python);
      else if (meant && !foreign)
        line.here = python.translated(text);
      before_ += of(line) + "\n";
      if (!text.empty() && !comment) last = &line;
    }
    if (last != nullptr) last->closes += open_.size();
    open_.clear();
    return python.real();
  }

  // A line of a cell that is Python: as deep in blocks as its blanks say.
  void translate_in_cell(LogicalLine& line, LogicalLine* last, PythonLines& python) {
    const auto text = trim(line.text);
    const auto indent = static_cast<std::size_t>(text.data() - line.text.data());
    auto header = python.header(text);
    std::string front;
    while (!open_.empty() && indent <= open_.back() && front.empty()) {
      if (header && header->goes_on && indent == open_.back())
        front = "} ";
      else if (last != nullptr)
        ++last->closes;
      open_.pop_back();
    }
    before_.clear();
    for (const auto* one = lines_.data(); one != &line; ++one) before_ += of(*one) + "\n";
    line.level = open_.size();
    const auto ended = [](std::string here) { return here.empty() || here.ends_with(";") ? here : here + ";"; };
    if (!header) {
      using Place = PythonLines::Place;
      line.here = python.translated(text, !open_.empty() ? Place::block : is_last(line) ? Place::last : Place::cell);
      if (line.here && !open_.empty()) line.here = ended(*line.here);
      return;
    }
    blocks_ = true;
    open_.push_back(indent);
    line.here = front + header->text;
    if (header->rest.empty()) return;
    before_ += *line.here + "\n";
    const auto rest = python.translated(header->rest, PythonLines::Place::block);
    open_.pop_back();
    if (rest)
      *line.here += " " + ended(*rest) + " }";
    else
      line.here.reset();
  }

  std::string written() const {
    std::string text;
    for (const auto& line : lines_) text += of(line) + "\n";
    return text;
  }

  void drop_all() {
    for (auto& line : lines_) line = {line.text, line.first, line.last, std::nullopt};
  }

  bool drop(int number) {
    bool dropped = false;
    for (auto& line : lines_) {
      if (number < line.first || line.last < number || !line.here) continue;
      line.here.reset();
      line.left_out = whole_;
      dropped = true;
    }
    return dropped;
  }

  // A line among others: only the last one of a cell is shown by itself.
  std::string alone(const LogicalLine& line, int& shown) const {
    if (!line.here || line.here->empty()) return {};
    const auto& here = *line.here;
    if (here.ends_with(";") || here.ends_with("{") || here.ends_with("}") || here.starts_with("%") ||
        here.starts_with("!") || is_last(line))
      return here;
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
      if (line.here || line.level > 0 || !(whole_ || is_python(line.text))) return false;
      return line.left_out = true;
    }
    return false;
  }

  // As many lines as the cell has there.
  std::string of(const LogicalLine& line) const {
    if (!line.here && !line.left_out) return std::string(line.text);
    auto text = line.here.value_or("");
    const bool last = line.text.data() + line.text.size() == source_.text.data() + source_.text.size();
    const bool whole = text.ends_with(";") || text.ends_with("{") || text.ends_with("}") || text.starts_with("%");
    if (!last && !text.empty() && !whole) text += ";";
    for (std::size_t i = 0; i < line.closes; ++i) text += " }";
    return text + std::string(static_cast<std::size_t>(line.last - line.first), '\n');
  }

  bool is_known(const std::string& name) {
    if (environment_.find(name) || environment_.is_function(name)) return true;
    return before_.find(name) != std::string::npos && form_at_end(name).is_known();
  }

  // Whether the lines so far name what the expression does: they may have declared it anew.
  bool is_changed_so_far(std::string_view expression) const {
    const auto tokens = cell::tokens_of(expression);
    return std::any_of(tokens.begin(), tokens.end(), [&](const cell::Token& one) {
      return one.is_identifier() && before_.find(one.text) != std::string::npos;
    });
  }

  // After the lines so far.
  Form form_at_end(const std::string& expression) {
    Form alone;
    if (const auto parsed = cell::try_parse_expression(expression))
      alone = form_of(*parsed, cell::Source{source_.name, expression}, environment_);
    if (alone.is_known() && !is_changed_so_far(expression)) return alone;
    auto text = before_ + expression;
    if (!open_.empty()) text += ";" + std::string(open_.size(), '}');
    const auto parsed = cell::try_parse_cell(text, source_.name, grammar_);
    if (parsed.error || parsed.cell.statements.empty()) return alone;
    const auto* last = last_expression(*parsed.cell.statements.back());
    if (last == nullptr) return {};
    const auto checked = check(parsed.cell.statements, {source_.name, text}, environment_);
    const auto found = checked.forms.find(last->expression.get());
    return found == checked.forms.end() ? Form() : found->second;
  }

  // The last expression of a statement, also in the blocks that it ends.
  static const cell::ExpressionStatement* last_expression(const cell::Statement& statement) {
    const auto in = [](const cell::StatementPtr& one) { return one ? last_expression(*one) : nullptr; };
    if (const auto* block = std::get_if<cell::Block>(&statement.node))
      return block->statements.empty() ? nullptr : in(block->statements.back());
    if (const auto* branch = std::get_if<cell::If>(&statement.node))
      return in(branch->otherwise ? branch->otherwise : branch->then);
    if (const auto* loop = std::get_if<cell::For>(&statement.node)) return in(loop->body);
    if (const auto* loop = std::get_if<cell::RangeFor>(&statement.node)) return in(loop->body);
    if (const auto* loop = std::get_if<cell::While>(&statement.node)) return in(loop->body);
    if (const auto* there = std::get_if<cell::OnDevice>(&statement.node)) return in(there->body);
    if (const auto* tried = std::get_if<cell::Try>(&statement.node)) return in(tried->body);
    return std::get_if<cell::ExpressionStatement>(&statement.node);
  }

  const cell::Source& source_;
  cell::Grammar grammar_;
  Environment& environment_;
  std::vector<LogicalLine> lines_;
  std::string before_;  // the lines so far, as they are here
  bool whole_ = false;  // the cell is Python
  std::set<int> wrong_;
  Stage stage_ = Stage::check;
  bool blocks_ = false;
  std::vector<std::size_t> open_;  // the blanks before the lines that began the blocks around this one
};

bool is_of_module(const Error& error) {
  const auto& place = *error.place;
  if (place.column < 1 || static_cast<std::size_t>(place.column) > place.excerpt.size()) return false;
  const auto rest = std::string_view(place.excerpt).substr(static_cast<std::size_t>(place.column) - 1);
  const auto dot = rest.find('.');
  return dot != std::string_view::npos && is_python_module(rest.substr(0, dot));
}

std::string_view line_at(std::string_view text, const Error& error) {
  for (const auto& line : logical_lines(text))
    if (error.place && line.first <= error.place->line && error.place->line <= line.last) return line.text;
  return {};
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
    const auto written = line == nullptr && stage == Stage::parse
                             ? advice_on_python(source.text, line_at(source.text, error))
                             : std::string();
    if (!written.empty())
      error.advice = written;
    else if (line == nullptr && stage == Stage::parse && has_word(line_at(source.text, error), "is"))
      error.advice = find_habit(Habit::Kind::word, "is")->advice;
    else if (line == nullptr && stage == Stage::parse && is_python(line_at(source.text, error)))
      error.advice = "%%python runs a cell of Python on the same arrays.";
    else if (line == nullptr && stage == Stage::parse && cell.is_python_cell() &&
             (error.advice.empty() || error.advice.starts_with("a declaration ends")))
      error.advice = "%%python runs a cell of Python on the same arrays.";
    const auto here = line == nullptr ? std::string() : stage == Stage::parse ? cell.translations() : *line->here;
    if (line != nullptr && stage == Stage::check && line->here->empty()) {  // rng = np.random.default_rng(1)
      error.message = fmt::format("{} is Python, not C++", trim(line->text));
      error.library.clear();
      error.notes.clear();
      error.advice = "Leave it out: what draws numbers takes a seed, as in float x[1000] = uniform(0, 1, seed = 42);";
    }
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
