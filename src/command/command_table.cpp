#include "command/command_table.hpp"

#include "command/rows.hpp"

namespace xcuda::command {

const std::vector<Command>& table() {
  static const std::vector<Command> rows = {
      kernel_command(),
      alloc_command(),
      launch_command(),
      time_command(),
      timeit_command(),
      bench_command(),
      roofline_command(),
      who_command(),
      arrays_command(),
      free_command(),
      copy_command(),
      save_command(),
      show_command(),
      image_command(),
      plot_command(),
      scatter_command(),
      hist_command(),
      heatmap_command(),
      info_command(),
      export_command(),
      ptx_command(),
      python_command(),
      cuda_command(),
      cu_command(),
      cuda_group_save_command(),
      cuda_group_run_command(),
      cuda_group_delete_command(),
      load_ext_command(),
      load_module_command(),
      sass_command(),
      device_command(),
      config_command(),
      restart_command(),
      reset_command(),
      history_command(),
      help_command(),
      lsmagic_command(),
      cd_command(),
      pwd_command(),
      ls_command(),
      env_command(),
      bash_command(),
      sh_command(),
      pip_command(),
      writefile_command(),
      load_command(),
      html_command(),
      markdown_command(),
      latex_command(),
      svg_command(),
      name_command(),
      shell_command(),
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
  static constexpr std::string_view kNoScripts =
      "Outputs of this kernel hold no scripts, so that a notebook is safe to open; %%html and %%svg show markup.";
  static const std::vector<ForeignMagic> rows = {
      {"nvrtc", "Nsight", "%%kernel compiles the cell with NVRTC and takes its options."},
      {"nsys", "Nsight", "%%launch times every launch."},
      {"ncu", "Nsight", "%%launch shows time, bandwidth, registers and occupancy; %info kernel describes one."},
      {"gpu_timeit", "CuPy", "%%launch --repeat N --warmup N times the launches of a cell."},
      {"matplotlib", "IPython", "%plot, %scatter, %hist, %heatmap and %image draw arrays."},
      {"whos", "IPython", "%who lists all names, %arrays the arrays with their sizes."},
      {"who_ls", "IPython", "%who lists all names."},
      {"psearch", "IPython", "%who lists all names."},
      {"run", "IPython", "#include \"file.cuh\" brings device code of a file into a cell."},
      {"reload_ext", "IPython", "There is nothing to load: a cell is CUDA C++, and %lsmagic lists the commands."},
      {"set_env", "IPython", "%env NAME=value sets a variable."},
      {"file", "IPython", "%%writefile file writes the cell to a file."},
      {"cat", "IPython", "!cat file shows a file; %load file puts its text into the cell."},
      {"more", "IPython", "!cat file shows a file."},
      {"less", "IPython", "!cat file shows a file."},
      {"mkdir", "IPython", "!mkdir folder makes a folder."},
      {"rm", "IPython", "!rm file removes a file."},
      {"cp", "IPython", "!cp file copy copies a file."},
      {"mv", "IPython", "!mv file name moves a file."},
      {"ll", "IPython", "%ls -l lists files with their sizes."},
      {"system", "IPython", "!command runs a shell command."},
      {"sx", "IPython", "!command runs a shell command."},
      {"script", "IPython", "%%bash and %%sh run the cell with a shell."},
      {"conda", "IPython", "!conda install -y ... runs it in a shell."},
      {"mamba", "IPython", "!mamba install -y ... runs it in a shell."},
      {"uv", "IPython", "!uv pip install ... runs it in a shell."},
      {"prun", "IPython", "%%launch times launches, and %info kernel says what limits one."},
      {"memit", "memory_profiler", "%arrays shows the bytes of each array, %device the free memory."},
      {"capture", "IPython", "!command > file keeps what a command writes; a cell's output stays in its cell."},
      {"debug", "IPython", "%%launch --check --race --init names the access at fault, with its line."},
      {"pdb", "IPython", "%%launch --check --race --init names the access at fault, with its line."},
      {"recall", "IPython", "%history shows the last cells."},
      {"rerun", "IPython", "%history shows the last cells."},
      {"javascript", "IPython", kNoScripts},
      {"js", "IPython", kNoScripts},
  };
  return rows;
}

}  // namespace xcuda::command
