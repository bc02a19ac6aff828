// Charts on a canvas: SVG for browsers, PDF for LaTeX.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "display/chart/canvas.hpp"
#include "display/chart/chart.hpp"
#include "display/chart/simplified.hpp"

namespace xcuda::display {
namespace {

constexpr double kWidth = 640, kHeight = 400;
constexpr Ink kGrid{.opacity = 0.18}, kLine{};
constexpr double kLegendRow = 16, kLegendSymbol = 21;
constexpr double kLetter = 6.4;  // of 11 pixels, on average

double text_width(std::string_view text) {
  return kLetter * static_cast<double>(code_points_of_bytes(text, text.size()));
}

class Drawing {
 public:
  Drawing(const Chart& chart, Canvas& canvas, std::span<const std::byte> cells)
      : chart_(chart),
        canvas_(canvas),
        cells_(cells),
        frame_(frame_of(chart)),
        x_ticks_(frame_.x.ticks(8)),
        y_ticks_(frame_.y.ticks(6)) {
    double widest = 0;
    for (const auto& tick : y_ticks_) widest = std::max(widest, text_width(tick.label));
    left_ = widest + 14 + (chart.y_label.empty() ? 0 : 20);
    place_legend();
    top_ = (chart.title.empty() ? 10 : 32) + kLegendRow * legend_rows_;
    bottom_ = kHeight - 30 - (chart.x_label.empty() ? 0 : 20) - 16 * static_cast<double>(chart.notes.size());
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

  std::string draw() {
    grid();
    canvas_.begin_clip({left_, top_, right_ - left_, bottom_ - top_});
    if (chart_.cells) canvas_.picture({left_, top_, right_ - left_, bottom_ - top_}, cells_);
    for (std::size_t i = 0; i < chart_.series.size(); ++i) series(chart_.series[i], series_colour(i));
    canvas_.end_clip();
    axes();
    if (chart_.cells) colour_bar();
    legend();
    const double below = bottom_ + 30 + (chart_.x_label.empty() ? 0 : 20);
    for (std::size_t i = 0; i < chart_.notes.size(); ++i)
      canvas_.words({.face = Words::Face::slanted,
                     .x = left_,
                     .y = below + 16 * static_cast<double>(i) + 4,
                     .text = chart_.notes[i]});
    const double used = below + 16 * static_cast<double>(chart_.notes.size());
    return canvas_.finish(kWidth, std::min(used + 2, kHeight), chart_description(chart_));
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

  void text(double at_x, double at_y, Words::Anchor anchor, std::string_view words) {
    canvas_.words({.anchor = anchor, .x = at_x, .y = at_y, .text = std::string(words)});
  }

  void grid() {
    if (chart_.cells && chart_.cells->meaning == CellMap::Meaning::values) return;
    for (const auto& tick : x_ticks_) canvas_.line(x(tick.value), top_, x(tick.value), bottom_, kGrid);
    for (const auto& tick : y_ticks_) canvas_.line(left_, y(tick.value), right_, y(tick.value), kGrid);
  }

  void axes() {
    canvas_.line(left_, bottom_, right_, bottom_, kLine);
    canvas_.line(left_, top_, left_, bottom_, kLine);
    for (const auto& tick : x_ticks_) canvas_.line(x(tick.value), bottom_, x(tick.value), bottom_ + 4, kLine);
    for (const auto& tick : y_ticks_) canvas_.line(left_ - 4, y(tick.value), left_, y(tick.value), kLine);
    double free_from = -1e9;  // labels that would touch are left out
    for (const auto& tick : x_ticks_) {
      const double at = x(tick.value), half = text_width(tick.label) / 2;
      if (at - half < free_from || at + half > kWidth) continue;
      text(at, bottom_ + 16, Words::Anchor::middle, tick.label);
      free_from = at + half + 6;
    }
    for (const auto& tick : y_ticks_) text(left_ - 7, y(tick.value) + 4, Words::Anchor::end, tick.label);
    const double across = (left_ + right_) / 2;
    using Anchor = Words::Anchor;
    if (!chart_.title.empty())
      canvas_.words({.anchor = Anchor::middle,
                     .face = Words::Face::strong,
                     .x = across,
                     .y = 19,
                     .text = chart_.title,
                     .size = 14});
    if (!chart_.x_label.empty())
      canvas_.words({.anchor = Anchor::middle, .x = across, .y = bottom_ + 34, .text = chart_.x_label, .size = 12});
    if (!chart_.y_label.empty())
      canvas_.words({.anchor = Anchor::middle,
                     .direction = Words::Direction::up,
                     .x = 13,
                     .y = (top_ + bottom_) / 2,
                     .text = chart_.y_label,
                     .size = 12});
  }

  void series(const Series& data, std::string_view colour) {
    if (chart_.mark == Chart::Mark::bars) return bars(data, colour);
    const bool points = chart_.mark == Chart::Mark::points;
    if (points) return dots(data, colour);
    const auto stands = [&](std::size_t i) { return drawn(data.x[i], frame_.x) && drawn(data.y[i], frame_.y); };
    Path path;
    bool open = false;
    for (std::size_t i = 0; i < data.y.size(); ++i) {
      if (!stands(i)) {
        open = false;
        continue;
      }
      const bool alone = !open && (i + 1 == data.y.size() || !stands(i + 1));
      if (alone)
        path.dot(x(data.x[i]), y(data.y[i]));
      else if (open)
        path.line(x(data.x[i]), y(data.y[i]));
      else
        path.move(x(data.x[i]), y(data.y[i]));
      open = true;
    }
    error_bars(data, colour);
    const auto count = data.y.size();
    const bool single = count == 1;
    // Curves have a tenth of the points, and no screen shows the difference.
    constexpr double kTolerance = 0.25;  // pixels
    auto drawn_path = simplified(path, kTolerance);
    // Noise keeps all of its points; a pixel is enough for a line that goes up and down at each.
    constexpr std::size_t kMany = 250;
    if (drawn_path.steps().size() > kMany) drawn_path.unit = 1;
    canvas_.stroke(drawn_path, {colour, single ? 10 : count > 800 ? 1.1 : 1.7});
    if (single && chart_.names_points && stands(0)) name_point(data);
  }

  // From left to right, whatever their order: the ways between them are short, and so is the text of the path.
  void dots(const Series& data, std::string_view colour) {
    std::vector<std::pair<double, double>> places;
    for (std::size_t i = 0; i < data.y.size(); ++i)
      if (drawn(data.x[i], frame_.x) && drawn(data.y[i], frame_.y)) places.emplace_back(x(data.x[i]), y(data.y[i]));
    std::sort(places.begin(), places.end());
    Path path;
    for (const auto& [at_x, at_y] : places) path.dot(at_x, at_y);
    const auto count = places.size();
    canvas_.stroke(path, {colour, count > 1000 ? 3.2 : count > 200 ? 4.4 : 6, 0.75});
  }

  // Beside the point, on the side that has room.
  void name_point(const Series& data) {
    const double at = x(data.x[0]), width = text_width(data.label);
    const bool right = at + 9 + width <= right_;
    text(right ? at + 9 : at - 9, y(data.y[0]) + 4, right ? Words::Anchor::start : Words::Anchor::end, data.label);
  }

  void error_bars(const Series& data, std::string_view colour) {
    if (data.error.empty()) return;
    constexpr double kCap = 3;  // pixels to each side
    Path path;
    for (std::size_t i = 0; i < data.error.size(); ++i) {
      if (!drawn(data.x[i], frame_.x) || !drawn(data.y[i], frame_.y) || !std::isfinite(data.error[i])) continue;
      const double at = x(data.x[i]), least = data.y[i] - data.error[i];
      const double top = y(data.y[i] + data.error[i]), bottom = drawn(least, frame_.y) ? y(least) : bottom_;
      path.move(at, top);
      path.line(at, bottom);
      for (const double end : {top, bottom}) {
        path.move(at - kCap, end);
        path.line(at + kCap, end);
      }
    }
    canvas_.stroke(path, {colour, 1, 0.8});
  }

  void bars(const Series& data, std::string_view colour) {
    Path path;
    for (std::size_t i = 0; i < data.y.size(); ++i) {
      if (!drawn(data.y[i], frame_.y) || data.y[i] <= 0 || !drawn(data.x[i], frame_.x)) continue;
      const double from = x(data.x[i]), to = x(data.x[i + 1]), gap = to - from > 5 ? 0.6 : 0;
      path.bar(from + gap, bottom_, to - gap, y(data.y[i]));
    }
    canvas_.fill(path, {colour, 1, chart_.series.size() > 1 ? 0.6 : 0.85});
  }

  void colour_bar() {
    const auto& map = *chart_.cells;
    const auto limits = limits_of(map.image);
    const double at = right_ + 14, height = bottom_ - top_;
    Pixels bar{1, 256, 1, {}};
    for (int i = 255; i >= 0; --i) bar.samples.push_back(static_cast<std::uint8_t>(std::max(i, 1)));
    canvas_.picture({at, top_, 12, height}, encode_png(bar, colours_of(map.image.map)));
    const bool counts = map.meaning == CellMap::Meaning::counts;  // drawn by their logarithm
    const Axis axis =
        counts ? Axis(Scale::logarithmic, std::pow(10, limits.low), std::pow(10, limits.high), Axis::Room::none)
               : Axis(Scale::linear, limits.low, limits.high, Axis::Room::none);
    double free_below = 1e9;
    std::vector<std::pair<double, std::string>> labels;
    for (auto& tick : axis.ticks(height > 200 ? 6 : 4)) {
      const double level = bottom_ - axis.at(tick.value) * height;
      if (level > free_below || (counts && tick.value < 1)) continue;
      free_below = level - 12;
      canvas_.line(at + 12, level, at + 15, level, kLine);
      labels.emplace_back(level, std::move(tick.label));
    }
    for (const auto& [level, label] : labels) text(at + 18, level + 4, Words::Anchor::start, label);
  }

  // Rows above the lines, where they hide none of them.
  void place_legend() {
    if (std::all_of(chart_.series.begin(), chart_.series.end(), [](const Series& data) { return data.label.empty(); }))
      return;
    double at = left_;
    legend_rows_ = 1;
    for (const auto& data : chart_.series) {
      const double width = kLegendSymbol + text_width(data.label);
      if (at > left_ && at + width > kWidth) {
        at = left_;
        ++legend_rows_;
      }
      legend_.emplace_back(at, legend_rows_);
      at += width + 16;
    }
  }

  void legend() {
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      const auto [at, row] = legend_[i];
      const double level = top_ - kLegendRow * (legend_rows_ - row);
      canvas_.line(at, level - 11, at + 16, level - 11, {series_colour(i), 3});
      text(at + kLegendSymbol, level - 7, Words::Anchor::start, chart_.series[i].label);
    }
  }

  const Chart& chart_;
  Canvas& canvas_;
  std::span<const std::byte> cells_;
  Frame frame_;
  std::vector<Tick> x_ticks_, y_ticks_;
  std::vector<std::pair<double, int>> legend_;  // where each series is named: from the left, and in which row
  int legend_rows_ = 0;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
};

}  // namespace

std::vector<std::byte> cells_png(const Chart& chart) {
  return chart.cells ? image_png(chart.cells->image, Shades::used) : std::vector<std::byte>{};
}

std::string chart_svg(const Chart& chart, std::span<const std::byte> cells) {
  return Drawing(chart, *svg_canvas(), cells).draw();
}
std::string chart_pdf(const Chart& chart, std::span<const std::byte> cells) {
  return Drawing(chart, *pdf_canvas(), cells).draw();
}

}  // namespace xcuda::display
