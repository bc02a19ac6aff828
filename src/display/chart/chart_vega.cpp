// Charts as Vega-Lite: JupyterLab draws them with zoom and with values under the pointer.
#include <algorithm>
#include <cmath>

#include "display/chart/chart.hpp"

namespace xcuda::display {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostMarks = 6000;  // more are a picture, in SVG

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10, 6 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) && scale > 0 ? std::round(value * scale) / scale : value;
}

Json number(double value) { return std::isfinite(value) ? Json(rounded(value)) : Json(nullptr); }

Json channel(std::string field, std::string_view title, Scale scale, const Axis& axis) {
  Json spec = {
      {"field", std::move(field)}, {"type", "quantitative"}, {"title", title.empty() ? Json(nullptr) : Json(title)}};
  spec["scale"] = {{"domain", {axis.low(), axis.high()}}, {"nice", false}};
  if (scale == Scale::logarithmic) spec["scale"]["type"] = "log";
  if (std::max(std::abs(axis.low()), std::abs(axis.high())) >= 1e7) spec["axis"]["format"] = "~s";  // 100G
  if (axis.least_step() > 0) spec["axis"]["tickMinStep"] = axis.least_step();
  return spec;
}

// Colours that read on a white and on a black page, as those of the SVG.
Json frame_json(const Chart& chart, double width, double height) {
  Json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
               {"width", width},
               {"height", height},
               {"background", "transparent"},
               {"description", chart_description(chart)}};
  constexpr auto kInk = "#7d7d7d";
  spec["config"] = {{"view", {{"stroke", nullptr}}},
                    {"title", {{"color", kInk}}},
                    {"legend", {{"labelColor", kInk}, {"titleColor", kInk}}},
                    {"axis",
                     {{"labelColor", kInk},
                      {"titleColor", kInk},
                      {"gridColor", "#808080"},
                      {"gridOpacity", 0.18},
                      {"domainColor", "#808080"},
                      {"tickColor", "#808080"}}}};
  if (!chart.title.empty()) spec["title"] = chart.title;
  if (!chart.notes.empty()) {
    if (!spec.contains("title")) spec["title"] = "";
    spec["title"] = {{"text", spec["title"]}, {"subtitle", chart.notes}, {"subtitleColor", kInk}};
  }
  return spec;
}

Json colours_json(const Chart& chart) {
  Json labels = Json::array(), colours = Json::array();
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    labels.push_back(chart.series[i].label);
    colours.push_back(series_colour(i));
  }
  return {{"field", "series"},
          {"type", "nominal"},
          {"title", nullptr},
          {"scale", {{"domain", labels}, {"range", colours}}}};
}

std::optional<Json> cells_json(const Chart& chart) {
  const auto& map = *chart.cells;
  const auto& raster = map.image.raster;
  if (map.meaning == CellMap::Meaning::counts || raster.samples.size() > kMostMarks / 2) return std::nullopt;
  Json values = Json::array();
  const double dx = (map.right - map.left) / raster.width, dy = (map.bottom - map.top) / raster.height;
  for (std::uint32_t y = 0; y < raster.height; ++y)
    for (std::uint32_t x = 0; x < raster.width; ++x)
      values.push_back({{"x", map.left + dx * x},
                        {"x2", map.left + dx * (x + 1)},
                        {"y", map.top + dy * y},
                        {"y2", map.top + dy * (y + 1)},
                        {"value", number(raster.samples[std::size_t{y} * raster.width + x])}});
  const double aspect = std::abs((map.right - map.left) / (map.top - map.bottom));
  const double high = std::clamp(480 / aspect, 60.0, 320.0), wide = std::clamp(high * aspect, 60.0, 520.0);
  auto spec = frame_json(chart, wide, high);
  const auto frame = frame_of(chart);
  const auto limits = limits_of(map.image);
  Json range = Json::array();
  for (std::size_t i = 0; i < 256; i += 15) range.push_back(hexadecimal(colours_of(map.image.map)[i]));
  spec["data"] = {{"values", std::move(values)}};
  spec["mark"] = {{"type", "rect"}, {"tooltip", {{"content", "data"}}}};
  auto x = channel("x", chart.x_label, Scale::linear, frame.x), y = channel("y", chart.y_label, Scale::linear, frame.y);
  x["axis"]["grid"] = false;
  y["axis"]["grid"] = false;
  if (map.top < map.bottom) y["scale"]["reverse"] = true;
  spec["encoding"] = {{"x", x},
                      {"x2", {{"field", "x2"}}},
                      {"y", y},
                      {"y2", {{"field", "y2"}}},
                      {"color",
                       {{"field", "value"},
                        {"type", "quantitative"},
                        {"title", nullptr},
                        {"scale", {{"domain", {limits.low, limits.high}}, {"range", range}}}}}};
  return spec;
}

}  // namespace

std::optional<Json> chart_vega(const Chart& chart) {
  if (chart.cells) return cells_json(chart);
  std::size_t marks = 0;
  for (const auto& series : chart.series) marks += series.y.size();
  if (marks > 3 * kMostMarks) return std::nullopt;
  const bool bars = chart.mark == Chart::Mark::bars;
  Json values = Json::array();
  for (const auto& series : chart.series)
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      if (chart.x_scale == Scale::logarithmic && series.x[i] <= 0) continue;
      const bool hidden = chart.y_scale == Scale::logarithmic && series.y[i] <= 0;
      if (hidden && chart.mark != Chart::Mark::line) continue;
      Json value = {{"x", number(series.x[i])}, {"y", hidden ? Json(nullptr) : number(series.y[i])}};  // null: a gap
      if (bars) value["x2"] = number(series.x[i + 1]);
      if (!series.label.empty()) value["series"] = series.label;
      values.push_back(std::move(value));
    }
  const auto frame = frame_of(chart);
  auto spec = frame_json(chart, 560, 310);
  spec["data"] = {{"values", std::move(values)}};
  // Interval selections bound to the scales: drag to move, wheel to zoom, double click to go back.
  spec["params"] = Json::array({{{"name", "view"}, {"select", "interval"}, {"bind", "scales"}}});
  Json mark = {{"tooltip", {{"content", "data"}}}, {"clip", true}};
  if (chart.mark == Chart::Mark::line) {
    mark["type"] = "line";
    mark["strokeWidth"] = 1.5;
    if (std::any_of(chart.series.begin(), chart.series.end(),
                    [](const Series& series) { return series.y.size() == 1; }))
      mark["point"] = true;
  }
  if (chart.mark == Chart::Mark::points) {
    mark["type"] = "point";
    mark["filled"] = true;
    mark["size"] = 18;
  }
  if (bars) {
    mark["type"] = "rect";
    mark["opacity"] = chart.series.size() > 1 ? 0.6 : 0.85;
  }
  auto x = channel("x", chart.x_label, chart.x_scale, frame.x), y = channel("y", chart.y_label, chart.y_scale, frame.y);
  spec["encoding"] = {{"x", x}, {"y", y}};
  if (bars) {
    spec["encoding"]["x2"] = {{"field", "x2"}};
    spec["encoding"]["y2"] = {{"datum", frame.y.low()}};
  }
  if (!chart.series.empty() && !chart.series.front().label.empty())
    spec["encoding"]["color"] = colours_json(chart);
  else
    mark["color"] = series_colour(0);
  spec["mark"] = mark;
  return spec;
}

}  // namespace xcuda::display
