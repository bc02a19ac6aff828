// Arrays: their memory, their contents, and what is shown of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arrays/convert.hpp"
#include "arrays/picture.hpp"
#include "arrays/statistics.hpp"
#include "base/units.hpp"
#include "display/array_view.hpp"
#include "session/session.hpp"

namespace xcuda::session {
Array Session::allocate(CellRun& run, NewArray request) {
  run.current = request.span;
  forbid_in_capture("an array is made");
  std::uint64_t count = 1, bytes = 0;
  for (const auto extent : request.shape)
    if (__builtin_mul_overflow(count, extent, &count))
      throw Error(ErrorKind::value, fmt::format("the extents of {} overflow 64 bits", request.name))
          .at(place_of(run.source, request.span));
  if (__builtin_mul_overflow(count, request.type.size, &bytes))
    throw Error(ErrorKind::value, fmt::format("the size of {} overflows 64 bits", request.name))
        .at(place_of(run.source, request.span));
  device();
  Array array{request.name, request.type, std::move(request.shape), request.read_only, 0, count, run.source.name};
  run.current = request.span;  // where too much memory is reported
  array.address = memory_->allocate(bytes, array.name);
  device_->post_name_range(
      {array.address, bytes, static_cast<std::uint32_t>(request.type.size), array.name, array.type.name});
  return array;
}

void Session::name_as_unwritten(const Array& array) {
  device().post_name_range(
      {array.address, array.bytes(), static_cast<std::uint32_t>(array.type.size), array.name, array.type.name, true});
}

Array& Session::define(Array array) {
  array.depth = names_.depth();
  const auto* before = arrays_.find(array.name);
  const bool again = before != nullptr && before->depth == array.depth;
  undefine_here(array.name);
  names_.hide(array.name);
  if (array.depth > 1 && !again) local_arrays_.emplace_back(array.depth, array.name);
  return arrays_.add(std::move(array));
}

namespace {

// Names that no cell can write: an array that an inner block hides.
std::string hidden_name(const std::string& name, std::size_t depth) {
  return fmt::format("{} (hidden {})", name, depth);
}

}  // namespace

void Session::undefine_here(const std::string& name) {
  if (names_.is_declared_here(name)) names_.remove(name);
  const auto* array = arrays_.find(name);
  if (array == nullptr) return;
  if (array->depth == names_.depth()) {
    free_array(name);
    return;
  }
  hidden_.emplace_back(names_.depth(), name);
  arrays_.rename(name, hidden_name(name, names_.depth()));
}

void Session::enter_block() { names_.enter(); }

void Session::leave_block() {
  const auto depth = names_.depth();
  for (; !local_arrays_.empty() && local_arrays_.back().first == depth; local_arrays_.pop_back()) {
    const auto name = local_arrays_.back().second;
    if (const auto* array = arrays_.find(name); array != nullptr && array->depth == depth) free_array(name);
  }
  for (; !hidden_.empty() && hidden_.back().first == depth; hidden_.pop_back())
    arrays_.rename(hidden_name(hidden_.back().second, depth), hidden_.back().second);
  names_.leave();
}

void Session::exchange(const std::string& a, const std::string& b) {
  arrays_.exchange(a, b);
  for (const auto* array : {arrays_.find(a), arrays_.find(b)}) {
    memory_->rename(array->address, array->name);
    device_->post_name_range(
        {array->address, array->bytes(), static_cast<std::uint32_t>(array->type.size), array->name, array->type.name});
  }
}

void Session::free_memory(const Array& array) {
  if (device_ == nullptr) return;
  textures_.freed(array.address, array.bytes());
  device_->post_forget_range(array.address);
  memory_->free(array.address,
                streams_.empty() ? device::Memory::Reuse::in_order : device::Memory::Reuse::after_synchronisation);
  pending_ = true;
}

void Session::free_array(const std::string& name) {
  const auto* array = arrays_.find(name);
  if (array == nullptr) return;
  free_memory(*array);
  arrays_.remove(name);
}

device::Transfer Session::transfer() {
  forbid_in_capture("host data is moved");
  pending_ = true;
  return device::Transfer(device(), {[this] {
                                       pending_ = true;
                                       synchronize();
                                     },
                                     &interrupt_,
                                     [this](std::uint64_t done, std::uint64_t total) {
                                       progress_.count(Progress::Unit::bytes, done, total);
                                     }});
}

// A graph takes the bytes along; through the staging buffer it would take those of the moment it runs.
void Session::write(device::Address to, std::span<const std::byte> bytes) {
  constexpr std::size_t kMost = 4096;
  if (capture_ == nullptr || bytes.size() > kMost) return transfer().write({to, bytes.size()}, bytes);
  note_written(to);
  device().post_fill(default_stream(), {to, 1, {bytes.begin(), bytes.end()}});
  pending_ = true;
}

void Session::read(device::Address from, std::span<std::byte> bytes) {
  forbid_in_capture("a value is needed");
  transfer().read({from, bytes.size()}, bytes);
}

void Session::read_pieces(device::Address from, std::uint64_t bytes,
                          const std::function<void(std::span<const std::byte>)>& take) {
  transfer().read({from, bytes}, take);
}

void Session::copy(device::Address to, device::Address from, std::uint64_t bytes) {
  note_written(to);
  device().post_copy(default_stream(), {.to = to, .from = from, .width = bytes});
  pending_ = true;
}

void Session::fill(const Sequence& sequence, const Array& array) {
  arrays::fill(operations_, sequence, pointer_to(array));
}

display::PrintOptions Session::print_options() const {
  display::PrintOptions options;
  options.precision = settings_.precision;
  options.edge_items = settings_.edge_items;
  options.threshold = settings_.threshold;
  return options;
}

display::ArrayView Session::view(const Pointer& pointer, const display::PrintOptions& options) {
  synchronize();
  display::ArrayView view;
  view.name = pointer.owner;
  view.type = pointer.type;
  view.shape = pointer.shape;
  view.device = info_.name;
  view.options = options;
  view.fields = fields_of(pointer.type);
  std::uint64_t count = 1, elements = 0;
  for (const auto extent : pointer.shape) count *= extent;
  view.bytes = count * pointer.type.size;
  const auto ranges = display::shown_ranges(view.shape, view.options);
  for (const auto& range : ranges) elements += range.count;
  view.elements.resize(elements * pointer.type.size);
  std::uint64_t at = 0;
  for (const auto& range : ranges) {
    const auto bytes = range.count * pointer.type.size;
    read(pointer.address + range.first * pointer.type.size, std::span(view.elements).subspan(at, bytes));
    at += bytes;
  }
  view.statistics = statistics_of(operations_, pointer, count);
  if (!view.statistics.empty() && view.type.lanes == 1 && count > 0) view.strip = strip_of(operations_, pointer);
  return view;
}

}  // namespace xcuda::session
