// Complex numbers in a processor's vectors: several lines of an array side by side, so that one instruction serves all
// of them. This code is inlined into functions for the processor at hand, and into others for any processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#define XCUDA_INLINE __attribute__((always_inline)) inline
#define XCUDA_INLINED __attribute__((always_inline))  // of lambdas

namespace xcuda::library::cpu {

constexpr std::size_t kVectorBytes = 32;
template <class T> constexpr std::size_t kLanes = kVectorBytes / sizeof(T);

template <class T> struct alignas(kVectorBytes) Wave {
  // Aligned by name: without wider registers the compiler would do with less.
  // NOLINTNEXTLINE(modernize-use-using)
  typedef T Vector __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes)));
  Vector re, im;
};
template <class T> using Vector = typename Wave<T>::Vector;

// f(0), f(1), ... with constants, so that arrays become registers.
template <int N, class Function> XCUDA_INLINE void each_constant(Function function) {
  [&]<int... I>(std::integer_sequence<int, I...>) XCUDA_INLINED { (function(std::integral_constant<int, I>()), ...); }
  (std::make_integer_sequence<int, N>());
}

// Rows become columns.
template <class T> XCUDA_INLINE void transpose_lanes(Vector<T> (&rows)[kLanes<T>]) {
  const auto exchange = [&](auto distance, auto low, auto high) XCUDA_INLINED {
    each_constant<static_cast<int>(kLanes<T>)>([&](auto i) XCUDA_INLINED {
      if constexpr ((i & distance) == 0) {
        const auto a = rows[i], b = rows[i + distance];
        low(rows[i], a, b);
        high(rows[i + distance], a, b);
      }
    });
  };
#define XCUDA_SHUFFLE(...) \
  [](auto& to, const auto& a, const auto& b) XCUDA_INLINED { to = __builtin_shufflevector(a, b, __VA_ARGS__); }
  if constexpr (kLanes<T> == 8) {
    exchange(std::integral_constant<int, 4>(), XCUDA_SHUFFLE(0, 1, 2, 3, 8, 9, 10, 11),
             XCUDA_SHUFFLE(4, 5, 6, 7, 12, 13, 14, 15));
    exchange(std::integral_constant<int, 2>(), XCUDA_SHUFFLE(0, 1, 8, 9, 4, 5, 12, 13),
             XCUDA_SHUFFLE(2, 3, 10, 11, 6, 7, 14, 15));
    exchange(std::integral_constant<int, 1>(), XCUDA_SHUFFLE(0, 8, 2, 10, 4, 12, 6, 14),
             XCUDA_SHUFFLE(1, 9, 3, 11, 5, 13, 7, 15));
  } else {
    exchange(std::integral_constant<int, 2>(), XCUDA_SHUFFLE(0, 1, 4, 5), XCUDA_SHUFFLE(2, 3, 6, 7));
    exchange(std::integral_constant<int, 1>(), XCUDA_SHUFFLE(0, 4, 2, 6), XCUDA_SHUFFLE(1, 5, 3, 7));
  }
}

// The lines of an array that are in the lanes. Elements are real numbers, or complex ones: two numbers.
template <class T> struct Strands {
  T* at = nullptr;
  std::array<std::int64_t, kLanes<T>> offset{};  // elements, to the first of each lane
  std::int64_t step = 1;                         // elements from one to the next
  std::size_t count = 0;                         // of lanes in use

  bool side_by_side(std::int64_t apart) const {
    if (count < kLanes<T>) return false;
    for (std::size_t lane = 1; lane < count; ++lane)
      if (offset[lane] != offset[0] + static_cast<std::int64_t>(lane) * apart) return false;
    return true;
  }
};

// Numbers [first, first + lanes) of each lane, which lie one after the other; `width` numbers make an element.
template <class T>
XCUDA_INLINE void load_rows(const Strands<T>& from, std::int64_t width, std::int64_t first,
                            Vector<T> (&rows)[kLanes<T>]) {
  for (std::size_t lane = 0; lane < kLanes<T>; ++lane) {
    rows[lane] = Vector<T>{};
    if (lane < from.count) std::memcpy(&rows[lane], from.at + from.offset[lane] * width + first, kVectorBytes);
  }
  transpose_lanes<T>(rows);
}
template <class T>
XCUDA_INLINE void store_rows(const Strands<T>& to, std::int64_t width, std::int64_t first,
                             Vector<T> (&rows)[kLanes<T>]) {
  transpose_lanes<T>(rows);
  for (std::size_t lane = 0; lane < to.count; ++lane)
    std::memcpy(to.at + to.offset[lane] * width + first, &rows[lane], kVectorBytes);
}

template <class T> XCUDA_INLINE T* numbers_of(Vector<T>& vector) { return reinterpret_cast<T*>(&vector); }

// Loads neighbours whose re and im alternate in memory.
template <class T> XCUDA_INLINE void load_pairs(const T* from, Wave<T>& wave) {
  Vector<T> a, b;
  std::memcpy(&a, from, kVectorBytes);
  std::memcpy(&b, from + kLanes<T>, kVectorBytes);
  if constexpr (kLanes<T> == 8) {
    wave.re = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    wave.im = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
  } else {
    wave.re = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    wave.im = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  }
}
template <class T> XCUDA_INLINE void store_pairs(const Wave<T>& wave, T* to) {
  Vector<T> a, b;
  if constexpr (kLanes<T> == 8) {
    a = __builtin_shufflevector(wave.re, wave.im, 0, 8, 1, 9, 2, 10, 3, 11);
    b = __builtin_shufflevector(wave.re, wave.im, 4, 12, 5, 13, 6, 14, 7, 15);
  } else {
    a = __builtin_shufflevector(wave.re, wave.im, 0, 4, 1, 5);
    b = __builtin_shufflevector(wave.re, wave.im, 2, 6, 3, 7);
  }
  std::memcpy(to, &a, kVectorBytes);
  std::memcpy(to + kLanes<T>, &b, kVectorBytes);
}

