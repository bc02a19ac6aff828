// %export: the session's cells as one CUDA C++ program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/output_file.hpp"
#include "base/units.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "export/program_writer.hpp"

namespace xcuda::command {
namespace {

using Entry = session::HistoryEntry;

enum class Runs : std::uint8_t { newest, all };

// Runs that went well; the newest of a cell that the client names, where the cell ran first.
std::vector<exporter::ExportedCell> cells_of(const std::vector<Entry>& history, Runs runs) {
  std::vector<const Entry*> chosen;
  for (const auto& entry : history) {
    if (entry.outcome != Entry::Outcome::ran) continue;
    const auto earlier = std::find_if(chosen.begin(), chosen.end(), [&](const Entry* one) {
      return !entry.cell_id.empty() && one->cell_id == entry.cell_id;
    });
    if (runs == Runs::all || earlier == chosen.end())
      chosen.push_back(&entry);
    else
      *earlier = &entry;
  }
  std::vector<exporter::ExportedCell> cells;
  for (const auto* entry : chosen) cells.push_back({entry->name, entry->code});
  return cells;
}

void run_export(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& word = call.arguments.operands[0];
  const std::filesystem::path path(word.text);
  if (path.extension() != ".cu")
    throw call.error(ErrorKind::value, fmt::format("{} is not a name for a CUDA C++ program", word.text), word)
        .advise(fmt::format("nvcc needs the suffix .cu: %export {}.cu", path.stem().string()));
  const auto cells = cells_of(call.session.history(), call.arguments.has("--every-run") ? Runs::all : Runs::newest);
  if (cells.empty())
    throw call.error(ErrorKind::value, "there is nothing to export: no cell before this one has run")
        .advise("Run the cells, then export them.");
  std::error_code failure;
  if (std::filesystem::exists(path, failure) && !call.arguments.has("--force"))
    throw call.error(ErrorKind::io, fmt::format("{} exists", word.text), word)
        .advise(fmt::format("Replace it with %export --force {}.", word.text));
  const auto program = exporter::ProgramWriter(call.session, call.run).write(cells, path.filename().string());
  call.run.current = word.span;  // where it cannot be written
  write_file(word.text, program);
  call.show(display::text_bundle(
      fmt::format("{} cell{} exported to {}: {} lines, {}", cells.size(), cells.size() == 1 ? "" : "s", word.text,
                  format_count(static_cast<std::uint64_t>(std::count(program.begin(), program.end(), '\n'))),
                  format_bytes(program.size()))));
}

}  // namespace

Command export_command() {
  return {
      .name = "export",
      .operand = Operand::path,
      .usage = "%export program.cu",
      .summary = "Write the cells that ran as one CUDA C++ program for nvcc",
      .details =
          "The current device code, then the statements of the cells as main(). Arrays own device memory, launches "
          "stay as they are, and an expression over whole arrays becomes a struct that a kernel calls for each "
          "element. The program needs nothing but nvcc and prints what the cells print and show; pictures, charts and "
          "reports become comments. The times of %%launch go to stderr. A line that has no C++ form is an error.\n\n"
          "Cells that failed are left out. If a cell ran several times, its last run counts, provided that the client "
          "says which cell it was, as JupyterLab does.",
      .options = {{.name = "--every-run", .help = "every run of every cell, in order"},
                  {.name = "--force", .help = "replace the file if it exists"}},
      .setup = kScaleSetup,
      .example = "%export --force /tmp/xcuda_example.cu\n",
      .run = run_export,
  };
}

}  // namespace xcuda::command
