// Every name that completion and inspection know is one that NVRTC knows, with the signature that they show.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "command/runner.hpp"
#include "interpreter/run_cell.hpp"
#include "language/constants.hpp"
#include "programs/session_parts.hpp"
#include "reference/builtins.hpp"
#include "tests/process/cell_script.hpp"

namespace xcuda::test {
namespace {

using reference::Builtin;

// Macros, what the compiler takes without a declaration, and what wants constants: these are called, or not looked at.
const std::set<std::string> kUndeclared = {"__CUDA_ARCH__",
                                           "assert",
                                           "__builtin_assume",
                                           "__builtin_unreachable",
                                           "__builtin_expect",
                                           "__builtin_assume_aligned",
                                           "printf",
                                           "half",
                                           "init",
                                           "signbit",
                                           "isnan",
                                           "isinf",
                                           "isfinite"};
const std::set<std::string> kConstantArguments = {"__builtin_assume_aligned",
                                                  "__prof_trigger",
                                                  "__pipeline_wait_prior",
                                                  "__pipeline_memcpy_async",
                                                  "__CUDA_ARCH__",
                                                  "assert",
                                                  "printf"};

// Overloads of theirs are private.
const std::set<std::string> kPartlyPrivate = {"StripedToBlocked", "BlockedToStriped"};

// One object of each template whose members are known.
const std::map<std::string, std::string> kSamples = {
    {"cooperative_groups::thread_block_tile", "cooperative_groups::thread_block_tile<32>"},
    {"cuda::atomic", "cuda::atomic<int, cuda::thread_scope_device>"},
    {"cuda::atomic_ref", "cuda::atomic_ref<int, cuda::thread_scope_device>"},
    {"cuda::barrier", "cuda::barrier<cuda::thread_scope_block>"},
    {"cuda::pipeline", "cuda::pipeline<cuda::thread_scope_thread>"},
    {"cuda::std::array", "cuda::std::array<int, 4>"},
    {"cuda::std::span", "cuda::std::span<int>"},
    {"cuda::std::complex", "cuda::std::complex<float>"},
    {"cuda::std::pair", "cuda::std::pair<int, float>"},
    {"cuda::std::optional", "cuda::std::optional<int>"},
    {"cub::BlockReduce", "cub::BlockReduce<float, 128>"},
    {"cub::BlockScan", "cub::BlockScan<float, 128>"},
    {"cub::BlockRadixSort", "cub::BlockRadixSort<float, 128, 4>"},
    {"cub::BlockMergeSort", "cub::BlockMergeSort<float, 128, 4>"},
    {"cub::BlockLoad", "cub::BlockLoad<float, 128, 4>"},
    {"cub::BlockStore", "cub::BlockStore<float, 128, 4>"},
    {"cub::BlockExchange", "cub::BlockExchange<float, 128, 4>"},
    {"cub::BlockHistogram", "cub::BlockHistogram<unsigned char, 128, 4, 256>"},
    {"cub::BlockDiscontinuity", "cub::BlockDiscontinuity<int, 128>"},
    {"cub::BlockAdjacentDifference", "cub::BlockAdjacentDifference<int, 128>"},
    {"cub::WarpReduce", "cub::WarpReduce<float>"},
    {"cub::WarpScan", "cub::WarpScan<float>"},
    {"cub::WarpMergeSort", "cub::WarpMergeSort<float, 4>"},
    {"nvcuda::wmma::fragment",
     "nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __half, nvcuda::wmma::row_major>"},
};

std::string replaced_word(const std::string& text, std::string_view word, std::string_view with) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    auto end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const auto found = text.substr(i, end - i);
    out += found == word ? std::string(with) : found;
    i = end;
  }
  return out;
}

// "const T* from, size_t n = 0": the types; nothing where a parameter has none.
std::optional<std::vector<std::string>> parameter_types(const std::string& signature) {
  const auto open = signature.find('(');
  std::vector<std::string> types;
  std::string parameter;
  int depth = 0;
  for (const char c : signature.substr(open + 1, signature.rfind(')') - open - 1) + ",") {
    if (c != ',' || depth > 0) {
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      parameter += c;
      continue;
    }
    std::string_view text = trim(parameter);
    text = trim(text.substr(0, text.find('=')));
    if (text == "...") break;
    if (!text.empty()) {
      const auto name = text.find_last_of(" *&");
      if (name == std::string_view::npos) return std::nullopt;  // "group"
      auto type = std::string(trim(text.substr(0, name + 1)));
      while (type.ends_with('&')) type.pop_back();
      types.push_back(type);
    }
    parameter.clear();
  }
  return types;
}

