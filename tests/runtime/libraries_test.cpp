// Each row of cuBLAS and its siblings is called: those that are there do what they say, the others refuse. What BLAS
// itself has is in blas_test.cpp.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "tests/runtime/library_calls.hpp"

namespace xcuda::test {
namespace {

struct Row {
  const char* name;
  bool refused;
};
#define XCUDA_MATH_WORKS(name, ...) {#name, false},
#define XCUDA_MATH_PARTLY(name, how, ...) {#name, false},
#define XCUDA_MATH_REFUSED(name, what) {#name, true},
constexpr Row kBlas[] = {
#include "runtime/math/blas_functions.def"
};
constexpr Row kFourier[] = {
#include "runtime/math/fourier_functions.def"
};
constexpr Row kRandom[] = {
#include "runtime/math/random_functions.def"
};
constexpr Row kSolver[] = {
#include "runtime/math/solver_functions.def"
};
constexpr Row kSparse[] = {
#include "runtime/math/sparse_functions.def"
};

template <std::size_t N> void expect_refusals(const Row (&rows)[N], const char* version, int status) {
  for (const Row& row : rows) {
    void* const symbol = dlvsym(RTLD_DEFAULT, row.name, version);
    ASSERT_NE(symbol, nullptr) << row.name;
    if (!row.refused) continue;
    const auto function = reinterpret_cast<int (*)(void*, void*, void*, void*)>(symbol);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(function(nullptr, nullptr, nullptr, nullptr), status) << row.name;
    function(nullptr, nullptr, nullptr, nullptr);
    const auto said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find(std::string("xcuda: ") + row.name + " is not supported"), 0u) << said;
    EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
  }
}

TEST(Libraries, RefuseWithTheirOwnStatus) {
  expect_refusals(kBlas, "libcublas.so.13", 15);
  expect_refusals(kFourier, "libcufft.so.12", 16);
  expect_refusals(kRandom, "libcurand.so.10", 103);
  expect_refusals(kSolver, "libcusolver.so.12", 9);
  expect_refusals(kSparse, "libcusparse.so.12", 10);
}

template <std::size_t N> void expect_called(const Row (&rows)[N], const std::string& but = "") {
  for (const Row& row : rows)
    EXPECT_TRUE(row.refused || called_libraries().contains(row.name)) << row.name << " was not called" << but;
}

template <class T> T value_of(double real, double imaginary) {
  if constexpr (kComplexValue<T>)
    return T(static_cast<PartType<T>>(real), static_cast<PartType<T>>(imaginary));
  else
    return static_cast<T>(real);
}

struct Handle {
  Handle() { EXPECT_EQ(library_call("cublasCreate_v2", &at), 0); }
  ~Handle() { EXPECT_EQ(library_call("cublasDestroy_v2", at), 0); }
  void* at = nullptr;
};

// A name in the forms with extents of 32 and of 64 bits.
template <class Function> void each_width(const std::string& name, Function function) {
  function(name, int{});
  function(name + "_64", std::int64_t{});
}

template <class T> void numbers_of_vectors(void* handle, const std::string& letter) {
  using R = PartType<T>;
  const std::vector<T> a{value_of<T>(3, 1), value_of<T>(-7, 2), value_of<T>(0.5, -0.25)},
      b{value_of<T>(1, -1), value_of<T>(2, 0.5), value_of<T>(-4, 3)};
  Values<T> x(a), y(b);
  R norm = 0, sum = 0;
  for (const T& one : a) {
    norm += std::norm(one);
    sum += std::abs(std::real(one)) + std::abs(std::imag(one));
  }
  const std::string sums = kComplexValue<T> ? (sizeof(R) == 4 ? "Sc" : "Dz") : letter;
  const auto expect = [](auto got, auto wanted, const std::string& name) {
    expect_near<decltype(got)>({got}, {wanted}, name);
  };
  for (const bool conjugate : {false, true}) {
    if (conjugate && !kComplexValue<T>) continue;
    T wanted{};
    for (int i = 0; i < 3; ++i) {
      if constexpr (kComplexValue<T>)
        wanted += (conjugate ? std::conj(a[i]) : a[i]) * b[i];
      else
        wanted += a[i] * b[i];
    }
    const auto name = "cublas" + letter + (!kComplexValue<T> ? "dot" : conjugate ? "dotc" : "dotu");
    each_width(name + "_v2", [&](const std::string& form, auto width) {
      using I = decltype(width);
      T got{};
      EXPECT_EQ(library_call(form, handle, I(3), x.at(), I(1), y.at(), I(1), &got), 0);
      expect(got, wanted, form);
    });
    expect(library_call<T>(name, 3, x.at(), 1, y.at(), 1), wanted, name);
  }
  for (const auto& [name, wanted] :
       {std::pair{"cublas" + sums + "nrm2", std::sqrt(norm)}, {"cublas" + sums + "asum", sum}}) {
    each_width(name + "_v2", [&, wanted = wanted](const std::string& form, auto width) {
      using I = decltype(width);
      R got{};
      EXPECT_EQ(library_call(form, handle, I(3), x.at(), I(1), &got), 0);
      expect(got, wanted, form);
    });
    expect(library_call<R>(name, 3, x.at(), 1), wanted, name);
  }
  auto small = letter;
  small[0] = static_cast<char>(letter[0] - 'A' + 'a');
  for (const auto& [name, wanted] : {std::pair{"cublasI" + small + "amax", 2}, {"cublasI" + small + "amin", 3}}) {
    each_width(name + "_v2", [&, wanted = wanted](const std::string& form, auto width) {
      using I = decltype(width);
      I got{};
      EXPECT_EQ(library_call(form, handle, I(3), x.at(), I(1), &got), 0);
      EXPECT_EQ(got, wanted) << form;
    });
    EXPECT_EQ(library_call<int>(name, 3, x.at(), 1), wanted);
  }
  for (const bool legacy : {false, true}) {  // (3, 4) is turned to (5, 0)
    T p = value_of<T>(3, 0), q = value_of<T>(4, 0), s{};
    R c{};
    const auto name = "cublas" + letter + "rotg";
    if (legacy)
      library_call<void>(name, &p, &q, &c, &s);
    else
      EXPECT_EQ(library_call(name + "_v2", handle, &p, &q, &c, &s), 0);
    expect(c, R(0.6), name);
    expect(s, value_of<T>(0.8, 0), name);
    expect(p, value_of<T>(5, 0), name);
    if constexpr (!kComplexValue<T>) {
      T d1 = 1, d2 = 1, x1 = 3, y1 = 4, parameters[5] = {9, 9, 9, 9, 9};
      const auto modified = "cublas" + letter + "rotmg";
      if (legacy)
        library_call<void>(modified, &d1, &d2, &x1, static_cast<const T*>(&y1), parameters);
      else
        EXPECT_EQ(library_call(modified + "_v2", handle, &d1, &d2, &x1, static_cast<const T*>(&y1), parameters), 0);
      EXPECT_EQ(parameters[0], 1) << modified;  // the form with h12 and h21 left out
      expect(x1, T(6.25), modified);
    }
  }
}

// Products of 2 by 2 matrices of a batch: what each is alone.
template <class T> void batches(void* handle, const std::string& letter) {
  std::vector<T> a, b;
  for (int i = 0; i < 8; ++i) {
    a.push_back(value_of<T>(i + 1, i % 3));
    b.push_back(value_of<T>(2 - i, 0.5 * i));
  }
  std::vector<T> wanted(8), vector(4);
  for (int g = 0; g < 2; ++g)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 2; ++k) wanted[g * 4 + j * 2 + i] += a[g * 4 + k * 2 + i] * b[g * 4 + j * 2 + k];
        if (j == 0) vector[g * 2 + i] = wanted[g * 4 + i];  // by the first column
      }
  Values<T> x(a), y(b);
  const T one = T(1), zero{};
  std::vector<std::string> kinds{letter + "gemm"};
  if (letter == "C") kinds.emplace_back("Cgemm3m");
  for (const auto& kind : kinds) {
    each_width("cublas" + kind + "StridedBatched", [&](const std::string& form, auto width) {
      using I = decltype(width);
      Values<T> z(8);
      EXPECT_EQ(library_call(form, handle, 0, 0, I(2), I(2), I(2), &one, x.at(), I(2), 4LL, y.at(), I(2), 4LL, &zero,
                             z.at(), I(2), 4LL, I(2)),
                0);
      expect_near(z.get(), wanted, form);
    });
    each_width("cublas" + kind + "Batched", [&](const std::string& form, auto width) {
      using I = decltype(width);
      Values<T> z(8);
      Values<const T*> xs({x.at(), x.at() + 4}), ys({y.at(), y.at() + 4});
      Values<T*> zs({z.at(), z.at() + 4});
      EXPECT_EQ(library_call(form, handle, 0, 0, I(2), I(2), I(2), &one, xs.at(), I(2), ys.at(), I(2), &zero, zs.at(),
                             I(2), I(2)),
                0);
      expect_near(z.get(), wanted, form);
    });
  }
  each_width("cublas" + letter + "gemvStridedBatched", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<T> z(4);
    EXPECT_EQ(library_call(form, handle, 0, I(2), I(2), &one, x.at(), I(2), 4LL, y.at(), I(1), 4LL, &zero, z.at(), I(1),
                           2LL, I(2)),
              0);
    expect_near(z.get(), vector, form);
  });
  each_width("cublas" + letter + "gemvBatched", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<T> z(4);
    Values<const T*> xs({x.at(), x.at() + 4}), ys({y.at(), y.at() + 4});
    Values<T*> zs({z.at(), z.at() + 2});
    EXPECT_EQ(library_call(form, handle, 0, I(2), I(2), &one, xs.at(), I(2), ys.at(), I(1), &zero, zs.at(), I(1), I(2)),
              0);
    expect_near(z.get(), vector, form);
  });
  each_width("cublas" + letter + "geam", [&](const std::string& form, auto width) {  // a^T - 2 b
    using I = decltype(width);
    Values<T> z(4);
    const T by = T(-2);
    EXPECT_EQ(library_call(form, handle, 1, 0, I(2), I(2), &one, x.at(), I(2), &by, y.at(), I(2), z.at(), I(2)), 0);
    expect_near(z.get(), {a[0] + by * b[0], a[2] + by * b[1], a[1] + by * b[2], a[3] + by * b[3]}, form);
  });
  each_width("cublas" + letter + "dgmm", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<T> z(4);
    EXPECT_EQ(library_call(form, handle, 1, I(2), I(2), x.at(), I(2), y.at(), I(1), z.at(), I(2)), 0);
    expect_near(z.get(), {a[0] * b[0], a[1] * b[0], a[2] * b[1], a[3] * b[1]}, form);
  });
  each_width("cublas" + letter + "trsmBatched", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<T> z(b);
    Values<const T*> xs({x.at(), x.at() + 4});
    Values<T*> zs({z.at(), z.at() + 4});
    EXPECT_EQ(library_call(form, handle, 0, 1, 0, 0, I(2), I(1), &one, xs.at(), I(2), zs.at(), I(2), I(2)), 0);
    const T second = b[1] / a[3], first = (b[0] - a[2] * second) / a[0];
    const auto got = z.get();
    expect_near<T>({got[0], got[1]}, {first, second}, form);
  });
  Values<T> packed({a[0], a[1], a[3]}), square(4), again(3);
  EXPECT_EQ(library_call("cublas" + letter + "tpttr", handle, 0, 2, packed.at(), square.at(), 2), 0);
  expect_near(square.get(), {a[0], a[1], T{}, a[3]}, "tpttr");
  EXPECT_EQ(library_call("cublas" + letter + "trttp", handle, 0, 2, square.at(), 2, again.at()), 0);
  expect_near(again.get(), packed.get(), "trttp");
}

