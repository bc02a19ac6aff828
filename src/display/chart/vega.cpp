#include "display/chart/vega.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace xcuda::display {

VegaRows::VegaRows(std::vector<std::string> columns)
    : columns_(std::move(columns)), text_(fmt::format("{}\n", fmt::join(columns_, ","))) {}

void VegaRows::add(const std::vector<std::string>& row) { text_ += fmt::format("{}\n", fmt::join(row, ",")); }

nlohmann::json VegaRows::json() const {
  auto types = nlohmann::json::object();
  for (const auto& column : columns_) types[column] = "number";
  return {{"values", text_}, {"format", {{"type", "csv"}, {"parse", std::move(types)}}}};
}

nlohmann::json legend_json(const std::vector<std::string>& labels, double width) {
  constexpr double kLetter = 6, kSymbol = 30;  // pixels
  double widest = 1;
  for (const auto& label : labels)
    widest = std::max(widest, kSymbol + kLetter * static_cast<double>(code_points_of_bytes(label, label.size())));
  const auto columns =
      std::clamp<std::size_t>(static_cast<std::size_t>(width / widest), 1, std::max<std::size_t>(labels.size(), 1));
  return {{"orient", "top"}, {"columns", columns}};
}

nlohmann::json vega_json(const VegaFrame& frame) {
  nlohmann::json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
                         {"width", frame.width},
                         {"height", frame.height},
                         {"background", "transparent"},
                         {"description", frame.description}};
  constexpr auto kPageInk = "currentColor";  // which a light and a dark theme set
  spec["config"] = {{"view", {{"stroke", nullptr}}},
                    {"title", {{"color", kPageInk}}},
                    {"legend",
                     {{"labelColor", kPageInk},
                      {"titleColor", kPageInk},
                      {"symbolOpacity", 1},  // no paler than what it names
                      {"symbolStrokeWidth", 2},
                      {"labelLimit", 280}}},
                    {"axis",
                     {{"labelColor", kPageInk},
                      {"titleColor", kPageInk},
                      {"gridColor", "#808080"},
                      {"gridOpacity", 0.18},
                      {"domainColor", "#808080"},
                      {"tickColor", "#808080"}}}};
  // A canvas would keep the ink of the theme that it was drawn in.
  spec["usermeta"] = {{"embedOptions", {{"renderer", "svg"}}}};
  if (frame.notes.empty()) {
    if (!frame.title.empty()) spec["title"] = frame.title;
  } else if (frame.title.empty()) {  // Vega shows no subtitle below a title without text
    spec["title"] = {{"text", frame.notes}, {"fontWeight", "normal"}, {"fontSize", 11}};
  } else {
    spec["title"] = {{"text", frame.title}, {"subtitle", frame.notes}, {"subtitleColor", kPageInk}};
  }
  return spec;
}

}  // namespace xcuda::display
