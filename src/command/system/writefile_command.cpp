// %%writefile
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

constexpr std::uint64_t kMostAppended = std::uint64_t{64} << 20;  // bytes of a file that is added to

void run_writefile(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& path = call.arguments.operands[0];
  call.run.current = path.span;
  std::error_code failure;
  const bool exists = std::filesystem::exists(path.text, failure);
  if (failure)
    throw Error(ErrorKind::io, fmt::format("cannot write {}", shown_path(path.text))).said(errno_text(failure.value()));
  const bool append = call.arguments.has("--append") || call.arguments.has("-a");
  std::string text = call.magic.body;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  write_file(path.text, append && exists ? read_file(path.text, kMostAppended) + text : text);
  call.run.sink.stream(OutputStream::out, fmt::format("{} {}\n",
                                                      !exists  ? "Writing"
                                                      : append ? "Appending to"
                                                               : "Overwriting",
                                                      path.text));
}

}  // namespace

Command writefile_command() {
  return {
      .name = "writefile",
      .shape = Shape::cell,
      .operand = Operand::path,
      .usage = "%%writefile [-a] file",
      .summary = "Write the cell to a file",
      .details =
          "The text below the first line, whatever it is, becomes the file's contents. The file is replaced as a "
          "whole, "
          "or, if writing fails, not at all.",
      .options = {{.name = "-a", .help = "add to the end of the file"}, {.name = "--append", .help = "the same"}},
      .example =
          "%%writefile scale.cuh\n"
          "__device__ float scaled(float x) { return 2 * x; }\n",
      .run = run_writefile,
  };
}

}  // namespace xcuda::command
