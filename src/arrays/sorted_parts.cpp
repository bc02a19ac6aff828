#include "arrays/sorted_parts.hpp"

#include <fmt/format.h>

#include "xcuda/merge_parts.cuh"
#include "xcuda/sort_shape.cuh"

namespace xcuda::arrays {

std::size_t most_sorted_parts() { return kMostSortedParts; }

void merge_part(Operations& operations, const std::vector<Pointer>& parts, std::size_t own, const Pointer& target) {
  SortedParts all{};
  all.parts = static_cast<unsigned>(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    all.at[i] = parts[i].address;
    all.count[i] = count_of(parts[i].shape);
  }
  const auto blocks = ceil_div(all.count[own], std::uint64_t{kMergeItems} * kSortBlock);
  if (blocks == 0) return;
  const auto& merge =
      operations.find({"xcuda/merge.cuh", fmt::format("xcuda::merge_part<{}>", operation_element(target.type))});
  operations.launch(merge, {{static_cast<std::uint32_t>(blocks)}, {kSortBlock}},
                    OperationArguments(merge).add(target.address).add(all).add(static_cast<unsigned>(own)));
}

}  // namespace xcuda::arrays
