#include "display/matrix_table.hpp"

#include <fmt/format.h>

#include "base/type_names.hpp"
#include "base/units.hpp"
#include "display/device_report.hpp"
#include "display/html.hpp"

namespace xcuda::display {
namespace {

constexpr std::size_t kMostColumns = 40, kMostElements = 2000;

// The places of the elements that are shown, in the order of the elements.
struct Places {
  std::vector<std::uint64_t> rows, columns;
};

Places places_of(const ArrayView& array) {
  Places places;
  const auto width = array.shape[1];
  for (const auto& range : shown_ranges(array.shape, array.options))
    for (auto i = range.first; i < range.first + range.count; ++i) {
      if (places.rows.empty() || places.rows.back() != i / width) places.rows.push_back(i / width);
      if (places.rows.size() == 1) places.columns.push_back(i % width);
    }
  return places;
}

}  // namespace

std::optional<Table> matrix_table(const ArrayView& array) {
  if (array.shape.size() != 2 || array.type.lanes > 1 || array.type.scalar == Scalar::none) return std::nullopt;
  if (array.elements.empty() || array.elements.size() / array.type.size > kMostElements) return std::nullopt;
  const auto [rows, columns] = places_of(array);
  if (columns.size() > kMostColumns) return std::nullopt;
  const auto texts = format_elements(array.type, array.elements, array.options);
  constexpr const char* kGap = "…";
  Table table;
  table.columns.push_back({"", Align::right});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c > 0 && columns[c] != columns[c - 1] + 1) table.columns.push_back({kGap});
    table.columns.push_back({std::to_string(columns[c]), Align::right, Column::Kind::aligned});
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r > 0 && rows[r] != rows[r - 1] + 1) table.rows.push_back({Field(kGap)});
    const auto number = std::to_string(rows[r]);
    std::vector<Field> row{Field(number, element("span", "xc-quiet", number))};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0 && columns[c] != columns[c - 1] + 1) row.emplace_back(kGap);
      row.emplace_back(texts[r * columns.size() + c]);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string summary(const SparseView& matrix) {
  const auto all = static_cast<double>(matrix.rows) * static_cast<double>(matrix.columns);
  const auto share = all == 0 ? "" : fmt::format(" ({:.3g} %)", 100 * static_cast<double>(matrix.stored) / all);
  return fmt::format("{}, {} element{} stored{}, {}", shape_text({matrix.rows, matrix.columns}),
                     format_count(matrix.stored), matrix.stored == 1 ? "" : "s", share, format_bytes(matrix.bytes));
}

Bundle sparse_bundle(const SparseView& matrix) {
  Table table;
  table.title = fmt::format("{} of {}: {}", matrix.format, with_written_types(matrix.type.name), summary(matrix));
  table.columns = {{"row", Align::right}, {"column", Align::right}, {"value", Align::right, Column::Kind::aligned}};
  const auto texts = format_elements(matrix.type, matrix.elements, {});
  for (std::size_t i = 0; i < matrix.places.size(); ++i)
    table.rows.push_back({std::to_string(matrix.places[i].row), std::to_string(matrix.places[i].column), texts[i]});
  if (matrix.stored > matrix.places.size())
    table.notes.push_back(fmt::format("… and {} more", format_count(matrix.stored - matrix.places.size())));
  auto bundle = table_bundle(table);
  bundle.data[kSparseMime] = {{"schema", 1},
                              {"format", matrix.format},
                              {"type", matrix.type.name},
                              {"shape", {matrix.rows, matrix.columns}},
                              {"stored", matrix.stored},
                              {"bytes", matrix.bytes}};
  return bundle;
}

}  // namespace xcuda::display
