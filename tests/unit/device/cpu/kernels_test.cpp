// The kernels of files 01 to 10 against host references: several sizes, odd ones, partial warps, 2-D and 3-D blocks.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/unit/device/cpu/device_fixture.hpp"

namespace xcuda::device::cpu {
namespace {

struct Float4 {
  float x, y, z, w;
};
struct Color {
  std::uint8_t r, g, b, a;
};

template <class T> std::vector<T> numbers(std::size_t count, double lo = -1, double hi = 1, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(std::uniform_real_distribution<double>(lo, hi)(random));
  return values;
}

std::uint32_t cover(std::size_t count, std::size_t block) {
  return static_cast<std::uint32_t>(std::max<std::size_t>((count + block - 1) / block, 1));
}

class Kernels : public DeviceTest {
 protected:
  Kernels() { golden_ = true; }
};

TEST_F(Kernels, Saxpy) {
  load("01_saxpy");
  for (const int n : {1, 31, 32, 33, 1000, 4096, 100'003})
    for (const std::uint32_t block : {1u, 7u, 32u, 48u, 256u, 1000u, 1024u}) {
      if (static_cast<std::uint32_t>(n) / block > 20'000) continue;
      const auto x = numbers<float>(static_cast<std::size_t>(n), -1, 1, 1), y = numbers<float>(x.size(), -1, 1, 2);
      start(2);
      load("01_saxpy");
      const auto dx = make("x", x), dy = make("y", y);
      launch("saxpy", {{cover(x.size(), block)}, {block}}, n, 2.5f, dx, dy);
      const auto got = read(dy);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(got[i], std::fma(2.5f, x[i], y[i])) << i << " of " << n << " by " << block;
      EXPECT_EQ(read(dx), x);
    }
}

TEST_F(Kernels, VaddStride) {
  load("01_saxpy");
  for (const std::size_t n : {0u, 1u, 77u, 5000u}) {
    const auto a = numbers<double>(n + 1, -1, 1, 1), b = numbers<double>(n + 1, -1, 1, 2);
    const auto da = make("a", a), db = make("b", b), dc = zeros<double>("c", n + 1);
    launch("vadd_stride", {{3}, {40}}, da, db, dc, n);
    const auto c = read(dc);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]);
    EXPECT_EQ(c[n], 0);
  }
}

TEST_F(Kernels, Saxpy4) {
  load("01_saxpy");
  for (const int n : {1, 63, 1000}) {
    std::vector<Float4> x(static_cast<std::size_t>(n)), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto f = static_cast<float>(i);
      x[i] = {f, f + 1, f + 2, f + 3};
      y[i] = {1, 2, 3, f};
    }
    const auto dx = make("x", x), dy = make("y", y);
    launch("saxpy4", {{cover(x.size(), 64)}, {64}}, n, 0.5f, dx, dy);
    const auto got = read(dy);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(got[i].x, 0.5f * x[i].x + 1) << i;
      ASSERT_EQ(got[i].y, 0.5f * x[i].y + 2);
      ASSERT_EQ(got[i].z, 0.5f * x[i].z + 3);
      ASSERT_EQ(got[i].w, 0.5f * x[i].w + y[i].w);
    }
  }
}

TEST_F(Kernels, Mandelbrot) {
  load("02_mandelbrot");
  struct Case {
    int w, h;
    Dim3 block;
  };
  for (const Case& c :
       {Case{64, 48, {16, 16, 1}}, Case{101, 37, {32, 4, 1}}, Case{33, 29, {7, 5, 1}}, Case{40, 40, {8, 8, 2}}}) {
    const int maxit = 300;
    const float x0 = -2.0f, y0 = -1.5f, dx = 3.0f / static_cast<float>(c.w), dy = 3.0f / static_cast<float>(c.h);
    const auto out = zeros<int>("out", static_cast<std::size_t>(c.w) * static_cast<std::size_t>(c.h));
    launch(
        "mandel",
        {{cover(static_cast<std::size_t>(c.w), c.block.x), cover(static_cast<std::size_t>(c.h), c.block.y)}, c.block},
        out, c.w, c.h, x0, y0, dx, dy, maxit);
    const auto got = read(out);
    for (int py = 0; py < c.h; ++py)
      for (int px = 0; px < c.w; ++px) {
        volatile float vx = static_cast<float>(px) * dx, vy = static_cast<float>(py) * dy;  // no contraction
        const float cx = x0 + vx, cy = y0 + vy;
        float zx = 0, zy = 0;
        int it = 0;
        while (it < maxit) {
          volatile float xx = zx * zx, yy = zy * zy, t2 = 2.0f * zx;
          if (!(xx + yy <= 4.f)) break;
          volatile float d = xx - yy, xy = t2 * zy;
          zx = d + cx;
          zy = xy + cy;
          ++it;
        }
        ASSERT_EQ(got[static_cast<std::size_t>(py * c.w + px)], it) << px << " " << py;
      }
  }
}

TEST_F(Kernels, MandelbrotInColor) {
  load("02_mandelbrot");
  const int w = 61, h = 43, maxit = 100;
  const auto out = zeros<Color>("out", w * h);
  launch("mandel_rgb", {{4, 6}, {16, 8}}, out, w, h, maxit);
  const auto got = read(out);
  for (int py = 0; py < h; ++py)
    for (int px = 0; px < w; ++px) {
      volatile double vx = 3.0 * px / w, vy = 3.0 * py / h;
      const double cx = -2.0 + vx, cy = -1.5 + vy;
      double zx = 0, zy = 0;
      int it = 0;
      for (; it < maxit; ++it) {
        volatile double xx = zx * zx, yy = zy * zy, t2 = 2 * zx;
        if (!(xx + yy < 4)) break;
        volatile double d = xx - yy, xy = t2 * zy;
        zx = d + cx;
        zy = xy + cy;
      }
      const float v = it < maxit ? std::sqrt(static_cast<float>(it) / static_cast<float>(maxit)) : 0.f;
      const Color& c = got[static_cast<std::size_t>(py * w + px)];
      ASSERT_NEAR(c.r, static_cast<std::uint8_t>(255 * v), 1) << px << " " << py;
      ASSERT_NEAR(c.g, static_cast<std::uint8_t>(128 * v), 1);
      ASSERT_NEAR(c.b, static_cast<std::uint8_t>(255 * (1 - v)), 1);
      ASSERT_EQ(c.a, 255);
    }
}

TEST_F(Kernels, Matmul) {
  load("03_matmul_f32");
  for (const int n : {1, 15, 16, 17, 64, 100}) {
    const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const auto a = numbers<float>(size, -1, 1, 1), b = numbers<float>(size, -1, 1, 2);
    const auto da = make("A", a), db = make("B", b), dc = zeros<float>("C", size), dn = zeros<float>("N", size);
    const std::uint32_t tiles = cover(static_cast<std::size_t>(n), 16);
    launch("matmul", {{tiles, tiles}, {16, 16}}, da, db, dc, n);
    launch("matmul_naive", {{cover(static_cast<std::size_t>(n), 32), cover(static_cast<std::size_t>(n), 5)}, {32, 5}},
           da, db, dn, n);
    const auto c = read(dc), naive = read(dn);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k)
          sum += double{a[static_cast<std::size_t>(i * n + k)]} * b[static_cast<std::size_t>(k * n + j)];
        ASSERT_NEAR(c[static_cast<std::size_t>(i * n + j)], sum, 1e-4) << n << ": " << i << " " << j;
        ASSERT_NEAR(naive[static_cast<std::size_t>(i * n + j)], sum, 1e-4);
      }
  }
}

