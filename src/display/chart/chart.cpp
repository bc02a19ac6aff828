#include "display/chart/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/base64.hpp"
#include "base/units.hpp"

namespace xcuda::display {
namespace {

struct Extent {
  double low = 0, high = 0;
  bool any = false;
  void add(double value, Scale scale) {
    if (!std::isfinite(value) || (scale == Scale::logarithmic && value <= 0)) return;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
  Axis axis(Scale scale, Axis::Room room) const {
    if (any) return {scale, low, high, room};
    return {scale, scale == Scale::logarithmic ? 1.0 : 0.0, scale == Scale::logarithmic ? 10.0 : 1.0, Axis::Room::none};
  }
};

// Dots of two by four in a character (Unicode's Braille patterns).
class DotCanvas {
 public:
  DotCanvas(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows), cells_(columns * rows) {}
  std::ptrdiff_t width() const { return static_cast<std::ptrdiff_t>(columns_ * 2); }
  std::ptrdiff_t height() const { return static_cast<std::ptrdiff_t>(rows_ * 4); }

  void dot(std::ptrdiff_t x, std::ptrdiff_t y) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    static constexpr std::uint8_t kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cells_[static_cast<std::size_t>(y / 4) * columns_ + static_cast<std::size_t>(x / 2)] |= kBits[y % 4][x % 2];
  }

  void line(std::ptrdiff_t x0, std::ptrdiff_t y0, std::ptrdiff_t x1, std::ptrdiff_t y1) {
    const auto steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), std::ptrdiff_t{1}});
    for (std::ptrdiff_t i = 0; i <= steps; ++i) dot(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps);
  }

  std::string row(std::size_t r) const {
    std::string text;
    for (std::size_t c = 0; c < columns_; ++c) {
      const auto bits = cells_[r * columns_ + c];
      const unsigned code = 0x2800 + bits;
      if (bits == 0)
        text += ' ';
      else
        for (const unsigned byte : {0xE0 | code >> 12, 0x80 | (code >> 6 & 63), 0x80 | (code & 63)})
          text += static_cast<char>(byte);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

 private:
  std::size_t columns_, rows_;
  std::vector<std::uint8_t> cells_;
};

void draw(DotCanvas& canvas, const Chart& chart, const Series& series, const Frame& frame) {
  const auto across = [&](double x) {
    return static_cast<std::ptrdiff_t>(std::lround(frame.x.at(x) * static_cast<double>(canvas.width() - 1)));
  };
  const auto down = [&](double y) {
    return canvas.height() - 1 -
           static_cast<std::ptrdiff_t>(std::lround(frame.y.at(y) * static_cast<double>(canvas.height() - 1)));
  };
  const auto drawn = [](double value, const Axis& axis) {
    return std::isfinite(value) && (axis.scale() == Scale::linear || value > 0);
  };
  bool before = false;
  std::ptrdiff_t x0 = 0, y0 = 0;
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    if (!drawn(series.x[i], frame.x) || !drawn(series.y[i], frame.y)) {
      before = false;
      continue;
    }
    const auto x = across(series.x[i]), y = down(series.y[i]);
    if (!series.error.empty() && std::isfinite(series.error[i]))
      for (const double end : {series.y[i] - series.error[i], series.y[i] + series.error[i]})
        if (drawn(end, frame.y)) canvas.line(x, y, x, down(end));
    if (chart.mark == Chart::Mark::bars)
      for (auto column = x; column < std::max(across(series.x[i + 1]), x + 1); ++column)
        canvas.line(column, canvas.height() - 1, column, y);
    else if (chart.mark == Chart::Mark::line && before)
      canvas.line(x0, y0, x, y);
    else
      canvas.dot(x, y);
    before = true;
    x0 = x;
    y0 = y;
  }
}

Frame bare_frame_of(const Chart& chart) {
  if (chart.cells) {
    const auto& map = *chart.cells;
    const auto [low, high] = std::minmax(map.bottom, map.top);
    return {Axis(Scale::linear, map.left, map.right, Axis::Room::none),
            Axis(Scale::linear, low, high, Axis::Room::none)};
  }
  Extent x, y;
  for (const auto& series : chart.series) {
    for (const double value : series.x) x.add(value, chart.x_scale);
    for (const double value : series.y) y.add(value, chart.y_scale);
    for (std::size_t i = 0; i < series.error.size(); ++i)
      for (const double end : {series.y[i] - series.error[i], series.y[i] + series.error[i]}) y.add(end, chart.y_scale);
  }
  const bool bars = chart.mark == Chart::Mark::bars;
  if (bars && chart.y_scale == Scale::linear) y.add(0, chart.y_scale);
  auto vertical = y.axis(chart.y_scale, Axis::Room::some);
  if (bars) {  // they start on the axis, however short the shortest is
    if (chart.y_scale == Scale::logarithmic)
      vertical = Axis(chart.y_scale, y.any ? y.low * 0.7 : 0.7, vertical.high(), Axis::Room::none);
    else
      vertical = Axis(chart.y_scale, 0, vertical.high(), Axis::Room::none);
  }
  const bool errors =
      std::any_of(chart.series.begin(), chart.series.end(), [](const Series& one) { return !one.error.empty(); });
  // A dot or the end of an error bar is wider than its point.
  const bool room = errors || chart.mark == Chart::Mark::points;
  return {x.axis(chart.x_scale, room ? Axis::Room::some : Axis::Room::none), vertical};
}

}  // namespace

