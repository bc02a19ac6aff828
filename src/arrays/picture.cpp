#include "arrays/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "arrays/convert.hpp"
#include "arrays/statistics.hpp"

namespace xcuda::arrays {
namespace {

constexpr std::uint64_t kMostBlocks = 2048;
constexpr Word64 kNowhere = ~Word64{0};

std::uint64_t count_of(const Pointer& array) {
  std::uint64_t count = 1;
  for (const auto extent : array.shape) count *= extent;
  return count;
}

const Operation& kernel_for(Operations& operations, std::string_view name, const Type& type) {
  return operations.find({"xcuda/picture.cuh", fmt::format("xcuda::{}<{}>", name, operation_element(type))});
}

std::uint32_t blocks_over(std::uint64_t elements) {
  return static_cast<std::uint32_t>(std::min((elements + kBlock - 1) / kBlock, kMostBlocks));
}

template <class T> void read_back(Operations& operations, const Temporary& memory, std::vector<T>& into) {
  operations.workspace().read(memory.address(), std::as_writable_bytes(std::span(into)));
}

template <class T> void append(std::vector<double>& to, std::span<const std::byte> elements) {
  const auto before = to.size(), count = elements.size() / sizeof(T);
  to.resize(before + count);
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, elements.data() + i * sizeof(T), sizeof value);
    to[before + i] = static_cast<double>(value);
  }
}

void append(std::vector<double>& to, const Type& type, std::span<const std::byte> elements) {
  switch (type.scalar) {
    case Scalar::boolean:
    case Scalar::uint8: return append<std::uint8_t>(to, elements);
    case Scalar::int8: return append<std::int8_t>(to, elements);
    case Scalar::int16: return append<std::int16_t>(to, elements);
    case Scalar::int32: return append<std::int32_t>(to, elements);
    case Scalar::int64: return append<std::int64_t>(to, elements);
    case Scalar::uint16: return append<std::uint16_t>(to, elements);
    case Scalar::uint32: return append<std::uint32_t>(to, elements);
    case Scalar::uint64: return append<std::uint64_t>(to, elements);
    case Scalar::float32: return append<float>(to, elements);
    case Scalar::float64: return append<double>(to, elements);
    default:
      for (; elements.size() >= type.size; elements = elements.subspan(type.size)) {
        const auto element = elements.first(type.size);
        if (!type.is_complex()) {
          to.push_back(load_real(type, element));
          continue;
        }
        const auto [real, imaginary] = load_parts(type, element);
        to.push_back(std::hypot(real, imaginary));
      }
  }
}

// The bin of a value, as xcuda/picture.cuh finds it.
Word64 bin_of(double value, const BinRule& rule) {
  if (!(value >= rule.low && value <= rule.high)) return kNowhere;
  const double place = rule.logarithmic != 0 ? std::log(value / rule.low) / std::log(rule.high / rule.low)
                                             : (value * 0.5 - rule.low * 0.5) / (rule.high * 0.5 - rule.low * 0.5);
  return std::min(static_cast<Word64>(place * static_cast<double>(rule.bins)), rule.bins - 1);
}

std::vector<Word64> host_extremes(const std::vector<double>& values, std::uint64_t parts, Among among) {
  std::vector<Word64> found(2 * parts, kNowhere);
  for (std::uint64_t part = 0; part < parts; ++part) {
    const auto first = values.size() * part / parts, last = values.size() * (part + 1) / parts;
    auto &low = found[2 * part], &high = found[2 * part + 1];
    for (auto i = first; i < last; ++i) {
      if (!std::isfinite(values[i]) || (among == Among::over_zero && values[i] <= 0)) continue;
      if (low == kNowhere || values[i] < values[low]) low = i;
      if (high == kNowhere || values[i] > values[high]) high = i;
    }
  }
  return found;
}

}  // namespace

bool is_pictured(const Type& type) { return has_statistics(type); }

std::vector<double> real_elements(Operations& operations, const Pointer& array) {
  std::vector<double> values;
  values.reserve(count_of(array));
  operations.workspace().read_pieces(array.address, count_of(array) * array.type.size,
                                     [&](std::span<const std::byte> piece) { append(values, array.type, piece); });
  return values;
}

