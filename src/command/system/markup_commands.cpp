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

struct Markup {
  std::string_view name, usage, summary, example;
  void (*run)(Invocation&);
};

Command row_of(const Markup& markup) {
  return {
      .name = markup.name,
      .shape = Shape::cell,
      .operand = Operand::raw,
      .usage = markup.usage,
      .summary = markup.summary,
      .details = "A console shows the text as it is written.",
      .example = markup.example,
      .run = markup.run,
  };
}

}  // namespace

Command html_command() {
  return row_of(
      {"html", "%%html", "Show the cell as HTML", "%%html\n<b>bold</b> and <i>italic</i>\n", run_markup<kHtml>});
}

Command markdown_command() {
  return row_of({"markdown", "%%markdown", "Show the cell as Markdown",
                 "%%markdown\nThe **second** kernel is quicker.\n", run_markup<kMarkdown>});
}

Command latex_command() {
  return row_of({"latex", "%%latex", "Show the cell as LaTeX, with formulas between dollar signs",
                 "%%latex\n$y_i = a x_i + y_i$\n", run_markup<kLatex>});
}

Command svg_command() {
  return row_of({"svg", "%%svg", "Show the cell as a picture in SVG",
                 "%%svg\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"40\"><circle cx=\"20\" "
                 "cy=\"20\" r=\"18\"/></svg>\n",
                 run_markup<kSvg>});
}

}  // namespace xcuda::command
