#include "command/table.hpp"

#include "command/families.hpp"

namespace xcuda::command {
namespace {

constexpr std::string_view kScaleSetup =
    "__global__ void scale(float* x, float a, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] *= a;\n"
    "}\n"
    "const int n = 1024;\n"
    "float x[n] = 1.0f;\n";

std::vector<Command> make_table() {
  std::vector<Command> rows;

  rows.push_back({
      .name = "kernel",
      .shape = Shape::cell,
      .operand = Operand::device_code,
      .usage = "%%kernel [NVRTC options]",
      .summary = "Compile the whole cell as device code and report on it",
      .details =
          "The cell is CUDA C++ for the device: kernels, functions, types, constants, includes. NVRTC compiles it, and "
          "what it defines is visible in every later cell. Running the cell again replaces what it defined.\n\n"
          "NVRTC's options are given as to nvcc: -std=c++20, --fmad=false, -use_fast_math, -lineinfo, -G, "
          "-maxrregcount=N, -I dir, -D name=value, -arch=sm_XX, --pch.",
      .options = {{.name = "--quiet", .help = "show diagnostics only, no report"}},
      .compiler_options = true,
      .example =
          "%%kernel --fmad=false\n"
          "__global__ void saxpy(float a, const float* x, const float* y, float* out, size_t n) {\n"
          "  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;\n"
          "  if (i < n) out[i] = a * x[i] + y[i];\n"
          "}\n",
      .run = run_kernel,
  });

  rows.push_back({
      .name = "alloc",
      .shape = Shape::line_or_cell,
      .operand = Operand::statements,
      .usage = "%alloc float x[n] = uniform(0, 1);",
      .summary = "Declare arrays and scalars and show a table of them",
      .details =
          "Declarations are C++: an element type, a name, extents in brackets, an initial value. Initial values are a "
          "constant, a nested list, arange(start, step), linspace(start, stop), uniform(lo, hi, seed), "
          "normal(mean, std, seed), like(x), load(\"file.npy\"). Without one an array is zero.",
      .options = {{.name = "--quiet", .help = "show no table"}},
      .example =
          "%%alloc\n"
          "const size_t n = 1 << 16;\n"
          "float x[n] = uniform(0, 1, seed = 1), y[n] = normal(), out[n];\n"
          "int grid[4][4] = arange();\n",
      .run = run_alloc,
  });

  rows.push_back({
      .name = "launch",
      .shape = Shape::line_or_cell,
      .operand = Operand::statements,
      .usage = "%launch kernel<<<grid, block>>>(arguments);",
      .summary = "Run statements; every launch is timed and reported",
      .details =
          "With --repeat and --warmup the kernel runs on the real arrays, and what it wrote is restored, so that the "
          "cell's effect is one launch; --no-restore turns that off.\n\n"
          "With --graph nothing runs before the end of the cell: its launches, fills and copies become one graph, which "
          "is launched once, or N times with --repeat. A statement that needs a value meanwhile is an error, and with "
          "--repeat names have to stand for the same arrays after the cell as before it. Another stream joins with "
          "record(e); wait(s, e); and is joined back with record(f, s); wait(f);",
      .options =
          {
              {.name = "--repeat", .type = OptionType::integer, .value = "N", .help = "time N launches and report median, minimum and spread", .minimum = 1},
              {.name = "--warmup", .type = OptionType::integer, .value = "N", .help = "run N launches before the timed ones"},
              {.name = "--no-restore", .help = "let every repeated launch keep what it writes"},
              {.name = "--quiet", .help = "show no report"},
              {.name = "--timeout", .type = OptionType::duration, .value = "TIME", .help = "end launches that take longer, for example 500ms"},
              {.name = "--unchecked", .help = "switch the bounds checks of the CPU device off"},
              {.name = "--shared", .type = OptionType::bytes, .value = "BYTES", .help = "dynamic shared memory of launches that name none"},
              {.name = "--stream", .type = OptionType::text, .value = "NAME", .help = "stream of launches that name none; made when it is new"},
              {.name = "--cooperative", .help = "launch cooperatively: grid.sync() may be used"},
              {.name = "--cluster", .type = OptionType::text, .value = "X,Y,Z", .help = "blocks of a cluster (compute capability 9.0)"},
              {.name = "--graph", .help = "capture the cell as a CUDA graph and launch that once; the time is the graph's"},
          },
      .setup = kScaleSetup,
      .example =
          "%%launch --repeat 5 --warmup 1\n"
          "scale<<<4, 256>>>(x, 2.0f, n);\n",
      .run = run_launch,
  });

  rows.push_back({
      .name = "arrays",
      .operand = Operand::none,
      .usage = "%arrays",
      .summary = "List the arrays with type, shape, size and device",
      .setup = kScaleSetup,
      .example = "%arrays\n",
      .run = run_arrays,
  });

  rows.push_back({
      .name = "free",
      .operand = Operand::arrays,
      .usage = "%free x y ...",
      .summary = "Give the memory of arrays back and forget their names",
      .options = {{.name = "--all", .help = "free every array"}},
      .setup = kScaleSetup,
      .example = "%free x\n",
      .run = run_free,
  });

  rows.push_back({
      .name = "copy",
      .operand = Operand::copy,
      .usage = "%copy from to",
      .summary = "Copy an array; the second one is made when it does not exist",
      .details = "An existing array must have the same shape and element type. In a statement, auto b = a; does the same.",
      .setup = kScaleSetup,
      .example = "%copy x backup\n",
      .run = run_copy,
  });

  rows.push_back({
      .name = "save",
      .operand = Operand::array_and_path,
      .usage = "%save x file.npy",
      .summary = "Write an array to a NumPy file",
      .details = "The file replaces an older one only when it is complete. load(\"file.npy\") in a declaration reads it.",
      .setup = kScaleSetup,
      .example = "%save x scaled.npy\n",
      .run = run_save,
  });

  rows.push_back({
      .name = "info",
      .operand = Operand::kernel,
      .usage = "%info kernel",
      .summary = "Show a kernel's signature, registers, memory and occupancy",
      .options = {{.name = "--block", .type = OptionType::integer, .value = "THREADS", .help = "threads per block for the occupancy", .minimum = 1},
                  {.name = "--shared", .type = OptionType::bytes, .value = "BYTES", .help = "dynamic shared memory for the occupancy"}},
      .setup = kScaleSetup,
      .example = "%info scale\n",
      .run = run_info,
  });

  rows.push_back({
      .name = "ptx",
      .operand = Operand::kernel,
      .usage = "%ptx [kernel]",
      .summary = "Show the PTX of a kernel, or of the last compiled cell",
      .setup = kScaleSetup,
      .example = "%ptx scale\n",
      .run = run_ptx,
  });

  rows.push_back({
      .name = "sass",
      .operand = Operand::kernel,
      .usage = "%sass kernel",
      .summary = "Show a kernel's machine code as a disassembler prints it",
      .details = "Needs cuobjdump or nvdisasm of a CUDA toolkit, and code compiled for a GPU.",
      .setup = kScaleSetup,
      .example = "",  // depends on the machine: there may be no disassembler and no GPU
      .run = run_sass,
  });

  rows.push_back({
      .name = "device",
      .operand = Operand::device,
      .usage = "%device [cpu | gpu:N]",
      .summary = "Describe the device, or move the session to another",
      .details = "Without an operand the device in use is described and the others are listed. Arrays move along.",
      .example = "%device\n",
      .run = run_device,
  });

  rows.push_back({
      .name = "config",
      .operand = Operand::setting,
      .usage = "%config [name [value]]",
      .summary = "Show or change a setting",
      .example = "%config grace 0.5\n",
      .run = run_config,
  });

  rows.push_back({
      .name = "restart",
      .operand = Operand::none,
      .usage = "%restart",
      .summary = "Replace the device's process; arrays and kernels stay",
      .example = "%restart\n",
      .run = run_restart,
  });

  rows.push_back({
      .name = "reset",
      .operand = Operand::none,
      .usage = "%reset",
      .summary = "Forget every array, scalar, kernel and type of this session",
      .setup = kScaleSetup,
      .example = "%reset\n",
      .run = run_reset,
  });

  rows.push_back({
      .name = "history",
      .operand = Operand::text,
      .usage = "%history [N]",
      .summary = "Show the last N cells of this session (10)",
      .example = "%history 5\n",
      .run = run_history,
  });

  rows.push_back({
      .name = "help",
      .operand = Operand::command,
      .usage = "%help [command]",
      .summary = "Explain the language, or one command",
      .example = "%help launch\n",
      .run = run_help,
  });

  rows.push_back({
      .name = "lsmagic",
      .operand = Operand::none,
      .usage = "%lsmagic",
      .summary = "List the commands",
      .example = "%lsmagic\n",
      .run = run_lsmagic,
  });

  rows.push_back({
      .name = "name?",
      .shape = Shape::notation,
      .operand = Operand::name,
      .usage = "name?  name??",
      .summary = "Describe a command, array, scalar or kernel; with ?? also its source",
      .setup = kScaleSetup,
      .example = "scale?\n",
  });

  rows.push_back({
      .name = "!command",
      .shape = Shape::notation,
      .operand = Operand::text,
      .usage = "!command",
      .summary = "Run a command of the shell",
      .details = "Its output is shown as it comes; an exit status other than 0 is an error.",
      .example = "!echo hello\n",
  });

  return rows;
}

}  // namespace

const std::vector<Command>& table() {
  static const std::vector<Command> rows = make_table();
  return rows;
}

const Command* find(std::string_view name) {
  for (const auto& row : table())
    if (row.name == name) return &row;
  return nullptr;
}

const std::vector<ForeignMagic>& foreign_magics() {
  static const std::vector<ForeignMagic> rows = {
      {"cuda", "nvcc4jupyter", "A cell is CUDA C++ here without a magic: put kernels in a cell (or %%kernel) and launch them with kernel<<<grid, block>>>(...)."},
      {"cu", "nvcc4jupyter", "A cell is CUDA C++ here without a magic: put kernels in a cell (or %%kernel) and launch them with kernel<<<grid, block>>>(...)."},
      {"cuda_group_save", "nvcc4jupyter", "Cells see each other here: put each part in a cell of its own."},
      {"cuda_group_run", "nvcc4jupyter", "Cells see each other here: launch a kernel with kernel<<<grid, block>>>(...)."},
      {"cuda_group_delete", "nvcc4jupyter", "%reset forgets what cells defined."},
      {"nvrtc", "Nsight", "%%kernel compiles the cell with NVRTC and takes its options."},
      {"nsys", "Nsight", "%%launch times every launch."},
      {"ncu", "Nsight", "%%launch shows time, bandwidth, registers and occupancy; %info kernel describes one."},
      {"gpu_timeit", "CuPy", "%%launch --repeat N --warmup N times the launches of a cell."},
      {"timeit", "IPython", "%%launch --repeat N --warmup N times the launches of a cell."},
      {"time", "IPython", "%%launch times the launches of a cell."},
      {"matplotlib", "IPython", "Arrays show themselves: end a cell with the array's name."},
      {"who", "IPython", "%arrays lists the arrays."},
      {"whos", "IPython", "%arrays lists the arrays."},
      {"run", "IPython", "#include \"file.cuh\" brings device code of a file into a cell."},
      {"pip", "IPython", "!pip install ... runs it in a shell."},
      {"env", "IPython", "!env shows the environment; %config lists the settings of this kernel."},
      {"bash", "IPython", "!command runs one line in a shell."},
      {"writefile", "IPython", "Device code needs no file here: what a cell defines is visible in later cells."},
  };
  return rows;
}

}  // namespace xcuda::command
