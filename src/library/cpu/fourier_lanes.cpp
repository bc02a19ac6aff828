#include "library/cpu/fourier_lanes.hpp"

#include <algorithm>
#include <numbers>
#include <span>

namespace xcuda::library::cpu {
namespace {

// --- one round of radix R, in registers: a = the transform of a, in the order of place<R>()
// ---------------------------

template <class T> XCUDA_INLINE void add_and_subtract(Wave<T>& a, Wave<T>& b) {
  const auto re = a.re - b.re, im = a.im - b.im;
  a.re += b.re;
  a.im += b.im;
  b.re = re;
  b.im = im;
}

template <class T> XCUDA_INLINE void turn_quarter(Wave<T>& a) {  // by -i
  const auto re = a.re;
  a.re = a.im;
  a.im = -re;
}

template <class T> XCUDA_INLINE void turn(Wave<T>& a, T c, T s) {
  const auto re = a.re * c - a.im * s;
  a.im = a.re * s + a.im * c;
  a.re = re;
}

// Results: a, c, b, d.
template <class T> XCUDA_INLINE void four(Wave<T>& a, Wave<T>& b, Wave<T>& c, Wave<T>& d) {
  add_and_subtract(a, c);
  add_and_subtract(b, d);
  turn_quarter(d);
  add_and_subtract(a, b);
  add_and_subtract(c, d);
}

template <int R> constexpr int place(int j) {
  constexpr int kEight[] = {0, 4, 2, 6, 1, 5, 3, 7}, kFour[] = {0, 2, 1, 3};
  return R == 8 ? kEight[j] : R == 4 ? kFour[j] : j;
}

// An odd radix: pairs of elements that are as far from both ends, by cosines and sines of k / R of a circle.
template <class T, int R> XCUDA_INLINE void odd(Wave<T> (&a)[R], const T* cosines, const T* sines) {
  constexpr int kHalf = (R - 1) / 2;
  const auto first = a[0];
  each_constant<kHalf>([&](auto k) XCUDA_INLINED {
    add_and_subtract(a[k + 1], a[R - 1 - k]);
    a[0].re += a[k + 1].re;
    a[0].im += a[k + 1].im;
  });
  Wave<T> sums[kHalf], turned[kHalf];
  each_constant<kHalf>([&](auto j) XCUDA_INLINED {
    sums[j] = first;
    turned[j] = Wave<T>{};
    each_constant<kHalf>([&](auto k) XCUDA_INLINED {
      constexpr int kAt = (j + 1) * (k + 1) % R;
      sums[j].re += a[k + 1].re * cosines[kAt];
      sums[j].im += a[k + 1].im * cosines[kAt];
      turned[j].re += a[R - 1 - k].im * sines[kAt];
      turned[j].im -= a[R - 1 - k].re * sines[kAt];
    });
  });
  each_constant<kHalf>([&](auto j) XCUDA_INLINED {
    add_and_subtract(sums[j], turned[j]);
    a[j + 1] = sums[j];
    a[R - 1 - j] = turned[j];
  });
}

template <class T, int R> XCUDA_INLINE void butterfly(Wave<T> (&a)[R], const T* cosines, const T* sines) {
  if constexpr (R == 2) {
    add_and_subtract(a[0], a[1]);
  } else if constexpr (R == 4) {
    four(a[0], a[1], a[2], a[3]);
  } else if constexpr (R == 8) {
    constexpr T kHalfRoot = static_cast<T>(std::numbers::sqrt2 / 2);
    each_constant<4>([&](auto k) XCUDA_INLINED { add_and_subtract(a[k], a[k + 4]); });
    turn(a[5], kHalfRoot, -kHalfRoot);
    turn_quarter(a[6]);
    turn(a[7], -kHalfRoot, -kHalfRoot);
    four(a[0], a[1], a[2], a[3]);
    four(a[4], a[5], a[6], a[7]);
  } else {
    odd<T, R>(a, cosines, sines);
  }
}

// --- all rounds
// -------------------------------------------------------------------------------------------------------

template <class T> struct Round {
  const Wave<T>* from;
  Wave<T>* to;
  std::uint64_t length, stride;  // elements of the lines that are left, and their number
  const T* roots;                // of the whole length
  std::uint64_t n;
};

enum class Turning : std::uint8_t { no, yes };

template <class T, int R, Turning kTurning>
XCUDA_INLINE void columns_of_round(const Round<T>& round, std::uint64_t p, const T* cosines, const T* sines) {
  T c[R], s[R];
  for (int j = 1; j < R; ++j) {
    const auto* const root = round.roots + 2 * (static_cast<std::uint64_t>(j) * p * round.stride);
    c[j] = root[0];
    s[j] = root[1];
  }
  const auto* const in = round.from + round.stride * p;
  auto* const out = round.to + round.stride * R * p;
  const auto apart = round.stride * round.length;
  for (std::uint64_t q = 0; q < round.stride; ++q) {
    Wave<T> a[R];
    each_constant<R>([&](auto k) XCUDA_INLINED { a[k] = in[q + apart * static_cast<std::uint64_t>(int{k})]; });
    butterfly<T, R>(a, cosines, sines);
    each_constant<R>([&](auto j) XCUDA_INLINED {
      auto& one = a[place<R>(j)];
      if constexpr (kTurning == Turning::yes && j > 0) turn(one, c[j], s[j]);
      out[q + round.stride * static_cast<std::uint64_t>(int{j})] = one;
    });
  }
}

// T. G. Stockham's order, so that no round has to reverse digits.
template <class T, int R> XCUDA_INLINE void run_round(const Round<T>& round) {
  T cosines[R], sines[R];
  for (int k = 0; k < R; ++k) {
    const auto* const root = round.roots + 2 * (static_cast<std::uint64_t>(k) * (round.n / R));
    cosines[k] = root[0];
    sines[k] = -root[1];
  }
  columns_of_round<T, R, Turning::no>(round, 0, cosines, sines);
  for (std::uint64_t p = 1; p < round.length; ++p) columns_of_round<T, R, Turning::yes>(round, p, cosines, sines);
}

// Where the result is: x or work.
template <class T> XCUDA_INLINE Wave<T>* run_rounds(const FourierPlan<T>& plan, Wave<T>* x, Wave<T>* work) {
  Round<T> round{x, work, plan.n, 1, reinterpret_cast<const T*>(plan.roots.data()), plan.n};
  auto* from = x;
  auto* to = work;
  for (const auto radix : plan.radices) {
    round.from = from;
    round.to = to;
    round.length /= radix;
    switch (radix) {
      case 2: run_round<T, 2>(round); break;
      case 3: run_round<T, 3>(round); break;
      case 4: run_round<T, 4>(round); break;
      case 5: run_round<T, 5>(round); break;
      case 7: run_round<T, 7>(round); break;
      case 8: run_round<T, 8>(round); break;
      case 11: run_round<T, 11>(round); break;
      default: run_round<T, 13>(round);
    }
    round.stride *= radix;
    std::swap(from, to);
  }
  return from;
}

// --- real lines, two to a lane ---------------------------------------------------------------------------------------

// x[k] = a[k] + i b[k], and for the second half that of the conjugates.
template <class T> XCUDA_INLINE void join_halves(const Wave<T>* a, const Wave<T>* b, std::uint64_t n, Wave<T>* x) {
  for (std::uint64_t k = 0; 2 * k <= n; ++k) {
    if (k == 0 || 2 * k == n) {
      x[k] = Wave<T>{a[k].re, b[k].re};
      continue;
    }
    x[k] = Wave<T>{a[k].re - b[k].im, a[k].im + b[k].re};
    x[n - k] = Wave<T>{a[k].re + b[k].im, b[k].re - a[k].im};
  }
}

template <class T> XCUDA_INLINE void part_halves(const Wave<T>* x, std::uint64_t n, Wave<T>* a, Wave<T>* b) {
  constexpr T kHalf = 0.5;
  for (std::uint64_t k = 0; 2 * k <= n; ++k) {
    const auto& one = x[k];
    const auto& other = x[k == 0 ? 0 : n - k];
    a[k] = Wave<T>{(one.re + other.re) * kHalf, (one.im - other.im) * kHalf};
    b[k] = Wave<T>{(one.im + other.im) * kHalf, (other.re - one.re) * kHalf};
  }
}

// --- a group ---------------------------------------------------------------------------------------------------------

template <class T> XCUDA_INLINE void multiply_each(Wave<T>* x, std::span<const std::complex<T>> by) {
  for (std::size_t k = 0; k < by.size(); ++k) turn(x[k], by[k].real(), by[k].imag());
}

template <class T> XCUDA_INLINE void exchange_parts(Wave<T>* x, std::uint64_t n) {
  for (std::uint64_t k = 0; k < n; ++k) std::swap(x[k].re, x[k].im);
}

// The roots between two rounds: those of k below a power of two, by those of its multiples.
template <class T>
XCUDA_INLINE void multiply_between(const LaneGroup<T>& group, std::uint64_t n, Wave<T>* x, Wave<T>* memory) {
  constexpr std::uint64_t kFine = 32;
  const auto root = [&](std::uint64_t k, Wave<T>& wave) {
    for (std::size_t lane = 0; lane < kLanes<T>; ++lane) {
      const bool used = lane < group.from.count;
      const auto one = used ? group.between->at(k * (group.column + lane)) : std::complex<double>(1);
      numbers_of<T>(wave.re)[lane] = static_cast<T>(one.real());
      numbers_of<T>(wave.im)[lane] = static_cast<T>(group.direction == Direction::backward ? -one.imag() : one.imag());
    }
  };
  for (std::uint64_t k = 0; k < std::min(kFine, n); ++k) root(k, memory[k]);
  for (std::uint64_t first = 0; first < n; first += kFine) {
    Wave<T> coarse;
    root(first, coarse);
    const auto count = std::min(kFine, n - first);
    for (std::uint64_t k = 0; k < count; ++k) {
      const auto& fine = memory[k];
      const Wave<T> by{fine.re * coarse.re - fine.im * coarse.im, fine.re * coarse.im + fine.im * coarse.re};
      auto& one = x[first + k];
      const auto re = one.re * by.re - one.im * by.im;
      one.im = one.re * by.im + one.im * by.re;
      one.re = re;
    }
  }
}

template <class T> XCUDA_INLINE void transform_group(const LaneGroup<T>& group, LaneBuffer<T>& buffer) {
  const auto& plan = *group.plan;
  const auto& factors = plan.of_factors();
  const auto n = static_cast<std::int64_t>(plan.n), half = n / 2 + 1;
  auto* x = buffer.lines(plan);
  auto* work = buffer.work(plan);
  // Backwards: real and imaginary part change places before and after.
  const bool backward = group.direction == Direction::backward;
  switch (group.kind) {
    case LineKind::complex: load_complex<T>(group.from, n, x); break;
    case LineKind::from_real: load_real<T>(group.from, group.second_from, n, x); break;
    case LineKind::to_real:
      load_complex<T>(group.from, half, work);
      load_complex<T>(group.second_from, half, work + half);
      join_halves<T>(work, work + half, plan.n, x);
      break;
  }
  if (backward) exchange_parts<T>(x, plan.n);
  if (plan.inner) {
    multiply_each<T>(x, plan.chirp);
    std::fill(x + plan.n, x + factors.n, Wave<T>{});
  }
  for (int turn_number = 0;; ++turn_number) {
    auto* const result = run_rounds<T>(factors, x, work);
    if (result != x) std::swap(x, work);
    if (!plan.inner || turn_number == 1) break;
    multiply_each<T>(x, plan.kernel);
    exchange_parts<T>(x, factors.n);
  }
  if (plan.inner) {
    exchange_parts<T>(x, plan.n);
    multiply_each<T>(x, plan.chirp);
  }
  if (backward) exchange_parts<T>(x, plan.n);
  if (group.between != nullptr) multiply_between<T>(group, plan.n, x, work);
  switch (group.kind) {
    case LineKind::complex: store_complex<T>(x, n, group.to); break;
    case LineKind::from_real:
      part_halves<T>(x, plan.n, work, work + half);
      store_complex<T>(work, half, group.to);
      store_complex<T>(work + half, half, group.second_to);
      break;
    case LineKind::to_real: store_real<T>(x, n, group.to, group.second_to); break;
  }
}

#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2"))) void transform_group_fast(const LaneGroup<T>& group, LaneBuffer<T>& buffer) {
  transform_group(group, buffer);
}
#endif

}  // namespace

// Two halves of a real line are two elements more than the line; the roots between rounds take 32.
template <class T> Wave<T>* LaneBuffer<T>::lines(const FourierPlan<T>& plan) {
  lines_.resize(std::max<std::size_t>(lines_.size(), plan.of_factors().n + 32));
  return lines_.data();
}
template <class T> Wave<T>* LaneBuffer<T>::work(const FourierPlan<T>& plan) {
  work_.resize(std::max<std::size_t>(work_.size(), plan.of_factors().n + 32));
  return work_.data();
}

template <class T> void transform_lanes(const LaneGroup<T>& group, LaneBuffer<T>& buffer) {
#if defined(__x86_64__)
  static const bool fast = __builtin_cpu_supports("avx2");
  if (fast) return transform_group_fast(group, buffer);
#endif
  transform_group(group, buffer);
}

template void transform_lanes(const LaneGroup<float>&, LaneBuffer<float>&);
template void transform_lanes(const LaneGroup<double>&, LaneBuffer<double>&);

}  // namespace xcuda::library::cpu