TEST_F(Kernels, ReduceAndDot) {
  golden_ = false;
  load("04_reduce_shared");
  for (const int n : {1, 255, 1000, 50'000}) {
    const auto in = numbers<float>(static_cast<std::size_t>(n), 0, 1);
    const auto din = make("in", in), out = zeros<float>("out", 1);
    for (const std::uint32_t block : {64u, 256u}) {
      write(out, {0});
      launch("reduce", {{5}, {block}}, din, out, n);
      EXPECT_NEAR(read(out)[0], std::accumulate(in.begin(), in.end(), 0.0), 1e-5 * n + 1e-5);
    }
    const auto a = numbers<double>(in.size(), -1, 1, 3), b = numbers<double>(in.size(), -1, 1, 4);
    const auto da = make("a", a), db = make("b", b), parts = zeros<double>("parts", 7);
    launch("dot", {{7}, {128}, 128 * sizeof(double)}, da, db, parts, n);
    const auto got = read(parts);
    EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0), std::inner_product(a.begin(), a.end(), b.begin(), 0.0),
                1e-9);
  }
}

TEST_F(Kernels, Transpose) {
  load("05_transpose");
  struct Case {
    int w, h;
  };
  for (const Case& c : {Case{32, 32}, Case{33, 65}, Case{100, 7}, Case{1, 1}, Case{128, 96}}) {
    const auto in = numbers<float>(static_cast<std::size_t>(c.w * c.h));
    const auto din = make("in", in), out = zeros<float>("o", in.size());
    launch("transpose", {{cover(static_cast<std::size_t>(c.w), 32), cover(static_cast<std::size_t>(c.h), 32)}, {32, 8}},
           out, din, c.w, c.h);
    const auto got = read(out);
    for (int y = 0; y < c.h; ++y)
      for (int x = 0; x < c.w; ++x)
        ASSERT_EQ(got[static_cast<std::size_t>(x * c.h + y)], in[static_cast<std::size_t>(y * c.w + x)]);
  }
}