template <class T> void systems(void* handle, const std::string& letter) {
  const std::vector<T> a{value_of<T>(1, 0), value_of<T>(4, 1), value_of<T>(3, -1), value_of<T>(2, 0)};
  const T det = a[0] * a[3] - a[1] * a[2];
  const std::vector<T> inverse{a[3] / det, -a[1] / det, -a[2] / det, a[0] / det};
  const std::vector<T> x{value_of<T>(2, 1), value_of<T>(-1, 0)},
      b{a[0] * x[0] + a[2] * x[1], a[1] * x[0] + a[3] * x[1]};
  const auto name = [&](const char* rest) { return "cublas" + letter + rest; };
  for (const bool pivots : {true, false}) {
    Values<T> m(a), inverted(4), right(b);
    Values<T*> ms({m.at()}), is({inverted.at()}), rs({right.at()});
    Values<int> p(2), info({7});
    int* const order = pivots ? p.at() : nullptr;
    EXPECT_EQ(library_call(name("getrfBatched"), handle, 2, ms.at(), 2, order, info.at(), 1), 0);
    EXPECT_EQ(info.get()[0], 0);
    if (pivots) {
      EXPECT_EQ(p[0], 2);  // the greater number first
    }
    int status = 9;
    EXPECT_EQ(library_call(name("getrsBatched"), handle, 0, 2, 1, ms.at(), 2, order, rs.at(), 2, &status, 1), 0);
    EXPECT_EQ(status, 0);
    expect_near(right.get(), x, "getrs");
    EXPECT_EQ(library_call(name("getriBatched"), handle, 2, ms.at(), 2, order, is.at(), 2, info.at(), 1), 0);
    expect_near(inverted.get(), inverse, "getri");
  }
  Values<T> m(a), inverted(4), tau(2), q(a), right(b);
  Values<T*> ms({m.at()}), is({inverted.at()}), qs({q.at()}), taus({tau.at()}), rs({right.at()});
  Values<int> info({7});
  EXPECT_EQ(library_call(name("matinvBatched"), handle, 2, ms.at(), 2, is.at(), 2, info.at(), 1), 0);
  expect_near(inverted.get(), inverse, "matinv");
  int status = 9;
  EXPECT_EQ(library_call(name("gelsBatched"), handle, 0, 2, 2, 1, ms.at(), 2, rs.at(), 2, &status, info.at(), 1), 0);
  expect_near(right.get(), x, "gels");
  EXPECT_EQ(library_call(name("geqrfBatched"), handle, 2, 2, qs.at(), 2, taus.at(), &status, 1), 0);
  const auto r = q.get();  // the product of the diagonal is the determinant, but for its phase
  expect_near<PartType<T>>({std::abs(r[0] * r[3])}, {std::abs(det)}, "geqrf");
}

std::uint16_t half_bits(int whole) {  // of small whole numbers
  if (whole == 0) return 0;
  const int sign = whole < 0 ? 0x8000 : 0, value = std::abs(whole);
  const int exponent = 31 - __builtin_clz(static_cast<unsigned>(value));
  return static_cast<std::uint16_t>(sign | (exponent + 15) << 10 | (value << (10 - exponent) & 0x3ff));
}

// a = [1 2; 3 4] by columns 1 3 2 4, squared: 7 15 10 22.
void mixed_products(void* handle) {
  constexpr int kFloat = 0, kHalf = 2, kInt8 = 3, kInt32 = 10;
  const float one = 1, zero = 0;
  const std::uint16_t half_one = half_bits(1), half_zero = 0;
  Values<std::uint16_t> halves({half_bits(1), half_bits(3), half_bits(2), half_bits(4)});
  const std::vector<std::uint16_t> squared{half_bits(7), half_bits(15), half_bits(10), half_bits(22)};
  Values<std::int8_t> bytes({1, 3, 2, 4});
  Values<float> floats({1, 3, 2, 4});
  const std::vector<float> wanted{7, 15, 10, 22};
  each_width("cublasHgemm", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<std::uint16_t> z(4);
    EXPECT_EQ(library_call(form, handle, 0, 0, I(2), I(2), I(2), &half_one, halves.at(), I(2), halves.at(), I(2),
                           &half_zero, z.at(), I(2)),
              0);
    EXPECT_EQ(z.get(), squared) << form;
  });
  each_width("cublasHgemmStridedBatched", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<std::uint16_t> z(4);
    EXPECT_EQ(library_call(form, handle, 0, 0, I(2), I(2), I(2), &half_one, halves.at(), I(2), 4LL, halves.at(), I(2),
                           4LL, &half_zero, z.at(), I(2), 4LL, I(1)),
              0);
    EXPECT_EQ(z.get(), squared) << form;
  });
  each_width("cublasHgemmBatched", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<std::uint16_t> z(4);
    Values<const std::uint16_t*> in({halves.at()});
    Values<std::uint16_t*> out({z.at()});
    EXPECT_EQ(library_call(form, handle, 0, 0, I(2), I(2), I(2), &half_one, in.at(), I(2), in.at(), I(2), &half_zero,
                           out.at(), I(2), I(1)),
              0);
    EXPECT_EQ(z.get(), squared) << form;
  });
  each_width("cublasSgemmEx", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<float> z(4);
    EXPECT_EQ(library_call(form, handle, 0, 0, I(2), I(2), I(2), &one, halves.at(), kHalf, I(2), halves.at(), kHalf,
                           I(2), &zero, z.at(), kFloat, I(2)),
              0);
    expect_near(z.get(), wanted, form);
  });
  for (const std::string name : {"cublasCgemmEx", "cublasCgemm3mEx"})
    each_width(name, [&](const std::string& form, auto width) {
      using I = decltype(width);
      using C = std::complex<float>;
      Values<C> x({C(1, 1), C(0, 1), C(2, 0), C(1, -1)}), z(4);
      const C by(1, 0), none{};
      EXPECT_EQ(library_call(form, handle, 0, 2, I(2), I(2), I(2), &by, x.at(), 4, I(2), x.at(), 4, I(2), &none, z.at(),
                             4, I(2)),
                0);
      expect_near<C>(z.get(), {C(6, 0), C(3, -1), C(3, 1), C(3, 0)}, form);
    });
  constexpr int kSum32 = 68, kSumInt = 72, kDefault = -1;
  each_width("cublasGemmEx", [&](const std::string& form, auto width) {
    using I = decltype(width);
    const int whole = 1, nothing = 0;
    Values<int> z(4);
    EXPECT_EQ(library_call(form, handle, 0, 0, I(2), I(2), I(2), static_cast<const void*>(&whole), bytes.at(), kInt8,
                           I(2), bytes.at(), kInt8, I(2), static_cast<const void*>(&nothing), z.at(), kInt32, I(2),
                           kSumInt, kDefault),
              0);
    EXPECT_EQ(z.get(), (std::vector<int>{7, 15, 10, 22})) << form;
  });
  each_width("cublasGemmStridedBatchedEx", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<float> z(4);
    EXPECT_EQ(library_call(form, handle, 0, 0, I(2), I(2), I(2), &one, halves.at(), kHalf, I(2), 4LL, halves.at(),
                           kHalf, I(2), 4LL, &zero, z.at(), kFloat, I(2), 4LL, I(1), kSum32, kDefault),
              0);
    expect_near(z.get(), wanted, form);
  });
  each_width("cublasGemmBatchedEx", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<float> z(4);
    Values<const void*> in({floats.at()});
    Values<void*> out({z.at()});
    EXPECT_EQ(library_call(form, handle, 0, 0, I(2), I(2), I(2), &one, in.at(), kFloat, I(2), in.at(), kFloat, I(2),
                           &zero, out.at(), kFloat, I(2), I(1), kSum32, kDefault),
              0);
    expect_near(z.get(), wanted, form);
  });
  // Vectors of half, sums in float.
  each_width("cublasAxpyEx", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<std::uint16_t> y({half_bits(1), half_bits(1)});
    const float by = 2;
    EXPECT_EQ(library_call(form, handle, I(2), &by, kFloat, halves.at(), kHalf, I(1), y.at(), kHalf, I(1), kFloat), 0);
    EXPECT_EQ(y.get(), (std::vector<std::uint16_t>{half_bits(3), half_bits(7)})) << form;
  });
  each_width("cublasScalEx", [&](const std::string& form, auto width) {
    using I = decltype(width);
    Values<std::uint16_t> y({half_bits(3), half_bits(5)});
    const float by = 2;
    EXPECT_EQ(library_call(form, handle, I(2), &by, kFloat, y.at(), kHalf, I(1), kFloat), 0);
    EXPECT_EQ(y.get(), (std::vector<std::uint16_t>{half_bits(6), half_bits(10)})) << form;
  });
  for (const std::string name : {"cublasDotEx", "cublasDotcEx"})
    each_width(name, [&](const std::string& form, auto width) {
      using I = decltype(width);
      float got = 0;
      EXPECT_EQ(
          library_call(form, handle, I(4), halves.at(), kHalf, I(1), floats.at(), kFloat, I(1), &got, kFloat, kFloat),
          0);
      EXPECT_EQ(got, 30) << form;
    });
  each_width("cublasNrm2Ex", [&](const std::string& form, auto width) {
    using I = decltype(width);
    float got = 0;
    EXPECT_EQ(library_call(form, handle, I(4), halves.at(), kHalf, I(1), &got, kFloat, kFloat), 0);
    EXPECT_NEAR(got, std::sqrt(30.F), 1e-5) << form;
  });
}

