#include "interpreter/familiar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace xcuda::interpreter {
namespace {

struct Row {
  std::string_view names, advice;  // {} is the array
};

constexpr Row kRows[] = {
    {"len", "size({}) is the first extent; {}? shows all that is known of it."},
    {"shape ndim dtype nbytes itemsize strides", "{}? shows its type and shape; size({}) is the first extent."},
    {"T", "transpose({})"},
    {"cumsum accumulate inclusive_scan", "scan({})"},
    {"exclusive_scan", "scan({}, inclusive = false)"},
    {"cumprod", "scan({}, [](float a, float b) {{ return a * b; }})"},
    {"clip", "clamp({}, lo, hi)"},
    {"zeros empty device_array", "float x[n]; a new array is zero."},
    {"ones", "float x[n] = 1;"},
    {"full", "float x[n] = 3;"},
    {"fill", "{} = 3;"},
    {"zeros_like empty_like device_array_like", "auto y = like({});"},
    {"ones_like full_like", "auto y = like({}); y = 1;"},
    {"array asarray ascontiguousarray to_device to_gpu",
     "float x[3] = {{1, 2, 3}}; arrays are on the device; load(\"x.npy\") reads a file."},
    {"rand random random_sample", "float x[n] = uniform(0, 1, seed = 1);"},
    {"randn standard_normal", "float x[n] = normal(0, 1, seed = 1);"},
    {"flatten ravel", "reshape({}, n)"},
    {"expand_dims newaxis", "reshape({}, n, 1)"},
    {"concatenate hstack vstack stack append", "float z[n + m]; z[0:n] = x; z[n:n + m] = y;"},
    {"outer", "reshape(x, n, 1) * y"},
    {"matmul", "A kernel, or sum(reshape(a, n, k, 1) * b, axis = 1) for small ones."},
    {"sign", "(int)({0} > 0) - (int)({0} < 0)"},
    {"copy copy_if", "auto y = {};"},
    {"astype", "(double){}, or double y[n] = {};"},
    {"maximum amax", "max(x, y) of two, max(x) over everything"},
    {"minimum amin", "min(x, y) of two, min(x) over everything"},
    {"median percentile quantile", "sort({})[n / 2]"},
    {"power", "pow({}, y)"},
    {"square", "{0} * {0}"},
    {"absolute", "abs({})"},
    {"average", "mean({})"},
    {"isclose array_equal", "allclose(x, y), all(x == y)"},
    {"sort_by_key argpartition", "argsort({})"},
    {"take gather", "map(n, [](size_t k, const float* x, const int* i) {{ return x[i[k]]; }}, x, i)"},
    {"transform", "An expression, or f({}) with a __device__ function f."},
    {"inner_product vdot inner", "dot(x, y)"},
    {"bincount", "histogram({}, bins, lo, hi)"},
    {"tolist get asnumpy copy_to_host item",
     "Its name alone shows it, {}[i] is an element, %save x x.npy writes it for NumPy."},
    {"print", "A last expression without ';' is shown; printf(\"%d\\n\", n) prints numbers."},
    {"range", "for (int i = 0; i < n; ++i)"},
    {"puts putchar fprintf sprintf snprintf", "printf(\"...\\n\");"},
    {"stoi stol strtol strtoul", "atoi(text)"},
    {"stod stof strtod strtof", "atof(text)"},
    {"memset", "{} = 0; a new array is zero already."},
    {"memcpy memmove", "{} = y; copies all elements, x[0:n] = y[0:n]; some."},
    {"srand time", "float x[n] = uniform(seed = 1); seeds are arguments."},
};

constexpr std::string_view kOwn[] = {"sum",     "prod",      "min",    "max",    "mean",   "var",     "std",
                                     "any",     "all",       "count",  "argmin", "argmax", "norm",    "dot",
                                     "sort",    "argsort",   "unique", "scan",   "reduce", "reshape", "transpose",
                                     "reverse", "histogram", "real",   "imag",   "conj",   "size",    "where",
                                     "abs",     "sqrt",      "exp",    "log",    "round",  "clamp"};

bool holds(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); !word.empty() && at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

std::string familiar_function(std::string_view function, std::string_view x) {
  const auto part = function.rfind("::");
  const auto name = function.substr(part == std::string_view::npos ? 0 : part + 2);
  const auto base = name.substr(0, name.find('<'));
  for (const auto& row : kRows)
    if (holds(row.names, base)) return fmt::format(fmt::runtime(row.advice), x, x);
  const bool library = function.starts_with("thrust::") || function.starts_with("cub::");
  if (library && std::find(std::begin(kOwn), std::end(kOwn), base) != std::end(kOwn))
    return fmt::format("{}({})", base, x);
  if (library) return "sum, reduce, scan, sort, argsort, unique, histogram and map do this here; %help lists them.";
  return {};
}

std::string familiar_member(std::string_view member, std::string_view x) {
  if (std::find(std::begin(kOwn), std::end(kOwn), member) != std::end(kOwn)) return fmt::format("{}({})", member, x);
  return familiar_function(member, x);
}

}  // namespace xcuda::interpreter
