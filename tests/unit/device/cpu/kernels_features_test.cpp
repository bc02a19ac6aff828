// The kernels of files 22 to 40: halves, integers of all widths, atomics, warps, calls, cooperative grids, mbarriers,
// matrices, device memory. References are the host's; what depends on the order of threads is checked by property.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/half.hpp"
#include "tests/unit/device/cpu/device_fixture.hpp"
#include "tests/unit/device/cpu/random_numbers.hpp"

namespace xcuda::device::cpu {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

u16 brain(float value) {
  return static_cast<u16>((std::bit_cast<u32>(value) + 0x7fff + (std::bit_cast<u32>(value) >> 16 & 1)) >> 16);
}
float from_brain(u16 bits) { return std::bit_cast<float>(u32{bits} << 16); }

std::vector<u16> halves(const std::vector<float>& values) {
  std::vector<u16> all;
  for (float value : values) all.push_back(float_to_half(value));
  return all;
}

class FeatureKernels : public DeviceTest {
 protected:
  FeatureKernels() { golden_ = true; }
};

TEST_F(FeatureKernels, HalfArithmetic) {
  load("22_half_bf16");
  const auto xs = numbers<float>(300, -4, 4, 1), ys = numbers<float>(300, -4, 4, 2);
  const auto x = halves(xs), y = halves(ys);
  const auto out = make("y", y);
  const u16 a = float_to_half(1.7f);
  launch("haxpy", {{3}, {128}}, 300, a, make("x", x), out);
  const auto got = read(out);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(got[i], double_to_half(double{half_to_float(a)} * half_to_float(x[i]) + half_to_float(y[i]))) << i;
}

TEST_F(FeatureKernels, PairsOfHalves) {
  golden_ = false;  // the approximate functions of halves may differ in their last bit
  load("22_half_bf16");
  const auto xs = numbers<float>(64, 0.1, 2, 1), ys = numbers<float>(64, 0.5, 2, 2);
  const auto x = halves(xs), y = halves(ys);
  const auto out = zeros<u16>("o", 64);
  const auto f = zeros<float>("f", 32);
  launch("h2", {{1}, {32}}, make("x", x), make("y", y), out, f);
  const auto got = read(out);
  const auto sums = read(f);
  std::vector<double> v(64);
  for (std::size_t i = 0; i < 64; ++i)
    v[i] = std::exp(double{half_to_float(x[i])} * half_to_float(y[i]) + half_to_float(x[i]));
  for (std::size_t i = 2; i < 64; ++i)  // all threads add to the first pair
    ASSERT_NEAR(half_to_float(got[i]), std::max(v[i], double{half_to_float(y[i])}), 0.003 * std::max(1.0, v[i])) << i;
  EXPECT_GT(half_to_float(got[0]), 20);
  for (std::size_t i = 0; i < 32; ++i) {
    const double x0 = half_to_float(x[2 * i]), x1 = half_to_float(x[2 * i + 1]), y0 = half_to_float(y[2 * i]),
                 y1 = half_to_float(y[2 * i + 1]);
    const double wanted = v[2 * i] + std::sqrt(x1) + std::sin(x0) + (x0 > y0 ? 1 : 0) + x0 / y1 - x0;
    ASSERT_NEAR(sums[i], wanted, 0.004 * std::max(1.0, std::fabs(wanted))) << i;
  }
}

TEST_F(FeatureKernels, BrainFloats) {
  load("22_half_bf16");
  const auto xs = numbers<float>(32, 0.1, 2, 1), ys = numbers<float>(32, 0.1, 2, 2), zs = numbers<float>(64, 0.1, 2, 3);
  std::vector<u16> x, y, z;
  for (float value : xs) x.push_back(brain(value));
  for (float value : ys) y.push_back(brain(value));
  for (float value : zs) z.push_back(brain(value));
  const auto out = make("y", y);
  const auto f = zeros<float>("f", 32);
  launch("bf", {{1}, {32}}, make("x", x), out, f, make("z", z));
  const auto got = read(f);
  const auto rounded = read(out);
  for (std::size_t i = 0; i < 32; ++i) {
    const float v = from_brain(x[i]),
                next = from_brain(brain(std::fma(v, v, from_brain(y[i]))));  // of y, which is read again
    const float product = from_brain(brain(v * next)),
                squares = from_brain(brain(from_brain(z[2 * i]) * from_brain(z[2 * i]))) *
                          from_brain(brain(from_brain(z[2 * i + 1]) * from_brain(z[2 * i + 1])));
    const float larger = v > next ? 1.f : 0.f;
    ASSERT_NEAR(got[i], from_brain(brain(product + v)) + larger + std::exp(v) + squares, 0.06f) << i;
    ASSERT_EQ(rounded[i], brain(got[i]));
  }
}

TEST_F(FeatureKernels, SmallIntegers) {
  load("23_dp4a_int");
  const int w = 37, h = 23;
  std::vector<std::uint8_t> cells(static_cast<std::size_t>(w * h)), next(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = i * 2654435761u >> 30 == 0;
  const auto out = zeros<std::uint8_t>("b", cells.size());
  launch("life", {{3, 3}, {16, 8}}, make("a", cells), out, w, h);
  const auto got = read(out);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      int n = 0;
      for (int j = -1; j < 2; ++j)
        for (int i = -1; i < 2; ++i)
          if (i || j) n += cells[static_cast<std::size_t>((y + j + h) % h * w + (x + i + w) % w)];
      const bool alive = cells[static_cast<std::size_t>(y * w + x)];
      ASSERT_EQ(got[static_cast<std::size_t>(y * w + x)], n == 3 || (alive && n == 2)) << x << " " << y;
    }

  struct Color {
    std::uint8_t r, g, b;
  };
  std::vector<Color> image(static_cast<std::size_t>(w * h));
  for (std::size_t i = 0; i < image.size(); ++i)
    image[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i * 3), static_cast<std::uint8_t>(i * 7)};
  const auto blurred = zeros<Color>("out", image.size());
  launch("blur8", {{3, 3}, {16, 8}}, make("in", image), blurred, w, h);
  const auto pixels = read(blurred);
  for (int y = 1; y < h - 1; ++y)
    for (int x = 1; x < w - 1; ++x) {
      int g = 0;
      for (int j = -1; j < 2; ++j)
        for (int i = -1; i < 2; ++i) g += image[static_cast<std::size_t>((y + j) * w + x + i)].g;
      ASSERT_EQ(pixels[static_cast<std::size_t>(y * w + x)].g, g / 9) << x << " " << y;
    }
}

