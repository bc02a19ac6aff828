#include "compiler/removed_names.hpp"

#include <algorithm>
#include <iterator>

namespace xcuda::compiler {
namespace {

struct RemovedName {
  std::string_view name, successor;
};

constexpr RemovedName kRemovedNames[] = {
    {"__shfl", "__shfl_sync(0xffffffff, value, lane)"},
    {"__shfl_up", "__shfl_up_sync(0xffffffff, value, delta)"},
    {"__shfl_down", "__shfl_down_sync(0xffffffff, value, delta)"},
    {"__shfl_xor", "__shfl_xor_sync(0xffffffff, value, mask)"},
    {"__any", "__any_sync(0xffffffff, condition)"},
    {"__all", "__all_sync(0xffffffff, condition)"},
    {"__ballot", "__ballot_sync(0xffffffff, condition)"},
    {"cudaDeviceSynchronize", "a second launch by the host, because a kernel cannot wait for kernels that it launches"},
};

}  // namespace

std::string_view successor_of(std::string_view name) {
  const auto* found = std::find_if(std::begin(kRemovedNames), std::end(kRemovedNames),
                                   [&](const RemovedName& one) { return one.name == name; });
  return found == std::end(kRemovedNames) ? std::string_view() : found->successor;
}

}  // namespace xcuda::compiler
