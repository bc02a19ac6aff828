// Headers that NVRTC compiles.
#include "command/builtin_tables.hpp"

namespace xcuda::command {

std::string_view header_list() {
  return "algorithm array assert.h bit cassert cfloat climits cmath concepts cooperative_groups.h "
         "cooperative_groups/memcpy_async.h cooperative_groups/reduce.h cooperative_groups/scan.h cstddef cstdint "
         "cstdio "
         "cstdlib cstring cub/block/block_adjacent_difference.cuh cub/block/block_discontinuity.cuh "
         "cub/block/block_exchange.cuh cub/block/block_histogram.cuh cub/block/block_load.cuh "
         "cub/block/block_merge_sort.cuh cub/block/block_radix_rank.cuh cub/block/block_radix_sort.cuh "
         "cub/block/block_reduce.cuh cub/block/block_run_length_decode.cuh cub/block/block_scan.cuh "
         "cub/block/block_shuffle.cuh cub/block/block_store.cuh cub/warp/warp_exchange.cuh cub/warp/warp_load.cuh "
         "cub/warp/warp_merge_sort.cuh cub/warp/warp_reduce.cuh cub/warp/warp_scan.cuh cub/warp/warp_store.cuh cuda.h "
         "cuda/annotated_ptr cuda/atomic cuda/barrier cuda/functional cuda/latch cuda/pipeline cuda/ptx cuda/semaphore "
         "cuda/std/array cuda/std/atomic cuda/std/barrier cuda/std/bit cuda/std/bitset cuda/std/cassert "
         "cuda/std/cfloat "
         "cuda/std/chrono cuda/std/climits cuda/std/cmath cuda/std/complex cuda/std/concepts cuda/std/cstddef "
         "cuda/std/cstdint cuda/std/cstring cuda/std/functional cuda/std/initializer_list cuda/std/iterator "
         "cuda/std/latch cuda/std/limits cuda/std/mdspan cuda/std/memory cuda/std/numeric cuda/std/optional "
         "cuda/std/ratio cuda/std/semaphore cuda/std/span cuda/std/tuple cuda/std/type_traits cuda/std/utility "
         "cuda/std/variant cuda_bf16.h cuda_fp16.h cuda_fp8.h cuda_pipeline.h cuda_runtime.h curand_kernel.h float.h "
         "limits limits.h math.h math_constants.h mma.h numeric stddef.h stdint.h stdio.h stdlib.h string.h tuple "
         "type_traits utility vector_types.h";
}

}  // namespace xcuda::command
