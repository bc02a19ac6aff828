// libcudart.so.12 for the CPU device, for programs that were compiled with CUDA 12: the same functions under the names
// and with the types that they had there.
#include "programs/jumps.hpp"

namespace {

enum Row : int {
#include "programs/runtime_rows.def"
#define XCUDA_RUNTIME12_OWN(name) row12_##name,
#define XCUDA_RUNTIME12_SAME(name, as)
#define XCUDA_RUNTIME12_THREAD(name, own) row12_##name,
#include "runtime/functions12.def"
#undef XCUDA_RUNTIME12_OWN
#undef XCUDA_RUNTIME12_SAME
#undef XCUDA_RUNTIME12_THREAD
};

}  // namespace

XCUDA_JUMP_TABLE(xcuda_runtime_functions())

#define XCUDA_RUNTIME12_OWN(name) XCUDA_JUMP(name, row12_##name)
#define XCUDA_RUNTIME12_SAME(name, as) XCUDA_JUMP(name, row_##as)
#define XCUDA_RUNTIME12_THREAD(name, own) XCUDA_JUMP(name, row12_##name)
#include "runtime/functions12.def"

// These rows are CUDA 13's functions: under names that the library does not export.
#define cudaGetSurfaceObjectResourceDesc xcuda13_cudaGetSurfaceObjectResourceDesc
#define cudaGetTextureObjectResourceDesc xcuda13_cudaGetTextureObjectResourceDesc
#define cudaGetTextureObjectResourceViewDesc xcuda13_cudaGetTextureObjectResourceViewDesc
#define cudaGraphAddDependencies xcuda13_cudaGraphAddDependencies
#define cudaGraphAddNode xcuda13_cudaGraphAddNode
#define cudaGraphGetEdges xcuda13_cudaGraphGetEdges
#define cudaGraphNodeGetDependencies xcuda13_cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes xcuda13_cudaGraphNodeGetDependentNodes
#define cudaGraphRemoveDependencies xcuda13_cudaGraphRemoveDependencies
#define cudaLaunchCooperativeKernel xcuda13_cudaLaunchCooperativeKernel
#define cudaLaunchCooperativeKernel_ptsz xcuda13_cudaLaunchCooperativeKernel_ptsz
#define cudaLaunchKernel xcuda13_cudaLaunchKernel
#define cudaLaunchKernel_ptsz xcuda13_cudaLaunchKernel_ptsz
#define cudaLaunchKernelExC xcuda13_cudaLaunchKernelExC
#define cudaLaunchKernelExC_ptsz xcuda13_cudaLaunchKernelExC_ptsz
#define cudaMemAdvise xcuda13_cudaMemAdvise
#define cudaMemPrefetchAsync xcuda13_cudaMemPrefetchAsync
#define cudaMemPrefetchAsync_ptsz xcuda13_cudaMemPrefetchAsync_ptsz
#define cudaMemcpy3DBatchAsync xcuda13_cudaMemcpy3DBatchAsync
#define cudaMemcpy3DBatchAsync_ptsz xcuda13_cudaMemcpy3DBatchAsync_ptsz
#define cudaMemcpyBatchAsync xcuda13_cudaMemcpyBatchAsync
#define cudaMemcpyBatchAsync_ptsz xcuda13_cudaMemcpyBatchAsync_ptsz
#define cudaPointerGetAttributes xcuda13_cudaPointerGetAttributes
#define cudaRuntimeGetVersion xcuda13_cudaRuntimeGetVersion
#define cudaStreamGetCaptureInfo xcuda13_cudaStreamGetCaptureInfo
#define cudaStreamGetCaptureInfo_ptsz xcuda13_cudaStreamGetCaptureInfo_ptsz
#define cudaStreamUpdateCaptureDependencies xcuda13_cudaStreamUpdateCaptureDependencies
#define cudaStreamUpdateCaptureDependencies_ptsz xcuda13_cudaStreamUpdateCaptureDependencies_ptsz
#define XCUDA_RUNTIME_WORKS(name) XCUDA_JUMP(name, row_##name)
#define XCUDA_RUNTIME_PARTLY(name, how) XCUDA_JUMP(name, row_##name)
#define XCUDA_RUNTIME_REFUSED(name, what) XCUDA_JUMP(name, row_##name)
#define XCUDA_RUNTIME_THREAD(name, as) XCUDA_JUMP(name, row_##name)
#include "runtime/functions.def"
