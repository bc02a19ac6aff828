// Discrete Fourier transforms on the CPU device: several lines at once, in the lanes of vectors, on several threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "library/call.hpp"
#include "library/cpu/fourier_lanes.hpp"

namespace xcuda::library::cpu {

// Transforms of numbers of one precision. Plans are kept.
template <class T> class FourierLines {
 public:
  explicit FourierLines(int threads) : threads_(threads < 1 ? 1 : threads) {}

  // An array, as transforms along one axis see it; strides are in elements, which are real or complex.
  struct Place {
    T* at = nullptr;
    std::vector<std::uint64_t> shape;
    std::vector<std::int64_t> strides;
  };
  struct Request {
    LineKind kind = LineKind::complex;
    Direction direction = Direction::forward;
    std::size_t axis = 0;
    std::uint64_t n = 1;  // of whole lines
  };
  // Transforms all lines along an axis. The extents of the two places differ at most there; complex ones may be one.
  void transform(const Request& request, const Place& from, const Place& to);

 private:
  struct Line {
    T* at;
    std::int64_t step;  // complex numbers
  };
  struct Starts {
    std::vector<std::int64_t> from, to;  // elements, of each line
  };
  static Starts starts_of(const Request& request, const Place& from, const Place& to);
  const FourierPlan<T>& plan(std::uint64_t n);
  void in_lanes(const Request& request, const FourierPlan<T>& plan, const Starts& starts, const Place& from,
                const Place& to);
  void one_by_one(const Request& request, const FourierPlan<T>& plan, const Starts& starts, const Place& from,
                  const Place& to);
  void transform_line(const FourierPlan<T>& plan, const Line& from, const Line& to, Direction direction);
  void split_line(const FourierPlan<T>& plan, const Line& from, const Line& to, Direction direction);
  template <class Function> void each_group(std::uint64_t groups, std::uint64_t elements, Function function);

  int threads_;
  std::map<std::uint64_t, std::unique_ptr<FourierPlan<T>>> plans_;
  std::uint64_t bytes_ = 0;  // of the plans
};

class Fourier {
 public:
  explicit Fourier(int threads) : single_(threads), wide_(threads) {}

  const Facts& facts() const { return facts_; }
  Report run(const Call& call);  // Errors: value, unsupported

 private:
  Facts facts_{"transforms", "of the CPU device", "", 0, 0};
  FourierLines<float> single_;
  FourierLines<double> wide_;
};

}  // namespace xcuda::library::cpu
