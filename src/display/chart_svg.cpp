// Charts as SVG. It stands in an <img> in JupyterLab, where no style sheet reaches it: text and lines are of a middle
// gray that reads on white and on black, and the background is left to the page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.hpp"
#include "display/chart.hpp"

namespace xcuda::display {
namespace {

constexpr double kWidth = 640, kHeight = 400;
constexpr std::string_view kInk = "#7d7d7d";
constexpr double kLetter = 6.4;  // of 11 pixels, on average

double text_width(std::string_view text) {
  return kLetter * static_cast<double>(code_points_of_bytes(text, text.size()));
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart)
      : chart_(chart), frame_(frame_of(chart)), x_ticks_(frame_.x.ticks(8)), y_ticks_(frame_.y.ticks(6)) {
    double widest = 0;
    for (const auto& tick : y_ticks_) widest = std::max(widest, text_width(tick.label));
    left_ = widest + 14 + (chart.y_label.empty() ? 0 : 20);
    has_legend_ =
        std::any_of(chart.series.begin(), chart.series.end(), [](const Series& data) { return !data.label.empty(); });
    top_ = (chart.title.empty() ? 10 : 32) + (has_legend_ ? 16 : 0);
    bottom_ = kHeight - 24 - (chart.x_label.empty() ? 0 : 20) - 16 * static_cast<double>(chart.notes.size());
    right_ = kWidth - (chart.cells ? 84 : 16);
    if (!chart.cells) return;
    // Square cells where they fit: an array is a picture.
    const auto& map = *chart.cells;
    if (map.meaning == CellMap::Meaning::counts) return;
    const double aspect = std::abs((map.right - map.left) / (map.top - map.bottom));
    const double width = right_ - left_, height = bottom_ - top_;
    if (aspect > 8 || aspect < 0.125) return;
    if (aspect * height < width)
      right_ = left_ + aspect * height;
    else
      bottom_ = top_ + width / aspect;
  }

