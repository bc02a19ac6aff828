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

// Options that several of the commands that draw have.
const Option kSaveImage = {
    .name = "--save", .type = OptionType::text, .value = "FILE", .help = "write the image to a PNG file, too"};
const Option kSaveChart = {
    .name = "--save", .type = OptionType::text, .value = "FILE", .help = "write the chart to an SVG or PDF file, too"};
const Option kId = {.name = "--id",
                    .type = OptionType::text,
                    .value = "NAME",
                    .help = "replace what this cell has shown under the name: in a loop, a moving picture"};
const Option kColours = {.name = "--cmap",
                         .type = OptionType::choice,
                         .value = "MAP",
                         .help = "colours of numbers (viridis); coolwarm is for values around zero",
                         .choices = {"viridis", "magma", "turbo", "gray", "coolwarm"}};
const Option kLeast = {.name = "--vmin",
                       .type = OptionType::number,
                       .value = "X",
                       .help = "the value of the first colour (the least one shown)",
                       .minimum = kAnyNumber};
const Option kGreatest = {.name = "--vmax",
                          .type = OptionType::number,
                          .value = "X",
                          .help = "the value of the last colour (the greatest one shown)",
                          .minimum = kAnyNumber};
const Option kTitle = {.name = "--title", .type = OptionType::text, .value = "TEXT", .help = "a line above"};
const Option kXLabel = {
    .name = "--xlabel", .type = OptionType::text, .value = "TEXT", .help = "what the horizontal axis shows"};
const Option kYLabel = {
    .name = "--ylabel", .type = OptionType::text, .value = "TEXT", .help = "what the vertical axis shows"};
const Option kLogX = {.name = "--logx", .help = "a logarithmic horizontal axis"};
const Option kLogY = {.name = "--logy", .help = "a logarithmic vertical axis"};
const Option kLabels = {.name = "--labels",
                        .type = OptionType::text,
                        .value = "\"A,B\"",
                        .help = "names of the series, separated by commas"};

constexpr std::string_view kWaveSetup =
    "__global__ void wave(float* u, int width, int height) {\n"
    "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "  if (x < width && y < height) u[y * width + x] = sinf(x * 0.05f) * cosf(y * 0.07f);\n"
    "}\n"
    "float u[96][128];\n"
    "wave<<<{4, 12}, {32, 8}>>>(u, 128, 96);\n";

