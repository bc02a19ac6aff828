#include "interpreter/launches/second_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "arrays/convert.hpp"
#include "base/units.hpp"
#include "device/transfer.hpp"
#include "session/failures.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::uint64_t kComparedPiece = std::uint64_t{16} << 20;  // bytes compared at a time
constexpr device::ModuleId kModule{1};

bool holds_pointers(const Array& array) {
  return array.type.scalar == Scalar::none;
}  // a pointer, or a struct that may hold one

std::string shown(const Type& type, std::span<const std::byte> element) {
  return type.is_floating() || type.is_integer() ? language::ScalarValue::load(type, element).text() : "other bytes";
}

// How far the elements of two runs are apart.
struct Difference {
  std::uint64_t elements = 0;
  std::uint64_t worst = 0;  // index
  double largest = -1;      // |a - b| over the larger of both; infinity for NaN beside a number
  std::string here, there;  // both values at the worst element

  void add(const Type& type, std::uint64_t index, std::span<const std::byte> a, std::span<const std::byte> b) {
    double distance = 1;
    if (type.is_floating()) {
      const double x = load_real(type, a), y = load_real(type, b);
      if (x == y || (std::isnan(x) && std::isnan(y))) return;  // zeros of either sign, NaNs of any payload
      distance = std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) / std::max(std::abs(x), std::abs(y)) : HUGE_VAL;
    }
    ++elements;
    if (distance <= largest) return;
    largest = distance;
    worst = index;
    here = shown(type, a);
    there = shown(type, b);
  }
};

}  // namespace

SecondRun::SecondRun(Session& session, const Launch& launch) : session_(session) {
  start(launch);
  session_.submission().bring_variables(launch.kernel->module->id, launch.request.stream);
  const auto arrays = arrays_of(launch);
  make_memory(arrays);
  for (const auto* array : arrays) take_over(*array);
  const auto& module = *launch.kernel->module;
  take_over_variables(launch, device_->load_module({kModule, module.source, module.output.ptx, {}, {}, {}}));
  run(launch);
}

void SecondRun::start(const Launch& launch) {
  const auto& choices = session_.parts().devices;
  const auto choice = std::find_if(choices.begin(), choices.end(),
                                   [](const DeviceChoice& c) { return c.selector.kind == device::Kind::cpu; });
  if (choice == choices.end() || !choice->reason.empty())
    throw Error(ErrorKind::device, "cannot check a launch: found no CPU device here")
        .said(choice == choices.end() ? "" : choice->reason)
        .at(launch.place);
  device_ = choice->start([](OutputStream, std::string_view) {});  // the launch itself prints once more
  const auto info = device_->info();
  if (info.window.base != session_.device_info().window.base)
    throw Error(ErrorKind::device, "cannot check a launch: the CPU device could not map the arrays at their addresses")
        .at(launch.place);
}

// Takes an array over at its address, so that pointers in arguments and in arrays mean the same.
void SecondRun::take_over(const Array& array) {
  device_->post_name_range(
      {array.address, array.bytes(), static_cast<std::uint32_t>(array.type.size), array.name, array.type.name});
  std::uint64_t done = 0;
  device::Transfer(*device_).write({array.address, array.bytes()}, [&](std::span<std::byte> piece) {
    session_.submission().read(array.address + done, piece);
    done += piece.size();
  });
}

void SecondRun::take_over_variables(const Launch& launch, const device::ModuleInfo& copies) {
  for (const auto& from : launch.kernel->module->info.variables)
    for (const auto& to : copies.variables) {
      if (to.symbol != from.symbol || to.size != from.size) continue;
      std::vector<std::byte> value(from.size);
      session_.submission().read(from.address, value);
      device::Transfer(*device_).write({to.address, to.size}, value);
    }
}

// The arrays that the launch takes; all arrays if one of these may hold pointers.
std::vector<const Array*> SecondRun::arrays_of(const Launch& launch) {
  std::vector<const Array*> given, all;
  bool pointers = false;
  for (const auto& array : session_.arrays().all()) {
    all.push_back(&array);
    const auto use =
        std::find_if(launch.uses.begin(), launch.uses.end(), [&](const ArrayUse& u) { return u.array == array.name; });
    if (use == launch.uses.end()) continue;
    given.push_back(&array);
    pointers = pointers || holds_pointers(array);
    if (std::any_of(use, launch.uses.end(), [&](const ArrayUse& u) { return u.array == array.name && u.may_write; }))
      written_.push_back(array.name);
  }
  return pointers ? all : given;
}