void handles(void* handle) {
  int number = 0, other = 9;
  EXPECT_EQ(library_call("cublasGetVersion_v2", handle, &number), 0);
  EXPECT_EQ(number / 10000, 13);
  EXPECT_EQ(library_call("cublasGetProperty", 0, &number), 0);
  EXPECT_EQ(number, 13);
  EXPECT_EQ(library_call<std::size_t>("cublasGetCudartVersion") / 1000, 13U);
  EXPECT_STREQ(library_call<const char*>("cublasGetStatusName", 7), "CUBLAS_STATUS_INVALID_VALUE");
  EXPECT_STREQ(library_call<const char*>("cublasGetStatusString", 0), "success");
  cudaStream_t stream = nullptr, found = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(library_call("cublasSetStream_v2", handle, stream), 0);
  EXPECT_EQ(library_call("cublasGetStream_v2", handle, &found), 0);
  EXPECT_EQ(found, stream);
  for (const std::string what : {"AtomicsMode", "MathMode", "SmCountTarget"}) {
    EXPECT_EQ(library_call("cublasSet" + what, handle, 1), 0);
    EXPECT_EQ(library_call("cublasGet" + what, handle, &other), 0);
    EXPECT_EQ(other, 1) << what;
  }
  Values<float> area(64);
  EXPECT_EQ(library_call("cublasSetWorkspace_v2", handle, area.at(), std::size_t{256}), 0);
  EXPECT_EQ(library_call("cublasSetWorkspace_v2", handle, &other, std::size_t{256}), 7);  // it is the host's
  // Scalars and results in the device's memory.
  EXPECT_EQ(library_call("cublasSetPointerMode_v2", handle, 1), 0);
  EXPECT_EQ(library_call("cublasGetPointerMode_v2", handle, &other), 0);
  EXPECT_EQ(other, 1);
  Values<float> x({1, 2, 3}), by({2}), sum(1);
  EXPECT_EQ(library_call("cublasSscal_v2", handle, 3, by.at(), x.at(), 1), 0);
  EXPECT_EQ(library_call("cublasSasum_v2", handle, 3, x.at(), 1, sum.at()), 0);
  EXPECT_EQ(sum.get()[0], 12);
  EXPECT_EQ(library_call("cublasSetPointerMode_v2", handle, 0), 0);
  ::testing::internal::CaptureStderr();
  library_call<void>("cublasXerbla", "SGEMM", 3);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("SGEMM"), std::string::npos);
  // A graph holds what was captured.
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  const float two = 2;
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(library_call("cublasSscal_v2", handle, 3, &two, x.at(), 1), 0);
  void* other_handle = nullptr;  // the default stream, which would wait for the capture, has nothing to do for it
  EXPECT_EQ(library_call("cublasCreate_v2", &other_handle), 0);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(library_call("cublasDestroy_v2", other_handle), 0);
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(x.get(), (std::vector<float>{2, 4, 6}));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(x.get(), (std::vector<float>{8, 16, 24}));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  EXPECT_EQ(library_call("cublasSetStream_v2", handle, static_cast<cudaStream_t>(nullptr)), 0);
  cudaStreamDestroy(stream);
}

void transfers() {
  std::vector<float> host(12), back(12);
  std::iota(host.begin(), host.end(), 0.F);
  Values<float> x(12);
  const auto none = static_cast<cudaStream_t>(nullptr);
  for (const std::string suffix : {"", "Async"})
    for (const std::string what : {"Vector", "Matrix"}) {
      const auto name = [&](const char* verb) { return std::string("cublas") + verb + what + suffix; };
      for (const char* verb : {"Set", "Get"})
        each_width(name(verb), [&](const std::string& form, auto width) {
          using I = decltype(width);
          const bool set = *verb == 'S';
          void* const to = set ? static_cast<void*>(x.at()) : back.data();
          const void* const from = set ? static_cast<const void*>(host.data()) : x.at();
          const auto call = [&](auto... arguments) {
            EXPECT_EQ(suffix.empty() ? library_call(form, arguments...) : library_call(form, arguments..., none), 0)
                << form;
          };
          if (what == "Vector")  // each second number
            call(I(3), I(4), from, I(set ? 2 : 1), to, I(set ? 1 : 2));
          else
            call(I(2), I(3), I(4), from, I(set ? 4 : 2), to, I(set ? 2 : 4));
          EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        });
      if (what == "Vector")
        EXPECT_EQ((std::vector<float>{back[0], back[2], back[4]}), (std::vector<float>{0, 2, 4})) << suffix;
      else
        EXPECT_EQ((std::vector<float>{back[0], back[1], back[4], back[9]}), (std::vector<float>{0, 1, 4, 9})) << suffix;
    }
  EXPECT_EQ(library_call("cublasSetVector", 3, 4, host.data(), 1, x.at() + 11, 1), 11);  // it does not fit
}

void without_handles() {
  EXPECT_EQ(library_call("cublasAlloc", 1, 4, static_cast<void**>(nullptr)), 1);
  EXPECT_EQ(library_call("cublasInit"), 0);
  int version = 0;
  EXPECT_EQ(library_call("cublasGetVersion", &version), 0);
  EXPECT_EQ(version / 10000, 13);
  void* memory = nullptr;
  EXPECT_EQ(library_call("cublasAlloc", 4, 4, &memory), 0);
  EXPECT_EQ(library_call("cublasSetKernelStream", static_cast<cudaStream_t>(nullptr)), 0);
  EXPECT_EQ(library_call("cublasFree", memory), 0);
  library_call<void>("cublasSscal", -1, 1.F, static_cast<float*>(nullptr), 1);
  EXPECT_EQ(library_call("cublasGetError"), 7);
  EXPECT_EQ(library_call("cublasGetError"), 0);
}

TEST(Blas, HasWhatIsNotBlas) {
  without_handles();
  transfers();
  const Handle handle;
  handles(handle.at);
  numbers_of_vectors<float>(handle.at, "S");
  numbers_of_vectors<double>(handle.at, "D");
  numbers_of_vectors<std::complex<float>>(handle.at, "C");
  numbers_of_vectors<std::complex<double>>(handle.at, "Z");
  batches<float>(handle.at, "S");
  batches<double>(handle.at, "D");
  batches<std::complex<float>>(handle.at, "C");
  batches<std::complex<double>>(handle.at, "Z");
  systems<float>(handle.at, "S");
  systems<double>(handle.at, "D");
  systems<std::complex<float>>(handle.at, "C");
  systems<std::complex<double>>(handle.at, "Z");
  mixed_products(handle.at);
  EXPECT_EQ(library_call("cublasShutdown"), 0);
}

TEST(Blas, SaysWhatIsWrong) {
  const Handle handle;
  Values<float> x({1, 2, 3, 4});
  const float one = 1;
  float plain[4] = {};
  const auto said = [](auto call, int status) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(call(), status);
    return ::testing::internal::GetCapturedStderr();
  };
  const auto scal = [&](int n, float* at) {
    return [&, n, at] { return library_call("cublasSscal_v2", handle.at, n, &one, at, 1); };
  };
  float* device = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), 16), cudaSuccess);
  EXPECT_EQ(said(scal(-1, x.at()), 7), "");
  EXPECT_NE(said(scal(4, plain), 13).find("is not memory of the device"), std::string::npos);
  EXPECT_NE(said(scal(5, device), 13).find("has 16 bytes, but the call needs 20"), std::string::npos);
  EXPECT_EQ(said([&] { return library_call("cublasSscal_v2", &plain, 1, &one, x.at(), 1); }, 1), "");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // a library's errors are its own
  cudaFree(device);
}

// --- cuFFT ----------------------------------------------------------------------------------------------------------

constexpr int kC2C = 0x29, kR2C = 0x2a, kC2R = 0x2c, kZ2Z = 0x69, kD2Z = 0x6a, kZ2D = 0x6c;
using Z = std::complex<double>;

std::vector<Z> slow_transform(const std::vector<Z>& x, int direction) {
  std::vector<Z> result(x.size());
  for (std::size_t k = 0; k < x.size(); ++k)
    for (std::size_t i = 0; i < x.size(); ++i)
      result[k] +=
          x[i] * std::polar(1.0, direction * 2 * M_PI * static_cast<double>(i * k) / static_cast<double>(x.size()));
  return result;
}
template <class T> std::vector<std::complex<T>> narrowed(const std::vector<Z>& x) { return {x.begin(), x.end()}; }

template <class T>
void transforms(const char* complex, const char* forth, const char* back, int c2c, int r2c, int c2r) {
  using C = std::complex<T>;
  int plan = 0;
  std::vector<Z> x;
  for (int i = 0; i < 12; ++i) x.emplace_back(i % 5 - 1.5, i * 0.25);
  // Two of six numbers each.
  ASSERT_EQ(library_call("cufftPlan1d", &plan, 6, c2c, 2), 0);
  Values<C> in(narrowed<T>(x)), out(12);
  EXPECT_EQ(library_call(complex, plan, in.at(), out.at(), -1), 0);
  const auto first = slow_transform({x.begin(), x.begin() + 6}, -1),
             second = slow_transform({x.begin() + 6, x.end()}, -1);
  auto wanted = narrowed<T>(first);
  for (const Z& one : second) wanted.emplace_back(one);
  expect_near(out.get(), wanted, complex);
  EXPECT_EQ(library_call(complex, plan, out.at(), out.at(), 1), 0);  // in place
  auto six = narrowed<T>(x);
  for (C& one : six) one *= T(6);
  expect_near(out.get(), six, complex);
  EXPECT_EQ(library_call("cufftDestroy", plan), 0);
  EXPECT_EQ(library_call(complex, plan, in.at(), out.at(), -1), 1);  // CUFFT_INVALID_PLAN
  // Real numbers, in place: two rows of five have room for three complex numbers each.
  ASSERT_EQ(library_call("cufftPlan2d", &plan, 2, 5, r2c), 0);
  std::vector<T> rows(12);
  for (int i = 0; i < 10; ++i) rows[static_cast<std::size_t>(i / 5 * 6 + i % 5)] = static_cast<T>(i * i % 7);
  Values<T> real(rows);
  EXPECT_EQ(library_call(forth, plan, real.at(), reinterpret_cast<C*>(real.at())), 0);
  const auto got = real.get();
  T sum = std::accumulate(rows.begin(), rows.end(), T{});
  expect_near<T>({got[0], got[1]}, {sum, 0}, forth);
  int inverse = 0;
  ASSERT_EQ(library_call("cufftPlan2d", &inverse, 2, 5, c2r), 0);
  EXPECT_EQ(library_call(back, inverse, reinterpret_cast<C*>(real.at()), real.at()), 0);
  const auto again = real.get();
  for (int i = 0; i < 10; ++i) {
    const auto at = static_cast<std::size_t>(i / 5 * 6 + i % 5);
    expect_near<T>({again[at] / 10}, {rows[at]}, back);
  }
  EXPECT_EQ(library_call(forth, inverse, real.at(), reinterpret_cast<C*>(real.at())), 3);  // CUFFT_INVALID_TYPE
  // With strides: each second of the numbers, given in the order of a matrix's columns.
  int n[] = {4}, embed[] = {4};
  ASSERT_EQ(library_call("cufftPlanMany", &inverse, 1, n, embed, 3, 1, embed, 1, 4, c2c, 3), 0);
  EXPECT_EQ(library_call("cufftXtExec", inverse, in.at(), out.at(), -1), 0);
  const auto column = slow_transform({x[1], x[4], x[7], x[10]}, -1);
  const auto all = out.get();
  expect_near<C>({all.begin() + 4, all.begin() + 8}, narrowed<T>(column), "columns");
}