TEST_F(FeatureKernels, WideIntegers) {
  load("24_int64");
  std::vector<u64> values = {0, 1, 2, 3, 4, 97, 1009 * 1009, 1000003, 1000001, 4294967291u, 4294967297u, 36028797};
  const auto out = zeros<int>("o", values.size());
  launch("primes", {{1}, {32}}, make("a", values), out, static_cast<int>(values.size()));
  EXPECT_EQ(read(out), (std::vector<int>{0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, [] {
                                           for (u64 d = 2; d * d <= 36028797; ++d)
                                             if (36028797 % d == 0) return 0;
                                           return 1;
                                         }()}));

  const u64 m = 0xffff'ffff'ffff'ffc5;  // the greatest prime below 2^64
  std::vector<u64> bases(32), exponents(32);
  for (u64 i = 0; i < 32; ++i) bases[i] = i * 0x9e37'79b9'7f4a'7c15 + 3;
  std::vector<long long> others(32, 1000);
  const auto a = make("a", bases);
  launch("modpow", {{1}, {32}}, a, make("b", others), 1000003u, m);
  const auto powers = read(a);
  for (std::size_t i = 0; i < 32; ++i) {
    unsigned __int128 r = 1, x = bases[i];
    for (u32 e = 1000003; e; e >>= 1) {
      if (e & 1) r = r * x % m;
      x = x * x % m;
    }
    ASSERT_EQ(powers[i], static_cast<u64>(r)) << i;
  }

  std::vector<u64> states(32);
  std::vector<u32> hashes(32);
  for (u32 i = 0; i < 32; ++i) states[i] = i + 1, hashes[i] = i;
  const auto s = make("s", states);
  const auto hash = make("h", hashes);
  launch("xorshift", {{1}, {32}}, s, hash);
  const auto shifted = read(s);
  const auto hashed = read(hash);
  for (std::size_t i = 0; i < 32; ++i) {
    u64 x = states[i];
    for (int k = 0; k < 100; ++k) x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    ASSERT_EQ(shifted[i], x);
    u32 v = hashes[i];
    v = (v ^ 61) ^ (v >> 16), v *= 9, v ^= v >> 4, v *= 0x27d4eb2d, v ^= v >> 15;
    ASSERT_EQ(hashed[i], v);
  }
}

