#include "display/array_view.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "base/text.hpp"
#include "base/units.hpp"
#include "display/device_report.hpp"
#include "display/html.hpp"
#include "display/image_view.hpp"
#include "display/matrix_table.hpp"
#include "display/record_table.hpp"

namespace xcuda::display {
namespace {

constexpr std::uint64_t kPageLines = 20;
constexpr int kPageWidth = 120;  // columns

std::uint64_t count_of(std::span<const std::uint64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

bool is_summarised(std::span<const std::uint64_t> shape, const PrintOptions& options) {
  return count_of(shape) > options.threshold;
}

// How many items of an axis are shown at its start and at its end, and whether some between them are not.
struct Edges {
  std::uint64_t leading = 0, trailing = 0;
  bool gap = false;
};

// The shown edges of each axis. If many short axes would still show too much, outer ones show only their first item.
std::vector<Edges> edges_of(std::span<const std::uint64_t> shape, const PrintOptions& options) {
  const auto most = std::max<std::uint64_t>(10'000, 4 * options.edge_items * options.edge_items);  // elements
  const bool summarised = is_summarised(shape, options);
  std::vector<Edges> edges(shape.size());
  std::uint64_t shown = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto extent = shape[axis];
    if (!summarised || extent <= 2 * options.edge_items)
      edges[axis] = {0, extent, false};
    else
      edges[axis] = {options.edge_items, options.edge_items, true};
    const auto items = edges[axis].leading + edges[axis].trailing;
    if (summarised && shown * items > most && shown > 1)
      edges[axis] = {1, 0, extent > 1};
    else
      shown *= items;
  }
  return edges;
}

// Lays out texts, which come in row-major order, in nested brackets; each level is indented by one blank more.
class BodyPrinter {
 public:
  BodyPrinter(const ArrayView& array, const std::vector<std::string>& texts)
      : shape_(array.shape), options_(array.options), edges_(edges_of(array.shape, array.options)), texts_(texts) {}

  std::string print() { return "[" + axis(0, " ", static_cast<std::size_t>(options_.line_width)) + "]"; }

 private:
  std::string axis(std::size_t depth, const std::string& indent, std::size_t width) {
    return depth + 1 == shape_.size() ? row(indent, width - 1) : rows(depth, indent, width);
  }

  std::string rows(std::size_t depth, const std::string& indent, std::size_t width) {
    const auto& edges = edges_[depth];
    const std::string separator(shape_.size() - depth - 1, '\n');
    std::string text;
    const auto add = [&](const std::string& item) { text += (text.empty() ? "" : separator + indent) + item; };
    for (std::uint64_t i = 0; i < edges.leading; ++i) add("[" + axis(depth + 1, indent + " ", width - 1) + "]");
    if (edges.gap) add("...");
    for (std::uint64_t i = 0; i < edges.trailing; ++i) add("[" + axis(depth + 1, indent + " ", width - 1) + "]");
    return text;
  }

  // The elements of the last axis, wrapped.
  std::string row(const std::string& indent, std::size_t width) {
    const auto& edges = edges_.back();
    std::string text;
    std::size_t column = indent.size();
    const auto add = [&](std::string_view word) {
      const auto length = code_points_of_bytes(word, word.size());
      if (column > indent.size() && column + 1 + length > width + 1) {
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n" + indent;
        column = indent.size();
      } else if (column > indent.size()) {
        text += ' ';
      }
      text += word;
      column += length + 1;  // with the blank after it
    };
    for (std::uint64_t i = 0; i < edges.leading; ++i) add(texts_[next_++]);
    if (edges.gap) add("...");
    for (std::uint64_t i = 0; i < edges.trailing; ++i) add(texts_[next_++]);
    return text;
  }

  const std::vector<std::uint64_t>& shape_;
  const PrintOptions& options_;
  const std::vector<Edges> edges_;
  const std::vector<std::string>& texts_;
  std::size_t next_ = 0;
};

template <class T> T element_of(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// A number, a pair for complex, a list for vectors, an object for structs, text for what has no known inside.
nlohmann::json value_json(const Type& type, std::span<const std::byte> bytes,
                          const std::vector<RecordField>& fields = {}) {
  if (type.lanes > 1) {
    const auto lane = type_of(type.scalar);
    auto list = nlohmann::json::array();
    for (int k = 0; k < type.lanes; ++k)
      list.push_back(value_json(lane, bytes.subspan(static_cast<std::size_t>(k) * lane.size, lane.size)));
    return list;
  }
  switch (type.scalar) {
    case Scalar::boolean: return element_of<std::uint8_t>(bytes) != 0;
    case Scalar::int8: return element_of<std::int8_t>(bytes);
    case Scalar::int16: return element_of<std::int16_t>(bytes);
    case Scalar::int32: return element_of<std::int32_t>(bytes);
    case Scalar::int64: return element_of<std::int64_t>(bytes);
    case Scalar::uint8: return element_of<std::uint8_t>(bytes);
    case Scalar::uint16: return element_of<std::uint16_t>(bytes);
    case Scalar::uint32: return element_of<std::uint32_t>(bytes);
    case Scalar::uint64: return element_of<std::uint64_t>(bytes);
    case Scalar::float16:
    case Scalar::bfloat16:
    case Scalar::float32:
    case Scalar::float64: return real_json(read_real(type.scalar, bytes).value);
    case Scalar::complex64:
      return nlohmann::json::array(
          {real_json(element_of<float>(bytes)), real_json(element_of<float>(bytes.subspan(4)))});
    case Scalar::complex128:
      return nlohmann::json::array(
          {real_json(element_of<double>(bytes)), real_json(element_of<double>(bytes.subspan(8)))});
    case Scalar::none: break;
  }
  if (fields.empty()) return format_element(type, bytes);
  auto object = nlohmann::json::object();
  for (const auto& field : fields) {
    auto list = nlohmann::json::array();
    for (std::size_t k = 0; k < field.count; ++k)
      list.push_back(value_json(field.type, bytes.subspan(field.offset + k * field.type.size, field.type.size)));
    object[field.name] = field.count == 1 ? list.front() : list;
  }
  return object;
}

// About how many columns an element takes.
std::uint64_t width_of(const Type& type) {
  if (type.scalar == Scalar::none || type.lanes > 1) return kPageWidth;  // a row of a table
  if (type.is_complex()) return type.size == 8 ? 26 : 40;
  if (type.is_integer()) return type.size == 1 ? 5 : 8;
  return type.size == 2 ? 8 : 12;
}

KnownStatistics statistics_of(const ArrayView& array) { return {array.type, count_of(array.shape), array.statistics}; }

nlohmann::json array_json(const ArrayView& array) {
  auto ranges = nlohmann::json::array(), values = nlohmann::json::array();
  for (const auto& range : shown_ranges(array.shape, array.options)) ranges.push_back({range.first, range.count});
  for (std::size_t at = 0; at + array.type.size <= array.elements.size() && array.type.size > 0; at += array.type.size)
    values.push_back(value_json(array.type, std::span(array.elements).subspan(at, array.type.size), array.fields));
  nlohmann::json json = {{"schema", 1},
                         {"name", array.name},
                         {"dtype", dtype_name(array.type)},
                         {"type", array.type.name},
                         {"shape", array.shape},
                         {"bytes", array.bytes},
                         {"ranges", ranges},
                         {"values", values}};
  if (!array.device.empty()) json["device"] = array.device;
  if (!array.statistics.empty()) json["statistics"] = statistics_json(statistics_of(array));
  return json;
}

// A cell for each part of the array, in the order of its elements, coloured from the lowest mean to the highest.
std::string strip_html(const ArrayView& array) {
  constexpr std::size_t kFewest = 8;
  if (array.strip.size() < kFewest) return "";
  ImageView image;
  image.raster = {static_cast<std::uint32_t>(array.strip.size()), 1, 1, array.strip};
  const auto limits = limits_of(image);
  const bool finite =
      std::any_of(array.strip.begin(), array.strip.end(), [](float mean) { return std::isfinite(mean); });
  if (!finite || !(limits.low < limits.high)) return "";  // of no colour, or of one
  std::string cells;
  for (const float mean : array.strip)
    cells += std::isnan(mean) ? std::string("<i></i>")
                              : fmt::format("<i style=\"background-color:{}\"></i>",
                                            hexadecimal(colours_of(ColourMap::viridis)[limits.index(mean)]));
  const bool complex = array.type.is_complex();
  const auto meaning = fmt::format("means of {}{} equal parts, from {:.4g} to {:.4g}",
                                   complex ? "the magnitudes of " : "", array.strip.size(), limits.low, limits.high);
  return fmt::format(
      "<div class=\"xc-legend\"><span>{:.4g}</span><div class=\"xc-strip\" role=\"img\" aria-label=\"{}\" "
      "title=\"{}\">{}"
      "</div><span>{:.4g}</span></div>",
      limits.low, meaning, meaning, cells, limits.high);
}

}  // namespace

PrintOptions page_options(const Type& type) {
  PrintOptions options;
  options.line_width = kPageWidth;
  options.threshold = kPageLines * (kPageWidth / width_of(type));
  return options;
}

std::vector<IndexRange> shown_ranges(std::span<const std::uint64_t> shape, const PrintOptions& options) {
  const auto total = count_of(shape);
  if (total == 0) return {};
  if (!is_summarised(shape, options)) return {{0, total}};
  std::vector<IndexRange> ranges;
  const auto add = [&](std::uint64_t first, std::uint64_t count) {
    if (!ranges.empty() && ranges.back().first + ranges.back().count == first)
      ranges.back().count += count;
    else if (count > 0)
      ranges.push_back({first, count});
  };
  const auto all_edges = edges_of(shape, options);
  // stride: elements below one item of this axis.
  const std::function<void(std::size_t, std::uint64_t, std::uint64_t)> visit =
      [&](std::size_t axis, std::uint64_t first, std::uint64_t stride) {
        if (axis == shape.size()) return add(first, 1);
        const auto& edges = all_edges[axis];
        const auto inner = axis + 1 < shape.size() ? stride / shape[axis + 1] : 1;
        for (std::uint64_t i = 0; i < edges.leading; ++i) visit(axis + 1, first + i * stride, inner);
        for (std::uint64_t i = shape[axis] - edges.trailing; i < shape[axis]; ++i)
          visit(axis + 1, first + i * stride, inner);
      };
  visit(0, 0, total / shape[0]);
  return ranges;
}

std::string array_text(const ArrayView& array) {
  if (array.shape.empty())
    return array.elements.empty() ? "" : format_element(array.type, array.elements, array.fields);
  if (count_of(array.shape) == 0) return "[]";
  return BodyPrinter(array, format_elements(array.type, array.elements, array.options, array.fields)).print();
}

Bundle array_bundle(const ArrayView& array) {
  const auto body = array_text(array);
  const auto dtype = dtype_name(array.type), shape = shape_text(array.shape), bytes = format_bytes(array.bytes);
  const auto statistics = statistics_texts(statistics_of(array));

  auto text = fmt::format("{}{}{}, {}, {}", array.name, array.name.empty() ? "" : ": ", dtype, shape, bytes);
  if (!array.device.empty()) text += ", " + array.device;
  if (!statistics.empty()) text += fmt::format("\n{}", fmt::join(statistics, ", "));
  Bundle bundle = text_bundle(text + "\n" + body);

  std::string html = heading(array.name, {dtype, shape, bytes, array.device});
  if (!statistics.empty()) {
    std::string line;
    for (const auto& fact : statistics) line += (line.empty() ? "" : " · ") + fact;
    html += note(line);
  }
  html += strip_html(array);
  const auto records = record_table(array), matrix = matrix_table(array);
  html += records ? table_html(*records) : matrix ? table_html(*matrix) : element("pre", "", body);
  bundle.data[kHtmlMime] = html_output(html);
  bundle.data[kArrayMime] = array_json(array);
  return bundle;
}

Bundle record_bundle(const ArrayView& record) {
  Bundle bundle = text_bundle(format_element(record.type, record.elements, record.fields));
  if (const auto table = record_table(record)) bundle.data[kHtmlMime] = html_output(table_html(*table));
  bundle.data[kArrayMime] = array_json(record);
  return bundle;
}

Bundle scalar_bundle(const Type& type, std::span<const std::byte> value) {
  Bundle bundle = text_bundle(format_element(type, value));
  bundle.data[kArrayMime] = {{"schema", 1},        {"dtype", dtype_name(type)},
                             {"type", type.name},  {"shape", nlohmann::json::array()},
                             {"bytes", type.size}, {"values", nlohmann::json::array({value_json(type, value)})}};
  return bundle;
}

}  // namespace xcuda::display