// A function that calls it with variables of its parameters' types; empty for what only templates can be given.
std::string call_of(const Builtin& builtin, const std::string& signature, int number) {
  const bool standard = builtin.name.starts_with("cuda::std::");
  auto text = replaced_word(signature, "T",
                            builtin.name.starts_with("tex") || builtin.name.starts_with("surf") ? "float4"
                            : standard                                                          ? "float"
                                                                                                : "int");
  for (const std::string_view open :
       {"<N>", "<To>", "group", "fragment", "tuple", "pair", "scope", "barrier_or", "layout_t", "label", " x..."})
    if (text.find(open) != std::string::npos) return "";
  if (signature.find("U ") != std::string::npos || kConstantArguments.contains(builtin.name)) return "";
  const auto types = parameter_types(text);
  if (!types) return "";
  std::string body, arguments;
  for (std::size_t i = 0; i < types->size(); ++i) {
    body += fmt::format("{} a{}{{}}; ", (*types)[i], i);
    arguments += fmt::format("{}a{}", i == 0 ? "" : ", ", i);
  }
  const bool is_template =
      signature.find(fmt::format("{}<T>(", builtin.name.substr(builtin.name.rfind(':') + 1))) != std::string::npos;
  // The answer has the type that is shown; "auto" would take any.
  const auto result = text.substr(0, text.rfind(builtin.name, text.find('(')));
  const auto shown = std::string(trim(result));
  const bool none = shown == "void" || shown.find('&') != std::string::npos;
  return fmt::format("__device__ void call_{}() {{ {}{}{}{}({}); }}\n", number, body,
                     none ? "" : shown + " r = ", builtin.name, is_template ? (standard ? "<float>" : "<float4>") : "",
                     arguments);
}

class Builtins : public ::testing::Test {
 protected:
  void compiles(const std::string& what, const std::string& code) {
    TextSink sink;
    const auto error = interpreter::run_cell(
        session_, {"%%kernel --quiet -arch=sm_90\n" + code, fmt::format("In[{}]", ++number_), {}}, sink);
    EXPECT_FALSE(error.has_value()) << what << "\n"
                                    << (error ? display::plain(display::render_error(*error).bundle) : "");
    TextSink ignored;
    interpreter::run_cell(session_, {"%reset", fmt::format("In[{}]", ++number_), {}}, ignored);
  }

  Machine machine_ = make_machine();
  command::Runner runner_;
  session::Session session_{make_parts(machine_, {}), runner_};
  int number_ = 0;
};

// Headers that are read together, so that the large ones are read once.
std::string family_of(const std::string& header) {
  if (header.empty()) return "";
  if (header.starts_with("<cub/")) return "cub";
  if (header.starts_with("<cuda/") || header.starts_with("<cooperative")) return "cuda";
  return "other";
}

TEST_F(Builtins, AreKnownToTheCompiler) {
  struct Family {
    std::set<std::string> headers;
    std::string code;
  };
  std::map<std::string, Family> families;
  int number = 0;
  for (const auto& builtin : reference::builtins()) {
    if (builtin.where == Builtin::Where::statements || builtin.kind == Builtin::Kind::keyword ||
        builtin.kind == Builtin::Kind::specifier)
      continue;
    auto& family = families[family_of(builtin.header)];
    if (!builtin.header.empty()) family.headers.insert(builtin.header);
    if (builtin.name == "bfloat16" || builtin.name.starts_with("complex<")) continue;
    ++number;
    if (language::known_constant(builtin.name)) {  // a macro
      family.code += fmt::format("__device__ void constant_{}() {{ (void)({}); }}\n", number, builtin.name);
      continue;
    }
    if (!kUndeclared.contains(builtin.name))
      family.code += fmt::format("namespace known_{} {{ using ::{}; }}\n", number, builtin.name);
    if (builtin.kind != Builtin::Kind::function) continue;
    for (const auto& signature : builtin.signatures)
      if (signature.find("bfloat16") == std::string::npos || builtin.header != "<cuda_fp16.h>")
        family.code += call_of(builtin, signature, ++number);
    if (builtin.header == "<cuda_fp16.h>") family.headers.insert("<cuda_bf16.h>");
  }
  EXPECT_GT(number, 700);
  for (const auto& [name, family] : families) {
    std::string code;
    for (const auto& header : family.headers) code += fmt::format("#include {}\n", header);
    compiles(name, code + family.code);
  }
}

TEST_F(Builtins, HaveTheMembersThatAreOffered) {
  std::map<std::string, std::set<std::string>> owners;
  std::string code = "#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n#include <mma.h>\n";
  std::set<std::string> headers;
  int number = 0;
  for (const auto& builtin : reference::builtins()) {
    const auto& members = reference::members_of(builtin.name);
    if (members.empty() || builtin.header.empty()) continue;  // without one it belongs to statements
    headers.insert(builtin.header);
    const auto sample = kSamples.find(builtin.name);
    const auto type = sample == kSamples.end() ? builtin.name : sample->second;
    for (const auto& member : members) {
      if (kPartlyPrivate.contains(member.name)) continue;
      code += fmt::format("namespace member_{} {{ struct Derived : {} {{ using Own = {}; using Own::{}; }}; }}\n",
                          ++number, type, type, member.name);
    }
  }
  EXPECT_GT(number, 100);
  std::string includes;
  for (const auto& header : headers) includes += fmt::format("#include {}\n", header);
  compiles("members", includes + code);
}

TEST_F(Builtins, HeadersCompile) {
  std::map<std::string, std::string> families;
  for (const auto& header : reference::known_headers())
    families[family_of("<" + header)] += fmt::format("#include <{}>\n", header);
  for (const auto& [name, code] : families) compiles("headers", code);
}

}  // namespace
}  // namespace xcuda::test
