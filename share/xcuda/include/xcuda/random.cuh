// Random numbers that are the same, bit for bit, on every device and on the host: Philox4x32-10 (Salmon, Moraes, Dror
// and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11), counted by the element's index.
//
// Everything below is integer arithmetic and IEEE addition, multiplication, division and square root in double
// precision, without contraction, so that no math library can make a difference.
#pragma once

#ifdef __CUDACC__
#define XCUDA_BOTH __host__ __device__ __forceinline__
#else
#define XCUDA_BOTH inline
#endif

namespace xcuda {

using Word = unsigned int;
using Word64 = unsigned long long;

struct PhiloxBlock {
  Word word[4];
};

// The 128 random bits of block `index` of a subsequence of the sequence `seed`.
XCUDA_BOTH PhiloxBlock philox(Word64 seed, Word64 index, Word64 subsequence = 0) {
  Word key0 = static_cast<Word>(seed), key1 = static_cast<Word>(seed >> 32);
  PhiloxBlock c = {{static_cast<Word>(index), static_cast<Word>(index >> 32), static_cast<Word>(subsequence),
                    static_cast<Word>(subsequence >> 32)}};
  for (int round = 0; round < 10; ++round) {
    const Word64 p0 = 0xD2511F53ull * c.word[0], p1 = 0xCD9E8D57ull * c.word[2];
    c = {{static_cast<Word>(p1 >> 32) ^ c.word[1] ^ key0, static_cast<Word>(p1),
          static_cast<Word>(p0 >> 32) ^ c.word[3] ^ key1, static_cast<Word>(p0)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

namespace exact {
#ifdef __CUDA_ARCH__
XCUDA_BOTH double add(double a, double b) { return __dadd_rn(a, b); }
XCUDA_BOTH double mul(double a, double b) { return __dmul_rn(a, b); }
XCUDA_BOTH double div(double a, double b) { return __ddiv_rn(a, b); }
XCUDA_BOTH double root(double a) { return __dsqrt_rn(a); }
#else
XCUDA_BOTH double add(double a, double b) { return a + b; }
XCUDA_BOTH double mul(double a, double b) { return a * b; }
XCUDA_BOTH double div(double a, double b) { return a / b; }
XCUDA_BOTH double root(double a) { return __builtin_sqrt(a); }
#endif

// 53 bits of two words: [0, 1).
XCUDA_BOTH double unit(Word high, Word low) {
  return static_cast<double>((static_cast<Word64>(high >> 5) << 26) | (low >> 6)) * 0x1p-53;
}

// ln(n * 2^-53), n in 1 .. 2^53, to about 1 ulp: ln m = 2 atanh((m - 1) / (m + 1)) for m in [1/sqrt 2, sqrt 2).
XCUDA_BOTH double log_of_fraction(Word64 n) {
  int exponent = 0;
  while ((n >> exponent) > 1) ++exponent;
  double m = div(static_cast<double>(n), static_cast<double>(1ull << exponent));  // [1, 2), exact
  if (m > 1.4142135623730951) {
    m = m * 0.5;
    ++exponent;
  }
  const double s = div(m - 1.0, m + 1.0), s2 = mul(s, s);
  double sum = 0.0;
  for (int k = 25; k >= 1; k -= 2) sum = add(mul(sum, s2), div(1.0, static_cast<double>(k)));
  return add(mul(static_cast<double>(exponent - 53), 0.6931471805599453), mul(mul(2.0, s), sum));
}

struct SinCos {
  double sine, cosine;
};

// Of 2 pi u, u in [0, 1): the quadrant is taken off exactly, Taylor does the rest of at most pi / 4.
XCUDA_BOTH SinCos sincos_turn(double u) {
  const int quadrant = static_cast<int>(u * 4.0 + 0.5);
  const double x = mul(u - quadrant * 0.25, 6.283185307179586), x2 = mul(x, x);
  double sine = 0.0, cosine = 0.0;
  for (int k = 19; k >= 3; k -= 2) sine = mul(div(-x2, static_cast<double>(k * (k - 1))), add(1.0, sine));
  for (int k = 18; k >= 2; k -= 2) cosine = mul(div(-x2, static_cast<double>(k * (k - 1))), add(1.0, cosine));
  sine = mul(x, add(1.0, sine));
  cosine = add(1.0, cosine);
  switch (quadrant & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}
}  // namespace exact

// Element `index` of uniform(lo, hi) in single precision: 24 bits.
XCUDA_BOTH double uniform24(Word64 seed, Word64 index, double lo, double hi) {
  const PhiloxBlock block = philox(seed, index >> 2);
  const double u = static_cast<double>(block.word[index & 3] >> 8) * 0x1p-24;
  return exact::add(lo, exact::mul(u, hi - lo));
}

// Element `index` of uniform(lo, hi): 53 bits.
XCUDA_BOTH double uniform53(Word64 seed, Word64 index, double lo, double hi) {
  const PhiloxBlock block = philox(seed, index >> 1);
  const int half = static_cast<int>(index & 1) * 2;
  return exact::add(lo, exact::mul(exact::unit(block.word[half], block.word[half + 1]), hi - lo));
}

// Element `index` of normal(mean, deviation), by Box and Muller: two elements of one block.
XCUDA_BOTH double normal(Word64 seed, Word64 index, double mean, double deviation) {
  const PhiloxBlock block = philox(seed, index >> 1);
  const Word64 n = ((static_cast<Word64>(block.word[0] >> 5) << 26) | (block.word[1] >> 6)) + 1;
  const double radius = exact::root(exact::mul(-2.0, exact::log_of_fraction(n)));
  const exact::SinCos angle = exact::sincos_turn(exact::unit(block.word[2], block.word[3]));
  return exact::add(mean, exact::mul(deviation, exact::mul(radius, (index & 1) != 0 ? angle.sine : angle.cosine)));
}

}  // namespace xcuda
