// Each row of cuBLASLt is called, and products of all orders, transposes, types, batches and epilogues are compared
// with a loop.
#include <cmath>
#include <cstring>
#include <numbers>

#include "base/half.hpp"
#include "tests/runtime/library_calls.hpp"

namespace xcuda::test {
namespace {

struct LtRow {
  const char* name;
  bool refused;
};
constexpr LtRow kLtRows[] = {
#define XCUDA_MATH_WORKS(name, ...) {#name, false},
#define XCUDA_MATH_PARTLY(name, how, ...) {#name, false},
#define XCUDA_MATH_REFUSED(name, what) {#name, true},
#include "runtime/math/lt_functions.def"
#undef XCUDA_MATH_WORKS
#undef XCUDA_MATH_PARTLY
#undef XCUDA_MATH_REFUSED
};

// Numbers of cublasLt.h and library_types.h.
constexpr int kFloat = 0, kDouble = 1, kHalf = 2, kInt8 = 3, kInt32 = 10, kCompute32F = 68, kCompute64F = 70,
              kCompute32I = 72;
constexpr int kOrder = 1, kBatch = 5, kStride = 6;                                // of a layout
constexpr int kPointers = 2, kTransA = 3, kTransB = 4, kEpilogue = 7, kBias = 8;  // of a product
constexpr int kUnsupported = 15, kInvalid = 7;

template <class T> T as_element(double x) {
  if constexpr (std::is_same_v<T, std::uint16_t>)
    return double_to_half(x);
  else
    return static_cast<T>(x);
}
template <class T> double as_number(T x) {
  if constexpr (std::is_same_v<T, std::uint16_t>)
    return half_to_float(x);
  else
    return static_cast<double>(x);
}

class Lt : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(library_call("cublasLtCreate", &handle_), 0); }
  void TearDown() override { EXPECT_EQ(library_call("cublasLtDestroy", handle_), 0); }

  static void* layout(int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
    void* made = nullptr;
    EXPECT_EQ(library_call("cublasLtMatrixLayoutCreate", &made, type, rows, columns, leading), 0);
    return made;
  }
  static void* product(int computation, int scale) {
    void* made = nullptr;
    EXPECT_EQ(library_call("cublasLtMatmulDescCreate", &made, computation, scale), 0);
    return made;
  }
  template <class T> static int set(const char* what, void* object, int attribute, T value) {
    return library_call(std::string("cublasLt") + what + "SetAttribute", object, attribute,
                        static_cast<const void*>(&value), sizeof value);
  }
  int multiply(void* of, const void* alpha, const void* a, void* la, const void* b, void* lb, const void* beta,
               const void* c, void* lc, void* d, void* ld) {
    const void* const no_algorithm = nullptr;
    void* const no_workspace = nullptr;
    const cudaStream_t stream = nullptr;
    return library_call("cublasLtMatmul", handle_, of, alpha, a, la, b, lb, beta, c, lc, d, ld, no_algorithm,
                        no_workspace, std::size_t{0}, stream);
  }

  void* handle_ = nullptr;
};

struct Case {
  int order_a = 0, order_b = 0, order_d = 0, trans_a = 0, trans_b = 0;
  std::uint32_t epilogue = 1;
  int batch = 1;
  double alpha = 1, beta = 0;
};

// T: of A and B; D: of C, D and the bias; S: of the scalars.
template <class T, class D, class S> struct Types { int t, d, s, computation; };

