// Forms of cuBLAS beyond BLAS's own: vectors whose type is an argument, groups of products, products of short vectors,
// what handles remember of emulation.
#include <cmath>

#include "base/half.hpp"
#include "tests/runtime/library_calls.hpp"

namespace xcuda::test {
namespace {

class BlasForms : public ::testing::Test {
 public:
  BlasForms() { EXPECT_EQ(library_call("cublasCreate_v2", &handle), 0); }
  ~BlasForms() override { EXPECT_EQ(library_call("cublasDestroy_v2", handle), 0); }
  void* handle = nullptr;
};
constexpr int kReal32 = 0, kReal64 = 1, kReal16 = 2, kComplex32 = 4, kBrain16 = 14;

template <class Function> void both_widths(const std::string& name, Function function) {
  function(name, int{});
  function(name + "_64", std::int64_t{});
}
std::vector<std::uint16_t> halves_of(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits;
  for (const float one : values) bits.push_back(float_to_half(one));
  return bits;
}

TEST_F(BlasForms, VectorsWithTheirTypeAsAnArgument) {
  both_widths("cublasCopyEx", [&](const std::string& name, auto width) {
    using I = decltype(width);
    Values<std::uint16_t> x(halves_of({1, 2, 3}));
    Values<float> y({0, 0, 0, 0, 0});
    EXPECT_EQ(library_call(name, handle, I(3), x.at(), kReal16, I(1), y.at(), kReal32, I(2)), 0);
    EXPECT_EQ(y.get(), (std::vector<float>{1, 0, 2, 0, 3})) << name;
  });
  both_widths("cublasSwapEx", [&](const std::string& name, auto width) {
    using I = decltype(width);
    Values<double> x({1, 2}), y({3, 4});
    EXPECT_EQ(library_call(name, handle, I(2), x.at(), kReal64, I(1), y.at(), kReal64, I(-1)), 0);
    EXPECT_EQ(x.get(), (std::vector<double>{4, 3})) << name;
    EXPECT_EQ(y.get(), (std::vector<double>{2, 1})) << name;
  });
  both_widths("cublasAsumEx", [&](const std::string& name, auto width) {
    using I = decltype(width);
    using C = std::complex<float>;
    Values<C> x({C(1, -2), C(-3, 4)});
    float sum = 0;
    EXPECT_EQ(library_call(name, handle, I(2), x.at(), kComplex32, I(1), &sum, kReal32, kReal32), 0);
    EXPECT_EQ(sum, 10) << name;
  });
  for (const bool greatest : {true, false})
    both_widths(greatest ? "cublasIamaxEx" : "cublasIaminEx", [&](const std::string& name, auto width) {
      using I = decltype(width);
      Values<std::uint16_t> x(halves_of({2, -7, 1, 7, 1}));
      I place = 9;
      EXPECT_EQ(library_call(name, handle, I(5), x.at(), kReal16, I(1), &place), 0);
      EXPECT_EQ(place, greatest ? 2 : 3) << name;
      EXPECT_EQ(library_call(name, handle, I(0), x.at(), kReal16, I(1), &place), 0);
      EXPECT_EQ(place, 0) << name;
    });
}

TEST_F(BlasForms, RotationsWithTheirTypeAsAnArgument) {
  both_widths("cublasRotEx", [&](const std::string& name, auto width) {
    using I = decltype(width);
    using C = std::complex<float>;
    Values<C> x({C(1, 1)}), y({C(2, 0)});
    const C c(0.5F, 0), s(0, 1);  // the real part is what counts of the cosine
    EXPECT_EQ(library_call(name, handle, I(1), x.at(), kComplex32, I(1), y.at(), kComplex32, I(1), &c, &s, kComplex32,
                           kComplex32),
              0);
    expect_near<C>(x.get(), {C(0.5F, 2.5F)}, name);
    expect_near<C>(y.get(), {C(1, 0) + C(0, 1) * C(1, 1)}, name);
  });
  struct Case {
    std::vector<float> parameters, x, y;
  };
  for (const Case& one : {Case{{-2, 9, 9, 9, 9}, {1, 2}, {3, 4}}, Case{{-1, 2, 3, 4, 5}, {14, 20}, {18, 26}},
                          Case{{0, 9, 3, 4, 9}, {13, 18}, {6, 10}}, Case{{1, 2, 9, 9, 5}, {5, 8}, {14, 18}}})
    both_widths("cublasRotmEx", [&](const std::string& name, auto width) {
      using I = decltype(width);
      Values<float> x({1, 2}), y({3, 4});
      EXPECT_EQ(library_call(name, handle, I(2), x.at(), kReal32, I(1), y.at(), kReal32, I(1), one.parameters.data(),
                             kReal32, kReal32),
                0);
      EXPECT_EQ(x.get(), one.x) << name << one.parameters[0];
      EXPECT_EQ(y.get(), one.y) << name << one.parameters[0];
    });
  float a = 3, b = 4, c = 0, s = 0;
  EXPECT_EQ(library_call("cublasRotgEx", handle, &a, &b, kReal32, &c, &s, kReal32, kReal32), 0);
  EXPECT_FLOAT_EQ(a, 5);
  EXPECT_FLOAT_EQ(c, 0.6F);
  EXPECT_FLOAT_EQ(s, 0.8F);
  float d1 = 1, d2 = 2, x1 = 3, parameters[5] = {9, 9, 9, 9, 9}, of_float[5] = {};
  const float y1 = 0.5F;
  float e1 = d1, e2 = d2, z1 = x1;
  EXPECT_EQ(library_call("cublasRotmgEx", handle, &d1, kReal32, &d2, kReal32, &x1, kReal32, &y1, kReal32, parameters,
                         kReal32, kReal32),
            0);
  EXPECT_EQ(library_call("cublasSrotmg_v2", handle, &e1, &e2, &z1, &y1, of_float), 0);
  EXPECT_FLOAT_EQ(d1, e1);
  EXPECT_FLOAT_EQ(x1, z1);
  EXPECT_EQ(parameters[0], 0);
  EXPECT_FLOAT_EQ(parameters[2], of_float[2]);
  EXPECT_FLOAT_EQ(parameters[3], of_float[3]);
}

TEST_F(BlasForms, ProductsOfGroups) {
  // [1 2; 3 4] twice in the first group, and a row by a column in the second.
  const auto check = [&]<class T>(const std::string& family, T) {
    both_widths(family, [&](const std::string& name, auto width) {
      using I = decltype(width);
      Values<T> a({1, 3, 2, 4}), row({5, 6}), first(4), second({1, 1, 1, 1}), third(1);
      const bool typed = family == "cublasGemmGroupedBatchedEx";
      Values<const T*> as({a.at(), a.at(), row.at()}), bs({a.at(), a.at(), row.at()});
      Values<T*> cs({first.at(), second.at(), third.at()});
      const int left[2] = {0, 1}, right[2] = {0, 0};
      const I m[2] = {2, 1}, n[2] = {2, 1}, k[2] = {2, 2}, ld[2] = {2, 2}, ldc[2] = {2, 1}, sizes[2] = {2, 1};
      const T alpha[2] = {1, 2}, beta[2] = {1, 0};
      const int type = sizeof(T) == 4 ? kReal32 : kReal64, sum = sizeof(T) == 4 ? 68 : 70;
      if (typed)
        EXPECT_EQ(library_call(name, handle, left, right, m, n, k, alpha, as.at(), type, ld, bs.at(), type, ld, beta,
                               cs.at(), type, ldc, I(2), sizes, sum),
                  0);
      else
        EXPECT_EQ(library_call(name, handle, left, right, m, n, k, alpha, as.at(), ld, bs.at(), ld, beta, cs.at(), ldc,
                               I(2), sizes),
                  0);
      EXPECT_EQ(first.get(), (std::vector<T>{7, 15, 10, 22})) << name;
      EXPECT_EQ(second.get(), (std::vector<T>{8, 16, 11, 23})) << name;
      EXPECT_EQ(third.get(), (std::vector<T>{122})) << name;
    });
  };
  check("cublasSgemmGroupedBatched", float{});
  check("cublasDgemmGroupedBatched", double{});
  check("cublasGemmGroupedBatchedEx", float{});
  check("cublasGemmGroupedBatchedEx", double{});
}

TEST_F(BlasForms, HalfProductsOfATypeThatIsAnArgument) {
  using C = std::complex<float>;
  for (const std::string form : {"", "3m"}) {
    both_widths("cublasCsyrk" + form + "Ex", [&](const std::string& name, auto width) {
      using I = decltype(width);
      Values<C> a({C(1, 1), C(2, 0)}), c({C(1), C(1), C(9), C(1)});
      const C alpha(0, 1), beta(2, 0);
      EXPECT_EQ(library_call(name, handle, 0, 0, I(2), I(1), &alpha, a.at(), kComplex32, I(2), &beta, c.at(),
                             kComplex32, I(2)),
                0);
      expect_near<C>(c.get(), {C(0, 0), C(0, 2), C(9), C(2, 4)}, name);
    });
    both_widths("cublasCherk" + form + "Ex", [&](const std::string& name, auto width) {
      using I = decltype(width);
      Values<C> a({C(1, 1), C(2, 0)}), c({C(1), C(1), C(9), C(1)});
      const float alpha = 2, beta = 1;
      EXPECT_EQ(library_call(name, handle, 0, 0, I(2), I(1), &alpha, a.at(), kComplex32, I(2), &beta, c.at(),
                             kComplex32, I(2)),
                0);
      expect_near<C>(c.get(), {C(5), C(5, -4), C(9), C(9)}, name);
    });
  }
  Values<std::int8_t> bytes({1, 2});
  Values<C> c(1);
  const C one(1);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(library_call("cublasCsyrkEx", handle, 0, 0, 1, 1, &one, bytes.at(), 7, 1, &one, c.at(), kComplex32, 1), 15);
  ::testing::internal::GetCapturedStderr();
}

TEST_F(BlasForms, MatricesByShortVectors) {
  struct Kind {
    const char* letters;
    int in, out;
  };
  for (const Kind& kind : {Kind{"HSH", kReal16, kReal16}, Kind{"HSS", kReal16, kReal32}, Kind{"TSS", kBrain16, kReal32},
                           Kind{"TST", kBrain16, kBrain16}}) {
    const auto shorter = [&](const std::vector<float>& values, int type) {
      std::vector<std::uint16_t> bits;
      for (const float one : values) bits.push_back(type == kReal16 ? float_to_half(one) : float_to_bfloat16(one));
      return bits;
    };
    for (const bool strided : {false, true})
      for (const int op : {0, 1})  // [1 2 3; 4 5 6] by (1 2 3), or its transpose by (1 2)
        both_widths(
            std::string("cublas") + kind.letters + "gemv" + (strided ? "StridedBatched" : "Batched"),
            [&](const std::string& name, auto width) {
              using I = decltype(width);
              Values<std::uint16_t> a(shorter({1, 4, 2, 5, 3, 6}, kind.in)), x(shorter({1, 0, 2, 0, 3}, kind.in)),
                  y(shorter({1, 1, 1}, kind.in));
              Values<float> wide({1, 1, 1});
              const float alpha = 2, beta = 1;
              void* const to = kind.out == kReal32 ? static_cast<void*>(wide.at()) : y.at();
              const long long none = 0;
              Values<const void*> as({a.at()}), xs({x.at()});
              Values<void*> ys({to});
              if (strided)
                EXPECT_EQ(library_call(name, handle, op, I(2), I(3), &alpha, static_cast<const void*>(a.at()), I(2),
                                       none, static_cast<const void*>(x.at()), I(2), none, &beta, to, I(1), none, I(1)),
                          0);
              else
                EXPECT_EQ(library_call(name, handle, op, I(2), I(3), &alpha, as.at(), I(2), xs.at(), I(2), &beta,
                                       ys.at(), I(1), I(1)),
                          0);
              const std::vector<float> wanted =
                  op == 0 ? std::vector<float>{29, 65, 1} : std::vector<float>{19, 25, 31};
              if (kind.out == kReal32)
                EXPECT_EQ(wide.get(), wanted) << name << op;
              else
                EXPECT_EQ(y.get(), shorter(wanted, kind.out)) << name << op;
            });
  }
}

TEST_F(BlasForms, HandlesRememberHowProductsMayBeEmulated) {
  struct Mode {
    std::string name;
    int first, second, wrong;
  };
  for (const Mode& mode : {Mode{"EmulationStrategy", 0, 2, 3}, Mode{"EmulationSpecialValuesSupport", 0xffff, 3, 4},
                           Mode{"FixedPointEmulationMantissaControl", 0, 1, 2},
                           Mode{"FixedPointEmulationMaxMantissaBitCount", 0, 55, -1}}) {
    int found = -1;
    EXPECT_EQ(library_call("cublasGet" + mode.name, handle, &found), 0);
    EXPECT_EQ(found, mode.first) << mode.name;
    EXPECT_EQ(library_call("cublasSet" + mode.name, handle, mode.second), 0) << mode.name;
    EXPECT_EQ(library_call("cublasSet" + mode.name, handle, mode.wrong), 7) << mode.name;
    EXPECT_EQ(library_call("cublasGet" + mode.name, handle, &found), 0);
    EXPECT_EQ(found, mode.second) << mode.name;
  }
  int found = 0, *place = nullptr;
  EXPECT_EQ(library_call("cublasSetFixedPointEmulationMantissaBitOffset", handle, -8), 0);
  EXPECT_EQ(library_call("cublasGetFixedPointEmulationMantissaBitOffset", handle, &found), 0);
  EXPECT_EQ(found, -8);
  EXPECT_EQ(library_call("cublasSetFixedPointEmulationMantissaBitCountPointer", handle, &found), 0);
  EXPECT_EQ(library_call("cublasGetFixedPointEmulationMantissaBitCountPointer", handle, &place), 0);
  EXPECT_EQ(place, &found);
  // A product that asks for it is exact in its own type.
  Values<double> a({1, 3, 2, 4}), c(4);
  const double one = 1, zero = 0;
  constexpr int kEmulated = 79, kDefault = -1;
  EXPECT_EQ(library_call("cublasGemmEx", handle, 0, 0, 2, 2, 2, &one, a.at(), kReal64, 2, a.at(), kReal64, 2, &zero,
                         c.at(), kReal64, 2, kEmulated, kDefault),
            0);
  EXPECT_EQ(c.get(), (std::vector<double>{7, 15, 10, 22}));
}

}  // namespace
}  // namespace xcuda::test
