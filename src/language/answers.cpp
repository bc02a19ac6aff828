#include "language/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "cell/parse.hpp"
#include "language/functions.hpp"

namespace xcuda::language {
namespace {

struct HostRow {
  std::string_view name;
  std::string_view advice;
};

constexpr std::string_view kArray = "declare an array: float x[n]; it lives on the device until %free x";
constexpr std::string_view kCopy =
    "arrays are read and written in place: x[i], x = {1, 2, 3}, %save x file.npy; %copy y x copies one to another";
constexpr std::string_view kTexture =
    "declare one for an array: texture t(x, filter = linear, normalized = true); and pass t to the kernel";
constexpr std::string_view kSurface = "declare one for an array: surface s(x); and pass s to the kernel";
constexpr std::string_view kInfo = "%device describes the device";
constexpr std::string_view kPrint = "printf(\"%d\\n\", x); or write the name alone on the last line";
constexpr std::string_view kHostContainer =
    "declare an array: float x[n]; it lives on the device and is shown by its name";
constexpr std::string_view kTime = "%%launch times launches; %time times a statement";

// Sorted by name.
constexpr HostRow kHostRows[] = {
    {"cudaArray_t", "declare an array with extents, float x[h][w]; then texture t(x); or surface s(x);"},
    {"cudaBindTexture", kTexture},
    {"cudaBindTexture2D", kTexture},
    {"cudaBindTextureToArray", kTexture},
    {"cudaCreateChannelDesc", kTexture},
    {"cudaCreateSurfaceObject", kSurface},
    {"cudaCreateTextureObject", kTexture},
    {"cudaDestroySurfaceObject", "leave it out: a new declaration replaces the old one"},
    {"cudaDestroyTextureObject", "leave it out: a new declaration replaces the old one"},
    {"cudaDeviceGetAttribute", kInfo},
    {"cudaFreeArray", "%free x frees an array"},
    {"cudaFuncSetAttribute", "%%launch --shared bytes raises the limit"},
    {"cudaGetDeviceProperties", kInfo},
    {"cudaGetSymbolAddress", "use the variable's name"},
    {"cudaGraphLaunch", "a loop of launches does not wait between them"},
    {"cudaLaunchCooperativeKernel", "write kernel<<<grid, block>>>(arguments) under %%launch --cooperative"},
    {"cudaLaunchKernel", "write kernel<<<grid, block>>>(arguments)"},
    {"cudaMalloc3D", "declare an array with extents: float x[nz][ny][nx]"},
    {"cudaMalloc3DArray", "declare an array with extents: float x[nz][ny][nx]"},
    {"cudaMallocArray", "declare an array with extents: float x[h][w]"},
    {"cudaMallocPitch", "declare an array with extents: float x[h][w]"},
    {"cudaMemGetInfo", "%device shows the free memory, %arrays what uses it"},
    {"cudaMemPrefetchAsync", "leave it out: arrays are on the device"},
    {"cudaMemcpy2D", kCopy},
    {"cudaMemcpy2DToArray", kCopy},
    {"cudaMemcpy3D", kCopy},
    {"cudaMemcpyToArray", kCopy},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", "%%launch reports the occupancy"},
    {"cudaOccupancyMaxPotentialBlockSize", "kernel<<<cover(n)>>>(...) chooses the block"},
    {"cudaResourceDesc", kTexture},
    {"cudaTextureDesc", kTexture},
    {"std::cerr", kPrint},
    {"std::chrono", kTime},
    {"std::cin", "set values in the cell: const int n = 1024;"},
    {"std::cout", kPrint},
    {"std::endl", kPrint},
    {"std::fill", "assign: x = 1; or initialise: float x[n] = 1"},
    {"std::fstream", "load(\"file.npy\") reads, %save x file.npy writes"},
    {"std::ifstream", "float x[n] = load(\"file.npy\") reads an array"},
    {"std::iota", "initialise: int x[n] = arange()"},
    {"std::make_unique", kHostContainer},
    {"std::map", "a cell has no host containers: use an array, or prepare the data in a file"},
    {"std::mt19937", "initialise: float x[n] = uniform(0, 1, seed = 1) or normal(0, 1, seed = 1)"},
    {"std::ofstream", "%save x file.npy writes an array"},
    {"std::random_device", "initialise: float x[n] = uniform(0, 1, seed = 1)"},
    {"std::sort", "a cell has no host containers: sort(x) sorts an array"},
    {"std::string", "strings are only for printf(\"...\")"},
    {"std::unique_ptr", kHostContainer},
    {"std::vector", kHostContainer},
    {"thrust::device_vector", kArray},
    {"thrust::host_vector", kHostContainer},
};

// The names above that people also write without std::, by "using namespace std" or from C.
constexpr std::string_view kUnqualified[] = {"cin", "cout", "cerr", "endl", "ifstream", "ofstream", "vector"};

const HostRow* find_row(std::string_view name) {
  const auto* row = std::lower_bound(std::begin(kHostRows), std::end(kHostRows), name,
                                     [](const HostRow& one, std::string_view wanted) { return one.name < wanted; });
  return row != std::end(kHostRows) && row->name == name ? row : nullptr;
}

struct FamiliarRow {
  std::string_view names, advice;  // {} is the array
};

constexpr FamiliarRow kFamiliar[] = {
    {"len", "size({}) is the first extent; {}? shows everything about it."},
    {"dtype nbytes itemsize strides", "{}? shows its type and shape; sizeof({}) is its number of bytes."},
    {"accumulate", "sum({}), or reduce({}, init, f)"},
    {"inclusive_scan", "scan({})"},
    {"exclusive_scan", "scan({}, inclusive = false)"},
    {"empty device_array", "float x[n]; a new array is zero."},
    {"fill", "{} = 3;"},
    {"empty_like device_array_like", "auto y = like({});"},
    {"array asarray ascontiguousarray to_device to_gpu",
     "float x[3] = {{1, 2, 3}}; arrays are on the device; load(\"x.npy\") reads a file."},
    {"random random_sample", "float x[n] = uniform(0, 1, seed = 1);"},
    {"randn standard_normal", "float x[n] = normal(0, 1, seed = 1);"},
    {"sign", "(int)({0} > 0) - (int)({0} < 0)"},
    {"copy_if", "{0}[{0} > 0]"},
    {"astype", "(double){}, or double y[n] = {};"},
    {"maximum amax", "max(x, y) of two, max(x) over everything"},
    {"minimum amin", "min(x, y) of two, min(x) over everything"},
    {"power", "pow({}, y)"},
    {"square", "{0} * {0}"},
    {"absolute", "abs({})"},
    {"sort_by_key argpartition", "argsort({})"},
    {"gather", "{0}[i], with an array of indices i"},
    {"scatter", "{0}[i] = y, with an array of indices i"},
    {"transform", "An expression, or f({}) with a __device__ function f."},
    {"inner_product vdot inner", "dot(x, y)"},
    {"tolist get asnumpy copy_to_host item",
     "Its name alone shows it, {}[i] is an element, %save x x.npy writes it for NumPy."},
    {"print", "A last expression without ';' is shown; printf(\"%d\\n\", n) prints numbers."},
    {"range", "for (int i = 0; i < n; ++i)"},
    {"putchar sprintf snprintf", "printf(\"...\\n\");"},
    {"stoi stol strtol strtoul", "atoi(text)"},
    {"stod stof strtod strtof", "atof(text)"},
};

// What other libraries have as a member, x.sum(), or under their own names, thrust::reduce.
bool is_function_of_arrays(std::string_view name) {
  const auto found = find_function(name);
  if (!found) return false;
  const auto& parameters = signatures_of(*found->row).back().parameters;
  return !is_of_statements(found->row->operation) && !parameters.empty() &&
         (parameters[0].takes == Takes::array || parameters[0].takes == Takes::any);
}

bool holds(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); !word.empty() && at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

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

std::optional<HostCodeAnswer> host_code_answer(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  name = name.substr(0, name.find('<'));
  if (name.starts_with("std::chrono::")) name = "std::chrono";
  if (const auto known = find_function(name); known && known->row->operation == Operation::runtime) return std::nullopt;
  if (const auto* row = find_row(name)) return HostCodeAnswer{std::string(row->advice)};
  if (std::find(std::begin(kUnqualified), std::end(kUnqualified), name) != std::end(kUnqualified)) {
    const auto* row = find_row("std::" + std::string(name));
    return HostCodeAnswer{std::string(row->advice)};
  }
  if (is_error_check(name))
    return HostCodeAnswer{
        "an error ends the cell: leave out the check, and keep the call inside it if it does something here"};
  if (name.size() > 5 && name.starts_with("cuda") && std::isupper(static_cast<unsigned char>(name[4])))
    return HostCodeAnswer{"a cell has no runtime API: use arrays, launches and magics; see %help"};
  return std::nullopt;
}

std::optional<Error> host_code_error(const cell::Cell& parsed, std::string_view cell_name) {
  const auto error = [&](cell::Span span, std::string message, std::string advice) {
    return Error(ErrorKind::unsupported, std::move(message))
        .at(cell::place_of(parsed.text, span, cell_name))
        .advise(std::move(advice));
  };
  for (const auto& piece : parsed.device) {
    if (piece.managed_variable)
      return error(piece.name_span, fmt::format("a cell cannot hold the __managed__ variable {}", piece.name),
                   fmt::format("declare it __device__, or as an array: {} {}[n];", piece.type, piece.name));
    if (piece.kind != cell::DeviceKind::function) continue;
    for (const auto& use : piece.host_uses) {
      if (use.name == "<<<") {
        if (piece.kernel || piece.annotated)
          return error(use.span, fmt::format("a launch inside {}: dynamic parallelism is not supported", piece.name),
                       "launch from the cell: kernel<<<grid, block>>>(arguments);");
        return error(use.span, fmt::format("a launch inside the function {}", piece.name),
                     "a launch is a statement: write kernel<<<grid, block>>>(arguments); outside functions");
      }
      const auto known = find_function(use.name);
      const auto answer = known && known->row->operation == Operation::runtime
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
  for (const auto& row : kFamiliar)
    if (holds(row.names, base)) return fmt::format(fmt::runtime(row.advice), x, x);
  const bool library = function.starts_with("thrust::") || function.starts_with("cub::");
  if (library && is_function_of_arrays(base)) return fmt::format("{}({})", base, x);
  if (library) return "Use sum, reduce, scan, sort, argsort, unique, histogram or map; %help lists them.";
  return {};
}

std::string familiar_member(std::string_view member, std::string_view x) {
  if (is_function_of_arrays(member)) return fmt::format("{}({})", member, x);
  return familiar_function(member, x);
}

}  // namespace xcuda::language