TEST_F(FeatureKernels, AtomicsAndLocks) {
  golden_ = false;
  load("25_atomics_cas");
  const int n = 128;
  std::vector<u32> u(32, 0);
  u[0] = ~0u, u[4] = 7, u[9] = 1;
  const auto d = make("d", std::vector<double>{0.5, 0});
  const auto f = make("f", std::vector<float>{-1, 0, 0, 0});
  const auto i = zeros<int>("i", 256);
  const auto words = make("u", u);
  const auto l = make("l", std::vector<u64>{0, 100});
  launch("at", {{1}, {n}}, d, f, i, words, l);
  const double sum = n * (n - 1) / 2;
  EXPECT_EQ(read(d), (std::vector<double>{0.5 + sum, n}));
  EXPECT_EQ(read(f)[0], n - 1);
  EXPECT_EQ(read(f)[3], 1.5f);
  const auto ints = read(i);
  EXPECT_EQ(ints[0], -n);
  EXPECT_EQ(ints[5], n);
  EXPECT_EQ(ints[6], n);
  EXPECT_EQ(ints[7], sum);
  const auto got = read(words);
  EXPECT_EQ(got[0], ~127u);
  EXPECT_EQ(got[1], 127u);
  EXPECT_EQ(got[3], 28u);  // counts modulo 100
  EXPECT_EQ(got[9], 2u);
  EXPECT_EQ(read(l), (std::vector<u64>{127, 3}));

  const auto in = numbers<float>(1000, 0, 1);
  const auto out = zeros<float>("out", 1);
  for (int again = 0; again < 3; ++again) {  // the ticket is given back
    launch("lastblock", {{8}, {64}}, make("in", in), zeros<float>("part", 8), out, 1000);
    // Each thread of a block writes its own sum to the same place; whose stays is open.
    float least = 1e30f, greatest = 0;
    for (std::size_t t = 0; t < 64; ++t) {
      float own = 0;
      for (std::size_t k = t; k < in.size(); k += 64) own += in[k];
      least = std::min(least, own), greatest = std::max(greatest, own);
    }
    EXPECT_GE(read(out)[0], 8 * least * 0.999f) << again;
    EXPECT_LE(read(out)[0], 8 * greatest * 1.001f) << again;
  }
}

TEST_F(FeatureKernels, WarpVotesAndBlockVotes) {
  golden_ = false;
  load("26_ballot_match");
  std::vector<int> in(96);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7 % 11);
  const auto o = zeros<u32>("o", 96);
  const auto l = zeros<long long>("l", 96);
  launch("warpops", {{1}, {96}}, make("in", in), o, l);
  const auto got = read(o);
  const auto shuffled = read(l);
  const auto count = static_cast<u32>(std::count_if(in.begin(), in.end(), [](int v) { return v > 2; }));
  for (u32 t = 0; t < 96; ++t) {
    const u32 warp = t / 32, lane = t % 32;
    u32 ballot = 0, match = 0, any = 0, all = 1;
    for (u32 k = 0; k < 32; ++k) {
      const int v = in[warp * 32 + k];
      ballot |= u32{v > 3} << k;
      match |= u32{v == in[t]} << k;
      any |= v == 7;
      all &= v > 0;
    }
    u32 wanted =
        ballot + match + 0 + 0 + ~0u + any + all + static_cast<u32>(std::popcount(ballot & ((1u << lane) - 1)));
    ASSERT_EQ(shuffled[t], in[warp * 32 + (lane & ~7u) + ((lane ^ 5) & 7)]) << t;
    if (t & 1) wanted += static_cast<u32>(in[warp * 32 + 1]);
    wanted += ((1u << lane) - 1) + warp + 3 + 0 + lane + count + 0 + 1;
    ASSERT_EQ(got[t], wanted) << t;
  }

  std::vector<int> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 31 % 17) - 8;
  const auto out = zeros<int>("out", 1000), n = zeros<int>("n", 1);
  launch("compact", {{8}, {128}}, make("in", values), out, n, 1000);
  std::vector<int> kept = read(out), wanted;
  std::copy_if(values.begin(), values.end(), std::back_inserter(wanted), [](int v) { return v > 0; });
  ASSERT_EQ(read(n)[0], static_cast<int>(wanted.size()));
  kept.resize(wanted.size());
  std::sort(kept.begin(), kept.end());
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(kept, wanted);

  const auto sums = zeros<int>("o", 96);
  launch("redux", {{1}, {96}}, make("in", in), sums);
  for (std::size_t t = 0; t < 96; ++t) {
    const auto first = in.begin() + static_cast<long>(t / 32 * 32), last = first + 32;
    ASSERT_EQ(read(sums)[t], std::accumulate(first, last, 0) + *std::max_element(first, last) +
                                 std::accumulate(first, last, 0, [](int a, int b) { return a ^ b; }));
  }
}