TEST(Fourier, TransformsAsTheNamesSay) {
  transforms<float>("cufftExecC2C", "cufftExecR2C", "cufftExecC2R", kC2C, kR2C, kC2R);
  transforms<double>("cufftExecZ2Z", "cufftExecD2Z", "cufftExecZ2D", kZ2Z, kD2Z, kZ2D);
  int plan = 0, number = 0;
  std::size_t bytes = 9;
  ASSERT_EQ(library_call("cufftPlan3d", &plan, 2, 2, 2, kC2C), 0);
  EXPECT_EQ(library_call("cufftSetStream", plan, static_cast<cudaStream_t>(nullptr)), 0);
  EXPECT_EQ(library_call("cufftGetSize", plan, &bytes), 0);
  EXPECT_EQ(bytes, 0U);
  EXPECT_EQ(library_call("cufftSetAutoAllocation", plan, 0), 0);
  EXPECT_EQ(library_call("cufftSetWorkArea", plan, static_cast<void*>(nullptr)), 0);
  EXPECT_EQ(library_call("cufftPlan1d", &plan, 0, kC2C, 1), 8);  // CUFFT_INVALID_SIZE
  EXPECT_EQ(library_call("cufftGetVersion", &number), 0);
  EXPECT_EQ(number / 1000, 12);
  EXPECT_EQ(library_call("cufftGetProperty", 0, &number), 0);
  EXPECT_EQ(number, 12);
  const auto ones = std::vector<std::complex<float>>(8, 1);
  const auto makes = [&](auto make) {
    int made = 0;
    ASSERT_EQ(library_call("cufftCreate", &made), 0);
    ASSERT_EQ(make(made), 0);
    Values<std::complex<float>> x(ones);
    EXPECT_EQ(library_call("cufftExecC2C", made, x.at(), x.at(), -1), 0);
    EXPECT_EQ(x.get()[0], std::complex<float>(8));
  };
  int n[] = {8};
  long long wide[] = {8};
  int* const none = nullptr;
  long long* const nowhere = nullptr;
  makes([&](int made) { return library_call("cufftMakePlan1d", made, 8, kC2C, 1, &bytes); });
  makes([&](int made) { return library_call("cufftMakePlan2d", made, 2, 4, kC2C, &bytes); });
  makes([&](int made) { return library_call("cufftMakePlan3d", made, 2, 2, 2, kC2C, &bytes); });
  makes(
      [&](int made) { return library_call("cufftMakePlanMany", made, 1, n, none, 1, 8, none, 1, 8, kC2C, 1, &bytes); });
  makes([&](int made) {
    return library_call("cufftMakePlanMany64", made, 1, wide, nowhere, 1LL, 8LL, nowhere, 1LL, 8LL, kC2C, 1LL, &bytes);
  });
  makes([&](int made) {
    return library_call("cufftXtMakePlanMany", made, 1, wide, nowhere, 1LL, 8LL, 4, nowhere, 1LL, 8LL, 4, 1LL, &bytes,
                        4);
  });
  int made = 0;
  ASSERT_EQ(library_call("cufftCreate", &made), 0);
  const auto measures = [&](auto measure) {
    bytes = 9;
    EXPECT_EQ(measure(), 0);
    EXPECT_EQ(bytes, 0U);
  };
  measures([&] { return library_call("cufftEstimate1d", 8, kC2C, 1, &bytes); });
  measures([&] { return library_call("cufftEstimate2d", 8, 8, kC2C, &bytes); });
  measures([&] { return library_call("cufftEstimate3d", 8, 8, 8, kC2C, &bytes); });
  measures([&] { return library_call("cufftEstimateMany", 1, n, none, 1, 8, none, 1, 8, kC2C, 1, &bytes); });
  measures([&] { return library_call("cufftGetSize1d", made, 8, kC2C, 1, &bytes); });
  measures([&] { return library_call("cufftGetSize2d", made, 8, 8, kC2C, &bytes); });
  measures([&] { return library_call("cufftGetSize3d", made, 8, 8, 8, kC2C, &bytes); });
  measures([&] { return library_call("cufftGetSizeMany", made, 1, n, none, 1, 8, none, 1, 8, kC2C, 1, &bytes); });
  measures([&] {
    return library_call("cufftGetSizeMany64", made, 1, wide, nowhere, 1LL, 8LL, nowhere, 1LL, 8LL, kC2C, 1LL, &bytes);
  });
  // Callbacks themselves are in tests/cells/programs_on_device_callbacks.cells: here no device code keeps a pointer.
  void* function = &plan;
  constexpr int kLoad = 0, kStoreReal = 6;
  ASSERT_EQ(library_call("cufftPlan1d", &made, 8, kC2C, 1), 0);
  EXPECT_EQ(library_call("cufftXtSetCallback", made, &function, kStoreReal, nullptr), 3);  // CUFFT_INVALID_TYPE
  EXPECT_EQ(library_call("cufftXtSetCallback", made, nullptr, kLoad, nullptr), 4);         // CUFFT_INVALID_VALUE
  EXPECT_EQ(library_call("cufftXtSetCallbackSharedSize", made, kLoad, std::size_t{8}), 4);
  EXPECT_EQ(library_call("cufftXtClearCallback", made, kLoad), 4);
  EXPECT_EQ(library_call("cufftXtSetJITCallback", made, "f", &plan, sizeof plan, kLoad, nullptr), 1);  // it is made
  ASSERT_EQ(library_call("cufftCreate", &made), 0);
  EXPECT_EQ(library_call("cufftXtSetJITCallback", made, "f", nullptr, std::size_t{0}, kLoad, nullptr), 4);
  expect_called(kFourier);
}

// --- cuRAND ---------------------------------------------------------------------------------------------------------

TEST(Random, GoesOnWhereItEnded) {
  for (const int type : {100, 121, 142, 161, 201}) {
    void *device = nullptr, *host = nullptr;
    ASSERT_EQ(library_call("curandCreateGenerator", &device, type), 0);
    ASSERT_EQ(library_call("curandCreateGeneratorHost", &host, type), 0);
    for (void* one : {device, host})
      EXPECT_EQ(library_call("curandSetPseudoRandomGeneratorSeed", one, 1234ULL), type == 201 ? 103 : 0);
    EXPECT_EQ(library_call("curandGenerateSeeds", device), 0);
    EXPECT_EQ(library_call("curandSetStream", device, static_cast<cudaStream_t>(nullptr)), 0);
    Values<float> a(64), b(64);
    std::vector<float> all(128);
    EXPECT_EQ(library_call("curandGenerateUniform", device, a.at(), std::size_t{64}), 0);
    EXPECT_EQ(library_call("curandGenerateUniform", device, b.at(), std::size_t{64}), 0);
    EXPECT_EQ(library_call("curandGenerateUniform", host, all.data(), std::size_t{128}), 0);
    auto both = a.get();
    for (const float one : b.get()) both.push_back(one);
    EXPECT_EQ(both, all) << type;
    std::sort(both.begin(), both.end());
    EXPECT_EQ(std::unique(both.begin(), both.end()), both.end()) << type;
    // What is set begins the sequence again.
    EXPECT_EQ(type == 142   ? library_call("curandSetPseudoRandomGeneratorSeed", device, 1234ULL)
              : type == 201 ? library_call("curandSetGeneratorOffset", device, 0ULL)
                            : library_call("curandSetGeneratorOffset", device, 64ULL),
              0);
    EXPECT_EQ(library_call("curandGenerateUniform", device, b.at(), std::size_t{64}), 0);
    EXPECT_EQ(b.get()[0], all[type == 142 || type == 201 ? 0 : 64]) << type;
    EXPECT_EQ(library_call("curandSetGeneratorOrdering", device, type == 201 ? 201 : 101), 0);
    EXPECT_EQ(library_call("curandSetQuasiRandomGeneratorDimensions", device, 2U), type == 201 ? 0 : 103);
    EXPECT_EQ(library_call("curandDestroyGenerator", device), 0);
    EXPECT_EQ(library_call("curandDestroyGenerator", host), 0);
    EXPECT_EQ(library_call("curandDestroyGenerator", host), 101);
  }
}

// As cuRAND's own host generator gives them: three dimensions of four points, from point 2^40 + 12345 on.
TEST(Random, SobolHasWordsOf64Bits) {
  void *device = nullptr, *host = nullptr, *narrow = nullptr;
  ASSERT_EQ(library_call("curandCreateGenerator", &device, 203), 0);
  ASSERT_EQ(library_call("curandCreateGeneratorHost", &host, 203), 0);
  ASSERT_EQ(library_call("curandCreateGeneratorHost", &narrow, 201), 0);
  const std::vector<unsigned long long> wanted{0xa414000001800000, 0xe414000001800000, 0x6414000001800000,
                                               0x4414000001800000, 0xafbc00007f800000, 0x6fbc00007f800000,
                                               0xefbc00007f800000, 0x4fbc00007f800000, 0x51d92d80ad800000,
                                               0x91d92d80ad800000, 0x11d92d80ad800000, 0x71d92d80ad800000};
  constexpr std::size_t kCount = 12;
  const auto again = [&](void* one) {
    EXPECT_EQ(library_call("curandSetGeneratorOffset", one, (1ULL << 40) + 12345), 0);
  };
  for (void* one : {device, host}) {
    Values<unsigned long long> words(kCount);
    Values<double> numbers(kCount);
    EXPECT_EQ(library_call("curandSetQuasiRandomGeneratorDimensions", one, 3U), 0);
    again(one);
    EXPECT_EQ(library_call("curandGenerateLongLong", one, words.at(), kCount), 0);
    EXPECT_EQ(words.get(), wanted);
    EXPECT_EQ(library_call("curandGenerateUniformDouble", one, numbers.at(), kCount), 0);  // the next points
    EXPECT_EQ(numbers.get()[0], 0.7659301757826142);
    EXPECT_EQ(library_call("curandGenerateNormalDouble", one, numbers.at(), kCount, 3.0, 2.0), 0);
    EXPECT_NEAR(numbers.get()[0], 3.1190984768576575, 1e-12);
    EXPECT_NEAR(numbers.get()[4], 3.756620329819131, 1e-12);
    Values<unsigned> bits(kCount);
    EXPECT_EQ(library_call("curandGenerate", one, bits.at(), kCount), 103);  // of words of 32 bits
  }
  // Float numbers take the first half of a word; as long as 32 bits number the points, they are those of the shorter
  // words.
  std::vector<float> first(kCount);
  again(host);
  EXPECT_EQ(library_call("curandGenerateUniform", host, first.data(), kCount), 0);
  EXPECT_EQ(first[0], static_cast<float>(wanted[0] >> 32) * 0x1p-32F + 0x1p-33F);
  std::vector<float> shorter(kCount), wide(kCount);
  EXPECT_EQ(library_call("curandSetQuasiRandomGeneratorDimensions", narrow, 3U), 0);
  EXPECT_EQ(library_call("curandGenerateLongLong", narrow, static_cast<unsigned long long*>(nullptr), kCount), 103);
  for (void* one : {narrow, host}) {
    EXPECT_EQ(library_call("curandSetGeneratorOffset", one, 5ULL), 0);
    EXPECT_EQ(library_call("curandGenerateUniform", one, (one == host ? wide : shorter).data(), kCount), 0);
  }
  EXPECT_EQ(wide, shorter);
  for (void* one : {device, host, narrow}) EXPECT_EQ(library_call("curandDestroyGenerator", one), 0);
}

