// The row of each command, beside its function in a file of its own. command_table.cpp lists them.
#pragma once

#include "command/command_table.hpp"

namespace xcuda::command {

Command kernel_command();
Command alloc_command();
Command launch_command();
Command bench_command();
Command roofline_command();
Command timeline_command();
Command arrays_command();
Command free_command();
Command copy_command();
Command save_command();
Command show_command();
Command image_command();
Command plot_command();
Command scatter_command();
Command hist_command();
Command heatmap_command();
Command diff_command();
Command animate_command();
Command info_command();
Command occupancy_command();
Command export_command();
Command ptx_command();
Command python_command();
Command cuda_command();
Command cu_command();
Command cuda_group_save_command();
Command cuda_group_run_command();
Command cuda_group_delete_command();
Command load_ext_command();
Command load_module_command();
Command sass_command();
Command device_command();
Command config_command();
Command restart_command();
Command reset_command();
Command history_command();
Command help_command();
Command lsmagic_command();
Command who_command();
Command time_command();
Command timeit_command();
Command cd_command();
Command pwd_command();
Command ls_command();
Command env_command();
Command bash_command();
Command sh_command();
Command pip_command();
Command writefile_command();
Command load_command();
Command html_command();
Command markdown_command();
Command latex_command();
Command svg_command();
Command name_command();
Command shell_command();

}  // namespace xcuda::command