TEST_F(FeatureKernels, RecursionPointersAndVirtualFunctions) {
  load("27_recursion_virtual");
  const auto out = zeros<int>("o", 40);
  launch("rec", {{1}, {40}}, out);
  const auto got = read(out);
  const std::vector<int> fibonacci = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (std::size_t i = 0; i < 40; ++i) ASSERT_EQ(got[i], fibonacci[i % 12]) << i;

  std::vector<int> which(40);
  for (std::size_t i = 0; i < 40; ++i) which[i] = static_cast<int>(i * 5 % 3);
  std::vector<float> values(40);
  std::iota(values.begin(), values.end(), 1.f);
  const auto floats = make("o", values);
  launch("fp", {{1}, {40}}, make("k", which), floats);
  for (std::size_t i = 0; i < 40; ++i)
    ASSERT_EQ(read(floats)[i], which[i] == 0   ? values[i] + 2
                               : which[i] == 1 ? values[i] * 2
                                               : values[i] * values[i] - 2);

  const auto areas = zeros<float>("o", 40);
  launch("virt", {{1}, {40}}, areas, make("k", which));
  for (std::size_t i = 0; i < 40; ++i) ASSERT_NEAR(read(areas)[i], (which[i] ? 4.f : 3.14f * 9) + 3.14f, 1e-4) << i;

  struct Node {
    float x;
    int left, right;
  };
  std::vector<Node> tree;
  for (int i = 0; i < 31; ++i)
    tree.push_back({static_cast<float>(i), 2 * i + 1 < 31 ? 2 * i + 1 : -1, 2 * i + 2 < 31 ? 2 * i + 2 : -1});
  const auto sums = zeros<float>("o", 31);
  launch("ktree", {{1}, {31}}, make("t", tree), sums);
  const std::function<float(int)> sum_below = [&](int i) -> float {
    return i < 0 ? 0.f
                 : tree[static_cast<std::size_t>(i)].x + sum_below(tree[static_cast<std::size_t>(i)].left) +
                       sum_below(tree[static_cast<std::size_t>(i)].right);
  };
  for (int i = 0; i < 31; ++i) ASSERT_EQ(read(sums)[static_cast<std::size_t>(i)], sum_below(i)) << i;
}

TEST_F(FeatureKernels, ACallOfNoFunctionIsAFault) {
  golden_ = false;
  load("27_recursion_virtual");
  const auto o = zeros<float>("o", 32);
  EXPECT_EQ(fault_of("apply", {{1}, {32}}, o, u64{0}).kind, FaultKind::null_pointer);
  start(1);
  load("27_recursion_virtual");
  const auto p = zeros<float>("o", 32);
  const Fault fault = fault_of("apply", {{1}, {32}}, p, u64{0x1234});
  EXPECT_EQ(fault.kind, FaultKind::illegal_instruction);
  EXPECT_NE(fault.message.find("0x1234"), std::string::npos) << fault.message;
}

TEST_F(FeatureKernels, EndlessRecursionIsAFault) {
  golden_ = false;
  load("27_recursion_virtual");
  struct Node {
    float x;
    int left, right;
  };
  const Fault fault = fault_of("ktree", {{1}, {1}}, make("t", std::vector<Node>{{1, 0, 0}}), zeros<float>("o", 1));
  EXPECT_EQ(fault.kind, FaultKind::stack_overflow) << fault.message;
}

TEST_F(FeatureKernels, AGridThatSynchronises) {
  load("29_coop_grid");
  const int n = 1000, iterations = 20;
  std::vector<float> a(n), b(n);
  for (int i = 0; i < n; ++i)
    a[static_cast<std::size_t>(i)] = b[static_cast<std::size_t>(i)] = static_cast<float>(i % 37);
  const auto da = make("a", a), db = make("b", b);
  launch("jacobi", {.grid = {16}, .block = {64}, .mode = LaunchMode::cooperative}, da, db, n, iterations);
  for (int it = 0; it < iterations; ++it) {
    for (std::size_t i = 1; i + 1 < a.size(); ++i) b[i] = .5f * (a[i - 1] + a[i + 1]);
    std::swap(a, b);
  }
  EXPECT_EQ(read(iterations % 2 ? db : da), a);
}

