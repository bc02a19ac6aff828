// The names of NVIDIA's libraries and of the Driver API. A cell with %%cuda runs such code as it is; these rows name
// what statements have instead.
#include "language/habits.hpp"

namespace xcuda::language {
namespace {

using Of = Habit::Kind;

constexpr Habit kLibraryHabits[] = {
    {Of::name, "CUDA",
     "cublasSgemm cublasDgemm cublasHgemm cublasCgemm cublasZgemm cublasGemmEx cublasSgemmStridedBatched "
     "cublasDgemmStridedBatched cublasGemmStridedBatchedEx cublasSgemmBatched cublasDgemmBatched cublasSgemv "
     "cublasDgemv cublasLtMatmul",
     "matmul(a, b)", "cublasSgemm(x);",
     "auto a = reshape(x, 2, 3), b = reshape(x, 3, 2);\nassert(matmul(a, b)[0][0] == 21);"},
    {Of::name, "CUDA", "cublasSdot cublasDdot cublasDotEx", "dot(x, y)", "cublasSdot(x);", "assert(dot(x, y) == 21);"},
    {Of::name, "CUDA", "cublasSaxpy cublasDaxpy cublasAxpyEx", "y = a * x + y;", "cublasSaxpy(x);",
     "float a = 2;\ny = a * x + y;\nassert(y[0] == 7);"},
    {Of::name, "CUDA", "cublasSscal cublasDscal cublasScalEx", "x *= a;", "cublasSscal(x);",
     "float a = 2;\nx *= a;\nassert(x[0] == 6);"},
    {Of::name, "CUDA", "cublasSnrm2 cublasDnrm2 cublasNrm2Ex", "norm(x)", "cublasSnrm2(x);", "assert(norm(y) > 2.4);"},
    {Of::name, "CUDA", "cublasSasum cublasDasum", "sum(abs(x))", "cublasSasum(x);", "assert(sum(abs(x)) == 21);"},
    {Of::name, "CUDA", "cublasIsamax cublasIdamax", "argmax(abs(x)), which counts from 0", "cublasIsamax(x);",
     "assert(argmax(abs(x)) == 3);"},
    {Of::name, "CUDA", "cublasScopy cublasDcopy cublasSetVector cublasGetVector cublasSetMatrix cublasGetMatrix",
     "y = x;", "cublasScopy(x);", "y = x;\nassert(y == x);"},
    {Of::name, "CUDA", "cublasSgeam cublasDgeam", "a * x + b * y, or transpose(x)", "cublasSgeam(x);",
     "float a = 2, b = 1;\nassert((a * x + b * y)[0] == 7);\nassert(transpose(reshape(x, 2, 3))[0][1] == 6);"},
    {Of::name, "CUDA", "cufftExecC2C cufftExecZ2Z", "fft(x) and ifft(x), fft2(x) of planes", "cufftExecC2C(x);",
     "assert(allclose(real(ifft(fft(x))), x, atol = 1e-5));\nassert(fft2(reshape(x, 2, 3)).size == 6);"},
    {Of::name, "CUDA", "cufftExecR2C cufftExecD2Z", "rfft(x), rfft2(x) of planes", "cufftExecR2C(x);",
     "assert(rfft(x).size == 4);\nassert(rfft2(reshape(x, 2, 3)).ndim == 2);"},
    {Of::name, "CUDA", "cufftExecC2R cufftExecZ2D", "irfft(x), irfft2(x) of planes", "cufftExecC2R(x);",
     "assert(allclose(irfft(rfft(x)), x, atol = 1e-5));\nassert(irfft2(rfft2(reshape(x, 3, 2))).size == 6);"},
    {Of::name, "CUDA", "curandGenerateUniform curandGenerateUniformDouble curandGenerate",
     "float x[n] = uniform(seed = 1);", "curandGenerateUniform(x);",
     "float u[n] = uniform(seed = 1);\nassert(all(u < 1));"},
    {Of::name, "CUDA", "curandGenerateNormal curandGenerateNormalDouble", "float x[n] = normal(0, 1, seed = 1);",
     "curandGenerateNormal(x);", "float u[n] = normal(0, 1, seed = 1);\nassert(any(u != 0));"},
    {Of::name, "CUDA", "curandGenerateLogNormal curandGenerateLogNormalDouble",
     "float x[n] = lognormal(0, 1, seed = 1);", "curandGenerateLogNormal(x);",
     "float u[n] = lognormal(0, 1, seed = 1);\nassert(all(u > 0));"},
    {Of::name, "CUDA", "curandGeneratePoisson", "int x[n] = poisson(3, seed = 1);", "curandGeneratePoisson(x);",
     "int u[n] = poisson(3, seed = 1);\nassert(all(u >= 0));"},
    {Of::name, "CUDA",
     "cusolverDnSgetrf cusolverDnDgetrf cusolverDnSgetrs cusolverDnDgetrs cublasSgetrfBatched cublasDgetrfBatched "
     "cublasSgetriBatched cublasDgetriBatched",
     "solve(a, b), lu(a), inv(a) or det(a)", "cusolverDnSgetrf(x);",
     "auto a = reshape(x[:4], 2, 2), b = x[:2];\nassert(solve(a, b).size == 2);\nassert(lu(a).ndim == 2 && inv(a).ndim "
     "== 2);\nassert(abs(det(a) - 16) < 1e-4);"},
    {Of::name, "CUDA", "cusolverDnSpotrf cusolverDnDpotrf", "cholesky(a)", "cusolverDnSpotrf(x);",
     "auto a = eye<float>(2) * 4;\nassert(cholesky(a)[0][0] == 2);"},
    {Of::name, "CUDA", "cusolverDnSgeqrf cusolverDnDgeqrf", "auto [q, r] = qr(a);", "cusolverDnSgeqrf(x);",
     "auto a = reshape(x, 3, 2);\nauto [q, r] = qr(a);\nassert(allclose(matmul(q, r), a, atol = 1e-4));"},
    {Of::name, "CUDA", "cusolverDnSgesvd cusolverDnDgesvd cusolverDnSgesvdj cusolverDnDgesvdj",
     "auto [u, s, vt] = svd(a);", "cusolverDnSgesvd(x);",
     "auto a = reshape(x, 3, 2);\nauto [u, s, vt] = svd(a);\nassert(s.size == 2);"},
    {Of::name, "CUDA", "cusolverDnSsyevd cusolverDnDsyevd cusolverDnSsyevj cusolverDnDsyevj", "auto [w, v] = eigh(a);",
     "cusolverDnSsyevd(x);", "auto a = eye<float>(2) * 4;\nauto [w, v] = eigh(a);\nassert(w[0] == 4);"},
    {Of::name, "CUDA", "cusparseSpMV cusparseSpMM cusparseCreateCsr cusparseCreateCoo", "matmul(csr(a), x)",
     "cusparseSpMV(x);", "auto a = eye<float>(6);\nassert(allclose(matmul(csr(a), x), x));"},
    {Of::name, "CUDA",
     "cublasCreate cublasDestroy cublasSetStream cublasSetPointerMode cublasSetMathMode cublasHandle_t cublasStatus_t "
     "cufftPlan1d cufftPlan2d cufftPlan3d cufftPlanMany cufftSetStream cufftDestroy cufftHandle curandCreateGenerator "
     "curandDestroyGenerator curandSetPseudoRandomGeneratorSeed curandSetStream curandGenerator_t cusolverDnCreate "
     "cusolverDnDestroy cusolverDnHandle_t cusparseCreate cusparseDestroy cusparseHandle_t",
     "leave it out: matmul(a, b), fft(x), solve(a, b) and uniform() keep what a library needs", "cublasCreate(x);",
     "auto a = reshape(x[:4], 2, 2), b = x[:2];\nassert(matmul(a, b).size == 2 && fft(x).size == 6 && solve(a, b).size "
     "== 2);\nfloat u[n] = uniform();"},
    {Of::name, "CUDA", "cuLaunchKernel cuLaunchKernelEx cuLaunchCooperativeKernel",
     "kernel<<<grid, block>>>(arguments)", "cuLaunchKernel(x);", "twice<<<1, 32>>>(x, n);\nassert(x[0] == 6);"},
    {Of::name, "CUDA", "cuMemAlloc cuMemAlloc_v2 cuMemAllocManaged cuMemAllocHost cuMemAllocPitch CUdeviceptr",
     "declare an array, float x[n], or use cudaMalloc(&p, bytes)", "cuMemAlloc(x);",
     "float z[n];\nfloat* p;\ncudaMalloc(&p, 24);\ncudaFree(p);"},
    {Of::name, "CUDA", "cuMemFree cuMemFree_v2 cuMemFreeHost",
     "%free x frees an array, cudaFree(p) what cudaMalloc gave", "cuMemFree(x);",
     "float* p;\ncudaMalloc(&p, 24);\ncudaFree(p);\n%free x"},
    {Of::name, "CUDA",
     "cuMemcpyHtoD cuMemcpyHtoD_v2 cuMemcpyDtoH cuMemcpyDtoH_v2 cuMemcpyDtoD cuMemcpy cuMemcpyHtoDAsync "
     "cuMemcpyDtoHAsync",
     "arrays are read and written in place, x[i] = 2; y = x; copies one, cudaMemcpy(to, from, bytes, kind) copies "
     "bytes",
     "cuMemcpyHtoD(x);", "x[1] = 2;\ny = x;\ncudaMemcpy(y, x, 24, cudaMemcpyDeviceToDevice);\nassert(y[1] == 2);"},
    {Of::name, "CUDA", "cuMemsetD8 cuMemsetD16 cuMemsetD32", "x = 3; sets all elements", "cuMemsetD8(x);",
     "x = 3;\nassert(x == 3);"},
    {Of::name, "CUDA",
     "cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleGetFunction cuLibraryLoadFromFile cuLibraryGetKernel "
     "CUmodule CUfunction",
     "%load_module file.ptx name brings the kernels of a module; those of cells are called by their names",
     "cuModuleLoad(x);", "%ptx twice\n===\ntwice<<<1, 32>>>(x, n);"},
    {Of::name, "CUDA",
     "cuInit cuDeviceGet cuDeviceGetCount cuDevicePrimaryCtxRetain cuCtxCreate cuCtxCreate_v2 cuCtxDestroy "
     "cuCtxSetCurrent cuCtxPushCurrent cuCtxPopCurrent CUdevice CUcontext",
     "leave it out: the session has a device; %device shows it", "cuInit(x);", "%device"},
    {Of::name, "CUDA", "cuCtxSynchronize cuStreamSynchronize", "cudaDeviceSynchronize();", "cuCtxSynchronize(x);",
     "cudaDeviceSynchronize();"},
    {Of::name, "CUDA", "cuStreamCreate cuStreamDestroy CUstream", "cudaStream_t s;", "cuStreamCreate(x);",
     "cudaStream_t s;\ntwice<<<1, 32, 0, s>>>(x, n);"},
    {Of::name, "CUDA", "nvrtcCreateProgram nvrtcCompileProgram nvrtcGetPTX nvrtcGetCUBIN nvrtcProgram",
     "leave it out: the device code of a cell is compiled when it runs; %ptx kernel shows its PTX",
     "nvrtcCompileProgram(x);", "%ptx twice"},
};

}  // namespace

std::span<const Habit> habits_of_libraries() { return kLibraryHabits; }

}  // namespace xcuda::language