Frame frame_of(const Chart& chart) {
  auto frame = bare_frame_of(chart);
  if (chart.whole_x) frame.x.count_in_steps_of(1);
  if (chart.whole_y) frame.y.count_in_steps_of(1);
  return frame;
}

std::string chart_text(const Chart& chart) {
  const auto frame = frame_of(chart);
  std::string text = chart.title;
  const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "\n") + line; };
  if (chart.cells) {
    add(image_text(chart.cells->image));
  } else {
    DotCanvas canvas(64, 14);
    for (const auto& series : chart.series) draw(canvas, chart, series, frame);
    const auto top = frame.y.high_text(), bottom = frame.y.low_text();
    const auto margin = std::max(top.size(), bottom.size());
    for (std::size_t r = 0; r < 14; ++r)
      add(fmt::format("{:>{}} │{}", r == 0 ? top : r == 13 ? bottom : "", margin, canvas.row(r)));
    const auto left = frame.x.low_text(), right = frame.x.high_text();
    add(fmt::format("{:{}} └{}", "", margin,
                    left + fmt::format("{:>{}}", right, 64 - std::min<std::size_t>(left.size(), 60))));
    if (!chart.x_label.empty() || !chart.y_label.empty())
      add(fmt::format("{}{}{}", chart.y_label, chart.y_label.empty() || chart.x_label.empty() ? "" : " over ",
                      chart.x_label));
    std::string labels;
    for (const auto& series : chart.series)
      if (!series.label.empty()) labels += (labels.empty() ? "" : ", ") + series.label;
    if (!labels.empty()) add(labels);
  }
  for (const auto& note : chart.notes) add(note);
  return text;
}

std::string chart_description(const Chart& chart) {
  static constexpr std::string_view kMarks[] = {"line chart", "scatter plot", "histogram", "heat map"};
  std::string text(kMarks[static_cast<std::size_t>(chart.mark)]);
  if (!chart.title.empty()) text += fmt::format(" \"{}\"", chart.title);
  std::vector<std::string> labels;
  for (const auto& series : chart.series)
    if (!series.label.empty()) labels.push_back(series.label);
  if (labels.empty() && !chart.y_label.empty()) labels.push_back(chart.y_label);
  if (!labels.empty()) text += fmt::format(" of {}", fmt::join(labels, ", "));
  if (!chart.x_label.empty()) text += fmt::format(" over {}", chart.x_label);
  const auto frame = frame_of(chart);
  const auto range = [](const Axis& axis) { return fmt::format("{} to {}", axis.low_text(), axis.high_text()); };
  return text + fmt::format("; x from {}, y from {}", range(frame.x), range(frame.y));
}

namespace {

nlohmann::json chart_json(const Chart& chart) {
  static constexpr std::string_view kMarks[] = {"line", "points", "bars", "cells"};
  const auto frame = frame_of(chart);
  const auto axis = [](const Axis& of, Scale scale, const std::string& label) -> nlohmann::json {
    return {{"label", label},
            {"low", of.low()},
            {"high", of.high()},
            {"scale", scale == Scale::linear ? "linear" : "logarithmic"}};
  };
  auto series = nlohmann::json::array();
  for (const auto& data : chart.series) series.push_back({{"label", data.label}, {"points", data.y.size()}});
  nlohmann::json json = {{"schema", 1},
                         {"mark", kMarks[static_cast<std::size_t>(chart.mark)]},
                         {"title", chart.title},
                         {"series", std::move(series)},
                         {"x", axis(frame.x, chart.x_scale, chart.x_label)},
                         {"y", axis(frame.y, chart.y_scale, chart.y_label)},
                         {"notes", chart.notes}};
  if (chart.cells) {
    const auto& image = chart.cells->image;
    const auto limits = limits_of(image);
    json["cells"] = {{"width", image.raster.width},
                     {"height", image.raster.height},
                     {"colours", name_of(image.map)},
                     {"low", limits.low},
                     {"high", limits.high},
                     {"meaning", chart.cells->meaning == CellMap::Meaning::counts ? "counts" : "values"}};
  }
  return json;
}

}  // namespace

Bundle chart_bundle(const Chart& chart) {
  Bundle bundle = text_bundle(chart_text(chart));
  const auto cells = cells_png(chart);
  bundle.data[kSvgMime] = chart_svg(chart, cells);
  const auto pdf = chart_pdf(chart, cells);
  bundle.data[kPdfMime] = base64(std::as_bytes(std::span(pdf)));
  bundle.data[kChartMime] = chart_json(chart);
  if (auto vega = chart_vega(chart)) bundle.data[kVegaMime] = std::move(*vega);
  return bundle;
}

}  // namespace xcuda::display