TEST_F(FeatureKernels, BarriersAndAsynchronousCopies) {
  load("30_barrier_async");
  const auto in = numbers<float>(4 * 256);
  const auto out = zeros<float>("out", in.size());
  launch("bar", {{4}, {256}}, make("in", in), out, 4 * 256);
  const auto got = read(out);
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(got[i], in[i / 256 * 256 + 255 - i % 256]) << i;

  std::vector<int> ints(4 * 64);
  std::iota(ints.begin(), ints.end(), 0);
  const auto reversed = zeros<int>("out", ints.size());
  launch("cgasync", {{4}, {64}, 256}, make("in", ints), reversed);
  for (std::size_t i = 0; i < ints.size(); ++i) ASSERT_EQ(read(reversed)[i], ints[i / 64 * 64 + 63 - i % 64]) << i;

  const auto rows = numbers<float>(6 * 128);
  const auto sums = zeros<float>("out", 128);
  launch("pipe", {{1}, {128}, 2 * 128 * 4}, make("in", rows), sums, 6);
  for (std::size_t i = 0; i < 128; ++i) {
    float sum = 0;
    for (std::size_t r = 0; r < 6; ++r) sum += rows[r * 128 + i];
    ASSERT_EQ(read(sums)[i], sum) << i;
  }
}

TEST_F(FeatureKernels, DeviceMemory) {
  golden_ = false;
  load("32_malloc");
  const auto pointers = zeros<u64>("p", 64);
  launch("m", {{1}, {64}}, pointers, 10);
  const auto got = read(pointers);
  for (std::size_t i = 0; i < 64; ++i) {
    ASSERT_NE(got[i], 0u);
    ASSERT_EQ(reinterpret_cast<const int*>(got[i])[9], 9 * static_cast<int>(i));
  }
  launch("f", {{1}, {64}}, pointers);
  const auto o = zeros<float>("o", 96);
  launch("nw", {{1}, {32}}, o);
  for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(read(o)[i], 120) << i;
}

TEST_F(FeatureKernels, SparseAndClusteredWork) {
  load("33_spmv_graph");
  const int n = 200;
  std::vector<int> rows = {0}, columns;
  for (int r = 0; r < n; ++r) {
    for (int k = 0; k < r % 7; ++k) columns.push_back((r * 31 + k * 17) % n);
    rows.push_back(static_cast<int>(columns.size()));
  }
  const auto v = numbers<float>(columns.size(), -1, 1, 3), x = numbers<float>(n, -1, 1, 4);
  const auto y = zeros<float>("y", n);
  const auto drows = make("rp", rows), dcolumns = make("ci", columns);
  launch("spmv", {{7}, {32}}, n, drows, dcolumns, make("v", v), make("x", x), y);
  for (std::size_t r = 0; r < n; ++r) {
    float s = 0;
    for (int k = rows[r]; k < rows[r + 1]; ++k)
      s = std::fma(v[static_cast<std::size_t>(k)], x[static_cast<std::size_t>(columns[static_cast<std::size_t>(k)])],
                   s);
    ASSERT_NEAR(read(y)[r], s, 1e-6) << r;
  }

  std::vector<int> depth(n, -1), wanted;
  depth[6] = 0;
  const auto d = make("d", depth);
  for (int level = 0; level < 20; ++level)
    launch("bfs", {{7}, {32}}, drows, dcolumns, d, zeros<std::uint8_t>("ch", 1), level, n);
  for (int level = 0; level < 20; ++level)
    for (std::size_t u = 0; u < n; ++u)
      if (depth[u] == level)
        for (int k = rows[u]; k < rows[u + 1]; ++k)
          if (int& other = depth[static_cast<std::size_t>(columns[static_cast<std::size_t>(k)])]; other < 0)
            other = level + 1;
  EXPECT_EQ(read(d), depth);

  const auto logits = numbers<float>(3 * 100, -5, 5, 8);
  const auto soft = zeros<float>("y", logits.size());
  launch("softmax", {{3}, {64}, 256}, make("x", logits), soft, 100);
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 100; ++i) sum += std::exp(double{logits[row * 100 + i]});
    for (std::size_t i = 0; i < 100; ++i)
      ASSERT_NEAR(read(soft)[row * 100 + i], std::exp(double{logits[row * 100 + i]}) / sum, 1e-6);
  }

  struct Float4 {
    float x, y, z, w;
  };
  std::vector<Float4> quads(100);
  for (std::size_t i = 0; i < quads.size(); ++i) quads[i] = {static_cast<float>(i), 1, -static_cast<float>(i), 0.5f};
  const auto folded = zeros<Float4>("o", 32);
  launch("f4red", {{1}, {32}}, make("a", quads), folded, 100);
  for (std::size_t t = 0; t < 32; ++t) {
    Float4 s{};
    for (std::size_t i = t; i < 100; i += 32) s.x += quads[i].x, s.y += 1, s.w += 0.5f;
    ASSERT_EQ(read(folded)[t].x, s.x);
    ASSERT_EQ(read(folded)[t].z, -s.x);
    ASSERT_EQ(read(folded)[t].w, s.w);
  }
}

