// A device has one stream of output, and native code of the host has two: it puts these characters around what it
// prints to stderr. (Shift out and shift in: a kernel that prints them by itself moves its own text.)
#pragma once

namespace xcuda::session {

inline constexpr char kErrorsBegin = '\x0e', kErrorsEnd = '\x0f';

}  // namespace xcuda::session
