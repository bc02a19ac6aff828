// Parts that the Vega-Lite forms of all charts share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace xcuda::display {

// Rows of text take a fifth of what an object for each value would: a notebook breaks the lines of objects, too.
// Columns are numbers; an empty one is a gap.
class VegaRows {
 public:
  explicit VegaRows(std::vector<std::string> columns);
  void add(const std::vector<std::string>& row);
  nlohmann::json json() const;

 private:
  std::vector<std::string> columns_;
  std::string text_;
};

struct VegaFrame {
  std::string title;               // may be empty
  std::vector<std::string> notes;  // below it
  std::string description;         // for screen readers
  double width = 0, height = 0;    // pixels
};
constexpr double kVegaWidth = 560;  // pixels between the axes

// A legend above the chart, as the SVG has it: beside it, a window of 900 pixels cuts it off. As many columns as fit.
nlohmann::json legend_json(const std::vector<std::string>& labels, double width);

// A chart without data. It is drawn in the page, and takes the colour of its words from there.
nlohmann::json vega_json(const VegaFrame& frame);

}  // namespace xcuda::display
