// %diff
#include <fmt/format.h>

#include <algorithm>

#include "arrays/difference.hpp"
#include "command/draw/drawing.hpp"
#include "command/draw/drawing_options.hpp"
#include "command/rows.hpp"
#include "display/chart/difference_chart.hpp"
#include "display/device_report.hpp"

namespace xcuda::command {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;  // elements on the host at a time

session::Pointer numbers_at(Invocation& call, const cell::Word& word) {
  auto array = call.any_array(word);
  if (array.type.lanes > 1) {  // float4: the members are a last dimension
    array.shape.push_back(static_cast<std::uint64_t>(array.type.lanes));
    array.type = type_of(array.type.scalar);
  }
  if (!arrays::is_comparable(array.type))
    throw call
        .error(ErrorKind::type, fmt::format("%diff cannot compare {}: its elements are {}", word.text, array.type.name),
               word)
        .advise("%diff compares numbers: copy the member to an array of its own.");
  return array;
}

void run_diff(Invocation& call) {
  call.expect_operands(2, 2);
  const auto& operands = call.arguments.operands;
  const auto a = numbers_at(call, operands[0]), b = numbers_at(call, operands[1]);
  if (a.shape != b.shape)
    throw call
        .error(ErrorKind::value,
               fmt::format("{} has the shape {}, but {} has {}", operands[0].text, display::shape_text(a.shape),
                           operands[1].text, display::shape_text(b.shape)),
               operands[1])
        .advise("Compare slices of the same shape: %diff a[0:100] b.");
  arrays::Differences differences(a.type, b.type, a.shape);
  std::vector<std::byte> here, there;
  const auto count = elements_of(a);
  for (std::uint64_t done = 0; done < count; done += kPiece) {
    call.session.interrupt_flag().check();
    const auto elements = std::min(kPiece, count - done);
    here.resize(elements * a.type.size);
    there.resize(elements * b.type.size);
    call.session.submission().read(a.address + done * a.type.size, here);
    call.session.submission().read(b.address + done * b.type.size, there);
    differences.add(here, there);
  }
  auto view = differences.take();
  view.a = operands[0].text;
  view.b = operands[1].text;
  show_under_id(call, display::difference_bundle(view), "/table");
  if (auto chart = display::difference_chart(view))
    show_picture(call, *chart);
  else if (const auto file = call.arguments.text("--save"))
    call.run.sink.stream(OutputStream::out,
                         fmt::format("{} is not written: {}\n", *file,
                                     view.different == 0 ? "the arrays are equal, so there is nothing to draw"
                                                         : "so few elements make no picture"));
}

}  // namespace

Command diff_command() {
  return {
      .name = "diff",
      .operand = Operand::arrays,
      .usage = "%diff a b",
      .summary = "Show how far apart two arrays are, and where",
      .details =
          "Shows the greatest absolute error, |a - b|, the greatest relative error, |a - b| over the larger magnitude, "
          "and, for floating-point arrays of one type, the greatest distance in ulps: how many representable numbers "
          "lie between the two. A picture shows the greatest error in each part of the arrays. NaN equals NaN. Slices "
          "and expressions work, too: %diff a[0:100] b * 2.",
      .options = {kSaveChart, kId},
      .setup =
          "float a[64][64] = uniform(0, 1, seed = 1);\n"
          "auto b = a;\n"
          "b[3][5] += 0.25f;\n",
      .example = "%diff a b\n",
      .run = run_diff,
  };
}

}  // namespace xcuda::command
