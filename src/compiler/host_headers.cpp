#include "compiler/host_headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "compiler/diagnostics.hpp"
#include "compiler/package_headers.hpp"

namespace xcuda::compiler {
namespace {

struct HostHeader {
  std::string_view prefix;  // of the name between the brackets
  std::string_view what, instead;
};

constexpr HostHeader kHostHeaders[] = {
    {"thrust/", "is part of Thrust, whose algorithms are called from host code",
     "statements fill, reduce and sort arrays (%help); inside a kernel use <cub/block/...>, <cub/warp/...> "
     "and <cuda/std/...>"},
    {"cub/cub.cuh", "holds CUB's device-wide algorithms, which are called from host code",
     "include the headers of the block and warp algorithms that the kernel uses, such as <cub/block/block_reduce.cuh>"},
    {"cub/device/", "is a device-wide algorithm of CUB, which is called from host code",
     "include the headers of block and warp algorithms, such as <cub/block/block_reduce.cuh>"},
    {"cublas", "is a library of host functions", "statements have matmul(a, b)"},
    {"cufft", "is a library of host functions", "statements have fft(x)"},
    {"cusparse", "is a library of host functions", "statements have csr(), coo() and matmul(a, b)"},
    {"cusolver", "is a library of host functions", "statements have solve(a, b)"},
    {"curand.h", "is the host's part of cuRAND",
     "include <curand_kernel.h> in a kernel, or fill arrays with uniform() and normal()"},
    {"cudnn", "is a library of host functions", "kernels cannot call them"},
    {"nccl", "is a library of host functions", "statements have all_reduce(x) and its siblings"},
    {"nvml", "is a library of host functions", "%device describes the GPU"},
};

const HostHeader* host_header(std::string_view name) {
  if (is_package_header(name)) return nullptr;  // cublasdx.hpp
  const auto* found = std::find_if(std::begin(kHostHeaders), std::end(kHostHeaders),
                                   [&](const HostHeader& one) { return name.starts_with(one.prefix); });
  return found == std::end(kHostHeaders) ? nullptr : found;
}

// The name in `#include <name>`; empty for other lines.
std::string_view included_name(std::string_view line) {
  auto text = trim(line);
  for (const std::string_view word : {"#", "include"}) {
    if (!text.starts_with(word)) return {};
    text = trim(text.substr(word.size()));
  }
  if (text.empty() || (text.front() != '<' && text.front() != '"')) return {};
  const auto end = text.find(text.front() == '<' ? '>' : '"', 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(1, end - 1);
}

std::optional<Diagnostic> first_host_header(const CompileRequest& request) {
  std::optional<Diagnostic> found;
  each_cell_line(request, [&](int number, std::string_view line) {
    const auto name = included_name(line);
    const auto* header = found || name.empty() ? nullptr : host_header(name);
    if (header == nullptr) return;
    found.emplace();
    found->text = fmt::format("<{}> {}: {}. A cell with %%cuda on its first line can include this header", name,
                              header->what, header->instead);
    found->place = {shown_source(request.name), number, static_cast<int>(name.data() - line.data()),
                    static_cast<int>(name.size()) + 2, std::string(line)};
  });
  return found;
}

// "std::string" of a line that says it; empty where a line has no name of the library that only the host has.
std::string_view host_name(std::string_view line) {
  static constexpr std::string_view kNames[] = {"string",
                                                "vector",
                                                "map",
                                                "multimap",
                                                "set",
                                                "list",
                                                "deque",
                                                "queue",
                                                "stack",
                                                "unordered_map",
                                                "function",
                                                "unique_ptr",
                                                "make_unique",
                                                "shared_ptr",
                                                "make_shared",
                                                "thread",
                                                "mutex",
                                                "cout",
                                                "cerr",
                                                "endl",
                                                "ostream",
                                                "istream",
                                                "ifstream",
                                                "ofstream",
                                                "stringstream",
                                                "ostringstream",
                                                "exception",
                                                "runtime_error",
                                                "invalid_argument",
                                                "out_of_range",
                                                "logic_error",
                                                "unordered_set",
                                                "priority_queue",
                                                "getline"};
  constexpr std::string_view kScope = "std::";
  for (auto at = line.find(kScope); at != std::string_view::npos; at = line.find(kScope, at + 1)) {
    auto end = at + kScope.size();
    while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) ++end;
    if (among(line.substr(at + kScope.size(), end - at - kScope.size()), kNames)) return line.substr(at, end - at);
  }
  return {};
}

bool in_a_header(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::error && !diagnostic.place.source.starts_with("In[");
}

}  // namespace

bool is_host_header(std::string_view name) { return host_header(name) != nullptr; }

void explain_host_headers(std::vector<Diagnostic>& diagnostics, const CompileRequest& request) {
  if (std::none_of(diagnostics.begin(), diagnostics.end(), in_a_header)) return;
  auto answer = first_host_header(request);
  if (!answer) return;
  std::erase_if(diagnostics, in_a_header);
  diagnostics.insert(diagnostics.begin(), std::move(*answer));
}

// What follows the first such error follows from it.
bool explain_host_types(std::vector<Diagnostic>& diagnostics) {
  const auto is_error = [](const Diagnostic& one) { return one.severity == Severity::error; };
  const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_error);
  if (first == diagnostics.end()) return false;
  const auto name = std::string(host_name(first->place.excerpt));
  static constexpr std::string_view kMessages[] = {"has no member", "qualified name is not allowed", "incomplete type",
                                                   "is ambiguous"};
  const bool unknown = std::any_of(std::begin(kMessages), std::end(kMessages), [&](std::string_view message) {
    return first->text.find(message) != std::string::npos;
  });
  if (name.empty() || !unknown) return false;
  first->text = fmt::format(
      "{} is of the host, and what this defines is device code: a cell with main(), or one with %%cuda, is C++ for the "
      "host and has it",
      name);
  diagnostics.erase(std::remove_if(first + 1, diagnostics.end(), is_error), diagnostics.end());
  return true;
}

}  // namespace xcuda::compiler
