// %animate
#include <fmt/format.h>

#include "base/text.hpp"
#include "command/draw/drawing.hpp"
#include "command/draw/drawing_options.hpp"
#include "command/rows.hpp"
#include "command/runner.hpp"

namespace xcuda::command {
namespace {

void run_animate(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& word = call.arguments.operands[0];
  const auto& frames = call.runner.frames();
  const auto* film = frames.find(word.text);
  if (film == nullptr) {
    const auto ids = frames.ids();
    auto error = call.error(ErrorKind::name, fmt::format("no image was shown under {}", word.text), word);
    if (const auto near = nearest(word.text, ids); !near.empty())
      throw std::move(error).advise(fmt::format("Did you mean {}?", near));
    throw std::move(error).advise(
        fmt::format("Show images under that name first, in a loop: %image u --id {}", word.text));
  }
  const double each_second = call.arguments.number("--fps").value_or(10);
  if (!(each_second > 0) || each_second > 100)
    throw call
        .error(ErrorKind::value, fmt::format("--fps must be above 0 and at most 100, got {:g}", each_second),
               *call.arguments.word("--fps"))
        .advise("Write --fps 10 for ten frames a second.");
  show_picture(call, display::AnimationView{
                         .name = word.text, .frames = film->frames, .shown = film->shown, .each_second = each_second});
}

}  // namespace

Command animate_command() {
  return {
      .name = "animate",
      .operand = Operand::text,
      .usage = "%animate ID",
      .summary = "Show the images that a loop showed under --id as one animation, which the notebook keeps",
      .details =
          "The frames are the images that one cell showed under one name; another cell starts a new animation, and so "
          "does an image of another size or in other colours. Give %image --vmin and --vmax: without them each frame "
          "has its own scale of colours. An animation has at most 400 frames and 32 MiB; when a loop shows more, every "
          "second frame is dropped.",
      .options = {{.name = "--fps", .type = OptionType::number, .value = "N", .help = "frames per second (10)"},
                  kSaveImage},
      .setup =
          "float u[48][64];\n"
          "for (int step = 0; step < 8; ++step) {\n"
          "  u[step * 4] = 1;\n"
          "  %image u --id rows --vmin 0 --vmax 1\n"
          "}\n",
      .example = "%animate rows --fps 4\n",
      .run = run_animate,
  };
}

}  // namespace xcuda::command