TEST_F(Kernels, Heat2d) {
  load("06_heat2d");
  for (const Dim3& block : {Dim3{16, 16, 1}, Dim3{32, 8, 1}, Dim3{10, 10, 1}, Dim3{128, 1, 1}}) {
    const int nx = 75, ny = 41;
    const auto u = numbers<float>(static_cast<std::size_t>(nx * ny));
    const auto du = make("u", u), dv = zeros<float>("v", u.size());
    launch("heat2d", {{cover(nx, block.x), cover(ny, block.y)}, block}, du, dv, nx, ny, 0.2f);
    const auto v = read(dv);
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const auto c = static_cast<std::size_t>(j * nx + i);
        const bool inner = i > 0 && i < nx - 1 && j > 0 && j < ny - 1;
        const double want = inner ? u[c] + 0.2 * (double{u[c - 1]} + u[c + 1] + u[c - nx] + u[c + nx] - 4.0 * u[c]) : 0;
        ASSERT_NEAR(v[c], want, 1e-6) << i << " " << j;
      }
  }
}

TEST_F(Kernels, Heat3d) {
  load("06_heat2d");
  for (const Dim3& block : {Dim3{8, 4, 4}, Dim3{4, 4, 4}, Dim3{3, 5, 7}, Dim3{32, 2, 2}}) {
    const int nx = 21, ny = 17, nz = 11;
    const auto u = numbers<double>(static_cast<std::size_t>(nx * ny * nz));
    const auto du = make("u", u), dv = zeros<double>("v", u.size());
    launch("heat3d", {{cover(nx, block.x), cover(ny, block.y), cover(nz, block.z)}, block}, du, dv, nx, ny, nz, 0.1);
    const auto v = read(dv);
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
          const auto p = static_cast<std::size_t>(nx * ny), c = static_cast<std::size_t>((k * ny + j) * nx + i);
          const bool inner = i > 0 && j > 0 && k > 0 && i < nx - 1 && j < ny - 1 && k < nz - 1;
          const double want =
              inner ? u[c] + 0.1 * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] + u[c - p] + u[c + p] - 6.0 * u[c]) : 0;
          ASSERT_NEAR(v[c], want, 1e-14) << i << " " << j << " " << k;
        }
  }
}

TEST_F(Kernels, Stencil1d) {
  load("06_heat2d");
  for (const int n : {1, 127, 128, 129, 1000}) {
    std::vector<int> in(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * i % 101);
    const auto din = make("in", in), dout = zeros<int>("out", in.size());
    launch("stencil1d", {{cover(in.size(), 128)}, {128}}, din, dout, n);
    const auto out = read(dout);
    for (int i = 0; i < n; ++i) {
      int sum = 0;
      for (int o = -3; o <= 3; ++o)
        if (i + o >= 0 && i + o < n) sum += in[static_cast<std::size_t>(i + o)];
      ASSERT_EQ(out[static_cast<std::size_t>(i)], sum) << i << " of " << n;
    }
  }
}

