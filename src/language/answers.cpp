#include "language/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cell/methods.hpp"
#include "cell/parse.hpp"
#include "language/functions.hpp"
#include "language/habits.hpp"

namespace xcuda::language {
namespace {

constexpr std::string_view kArrayFunctions =
    "Use sum, reduce, scan, sort, argsort, unique, histogram or map; %help lists them.";

// Arguments that change nothing: the first value of a sum, and the sum.
bool is_neutral(std::string_view value) {
  if (value.starts_with("std::plus<") || value.starts_with("thrust::plus<")) return true;
  return !value.empty() && value.find_first_not_of("0.fF") == std::string_view::npos && value[0] != 'f';
}

// Whether a row says all that the call does: it has a place for each argument that is not neutral, and none of them is
// an object of a library, which is not a function of arrays.
bool says_all(const Habit& habit, const IteratorRange& range) {
  std::size_t places = 0;
  for (std::size_t i = 0; i < 2; ++i)
    if (habit.advice.find(fmt::format("{{{}}}", i + 1)) != std::string_view::npos) places = i + 1;
  for (std::size_t i = 0; i < range.rest.size(); ++i) {
    const std::string_view one = range.rest[i];
    const bool object = one.starts_with("std::") || one.starts_with("thrust::");
    if (!is_neutral(one) && (i >= places || object)) return false;
  }
  return true;
}

// What a row says of x.
std::string advice_on(const Habit& habit, std::string_view x) { return fmt::format(fmt::runtime(habit.advice), x, x); }

}  // namespace

// "CUDA_CHECK", "checkCudaErrors", "gpuErrchk", "CHECK_CUDA_ERROR", "cudaSafeCall", "HANDLE_ERROR", "cudaCheck".
bool is_error_check(std::string_view name) {
  std::string lower;
  for (const char c : name)
    if (c != '_') lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  static constexpr std::string_view kNames[] = {"handleerror", "gpuerrchk",          "gpuerrcheck", "gpucheck",
                                                "gpuassert",   "cudasafecall",       "safecall",    "check",
                                                "checkerror",  "checklastcudaerror", "errcheck",    "gpuerrorcheck"};
  if (std::find(std::begin(kNames), std::end(kNames), lower) != std::end(kNames)) return true;
  const bool cuda = lower.find("cuda") != std::string::npos || lower.find("gpu") != std::string::npos;
  const bool check = lower.find("check") != std::string::npos || lower.find("chk") != std::string::npos ||
                     lower.find("safe") != std::string::npos || lower.find("assert") != std::string::npos ||
                     lower.find("try") != std::string::npos || lower == "cudacall" || lower == "cudaerr";
  return cuda && check;
}

// What other libraries have as a member, x.sum(), or under their own names, thrust::reduce.
bool is_function_of_arrays(std::string_view name) {
  const auto found = find_function(name);
  if (!found) return false;
  const auto& parameters = signatures_of(*found->row).back().parameters;
  return !is_of_statements(found->row->operation) && !parameters.empty() &&
         (parameters[0].takes == Takes::array || parameters[0].takes == Takes::any);
}

std::vector<std::string> methods_of_arrays() {
  std::vector<std::string> names;
  for (const auto* function : all_functions())
    if (is_function_of_arrays(function->name) && !is_of_runtime(function->operation))
      names.emplace_back(function->name);
  return names;
}

std::optional<HostCodeAnswer> host_code_answer(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  name = name.substr(0, name.find('<'));
  if (const auto known = find_function(name); known && is_of_runtime(known->row->operation)) return std::nullopt;
  if (const auto* row = find_habit(Habit::Kind::name, name)) return HostCodeAnswer{std::string(row->advice)};
  if (is_error_check(name))
    return HostCodeAnswer{
        "an error ends the cell: leave out the check, and keep the call inside it if it does something here"};
  if (name.starts_with("pthread_"))
    return HostCodeAnswer{"statements have no threads; put the functions that call it into a cell with %%cuda"};
  if (name.size() > 5 && name.starts_with("cuda") && std::isupper(static_cast<unsigned char>(name[4])))
    return HostCodeAnswer{"statements have no such name; a program in a cell of %%cuda has the whole CUDA Runtime"};
  static constexpr std::string_view kLibraries[] = {"cublas",   "cufft",  "curand", "cusolver", "cusparse",
                                                    "cutensor", "cudnn",  "nccl",   "nvrtc",    "nvml",
                                                    "nvgraph",  "nvjpeg", "npp",    "cu"};
  for (const auto library : kLibraries) {  // cublasSgemmEx; curand_init is device code
    if (!name.starts_with(library) || name.size() <= library.size() + 1) continue;
    if (std::isupper(static_cast<unsigned char>(name[library.size()])) == 0) continue;
    if (library == "cu")
      return HostCodeAnswer{"statements have no such name; a program in a cell of %%cuda has the whole Driver API"};
    return HostCodeAnswer{"statements have no such name; a program in a cell of %%cuda can use the library"};
  }
  return std::nullopt;
}

namespace {

// A function that is defined after its struct, and that statements can run.
bool is_of_simple_struct(const cell::DevicePiece& piece, std::string_view text) {
  if (piece.nesting > 0 || piece.name.find("::") == std::string::npos) return false;
  const auto own = cell::class_around(text, piece);
  return own && own->simple && own->template_parameters.empty();
}

}  // namespace

std::optional<Error> host_code_error(const cell::Cell& parsed, std::string_view cell_name) {
  const auto error = [&](cell::Span span, std::string message, std::string advice) {
    return Error(ErrorKind::unsupported, std::move(message))
        .at(cell::place_of(parsed.text, span, cell_name))
        .advise(std::move(advice));
  };
  for (const auto& piece : parsed.device) {
    if (piece.kind != cell::DeviceKind::function) continue;
    if (cell::may_be_of_host(piece, parsed.text) || is_of_simple_struct(piece, parsed.text)) continue;
    for (const auto& use : piece.host_uses) {
      if (use.name == "<<<") {
        if (piece.kernel || piece.annotated) continue;
        return error(use.span, fmt::format("a launch inside the function {}", piece.name),
                     "define the function outside of namespaces, classes and #if");
      }
      const auto known = find_function(use.name);
      const auto answer = known && is_of_runtime(known->row->operation)
                              ? std::optional(HostCodeAnswer{"call it in the cell, outside functions"})
                              : host_code_answer(use.name);
      if (piece.annotated || !answer || use.name.starts_with("std::")) continue;
      return error(use.span,
                   fmt::format("{} inside the function {}: functions of a cell are device code", use.name, piece.name),
                   answer->advice);
    }
  }
  return std::nullopt;
}

std::string familiar_function(std::string_view function, std::string_view x) {
  const auto part = function.rfind("::");
  const auto name = function.substr(part == std::string_view::npos ? 0 : part + 2);
  const auto base = name.substr(0, name.find('<'));
  if (const auto* row = find_habit(Habit::Kind::function, base)) return advice_on(*row, x);
  if (const auto* row = find_habit(Habit::Kind::numpy, base); row != nullptr && !row->advice.starts_with('%'))
    return row->advice.find('{') == std::string_view::npos ? fmt::format("{}({})", row->advice, x)
                                                           : fmt::format(fmt::runtime(row->advice), x, "y", "z");
  const bool library = function.starts_with("thrust::") || function.starts_with("cub::");
  if (library && is_function_of_arrays(base)) return fmt::format("{}({})", base, x);
  if (library) return std::string(kArrayFunctions);
  return {};
}

bool is_habit(std::string_view function) { return !familiar_function(function, "x").empty(); }

std::string familiar_algorithm(std::string_view function, const IteratorRange& range) {
  const auto part = function.rfind("::");
  const auto name = function.substr(part == std::string_view::npos ? 0 : part + 2);
  const auto base = name.substr(0, name.find('<'));
  const auto given = [&](std::size_t i, const char* otherwise) {
    return i < range.rest.size() ? range.rest[i] : otherwise;
  };
  const auto* row = find_habit(Habit::Kind::range, base);
  if (row != nullptr && says_all(*row, range))
    return fmt::format(fmt::runtime(row->advice), range.array, given(0, "0"), given(1, "f"));
  if (!range.as_pointers.empty()) return range.as_pointers;
  if (row != nullptr || !range.rest.empty()) return std::string(kArrayFunctions);
  if (is_function_of_arrays(base)) return fmt::format("{}({})", base, range.array);
  return familiar_function(function, range.array);
}

std::string familiar_member(std::string_view member, std::string_view x) {
  if (const auto* row = find_habit(Habit::Kind::member, member)) return advice_on(*row, x);
  if (is_function_of_arrays(member) && signatures_of(*find_function(member)->row).back().required() == 1)
    return fmt::format("{}({})", member, x);
  return familiar_function(member, x);
}

}  // namespace xcuda::language
