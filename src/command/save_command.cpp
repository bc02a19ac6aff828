// %save
#include <fmt/format.h>

#include "base/units.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "files/array_writer.hpp"

namespace xcuda::command {
namespace {

void run_save(Invocation& call) {
  call.expect_operands(2, 2);
  const auto& array = call.array(call.arguments.operands[0]);
  const auto& path = call.arguments.operands[1];
  call.run.current = path.span;
  call.session.submission().synchronize();
  files::ArrayWriter writer(path.text, array.type, array.shape);
  call.session.submission().read({array.address, array.bytes()},
                                 [&](std::span<const std::byte> piece) { writer.write(piece); });
  writer.commit();
  call.show(display::text_bundle(
      fmt::format("{} saved to {}: {}", declaration_text(array), path.text, format_bytes(array.bytes()))));
}

}  // namespace

Command save_command() {
  return {
      .name = "save",
      .operand = Operand::array_and_path,
      .usage = "%save x file.npy|file.csv",
      .summary = "Write an array to a NumPy or CSV file",
      .details =
          "load(\"file.npy\") in a declaration reads the file, and so does numpy.load. A .csv file holds one or two "
          "dimensions of numbers as text, a line for each row, as numpy.savetxt writes it; numpy.loadtxt returns the "
          "same bits.\n\n"
          "The file replaces an older one only when it is complete, and keeps the older one's mode. A symbolic link is "
          "followed.",
      .setup = kScaleSetup,
      .example = "%save x scaled.npy\n",
      .run = run_save,
  };
}

}  // namespace xcuda::command
