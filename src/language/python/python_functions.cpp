// Functions of Python, def f(x): and f = lambda x:, as device code: of numbers, which Python computes in double.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "language/functions.hpp"
#include "language/python/python_parser.hpp"
#include "language/python/python_text.hpp"
#include "language/python/python_words.hpp"

namespace xcuda::language {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

class PythonFunction {
 public:
  explicit PythonFunction(std::string name) : name_(std::move(name)) {}

  // "x, y: float"; false: one has a default, or is not a name.
  bool take_parameters(std::string_view list) {
    while (!trim(list).empty()) {
      const auto end = std::min(list.find(','), list.size());
      const auto one = list.substr(0, end);
      parameters_.emplace_back(trim(one.substr(0, one.find(':'))));
      if (!is_name(parameters_.back()) || one.find('=') != std::string_view::npos) return false;
      list.remove_prefix(std::min(end + 1, list.size()));
    }
    known_ = {parameters_.begin(), parameters_.end()};
    known_.insert(name_);
    return !parameters_.empty() && is_name(name_);
  }

  // A line of the body, with its blanks. False: nothing here does the same.
  bool add(std::string_view line) {
    const auto text = trim(line);
    const auto indent = static_cast<std::size_t>(text.data() - line.data());
    if (text.empty() || text.starts_with("#") || in_docstring(text)) return true;
    auto header = PythonLines(names()).header(text);
    std::string front;
    while (!open_.empty() && indent <= open_.back() && front.empty()) {
      open_.pop_back();
      if (header && header->goes_on && (open_.empty() || indent > open_.back()))
        front = "} ";
      else
        write("}");
    }
    if (!header) return statement(text);
    static constexpr std::string_view kCounter = "for (int ";
    if (header->text.starts_with(kCounter)) {
      const auto rest = std::string_view(header->text).substr(kCounter.size());
      known_.insert(std::string(rest.substr(0, rest.find(' '))));
    }
    const auto begin = in_parts(header->text);
    if (!begin) return false;
    write(front + *begin);
    open_.push_back(indent);
    if (header->rest.empty()) return true;
    const bool fits = statement(header->rest);
    open_.pop_back();
    write("}");
    return fits;
  }

  // Empty where it returns nothing.
  std::string written() {
    for (; !open_.empty(); write("}")) open_.pop_back();
    if (!returns_) return {};
    std::string parameters, before;
    for (const auto& one : parameters_) parameters += fmt::format("{}double {}", parameters.empty() ? "" : ", ", one);
    for (const auto& one : declared_first_) before += fmt::format("  double {} = 0;\n", one);
    const auto head = fmt::format("__device__ double {}({}) {{", name_, parameters);
    if (before.empty() && std::count(body_.begin(), body_.end(), '\n') == 1) return head + " " + trimmed() + " }";
    return head + "\n" + before + body_ + "}";
  }

 private:
  PythonNames names() const {
    PythonNames names;
    names.known = [this](const std::string& name) { return known_.contains(name); };
    names.rank = [](const std::string&) { return std::optional<std::size_t>(0); };
    names.kind = [](const std::string&) { return std::optional(Kind::float64); };
    return names;
  }

  std::string trimmed() const { return std::string(trim(body_)); }
  void write(std::string_view line) {
    const bool closes = line.starts_with("}");
    body_ += std::string(2 * (open_.size() + 1), ' ') + std::string(line) + "\n";
    returns_ = returns_ || (!closes && line.starts_with("return "));
  }

  bool in_docstring(std::string_view text) {
    const bool begins = text.starts_with("\"\"\"") || text.starts_with("'''");
    const bool ends = text.ends_with("\"\"\"") || text.ends_with("'''");
    if (docstring_) return docstring_ = !ends, true;
    if (!begins) return false;
    docstring_ = !ends || text.size() < 6;
    return true;
  }

  // The words of for (...; ...; ...), whose parts together are not tokens of Python.
  std::optional<std::string> in_parts(std::string_view written) const {
    std::string text;
    for (auto rest = written;;) {
      const auto end = rest.find(';');
      const auto part = in_words(std::string(rest.substr(0, end)));
      if (!part) return std::nullopt;
      text += *part;
      if (end == std::string_view::npos) return text;
      text += ';';
      rest.remove_prefix(end + 1);
    }
  }