display::Raster tiles(Operations& operations, const Pointer& array, const TileRule& rule) {
  const auto wide = (rule.width + rule.side - 1) / rule.side, high = (rule.height + rule.side - 1) / rule.side;
  display::Raster raster{static_cast<std::uint32_t>(wide),
                         static_cast<std::uint32_t>(high),
                         static_cast<std::uint32_t>(rule.channels),
                         {}};
  raster.samples.resize(wide * high * rule.channels);
  const bool in_order =
      rule.deep == 1 && rule.across == rule.channels && rule.down == rule.width * rule.channels && rule.side == 1;
  const auto count = rule.width * rule.height * rule.channels;
  if (in_order || count <= kHostPicture) {
    const auto values = real_elements(operations, array);
    if (in_order) {
      std::transform(values.begin(), values.end(), raster.samples.begin(),
                     [](double value) { return static_cast<float>(value + 0.0); });  // -0 becomes 0, as in a sum
      return raster;
    }
    for (std::size_t at = 0; at < raster.samples.size(); ++at) {
      const auto channel = at % rule.channels, column = at / rule.channels % wide, row = at / rule.channels / wide;
      double sum = 0;
      std::uint64_t finite = 0;
      for (auto j = row * rule.side; j < std::min((row + 1) * rule.side, rule.height); ++j)
        for (auto i = column * rule.side; i < std::min((column + 1) * rule.side, rule.width); ++i) {
          const double value = values[i * rule.across + j * rule.down + channel * rule.deep];
          if (std::isnan(value)) continue;
          sum += value;
          ++finite;
        }
      raster.samples[at] =
          finite == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(sum / static_cast<double>(finite));
    }
    return raster;
  }
  const auto& kernel = kernel_for(operations, "tile_means", array.type);
  const Temporary memory(operations.workspace(), raster.samples.size() * sizeof(float));
  operations.launch(kernel, {.grid = {blocks_for(raster.samples.size())}, .block = {kBlock}},
                    OperationArguments(kernel).add(array.address).add(rule).add(memory.address()));
  read_back(operations, memory, raster.samples);
  return raster;
}

std::vector<std::uint64_t> extremes(Operations& operations, const Pointer& array, std::uint64_t parts, Among among) {
  const auto count = count_of(array);
  parts = std::min(parts, count);
  std::vector<Word64> found;
  if (count <= kHostPicture) {
    found = host_extremes(real_elements(operations, array), parts, among);
  } else {
    found.resize(2 * parts);
    const auto& kernel = kernel_for(operations, "column_extremes", array.type);
    const Temporary memory(operations.workspace(), found.size() * sizeof(Word64));
    operations.launch(kernel, {.grid = {static_cast<std::uint32_t>(parts)}, .block = {kBlock}},
                      OperationArguments(kernel)
                          .add(array.address)
                          .add(Word64{count})
                          .add(Word64{among == Among::over_zero ? 1U : 0U})
                          .add(memory.address()));
    read_back(operations, memory, found);
  }
  std::set<std::uint64_t> indices(found.begin(), found.end());
  indices.erase(kNowhere);
  return {indices.begin(), indices.end()};
}

std::vector<double> elements_at(Operations& operations, const Pointer& array,
                                const std::vector<std::uint64_t>& indices) {
  if (indices.empty()) return {};
  if (count_of(array) <= kHostPicture) {
    const auto all = real_elements(operations, array);
    std::vector<double> chosen;
    for (const auto i : indices) chosen.push_back(all[i]);
    return chosen;
  }
  const auto& kernel = kernel_for(operations, "gather_elements", array.type);
  const Temporary where(operations.workspace(), indices.size() * sizeof(Word64)),
      what(operations.workspace(), indices.size() * sizeof(double));
  const std::vector<Word64> words(indices.begin(), indices.end());
  operations.workspace().write(where.address(), std::as_bytes(std::span(words)));
  operations.launch(kernel, {.grid = {blocks_for(indices.size())}, .block = {kBlock}},
                    OperationArguments(kernel)
                        .add(array.address)
                        .add(where.address())
                        .add(Word64{indices.size()})
                        .add(what.address()));
  std::vector<double> chosen(indices.size());
  read_back(operations, what, chosen);
  return chosen;
}

