#include "arrays/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "arrays/convert.hpp"

namespace xcuda::arrays {
namespace {

template <class T> void widen(std::optional<T>& least, std::optional<T>& greatest, T value) {
  least = least ? std::min(*least, value) : value;
  greatest = greatest ? std::max(*greatest, value) : value;
}

template <class Wide, class T> Wide read(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

display::ArrayStatistics statistics_of(const StatisticsPart& whole, const Type& type) {
  display::ArrayStatistics result;
  result.nans = whole.nans;
  result.infinities = whole.infinities;
  if (whole.finite == 0) return result;
  const auto number = [&](Word64 bits) -> display::Number {
    if (type.is_floating() || type.is_complex()) return std::bit_cast<double>(bits);
    if (type.scalar >= Scalar::int8 && type.scalar <= Scalar::int64) return static_cast<std::int64_t>(bits);
    return static_cast<std::uint64_t>(bits);
  };
  result.min = number(whole.low);
  result.max = number(whole.high);
  result.mean = whole.sum / static_cast<double>(whole.finite);
  result.imaginary = whole.imaginary / static_cast<double>(whole.finite);
  result.std = std::sqrt(whole.squares / static_cast<double>(whole.finite));
  return result;
}

bool has_statistics(const Type& type) { return type.is_integer() || type.is_floating() || type.is_complex(); }

void StatisticsOfPieces::real(double value) {
  ++count_;
  const double step = value - mean_;
  mean_ += step / count_;
  squares_ += step * (value - mean_);
}

void StatisticsOfPieces::complex(std::span<const std::byte> bytes) {
  const auto [real, imaginary] = load_parts(type_, bytes);
  if (std::isnan(real) || std::isnan(imaginary)) {
    ++counts_.nans;
  } else if (std::isinf(real) || std::isinf(imaginary)) {
    ++counts_.infinities;
  } else {
    widen(least_, greatest_, std::hypot(real, imaginary));
    ++count_;
    const double step = real - mean_, step_up = imaginary - imaginary_;
    mean_ += step / count_;
    imaginary_ += step_up / count_;
    squares_ += step * (real - mean_) + step_up * (imaginary - imaginary_);
  }
}

void StatisticsOfPieces::add(std::span<const std::byte> elements) {
  for (; elements.size() >= type_.size; elements = elements.subspan(type_.size)) {
    const auto bytes = elements.first(type_.size);
    if (type_.is_complex()) {
      complex(bytes);
      continue;
    }
    if (type_.is_floating()) {
      const double value = load_real(type_, bytes);
      if (std::isnan(value)) {
        ++counts_.nans;
        continue;
      }
      if (std::isinf(value)) {
        ++counts_.infinities;
        continue;
      }
      widen(least_, greatest_, value);
      real(value);
      continue;
    }
    const auto as_signed = [&](std::int64_t value) {
      widen(least_signed_, greatest_signed_, value);
      real(static_cast<double>(value));
    };
    const auto as_unsigned = [&](std::uint64_t value) {
      widen(least_unsigned_, greatest_unsigned_, value);
      real(static_cast<double>(value));
    };
    switch (type_.scalar) {
      case Scalar::int8: as_signed(read<std::int64_t, std::int8_t>(bytes)); break;
      case Scalar::int16: as_signed(read<std::int64_t, std::int16_t>(bytes)); break;
      case Scalar::int32: as_signed(read<std::int64_t, std::int32_t>(bytes)); break;
      case Scalar::int64: as_signed(read<std::int64_t, std::int64_t>(bytes)); break;
      case Scalar::boolean:
      case Scalar::uint8: as_unsigned(read<std::uint64_t, std::uint8_t>(bytes)); break;
      case Scalar::uint16: as_unsigned(read<std::uint64_t, std::uint16_t>(bytes)); break;
      case Scalar::uint32: as_unsigned(read<std::uint64_t, std::uint32_t>(bytes)); break;
      default: as_unsigned(read<std::uint64_t, std::uint64_t>(bytes)); break;
    }
  }
}

display::ArrayStatistics StatisticsOfPieces::result() const {
  auto result = counts_;
  if (least_) {
    result.min = *least_;
    result.max = *greatest_;
  }
  if (least_signed_) {
    result.min = *least_signed_;
    result.max = *greatest_signed_;
  }
  if (least_unsigned_) {
    result.min = *least_unsigned_;
    result.max = *greatest_unsigned_;
  }
  if (count_ > 0) {
    result.mean = mean_;
    result.imaginary = imaginary_;
    result.std = std::sqrt(squares_ / count_);
  }
  return result;
}

namespace {

// Elements of an array that moves to the host for its statistics; those of larger ones are made where they are.
constexpr std::uint64_t kHostStatistics = 1 << 16;

// The statistics of `count` numbers that are `step` apart: elements, or a member of vectors.
display::ArrayStatistics device_statistics(Operations& operations, const Pointer& numbers, std::uint64_t count,
                                           std::uint64_t step) {
  constexpr std::uint32_t kMostBlocks = 1024, kElementsPerThread = 16;
  const auto element = operation_element(numbers.type);
  const auto blocks =
      static_cast<std::uint32_t>(std::min<std::uint64_t>((count - 1) / (kBlock * kElementsPerThread) + 1, kMostBlocks));
  const auto& parts = operations.find({"xcuda/statistics.cuh", fmt::format("xcuda::statistics_parts<{}>", element)});
  const auto& whole = operations.find({"xcuda/statistics.cuh", fmt::format("xcuda::statistics_whole<{}>", element)});
  const Temporary memory(operations.workspace(), (blocks + 2) * sizeof(StatisticsPart));
  const device::Address first = memory.address(), second = first + sizeof(StatisticsPart),
                        part = second + sizeof(StatisticsPart);
  const auto pass = [&](device::Address mean, device::Address result) {
    operations.launch(parts, {{blocks}, {kBlock}},
                      OperationArguments(parts).add(numbers.address).add(count).add(step).add(part).add(mean));
    operations.launch(whole, {{1}, {kBlock}}, OperationArguments(whole).add(part).add(blocks).add(result));
  };
  pass(0, first);
  pass(first, second);
  StatisticsPart result;
  operations.workspace().read(second, std::as_writable_bytes(std::span(&result, 1)));
  return statistics_of(result, numbers.type);
}

}  // namespace

std::vector<display::ArrayStatistics> statistics_of(Operations& operations, const Pointer& pointer,
                                                    std::uint64_t count) {
  const auto lanes = static_cast<std::uint64_t>(pointer.type.lanes);
  const auto number = lanes == 1 ? pointer.type : type_of(pointer.type.scalar);
  if (!has_statistics(number) || pointer.type.size != lanes * number.size) return {};
  std::vector<display::ArrayStatistics> members;
  if (count > kHostStatistics) {
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
      auto member = pointer;
      member.type = number;
      member.address += lane * number.size;
      members.push_back(device_statistics(operations, member, count, lanes));
    }
    return members;
  }
  std::vector<std::byte> elements(count * pointer.type.size);
  operations.workspace().read(pointer.address, elements);
  for (std::uint64_t lane = 0; lane < lanes; ++lane) {
    StatisticsOfPieces statistics(number);
    if (lanes == 1) statistics.add(elements);
    for (std::uint64_t i = lane; lanes > 1 && i < count * lanes; i += lanes)
      statistics.add(std::span(elements).subspan(i * number.size, number.size));
    members.push_back(statistics.result());
  }
  return members;
}

}  // namespace xcuda::arrays
