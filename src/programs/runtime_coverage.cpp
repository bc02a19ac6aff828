#include "programs/runtime_coverage.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace xcuda {
namespace {

struct Row {
  std::string_view name, state, note;
};
constexpr Row kRows[] = {
#define XCUDA_RUNTIME_WORKS(name) {#name, "works", ""},
#define XCUDA_RUNTIME_PARTLY(name, how) {#name, "partly", how},
#define XCUDA_RUNTIME_REFUSED(name, what) {#name, "cudaErrorNotSupported", what},
#define XCUDA_RUNTIME_SAME(name, as) {#name, "as " #as, ""},
#include "runtime/functions.def"
#undef XCUDA_RUNTIME_WORKS
#undef XCUDA_RUNTIME_PARTLY
#undef XCUDA_RUNTIME_REFUSED
#undef XCUDA_RUNTIME_SAME
};

}  // namespace

int print_runtime_coverage() {
  int works = 0, partly = 0, refused = 0;
  for (const Row& row : kRows) {
    works += row.state == "works" ? 1 : 0;
    partly += row.state == "partly" ? 1 : 0;
    refused += row.state == "cudaErrorNotSupported" ? 1 : 0;
    fmt::print("{:<46} {}{}{}\n", row.name, row.state, row.note.empty() ? "" : ": ", row.note);
  }
  fmt::print("{} functions: {} work, {} partly, {} return cudaErrorNotSupported; {} more names of these\n",
             works + partly + refused, works, partly, refused,
             static_cast<int>(std::size(kRows)) - works - partly - refused);
  return 0;
}

}  // namespace xcuda
