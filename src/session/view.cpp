#include "session/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "arrays/array_node.hpp"
#include "arrays/picture.hpp"
#include "arrays/statistics.hpp"
#include "session/session.hpp"

namespace xcuda::session {

display::PrintOptions print_options(const Settings& settings, const Type& type) {
  auto options = display::page_options(type);
  options.precision = settings.precision;
  options.edge_items = settings.edge_items;
  options.threshold = settings.threshold.value_or(options.threshold);
  return options;
}

display::SparseView view_of(Session& session, const arrays::SparseMatrix& matrix, std::uint64_t shown) {
  using Format = arrays::SparseMatrix::Format;
  display::SparseView view{.format = std::string(arrays::name_of(matrix.format)),
                           .type = matrix.values.type,
                           .rows = matrix.m,
                           .columns = matrix.n,
                           .stored = matrix.stored()};
  for (const auto* part : matrix.parts()) view.bytes += part->shape[0] * part->type.size;
  shown = std::min(shown, view.stored);
  if (shown == 0) return view;
  auto& submission = session.submission();
  submission.synchronize();
  view.elements.resize(shown * view.type.size);
  submission.read(matrix.values.address, view.elements);
  const auto indices = [&](const Pointer& part, std::uint64_t count) {
    std::vector<std::int32_t> list(std::min(count, part.shape[0]));
    submission.read(part.address, std::as_writable_bytes(std::span(list)));
    return list;
  };
  const auto columns = indices(matrix.columns, shown);
  const auto rows = indices(matrix.rows, matrix.format == Format::coo ? shown : matrix.rows.shape[0]);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto after = std::upper_bound(rows.begin(), rows.end(), static_cast<std::int32_t>(i));
    view.places.push_back({matrix.format == Format::coo ? rows[i] : after - rows.begin() - 1, columns[i]});
  }
  return view;
}

namespace {

// Where an element is, along each axis of an array.
std::vector<std::uint64_t> indices_of(const Array& array, std::uint64_t element) {
  std::vector<std::uint64_t> indices(array.shape.size());
  for (auto d = indices.size(); d-- > 0; element /= array.shape[d]) indices[d] = element % array.shape[d];
  return indices;
}

// Whether the elements that lie between two, along each axis, are all there is of a view: each of its strides goes
// along one axis, and none leaves the end of it.
bool is_box(const Array& array, const Pointer& elements, const std::vector<std::uint64_t>& from,
            std::vector<std::uint64_t> to) {
  const auto rows = arrays::row_major(array.shape);
  const auto strides = arrays::strides_of(elements);
  for (std::size_t k = 0; k < strides.size(); ++k) {
    if (elements.shape[k] == 1) continue;
    const auto stride = std::abs(strides[k]);
    const auto axis = static_cast<std::size_t>(
        std::find_if(rows.begin(), rows.end(), [&](std::int64_t row) { return row <= stride; }) - rows.begin());
    if (stride == 0 || axis == rows.size() || stride % rows[axis] != 0) return false;
    const auto steps = static_cast<std::uint64_t>(stride / rows[axis]) * (elements.shape[k] - 1);
    if (to[axis] < from[axis] + steps) return false;
    to[axis] -= steps;
  }
  return to == from;
}

// "device 1" or "devices 0 to 3": those that have these of the elements of a split array.
std::string holders_of(const Array& array, const Pointer& elements, std::uint32_t devices) {
  const auto& spread = array.spread;
  std::uint32_t first = 0, last = devices - 1;
  const auto [begin, end] = arrays::bytes_of(elements);
  if (begin < end) {
    const auto from = indices_of(array, (begin - array.address) / array.type.size);
    const auto to = indices_of(array, (end - 1 - array.address) / array.type.size);
    if (spread.axis == 0 || is_box(array, elements, from, to)) {
      while (first < last && spread.bounds[first + 1] <= from[spread.axis]) ++first;
      while (last > first && spread.bounds[last] > to[spread.axis]) --last;
    }
  }
  return first == last ? fmt::format("device {}", first) : fmt::format("devices {} to {}", first, last);
}

}  // namespace

std::string home_of(Session& session, const Pointer& elements) {
  auto& order = session.chosen().order();
  const auto address = elements.address;
  if (!order.several()) return session.device_info().name;
  if (const auto* array = session.arrays().at(address)) {
    if (array->spread.kind == Spread::Kind::sharded) return holders_of(*array, elements, order.devices());
    if (array->spread.kind == Spread::Kind::none) return fmt::format("device {}", array->spread.device);
  }
  for (const auto& array : session.arrays().all()) {
    if (array.spread.kind != Spread::Kind::replicated) continue;
    for (std::uint32_t device = 0; device < order.devices(); ++device) {
      const auto copy = session.chosen().memory().copy_on(device, array.address);
      if (address >= copy && address < copy + array.bytes()) return fmt::format("device {}", device);
    }
  }
  return fmt::format("device {}", order.current());
}

display::ArrayView view_of(Session& session, const Pointer& pointer, const display::PrintOptions& options) {
  session.submission().synchronize();
  display::ArrayView view;
  view.name = pointer.owner;
  view.type = pointer.type;
  view.shape = pointer.shape;
  view.options = options;
  view.fields = session.code().fields_of(pointer.type);
  std::uint64_t count = 1, elements = 0;
  for (const auto extent : pointer.shape) count *= extent;
  view.bytes = count * pointer.type.size;
  view.device = home_of(session, pointer);
  const auto ranges = display::shown_ranges(view.shape, view.options);
  for (const auto& range : ranges) elements += range.count;
  view.elements.resize(elements * pointer.type.size);
  std::uint64_t at = 0;
  for (const auto& range : ranges) {
    const auto bytes = range.count * pointer.type.size;
    session.submission().read(pointer.address + range.first * pointer.type.size,
                              std::span(view.elements).subspan(at, bytes));
    at += bytes;
  }
  auto& order = session.chosen().order();
  const auto homes = session.chosen().memory().homes_of(pointer.address, view.bytes);
  const bool apart = !session.device().shares_memory() && !homes.empty();
  if (apart && homes.size() > 1) return view;  // no device reaches all of it
  const DeviceOrder::Use there(order, apart ? homes.front().device : order.current());
  view.statistics = statistics_of(session.operations(), pointer, count);
  if (!view.statistics.empty() && view.type.lanes == 1 && count > 0)
    view.strip = strip_of(session.operations(), pointer);
  return view;
}

}  // namespace xcuda::session
