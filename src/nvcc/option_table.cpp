#include "nvcc/option_table.hpp"

namespace xcuda::nvcc {
namespace {

// Meanings are those of `nvcc --help`.
constexpr OptionHelp kTable[] = {
    {"-O0", "The host compiler does not optimise."},
    {"-O2", "The host compiler optimises."},
    {"-O3", "The host compiler optimises; device code is always optimised, unless -G is given."},
    {"-std=c++17", "The C++ dialect."},
    {"-std=c++20", "The C++ dialect."},
    {"-arch=", "The architecture to compile for (sm_90, native, all-major); by default that of the session's device."},
    {"-gencode", "One architecture of several: -gencode arch=compute_80,code=sm_80."},
    {"-I", "Adds a folder of headers: -I include."},
    {"-D", "Defines a macro: -DN=1024."},
    {"-U", "Removes the definition of a macro: -UN."},
    {"-include", "Includes a file before the cell."},
    {"-l", "Links with a library: -lcublas, -lcurand, -lcufft, -lnvToolsExt."},
    {"-L", "Adds a folder of libraries: -L lib."},
    {"-g", "Debugging information for host code."},
    {"-G", "Debugging information for device code, which is then not optimised."},
    {"-lineinfo", "Line numbers in device code, for profilers and compute-sanitizer."},
    {"-use_fast_math", "Fast and less accurate functions in device code."},
    {"-maxrregcount", "The most registers that a thread may use: -maxrregcount=64."},
    {"-rdc=true", "Device code of several files is linked; dynamic parallelism needs it."},
    {"-dlto", "Device code is optimised when it is linked."},
    {"-Xcompiler", "An option of the host compiler: -Xcompiler -fopenmp, -Xcompiler -Wall."},
    {"-Xlinker", "An option of the host linker."},
    {"-Xptxas", "An option of ptxas: -Xptxas -v shows registers and memory of each kernel."},
    {"-ccbin", "The host compiler: -ccbin g++-12."},
    {"-cudart", "How CUDA's runtime is linked: -cudart shared, static, none."},
    {"-w", "No warnings."},
    {"-Werror", "Warnings are errors: -Werror all-warnings."},
    {"-diag-suppress", "Leaves out warnings by their numbers: -diag-suppress 177."},
    {"--extended-lambda", "Lambdas with __device__ in host code."},
    {"--expt-relaxed-constexpr", "Device code may call constexpr functions of the host."},
    {"--default-stream", "What the default stream means: --default-stream per-thread."},
    {"--fmad=false", "No contraction of multiplications and additions."},
};

}  // namespace

std::span<const OptionHelp> option_table() { return kTable; }

}  // namespace xcuda::nvcc
