// From the bytes of a verb to a call, and from its value to bytes.
#pragma once

#include <fmt/format.h>

#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "device/remote/codec.hpp"
#include "device/remote/protocol.hpp"

namespace xcuda::device::remote {

inline Error malformed(Verb verb) {
  return Error(ErrorKind::internal, fmt::format("the arguments of {} are malformed", verb_name(verb)));
}

// Posts to a stream, besides those that say so when they are left out.
inline bool is_work(Verb verb) {
  return verb == Verb::post_fill || verb == Verb::post_copy || verb == Verb::post_read || verb == Verb::post_write ||
         verb == Verb::post_record || verb == Verb::post_wait;
}

// Decodes the arguments, calls, and encodes the value.
template <class... Arguments, class Function>
std::vector<std::byte> apply(Verb verb, std::span<const std::byte> bytes, Function function) {
  std::tuple<Arguments...> arguments;
  Reader reader(bytes);
  std::apply([&](auto&... argument) { reader(argument...); }, arguments);
  if (!reader.complete()) throw malformed(verb);
  if constexpr (std::is_void_v<decltype(std::apply(function, arguments))>) {
    std::apply(function, arguments);
    return {};
  } else {
    return encode(std::apply(function, arguments));
  }
}

}  // namespace xcuda::device::remote