// The tables of MTGP32 and of scrambled Sobol are NVIDIA's, so that a machine without a libcurand of NVIDIA's has
// neither.
bool has_libcurand() {
  unsigned* constants = nullptr;
  ::testing::internal::CaptureStderr();
  const auto status = library_call("curandGetScrambleConstants32", &constants);
  const auto said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, said.empty() ? 0 : 203) << said;
  if (status != 0) {
    EXPECT_NE(said.find("libcurand.so.10, which was not found"), std::string::npos) << said;
  }
  return status == 0;
}

template <class T>
void expect_words(int type, const char* function, const std::vector<std::pair<std::size_t, T>>& wanted) {
  constexpr std::size_t kCount = 1000;
  void *device = nullptr, *host = nullptr;
  ASSERT_EQ(library_call("curandCreateGenerator", &device, type), 0);
  ASSERT_EQ(library_call("curandCreateGeneratorHost", &host, type), 0);
  Values<T> first(kCount), second(kCount);
  std::vector<T> all(2 * kCount);
  EXPECT_EQ(library_call(function, device, first.at(), kCount), 0);
  EXPECT_EQ(library_call(function, device, second.at(), kCount), 0);
  for (const auto& [place, word] : wanted) EXPECT_EQ(first.get()[place], word) << type << ", " << place;
  EXPECT_EQ(library_call(function, host, all.data(), kCount), 0);
  EXPECT_EQ(library_call(function, host, all.data() + kCount, kCount), 0);
  EXPECT_TRUE(std::equal(all.begin(), all.begin() + kCount, first.at())) << type;
  EXPECT_TRUE(std::equal(all.begin() + kCount, all.end(), second.at())) << type;
  // What is set waits for the numbers that were asked for, and begins the sequence again.
  EXPECT_EQ(library_call(function, device, second.at(), kCount), 0);
  const bool pseudo = type == 141;
  EXPECT_EQ(library_call("curandSetPseudoRandomGeneratorSeed", device, 0ULL), pseudo ? 0 : 103);
  EXPECT_EQ(library_call("curandSetGeneratorOffset", device, 0ULL), pseudo ? 103 : 0);
  EXPECT_EQ(library_call("curandGenerateSeeds", device), 0);
  EXPECT_EQ(library_call(function, device, second.at(), kCount), 0);
  EXPECT_EQ(second.get(), first.get()) << type;
  EXPECT_EQ(library_call("curandSetGeneratorOrdering", device, pseudo ? 100 : 201), 0);
  EXPECT_EQ(library_call("curandSetQuasiRandomGeneratorDimensions", device, 4U), pseudo ? 103 : 0);
  Values<float> normal(kCount);
  EXPECT_EQ(library_call("curandGenerateNormal", device, normal.at(), kCount - 1, 0.F, 1.F), 105);
  EXPECT_EQ(library_call("curandGenerateNormal", device, normal.at(), kCount, 0.F, 1.F), 0);
  EXPECT_EQ(library_call("curandGenerate", device, normal.at() + 1, kCount + 1), type == 204 ? 103
                                                                                 : pseudo    ? 201
                                                                                             : 105);
  cudaDeviceSynchronize();
  for (void* one : {device, host}) EXPECT_EQ(library_call("curandDestroyGenerator", one), 0);
}

// The words as cuRAND 13.0's own host generators give them.
TEST(Random, TakesMtgp32AndScrambledSobolFromTheToolkit) {
  const int wanted = has_libcurand() ? 0 : 203;
  unsigned* constants = nullptr;
  unsigned long long* wide_constants = nullptr;
  unsigned(*vectors)[32] = nullptr;
  unsigned long long(*wide_vectors)[64] = nullptr;
  EXPECT_EQ(library_call("curandGetScrambleConstants32", &constants), wanted);
  EXPECT_EQ(library_call("curandGetScrambleConstants64", &wide_constants), wanted);
  EXPECT_EQ(library_call("curandGetDirectionVectors32", &vectors, 102), wanted);
  EXPECT_EQ(library_call("curandGetDirectionVectors64", &wide_vectors, 104), wanted);
  if (wanted != 0) {
    void* generator = nullptr;
    EXPECT_EQ(library_call("curandCreateGenerator", &generator, 141), wanted);
    GTEST_SKIP() << "NVIDIA's libcurand is not installed";
  }
  // Point 0 of a dimension is its constant, and point 1 differs by its first direction.
  EXPECT_EQ(constants[0], 3792201470U);
  EXPECT_EQ(constants[0] ^ vectors[0][0], 201647173U);
  EXPECT_EQ(wide_constants[0] ^ wide_vectors[0][0], 0x0c04e445976cff16);
  expect_words<unsigned>(141, "curandGenerate", {{0, 360948779}, {1, 1200908298}, {256, 186108972}, {999, 57971958}});
  expect_words<unsigned>(202, "curandGenerate",
                         {{0, 3792201470}, {1, 201647173}, {256, 3814948236}, {999, 3736784624}});
  expect_words<unsigned long long>(204, "curandGenerateLongLong", {{0, 0xe20866fe27bec92a}, {1, 0x0c04e445976cff16}});
}

// The numbers that were asked for before a generator gets another stream come first in its sequence.
TEST(Random, ToolkitGeneratorsFinishInTheirOldStream) {
  if (!has_libcurand()) GTEST_SKIP() << "NVIDIA's libcurand is not installed";
  cudaStream_t streams[2] = {};
  for (auto& stream : streams) ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  void* generator = nullptr;
  ASSERT_EQ(library_call("curandCreateGenerator", &generator, 141), 0);
  ASSERT_EQ(library_call("curandSetStream", generator, streams[0]), 0);
  std::atomic<bool> done{false};
  const auto rest = [](void* flag) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    *static_cast<std::atomic<bool>*>(flag) = true;
  };
  ASSERT_EQ(cudaLaunchHostFunc(streams[0], rest, &done), cudaSuccess);
  Values<unsigned> words(1000);
  EXPECT_EQ(library_call("curandGenerate", generator, words.at(), std::size_t{1000}), 0);
  EXPECT_EQ(library_call("curandSetStream", generator, streams[1]), 0);
  EXPECT_TRUE(done);
  EXPECT_EQ(words[0], 360948779U);
  EXPECT_EQ(library_call("curandDestroyGenerator", generator), 0);
  for (auto stream : streams) EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

template <class T> void moments(const std::vector<T>& values, double mean, double deviation, const char* name) {
  double sum = 0, squares = 0;
  for (const T one : values) sum += static_cast<double>(one);
  const auto count = static_cast<double>(values.size());
  for (const T one : values) squares += std::pow(static_cast<double>(one) - sum / count, 2);
  EXPECT_NEAR(sum / count, mean, 5 * deviation / std::sqrt(count)) << name;
  EXPECT_NEAR(std::sqrt(squares / count), deviation, 0.1 * deviation) << name;
}

TEST(Random, HasTheDistributions) {
  constexpr std::size_t kCount = 20000;
  void* generator = nullptr;
  ASSERT_EQ(library_call("curandCreateGenerator", &generator, 161), 0);
  Values<float> x(kCount);
  Values<double> y(kCount);
  Values<unsigned> z(kCount);
  EXPECT_EQ(library_call("curandGenerate", generator, z.at(), kCount), 0);
  moments(z.get(), 0x1p31, 0x1p32 / std::sqrt(12.0), "bits");
  EXPECT_EQ(library_call("curandGenerateUniform", generator, x.at(), kCount), 0);
  moments(x.get(), 0.5, 1 / std::sqrt(12.0), "uniform");
  EXPECT_EQ(library_call("curandGenerateUniformDouble", generator, y.at(), kCount), 0);
  moments(y.get(), 0.5, 1 / std::sqrt(12.0), "uniform double");
  EXPECT_EQ(library_call("curandGenerateNormal", generator, x.at(), kCount, 3.F, 2.F), 0);
  moments(x.get(), 3, 2, "normal");
  EXPECT_EQ(library_call("curandGenerateNormalDouble", generator, y.at(), kCount, 3.0, 2.0), 0);
  moments(y.get(), 3, 2, "normal double");
  const double mean = std::exp(0.125), deviation = mean * std::sqrt(std::exp(0.25) - 1);
  EXPECT_EQ(library_call("curandGenerateLogNormal", generator, x.at(), kCount, 0.F, 0.5F), 0);
  moments(x.get(), mean, deviation, "lognormal");
  EXPECT_EQ(library_call("curandGenerateLogNormalDouble", generator, y.at(), kCount, 0.0, 0.5), 0);
  moments(y.get(), mean, deviation, "lognormal double");
  for (const double at : {0.5, 12.0, 5000.0}) {
    EXPECT_EQ(library_call("curandGeneratePoisson", generator, z.at(), kCount, at), 0);
    moments(z.get(), at, std::sqrt(at), "poisson");
  }
  EXPECT_EQ(library_call("curandGenerateNormal", generator, x.at(), std::size_t{7}, 0.F, 1.F), 105);
  int number = 0;
  EXPECT_EQ(library_call("curandGetVersion", &number), 0);
  EXPECT_EQ(number / 1000, 10);
  EXPECT_EQ(library_call("curandGetProperty", 0, &number), 0);
  EXPECT_EQ(number, 10);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(library_call("curandCreateGenerator", &generator, 143), 103);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("does not have the generator 143"), std::string::npos);
  expect_called(kRandom);
}

// --- cuSOLVER -------------------------------------------------------------------------------------------------------