constexpr std::string_view kSamplesSetup =
    "float a[2000] = normal(0, 1, seed = 3), b[2000] = normal(1, 2, seed = 4);\n";

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
      .options = {{.name = "--quiet", .help = "show diagnostics only, no report"},
                  {.name = "--sass", .help = "unfold to the machine code of each kernel, too (see %sass)"}},
      .compiler_options = true,
      .example = "%%kernel --fmad=false\n"
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
          "normal(mean, std, seed), like(x), load(\"file.npy\") of NumPy, PNG and raw files. Without one an array is "
          "zero.",
      .options = {{.name = "--quiet", .help = "show no table"}},
      .example = "%%alloc\n"
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
          "With --graph nothing runs before the end of the cell: its launches, fills and copies become one graph, "
          "which "
          "is launched once, or N times with --repeat. A statement that needs a value meanwhile is an error, and with "
          "--repeat names have to stand for the same arrays after the cell as before it. Another stream joins with "
          "record(e); wait(s, e); and is joined back with record(f, s); wait(f);",
      .options =
          {
              {.name = "--repeat",
               .type = OptionType::integer,
               .value = "N",
               .help = "time N launches and report median, minimum and spread",
               .minimum = 1},
              {.name = "--warmup",
               .type = OptionType::integer,
               .value = "N",
               .help = "run N launches before the timed ones"},
              {.name = "--no-restore", .help = "let every repeated launch keep what it writes"},
              {.name = "--quiet", .help = "show no report"},
              {.name = "--timeout",
               .type = OptionType::duration,
               .value = "TIME",
               .help = "end launches that take longer, for example 500ms"},
              {.name = "--check",
               .help = "run each launch on the CPU device first, with bounds checks and on copies, and compare what "
                       "both wrote"},
              {.name = "--unchecked", .help = "switch the bounds checks of the CPU device off"},
              {.name = "--race",
               .help = "find data races in shared and global memory, on the CPU device; two to a hundred times slower"},
              {.name = "--init",
               .help = "find reads of what nothing wrote, in shared memory and in arrays declared without a value, on "
                       "the CPU device"},
              {.name = "--shared",
               .type = OptionType::bytes,
               .value = "BYTES",
               .help = "dynamic shared memory of launches that name none"},
              {.name = "--stream",
               .type = OptionType::text,
               .value = "NAME",
               .help = "stream of launches that name none; made when it is new"},
              {.name = "--cooperative", .help = "launch cooperatively: grid.sync() may be used"},
              {.name = "--cluster",
               .type = OptionType::text,
               .value = "X,Y,Z",
               .help = "blocks of a cluster (compute capability 9.0)"},
              {.name = "--graph",
               .help = "capture the cell as a CUDA graph and launch that once; the time is the graph's"},
          },
      .setup = kScaleSetup,
      .example = "%%launch --repeat 5 --warmup 1\n"
                 "scale<<<4, 256>>>(x, 2.0f, n);\n",
      .run = run_launch,
  });

  rows.push_back({
      .name = "bench",
      .shape = Shape::cell,
      .operand = Operand::statements,
      .usage = "%%bench",
      .summary = "Time the statements of a cell and show each beside the fastest",
      .details = "Each statement is one contender. A launch is timed by the device, and what it wrote is restored "
                 "before each run; "
                 "any other statement, a block in braces for example, is timed by the host until the device is idle, "
                 "and runs as "
                 "often as it is timed. Declarations run once and are not timed.",
      .options =
          {{.name = "--repeat",
            .type = OptionType::integer,
            .value = "N",
            .help = "timed runs of each statement (20)",
            .minimum = 1},
           {.name = "--warmup", .type = OptionType::integer, .value = "N", .help = "runs before the timed ones (1)"},
           {.name = "--no-restore", .help = "let every repeated launch keep what it writes"}},
      .setup = kScaleSetup,
      .example = "%%bench --repeat 10\n"
                 "scale<<<4, 256>>>(x, 2.0f, n);\n"
                 "scale<<<32, 32>>>(x, 2.0f, n);\n",
      .run = run_bench,
  });

  rows.push_back({
      .name = "roofline",
      .shape = Shape::cell,
      .operand = Operand::statements,
      .usage = "%%roofline --flops N [--bytes N]",
      .summary = "Show what launches reach below the limits of the device's arithmetic and memory",
      .details = "--flops is the number of floating-point operations of one launch, as its author counts them. Without "
                 "--bytes the "
                 "bytes are those of the array arguments, each once. The roof is the device's peak in single precision "
                 "and of its "
                 "memory, where they are known, or what the options say.",
      .options =
          {{.name = "--flops",
            .type = OptionType::number,
            .value = "N",
            .help = "floating-point operations of one launch",
            .minimum = 1},
           {.name = "--bytes",
            .type = OptionType::number,
            .value = "N",
            .help = "bytes that one launch moves",
            .minimum = 1},
           {.name = "--peak-flops",
            .type = OptionType::number,
            .value = "N",
            .help = "operations per second that the device can do"},
           {.name = "--peak-bandwidth",
            .type = OptionType::number,
            .value = "N",
            .help = "bytes per second that its memory can move"},
           {.name = "--repeat",
            .type = OptionType::integer,
            .value = "N",
            .help = "timed runs of each launch (10)",
            .minimum = 1},
           {.name = "--warmup", .type = OptionType::integer, .value = "N", .help = "runs before the timed ones (1)"},
           {.name = "--no-restore", .help = "let every repeated launch keep what it writes"}},
      .setup = kScaleSetup,
      .example = "%%roofline --flops 1024 --peak-flops 1e11 --peak-bandwidth 2e10\n"
                 "scale<<<4, 256>>>(x, 2.0f, n);\n",
      .run = run_roofline,
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
      .details =
          "An existing array must have the same shape and element type. In a statement, auto b = a; does the same.",
      .setup = kScaleSetup,
      .example = "%copy x backup\n",
      .run = run_copy,
  });

  rows.push_back({
      .name = "save",
      .operand = Operand::array_and_path,
      .usage = "%save x file.npy|file.csv",
      .summary = "Write an array to a NumPy or CSV file",
      .details =
          "load(\"file.npy\") in a declaration reads the file, and so does numpy.load. A .csv file holds one or two "
          "dimensions of numbers as text, a line for each row, as numpy.savetxt writes it; numpy.loadtxt gives "
          "the same bits back.\n\n"
          "The file replaces an older one only when it is complete, and keeps the mode of that one. A symbolic "
          "link is followed.",
      .setup = kScaleSetup,
      .example = "%save x scaled.npy\n",
      .run = run_save,
  });

  rows.push_back({
      .name = "show",
      .operand = Operand::array,
      .usage = "%show x",
      .summary = "Show an array, whole or with other digits than %config says",
      .options = {{.name = "--all", .help = "every element, up to 100,000"},
                  {.name = "--precision", .type = OptionType::integer, .value = "N", .help = "digits behind the point"},
                  {.name = "--edge",
                   .type = OptionType::integer,
                   .value = "N",
                   .help = "elements at each end of a summarised axis",
                   .minimum = 1}},
      .setup = kScaleSetup,
      .example = "%show x --edge 5 --precision 3\n",
      .run = run_show,
  });

  rows.push_back({
      .name = "image",
      .operand = Operand::array,
      .usage = "%image x",
      .summary = "Show an array as an image",
      .details =
          "Rows of the array are rows of pixels. Numbers are coloured from the least to the greatest; NaN is "
          "transparent. A "
          "third dimension of 3 or 4, first or last, and elements such as uchar4 and float3 are red, green, blue and "
          "opacity: from 0 to 255 for bytes, from 0 to 1 for floating point. Parts of "
          "arrays and expressions are shown as well: %image volume[5], %image u[::2, 0:96] > 0. Small arrays are "
          "enlarged; of large ones each pixel is the mean of a square of elements, "
          "made on the device.",
      .options = {kColours,
                  kLeast,
                  kGreatest,
                  {.name = "--zoom",
                   .type = OptionType::integer,
                   .value = "N",
                   .help = "screen pixels along each side of a pixel",
                   .minimum = 1},
                  {.name = "--size",
                   .type = OptionType::integer,
                   .value = "N",
                   .help = "pixels of the longer side at most (1024 for arrays of over 2 M elements)",
                   .minimum = 1},
                  kSaveImage,
                  kId},
      .setup = kWaveSetup,
      .example = "%image u --cmap coolwarm --save wave.png\n",
      .run = run_image,
  });

  rows.push_back({
      .name = "plot",
      .operand = Operand::arrays,
      .usage = "%plot y ...",
      .summary = "Draw arrays as lines",
      .details = "Each array is a line over its index, or over the array of --x; an array of two dimensions is a line "
                 "for each "
                 "row. Expressions are drawn as well: %plot sin(t) a[0:100] * 2. Of arrays with more elements than the "
                 "chart has pixels, the least and the greatest of each column of "
                 "pixels are drawn: no peak is lost.",
      .options = {{.name = "--x", .type = OptionType::text, .value = "ARRAY", .help = "the horizontal coordinates"},
                  kLabels,
                  kTitle,
                  kXLabel,
                  kYLabel,
                  kLogX,
                  kLogY,
                  kSaveChart,
                  kId},
      .setup = kSamplesSetup,
      .example = "%plot a[0:200] b[0:200] --labels \"first,second\" --title \"Two samples\"\n",
      .run = run_plot,
  });

  rows.push_back({
      .name = "scatter",
      .operand = Operand::arrays,
      .usage = "%scatter x y",
      .summary = "Draw the points of two arrays",
      .details = "Up to 4,000 points are drawn one by one; more of them as a map of how many stand where.",
      .options = {kTitle, kXLabel, kYLabel, kLogX, kLogY, kSaveChart, kId},
      .setup = kSamplesSetup,
      .example = "%scatter a b\n",
      .run = run_scatter,
  });

  rows.push_back({
      .name = "hist",
      .operand = Operand::arrays,
      .usage = "%hist x ...",
      .summary = "Draw how often values occur in arrays",
      .details = "Several arrays have the same bins. Integers of a small range have a bin for each value.",
      .options = {{.name = "--bins",
                   .type = OptionType::integer,
                   .value = "N",
                   .help = "bins of equal width (50)",
                   .minimum = 1},
                  kLabels,
                  kTitle,
                  kXLabel,
                  kYLabel,
                  kLogX,
                  kLogY,
                  kSaveChart,
                  kId},
      .setup = kSamplesSetup,
      .example = "%hist a b --bins 40\n",
      .run = run_hist,
  });

  rows.push_back({
      .name = "heatmap",
      .operand = Operand::array,
      .usage = "%heatmap x",
      .summary = "Draw an array of two dimensions as coloured cells, with axes and a scale of colours",
      .options = {kColours, kLeast, kGreatest, kTitle, kXLabel, kYLabel, kSaveChart, kId},
      .setup = kWaveSetup,
      .example = "%heatmap u --cmap magma --xlabel x --ylabel y\n",
      .run = run_heatmap,
  });

  rows.push_back({
      .name = "info",
      .operand = Operand::kernel,
      .usage = "%info kernel",
      .summary = "Show a kernel's signature, registers, memory and occupancy",
      .options = {{.name = "--block",
                   .type = OptionType::integer,
                   .value = "THREADS",
                   .help = "threads per block for the occupancy",
                   .minimum = 1},
                  {.name = "--shared",
                   .type = OptionType::bytes,
                   .value = "BYTES",
                   .help = "dynamic shared memory for the occupancy"}},
      .setup = kScaleSetup,
      .example = "%info scale\n",
      .run = run_info,
  });

  rows.push_back({
      .name = "export",
      .operand = Operand::path,
      .usage = "%export program.cu",
      .summary = "Write the cells that ran as one CUDA C++ program for nvcc",
      .details = "Device code as it counts now, then the statements of the cells as main(). Arrays own device memory, "
                 "launches stay "
                 "as they are, an expression over whole arrays is a struct that a kernel calls for each element. The "
                 "program needs "
                 "nothing but nvcc and prints what the cells print and show; pictures, charts and reports are "
                 "comments. Times of "
                 "%%launch go to stderr. What has no C++ is an error at its line.\n\n"
                 "Cells that failed are left out. Of a cell that ran several times the newest run counts, where "
                 "JupyterLab tells "
                 "which cell it was.",
      .options = {{.name = "--every-run", .help = "every run of every cell, in order"},
                  {.name = "--force", .help = "replace the file if it exists"}},
      .setup = kScaleSetup,
      .example = "%export --force /tmp/xcuda_example.cu\n",
      .run = run_export,
  });

  rows.push_back({
      .name = "ptx",
      .shape = Shape::line_or_cell,
      .operand = Operand::kernel,
      .usage = "%ptx [kernel]",
      .summary = "Show the PTX of a kernel, or of the last compiled cell; as %%ptx name, load the cell as a module",
      .details = "A cell of PTX is loaded as it stands: its entries are launched like kernels of C++, and its "
                 "variables are read "
                 "and written by name. The types of parameters come from a mangled name; else their sizes are checked. "
                 ".version, .target and .address_size may be left out. Loading a name again replaces it.",
      .setup = kScaleSetup,
      .example = "%%ptx twice\n"
                 ".visible .entry twice(.param .u64 x) {\n"
                 "  .reg .b64 %a, %i;\n"
                 "  .reg .f32 %v;\n"
                 "  .reg .b32 %t;\n"
                 "  ld.param.u64 %a, [x];\n"
                 "  mov.u32 %t, %tid.x;\n"
                 "  mul.wide.u32 %i, %t, 4;\n"
                 "  add.u64 %a, %a, %i;\n"
                 "  ld.global.f32 %v, [%a];\n"
                 "  add.f32 %v, %v, %v;\n"
                 "  st.global.f32 [%a], %v;\n"
                 "  ret;\n"
                 "}\n",
      .run = run_ptx,
  });

  rows.push_back({
      .name = "load_module",
      .operand = Operand::path,
      .usage = "%load_module file.ptx|file.cubin name",
      .summary = "Load a file of PTX or machine code as a module; its kernels are launched by their names",
      .details =
          "nvcc -ptx, nvcc -cubin and other compilers write such files. Of a CUBIN the kernels, the sizes of their "
          "parameters and the variables are read from its ELF; it runs on GPUs of its architecture, and not on the CPU "
          "device. Types are known where the names are mangled. Loading a name again replaces what it was.",
      .setup = "!printf '.version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry nothing() { ret; }\\n' > "
               "nothing.ptx\n",
      .example = "%load_module nothing.ptx nothing\n"
                 "nothing<<<1, 1>>>();\n",
      .run = run_load_module,
  });

  rows.push_back({
      .name = "sass",
      .operand = Operand::kernel,
      .usage = "%sass kernel",
      .summary = "Show a kernel's machine code, by lines of its cell",
      .details = "On a GPU that is SASS, read by nvdisasm of a CUDA toolkit or of pip install nvidia-cuda-nvdisasm; "
                 "%%kernel -arch=sm_90 makes it on "
                 "any machine. On the CPU device it is the native code that "
                 "LLVM made, with the cell's line before the instructions for it. There a warp is one thread of vector "
                 "code, and each line has "
                 "two codes: one for when all 32 lanes are on, and one, marked [some lanes], for when they have "
                 "diverged. Loops that lanes "
                 "leave at different turns may have one, marked [one lane], that runs a lane after the other. The code "
                 "depends on the "
                 "blocks' shape and on the checks.",
      .options = {{.name = "--block",
                   .type = OptionType::text,
                   .value = "X,Y,Z",
                   .help = "CPU device: the code for blocks of this size (256)"},
                  {.name = "--unchecked", .help = "CPU device: the code without bounds checks"},
                  {.name = "--race", .help = "CPU device: the code that records accesses for --race"},
                  {.name = "--init", .help = "CPU device: the code that records accesses for --init"}},
      .setup = kScaleSetup,
      .example = "",  // depends on the machine: it may have a GPU and no disassembler
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
      .details =
          "/bin/sh runs it, with nothing to read from stdin. Its output is shown as it comes; an exit status other "
          "than 0 is an error. The cell goes on when the shell ends: processes that run on in the background "
          "(`!server &`) are named with their process ids. What they write after that is dropped, so send it to a "
          "file (`!server > server.log 2>&1 &`). They end with the kernel, also after `nohup` and `setsid`.",
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
      {"cuda", "nvcc4jupyter",
       "A cell is CUDA C++ here without a magic: put kernels in a cell (or %%kernel) and launch them with "
       "kernel<<<grid, block>>>(...)."},
      {"cu", "nvcc4jupyter",
       "A cell is CUDA C++ here without a magic: put kernels in a cell (or %%kernel) and launch them with "
       "kernel<<<grid, block>>>(...)."},
      {"cuda_group_save", "nvcc4jupyter", "Cells see each other here: put each part in a cell of its own."},
      {"cuda_group_run", "nvcc4jupyter",
       "Cells see each other here: launch a kernel with kernel<<<grid, block>>>(...)."},
      {"cuda_group_delete", "nvcc4jupyter", "%reset forgets what cells defined."},
      {"nvrtc", "Nsight", "%%kernel compiles the cell with NVRTC and takes its options."},
      {"nsys", "Nsight", "%%launch times every launch."},
      {"ncu", "Nsight", "%%launch shows time, bandwidth, registers and occupancy; %info kernel describes one."},
      {"gpu_timeit", "CuPy", "%%launch --repeat N --warmup N times the launches of a cell."},
      {"timeit", "IPython", "%%launch --repeat N --warmup N times the launches of a cell."},
      {"time", "IPython", "%%launch times the launches of a cell."},
      {"matplotlib", "IPython", "%plot, %scatter, %hist, %heatmap and %image draw arrays."},
      {"who", "IPython", "%arrays lists the arrays."},
      {"whos", "IPython", "%arrays lists the arrays."},
      {"run", "IPython", "#include \"file.cuh\" brings device code of a file into a cell."},
      {"load_ext", "IPython", "Nothing has to be loaded: a cell is CUDA C++, and %lsmagic lists the commands."},
      {"reload_ext", "IPython", "Nothing has to be loaded: a cell is CUDA C++, and %lsmagic lists the commands."},
      {"pip", "IPython", "!pip install ... runs it in a shell."},
      {"env", "IPython", "!env shows the environment; %config lists the settings of this kernel."},
      {"bash", "IPython", "!command runs one line in a shell."},
      {"writefile", "IPython", "Device code needs no file here: what a cell defines is visible in later cells."},
  };
  return rows;
}

}  // namespace xcuda::command