class LtProducts : public Lt {
 protected:
  template <class T, class D, class S> void compare(const Types<T, D, S>& types, const Case& one) {
    constexpr int m = 3, n = 4, k = 5;
    struct Matrix {
      int rows, columns, leading, order;
      std::int64_t bytes_apart() const { return (order ? rows : columns) * leading + 2; }
      std::int64_t at(int i, int j) const { return order ? i * leading + j : j * leading + i; }
    };
    const auto matrix = [](int rows, int columns, int order) {
      return Matrix{rows, columns, (order ? columns : rows) + 1, order};
    };
    const Matrix a = one.trans_a ? matrix(k, m, one.order_a) : matrix(m, k, one.order_a),
                 b = one.trans_b ? matrix(n, k, one.order_b) : matrix(k, n, one.order_b), d = matrix(m, n, one.order_d);
    const auto filled = [&]<class E>(const Matrix& of, E, int seed) {
      std::vector<E> values(static_cast<std::size_t>(of.bytes_apart() * one.batch));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = as_element<E>((static_cast<int>(i * 7 + static_cast<std::size_t>(seed)) % 11) - 5);
      return values;
    };
    Values<T> x(filled(a, T(), 1)), y(filled(b, T(), 2));
    Values<D> z(filled(d, D(), 3)), to(filled(d, D(), 4)), bias(filled(matrix(m, 1, 0), D(), 5));
    void* const la = layout(types.t, a.rows, a.columns, a.leading);
    void* const lb = layout(types.t, b.rows, b.columns, b.leading);
    void* const ld = layout(types.d, d.rows, d.columns, d.leading);
    for (const auto& [object, of] : {std::pair(la, a), std::pair(lb, b), std::pair(ld, d)}) {
      EXPECT_EQ(set("MatrixLayout", object, kOrder, of.order), 0);
      EXPECT_EQ(set("MatrixLayout", object, kBatch, one.batch), 0);
      EXPECT_EQ(set("MatrixLayout", object, kStride, of.bytes_apart()), 0);
    }
    void* const of = product(types.computation, types.s);
    EXPECT_EQ(set("MatmulDesc", of, kTransA, one.trans_a), 0);
    EXPECT_EQ(set("MatmulDesc", of, kTransB, one.trans_b), 0);
    EXPECT_EQ(set("MatmulDesc", of, kEpilogue, one.epilogue), 0);
    EXPECT_EQ(set("MatmulDesc", of, kBias, static_cast<const void*>(bias.at())), 0);
    const S alpha = static_cast<S>(one.alpha), beta = static_cast<S>(one.beta);
    ASSERT_EQ(multiply(of, &alpha, x.at(), la, y.at(), lb, &beta, z.at(), ld, to.at(), ld), 0);
    const auto got = to.get();
    for (int g = 0; g < one.batch; ++g)
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int q = 0; q < k; ++q)
            sum +=
                as_number(x[static_cast<std::size_t>(g * a.bytes_apart() + (one.trans_a ? a.at(q, i) : a.at(i, q)))]) *
                as_number(y[static_cast<std::size_t>(g * b.bytes_apart() + (one.trans_b ? b.at(j, q) : b.at(q, j)))]);
          const auto place = static_cast<std::size_t>(g * d.bytes_apart() + d.at(i, j));
          sum = one.alpha * sum + one.beta * as_number(z[place]);
          if (one.epilogue & 4) sum += as_number(bias[static_cast<std::size_t>(i)]);
          if (one.epilogue & 2) sum = std::fmax(sum, 0.0);
          if (one.epilogue & 32)
            sum = 0.5 * sum * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (sum + 0.044715 * sum * sum * sum)));
          ASSERT_NEAR(as_number(got[place]), sum, types.d == kHalf ? 0.1 : 1e-4)
              << one.order_a << one.order_b << one.order_d << one.trans_a << one.trans_b << " " << one.epilogue << ": "
              << i << ", " << j << " of " << g;
        }
    for (void* object : {la, lb, ld}) EXPECT_EQ(library_call("cublasLtMatrixLayoutDestroy", object), 0);
    EXPECT_EQ(library_call("cublasLtMatmulDescDestroy", of), 0);
  }
};

TEST_F(LtProducts, OfEveryOrderAndTranspose) {
  for (int bits = 0; bits < 32; ++bits)
    for (const std::uint32_t epilogue : {1u, 6u}) {
      const Case one{bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1, bits >> 4, epilogue, 2, 2, -1};
      compare(Types<float, float, float>{kFloat, kFloat, kFloat, kCompute32F}, one);
    }
}

TEST_F(LtProducts, OfEveryType) {
  for (const std::uint32_t epilogue : {1u, 2u, 4u, 6u, 32u, 36u})
    for (const double beta : {0.0, 0.5}) {
      const Case one{.epilogue = epilogue, .batch = 3, .alpha = 0.25, .beta = beta};
      compare(Types<double, double, double>{kDouble, kDouble, kDouble, kCompute64F}, one);
      compare(Types<std::uint16_t, std::uint16_t, float>{kHalf, kHalf, kFloat, kCompute32F}, one);
      compare(Types<std::uint16_t, float, float>{kHalf, kFloat, kFloat, kCompute32F}, one);
    }
  compare(Types<std::int8_t, std::int32_t, std::int32_t>{kInt8, kInt32, kInt32, kCompute32I},
          {.trans_a = 1, .beta = 2});
}