template <class T> class Solved {
 public:
  using R = PartType<T>;
  Solved(void* handle, const std::string& letter) : handle_(handle), letter_(letter) {}

  void run() {
    lu();
    cholesky();
    qr();
    eigen();
    svd();
  }

 private:
  static constexpr bool kIs = kComplexValue<T>;
  std::string name(const std::string& rest) const { return "cusolverDn" + letter_ + rest; }
  std::string kind(const std::string& real, const std::string& complex) const { return name(kIs ? complex : real); }
  void good() {
    EXPECT_EQ(info_.get()[0], 0);
    info_[0] = 9;
  }
  template <class... A> void works(const std::string& function, A... arguments) {
    EXPECT_EQ(library_call(function, handle_, arguments...), 0) << function;
  }
  static int type() { return kIs ? (sizeof(R) == 4 ? 4 : 5) : (sizeof(R) == 4 ? 0 : 1); }

  void lu() {
    Values<T> a(general_), b(right_);
    Values<int> pivots(2);
    works(name("getrf_bufferSize"), 2, 2, a.at(), 2, &size_);
    works(name("getrf"), 2, 2, a.at(), 2, work_.at(), pivots.at(), info_.at());
    good();
    works(name("getrs"), 0, 2, 1, a.at(), 2, pivots.at(), b.at(), 2, info_.at());
    good();
    expect_near(b.get(), x_, "getrs");
    Values<T> c(general_), d(right_);
    Values<std::int64_t> wide(2);
    std::size_t device = 0, host = 0;
    void* parameters = nullptr;
    EXPECT_EQ(library_call("cusolverDnCreateParams", &parameters), 0);
    works("cusolverDnXgetrf_bufferSize", parameters, std::int64_t{2}, std::int64_t{2}, type(), c.at(), std::int64_t{2},
          type(), &device, &host);
    works("cusolverDnXgetrf", parameters, std::int64_t{2}, std::int64_t{2}, type(), c.at(), std::int64_t{2}, wide.at(),
          type(), work_.at(), device, static_cast<void*>(&host), host, info_.at());
    good();
    works("cusolverDnXgetrs", parameters, 0, std::int64_t{2}, std::int64_t{1}, type(), c.at(), std::int64_t{2},
          wide.at(), type(), d.at(), std::int64_t{2}, info_.at());
    good();
    expect_near(d.get(), x_, "Xgetrs");
    EXPECT_EQ(library_call("cusolverDnDestroyParams", parameters), 0);
  }

  void cholesky() {
    const T b0 = positive_[0] * x_[0] + positive_[2] * x_[1], b1 = positive_[1] * x_[0] + positive_[3] * x_[1];
    Values<T> a(positive_), b({b0, b1}), c(positive_), d({b0, b1});
    works(name("potrf_bufferSize"), 0, 2, static_cast<T*>(nullptr), 0, &size_);
    works(name("potrf_bufferSize"), 0, 2, a.at(), 2, &size_);
    works(name("potrf"), 0, 2, a.at(), 2, work_.at(), size_, info_.at());
    good();
    works(name("potrs"), 0, 2, 1, a.at(), 2, b.at(), 2, info_.at());
    good();
    expect_near(b.get(), x_, "potrs");
    works(name("potri_bufferSize"), 0, 2, a.at(), 2, &size_);
    works(name("potri"), 0, 2, a.at(), 2, work_.at(), size_, info_.at());
    good();
    const T det = positive_[0] * positive_[3] - positive_[1] * positive_[2];
    expect_near<T>({a.get()[0], a.get()[3]}, {positive_[3] / det, positive_[0] / det}, "potri");
    Values<T*> cs({c.at()}), ds({d.at()});
    works(name("potrfBatched"), 0, 2, cs.at(), 2, info_.at(), 1);
    good();
    works(name("potrsBatched"), 0, 2, 1, cs.at(), 2, ds.at(), 2, info_.at(), 1);
    good();
    expect_near(d.get(), x_, "potrsBatched");
    Values<T> e(positive_), f({b0, b1});
    std::size_t device = 0, host = 0;
    void* const none = nullptr;
    works("cusolverDnXpotrf_bufferSize", none, 0, std::int64_t{2}, type(), e.at(), std::int64_t{2}, type(), &device,
          &host);
    works("cusolverDnXpotrf", none, 0, std::int64_t{2}, type(), e.at(), std::int64_t{2}, type(), work_.at(), device,
          static_cast<void*>(&host), host, info_.at());
    good();
    works("cusolverDnXpotrs", none, 0, std::int64_t{2}, std::int64_t{1}, type(), e.at(), std::int64_t{2}, type(),
          f.at(), std::int64_t{2}, info_.at());
    good();
    expect_near(f.get(), x_, "Xpotrs");
    Values<T> bad({T(-1), T(0), T(0), T(1)});
    works(name("potrf"), 0, 2, bad.at(), 2, work_.at(), size_, info_.at());
    EXPECT_EQ(info_.get()[0], 1);
    info_[0] = 9;
  }

  void qr() {  // a = q r, and q^H b solves r x
    Values<T> a(general_), tau(2), b(right_), q(general_);
    works(name("geqrf_bufferSize"), 2, 2, a.at(), 2, &size_);
    works(name("geqrf"), 2, 2, a.at(), 2, tau.at(), work_.at(), size_, info_.at());
    good();
    const int op = kIs ? 2 : 1;
    works(kind("ormqr_bufferSize", "unmqr_bufferSize"), 0, op, 2, 1, 2, a.at(), 2, tau.at(), b.at(), 2, &size_);
    works(kind("ormqr", "unmqr"), 0, op, 2, 1, 2, a.at(), 2, tau.at(), b.at(), 2, work_.at(), size_, info_.at());
    good();
    const auto r = a.get(), y = b.get();
    const T second = y[1] / r[3], first = (y[0] - r[2] * second) / r[0];
    expect_near<T>({first, second}, x_, "ormqr");
    works(kind("orgqr_bufferSize", "ungqr_bufferSize"), 2, 2, 2, a.at(), 2, tau.at(), &size_);
    works(kind("orgqr", "ungqr"), 2, 2, 2, a.at(), 2, tau.at(), work_.at(), size_, info_.at());
    good();
    const auto m = a.get();  // the first column of a, from q and r
    expect_near<T>({m[0] * r[0], m[1] * r[0]}, {general_[0], general_[1]}, "orgqr");
  }

  void eigen() {
    const double middle = 3, half = std::sqrt(kIs ? 2.0 : 1.0);  // of positive_
    const std::vector<R> wanted{R(middle - half), R(middle + half)};
    const auto vectors = [&](const Values<T>& a, const std::string& what) {  // a v = w v
      const auto v = a.get();
      for (const int k : {0, 1}) {
        const T* const one = v.data() + 2 * k;
        expect_near<T>({positive_[0] * one[0] + positive_[2] * one[1], positive_[1] * one[0] + positive_[3] * one[1]},
                       {wanted[k] * one[0], wanted[k] * one[1]}, what);
      }
    };
    Values<T> a(positive_), b(positive_), c(positive_), e(positive_), identity({T(1), T(0), T(0), T(1)});
    Values<R> w(2);
    works(kind("syevd_bufferSize", "heevd_bufferSize"), 1, 0, 2, a.at(), 2, w.at(), &size_);
    works(kind("syevd", "heevd"), 1, 0, 2, a.at(), 2, w.at(), work_.at(), size_, info_.at());
    good();
    expect_near(w.get(), wanted, "syevd");
    vectors(a, "syevd");
    void* parameters = nullptr;
    EXPECT_EQ(library_call("cusolverDnCreateSyevjInfo", &parameters), 0);
    EXPECT_EQ(library_call("cusolverDnXsyevjSetTolerance", parameters, 1e-7), 0);
    EXPECT_EQ(library_call("cusolverDnXsyevjSetMaxSweeps", parameters, 15), 0);
    works(kind("syevj_bufferSize", "heevj_bufferSize"), 1, 0, 2, b.at(), 2, w.at(), &size_, parameters);
    works(kind("syevj", "heevj"), 1, 0, 2, b.at(), 2, w.at(), work_.at(), size_, info_.at(), parameters);
    good();
    vectors(b, "syevj");
    EXPECT_EQ(library_call("cusolverDnDestroySyevjInfo", parameters), 0);
    works(kind("sygvd_bufferSize", "hegvd_bufferSize"), 1, 1, 0, 2, c.at(), 2, identity.at(), 2, w.at(), &size_);
    works(kind("sygvd", "hegvd"), 1, 1, 0, 2, c.at(), 2, identity.at(), 2, w.at(), work_.at(), size_, info_.at());
    good();
    expect_near(w.get(), wanted, "sygvd");
    std::size_t device = 0, host = 0;
    void* const none = nullptr;
    const int part = sizeof(R) == 4 ? 0 : 1;
    works("cusolverDnXsyevd_bufferSize", none, 1, 0, std::int64_t{2}, type(), e.at(), std::int64_t{2}, part, w.at(),
          type(), &device, &host);
    works("cusolverDnXsyevd", none, 1, 0, std::int64_t{2}, type(), e.at(), std::int64_t{2}, part, w.at(), type(),
          work_.at(), device, static_cast<void*>(&host), host, info_.at());
    good();
    vectors(e, "Xsyevd");
  }

  void svd() {
    const auto back = [&](const std::vector<T>& u, const std::vector<R>& s, const std::vector<T>& vt,
                          const std::string& what) {
      std::vector<T> product(4);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          for (int k = 0; k < 2; ++k) product[j * 2 + i] += u[k * 2 + i] * T(s[k]) * vt[j * 2 + k];
      expect_near(product, general_, what);
    };
    Values<T> a(general_), u(4), vt(4), b(general_), v(4);
    Values<R> s(2);
    works(name("gesvd_bufferSize"), 2, 2, &size_);
    works(name("gesvd"), static_cast<signed char>('A'), static_cast<signed char>('A'), 2, 2, a.at(), 2, s.at(), u.at(),
          2, vt.at(), 2, work_.at(), size_, static_cast<R*>(nullptr), info_.at());
    good();
    back(u.get(), s.get(), vt.get(), "gesvd");
    void* parameters = nullptr;
    EXPECT_EQ(library_call("cusolverDnCreateGesvdjInfo", &parameters), 0);
    EXPECT_EQ(library_call("cusolverDnXgesvdjSetTolerance", parameters, 1e-7), 0);
    EXPECT_EQ(library_call("cusolverDnXgesvdjSetMaxSweeps", parameters, 15), 0);
    works(name("gesvdj_bufferSize"), 1, 0, 2, 2, b.at(), 2, s.at(), u.at(), 2, v.at(), 2, &size_, parameters);
    works(name("gesvdj"), 1, 0, 2, 2, b.at(), 2, s.at(), u.at(), 2, v.at(), 2, work_.at(), size_, info_.at(),
          parameters);
    good();
    auto transposed = v.get();
    std::swap(transposed[1], transposed[2]);
    if constexpr (kIs)
      for (T& one : transposed) one = std::conj(one);
    back(u.get(), s.get(), transposed, "gesvdj");
    EXPECT_EQ(library_call("cusolverDnDestroyGesvdjInfo", parameters), 0);
  }

  void* handle_;
  std::string letter_;
  int size_ = 0;
  Values<int> info_{std::vector<int>{9}};
  Values<T> work_{std::size_t{16}};
  const std::vector<T> general_{value_of<T>(1, 0), value_of<T>(4, 1), value_of<T>(3, -1), value_of<T>(2, 0)};
  const std::vector<T> positive_{value_of<T>(3, 0), value_of<T>(1, 1), value_of<T>(1, -1), value_of<T>(3, 0)};
  const std::vector<T> x_{value_of<T>(2, 1), value_of<T>(-1, 0)};
  const std::vector<T> right_{general_[0] * x_[0] + general_[2] * x_[1], general_[1] * x_[0] + general_[3] * x_[1]};
};

TEST(Solver, SolvesAndDecomposes) {
  void* handle = nullptr;
  ASSERT_EQ(library_call("cusolverDnCreate", &handle), 0);
  cudaStream_t stream = nullptr, found = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(library_call("cusolverDnSetStream", handle, stream), 0);
  EXPECT_EQ(library_call("cusolverDnGetStream", handle, &found), 0);
  EXPECT_EQ(found, stream);
  int number = 0;
  EXPECT_EQ(library_call("cusolverGetVersion", &number), 0);
  EXPECT_EQ(number / 1000, 12);
  EXPECT_EQ(library_call("cusolverGetProperty", 0, &number), 0);
  EXPECT_EQ(number, 12);
  Solved<float>(handle, "S").run();
  Solved<double>(handle, "D").run();
  Solved<std::complex<float>>(handle, "C").run();
  Solved<std::complex<double>>(handle, "Z").run();
  EXPECT_EQ(library_call("cusolverDnDestroy", handle), 0);
  EXPECT_EQ(library_call("cusolverDnDestroy", handle), 1);
  cudaStreamDestroy(stream);
}

