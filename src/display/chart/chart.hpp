// Lines, points, bars and maps of cells: as SVG for every client, as Vega-Lite for those that can draw it, as PDF for
// LaTeX, as characters for a terminal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "display/bundle.hpp"
#include "display/chart/axis.hpp"
#include "display/colour_map.hpp"
#include "display/image_view.hpp"
#include "display/palette.hpp"

namespace xcuda::display {

struct Series {
  std::string label;          // in the legend; empty for one series alone
  std::vector<double> x, y;   // NaN is a gap in a line
  std::vector<double> error;  // half the length of the bar at each point; empty: there are none
};

// A rectangle of the plane in equal cells; row 0 is at the top of its vertical range.
struct CellMap {
  ImageView image;  // its samples, limits and colours
  double left = 0, right = 1, bottom = 0, top = 1;
  enum class Meaning : std::uint8_t { values, counts } meaning = Meaning::values;
};

struct Chart {
  enum class Mark : std::uint8_t { line, points, bars, cells } mark = Mark::line;
  std::string title, x_label, y_label;
  Scale x_scale = Scale::linear, y_scale = Scale::linear;
  std::vector<Series> series;  // of bars: x has the edges, one more than y
  std::optional<CellMap> cells;
  std::vector<std::string> notes;
  bool whole_x = false, whole_y = false;  // the axis counts elements: it has no halves
  bool names_points = false;              // a series of one point has its label beside it
};

// The limits of both axes, over all series; 0 to 1 where there are no values.
struct Frame {
  Axis x, y;
};
Frame frame_of(const Chart& chart);

std::vector<std::byte> cells_png(const Chart& chart);  // the picture of its cells in both drawings; empty without any
std::string chart_svg(const Chart& chart, std::span<const std::byte> cells);
std::string chart_pdf(const Chart& chart, std::span<const std::byte> cells);  // a file
inline std::string chart_svg(const Chart& chart) { return chart_svg(chart, cells_png(chart)); }
inline std::string chart_pdf(const Chart& chart) { return chart_pdf(chart, cells_png(chart)); }
std::string chart_description(const Chart& chart);  // a sentence for screen readers
std::string chart_text(const Chart& chart);
// The chart as Vega-Lite; nothing if only a picture can show it: a map of very many cells.
std::optional<nlohmann::json> chart_vega(const Chart& chart);
Bundle chart_bundle(const Chart& chart);

inline constexpr std::string_view kSvgMime = "image/svg+xml";
inline constexpr std::string_view kPdfMime = "application/pdf";
inline constexpr std::string_view kVegaMime = "application/vnd.vegalite.v5+json";

}  // namespace xcuda::display
