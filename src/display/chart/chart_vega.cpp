// Charts as Vega-Lite: JupyterLab draws them with zoom and with values under the pointer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "display/chart/chart.hpp"
#include "display/chart/vega.hpp"

namespace xcuda::display {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostMarks = 6000;  // more are a picture, in SVG

// As many digits as a chart can show, which is a thousandth of its axis; ".5", not "0.500".
std::string number(double value, const Axis& axis, Scale scale = Scale::linear) {
  if (!std::isfinite(value)) return "";
  const double range = axis.high() - axis.low();
  const double decimals = range > 0 ? 3 - std::floor(std::log10(range)) : -1;
  constexpr double kMostDecimals = 15;
  if (scale == Scale::logarithmic || decimals < 0 || decimals > kMostDecimals) return fmt::format("{:.5g}", value);
  auto text = fmt::format("{:.{}f}", value, static_cast<int>(decimals));
  if (text.find('.') != text.npos) {
    text.resize(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  const auto whole = text.find("0.");
  if (whole == 0 || (whole == 1 && text.front() == '-')) text.erase(whole, 1);
  return text == "-0" ? "0" : text;
}

Json channel(std::string field, std::string_view title, Scale scale, const Axis& axis) {
  Json spec = {
      {"field", std::move(field)}, {"type", "quantitative"}, {"title", title.empty() ? Json(nullptr) : Json(title)}};
  spec["scale"] = {{"domain", {axis.low(), axis.high()}}, {"nice", false}};
  if (scale == Scale::logarithmic) {
    spec["scale"]["type"] = "log";
    constexpr int kTicks = 9;
    for (const auto& tick : axis.ticks(kTicks)) spec["axis"]["values"].push_back(tick.value);
  }
  const double largest = std::max(std::abs(axis.low()), std::abs(axis.high()));
  if (largest >= 1e7) spec["axis"]["format"] = "~s";  // 100G
  if (largest < 1e-4) spec["axis"]["format"] = "~g";  // 1e-9
  if (axis.least_step() > 0) spec["axis"]["tickMinStep"] = axis.least_step();
  return spec;
}

Json frame_json(const Chart& chart, double width, double height) {
  return vega_json({chart.title, chart.notes, chart_description(chart), width, height});
}

Json colours_json(const Chart& chart) {
  std::vector<std::string> labels;
  Json colours = Json::array();
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    labels.push_back(chart.series[i].label);
    colours.push_back(series_colour(i));
  }
  return {{"field", "series"},
          {"type", "nominal"},
          {"title", nullptr},
          {"legend", legend_json(labels, kVegaWidth)},
          {"scale", {{"domain", labels}, {"range", colours}}}};
}

std::optional<Json> cells_json(const Chart& chart) {
  const auto& map = *chart.cells;
  const auto& raster = map.image.raster;
  if (map.meaning == CellMap::Meaning::counts || raster.samples.size() > kMostMarks / 2) return std::nullopt;
  const auto limits = limits_of(map.image);
  VegaRows rows({"value"});
  const Axis colours(Scale::linear, limits.low, limits.high, Axis::Room::none);
  for (const float sample : raster.samples) rows.add({number(sample, colours)});
  const double dx = (map.right - map.left) / raster.width, dy = (map.bottom - map.top) / raster.height;
  const double aspect = std::abs((map.right - map.left) / (map.top - map.bottom));
  double high = std::clamp(480 / aspect, 60.0, 320.0), wide = std::clamp(high * aspect, 60.0, 520.0);
  // Between cells that end within a pixel the page would shine through.
  const auto whole_pixels = [](double length, std::uint64_t cells) {
    const auto each = std::floor(length / static_cast<double>(cells));
    return each >= 2 ? each * static_cast<double>(cells) : length;
  };
  high = whole_pixels(high, raster.height);
  wide = whole_pixels(wide, raster.width);
  auto spec = frame_json(chart, wide, high);
  const auto frame = frame_of(chart);
  Json range = Json::array();
  for (std::size_t i = 0; i < 256; i += 15) range.push_back(hexadecimal(colours_of(map.image.map)[i]));
  spec["data"] = rows.json();
  // Where the cell of a row is, by its number from 1.
  const auto place = [](double begin, double step, const std::string& number) {
    return fmt::format("{} + {} * {}", begin, step, number);
  };
  const auto column = fmt::format("((datum.k - 1) % {})", raster.width),
             row = fmt::format("floor((datum.k - 1) / {})", raster.width);
  spec["transform"] = {{{"window", {{{"op", "row_number"}, {"as", "k"}}}}},
                       {{"calculate", place(map.left, dx, column)}, {"as", "x"}},
                       {{"calculate", place(map.left + dx, dx, column)}, {"as", "x2"}},
                       {{"calculate", place(map.top, dy, row)}, {"as", "y"}},
                       {{"calculate", place(map.top + dy, dy, row)}, {"as", "y2"}}};
  spec["mark"] = {{"type", "rect"}, {"tooltip", {{"content", "encoding"}}}};
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

std::string x_text(const Chart& chart, double x, const Frame& frame) { return number(x, frame.x, chart.x_scale); }
std::string y_text(const Chart& chart, double y, const Frame& frame) {
  return chart.y_scale == Scale::logarithmic && y <= 0 ? "" : number(y, frame.y, chart.y_scale);
}

std::string error_text(const Series& series, std::size_t i, const Frame& frame) {
  return series.error.empty() ? "" : number(series.error[i], frame.y);
}
bool has_errors(const Chart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(), [](const Series& one) { return !one.error.empty(); });
}

// Marks over those of the chart: bars of errors, names beside points.
void add_layers(Json& spec, const Chart& chart) {
  const bool errors = has_errors(chart);
  if (!errors && !chart.names_points) return;
  Json first = {{"mark", spec["mark"]}, {"params", spec["params"]}};
  spec.erase("mark");
  spec.erase("params");
  Json layers = Json::array({std::move(first)});
  Json bar = {{"type", "errorbar"}, {"clip", true}, {"rule", Json::object()}, {"ticks", {{"size", 7}, {"opacity", 1}}}};
  if (!spec["encoding"].contains("color"))  // Vega's own is black, also on a dark page
    for (const char* part : {"rule", "ticks"}) bar[part]["color"] = series_colour(0);
  if (errors)
    layers.push_back({{"transform",
                       {{{"filter", "isValid(datum.e)"}},
                        {{"calculate", "datum.y - datum.e"}, {"as", "low"}},
                        {{"calculate", "datum.y + datum.e"}, {"as", "high"}}}},
                      {"mark", std::move(bar)},
                      {"encoding",
                       {{"y", {{"field", "low"}, {"type", "quantitative"}, {"title", spec["encoding"]["y"]["title"]}}},
                        {"y2", {{"field", "high"}}}}}});
  if (chart.names_points) {
    Json names = Json::array();
    for (const auto& series : chart.series)
      if (series.y.size() == 1) names.push_back(series.label);
    layers.push_back({{"transform", {{{"filter", {{"field", "series"}, {"oneOf", names}}}}}},
                      {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 8}, {"fontSize", 11}}},
                      {"encoding", {{"text", {{"field", "series"}}}, {"color", {{"value", "currentColor"}}}}}});
  }
  spec["layer"] = std::move(layers);
}