// --- cuSPARSE -------------------------------------------------------------------------------------------------------

// Vectors with few elements.
template <class T> void sparse_vectors(void* handle, int type) {
  Values<int> places({1, 3});
  Values<T> few({T(2), T(5)}), all({T(1), T(2), T(3), T(4)});
  void *x = nullptr, *y = nullptr, *buffer = nullptr;
  const std::int64_t four = 4, two = 2;
  const T by = T(2), keep = T(10);
  EXPECT_EQ(library_call("cusparseCreateSpVec", &x, four, two, static_cast<void*>(places.at()),
                         static_cast<void*>(few.at()), 2, 0, type),
            0);
  EXPECT_EQ(library_call("cusparseCreateDnVec", &y, four, all.at(), type), 0);
  EXPECT_EQ(library_call("cusparseAxpby", handle, &by, x, &keep, y), 0);
  expect_near<T>(all.get(), {T(10), T(24), T(30), T(50)}, "Axpby");
  T sum{};
  std::size_t bytes = 9;
  EXPECT_EQ(library_call("cusparseSpVV_bufferSize", handle, 0, x, y, static_cast<const void*>(&sum), type, &bytes), 0);
  EXPECT_EQ(library_call("cusparseSpVV", handle, 0, x, y, static_cast<void*>(&sum), type, buffer), 0);
  expect_near<T>({sum}, {T(298)}, "SpVV");
  EXPECT_EQ(library_call("cusparseGather", handle, y, x), 0);
  expect_near<T>(few.get(), {T(24), T(50)}, "Gather");
  Values<T> others({T(-1), T(-2)});
  EXPECT_EQ(library_call("cusparseSpVecSetValues", x, static_cast<void*>(others.at())), 0);
  for (const char* name : {"cusparseSpVecGetValues", "cusparseConstSpVecGetValues"}) {
    void* found = nullptr;
    EXPECT_EQ(library_call(name, x, &found), 0);
    EXPECT_EQ(found, others.at());
  }
  EXPECT_EQ(library_call("cusparseScatter", handle, x, y), 0);
  expect_near<T>(all.get(), {T(10), T(-1), T(30), T(-2)}, "Scatter");
  EXPECT_EQ(library_call("cusparseDestroySpVec", x), 0);
  EXPECT_EQ(library_call("cusparseCreateConstSpVec", &x, two, four, static_cast<void*>(places.at()),
                         static_cast<void*>(few.at()), 2, 0, type),
            3);  // more elements than it has places
  EXPECT_EQ(library_call("cusparseDestroyDnVec", y), 0);
}

