// Functions of bits that g++ has without a header, in host code. They are macros, because the compiler reserves the
// names.
#pragma once

template <class T> constexpr int xcuda_popcount(T x) {
  return sizeof(T) == 8 ? __popcll(static_cast<unsigned long long>(x)) : __popc(static_cast<unsigned>(x));
}
template <class T> constexpr int xcuda_clz(T x) {
  return sizeof(T) == 8 ? __clzll(static_cast<long long>(x)) : __clz(static_cast<int>(x));
}
template <class T> constexpr int xcuda_ffs(T x) {
  return sizeof(T) == 8 ? __ffsll(static_cast<long long>(x)) : __ffs(static_cast<int>(x));
}
template <class T> constexpr int xcuda_clrsb(T x) { return xcuda_clz(static_cast<T>(x < 0 ? ~x : x)) - 1; }
constexpr unsigned xcuda_bswap32(unsigned x) { return __byte_perm(x, 0, 0x0123); }
constexpr unsigned long xcuda_bswap64(unsigned long x) {
  return static_cast<unsigned long>(xcuda_bswap32(static_cast<unsigned>(x))) << 32 |
         xcuda_bswap32(static_cast<unsigned>(x >> 32));
}

#define __builtin_popcount(x) xcuda_popcount<unsigned>(x)
#define __builtin_popcountl(x) xcuda_popcount<unsigned long>(x)
#define __builtin_popcountll(x) xcuda_popcount<unsigned long long>(x)
#define __builtin_parity(x) (xcuda_popcount<unsigned>(x) & 1)
#define __builtin_parityl(x) (xcuda_popcount<unsigned long>(x) & 1)
#define __builtin_parityll(x) (xcuda_popcount<unsigned long long>(x) & 1)
#define __builtin_clz(x) xcuda_clz<unsigned>(x)
#define __builtin_clzl(x) xcuda_clz<unsigned long>(x)
#define __builtin_clzll(x) xcuda_clz<unsigned long long>(x)
#define __builtin_ctz(x) (xcuda_ffs<unsigned>(x) - 1)
#define __builtin_ctzl(x) (xcuda_ffs<unsigned long>(x) - 1)
#define __builtin_ctzll(x) (xcuda_ffs<unsigned long long>(x) - 1)
#define __builtin_ffs(x) xcuda_ffs<int>(x)
#define __builtin_ffsl(x) xcuda_ffs<long>(x)
#define __builtin_ffsll(x) xcuda_ffs<long long>(x)
#define __builtin_clrsb(x) xcuda_clrsb<int>(x)
#define __builtin_bswap16(x) static_cast<unsigned short>(xcuda_bswap32(static_cast<unsigned short>(x)) >> 16)
#define __builtin_bswap32(x) xcuda_bswap32(x)
#define __builtin_bswap64(x) xcuda_bswap64(x)