// Loads n complex numbers of each lane.
template <class T> XCUDA_INLINE void load_complex(const Strands<T>& from, std::int64_t n, Wave<T>* to) {
  if (from.side_by_side(1)) {
    for (std::int64_t i = 0; i < n; ++i) load_pairs<T>(from.at + 2 * (from.offset[0] + i * from.step), to[i]);
    return;
  }
  std::int64_t i = 0;
  constexpr auto kTogether = static_cast<std::int64_t>(kLanes<T> / 2);
  if (from.step == 1)
    for (; i + kTogether <= n; i += kTogether) {
      Vector<T> rows[kLanes<T>];
      load_rows<T>(from, 2, 2 * i, rows);
      for (std::int64_t k = 0; k < kTogether; ++k) to[i + k] = Wave<T>{rows[2 * k], rows[2 * k + 1]};
    }
  for (; i < n; ++i) {
    to[i] = Wave<T>{};
    for (std::size_t lane = 0; lane < from.count; ++lane) {
      const auto* const element = from.at + 2 * (from.offset[lane] + i * from.step);
      numbers_of<T>(to[i].re)[lane] = element[0];
      numbers_of<T>(to[i].im)[lane] = element[1];
    }
  }
}
template <class T> XCUDA_INLINE void store_complex(Wave<T>* from, std::int64_t n, const Strands<T>& to) {
  if (to.side_by_side(1)) {
    for (std::int64_t i = 0; i < n; ++i) store_pairs<T>(from[i], to.at + 2 * (to.offset[0] + i * to.step));
    return;
  }
  std::int64_t i = 0;
  constexpr auto kTogether = static_cast<std::int64_t>(kLanes<T> / 2);
  if (to.step == 1)
    for (; i + kTogether <= n; i += kTogether) {
      Vector<T> rows[kLanes<T>];
      for (std::int64_t k = 0; k < kTogether; ++k) {
        rows[2 * k] = from[i + k].re;
        rows[2 * k + 1] = from[i + k].im;
      }
      store_rows<T>(to, 2, 2 * i, rows);
    }
  for (; i < n; ++i)
    for (std::size_t lane = 0; lane < to.count; ++lane) {
      auto* const element = to.at + 2 * (to.offset[lane] + i * to.step);
      element[0] = numbers_of<T>(from[i].re)[lane];
      element[1] = numbers_of<T>(from[i].im)[lane];
    }
}

// Loads n real numbers of each lane: those of `a` are the real parts and those of `b` the imaginary ones.
template <class T> XCUDA_INLINE void load_real(const Strands<T>& a, const Strands<T>& b, std::int64_t n, Wave<T>* to) {
  if (a.side_by_side(2) && b.side_by_side(2) && b.offset[0] == a.offset[0] + 1) {
    for (std::int64_t i = 0; i < n; ++i) load_pairs<T>(a.at + a.offset[0] + i * a.step, to[i]);
    return;
  }
  std::int64_t i = 0;
  constexpr auto kTogether = static_cast<std::int64_t>(kLanes<T>);
  if (a.step == 1)
    for (; i + kTogether <= n; i += kTogether) {
      Vector<T> re[kLanes<T>], im[kLanes<T>];
      load_rows<T>(a, 1, i, re);
      load_rows<T>(b, 1, i, im);
      for (std::int64_t k = 0; k < kTogether; ++k) to[i + k] = Wave<T>{re[k], im[k]};
    }
  for (; i < n; ++i) {
    to[i] = Wave<T>{};
    for (std::size_t lane = 0; lane < a.count; ++lane)
      numbers_of<T>(to[i].re)[lane] = a.at[a.offset[lane] + i * a.step];
    for (std::size_t lane = 0; lane < b.count; ++lane)
      numbers_of<T>(to[i].im)[lane] = b.at[b.offset[lane] + i * b.step];
  }
}
template <class T>
XCUDA_INLINE void store_real(Wave<T>* from, std::int64_t n, const Strands<T>& a, const Strands<T>& b) {
  if (a.side_by_side(2) && b.side_by_side(2) && b.offset[0] == a.offset[0] + 1) {
    for (std::int64_t i = 0; i < n; ++i) store_pairs<T>(from[i], a.at + a.offset[0] + i * a.step);
    return;
  }
  std::int64_t i = 0;
  constexpr auto kTogether = static_cast<std::int64_t>(kLanes<T>);
  if (a.step == 1)
    for (; i + kTogether <= n; i += kTogether) {
      Vector<T> re[kLanes<T>], im[kLanes<T>];
      for (std::int64_t k = 0; k < kTogether; ++k) {
        re[k] = from[i + k].re;
        im[k] = from[i + k].im;
      }
      store_rows<T>(a, 1, i, re);
      store_rows<T>(b, 1, i, im);
    }
  for (; i < n; ++i) {
    for (std::size_t lane = 0; lane < a.count; ++lane)
      a.at[a.offset[lane] + i * a.step] = numbers_of<T>(from[i].re)[lane];
    for (std::size_t lane = 0; lane < b.count; ++lane)
      b.at[b.offset[lane] + i * b.step] = numbers_of<T>(from[i].im)[lane];
  }
}

}  // namespace xcuda::library::cpu
