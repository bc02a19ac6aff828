#include "display/chart/difference_chart.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "display/device_report.hpp"

namespace xcuda::display {

std::optional<Chart> difference_chart(const DifferenceView& view) {
  constexpr std::uint64_t kFewest = 8;  // elements
  if (!view.absolute || view.elements < kFewest) return std::nullopt;
  Chart chart;
  chart.title = fmt::format("|{} - {}|", view.a, view.b);
  if (view.side > 1)
    chart.notes.push_back(view.shape.size() == 1
                              ? fmt::format("each point is the greatest error of {} elements", format_count(view.side))
                              : fmt::format("each cell is the greatest error of {0} × {0} elements", view.side));
  if (view.shape.size() == 1) {
    chart.x_label = "index";
    Series series;
    for (std::size_t i = 0; i < view.worst.samples.size(); ++i) {
      series.x.push_back(static_cast<double>(i * view.side));
      series.y.push_back(view.worst.samples[i]);
    }
    chart.series.push_back(std::move(series));
    chart.whole_x = true;
    return chart;
  }
  chart.mark = Chart::Mark::cells;
  chart.whole_x = chart.whole_y = true;
  const auto columns = view.shape.back(), rows = view.elements / columns;
  ImageView image{.name = chart.title, .dtype = view.a_dtype, .shape = view.shape, .raster = view.worst};
  image.low = 0;
  image.map = ColourMap::magma;
  image.zoom = 1;
  chart.cells = CellMap{.image = std::move(image),
                        .left = 0,
                        .right = static_cast<double>(columns),
                        .bottom = static_cast<double>(rows),
                        .top = 0};
  return chart;
}

}  // namespace xcuda::display
