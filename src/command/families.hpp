// The functions behind the rows of the table, one file per family.
#pragma once

namespace xcuda::command {

struct Invocation;

// cells.cpp
void run_kernel(Invocation& call);
void run_alloc(Invocation& call);
void run_launch(Invocation& call);
// arrays.cpp
void run_free(Invocation& call);
void run_arrays(Invocation& call);
void run_copy(Invocation& call);
void run_save(Invocation& call);
// kernels.cpp
void run_info(Invocation& call);
void run_ptx(Invocation& call);
void run_sass(Invocation& call);
// pictures.cpp
void run_show(Invocation& call);
void run_image(Invocation& call);
void run_heatmap(Invocation& call);
// charts.cpp
void run_plot(Invocation& call);
void run_scatter(Invocation& call);
void run_hist(Invocation& call);
// measure.cpp
void run_bench(Invocation& call);
void run_roofline(Invocation& call);
// modules.cpp
void run_ptx_cell(Invocation& call);
void run_load_module(Invocation& call);
// exports.cpp
void run_export(Invocation& call);
// machine.cpp
void run_device(Invocation& call);
void run_config(Invocation& call);
void run_reset(Invocation& call);
void run_restart(Invocation& call);
// guide.cpp
void run_help(Invocation& call);
void run_lsmagic(Invocation& call);
void run_history(Invocation& call);

}  // namespace xcuda::command