  std::string svg() {
    grid();
    out_ += fmt::format(
        "<svg x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" viewBox=\"{0:.1f} {1:.1f} {2:.1f} "
        "{3:.1f}\">",
        left_, top_, right_ - left_, bottom_ - top_);
    if (chart_.cells) cells();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) series(chart_.series[i], series_colour(i));
    out_ += "</svg>";
    axes();
    if (chart_.cells) colour_bar();
    legend();
    const double below = bottom_ + 24 + (chart_.x_label.empty() ? 0 : 20);
    for (std::size_t i = 0; i < chart_.notes.size(); ++i)
      text(left_, below + 16 * static_cast<double>(i) + 4, "start", chart_.notes[i], "font-style=\"italic\"");
    const double used = below + 16 * static_cast<double>(chart_.notes.size());
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"11\" fill=\"{2}\" role=\"img\">{3}</svg>",
        kWidth, std::min(used + 2, kHeight), kInk, out_);
  }

 private:
  double x(double value) const { return left_ + std::clamp(frame_.x.at(value), -1e3, 1e3) * (right_ - left_); }
  double y(double value) const {
    const double at = std::clamp(frame_.y.at(value), -1e3, 1e3);
    // Rows of an array are numbered from the top.
    const bool downwards = chart_.cells && chart_.cells->top < chart_.cells->bottom;
    return downwards ? top_ + at * (bottom_ - top_) : bottom_ - at * (bottom_ - top_);
  }
  static bool drawn(double value, const Axis& axis) {
    return std::isfinite(value) && (axis.scale() == Scale::linear || value > 0);
  }

  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>", x1, y1, x2, y2, style);
  }
  void text(double at_x, double at_y, std::string_view anchor, std::string_view words, std::string_view style = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>", at_x, at_y, anchor, style,
                        html_escape(words));
  }

  void grid() {
    if (chart_.cells && chart_.cells->meaning == CellMap::Meaning::values) return;
    for (const auto& tick : x_ticks_)
      line(x(tick.value), top_, x(tick.value), bottom_, "stroke=\"#808080\" stroke-opacity=\".18\"");
    for (const auto& tick : y_ticks_)
      line(left_, y(tick.value), right_, y(tick.value), "stroke=\"#808080\" stroke-opacity=\".18\"");
  }

  void axes() {
    line(left_, bottom_, right_, bottom_, "stroke=\"#808080\"");
    line(left_, top_, left_, bottom_, "stroke=\"#808080\"");
    double free_from = -1e9;  // labels that would touch are left out
    for (const auto& tick : x_ticks_) {
      const double at = x(tick.value), half = text_width(tick.label) / 2;
      line(at, bottom_, at, bottom_ + 4, "stroke=\"#808080\"");
      if (at - half < free_from || at + half > kWidth) continue;
      text(at, bottom_ + 16, "middle", tick.label);
      free_from = at + half + 6;
    }
    for (const auto& tick : y_ticks_) {
      line(left_ - 4, y(tick.value), left_, y(tick.value), "stroke=\"#808080\"");
      text(left_ - 7, y(tick.value) + 4, "end", tick.label);
    }
    if (!chart_.title.empty())
      text((left_ + right_) / 2, 19, "middle", chart_.title, "font-size=\"14\" font-weight=\"600\"");
    if (!chart_.x_label.empty()) text((left_ + right_) / 2, bottom_ + 34, "middle", chart_.x_label, "font-size=\"12\"");
    if (!chart_.y_label.empty()) {
      const double middle = (top_ + bottom_) / 2;
      text(13, middle, "middle", chart_.y_label,
           fmt::format("font-size=\"12\" transform=\"rotate(-90 13 {:.1f})\"", middle));
    }
  }

  void series(const Series& data, std::string_view colour) {
    const bool single = chart_.mark == Chart::Mark::line && data.y.size() == 1 && drawn(data.x[0], frame_.x) &&
                        drawn(data.y[0], frame_.y);
    if (single) {
      out_ +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/>", x(data.x[0]), y(data.y[0]), colour);
      return;
    }
    if (chart_.mark == Chart::Mark::bars) return bars(data, colour);
    std::string path;
    bool open = false;
    const double radius = data.y.size() > 1000 ? 1.6 : data.y.size() > 200 ? 2.2 : 3;
    for (std::size_t i = 0; i < data.y.size(); ++i) {
      if (!drawn(data.x[i], frame_.x) || !drawn(data.y[i], frame_.y)) {
        open = false;
        continue;
      }
      if (chart_.mark == Chart::Mark::points) {
        // A dot is a line of no length with round ends: a tenth of the text of a circle.
        path += fmt::format("M{:.1f} {:.1f}h0", x(data.x[i]), y(data.y[i]));
      } else {
        path += fmt::format("{}{:.1f} {:.1f}", open ? 'L' : 'M', x(data.x[i]), y(data.y[i]));
        const bool alone = !open && (i + 1 == data.y.size() || !drawn(data.y[i + 1], frame_.y));
        if (alone) path += "h0";
        open = true;
      }
    }
    const bool points = chart_.mark == Chart::Mark::points;
    out_ += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\" stroke-linejoin=\"round\" "
        "stroke-linecap=\"round\"{}/>",
        path, colour,
        points                ? 2 * radius
        : data.y.size() > 800 ? 1.1
                              : 1.7,
        points ? " stroke-opacity=\".75\"" : "");
  }

  void bars(const Series& data, std::string_view colour) {
    std::string path;
    for (std::size_t i = 0; i < data.y.size(); ++i) {
      if (!drawn(data.y[i], frame_.y) || data.y[i] <= 0 || !drawn(data.x[i], frame_.x)) continue;
      const double from = x(data.x[i]), to = x(data.x[i + 1]), gap = to - from > 5 ? 0.6 : 0;
      path += fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}z", from + gap, bottom_, y(data.y[i]), to - gap, bottom_);
    }
    out_ += fmt::format("<path d=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>", path, colour,
                        chart_.series.size() > 1 ? ".6" : ".85");
  }

  void cells() {
    out_ += fmt::format(
        "<image x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" preserveAspectRatio=\"none\" "
        "style=\"image-rendering:pixelated\" "
        "xlink:href=\"data:image/png;base64,{}\"/>",
        left_, top_, right_ - left_, bottom_ - top_, base64(image_png(chart_.cells->image)));
  }

  void colour_bar() {
    const auto& map = *chart_.cells;
    const auto limits = limits_of(map.image);
    const double at = right_ + 14, height = bottom_ - top_;
    Pixels bar{1, 256, 1, {}};
    for (int i = 255; i >= 0; --i) bar.samples.push_back(static_cast<std::uint8_t>(std::max(i, 1)));
    out_ += fmt::format(
        "<image x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"{:.1f}\" preserveAspectRatio=\"none\" "
        "xlink:href=\"data:image/png;base64,{}\"/>",
        at, top_, height, base64(encode_png(bar, colours_of(map.image.map))));
    const bool counts = map.meaning == CellMap::Meaning::counts;  // drawn by their logarithm
    const Axis axis =
        counts ? Axis(Scale::logarithmic, std::pow(10, limits.low), std::pow(10, limits.high), Axis::Room::none)
               : Axis(Scale::linear, limits.low, limits.high, Axis::Room::none);
    double free_below = 1e9;
    for (const auto& tick : axis.ticks(height > 200 ? 6 : 4)) {
      const double level = bottom_ - axis.at(tick.value) * height;
      if (level > free_below || (counts && tick.value < 1)) continue;
      free_below = level - 12;
      line(at + 12, level, at + 15, level, "stroke=\"#808080\"");
      text(at + 18, level + 4, "start", tick.label);
    }
  }

  // A row above the lines, where it hides none of them.
  void legend() {
    if (!has_legend_) return;
    double at = left_;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      line(at, top_ - 11, at + 16, top_ - 11, fmt::format("stroke=\"{}\" stroke-width=\"3\"", series_colour(i)));
      text(at + 21, top_ - 7, "start", chart_.series[i].label);
      at += 21 + text_width(chart_.series[i].label) + 16;
    }
  }

  const Chart& chart_;
  Frame frame_;
  std::vector<Tick> x_ticks_, y_ticks_;
  bool has_legend_ = false;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
  std::string out_;
};

}  // namespace

std::string chart_svg(const Chart& chart) { return Drawing(chart).svg(); }

}  // namespace xcuda::display
