#include "language/python/python_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.hpp"
#include "language/functions.hpp"
#include "language/python/python_parser.hpp"
#include "language/python/python_text.hpp"

namespace xcuda::language {

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
  const auto start = trim(line);
  const bool open = !start.ends_with(';') && !start.ends_with('{');
  static constexpr std::string_view kStatements[] = {"raise ", "yield ", "global ", "async ",
                                                     "await ", "with ",  "except "};
  const bool statement = open && std::any_of(std::begin(kStatements), std::end(kStatements),
                                             [&](std::string_view word) { return start.starts_with(word); });
  const bool type = start.starts_with("class ") && start.ends_with(':');
  const bool table = line.find("{\"") != std::string_view::npos && line.find("\":") != std::string_view::npos;
  return comprehension || text || module || statement || type || table ||
         line.find("lambda ") != std::string_view::npos;
}

bool is_comment(std::string_view line) {
  static constexpr std::string_view kDirectives[] = {"include", "define", "undef", "if",     "ifdef", "ifndef", "elif",
                                                     "else",    "endif",  "error", "pragma", "line",  "warning"};
  if (!line.starts_with("#")) return false;
  const auto word = trim(line.substr(1));
  return !among(word.substr(0, word.find_first_of(" \t(<\"")), kDirectives);
}

std::size_t end_of_timing(std::string_view line) {
  for (const std::string_view magic : {"%time ", "%timeit "}) {
    if (!line.starts_with(magic)) continue;
    auto at = magic.size();
    while (at < line.size()) {
      const auto end = std::min(line.find(' ', at), line.size());
      const auto word = line.substr(at, end - at);
      const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
      if (end == line.size() || !(word.empty() || word.starts_with('-') || (number && at > magic.size()))) break;
      at = end + 1;
    }
    return at;
  }
  return 0;
}

bool is_timed(std::string_view line) { return end_of_timing(line) > 0; }

namespace {

struct PythonFunction {
  std::string name;
  std::vector<std::string> parameters;
  std::string_view value;
};

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

// "def f(x, y): return x + y", with the return on the next line, too; "f = lambda x, y: x + y". All of the cell.
std::optional<PythonFunction> function_in(std::string_view cell) {
  auto text = trim(cell);
  PythonFunction function;
  std::string_view list;
  if (const auto word = text.find("= lambda "); word != std::string_view::npos) {
    function.name = trim(text.substr(0, word));
    const auto colon = text.find(':', word);
    if (colon == std::string_view::npos) return std::nullopt;
    list = text.substr(word + 9, colon - word - 9);
    function.value = trim(text.substr(colon + 1));
  } else if (text.starts_with("def ")) {
    const auto open = text.find('('), close = text.find("):");
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
    function.name = trim(text.substr(4, open - 4));
    list = text.substr(open + 1, close - open - 1);
    auto body = trim(text.substr(close + 2));
    if (!body.starts_with("return ")) return std::nullopt;
    function.value = trim(body.substr(7));
  }
  if (!is_name(function.name) || function.value.empty() || function.value.find('\n') != std::string_view::npos)
    return std::nullopt;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    function.parameters.emplace_back(trim(list.substr(0, end)));
    if (!is_name(function.parameters.back())) return std::nullopt;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return function.parameters.empty() ? std::nullopt : std::optional(std::move(function));
}

// Of numbers, which Python computes in double: every name is a parameter or a function of <cmath>.
std::string device_function(const PythonFunction& function) {
  const auto is_parameter = [&](std::string_view name) {
    return std::find(function.parameters.begin(), function.parameters.end(), name) != function.parameters.end();
  };
  auto tokens = python_tokens(function.value);
  if (!tokens) return {};
  PythonNames names;
  names.known = is_parameter;
  names.rank = [](const std::string&) { return std::optional<std::size_t>(0); };
  names.kind = [](const std::string&) { return std::optional(Kind::float64); };
  PythonParser parser(*std::move(tokens), names);
  auto value = parser.value();
  if (parser.failed() || !parser.at_end() || !parser.before().empty()) return {};
  const auto words = python_tokens(value.text);
  if (!words) return {};
  std::string text;
  std::size_t at = 0;
  for (const auto& word : *words) {
    if (word.kind != PythonToken::Kind::name) continue;
    auto name = std::string(word.text);
    if (name == "max" || name == "min") name = "f" + name;
    static constexpr std::string_view kWords[] = {"double", "true", "false", "M_PI", "M_E", "fmax", "fmin"};
    const auto known = find_function(name);
    const bool number = known && known->row->operation == Operation::numbers && known->row->has(Trait::plain);
    if (!is_parameter(name) && !number && !among(name, kWords)) return {};
    text += value.text.substr(at, word.begin - at) + name;
    at = word.begin + word.text.size();
  }
  text += value.text.substr(at);
  std::string parameters;
  for (const auto& one : function.parameters)
    parameters += fmt::format("{}double {}", parameters.empty() ? "" : ", ", one);
  return fmt::format("__device__ double {}({}) {{ return {}; }}", function.name, parameters, text);
}

}  // namespace

std::string advice_on_python(std::string_view cell, const Error& error) {
  if (const auto function = function_in(cell)) return device_function(*function);
  const auto lines = split_lines(cell);
  const auto number = error.place ? static_cast<std::size_t>(error.place->line) : 0;
  const auto line = number > 0 && number <= lines.size() ? trim(lines[number - 1]) : std::string_view();
  const auto has = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
  if (line.starts_with("@cuda.jit") || line.starts_with("@numba"))
    return "Write it in CUDA C++: __global__ void kernel(float* a, int n) { ... }, and launch it with "
           "kernel<<<grid, block>>>(a, n);";
  if (has("SourceModule(") || has("RawKernel(") || has("RawModule("))
    return "The text of the kernel is a cell by itself: __global__ void kernel(float* a, int n) { ... }";
  if (has("ElementwiseKernel(") || has("ReductionKernel("))
    return "An expression over arrays, y = x * x;, or a __device__ function that is called with arrays.";
  if (has("__name__")) return "Leave it out: the statements of a cell run as they are.";
  return {};
}

}  // namespace xcuda::language
