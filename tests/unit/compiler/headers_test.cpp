// Every header that a cell may expect, compiled: the standard ones, CUDA's, and what they give.
#include "compiler/diagnostics.hpp"
#include "tests/unit/compiler/machine_toolkit.hpp"

namespace xcuda::compiler {
namespace {

CompileOutput compile(const std::string& source, const std::string& standard = "c++20") {
  auto request = request_of(source);
  request.options = {"--std=" + standard};
  return machine_compiler().compile(request);
}

std::string errors(const CompileOutput& output) {
  std::string text;
  for (const auto& diagnostic : output.diagnostics) text += to_text(diagnostic);
  return text;
}

// Headers that take long share a compile.
struct Group {
  const char* name;
  std::vector<const char*> headers;
};
class HeaderTest : public WithToolkit, public testing::WithParamInterface<Group> {};

TEST_P(HeaderTest, Compiles) {
  std::string includes;
  for (const auto* header : GetParam().headers) includes += std::string("#include <") + header + ">\n";
  const auto output = compile(includes + "__global__ void k(int* x) { *x = 1; }\n");
  EXPECT_TRUE(output.ok) << errors(output);
  EXPECT_TRUE(output.diagnostics.empty()) << errors(output);
}

INSTANTIATE_TEST_SUITE_P(
    Groups, HeaderTest,
    testing::Values(Group{"c",
                          {"assert.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdbool.h", "stddef.h",
                           "stdint.h", "stdio.h", "stdlib.h", "string.h", "time.h"}},
                    Group{"c_names",
                          {"cassert", "cfloat", "cinttypes", "climits", "cmath", "cstddef", "cstdint", "cstdio",
                           "cstdlib", "cstring", "ctime"}},
                    Group{"cpp",
                          {"algorithm", "array", "bit", "initializer_list", "limits", "new", "numbers", "numeric",
                           "type_traits", "utility"}},
                    Group{"libcuxx",
                          {"functional", "tuple", "complex", "optional", "variant", "span", "iterator", "concepts",
                           "chrono", "ratio", "atomic"}},
                    Group{"cuda_std",
                          {"cuda/std/complex", "cuda/std/cmath", "cuda/std/array", "cuda/std/span", "cuda/std/limits",
                           "cuda/std/type_traits", "cuda/std/tuple", "cuda/std/optional", "cuda/std/bit",
                           "cuda/std/cassert", "cuda/atomic", "cuda/barrier", "cuda/pipeline"}},
                    Group{
                        "runtime",
                        {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "cuda_fp16.h",
                         "cuda_bf16.h", "cuda_fp8.h", "mma.h", "math_constants.h", "cuComplex.h", "cuda_pipeline.h"}},
                    Group{"driver_alone", {"cuda.h"}}, Group{"mma_alone", {"mma.h"}}, Group{"cmath_alone", {"cmath"}},
                    Group{"stdint_alone", {"stdint.h"}}, Group{"curand", {"curand_kernel.h"}},
                    Group{"cooperative",
                          {"cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h",
                           "cooperative_groups/memcpy_async.h"}},
                    Group{"cub",
                          {"cub/block/block_reduce.cuh", "cub/block/block_scan.cuh", "cub/block/block_radix_sort.cuh",
                           "cub/warp/warp_reduce.cuh", "cub/warp/warp_scan.cuh"}}),
    [](const auto& info) { return info.param.name; });

using HeadersTest = WithToolkit;

TEST_F(HeadersTest, StandardOnesWorkTogetherAndWithLibCuxx) {
  const auto output = compile(R"(
#include <cstdint>
#include <cuda/std/cstdint>
#include <type_traits>
#include <cuda/std/type_traits>
#include <cmath>
#include <limits>
#include <cuda/std/limits>
#include <climits>
#include <cfloat>
#include <cstddef>
#include <tuple>
#include <utility>
#include <algorithm>
#include <cuda_runtime.h>
__global__ void k(std::uint64_t* x, cuda::std::int64_t* y) { *x = std::numeric_limits<int>::max(); *y = INT64_MAX; }
)");
  EXPECT_TRUE(output.ok) << errors(output);
  EXPECT_TRUE(output.diagnostics.empty()) << errors(output);
}

TEST_F(HeadersTest, TheOrderDoesNotMatter) {
  const auto output = compile(
      "#include <cuda/std/cstdint>\n#include <cuda/std/limits>\n#include <stdint.h>\n#include <limits>\n#include "
      "<cuda/std/climits>\n#include <limits.h>\n"
      "__global__ void k(uint8_t* x) { *x = UINT8_MAX; }\n");
  EXPECT_TRUE(output.ok) << errors(output);
  EXPECT_TRUE(output.diagnostics.empty()) << errors(output);
}

TEST_F(HeadersTest, TypeTraits) {
  for (const char* standard : {"c++17", "c++20"}) {
    const auto output = compile(R"(
#include <type_traits>
#include <cstdint>
struct Empty {}; struct Base { virtual ~Base(); }; struct Derived : Base {}; enum E : short { e };  union U { int a; };
static_assert(std::is_same_v<std::remove_cvref_t<const int&>, int>);
static_assert(std::is_integral_v<const std::int64_t> && !std::is_integral_v<float>);
static_assert(std::is_floating_point<double>::value && std::is_arithmetic_v<char>);
static_assert(std::is_signed_v<int> && std::is_unsigned_v<unsigned char> && !std::is_signed_v<Empty>);
static_assert(std::is_pointer_v<int* const> && !std::is_pointer_v<int>);
static_assert(std::is_array_v<int[3]> && std::extent_v<int[3][4], 1> == 4 && std::rank_v<int[3][4]> == 2);
static_assert(std::is_enum_v<E> && std::is_same_v<std::underlying_type_t<E>, short>);
static_assert(std::is_class_v<Empty> && std::is_union_v<U> && std::is_empty_v<Empty>);
static_assert(std::is_base_of_v<Base, Derived> && std::is_convertible_v<int, float> && !std::is_convertible_v<Empty, int>);
static_assert(std::is_trivially_copyable_v<Empty> && !std::is_trivially_copyable_v<Base>);
static_assert(std::is_function_v<int(float)> && !std::is_function_v<int> && std::is_void_v<void>);
static_assert(std::is_same_v<std::decay_t<int[3]>, int*> && std::is_same_v<std::decay_t<int(float)>, int (*)(float)>);
static_assert(std::is_same_v<std::common_type_t<int, float, double>, double>);
static_assert(std::is_same_v<std::conditional_t<true, int, float>, int>);
static_assert(std::is_same_v<std::make_unsigned_t<long>, unsigned long> && std::is_same_v<std::make_signed_t<char>, signed char>);
static_assert(std::conjunction_v<std::true_type, std::is_same<int, int>> && std::disjunction_v<std::false_type, std::true_type> && std::negation_v<std::false_type>);
static_assert(std::is_constructible_v<int, float> && std::is_assignable_v<int&, float> && std::is_default_constructible_v<Empty>);
static_assert(std::is_invocable_v<int (*)(float), int> && !std::is_invocable_v<int>);
template <class T> std::enable_if_t<std::is_integral_v<T>, int> f(T) { return 1; }
template <class T> std::enable_if_t<!std::is_integral_v<T>, int> f(T) { return 2; }
__global__ void k(int* x) { *x = f(1) + f(1.0f); }
)",
                                standard);
    EXPECT_TRUE(output.ok) << errors(output);
  }
}

TEST_F(HeadersTest, LimitsAndConstants) {
  const auto output = compile(R"(
#include <limits>
#include <cfloat>
#include <climits>
#include <cstdint>
#include <numbers>
static_assert(std::numeric_limits<int>::max() == INT_MAX && std::numeric_limits<int>::min() == INT_MIN && std::numeric_limits<int>::digits == 31);
static_assert(std::numeric_limits<unsigned char>::max() == 255 && std::numeric_limits<unsigned>::digits10 == 9);
static_assert(std::numeric_limits<long>::lowest() == LONG_MIN && std::numeric_limits<unsigned long long>::max() == ULLONG_MAX);
static_assert(std::numeric_limits<float>::max() == FLT_MAX && std::numeric_limits<float>::epsilon() == FLT_EPSILON && std::numeric_limits<double>::digits == 53);
static_assert(std::numeric_limits<double>::infinity() > DBL_MAX && std::numeric_limits<float>::quiet_NaN() != std::numeric_limits<float>::quiet_NaN());
static_assert(!std::numeric_limits<int*>::is_specialized && std::numeric_limits<const float>::is_iec559);
static_assert(INT8_MAX == 127 && UINT64_MAX == ~0ull && SIZE_MAX == UINT64_MAX && INT64_C(1) == 1);
static_assert(sizeof(int_fast16_t) == 2 && sizeof(std::intptr_t) == 8);
static_assert(std::numbers::pi > 3.14159265358979 && std::numbers::pi_v<float> == 3.14159274f);
__global__ void k(float* x) { x[0] = std::numeric_limits<float>::infinity(); }
)");
  EXPECT_TRUE(output.ok) << errors(output);
}

TEST_F(HeadersTest, MathIsNvrtcsOwnUnderTheNamesOfStd) {
  const auto output = compile(R"(
#include <cmath>
#include <type_traits>
__device__ float f(float x) {
  static_assert(std::is_same_v<decltype(std::sin(x)), float> && std::is_same_v<decltype(std::sqrt(1.0)), double> && std::is_same_v<decltype(std::abs(x)), float>);
  return std::sin(x) + std::pow(x, 2.0f) + std::fma(x, x, x) + std::max_like(x);
}
)");
  EXPECT_FALSE(output.ok);  // and only for the name that does not exist
  ASSERT_EQ(output.diagnostics.size(), 1U) << errors(output);
  const auto good = compile(
      "#include <math.h>\n__global__ void k(float* x) { *x = INFINITY + NAN + M_PI + std::hypot(*x, 1.0f) + "
      "std::isnan(*x) + std::lround(*x) + sinf(*x) + std::lerp(0.f, 1.f, *x); }\n");
  EXPECT_TRUE(good.ok) << errors(good);
}

TEST_F(HeadersTest, AlgorithmsAndContainers) {
  for (const char* standard : {"c++17", "c++20"}) {
    const auto output = compile(R"(
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <cstring>
constexpr int sorted() {
  std::array<int, 7> a{5, 3, 9, 1, 7, 3, 0};
  std::sort(a.begin(), a.end());
  int code = 0;
  for (int i = 0; i < 7; ++i) code = code * 10 + a[i];
  return code;
}
static_assert(sorted() == 133579);
static_assert(std::max(1, 2) == 2 && std::min(3.0, 2.0) == 2.0 && std::clamp(5, 0, 3) == 3 && std::gcd(12, 18) == 6 && std::lcm(4, 6) == 12);
static_assert(std::make_index_sequence<100>::size() == 100);
template <size_t... i> constexpr size_t sum(std::index_sequence<i...>) { return (i + ...); }
static_assert(sum(std::make_index_sequence<10>{}) == 45);
constexpr int lower() { int a[] = {1, 3, 5, 7}; return std::lower_bound(a, a + 4, 4) - a + (std::upper_bound(a, a + 4, 5) - a) * 10; }
static_assert(lower() == 32);
static_assert(std::pair{1, 2.0f}.second == 2.0f && std::exchange_works() == 0 || true);
__global__ void k(int* x) {
  std::pair<int, float> p{1, 2.0f};
  auto [a, b] = p;
  std::swap(x[0], x[1]);
  std::fill(x, x + 4, a);
  std::iota(x, x + 4, 0);
  x[5] = std::accumulate(x, x + 4, 0) + std::count(x, x + 4, 2) + static_cast<int>(b) + strlen("abc");
  x[6] = std::move(x[5]);
  std::reverse(x, x + 3);
}
)",
                                standard);
    EXPECT_FALSE(output.ok);
    ASSERT_EQ(output.diagnostics.size(), 1U) << errors(output);
    EXPECT_NE(output.diagnostics[0].text.find("exchange_works"), std::string::npos);
  }
}

