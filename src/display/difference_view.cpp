#include "display/difference_view.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/units.hpp"
#include "display/device_report.hpp"
#include "display/table.hpp"

namespace xcuda::display {
namespace {

std::string place_of(const WorstElement& element, const DifferenceView& view) {
  return "[" + index_text(element.index, view.shape) + "]";
}

std::string title_of(const DifferenceView& view) {
  const auto type = view.a_dtype == view.b_dtype ? view.a_dtype : fmt::format("{} and {}", view.a_dtype, view.b_dtype);
  return fmt::format("{} and {}: {}, {}", view.a, view.b, type, shape_text(view.shape));
}

nlohmann::json error_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

}  // namespace

Bundle difference_bundle(const DifferenceView& view) {
  nlohmann::json json = {{"schema", 1},
                         {"a", view.a},
                         {"b", view.b},
                         {"dtypes", {view.a_dtype, view.b_dtype}},
                         {"shape", view.shape},
                         {"elements", view.elements},
                         {"different", view.different},
                         {"not_finite", view.not_finite}};
  Table table{.title = title_of(view)};
  table.columns = {{"greatest"},
                   {"", Align::right, Column::Kind::code},
                   {"at", Align::left, Column::Kind::code},
                   {view.a, Align::right, Column::Kind::code},
                   {view.b, Align::right, Column::Kind::code}};
  const auto add = [&](const char* name, std::string_view key, const std::optional<WorstElement>& worst,
                       const std::string& error) {
    if (!worst) return;
    table.rows.push_back({name, error, place_of(*worst, view), worst->a, worst->b});
    json[key] = {{"error", error_json(worst->error)}, {"index", worst->index}, {"a", worst->a}, {"b", worst->b}};
  };
  const auto error_text = [](const std::optional<WorstElement>& worst) {
    return worst ? fmt::format("{:.3g}", worst->error) : std::string();
  };
  add("absolute error", "absolute", view.absolute, error_text(view.absolute));
  add("relative error", "relative", view.relative, error_text(view.relative));
  add("error in ulps", "ulps", view.ulps,
      !view.ulps                ? ""
      : view.ulps->error < 1e15 ? format_count(static_cast<std::uint64_t>(view.ulps->error))
                                : error_text(view.ulps));
  if (view.different == 0) {
    table.columns.clear();
    table.notes.push_back(view.elements == 1 ? "both elements are equal"
                                             : fmt::format("all {} elements are equal", format_count(view.elements)));
  } else {
    table.notes.push_back(fmt::format("{} of {} element{} differ{}", format_count(view.different),
                                      format_count(view.elements), view.elements == 1 ? "" : "s",
                                      view.different == 1 ? "s" : ""));
  }
  if (view.not_finite > 0 && view.first_of_these) {
    table.warnings.push_back(fmt::format("{} of these involve{} NaN or infinity, {}at {}: {} and {}",
                                         format_count(view.not_finite), view.not_finite == 1 ? "s" : "",
                                         view.not_finite == 1 ? "" : "the first ", place_of(*view.first_of_these, view),
                                         view.first_of_these->a, view.first_of_these->b));
    json["first_not_finite"] = view.first_of_these->index;
  }
  if (table.rows.empty()) table.columns.clear();
  auto bundle = table_bundle(table);
  bundle.data[kDifferenceMime] = std::move(json);
  return bundle;
}

}  // namespace xcuda::display
