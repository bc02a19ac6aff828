#include "session/view.hpp"

#include "arrays/picture.hpp"
#include "arrays/statistics.hpp"
#include "session/session.hpp"

namespace xcuda::session {

namespace {

constexpr std::uint64_t kPageLines = 20;
constexpr int kPageWidth = 120;  // columns

// About how many columns an element takes.
std::uint64_t width_of(const Type& type) {
  if (type.scalar == Scalar::none || type.lanes > 1) return kPageWidth;  // a row of a table
  if (type.is_complex()) return type.size == 8 ? 26 : 40;
  if (type.is_integer()) return type.size == 1 ? 5 : 8;
  return type.size == 2 ? 8 : 12;
}

}  // namespace

display::PrintOptions print_options(const Settings& settings, const Type& type) {
  display::PrintOptions options;
  options.line_width = kPageWidth;
  options.precision = settings.precision;
  options.edge_items = settings.edge_items;
  options.threshold = settings.threshold.value_or(kPageLines * (kPageWidth / width_of(type)));
  return options;
}

display::ArrayView view_of(Session& session, const Pointer& pointer, const display::PrintOptions& options) {
  session.submission().synchronize();
  display::ArrayView view;
  view.name = pointer.owner;
  view.type = pointer.type;
  view.shape = pointer.shape;
  view.device = session.device_info().name;
  view.options = options;
  view.fields = session.code().fields_of(pointer.type);
  std::uint64_t count = 1, elements = 0;
  for (const auto extent : pointer.shape) count *= extent;
  view.bytes = count * pointer.type.size;
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
  view.statistics = statistics_of(session.operations(), pointer, count);
  if (!view.statistics.empty() && view.type.lanes == 1 && count > 0)
    view.strip = strip_of(session.operations(), pointer);
  return view;
}

}  // namespace xcuda::session