TEST_F(Lt, RowsAreCalledAndRefuse) {
  EXPECT_EQ(library_call<std::size_t>("cublasLtGetVersion") / 10000, 13u);
  EXPECT_EQ(library_call<std::size_t>("cublasLtGetCudartVersion") / 1000, 13u);
  int number = 0;
  EXPECT_EQ(library_call("cublasLtGetProperty", 0, &number), 0);
  EXPECT_EQ(number, 13);
  EXPECT_STREQ(library_call<const char*>("cublasLtGetStatusName", 15), "CUBLAS_STATUS_NOT_SUPPORTED");
  EXPECT_NE(library_call<const char*>("cublasLtGetStatusString", 0), nullptr);

  void* const of = product(kCompute32F, kFloat);
  std::size_t written = 0;
  EXPECT_EQ(library_call("cublasLtMatmulDescGetAttribute", of, kEpilogue, static_cast<void*>(&number), sizeof number,
                         &written),
            0);
  EXPECT_TRUE(number == 1 && written == 4);
  EXPECT_EQ(set("MatmulDesc", of, 17, std::uint64_t{0}), kUnsupported);  // a scale of 8-bit floats
  EXPECT_EQ(set("MatmulDesc", of, kTransA, std::uint8_t{0}), kInvalid);  // 4 bytes
  EXPECT_EQ(set("MatmulDesc", of, 15, 4), 0);                            // processors
  alignas(16) std::byte own[256];
  EXPECT_EQ(library_call("cublasLtMatmulDescInit_internal", static_cast<void*>(own), sizeof own, kCompute32F, kFloat),
            0);
  void *const a = layout(kFloat, 4, 3, 4), *const b = layout(kFloat, 3, 2, 3), *const c = layout(kFloat, 4, 2, 4);
  EXPECT_EQ(library_call("cublasLtMatrixLayoutGetAttribute", a, 2, static_cast<void*>(own), std::size_t{8}, &written),
            0);
  EXPECT_EQ(own[0], std::byte{4});
  EXPECT_EQ(library_call("cublasLtMatrixLayoutInit_internal", static_cast<void*>(own), std::size_t{64}, kFloat,
                         std::uint64_t{4}, std::uint64_t{3}, std::int64_t{4}),
            0);
  EXPECT_EQ(library_call("cublasLtMatrixLayoutInit_internal", static_cast<void*>(own), std::size_t{8}, kFloat,
                         std::uint64_t{4}, std::uint64_t{3}, std::int64_t{4}),
            kInvalid);

  void* preference = nullptr;
  EXPECT_EQ(library_call("cublasLtMatmulPreferenceCreate", &preference), 0);
  EXPECT_EQ(set("MatmulPreference", preference, 1, std::uint64_t{1} << 20), 0);
  std::uint64_t workspace = 0;
  EXPECT_EQ(library_call("cublasLtMatmulPreferenceGetAttribute", preference, 1, static_cast<void*>(&workspace),
                         sizeof workspace, &written),
            0);
  EXPECT_EQ(workspace, std::uint64_t{1} << 20);
  EXPECT_EQ(library_call("cublasLtMatmulPreferenceInit_internal", static_cast<void*>(own), std::size_t{64}), 0);
  struct Choice {
    std::uint64_t algorithm[8];
    std::size_t workspace;
    int status;
    float waves;
    int reserved[4];
  } choices[4];
  std::memset(choices, 0x7f, sizeof choices);
  EXPECT_EQ(
      library_call("cublasLtMatmulAlgoGetHeuristic", handle_, of, a, b, c, c, preference, 4, choices + 0, &number), 0);
  EXPECT_TRUE(number == 1 && choices[0].status == 0 && choices[0].workspace == 0);
  EXPECT_EQ(library_call("cublasLtMatmulAlgoCheck", handle_, of, a, b, c, c, choices[0].algorithm + 0, choices + 1), 0);
  EXPECT_EQ(library_call("cublasLtMatmulAlgoCheck", handle_, of, a, a, c, c, choices[0].algorithm + 0, choices + 1),
            kInvalid);  // the extents do not go together
  EXPECT_EQ(library_call("cublasLtMatmulAlgoGetIds", handle_, kCompute32F, kFloat, kFloat, kFloat, kFloat, kFloat, 4,
                         &number, &number),
            0);
  EXPECT_EQ(library_call("cublasLtMatmulAlgoInit", handle_, kCompute32F, kFloat, kFloat, kFloat, kFloat, kFloat, 0,
                         choices[2].algorithm + 0),
            0);
  EXPECT_EQ(choices[2].algorithm[0], 0u);
  // Choices are kept, and the one algorithm says what it can do.
  void* const chosen = choices[2].algorithm + 0;
  const std::uint32_t splits = 3;
  const std::uint16_t shape = 7;
  std::uint32_t found = 9;
  std::uint16_t short_found = 9;
  EXPECT_EQ(library_call("cublasLtMatmulAlgoConfigSetAttribute", chosen, 2, &splits, sizeof splits), 0);
  EXPECT_EQ(library_call("cublasLtMatmulAlgoConfigSetAttribute", chosen, 8, &shape, sizeof shape), 0);
  EXPECT_EQ(library_call("cublasLtMatmulAlgoConfigGetAttribute", chosen, 2, &found, sizeof found, &written), 0);
  EXPECT_TRUE(found == 3 && written == 4);
  EXPECT_EQ(library_call("cublasLtMatmulAlgoConfigGetAttribute", chosen, 8, &short_found, sizeof short_found, &written),
            0);
  EXPECT_EQ(short_found, 7);
  EXPECT_EQ(library_call("cublasLtMatmulAlgoConfigGetAttribute", chosen, 1, &found, sizeof found, &written), 0);
  EXPECT_EQ(found, 0u);
  EXPECT_EQ(library_call("cublasLtMatmulAlgoCapGetAttribute", chosen, 6, static_cast<void*>(nullptr), std::size_t{0},
                         &written),
            0);
  EXPECT_EQ(written, sizeof found);  // one tile
  EXPECT_EQ(library_call("cublasLtMatmulAlgoCapGetAttribute", chosen, 3, &found, sizeof found, &written), 0);
  EXPECT_EQ(found, 1u);
  void* emulation = nullptr;
  int strategy = 2, kept = 0;
  EXPECT_EQ(library_call("cublasLtEmulationDescCreate", &emulation), 0);
  EXPECT_EQ(library_call("cublasLtEmulationDescSetAttribute", emulation, 0, &strategy, sizeof strategy), 0);
  EXPECT_EQ(library_call("cublasLtEmulationDescGetAttribute", emulation, 0, &kept, sizeof kept, &written), 0);
  EXPECT_EQ(kept, strategy);
  EXPECT_EQ(set("MatmulDesc", of, 38, emulation), 0);
  EXPECT_EQ(library_call("cublasLtEmulationDescDestroy", emulation), 0);
  EXPECT_EQ(library_call("cublasLtEmulationDescInit_internal", static_cast<void*>(own), std::size_t{64}), 0);
  EXPECT_EQ(library_call("cublasLtMatmulPreferenceDestroy", preference), 0);

  // Scalars of the device, and what is refused.
  Values<float> x(12), y(6), z(8), scalars{2, 0};
  x[0] = y[0] = 3;
  EXPECT_EQ(set("MatmulDesc", of, kPointers, 1), 0);
  EXPECT_EQ(multiply(of, scalars.at(), x.at(), a, y.at(), b, scalars.at() + 1, z.at(), c, z.at(), c), 0);
  EXPECT_EQ(z.get()[0], 18);
  EXPECT_EQ(set("MatmulDesc", of, kPointers, 0), 0);
  float one = 1, none = 0;
  std::vector<float> host(12);
  ::testing::internal::CaptureStderr();
  EXPECT_NE(multiply(of, &one, host.data(), a, y.at(), b, &none, z.at(), c, z.at(), c), 0);
  EXPECT_EQ(set("MatmulDesc", of, kEpilogue, 130u), 0);  // with the bits of ReLU
  EXPECT_EQ(multiply(of, &one, x.at(), a, y.at(), b, &none, z.at(), c, z.at(), c), kUnsupported);
  const auto said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cublasLtMatmul"), std::string::npos) << said;
  for (void* object : {a, b, c}) EXPECT_EQ(library_call("cublasLtMatrixLayoutDestroy", object), 0);
  EXPECT_EQ(library_call("cublasLtMatmulDescDestroy", of), 0);
  void* const nobody = &one;
  EXPECT_EQ(multiply(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nobody, nullptr),
            kInvalid);
  for (const LtRow& row : kLtRows) {
    void* const symbol = dlvsym(RTLD_DEFAULT, row.name, "libcublasLt.so.13");
    ASSERT_NE(symbol, nullptr) << row.name;
    if (!row.refused) continue;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(reinterpret_cast<int (*)(void*, void*, void*, void*)>(symbol)(nullptr, nullptr, nullptr, nullptr),
              kUnsupported)
        << row.name;
    ::testing::internal::GetCapturedStderr();
  }
  for (const LtRow& row : kLtRows)
    EXPECT_TRUE(row.refused || called_libraries().contains(row.name)) << row.name << " was not called";
}

}  // namespace
}  // namespace xcuda::test