std::vector<float> strip_of(Operations& operations, const Pointer& array) {
  constexpr std::uint64_t kCells = 64, kPartsOfACell = 16;
  const auto count = count_of(array), cells = std::min(count, kCells);
  const bool here = count <= kHostPicture;
  std::vector<StripPart> parts(here ? cells : kCells * kPartsOfACell);
  if (here) {
    const auto values = real_elements(operations, array);
    for (std::uint64_t cell = 0; cell < cells; ++cell)
      for (auto i = count * cell / cells; i < count * (cell + 1) / cells; ++i)
        if (std::isfinite(values[i])) {
          parts[cell].sum += values[i];
          ++parts[cell].count;
        }
  } else {
    const auto& kernel = kernel_for(operations, "strip_parts", array.type);
    const Temporary memory(operations.workspace(), parts.size() * sizeof(StripPart));
    operations.launch(kernel, {.grid = {static_cast<std::uint32_t>(parts.size())}, .block = {kBlock}},
                      OperationArguments(kernel).add(array.address).add(Word64{count}).add(memory.address()));
    read_back(operations, memory, parts);
  }
  std::vector<float> means;
  const auto each = parts.size() / std::max<std::uint64_t>(cells, 1);
  for (std::uint64_t cell = 0; cell < cells; ++cell) {
    StripPart whole = {0, 0};
    for (auto part = cell * each; part < (cell + 1) * each; ++part) {
      whole.sum += parts[part].sum;
      whole.count += parts[part].count;
    }
    means.push_back(whole.count == 0 ? std::numeric_limits<float>::quiet_NaN()
                                     : static_cast<float>(whole.sum / static_cast<double>(whole.count)));
  }
  return means;
}

std::vector<std::uint64_t> bin_counts(Operations& operations, const Pointer& array, const BinRule& rule) {
  std::vector<Word64> counts(rule.bins);
  const auto count = count_of(array);
  if (count <= kHostPicture) {
    for (const double value : real_elements(operations, array))
      if (const auto bin = bin_of(value, rule); bin != kNowhere) ++counts[bin];
  } else {
    const auto& kernel = kernel_for(operations, "count_bins", array.type);
    const Temporary memory(operations.workspace(), counts.size() * sizeof(Word64));
    operations.workspace().write(memory.address(), std::as_bytes(std::span(counts)));
    operations.launch(
        kernel, {.grid = {blocks_over(count)}, .block = {kBlock}, .dynamic_shared = rule.bins * sizeof(std::uint32_t)},
        OperationArguments(kernel).add(array.address).add(Word64{count}).add(rule).add(memory.address()));
    read_back(operations, memory, counts);
  }
  return {counts.begin(), counts.end()};
}

std::vector<std::uint64_t> cell_counts(Operations& operations, const PointCells& points) {
  std::vector<Word64> counts(points.across.bins * points.up.bins);
  const auto count = count_of(points.x);
  if (count <= kHostPicture) {
    const auto x = real_elements(operations, points.x), y = real_elements(operations, points.y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto column = bin_of(x[i], points.across), row = bin_of(y[i], points.up);
      if (column != kNowhere && row != kNowhere) ++counts[row * points.across.bins + column];
    }
  } else {
    const auto& kernel = operations.find(
        {"xcuda/picture.cuh", fmt::format("xcuda::count_cells<{}, {}>", operation_element(points.x.type),
                                          operation_element(points.y.type))});
    // Threads of a CPU that count in the same memory wait for each other; a GPU's cache adds for all of them.
    constexpr int kMostPlanes = 32;
    const auto& info = operations.workspace().device_info();
    const bool gpu = info.kind == device::Kind::cuda;
    const auto planes = gpu ? 1u : static_cast<std::uint32_t>(std::clamp(info.multiprocessors, 1, kMostPlanes));
    std::vector<Word64> all(planes * counts.size());
    const Temporary memory(operations.workspace(), all.size() * sizeof(Word64));
    operations.workspace().write(memory.address(), std::as_bytes(std::span(all)));
    operations.launch(kernel, {.grid = {gpu ? blocks_over(count) : planes}, .block = {kBlock}},
                      OperationArguments(kernel)
                          .add(points.x.address)
                          .add(points.y.address)
                          .add(Word64{count})
                          .add(points.across)
                          .add(points.up)
                          .add(Word64{planes})
                          .add(memory.address()));
    read_back(operations, memory, all);
    for (std::size_t i = 0; i < all.size(); ++i) counts[i % counts.size()] += all[i];
  }
  return {counts.begin(), counts.end()};
}

std::optional<Range> range_of(Operations& operations, const Pointer& array, Among among) {
  constexpr std::uint64_t kParts = 1024;
  std::optional<Range> range;
  for (const double value : elements_at(operations, array, extremes(operations, array, kParts, among)))
    range = range ? Range{std::min(range->low, value), std::max(range->high, value)} : Range{value, value};
  return range;
}

}  // namespace xcuda::arrays
