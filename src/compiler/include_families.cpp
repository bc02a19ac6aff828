#include "compiler/include_families.hpp"

#include <algorithm>
#include <vector>

namespace xcuda::compiler {
namespace {

struct Family {
  std::vector<std::string_view> headers;   // names, or folders with their "/"
  std::vector<std::string_view> prefixes;  // of the names that they declare
};

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {{"cub/", "cuda/", "nv/"}, {"cub", "CUB", "cuda", "CUDA", "CCCL", "_CCCL", "nv", "NV_"}},
      {{"cooperative_groups.h", "cooperative_groups/"}, {"cooperative_groups", "cg", "CG_", "_CG_"}},
      {{"curand_kernel.h", "curand.h", "curand_"}, {"curand", "CURAND", "skipahead"}},
      {{"mma.h"}, {"nvcuda", "wmma"}},
      {{"cute/", "cutlass/"}, {"cute", "CUTE", "cutlass", "CUTLASS"}},
      {{"cublasdx.hpp", "cufftdx.hpp", "curanddx.hpp"}, {"cublasdx", "cufftdx", "curanddx", "commondx", "cute"}},
      // Headers of namespace std that are libcu++'s, or long.
      {{"algorithm", "array", "atomic", "barrier",     "bit",     "chrono",   "complex", "concepts", "functional",
        "iterator",  "latch", "mdspan", "memory",      "numeric", "optional", "random",  "ranges",   "ratio",
        "semaphore", "span",  "tuple",  "type_traits", "utility", "variant",  "expected"},
       {"std", "__cpp_lib"}}};
  return all;
}

bool belongs(std::string_view header, std::string_view entry) {
  return entry.ends_with('/') || entry.ends_with('_') ? header.starts_with(entry) : header == entry;
}

}  // namespace

bool may_be_left_out(std::string_view header, const std::unordered_set<std::string>& names) {
  for (const auto& family : families()) {
    if (std::none_of(family.headers.begin(), family.headers.end(),
                     [&](std::string_view entry) { return belongs(header, entry); }))
      continue;
    return std::none_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::any_of(family.prefixes.begin(), family.prefixes.end(),
                         [&](std::string_view prefix) { return name.starts_with(prefix); });
    });
  }
  return false;
}

}  // namespace xcuda::compiler