TEST_F(HeadersTest, BitsAndBytes) {
  const auto output = compile(R"(
#include <bit>
#include <cstddef>
#include <cstdint>
struct P { char a; double b; };
static_assert(offsetof(P, b) == 8 && sizeof(std::byte) == 1 && sizeof(std::size_t) == 8);
static_assert(std::popcount(0xF0u) == 4 && std::countl_zero(1u) == 31 && std::countr_zero(8u) == 3 && std::bit_ceil(5u) == 8 && std::bit_floor(5u) == 4);
static_assert(std::has_single_bit(64u) && std::rotl(std::uint8_t{0x81}, 1) == 3 && std::bit_width(255u) == 8);
static_assert(std::bit_cast<unsigned>(1.0f) == 0x3f800000u);
__global__ void k(unsigned* x) { *x = std::bit_cast<unsigned>(2.0f); }
)");
  EXPECT_TRUE(output.ok) << errors(output);
}

TEST_F(HeadersTest, PrintfAndAssertWorkInDeviceCode) {
  const auto output = compile(
      "#include <cstdio>\n#include <cassert>\n__global__ void k(int n) { assert(n > 0); std::printf(\"%d\\n\", n); "
      "printf(\"x\"); }\n");
  ASSERT_TRUE(output.ok) << errors(output);
  EXPECT_NE(output.ptx.find("vprintf"), std::string::npos);
  EXPECT_NE(output.ptx.find("__assertfail"), std::string::npos);
}

TEST_F(HeadersTest, ComplexIsLibCuxxs) {
  const auto output = compile(
      "#include <complex>\n__global__ void k(std::complex<float>* x, cuda::std::complex<double>* y) { *x *= *x; *y = "
      "std::conj(*y); }\n");
  ASSERT_TRUE(output.ok) << errors(output);
  EXPECT_EQ(output.kernels.at(0).parameters.at(0).pointee, "cuda::std::complex<float>");
}

// Programs that are pasted have them; what they declare is there in statements, or an error where it is used.
TEST_F(HeadersTest, HeadersOfTheHostAloneAreReadAsNothing) {
  for (const std::string name : {"iostream", "vector", "string", "thread", "random", "fstream", "map", "sys/mman.h"}) {
    const auto output = compile("#include <" + name + ">\n__global__ void k() {}\n");
    EXPECT_TRUE(output.ok) << name << ": " << errors(output);
  }
  EXPECT_FALSE(compile("#include <vector>\n__global__ void k() { std::vector<int> v; }\n").ok);
}

}  // namespace
}  // namespace xcuda::compiler
