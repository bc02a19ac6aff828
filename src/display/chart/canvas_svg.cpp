// It is in an <img> of a page, where no style sheet reaches it: it brings its own paper, on which its words can be read
// whatever the page is like (docs/decisions/colours.md).
#include <fmt/format.h>

#include <cmath>
#include <initializer_list>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "display/chart/canvas.hpp"
#include "display/png.hpp"

namespace xcuda::display {
namespace {

// Of a path's coordinates: whole halves of a pixel, each as its distance from the one before, are a third of the text
// of decimal fractions, and no screen shows the difference.
constexpr double kUnit = 0.5;

class PathText {
 public:
  std::string of(const Path& path) {
    for (const auto& step : path.steps()) switch (step.kind) {
        case Path::Step::Kind::move: move(step.x, step.y); break;
        case Path::Step::Kind::line: draw(step.x, step.y); break;
        // A line of no length with round ends: a tenth of the text of a circle.
        case Path::Step::Kind::dot:
          go(step.x, step.y);
          command("h", {0});
          break;
        case Path::Step::Kind::bar:
          move(step.x, step.y);
          command("V", {whole(step.to_y)});
          command("H", {whole(step.to_x)});
          command("V", {y_});
          command("z", {});
          break;
      }
    return std::move(text_);
  }

 private:
  static long whole(double pixels) { return std::lround(pixels / kUnit); }

  void move(double x, double y) {
    x_ = whole(x);
    y_ = whole(y);
    command("M", {x_, y_});
  }
  void draw(double x, double y) { by("l", x, y); }
  void go(double x, double y) { by("m", x, y); }  // as move(), where the way is short
  void by(std::string_view letter, double x, double y) {
    const long to_x = whole(x), to_y = whole(y);
    command(letter, {to_x - x_, to_y - y_});
    x_ = to_x;
    y_ = to_y;
  }
  // A letter that repeats is left out, and so are blanks before signs.
  void command(std::string_view letter, std::initializer_list<long> numbers) {
    bool separated = letter != last_ || letter != "l";
    if (separated) text_ += letter;
    for (const long number : numbers) {
      if (!separated && number >= 0) text_ += ' ';
      text_ += std::to_string(number);
      separated = false;
    }
    last_ = letter;
  }

  std::string text_;
  std::string_view last_;
  long x_ = 0, y_ = 0;
};

std::string path_text(const Path& path) { return PathText().of(path); }

std::string opacity(std::string_view what, const Ink& ink) {
  return ink.opacity < 1 ? fmt::format(" {}-opacity=\"{:.3g}\"", what, ink.opacity) : "";
}

class SvgCanvas final : public Canvas {
 public:
  void line(double x1, double y1, double x2, double y2, const Ink& ink) override {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"", x1, y1, x2, y2,
                        ink.colour);
    if (ink.width != 1) out_ += fmt::format(" stroke-width=\"{:.1f}\"", ink.width);
    out_ += opacity("stroke", ink) + "/>";
  }

  void stroke(const Path& path, const Ink& ink) override {
    out_ += fmt::format(
        "<path d=\"{}\" transform=\"scale({})\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.3g}\" "
        "stroke-linejoin=\"round\" stroke-linecap=\"round\"{}/>",
        path_text(path), kUnit, ink.colour, ink.width / kUnit, opacity("stroke", ink));
  }

  void fill(const Path& path, const Ink& ink) override {
    out_ += fmt::format("<path d=\"{}\" transform=\"scale({})\" fill=\"{}\"{}/>", path_text(path), kUnit, ink.colour,
                        opacity("fill", ink));
  }

  void words(const Words& words) override {
    static constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"", words.x, words.y,
                        kAnchors[static_cast<std::size_t>(words.anchor)]);
    if (words.size != 11) out_ += fmt::format(" font-size=\"{:.0f}\"", words.size);
    if (words.face == Words::Face::strong) out_ += " font-weight=\"600\"";
    if (words.face == Words::Face::slanted) out_ += " font-style=\"italic\"";
    if (words.direction == Words::Direction::up)
      out_ += fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", words.x, words.y);
    out_ += ">" + html_escape(words.text) + "</text>";
  }

  void picture(const Box& box, std::span<const std::byte> png) override {
    out_ += fmt::format(
        "<image x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" preserveAspectRatio=\"none\" "
        "style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,{}\"/>",
        box.x, box.y, box.width, box.height, base64(png));
  }

  void begin_clip(const Box& box) override {
    out_ += fmt::format(
        "<svg x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" viewBox=\"{0:.1f} {1:.1f} {2:.1f} "
        "{3:.1f}\">",
        box.x, box.y, box.width, box.height);
  }
  void end_clip() override { out_ += "</svg>"; }

  std::string finish(double width, double height, std::string_view description) override {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "style=\"max-width:100%;height:auto\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"11\" "
        "fill=\"{2}\" role=\"img\" aria-label=\"{3}\"><rect width=\"100%\" height=\"100%\" rx=\"4\" "
        "fill=\"{4}\"/>{5}</svg>",
        width, height, kInk, html_escape(description), kPaper, out_);
  }

 private:
  std::string out_;
};

}  // namespace

std::unique_ptr<Canvas> svg_canvas() { return std::make_unique<SvgCanvas>(); }

}  // namespace xcuda::display
