// Which sanitizer this is compiled with: g++ tells by macros, clang by features.
#pragma once

#ifdef __has_feature
#define XCUDA_HAS_FEATURE(name) __has_feature(name)
#else
#define XCUDA_HAS_FEATURE(name) 0
#endif

namespace xcuda {

#if defined(__SANITIZE_ADDRESS__) || XCUDA_HAS_FEATURE(address_sanitizer)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || XCUDA_HAS_FEATURE(thread_sanitizer)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

}  // namespace xcuda