// [0 7; 8 0; 9 6] from a dense matrix and back; its products.
template <class T> void sparse_forms(void* handle, int type) {
  Values<T> dense({T(0), T(8), T(9), T(7), T(0), T(6)}), again(6), values(4);
  Values<int> starts(4), rows(4), columns(4);
  const std::int64_t three = 3, two = 2, none = 0;
  constexpr int k32 = 2, kByColumns = 1, kAlgorithm = 0;
  void *from = nullptr, *to = nullptr, *nothing = nullptr;
  EXPECT_EQ(library_call("cusparseCreateDnMat", &from, three, two, three, dense.at(), type, kByColumns), 0);
  EXPECT_EQ(library_call("cusparseCreateDnMat", &to, three, two, three, again.at(), type, kByColumns), 0);
  for (const bool coo : {true, false}) {
    void* a = nullptr;
    if (coo)
      EXPECT_EQ(library_call("cusparseCreateCoo", &a, three, two, none, nothing, nothing, nothing, k32, 0, type), 0);
    else
      EXPECT_EQ(library_call("cusparseCreateCsr", &a, three, two, none, static_cast<void*>(starts.at()), nothing,
                             nothing, k32, k32, 0, type),
                0);
    std::size_t bytes = 9;
    EXPECT_EQ(library_call("cusparseDenseToSparse_bufferSize", handle, from, a, kAlgorithm, &bytes), 0);
    EXPECT_EQ(library_call("cusparseDenseToSparse_analysis", handle, from, a, kAlgorithm, nothing), 0);
    std::int64_t size[3] = {};
    EXPECT_EQ(library_call("cusparseSpMatGetSize", a, size, size + 1, size + 2), 0);
    ASSERT_EQ(size[2], 4);
    EXPECT_EQ(library_call(coo ? "cusparseCooSetPointers" : "cusparseCsrSetPointers", a,
                           static_cast<void*>(coo ? rows.at() : starts.at()), static_cast<void*>(columns.at()),
                           static_cast<void*>(values.at())),
              0);
    EXPECT_EQ(library_call("cusparseDenseToSparse_convert", handle, from, a, kAlgorithm, nothing), 0);
    expect_near<T>(values.get(), {T(7), T(8), T(9), T(6)}, "DenseToSparse");
    EXPECT_EQ(columns.get(), (std::vector<int>{1, 0, 0, 1}));
    if (coo)
      EXPECT_EQ(rows.get(), (std::vector<int>{0, 1, 2, 2}));
    else
      EXPECT_EQ(starts.get(), (std::vector<int>{0, 1, 2, 4}));
    for (const char* name : {"cusparseSpMatGetValues", "cusparseConstSpMatGetValues"}) {
      void* found = nullptr;
      EXPECT_EQ(library_call(name, a, &found), 0);
      EXPECT_EQ(found, values.at());
    }
    EXPECT_EQ(library_call("cusparseSpMatSetValues", a, static_cast<void*>(values.at())), 0);
    EXPECT_EQ(library_call("cusparseSparseToDense_bufferSize", handle, a, to, kAlgorithm, &bytes), 0);
    EXPECT_EQ(library_call("cusparseSparseToDense", handle, a, to, kAlgorithm, nothing), 0);
    expect_near<T>(again.get(), dense.get(), "SparseToDense");
    // Of the product of the matrix and the identity, the elements that there are.
    Values<T> identity({T(1), T(0), T(0), T(1)});
    void* one = nullptr;
    const T by = T(2), keep = T(1);
    EXPECT_EQ(library_call("cusparseCreateDnMat", &one, two, two, two, identity.at(), type, kByColumns), 0);
    EXPECT_EQ(
        library_call("cusparseSDDMM_bufferSize", handle, 0, 0, &by, from, one, &keep, a, type, kAlgorithm, &bytes), 0);
    EXPECT_EQ(
        library_call("cusparseSDDMM_preprocess", handle, 0, 0, &by, from, one, &keep, a, type, kAlgorithm, nothing), 0);
    EXPECT_EQ(library_call("cusparseSDDMM", handle, 0, 0, &by, from, one, &keep, a, type, kAlgorithm, nothing), 0);
    expect_near<T>(values.get(), {T(21), T(24), T(27), T(18)}, "SDDMM");
    EXPECT_EQ(library_call("cusparseDestroyDnMat", one), 0);
    EXPECT_EQ(library_call("cusparseDestroySpMat", a), 0);
  }
  for (void* one : {from, to}) EXPECT_EQ(library_call("cusparseDestroyDnMat", one), 0);

  void* description = nullptr;
  Values<int> counts(3);
  int total = 0;
  EXPECT_EQ(library_call("cusparseCreateMatDescr", &description), 0);
  const std::string letter = type == 0 ? "S" : type == 1 ? "D" : type == 4 ? "C" : "Z";
  EXPECT_EQ(library_call("cusparse" + letter + "nnz", handle, 0, 3, 2, static_cast<const void*>(description),
                         static_cast<const T*>(dense.at()), 3, counts.at(), &total),
            0);
  EXPECT_EQ(counts.get(), (std::vector<int>{1, 1, 2}));
  EXPECT_EQ(total, 4);
  EXPECT_EQ(library_call("cusparseDestroyMatDescr", description), 0);

  // [1 2; 0 3] [0 4; 5 0] = [10 4; 15 0]
  Values<int> left_starts({0, 2, 3}), left_columns({0, 1, 1}), right_starts({0, 1, 2}), right_columns({1, 0}),
      out_starts(3), out_columns(3);
  Values<T> left({T(1), T(2), T(3)}), right({T(4), T(5)}), out(3), buffer(4);
  void *a = nullptr, *b = nullptr, *c = nullptr, *product = nullptr;
  const auto csr = [&](void** matrix, std::int64_t stored, int* row_starts, int* places, T* of) {
    EXPECT_EQ(library_call("cusparseCreateCsr", matrix, two, two, stored, static_cast<void*>(row_starts),
                           static_cast<void*>(places), static_cast<void*>(of), k32, k32, 0, type),
              0);
  };
  csr(&a, 3, left_starts.at(), left_columns.at(), left.at());
  csr(&b, 2, right_starts.at(), right_columns.at(), right.at());
  csr(&c, 0, out_starts.at(), nullptr, nullptr);
  const T by = T(1), keep{};
  std::size_t bytes = 0;
  EXPECT_EQ(library_call("cusparseSpGEMM_createDescr", &product), 0);
  for (void* memory : {nothing, static_cast<void*>(buffer.at())}) {
    EXPECT_EQ(library_call("cusparseSpGEMM_workEstimation", handle, 0, 0, &by, a, b, &keep, c, type, kAlgorithm,
                           product, &bytes, memory),
              0);
    EXPECT_EQ(library_call("cusparseSpGEMM_compute", handle, 0, 0, &by, a, b, &keep, c, type, kAlgorithm, product,
                           &bytes, memory),
              0);
  }
  std::int64_t size[3] = {};
  EXPECT_EQ(library_call("cusparseSpMatGetSize", c, size, size + 1, size + 2), 0);
  ASSERT_EQ(size[2], 3);
  EXPECT_EQ(library_call("cusparseCsrSetPointers", c, static_cast<void*>(out_starts.at()),
                         static_cast<void*>(out_columns.at()), static_cast<void*>(out.at())),
            0);
  EXPECT_EQ(library_call("cusparseSpGEMM_copy", handle, 0, 0, &by, a, b, &keep, c, type, kAlgorithm, product), 0);
  expect_near<T>(out.get(), {T(10), T(4), T(15)}, "SpGEMM");
  EXPECT_EQ(out_starts.get(), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(out_columns.get(), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(library_call("cusparseSpGEMM_destroyDescr", product), 0);
  for (void* one : {a, b, c}) EXPECT_EQ(library_call("cusparseDestroySpMat", one), 0);
}

// [4 0 1; 2 5 0; 0 3 6] in both forms.
template <class T> void sparse_products(void* handle, int type) {
  Values<int> starts({0, 2, 4, 6}), rows({0, 0, 1, 1, 2, 2}), columns({0, 2, 0, 1, 1, 2});
  Values<std::int64_t> wide_starts({1, 3, 5, 7}), wide_columns({1, 3, 1, 2, 2, 3});
  const T i = value_of<T>(0, 1);
  Values<T> values({T(4), T(1), T(2), T(5) + i, T(3), T(6)}), x({T(1), T(2), T(3)});
  const T by = T(2), keep = T(1), none{};
  constexpr int k32 = 2, k64 = 3, kAlgorithm = 0;
  const std::vector<T> product{T(7), T(12) + T(2) * i, T(24)};
  void *a = nullptr, *vector = nullptr, *result = nullptr;
  const std::int64_t three = 3, six = 6;
  EXPECT_EQ(library_call("cusparseCreateDnVec", &vector, three, x.at(), type), 0);
  for (int form = 0; form < 4; ++form) {
    const bool wide = form == 1;
    if (form < 2)
      EXPECT_EQ(library_call(wide ? "cusparseCreateConstCsr" : "cusparseCreateCsr", &a, three, three, six,
                             wide ? static_cast<void*>(wide_starts.at()) : starts.at(),
                             wide ? static_cast<void*>(wide_columns.at()) : columns.at(), values.at(), wide ? k64 : k32,
                             wide ? k64 : k32, wide ? 1 : 0, type),
                0);
    else
      EXPECT_EQ(library_call(form == 2 ? "cusparseCreateCoo" : "cusparseCreateConstCoo", &a, three, three, six,
                             rows.at(), columns.at(), values.at(), k32, 0, type),
                0);
    std::int64_t size[3] = {};
    EXPECT_EQ(library_call("cusparseSpMatGetSize", a, size, size + 1, size + 2), 0);
    EXPECT_EQ(size[2], 6);
    Values<T> y({T(1), T(1), T(1)});
    std::size_t bytes = 9;
    EXPECT_EQ(library_call("cusparseCreateConstDnVec", &result, three, x.at(), type), 0);
    EXPECT_EQ(library_call("cusparseDnVecSetValues", result, y.at()), 0);
    EXPECT_EQ(
        library_call("cusparseSpMV_bufferSize", handle, 0, &by, a, vector, &keep, result, type, kAlgorithm, &bytes), 0);
    EXPECT_EQ(bytes, 0U);
    void* const buffer = nullptr;
    EXPECT_EQ(
        library_call("cusparseSpMV_preprocess", handle, 0, &by, a, vector, &keep, result, type, kAlgorithm, buffer), 0);
    EXPECT_EQ(library_call("cusparseSpMV", handle, 0, &by, a, vector, &keep, result, type, kAlgorithm, buffer), 0);
    std::vector<T> wanted;
    for (const T one : product) wanted.push_back(by * one + T(1));
    expect_near(y.get(), wanted, "SpMV");
    EXPECT_EQ(library_call("cusparseSpMV", handle, 2, &keep, a, vector, &none, result, type, kAlgorithm, buffer), 0);
    expect_near(y.get(), {T(8), T(19) + T(2) * value_of<T>(0, -1), T(19)}, "SpMV, adjoint");
    // The same vector as both columns of a dense matrix, by columns and by rows.
    for (const int order : {1, 2}) {
      const std::vector<T> twice = order == 1 ? std::vector<T>{T(1), T(2), T(3), T(2), T(4), T(6)}
                                              : std::vector<T>{T(1), T(2), T(2), T(4), T(3), T(6)};
      Values<T> b(twice), c(6);
      void *left = nullptr, *right = nullptr;
      const std::int64_t two = 2, leading = order == 1 ? 3 : 2;
      EXPECT_EQ(library_call("cusparseCreateConstDnMat", &left, three, two, leading, b.at(), type, order), 0);
      EXPECT_EQ(library_call("cusparseCreateDnMat", &right, three, two, leading, c.at(), type, order), 0);
      EXPECT_EQ(
          library_call("cusparseSpMM_bufferSize", handle, 0, 0, &keep, a, left, &none, right, type, kAlgorithm, &bytes),
          0);
      EXPECT_EQ(library_call("cusparseSpMM", handle, 0, 0, &keep, a, left, &none, right, type, kAlgorithm, buffer), 0);
      const auto got = c.get();
      for (std::size_t at = 0; at < 3; ++at)
        expect_near<T>({got[order == 1 ? at : 2 * at], got[order == 1 ? 3 + at : 2 * at + 1]},
                       {product[at], T(2) * product[at]}, "SpMM");
      for (void* one : {left, right}) EXPECT_EQ(library_call("cusparseDestroyDnMat", one), 0);
    }
    for (void* one : {result}) EXPECT_EQ(library_call("cusparseDestroyDnVec", one), 0);
    EXPECT_EQ(library_call("cusparseDestroySpMat", a), 0);
  }
  // The lower half alone: [4; 2 5; . 3 6].
  Values<T> y(3);
  EXPECT_EQ(library_call("cusparseCreateCsr", &a, three, three, six, static_cast<void*>(starts.at()),
                         static_cast<void*>(columns.at()), values.at(), k32, k32, 0, type),
            0);
  EXPECT_EQ(library_call("cusparseCreateDnVec", &result, three, y.at(), type), 0);
  void* system = nullptr;
  void* const buffer = nullptr;
  std::size_t bytes = 9;
  for (const int attribute : {0, 1}) {
    const int value = 0;
    EXPECT_EQ(library_call("cusparseSpMatSetAttribute", a, attribute, &value, sizeof value), 0);
  }
  EXPECT_EQ(library_call("cusparseSpSV_createDescr", &system), 0);
  for (const int op : {0, 1}) {
    EXPECT_EQ(
        library_call("cusparseSpSV_bufferSize", handle, op, &keep, a, vector, result, type, kAlgorithm, system, &bytes),
        0);
    EXPECT_EQ(
        library_call("cusparseSpSV_analysis", handle, op, &keep, a, vector, result, type, kAlgorithm, system, buffer),
        0);
    EXPECT_EQ(library_call("cusparseSpSV_solve", handle, op, &keep, a, vector, result, type, kAlgorithm, system), 0);
    const auto z = y.get();
    const T pivot = T(5) + i;
    expect_near<T>(op == 0 ? std::vector<T>{T(4) * z[0], T(2) * z[0] + pivot * z[1], T(3) * z[1] + T(6) * z[2]}
                           : std::vector<T>{T(4) * z[0] + T(2) * z[1], pivot * z[1] + T(3) * z[2], T(6) * z[2]},
                   x.get(), "SpSV");
  }
  EXPECT_EQ(library_call("cusparseSpSV_destroyDescr", system), 0);
  for (void* one : {result, vector}) EXPECT_EQ(library_call("cusparseDestroyDnVec", one), 0);
  EXPECT_EQ(library_call("cusparseDestroySpMat", a), 0);
}

// A band of three diagonals loses nothing: its incomplete factors are its factors.
template <class T> void incomplete_factors(void* handle, const std::string& letter) {
  Values<int> starts({1, 3, 6, 8}), columns({1, 2, 1, 2, 3, 2, 3});
  Values<T> values({T(4), T(1), T(2), T(5), T(1), T(3), T(6)});
  void *description = nullptr, *factors = nullptr;
  EXPECT_EQ(library_call("cusparseCreateMatDescr", &description), 0);
  EXPECT_EQ(library_call("cusparseSetMatIndexBase", description, 1), 0);
  EXPECT_EQ(library_call("cusparseCreateCsrilu02Info", &factors), 0);
  const auto name = "cusparse" + letter + "csrilu02";
  int bytes = 9, place = 9;
  void* const buffer = nullptr;
  EXPECT_EQ(library_call(name + "_bufferSize", handle, 3, 7, description, values.at(), starts.at(), columns.at(),
                         factors, &bytes),
            0);
  EXPECT_EQ(library_call(name + "_analysis", handle, 3, 7, description, values.at(), starts.at(), columns.at(), factors,
                         0, buffer),
            0);
  EXPECT_EQ(library_call(name, handle, 3, 7, description, values.at(), starts.at(), columns.at(), factors, 0, buffer),
            0);
  EXPECT_EQ(library_call("cusparseXcsrilu02_zeroPivot", handle, factors, &place), 0);
  EXPECT_EQ(place, -1);
  const T second = T(4.5), third = T(6) - T(3) / second;
  expect_near(values.get(), {T(4), T(1), T(0.5), second, T(1), T(3) / second, third}, name);
  EXPECT_EQ(library_call("cusparseDestroyCsrilu02Info", factors), 0);
  EXPECT_EQ(library_call("cusparseDestroyMatDescr", description), 0);
}

TEST(Sparse, MultipliesAndSolves) {
  void* handle = nullptr;
  ASSERT_EQ(library_call("cusparseCreate", &handle), 0);
  cudaStream_t stream = nullptr, found = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(library_call("cusparseSetStream", handle, stream), 0);
  EXPECT_EQ(library_call("cusparseGetStream", handle, &found), 0);
  EXPECT_EQ(found, stream);
  int number = 9;
  EXPECT_EQ(library_call("cusparseSetPointerMode", handle, 0), 0);
  EXPECT_EQ(library_call("cusparseGetPointerMode", handle, &number), 0);
  EXPECT_EQ(number, 0);
  EXPECT_EQ(library_call("cusparseGetVersion", handle, &number), 0);
  EXPECT_EQ(number / 1000, 12);
  EXPECT_EQ(library_call("cusparseGetProperty", 0, &number), 0);
  EXPECT_EQ(number, 12);
  EXPECT_STREQ(library_call<const char*>("cusparseGetErrorName", 3), "CUSPARSE_STATUS_INVALID_VALUE");
  EXPECT_STREQ(library_call<const char*>("cusparseGetErrorString", 0), "success");
  void* description = nullptr;
  EXPECT_EQ(library_call("cusparseCreateMatDescr", &description), 0);
  for (const std::string what : {"MatType", "MatIndexBase", "MatFillMode", "MatDiagType"}) {
    EXPECT_EQ(library_call("cusparseSet" + what, description, 1), 0);
    EXPECT_EQ(library_call("cusparseGet" + what, static_cast<const void*>(description)), 1) << what;
  }
  EXPECT_EQ(library_call("cusparseDestroyMatDescr", description), 0);
  sparse_products<float>(handle, 0);
  sparse_vectors<float>(handle, 0);
  sparse_forms<float>(handle, 0);
  sparse_products<double>(handle, 1);
  sparse_vectors<double>(handle, 1);
  sparse_forms<double>(handle, 1);
  sparse_products<std::complex<float>>(handle, 4);
  sparse_vectors<std::complex<float>>(handle, 4);
  sparse_forms<std::complex<float>>(handle, 4);
  sparse_products<std::complex<double>>(handle, 5);
  sparse_vectors<std::complex<double>>(handle, 5);
  sparse_forms<std::complex<double>>(handle, 5);
  incomplete_factors<float>(handle, "S");
  incomplete_factors<double>(handle, "D");
  EXPECT_EQ(library_call("cusparseDestroy", handle), 0);
  cudaStreamDestroy(stream);
}

// When all tests of all files have run, in whatever order.
class EveryRow : public ::testing::Environment {
 public:
  void TearDown() override {
    if (::testing::GTEST_FLAG(filter) != "*") return;  // only some tests ran
    expect_called(kBlas);
    expect_called(kSolver);
    expect_called(kSparse);
  }
};
[[maybe_unused]] const auto* const every_row = ::testing::AddGlobalTestEnvironment(new EveryRow);

}  // namespace
}  // namespace xcuda::test