TEST_F(Kernels, Histograms) {
  load("07_histogram");
  for (const int n : {1, 1000, 100'001}) {
    std::mt19937 random(7);
    std::vector<std::uint8_t> in(static_cast<std::size_t>(n));
    for (auto& v : in) v = static_cast<std::uint8_t>(random() % 200);
    std::vector<std::uint32_t> want(256);
    for (const auto v : in) ++want[v];
    const auto din = make("in", in);
    const auto h = zeros<std::uint32_t>("h", 256);
    launch("hist_shared", {{9}, {96}}, din, h, n);
    EXPECT_EQ(read(h), want);

    const auto f = numbers<float>(in.size(), -1.2, 1.2);
    const int bins = 10;
    std::vector<int> bin_want(bins);
    for (const float v : f)
      ++bin_want[static_cast<std::size_t>(
          std::clamp(static_cast<int>((v - -1.0f) / (1.0f - -1.0f) * bins), 0, bins - 1))];
    const auto df = make("f", f);
    const auto bin = zeros<int>("bin", bins);
    launch("hist_global", {{cover(f.size(), 128)}, {128}}, df, bin, n, -1.0f, 1.0f, bins);
    EXPECT_EQ(read(bin), bin_want);
  }
}

TEST_F(Kernels, MinMax) {
  load("07_histogram");
  std::mt19937 random(9);
  std::vector<int> in(10'007);
  for (int& v : in) v = static_cast<int>(random() % 100'000) - 50'000;
  const auto din = make("in", in), low = make<int>("mn", {1'000'000}), high = make<int>("mx", {-1'000'000});
  const auto count = zeros<std::uint64_t>("cnt", 1);
  launch("minmax", {{cover(in.size(), 100)}, {100}}, din, low, high, count, static_cast<int>(in.size()));
  EXPECT_EQ(read(low)[0], *std::min_element(in.begin(), in.end()));
  EXPECT_EQ(read(high)[0], *std::max_element(in.begin(), in.end()));
  EXPECT_EQ(read(count)[0],
            static_cast<std::uint64_t>(std::count_if(in.begin(), in.end(), [](int v) { return v > 0; })));
}

TEST_F(Kernels, NBody) {
  load("08_nbody");
  for (const int n : {1, 100, 257}) {
    const auto raw = numbers<float>(static_cast<std::size_t>(n) * 4);
    std::vector<Float4> p(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < p.size(); ++i)
      p[i] = {raw[4 * i], raw[4 * i + 1], raw[4 * i + 2], std::abs(raw[4 * i + 3])};
    const auto pos = make("pos", p), acc = zeros<Float4>("acc", p.size());
    launch("nbody", {{cover(p.size(), 64)}, {64}, 64 * sizeof(Float4)}, pos, acc, n, 0.01f);
    const auto got = read(acc);
    for (std::size_t i = 0; i < p.size(); ++i) {
      double ax = 0, ay = 0, az = 0, scale = 1;
      for (const Float4& q : p) {
        const double dx = double{q.x} - p[i].x, dy = double{q.y} - p[i].y, dz = double{q.z} - p[i].z;
        const double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01), f = q.w * r * r * r;
        ax += dx * f, ay += dy * f, az += dz * f;
        scale += std::abs(f);
      }
      ASSERT_NEAR(got[i].x, ax, 1e-5 * scale) << i << " of " << n;
      ASSERT_NEAR(got[i].y, ay, 1e-5 * scale);
      ASSERT_NEAR(got[i].z, az, 1e-5 * scale);
    }
  }
}

TEST_F(Kernels, ShuffledSums) {
  golden_ = false;
  load("09_reduce_shuffle");
  for (const int n : {1, 33, 4097, 100'000})
    for (const std::uint32_t block : {32u, 128u, 1024u}) {
      const auto in = numbers<float>(static_cast<std::size_t>(n), 0, 1);
      const auto din = make("in", in), out = zeros<float>("out", 1);
      launch("blockSum", {{3}, {block}}, din, out, n);
      EXPECT_NEAR(read(out)[0], std::accumulate(in.begin(), in.end(), 0.0), 1e-5 * n + 1e-5) << n << " " << block;
    }
  const auto in = numbers<double>(96);
  const auto din = make("in", in), out = zeros<double>("out", 3);
  launch("warpMaxD", {{1}, {96}}, din, out);
  const auto got = read(out);
  for (std::size_t w = 0; w < 3; ++w)
    EXPECT_EQ(got[w], *std::max_element(in.begin() + static_cast<std::ptrdiff_t>(32 * w),
                                        in.begin() + static_cast<std::ptrdiff_t>(32 * w + 32)));
}

TEST_F(Kernels, Scans) {
  load("10_scan");
  for (const int n : {1, 50, 64, 100, 1000}) {
    std::vector<int> in(static_cast<std::size_t>(n)), want(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7 % 13) - 3;
    std::partial_sum(in.begin(), in.end(), want.begin());
    const auto din = make("in", in), dout = zeros<int>("out", in.size());
    const std::uint32_t block = n <= 64 ? 64 : n <= 100 ? 100 : 1024;
    launch("scan_hs", {{1}, {block}, block * sizeof(int)}, din, dout, n);
    EXPECT_EQ(read(dout), want) << n;
  }
  for (const int n : {2, 8, 64, 256, 2048}) {
    std::vector<float> g(static_cast<std::size_t>(n)), want(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = static_cast<float>(i % 5);
    std::exclusive_scan(g.begin(), g.end(), want.begin(), 0.0f);
    const auto d = make("g", g);
    launch("scan_blelloch", {{1}, {static_cast<std::uint32_t>(n / 2)}, static_cast<std::uint64_t>(n) * sizeof(float)},
           d, n);
    EXPECT_EQ(read(d), want) << n;
  }
  std::vector<int> v(96), want(96);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i % 11);
  for (std::size_t w = 0; w < 96; w += 32)
    std::partial_sum(v.begin() + static_cast<std::ptrdiff_t>(w), v.begin() + static_cast<std::ptrdiff_t>(w + 32),
                     want.begin() + static_cast<std::ptrdiff_t>(w));
  const auto d = make("d", v);
  launch("warp_scan", {{1}, {96}}, d);
  EXPECT_EQ(read(d), want);
}

}  // namespace
}  // namespace xcuda::device::cpu
