#include "arrays/merge_runs.hpp"

#include <fmt/format.h>

#include "xcuda/merge_shape.cuh"

namespace xcuda::arrays {

void merge_runs(Operations& operations, const MergeRequest& request) {
  const auto count = request.last - request.first, size = std::uint64_t{request.type.size};
  if (count == 0) return;
  auto& workspace = operations.workspace();
  const auto to = request.to + request.first * size;
  if (request.begin == request.middle)
    return workspace.copy(to, request.other_run + (request.first - request.middle) * size, count * size);
  if (request.middle == request.end)
    return workspace.copy(to, request.one_run + (request.first - request.begin) * size, count * size);
  const auto tiles = ceil_div(count, kMergeTile);
  const auto element = operation_element(request.type);
  const auto& starts = operations.find({"xcuda/merge.cuh", fmt::format("xcuda::merge_starts<{}>", element)});
  const auto& merge = operations.find({"xcuda/merge.cuh", fmt::format("xcuda::merge_tiles<{}>", element)});
  const Temporary places(workspace, (tiles + 1) * sizeof(std::uint64_t));
  const MergeRange range{request.begin, request.middle, request.end, request.first, request.last};
  operations.launch(starts, {{static_cast<std::uint32_t>(ceil_div(tiles + 1, kMergeBlock))}, {kMergeBlock}},
                    OperationArguments(starts)
                        .add(places.address())
                        .add(request.one_run)
                        .add(request.other_run)
                        .add(range)
                        .add(tiles));
  operations.launch(merge, {{static_cast<std::uint32_t>(tiles)}, {kMergeBlock}},
                    OperationArguments(merge)
                        .add(request.to)
                        .add(request.one_run)
                        .add(request.other_run)
                        .add(places.address())
                        .add(range));
}

}  // namespace xcuda::arrays