TEST_F(FeatureKernels, MatricesInDoubleAndSingle) {
  load("34_matmul_f64");
  const int m = 37, n = 45, k = 29;
  const auto a = numbers<double>(m * k, -1, 1, 1), b = numbers<double>(k * n, -1, 1, 2);
  const auto c = zeros<double>("C", m * n);
  launch("dgemm", {{3, 3}, {16, 16}}, make("A", a), make("B", b), c, m, n, k);
  const auto got = read(c);
  const std::vector<float> af(a.begin(), a.end()), bf(b.begin(), b.end());
  const auto cf = zeros<float>("C", m * n);
  launch("sgemm32", {{2, 2}, {32, 32}}, make("A", af), make("B", bf), cf, m, n, k);
  const auto single = read(cf);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t q = 0; q < k; ++q) sum += a[i * k + q] * b[q * n + j];
      ASSERT_NEAR(got[i * n + j], sum, 1e-13);
      ASSERT_NEAR(single[i * n + j], sum, 1e-5);
    }
}

TEST_F(FeatureKernels, VirtualMachineOfASwitch) {
  load("36_switch_misc");
  const std::vector<int> program = {7, 1, 4, 1, 2, 3, 9, 12, 5, 7, 6, 10, 8, 0, 7, 2};
  std::vector<float> state(32, 1.5f);
  const auto st = make("st", state);
  launch("vm", {{1}, {1}}, make("prog", program), st, static_cast<int>(program.size()));
  float a = 0, b = 1;
  for (std::size_t pc = 0; pc < program.size(); ++pc) switch (program[pc]) {
      case 0: a = b; break;
      case 1: a += b; break;
      case 2: a *= b; break;
      case 3: a -= b; break;
      case 4: b = a; break;
      case 5: b = std::sin(a); break;
      case 6: a = std::sqrt(b); break;
      case 7: b += state[pc]; break;
      case 8: state[pc] = a; break;
      case 9: a = -a; break;
      case 10: b = b / a; break;
      default: a = std::fabs(b);
    }
  state[0] = a;
  const auto got = read(st);
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (std::isnan(state[i]))
      EXPECT_TRUE(std::isnan(got[i])) << i;
    else
      EXPECT_NEAR(got[i], state[i], 1e-5f * std::max(1.f, std::fabs(state[i]))) << i;
  }
}

// --- Matrices that a warp holds --------------------------------------------------------------------------------------

// c = a * b, in double: a row by row, b by (row, column).
template <class A, class B>
std::vector<double> product(std::size_t m, std::size_t n, std::size_t k, const A& a, const B& b) {
  std::vector<double> c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t q = 0; q < k; ++q) c[i * n + j] += a(i, q) * b(q, j);
  return c;
}

TEST_F(FeatureKernels, WarpMatricesOfHalves) {
  load("31_wmma");
  const std::size_t n = 64;
  const auto a = halves(numbers<float>(16 * n, -1, 1, 1)), b = halves(numbers<float>(16 * n, -1, 1, 2));
  const auto c = zeros<float>("c", 16 * n);
  launch("wm", {{1}, {32}}, make("a", a), make("b", b), c, static_cast<int>(n));
  const auto got = read(c);
  const auto wanted = product(
      16, 16, n, [&](auto i, auto q) { return double{half_to_float(a[i * n + q])}; },
      [&](auto q, auto j) { return double{half_to_float(b[j * n + q])}; });
  for (std::size_t i = 0; i < 256; ++i) ASSERT_NEAR(got[i / 16 * n + i % 16], wanted[i], 1e-5) << i;
}

TEST_F(FeatureKernels, WarpMatricesOutOfTheirArray) {
  golden_ = false;
  load("31_wmma");
  const auto a = halves(numbers<float>(16 * 32 - 8)), b = halves(numbers<float>(16 * 32));
  const Fault fault = fault_of("wm", {{1}, {32}}, make("a", a), make("b", b), zeros<float>("c", 16 * 32), 32);
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.array, "a");
}

