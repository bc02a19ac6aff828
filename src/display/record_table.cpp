#include "display/record_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/lane_names.hpp"
#include "display/device_report.hpp"

namespace xcuda::display {
namespace {

// The known members of a struct; x, y, z and w of a CUDA vector if the array is a list, not a picture.
std::vector<RecordField> members_of(const ArrayView& array) {
  if (array.type.scalar == Scalar::none) return array.fields;
  std::vector<RecordField> members;
  if (array.type.lanes < 2 || array.type.lanes > 4 || array.shape.size() > 1) return members;
  const auto lane = type_of(array.type.scalar);
  for (std::size_t k = 0; k < static_cast<std::size_t>(array.type.lanes); ++k)
    members.push_back({std::string(lane_name(static_cast<int>(k))), lane, k * lane.size, 1});
  return members;
}

// A member of all the elements, in one format, so that the points of its numbers line up.
std::vector<std::string> member_texts(const ArrayView& array, const RecordField& member) {
  std::vector<std::byte> packed;
  for (std::size_t at = 0; at + array.type.size <= array.elements.size(); at += array.type.size) {
    const auto from = array.elements.begin() + static_cast<std::ptrdiff_t>(at + member.offset);
    packed.insert(packed.end(), from, from + static_cast<std::ptrdiff_t>(member.count * member.type.size));
  }
  auto parts = format_elements(member.type, packed, array.options);
  // Where some numbers of a column need an exponent, the others do without: -1 and not -1.e+00.
  const auto has_exponent = [](const std::string& part) { return part.find('e') != part.npos; };
  if (member.type.is_floating() && std::any_of(parts.begin(), parts.end(), has_exponent))
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i] = format_element(member.type, std::span(packed).subspan(i * member.type.size, member.type.size));
      if (parts[i].ends_with(".0")) parts[i].resize(parts[i].size() - 2);
    }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < parts.size(); i += member.count) {
    std::string text = parts[i];
    for (std::size_t k = 1; k < member.count; ++k) text += "  " + parts[i + k];
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

std::optional<Table> record_table(const ArrayView& array) {
  const auto members = members_of(array);
  if (members.empty() || array.type.size == 0) return std::nullopt;
  Table table;
  const bool indexed = !array.shape.empty();
  if (indexed) table.columns.push_back({"", Align::right});
  std::vector<std::vector<std::string>> columns;
  for (const auto& member : members) {
    table.columns.push_back({member.name, Align::right, Column::Kind::aligned});
    columns.push_back(member_texts(array, member));
  }
  const auto ranges = indexed ? shown_ranges(array.shape, array.options) : std::vector<IndexRange>{{0, 1}};
  std::size_t at = 0;
  std::uint64_t next = 0;
  for (const auto& range : ranges) {
    if (range.first != next) table.rows.push_back({Field("…")});
    next = range.first + range.count;
    for (std::uint64_t i = range.first; i < next && at < columns.front().size(); ++i, ++at) {
      std::vector<Field> row;
      if (indexed) row.emplace_back(index_text(i, array.shape));
      for (const auto& column : columns) row.emplace_back(column[at]);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace xcuda::display
