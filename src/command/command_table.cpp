#include "command/command_table.hpp"

#include "command/rows.hpp"

namespace xcuda::command {

const std::vector<Command>& table() {
  static const std::vector<Command> rows = {
      kernel_command(),  alloc_command(),  launch_command(),  bench_command(),   roofline_command(),
      arrays_command(),  free_command(),   copy_command(),    save_command(),    show_command(),
      image_command(),   plot_command(),   scatter_command(), hist_command(),    heatmap_command(),
      info_command(),    export_command(), ptx_command(),     python_command(),  load_module_command(),
      sass_command(),    device_command(), config_command(),  restart_command(), reset_command(),
      history_command(), help_command(),   lsmagic_command(), name_command(),    shell_command(),
  };
  return rows;
}

const Command* find(std::string_view name) {
  for (const auto& row : table())
    if (row.name == name) return &row;
  return nullptr;
}

cell::MagicText grammar(std::string_view name, cell::MagicShape shape) {
  const auto* command = find(name);
  const auto other = shape == cell::MagicShape::line ? Shape::cell : Shape::line;
  if (command == nullptr || command->shape == other) return cell::MagicText::words;
  switch (command->operand) {
    case Operand::statements: return cell::MagicText::statements;
    case Operand::declarations: return cell::MagicText::declarations;
    case Operand::device_code: return cell::MagicText::device_code;
    default: return cell::MagicText::words;
  }
}

const std::vector<ForeignMagic>& foreign_magics() {
  static const std::vector<ForeignMagic> rows = {
      {"cuda", "nvcc4jupyter",
       "A cell is CUDA C++ without a magic: put kernels in a cell (or %%kernel) and launch them with "
       "kernel<<<grid, block>>>(...)."},
      {"cu", "nvcc4jupyter",
       "A cell is CUDA C++ without a magic: put kernels in a cell (or %%kernel) and launch them with "
       "kernel<<<grid, block>>>(...)."},
      {"cuda_group_save", "nvcc4jupyter", "Cells see each other: put each part in its own cell."},
      {"cuda_group_run", "nvcc4jupyter", "Cells see each other: launch a kernel with kernel<<<grid, block>>>(...)."},
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
      {"load_ext", "IPython", "There is nothing to load: a cell is CUDA C++, and %lsmagic lists the commands."},
      {"reload_ext", "IPython", "There is nothing to load: a cell is CUDA C++, and %lsmagic lists the commands."},
      {"pip", "IPython", "!pip install ... runs it in a shell."},
      {"env", "IPython", "!env shows the environment; %config lists the settings of this kernel."},
      {"bash", "IPython", "!command runs one line in a shell."},
      {"writefile", "IPython", "Device code needs no file: later cells see what a cell defines."},
  };
  return rows;
}

}  // namespace xcuda::command
