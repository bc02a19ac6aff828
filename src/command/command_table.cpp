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
      timeline_command(),
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
      diff_command(),
      animate_command(),
      info_command(),
      occupancy_command(),
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
    case Operand::statements:
      return command->takes_setup && shape == cell::MagicShape::cell ? cell::MagicText::statements_after_setup
                                                                     : cell::MagicText::statements;
    case Operand::declarations: return cell::MagicText::declarations;
    case Operand::device_code: return cell::MagicText::device_code;
    default: return cell::MagicText::words;
  }
}

}  // namespace xcuda::command
