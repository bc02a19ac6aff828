// What an exported program prints is what the session shows: share/xcuda/program/show.cuh, built for the host with
// memory of the host in place of a device's, beside display/array_view.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "arrays/statistics.hpp"
#include "display/array_view.hpp"

namespace {

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
struct cudaDeviceProp {
  char name[256];
};
const char* cudaGetErrorString(cudaError_t) { return ""; }
[[maybe_unused]] cudaError_t cudaGetLastError() { return cudaSuccess; }
template <class T> cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  return *memory = static_cast<T*>(std::malloc(bytes)), cudaSuccess;
}
cudaError_t cudaFree(void* memory) { return std::free(memory), cudaSuccess; }
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  return std::memset(memory, value, bytes), cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* device, int) {
  return std::strcpy(device->name, "a device"), cudaSuccess;
}

}  // namespace

#define __host__
#define __device__
#include "share/xcuda/program/array.cuh"
#include "share/xcuda/program/show.cuh"
#undef __host__
#undef __device__

namespace {

template <class T> xcuda::Type type_for(const char* name) { return *xcuda::find_type(name); }

template <class T>
void compare(const char* type_name, const std::vector<std::size_t>& extents, const std::vector<T>& values) {
  xcuda::Shape shape;
  std::uint64_t count = 1;
  for (const auto extent : extents) shape.extent[shape.rank++] = extent, count *= extent;
  ASSERT_EQ(count, values.size());
  xcuda::Array<T> array(shape);
  std::memcpy(array.data(), values.data(), values.size() * sizeof(T));
  testing::internal::CaptureStdout();
  xcuda::show("x", array);
  const auto printed = testing::internal::GetCapturedStdout();

  const auto type = type_for<T>(type_name);
  xcuda::display::ArrayView view{.type = type, .bytes = values.size() * sizeof(T)};
  view.name = "x";
  view.device = "a device";
  view.options = xcuda::display::page_options(type);
  view.shape.assign(extents.begin(), extents.end());
  for (const auto& range : xcuda::display::shown_ranges(view.shape, view.options)) {
    const auto bytes = std::as_bytes(std::span(values)).subspan(range.first * sizeof(T), range.count * sizeof(T));
    view.elements.insert(view.elements.end(), bytes.begin(), bytes.end());
  }
  xcuda::arrays::StatisticsOfPieces statistics(type);
  statistics.add(std::as_bytes(std::span(values)));
  view.statistics = {statistics.result()};
  EXPECT_EQ(printed, xcuda::display::plain(xcuda::display::array_bundle(view)) + "\n") << type_name;
}

template <class T> std::vector<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::vector<T> values(count);
  for (auto& value : values) {
    if constexpr (std::is_same_v<T, bool>)
      value = bits() % 2 != 0;
    else if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(bits());
    else
      value = static_cast<T>(std::ldexp(static_cast<double>(bits() % 20001) - 10000,
                                        static_cast<int>(bits() % (seed % 3 == 0 ? 60 : 3)) - 10));
  }
  return values;
}

template <class T> void compare_many(const char* type_name) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    compare<T>(type_name, {seed}, random_values<T>(seed, seed));
    compare<T>(type_name, {2, 3, seed}, random_values<T>(6ul * seed, 100 + seed));
  }
  compare<T>(type_name, {2000}, random_values<T>(2000, 7));
  compare<T>(type_name, {40, 50}, random_values<T>(2000, 8));
}

TEST(ExportedShow, PrintsWhatTheSessionShows) {
  compare_many<float>("float");
  compare_many<double>("double");
  compare_many<signed char>("signed char");
  compare_many<unsigned char>("unsigned char");
  compare_many<short>("short");
  compare_many<unsigned>("unsigned int");
  compare_many<long>("long");
  compare_many<unsigned long>("unsigned long");
}

TEST(ExportedShow, OfWhatIsNoNumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  compare<float>("float", {4}, {1, kNan, -kInfinity, 2.5f});
  compare<float>("float", {2}, {kNan, kNan});
  compare<double>("double", {3}, {0.0, -0.0, 1e-300});
  compare<float>("float", {3}, {1e-7f, 3e5f, 0});
}

TEST(ExportedShow, NumbersOfTheHost) {
  EXPECT_EQ(xcuda::text_of(0.1), "0.1");
  EXPECT_EQ(xcuda::text_of(0.1f), "0.1");
  EXPECT_EQ(xcuda::text_of(1e20f), "1e+20");
  EXPECT_EQ(xcuda::text_of(1.0), "1.0");
  EXPECT_EQ(xcuda::text_of(true), "true");
  EXPECT_EQ(xcuda::text_of(-7l), "-7");
}

}  // namespace