  // Every name is known, or a function of <cmath>.
  std::optional<std::string> in_words(const std::string& written) const {
    const auto words = python_tokens(written);
    if (!words || written.find('[') != std::string::npos) return std::nullopt;
    std::string text;
    std::size_t at = 0;
    for (const auto& word : *words) {
      if (word.kind == PythonToken::Kind::string) return std::nullopt;
      if (word.kind != PythonToken::Kind::name) continue;
      auto name = std::string(word.text);
      if (name == "max" || name == "min") name = "f" + name;
      static constexpr std::string_view kWords[] = {"double", "true", "false", "M_PI",  "M_E", "fmax",
                                                    "fmin",   "if",   "else",  "while", "for", "int"};
      const auto found = find_function(name);
      const bool number = found && found->row->operation == Operation::numbers && found->row->has(Trait::plain);
      if (!known_.contains(name) && !number && !among(name, kWords)) return std::nullopt;
      text += written.substr(at, word.begin - at) + name;
      at = word.begin + word.text.size();
    }
    return text + written.substr(at);
  }

  std::optional<std::string> value(std::string_view text) const {
    auto tokens = python_tokens(text);
    if (!tokens) return std::nullopt;
    const auto all = names();
    PythonParser parser(*std::move(tokens), all);
    const auto piece = parser.value();
    if (parser.failed() || !parser.at_end() || !parser.before().empty()) return std::nullopt;
    return in_words(piece.text);
  }

  bool statement(std::string_view text) {
    static constexpr std::string_view kJumps[] = {"break", "continue"};
    if (text == "pass") return true;
    if (among(text, kJumps)) return write(std::string(text) + ";"), true;
    if (text.starts_with("return ")) {
      const auto result = value(trim(text.substr(7)));
      if (result) write(fmt::format("return {};", *result));
      return result.has_value();
    }
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || text.substr(equals).starts_with("==")) return false;
    const bool updates = std::string_view("+-*/").find(text[equals - 1]) != std::string_view::npos;
    const auto name = std::string(trim(text.substr(0, equals - (updates ? 1 : 0))));
    const auto result = value(trim(text.substr(equals + 1)));
    if (!is_name(name) || !result || (updates && !known_.contains(name))) return false;
    const bool fresh = known_.insert(name).second;
    if (fresh && !open_.empty()) declared_first_.push_back(name);
    const bool declares = fresh && open_.empty();
    write(fmt::format("{}{} {}= {};", declares ? "double " : "", name, updates ? text.substr(equals - 1, 1) : "",
                      *result));
    return true;
  }

  std::string name_, body_;
  std::vector<std::string> parameters_, declared_first_;  // those that a block gives their first value
  std::set<std::string, std::less<>> known_;
  std::vector<std::size_t> open_;  // the blanks before the lines that began the blocks around this one
  bool docstring_ = false, returns_ = false;
};

std::string lambda_in(std::string_view text, std::size_t word) {
  const auto colon = text.find(':', word);
  if (colon == std::string_view::npos || text.find('\n') != std::string_view::npos) return {};
  PythonFunction function{std::string(trim(text.substr(0, word)))};
  const bool fits = function.take_parameters(text.substr(word + 9, colon - word - 9)) &&
                    function.add(fmt::format("return {}", trim(text.substr(colon + 1))));
  return fits ? function.written() : std::string();
}

}  // namespace

std::string function_of_python(std::string_view cell) {
  auto text = trim(cell);
  if (const auto word = text.find("= lambda "); word != std::string_view::npos) return lambda_in(text, word);
  while (text.starts_with("@") && !text.starts_with("@cuda.jit") && text.find('\n') != std::string_view::npos)
    text = trim(text.substr(text.find('\n')));  // @njit
  if (!text.starts_with("def ")) return {};
  const auto open = text.find('('), close = text.find(')', open), colon = text.find(':', close);
  if (open == std::string_view::npos || close == std::string_view::npos || colon == std::string_view::npos) return {};
  PythonFunction function{std::string(trim(text.substr(4, open - 4)))};
  bool fits = function.take_parameters(text.substr(open + 1, close - open - 1));
  auto body = text.substr(colon + 1);
  const auto first = body.substr(0, body.find('\n'));
  if (!trim(first).empty()) fits = fits && function.add(first);
  for (const auto line : split_lines(body.substr(std::min(first.size() + 1, body.size())))) {
    const bool indented = line.starts_with(" ") || line.starts_with("\t") || trim(line).empty();
    fits = fits && indented && function.add(line);
  }
  if (auto written = fits ? function.written() : std::string(); !written.empty()) return written;
  return "__device__ double f(double x) { return x * x; } is a function of numbers, and f(x) calls it for each element "
         "of "
         "an array; %%python runs a cell of Python on the same arrays.";
}

}  // namespace xcuda::language
