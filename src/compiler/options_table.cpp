// The table; parsing is in options.cpp. Names and meanings are those of NVRTC's manual, chapter "Supported Compile
// Options", and of `nvcc --help`.
#include <array>

#include "compiler/options.hpp"

namespace xcuda::compiler {
namespace {

using enum OptionValue;
using enum OptionUse;

constexpr OptionSpec kOptionTable[] = {
    // Language and target.
    {"--std", "-std", word, pass, "", "c++03 c++11 c++14 c++17 c++20", "The C++ dialect; c++20 unless given."},
    {"--gpu-architecture", "-arch", text, ours, "",
     "native sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_90a sm_100 sm_103 sm_120 compute_80 compute_90",
     "The architecture to compile for; the current device's unless given."},
    {"--define-macro", "-D", text, ours, "", "", "Defines a macro: -DN=32, -D N=32."},
    {"--undefine-macro", "-U", text, ours, "", "", "Removes a macro's definition."},
    {"--include-path", "-I", folder, ours, "", "", "Adds a folder to search for included files."},
    {"--pre-include", "-include", file, ours, "", "", "Includes a file before the cell."},
    {"--device-as-default-execution-space", "-default-device", none, ignored, "", "",
     "Functions without annotation are device code; always on."},
    {"--device-int128", "-device-int128", none, pass, "", "", "Allows __int128 in device code."},
    {"--device-float128", "-device-float128", none, pass, "", "",
     "Allows __float128 in device code (sm_100 and newer)."},
    {"--restrict", "-restrict", none, pass, "", "", "Treats all pointer parameters of kernels as restrict pointers."},
    {"--extended-lambda", "-extended-lambda", none, ignored, "", "",
     "Nothing to turn on: a lambda in a cell is device code."},
    {"--expt-extended-lambda", "-expt-extended-lambda", none, ignored, "", "",
     "Nothing to turn on: a lambda in a cell is device code."},
    {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr", none, ignored, "", "",
     "Nothing to turn on: constexpr functions are device code."},
    {"--builtin-move-forward", "-builtin-move-forward", boolean, pass, "", "",
     "std::move and std::forward are built in (true)."},
    {"--builtin-initializer-list", "-builtin-initializer-list", boolean, pass, "", "",
     "std::initializer_list is built in (true)."},
    {"--minimal", "-minimal", none, pass, "", "",
     "Leaves out NVRTC's own declarations where possible; compiles faster."},

    // Arithmetic.
    {"--fmad", "-fmad", boolean, pass, "", "", "Contracts a * b + c into one fused operation (true)."},
    {"--use_fast_math", "-use_fast_math", none, pass, "", "",
     "Fast approximate math: --ftz=true --prec-div=false --prec-sqrt=false --fmad=true."},
    {"--ftz", "-ftz", boolean, pass, "", "", "Flushes denormal float values to zero (false)."},
    {"--prec-div", "-prec-div", boolean, pass, "", "", "Rounds float division correctly (true)."},
    {"--prec-sqrt", "-prec-sqrt", boolean, pass, "", "", "Rounds float square roots correctly (true)."},
    {"--extra-device-vectorization", "-extra-device-vectorization", none, pass, "", "",
     "Vectorises more aggressively."},

    // Debugging and profiling.
    {"--device-debug", "-G", none, pass, "", "", "Debug information, and no optimisation of device code."},
    {"--generate-line-info", "-lineinfo", none, pass, "", "", "Line numbers for profilers and disassembly."},
    {"--dopt", "-dopt", word, pass, "", "on", "With -G: optimises anyway."},
    {"--no-source-include", "-no-source-include", none, pass, "", "",
     "Does not search the source's folder for included files."},

    // Code generation.
    {"--maxrregcount", "-maxrregcount", number, pass, "", "", "The most registers a kernel may use per thread."},
    {"--ptxas-options", "-Xptxas", text, pass, "", "",
     "Options of the assembler: -Xptxas -v shows registers and memory."},
    {"--modify-stack-limit", "-modify-stack-limit", boolean, pass, "", "",
     "Lets the compiler raise its own stack limit (true)."},
    {"--split-compile", "-split-compile", number, pass, "", "", "Threads for the optimiser; 0 uses all."},
    {"--Ofast-compile", "-Ofc", word, pass, "", "0 min mid max", "Trades speed of the code for speed of the compile."},
    {"--jump-table-density", "-jtd", number, pass, "", "",
     "Percentage of cases from which a switch becomes a jump table."},
    {"--device-stack-protector", "-device-stack-protector", boolean, pass, "", "", "Stack canaries in device code."},
    {"--frandom-seed", "-frandom-seed", text, pass, "", "", "The seed of generated names."},
    {"--no-cache", "-no-cache", none, pass, "", "", "Compiles again instead of using NVRTC's cache."},

    // Precompiled headers.
    {"--pch", "-pch", none, ours, "", "",
     "Keeps the compiled includes at the top for later cells (NVRTC 12.8 and newer)."},
    {"--instantiate-templates-in-pch", "-instantiate-templates-in-pch", boolean, pass, "", "",
     "Instantiates templates in the precompiled header (true)."},
    {"--create-pch", "-create-pch", file, refused, "", "", "The session manages precompiled headers; use --pch."},
    {"--use-pch", "-use-pch", file, refused, "", "", "The session manages precompiled headers; use --pch."},
    {"--pch-dir", "-pch-dir", folder, refused, "", "", "The session manages precompiled headers; use --pch."},

    // Diagnostics.
    {"--disable-warnings", "-w", none, pass, "", "", "No warnings."},
    {"--diag-suppress", "-diag-suppress", text, pass, "", "",
     "Suppresses warnings by number: --diag-suppress=177,550."},
    {"--diag-warn", "-diag-warn", text, pass, "", "", "Makes these messages warnings."},
    {"--diag-error", "-diag-error", text, pass, "", "", "Makes these messages errors."},
    {"--Werror", "-Werror", text, refused, "", "", "Use the numbers of the warnings: --diag-error=177."},
    {"--display-error-number", "-err-no", none, ignored, "", "", "Numbers are always shown."},
    {"--no-display-error-number", "-no-err-no", none, ignored, "", "", "Numbers are always shown."},
    {"--optimization-info", "-opt-info", word, pass, "", "inline", "Reports what was inlined."},
    {"--brief-diagnostics", "-brief-diag", boolean, ignored, "", "", "xcuda formats the messages."},
    {"--resource-usage", "-res-usage", none, translate, "--ptxas-options=-v", "",
     "Shows registers and memory of each kernel."},

    // nvcc's, accepted because nothing is left to do.
    {"--optimize", "-O", number, ignored, "", "", "Device code is always optimised; -G turns that off."},
    {"--debug", "-g", none, ignored, "", "", "There is no host code; use -G or -lineinfo for device code."},
    {"--compile", "-c", none, ignored, "", "", "A cell is always only compiled."},
    {"--x", "-x", text, ignored, "", "", "A cell is CUDA C++."},
    {"--machine", "-m", text, ignored, "", "", "Addresses have 64 bits."},
    {"--m64", "-m64", none, ignored, "", "", "Addresses have 64 bits."},
    {"--compiler-bindir", "-ccbin", text, ignored, "", "", "No host compiler is used."},
    {"--compiler-options", "-Xcompiler", text, ignored, "", "", "No host compiler is used."},
    {"--linker-options", "-Xlinker", text, ignored, "", "", "Nothing is linked."},
    {"--library", "-l", text, ignored, "", "", "Nothing is linked."},
    {"--library-path", "-L", text, ignored, "", "", "Nothing is linked."},
    {"--cudart", "-cudart", text, ignored, "", "", "Nothing is linked."},
    {"--default-stream", "-default-stream", text, ignored, "", "", "A launch names its stream."},
    {"--threads", "-t", number, ignored, "", "", "A cell is one translation unit."},
    {"--Wall", "-Wall", none, ignored, "", "", "Warnings of device code are on."},
    {"--Wextra", "-Wextra", none, ignored, "", "", "Warnings of device code are on."},
    {"--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", none, ignored, "", "",
     "A cell is compiled for one target."},
    {"--keep", "-keep", none, ignored, "", "", "%ptx shows what was compiled."},
    {"--ptx", "-ptx", none, ignored, "", "", "%ptx shows what was compiled."},
    {"--source-in-ptx", "-src-in-ptx", none, translate, "--generate-line-info", "", "Line numbers in the PTX."},

    // What cannot be.
    {"--gpu-code", "-code", text, refused, "", "", "A cell is compiled for one architecture: use -arch."},
    {"--generate-code", "-gencode", text, refused, "", "", "A cell is compiled for one architecture: use -arch."},
    {"--relocatable-device-code", "-rdc", boolean, refused, "", "",
     "A cell sees functions of earlier cells and launches their kernels without it."},
    {"--device-c", "-dc", none, refused, "", "",
     "Modules are not linked; a cell sees functions of earlier cells anyway."},
    {"--dlink-time-opt", "-dlto", none, refused, "", "", "Modules are not linked."},
    {"--gen-opt-lto", "-gen-opt-lto", none, refused, "", "", "Modules are not linked."},
    {"--output-file", "-o", file, refused, "", "", "A cell becomes a module of the session; %ptx shows its code."},
    {"--run", "-run", none, refused, "", "", "Run a kernel with kernel<<<grid, block>>>(...)."},
    {"--cubin", "-cubin", none, refused, "", "", "A known GPU gets a CUBIN anyway; show it with %sass."},
};

}  // namespace

std::span<const OptionSpec> option_table() { return kOptionTable; }

}  // namespace xcuda::compiler
