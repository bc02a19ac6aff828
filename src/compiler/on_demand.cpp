#include "compiler/on_demand.hpp"

#include <algorithm>

namespace xcuda::compiler {
namespace {

struct Row {
  std::string_view header;
  std::vector<std::string_view> names;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table{
      {"cstdint",
       {"int8_t",   "int16_t",   "int32_t",    "int64_t",   "uint8_t",    "uint16_t",  "uint32_t",  "uint64_t",
        "intptr_t", "uintptr_t", "INT32_MAX",  "INT32_MIN", "UINT32_MAX", "INT64_MAX", "INT64_MIN", "UINT64_MAX",
        "SIZE_MAX", "UINT8_MAX", "UINT16_MAX", "INT8_MAX",  "INT8_MIN",   "INT16_MAX", "INT16_MIN"}},
      {"climits",
       {"CHAR_BIT", "INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "LONG_MIN", "ULONG_MAX", "LLONG_MAX", "LLONG_MIN",
        "ULLONG_MAX", "SHRT_MAX", "SHRT_MIN", "USHRT_MAX", "SCHAR_MAX", "SCHAR_MIN", "UCHAR_MAX"}},
      {"cfloat", {"FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX", "DBL_MIN", "DBL_EPSILON"}},
      {"cmath",
       {"INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF", "M_E", "M_LOG2E", "M_LOG10E", "M_LN2", "M_LN10", "M_PI", "M_PI_2",
        "M_PI_4", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2"}},
      {"cstring", {"strlen", "strcmp", "strncmp", "strcpy", "memcmp", "memmove"}},
      {"cstdio", {"EOF"}},
      {"cctype",
       {"isalnum", "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace",
        "isupper", "isxdigit", "tolower", "toupper"}},
      {"cstddef", {"offsetof"}},
      {"sys/types.h", {"uint", "ushort"}},
      {"ctime", {"CLOCKS_PER_SEC"}},
      {"chrono", {"chrono"}},
      {"compare", {kSpaceship}},
      {"tuple", {"tie"}},
      {"bits/builtins.h",
       {"__builtin_popcount", "__builtin_popcountl", "__builtin_popcountll", "__builtin_parity", "__builtin_parityl",
        "__builtin_parityll", "__builtin_clz", "__builtin_clzl", "__builtin_clzll", "__builtin_ctz", "__builtin_ctzl",
        "__builtin_ctzll", "__builtin_ffs", "__builtin_ffsl", "__builtin_ffsll", "__builtin_clrsb", "__builtin_bswap16",
        "__builtin_bswap32", "__builtin_bswap64"}},
      {"cuda_fp16.h", {"half", "half2", "__half", "__half2"}},
      {"cuda_bf16.h", {"__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16", "nv_bfloat162"}},
  };
  return table;
}

}  // namespace

std::vector<std::string_view> headers_on_demand(const std::unordered_set<std::string>& used) {
  std::vector<std::string_view> headers;
  for (const auto& row : rows())
    if (std::any_of(row.names.begin(), row.names.end(),
                    [&](std::string_view name) { return used.contains(std::string(name)); }))
      headers.push_back(row.header);
  return headers;
}

bool wants_wide_integers(const std::unordered_set<std::string>& used) {
  return used.contains("__int128") || used.contains("__int128_t") || used.contains("__uint128_t");
}

bool wants_runtime_declarations(const std::unordered_set<std::string>& used) {
  return std::any_of(used.begin(), used.end(), [](std::string_view name) {
    return name.starts_with("cuda") || name.starts_with("tex") || name.starts_with("surf") ||
           name.starts_with("Texture") || name.starts_with("CU");
  });
}

}  // namespace xcuda::compiler
