// The SVG is in an <img> of a page, where no style sheet reaches it. It brings its own paper, on which its words can be
// read whatever the page is like (docs/decisions/colours.md).
#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <vector>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "display/chart/canvas.hpp"
#include "display/png.hpp"

namespace xcuda::display {
namespace {

// Whole halves of a pixel, each as its distance from the one before, are a third of the text of decimal fractions, and
// no screen shows the difference.
class PathText {
 public:
  std::string of(const Path& path) {
    unit_ = path.unit;
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
  long whole(double pixels) const { return std::lround(pixels / unit_); }

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
  double unit_ = 1;
};

// Tenths of a pixel.
std::string pixels(double value) {
  auto text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string path_text(const Path& path) { return PathText().of(path); }

std::string opacity(std::string_view what, const Ink& ink) {
  return ink.opacity < 1 ? fmt::format(" {}-opacity=\"{:.3g}\"", what, ink.opacity) : "";
}

class SvgCanvas final : public Canvas {
 public:
  void line(double x1, double y1, double x2, double y2, const Ink& ink) override {
    end_words();
    if (lines_.empty() || !(ink == lines_ink_)) end_lines();
    lines_ink_ = ink;
    lines_ += fmt::format("M{} {}", pixels(x1), pixels(y1));
    if (x1 == x2)
      lines_ += "V" + pixels(y2);
    else if (y1 == y2)
      lines_ += "H" + pixels(x2);
    else
      lines_ += fmt::format("L{} {}", pixels(x2), pixels(y2));
  }

  void stroke(const Path& path, const Ink& ink) override {
    end_runs();
    out_ += fmt::format(
        "<path d=\"{}\" transform=\"scale({})\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.3g}\" "
        "stroke-linejoin=\"round\" stroke-linecap=\"round\"{}/>",
        path_text(path), path.unit, ink.colour, ink.width / path.unit, opacity("stroke", ink));
  }

  void fill(const Path& path, const Ink& ink) override {
    end_runs();
    out_ += fmt::format("<path d=\"{}\" transform=\"scale({})\" fill=\"{}\"{}/>", path_text(path), path.unit,
                        ink.colour, opacity("fill", ink));
  }

  void words(const Words& words) override {
    end_lines();
    if (!words_.empty() && look(words_.back()) != look(words)) end_words();
    words_.push_back(words);
  }

  void picture(const Box& box, std::span<const std::byte> png) override {
    end_runs();
    out_ += fmt::format(
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
        "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>",
        pixels(box.x), pixels(box.y), pixels(box.width), pixels(box.height), base64(png));
  }

  void begin_clip(const Box& box) override {
    end_runs();
    out_ += fmt::format("<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\">",
                        pixels(box.x), pixels(box.y), pixels(box.width), pixels(box.height));
  }
  void end_clip() override {
    end_runs();
    out_ += "</svg>";
  }

  std::string finish(double width, double height, std::string_view description) override {
    end_runs();
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "style=\"max-width:100%;height:auto\" font-family=\"system-ui,'DejaVu Sans',sans-serif\" font-size=\"11\" "
        "fill=\"{2}\" role=\"img\" aria-label=\"{3}\"><rect width=\"100%\" height=\"100%\" rx=\"4\" "
        "fill=\"{4}\"/>{5}</svg>",
        width, height, kInk, html_escape(description), kPaper, out_);
  }

 private:
  static std::string look(const Words& words) {
    static constexpr std::string_view kAnchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    std::string look(kAnchors[static_cast<std::size_t>(words.anchor)]);
    if (words.size != 11) look += fmt::format(" font-size=\"{:.0f}\"", words.size);
    if (words.face == Words::Face::strong) look += " font-weight=\"600\"";
    if (words.face == Words::Face::slanted) look += " font-style=\"italic\"";
    return look;
  }

  void end_lines() {
    if (lines_.empty()) return;
    out_ += fmt::format("<path d=\"{}\" stroke=\"{}\"", lines_, lines_ink_.colour);
    if (lines_ink_.width != 1) out_ += fmt::format(" stroke-width=\"{}\"", pixels(lines_ink_.width));
    out_ += opacity("stroke", lines_ink_) + "/>";
    lines_.clear();
  }
  void end_words() {
    if (words_.empty()) return;
    const auto shared = look(words_.front());
    const bool group = words_.size() > 1 && !shared.empty();
    if (group) out_ += "<g" + shared + ">";
    for (const auto& words : words_) {
      out_ += fmt::format("<text x=\"{}\" y=\"{}\"{}", pixels(words.x), pixels(words.y), group ? "" : shared);
      if (words.direction == Words::Direction::up)
        out_ += fmt::format(" transform=\"rotate(-90 {} {})\"", pixels(words.x), pixels(words.y));
      out_ += ">" + html_escape(words.text) + "</text>";
    }
    if (group) out_ += "</g>";
    words_.clear();
  }
  void end_runs() {
    end_lines();
    end_words();
  }

  std::string out_;
  // Lines of one ink, and words of one look, that come one after the other: a tenth of the text of an element each.
  std::string lines_;
  Ink lines_ink_;
  std::vector<Words> words_;
};

}  // namespace

std::unique_ptr<Canvas> svg_canvas() { return std::make_unique<SvgCanvas>(); }

}  // namespace xcuda::display
