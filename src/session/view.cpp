#include "session/view.hpp"

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
