// Two arrays element by element: how far they are apart, and where most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/type.hpp"
#include "display/difference_view.hpp"

namespace xcuda::arrays {

// Numbers of one lane: integers, floating-point, complex.
bool is_comparable(const Type& type);

class Differences {
 public:
  // The most cells of the map along each side.
  static constexpr std::uint64_t kMostCells = 480;
  Differences(const Type& a, const Type& b, std::vector<std::uint64_t> shape);

  // The next elements of both, in row-major order.
  void add(std::span<const std::byte> a, std::span<const std::byte> b);
  display::DifferenceView take() { return std::move(view_); }

 private:
  struct Elements {
    std::span<const std::byte> a, b;
  };
  void add_one(const Elements& elements);
  void add_integers(const Elements& elements);
  void add_error(const Elements& elements, double error, double size);
  void add_ulps(const Elements& elements);
  void mark(double error);
  void keep(std::optional<display::WorstElement>& worst, const Elements& elements, double error) const;

  Type a_, b_;
  display::DifferenceView view_;
  std::uint64_t columns_ = 1;
  std::uint64_t index_ = 0;
};

}  // namespace xcuda::arrays
