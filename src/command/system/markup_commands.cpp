// %%html, %%markdown, %%latex, %%svg
#include <fmt/format.h>

#include "base/text.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

template <const char* mime> void run_markup(Invocation& call) {
  call.expect_operands(0, 0);
  auto bundle = display::text_bundle(call.magic.body);
  bundle.data[mime] = call.magic.body;
  call.show(bundle);
}

constexpr char kHtml[] = "text/html", kMarkdown[] = "text/markdown", kLatex[] = "text/latex", kSvg[] = "image/svg+xml";

}  // namespace

Command html_command() {
  return {.name = "html",
          .shape = Shape::cell,
          .operand = Operand::raw,
          .usage = "%%html",
          .summary = "Show the cell as HTML",
          .details = "A console shows the text as it is written.",
          .example = "%%html\n<b>bold</b> and <i>italic</i>\n",
          .run = run_markup<kHtml>};
}

Command markdown_command() {
  return {.name = "markdown",
          .shape = Shape::cell,
          .operand = Operand::raw,
          .usage = "%%markdown",
          .summary = "Show the cell as Markdown",
          .details = "A console shows the text as it is written.",
          .example = "%%markdown\nThe **second** kernel is quicker.\n",
          .run = run_markup<kMarkdown>};
}

Command latex_command() {
  return {.name = "latex",
          .shape = Shape::cell,
          .operand = Operand::raw,
          .usage = "%%latex",
          .summary = "Show the cell as LaTeX",
          .details = "Write formulas between dollar signs. A console shows the text as it is written.",
          .example = "%%latex\n$y_i = a x_i + y_i$\n",
          .run = run_markup<kLatex>};
}

Command svg_command() {
  return {.name = "svg",
          .shape = Shape::cell,
          .operand = Operand::raw,
          .usage = "%%svg",
          .summary = "Show the cell as a picture in SVG",
          .details = "A console shows the text as it is written.",
          .example =
              "%%svg\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"40\"><circle cx=\"20\" "
              "cy=\"20\" r=\"18\"/></svg>\n",
          .run = run_markup<kSvg>};
}

}  // namespace xcuda::command
