// The row of each command, beside its function in a file of its own. command_table.cpp lists them.
#pragma once

#include "command/command_table.hpp"

namespace xcuda::command {

Command kernel_command();
Command alloc_command();
Command launch_command();
Command bench_command();
Command roofline_command();
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
Command info_command();
Command export_command();
Command ptx_command();
Command python_command();
Command load_module_command();
Command sass_command();
Command device_command();
Command config_command();
Command restart_command();
Command reset_command();
Command history_command();
Command help_command();
Command lsmagic_command();
Command name_command();
Command shell_command();

}  // namespace xcuda::command
