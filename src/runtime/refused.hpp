// A function that is not supported says so when it is first called. Its arguments do not matter.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstddef>

#include "runtime/errors.hpp"

namespace xcuda::runtime {

template <std::size_t N> struct Text {
  constexpr Text(const char (&text)[N]) {  // NOLINT: a literal is its own text
    for (std::size_t i = 0; i < N; ++i) value[i] = text[i];
  }
  char value[N] = {};
};
template <Text Name, Text What> void say_refused() {
  static std::atomic<bool> told{false};
  if (!told.exchange(true)) say(fmt::format("{} is not supported on the CPU device ({})", Name.value, What.value));
}

}  // namespace xcuda::runtime
