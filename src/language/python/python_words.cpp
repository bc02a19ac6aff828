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
  const bool text = line.find("(f\"") != std::string_view::npos || line.find("(f'") != std::string_view::npos ||
                    line.find(" f\"") != std::string_view::npos || line.find(" f'") != std::string_view::npos;
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

std::string advice_on_python(std::string_view cell, std::string_view line) {
  if (auto function = function_of_python(cell); !function.empty()) return function;
  line = trim(line);
  const auto has = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
  if (has("isinstance(") || has("type(")) return "x? shows the type of x, which it keeps.";
  if (line.starts_with("@cuda.jit"))
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