TEST_F(FeatureKernels, MatricesByTheirLayouts) {
  load("37_mma_ldmatrix");
  const auto a = halves(numbers<float>(256, -1, 1, 1));
  std::vector<u16> b(128);  // as registers: lane l has rows 2 (l % 4) and the next, then 8 further, of column l / 4
  const auto columns = halves(numbers<float>(128, -1, 1, 2));
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column)
      b[(row / 8 * 32 + column * 4 + row % 8 / 2) * 2 + row % 2] = columns[row * 8 + column];
  const auto c = zeros<float>("c", 128);
  launch("mma", {{1}, {32}}, make("a", a), make("b", b), c);
  const auto got = read(c);
  const auto wanted = product(
      16, 8, 16, [&](auto i, auto q) { return double{half_to_float(a[i * 16 + q])}; },
      [&](auto q, auto j) { return double{half_to_float(columns[q * 8 + j])}; });
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t i = 0; i < 4; ++i)
      ASSERT_NEAR(got[lane * 4 + i], wanted[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2], 1e-5)
          << lane << " " << i;
}

TEST_F(FeatureKernels, WarpMatricesOfAllTypes) {
  load("38_wmma_types");
  std::vector<std::int8_t> a8(256), b8(256);
  for (std::size_t i = 0; i < 256; ++i)
    a8[i] = static_cast<std::int8_t>(i * 37), b8[i] = static_cast<std::int8_t>(i * 91 + 5);
  const auto c8 = zeros<int>("c", 256);
  launch("wi8", {{1}, {32}}, make("a", a8), make("b", b8), c8);
  const auto whole = product(
      16, 16, 16, [&](auto i, auto q) { return double(a8[i * 16 + q]); },
      [&](auto q, auto j) { return double(b8[j * 16 + q]); });
  for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(read(c8)[i], whole[i]) << i;

  const auto ah = halves(numbers<float>(512, -1, 1, 1)), bh = halves(numbers<float>(128, -1, 1, 2)),
             start = halves(numbers<float>(256, -1, 1, 3));
  const auto ch = make("c", start);
  launch("wh", {{1}, {32}}, make("a", ah), make("b", bh), ch);
  const auto half = product(
      32, 8, 16, [&](auto i, auto q) { return double{half_to_float(ah[q * 32 + i])}; },
      [&](auto q, auto j) { return double{half_to_float(bh[q * 8 + j])}; });
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 8; ++j)
      ASSERT_NEAR(half_to_float(read(ch)[j * 32 + i]), 2 * (half[i * 8 + j] + half_to_float(start[j * 32 + i])), 0.01)
          << i << " " << j;

  std::vector<u16> ab, bb;
  for (float value : numbers<float>(256, -1, 1, 1)) ab.push_back(brain(value));
  for (float value : numbers<float>(256, -1, 1, 2)) bb.push_back(brain(value));
  const auto cb = zeros<float>("c", 256);
  launch("wbf", {{1}, {32}}, make("a", ab), make("b", bb), cb);
  const auto brains = product(
      16, 16, 16, [&](auto i, auto q) { return double{from_brain(ab[i * 16 + q])}; },
      [&](auto q, auto j) { return double{from_brain(bb[q * 16 + j])}; });
  for (std::size_t i = 0; i < 256; ++i) ASSERT_NEAR(read(cb)[i], brains[i], 1e-5) << i;

  const auto ad = numbers<double>(32, -1, 1, 1), bd = numbers<double>(32, -1, 1, 2);
  const auto cd = zeros<double>("c", 64);
  launch("wd", {{1}, {32}}, make("a", ad), make("b", bd), cd);
  const auto doubles = product(
      8, 8, 4, [&](auto i, auto q) { return ad[i * 4 + q]; }, [&](auto q, auto j) { return bd[j * 4 + q]; });
  for (std::size_t i = 0; i < 64; ++i) ASSERT_NEAR(read(cd)[i], doubles[i], 1e-15) << i;

  const auto at = numbers<float>(128, -1, 1, 1), bt = numbers<float>(128, -1, 1, 2);
  const auto ct = zeros<float>("c", 256);
  launch("wtf", {{1}, {32}}, make("a", at), make("b", bt), ct);
  const auto cut = product(
      16, 16, 8, [&](auto i, auto q) { return double{at[i * 8 + q]}; },
      [&](auto q, auto j) { return double{bt[j * 8 + q]}; });
  for (std::size_t i = 0; i < 256; ++i) ASSERT_NEAR(read(ct)[i], cut[i], 5e-3) << i;
}

// --- The last files
// ---------------------------------------------------------------------------------------------------