// Arrays share pages with their neighbours: the pages of all of them, each once.
void SecondRun::make_memory(const std::vector<const Array*>& arrays) {
  const auto page = device_->info().memory_granularity;
  std::map<device::Address, device::Address> ranges;  // begin -> end
  for (const auto* array : arrays) {
    const auto begin = array->address / page * page;
    ranges[begin] = std::max(ranges[begin], (array->address + array->bytes() + page - 1) / page * page);
  }
  std::uint32_t id = 1;
  for (auto range = ranges.begin(); range != ranges.end();) {
    const auto begin = range->first;
    auto end = range->second;
    for (++range; range != ranges.end() && range->first <= end; ++range) end = std::max(end, range->second);
    device_->create_memory({device::MemoryId{id++}, begin, end - begin});
  }
}

void SecondRun::run(const Launch& launch) {
  auto request = launch.request;
  request.number = 1;
  request.module = kModule;
  request.stream = {};
  request.cluster.reset();
  request.timing = device::Timing::none;
  std::vector<device::TextureId> made;
  for (const auto& argument : request.textures) {
    const auto* texture = session_.textures().find(argument.texture);
    if (texture == nullptr || std::find(made.begin(), made.end(), argument.texture) != made.end()) continue;
    device_->create_texture(texture->request());
    made.push_back(argument.texture);
  }
  device_->post_launch(request);
  const auto completion = device_->synchronize(session_.submission().wait_request());
  if (completion.fault) fail(launch, *completion.fault);
  if (!completion.refused.empty())
    throw Error(ErrorKind::launch, fmt::format("the CPU device refuses to check {}", launch.text))
        .said(completion.refused.front().library)
        .advise(completion.refused.front().advice)
        .at(launch.place);
}

void SecondRun::fail(const Launch& launch, const device::Fault& fault) const {
  if (fault.kind == device::FaultKind::interrupted)
    throw Error(ErrorKind::interrupted, "interrupted while a launch was checked");
  display::FaultView view;
  view.fault = fault;
  view.launch = launch.text;
  view.before_launch = true;
  const auto kind = fault.kind == device::FaultKind::assertion ? ErrorKind::assertion : ErrorKind::device;
  Error error(kind, fmt::format("{}: {}", launch.text,
                                fault.message.empty() ? std::string(device::fault_name(fault.kind)) : fault.message));
  error.library = fault.library;
  error.place = launch.place;
  error.notes.push_back(
      fmt::format("found by --check on the CPU device, before the launch ran on {}", session_.device_info().name));
  throw DeviceFailure(std::move(error), std::move(view));
}

std::vector<std::string> SecondRun::compare() {
  std::vector<std::string> lines;
  for (const auto& name : written_)
    if (const auto* array = session_.arrays().find(name)) lines.push_back(compare(*array));
  device_.reset();
  if (lines.empty()) lines.emplace_back("checked on the CPU device: nothing wrong");
  return lines;
}

std::string SecondRun::compare(const Array& array) {
  Difference difference;
  std::vector<std::byte> other;
  std::uint64_t done = 0;
  const auto size = array.type.size;
  session_.submission().read({array.address, array.bytes()}, [&](std::span<const std::byte> piece) {
    for (; !piece.empty();) {
      session_.interrupt_flag().check();
      const auto part = piece.first(std::min<std::uint64_t>(piece.size(), kComparedPiece / size * size));
      other.resize(part.size());
      device::Transfer(*device_).read({array.address + done, part.size()}, other);
      if (std::memcmp(part.data(), other.data(), part.size()) != 0)
        for (std::uint64_t at = 0; at < part.size(); at += size)
          if (const auto a = part.subspan(at, size), b = std::span<const std::byte>(other).subspan(at, size);
              std::memcmp(a.data(), b.data(), size) != 0)
            difference.add(array.type, (done + at) / size, a, b);
      done += part.size();
      piece = piece.subspan(part.size());
    }
  });
  const auto& device = session_.device_info().name;
  if (difference.elements == 0)
    return fmt::format("checked on the CPU device: nothing wrong, and all {} elements of {} are equal", array.count,
                       array.name);
  auto text = fmt::format(
      "checked on the CPU device: nothing wrong, but {} of {} elements of {} differ; most at [{}]: {} on {}, {} on the "
      "CPU device",
      difference.elements, array.count, array.name, difference.worst, difference.here, device, difference.there);
  if (array.type.is_floating() && std::isfinite(difference.largest))
    text += fmt::format(", {:.1e} of the value", difference.largest);
  return text;
}

}  // namespace xcuda::interpreter