// One row for each x with a column for each series where they have their x in common; else a row for each point.
void add_values(Json& spec, const Chart& chart, const Frame& frame) {
  const auto& series = chart.series;
  const bool bars = chart.mark == Chart::Mark::bars;
  const bool errors = has_errors(chart);
  const bool shared =
      !errors && std::all_of(series.begin(), series.end(), [&](const Series& one) { return one.x == series[0].x; });
  std::vector<std::string> columns = {"x"}, lines;
  if (bars) columns.emplace_back("x2");
  for (std::size_t i = 0; i < series.size(); ++i) lines.push_back(fmt::format("s{}", i));
  if (shared)
    columns.insert(columns.end(), lines.begin(), lines.end());
  else
    columns.insert(columns.end(), {"y", "s"});
  if (errors) columns.emplace_back("e");
  VegaRows rows(columns);
  const auto add = [&](const Series& one, std::size_t i, const std::vector<std::string>& rest) {
    if (chart.x_scale == Scale::logarithmic && one.x[i] <= 0) return;
    std::vector<std::string> row = {x_text(chart, one.x[i], frame)};
    if (bars) row.push_back(x_text(chart, one.x[i + 1], frame));
    row.insert(row.end(), rest.begin(), rest.end());
    rows.add(row);
  };
  Json names = Json::array();
  for (const auto& one : series) names.push_back(one.label);
  Json transform = Json::array();
  if (shared && !series.empty()) {
    for (std::size_t i = 0; i < series[0].y.size(); ++i) {
      std::vector<std::string> values;
      for (const auto& one : series) values.push_back(y_text(chart, one.y[i], frame));
      add(series[0], i, values);
    }
    transform.push_back({{"fold", lines}, {"as", {"s", "y"}}});
    transform.push_back({{"calculate", names.dump() + "[toNumber(substring(datum.s, 1))]"}, {"as", "series"}});
  } else {
    for (std::size_t k = 0; k < series.size(); ++k)
      for (std::size_t i = 0; i < series[k].y.size(); ++i)
        add(series[k], i,
            errors
                ? std::vector{y_text(chart, series[k].y[i], frame), std::to_string(k), error_text(series[k], i, frame)}
                : std::vector{y_text(chart, series[k].y[i], frame), std::to_string(k)});
    transform.push_back({{"calculate", names.dump() + "[datum.s]"}, {"as", "series"}});
  }
  spec["data"] = rows.json();
  spec["transform"] = std::move(transform);
}

}  // namespace

std::optional<Json> chart_vega(const Chart& chart) {
  if (chart.cells) return cells_json(chart);
  std::size_t marks = 0;
  for (const auto& series : chart.series) marks += series.y.size();
  if (marks > 3 * kMostMarks) return std::nullopt;
  const bool bars = chart.mark == Chart::Mark::bars;
  const auto frame = frame_of(chart);
  auto spec = frame_json(chart, kVegaWidth, 310);
  add_values(spec, chart, frame);
  // Interval selections bound to the scales: drag to move, wheel to zoom, double click to go back.
  spec["params"] = Json::array({{{"name", "view"}, {"select", "interval"}, {"bind", "scales"}}});
  Json mark = {{"tooltip", {{"content", "encoding"}}}, {"clip", true}};
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
    mark["opacity"] = 1;
  }
  if (bars) {
    mark["type"] = "rect";
    mark["opacity"] = chart.series.size() > 1 ? 0.6 : 1;
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
  add_layers(spec, chart);
  return spec;
}

}  // namespace xcuda::display