TEST_F(FeatureKernels, SmallNetworks) {
  load("40_int8_quant_gelu");
  const auto x = numbers<float>(256, -3, 3);
  const auto y = zeros<float>("y", 256);
  launch("gelu", {{2}, {128}}, make("x", x), y, 256);
  for (std::size_t i = 0; i < 256; ++i)
    ASSERT_NEAR(read(y)[i], 0.5 * x[i] * (1 + std::tanh(.79788456 * (x[i] + .044715 * x[i] * x[i] * x[i]))), 1e-5) << i;

  const auto q = zeros<std::int8_t>("q", 256);
  launch("quant", {{2}, {128}}, make("x", x), q, 0.02f, 256);
  for (std::size_t i = 0; i < 256; ++i)
    ASSERT_EQ(read(q)[i], std::clamp(static_cast<int>(std::nearbyint(x[i] / 0.02f)), -128, 127)) << i;

  const auto rows = numbers<float>(2 * 100, -2, 3), g = numbers<float>(100, 0.5, 1.5, 2),
             b = numbers<float>(100, -1, 1, 3);
  const auto normal = zeros<float>("y", 200);
  launch("layernorm", {{2}, {32}}, make("x", rows), normal, make("g", g), make("b", b), 100);
  for (std::size_t row = 0; row < 2; ++row) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < 100; ++i)
      mean += rows[row * 100 + i] / 100.0, square += double{rows[row * 100 + i]} * rows[row * 100 + i] / 100;
    const double scale = 1 / std::sqrt(square - mean * mean + 1e-5);
    for (std::size_t i = 0; i < 100; ++i)
      ASSERT_NEAR(read(normal)[row * 100 + i], (rows[row * 100 + i] - mean) * scale * g[i] + b[i], 1e-4);
  }

  const std::vector<float> plain = {0,    1,     -1,    0.5f, 448, 1000, -2.25f, 0.001953125f,
                                    3.3f, 0.07f, -0.3f, 17,   240, 100,  0.01f,  -448};
  std::vector<float> inputs = plain;
  inputs.resize(32, 1.f);
  const auto z = zeros<float>("z", 32);
  launch("f8", {{1}, {32}}, make("x", inputs), zeros<std::uint8_t>("y", 32), z);
  const std::vector<float> wanted = {0,     1,          -1,       0.5f, 448, 448, -2.25f,       0.001953125f,
                                     3.25f, 0.0703125f, -0.3125f, 16,   240, 96,  0.009765625f, -448};
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(read(z)[i], wanted[i]) << plain[i];

  std::vector<u32> packed(4 * 32);
  for (u32 i = 0; i < packed.size(); ++i) packed[i] = i * 2654435761u;
  const auto weights = halves(numbers<float>(32));
  const auto sums = zeros<float>("o", 32);
  launch("i4", {{1}, {32}}, make("w", packed), make("x", weights), sums, 4);
  for (u32 t = 0; t < 32; ++t) {
    float sum = 0;
    for (u32 k = 0; k < 4; ++k)
      for (u32 j = 0; j < 8; ++j)
        sum += static_cast<float>(static_cast<int>(packed[k * 32 + t] >> (4 * j) & 15) - 8) *
               half_to_float(weights[k * 8 + j]);
    ASSERT_NEAR(read(sums)[t], sum, 1e-3) << t;
  }
}

TEST_F(FeatureKernels, RaysAndSpheres) {
  load("35_raytrace");
  struct Sphere {
    float c[3], r, color[3], reflection;
  };
  std::vector<Sphere> spheres(16);
  spheres[0] = {{0, 0, 1}, 1, {1, 0, 0}, 0};
  spheres[1] = {{0, 0, -100}, 1, {0, 1, 0}, 0.5f};  // behind the eye
  for (const VariableInfo& variable : info_.variables)
    if (variable.symbol == "sc") write(Array<Sphere>{variable.address, 16}, spheres);
  struct Pixel {
    std::uint8_t r, g, b, a;
  };
  const int w = 40, h = 30;
  const auto out = zeros<Pixel>("out", w * h);
  launch("render", {{3, 4}, {16, 8}}, out, w, h, 2, 3);
  const auto got = read(out);
  const Pixel middle = got[15 * w + 20], corner = got[0];
  EXPECT_GT(middle.r, 30);  // the red ball
  EXPECT_LE(middle.g, 10);
  EXPECT_GT(corner.b, corner.r);  // the sky
  for (const Pixel& pixel : got) ASSERT_EQ(pixel.a, 255);
}

}  // namespace
}  // namespace xcuda::device::cpu
