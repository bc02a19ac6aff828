#include "runtime/math/toolkit_random.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "runtime/math/math_calls.hpp"
#include "runtime/nvidia_library.hpp"

namespace xcuda::runtime::math {
namespace {

constexpr const char* kCurand = "libcurand.so.10";
constexpr int kMtgp32 = 141, kScrambled = 202, kWideScrambled = 204;  // curandRngType
constexpr int kNoLibrary = 203;                                       // CURAND_STATUS_INITIALIZATION_FAILED

const NvidiaLibrary& curand_library() {
  static const NvidiaLibrary library(kCurand);
  return library;
}
// A libcurand without the function fails as if it was not found.
template <class... A> int call_curand(const char* function, A... arguments) {
  constexpr int kMissing = -1;
  const int status = curand_library().call(kMissing, function, arguments...);
  if (status != kMissing) return status;
  say_once(fmt::format(
      "MTGP32, scrambled Sobol and the tables of cuRAND's device interface come from NVIDIA's {}, which was "
      "not found: set CUDA_HOME to the folder of a CUDA 13 toolkit",
      kCurand));
  return kNoLibrary;
}

template <class T> inline constexpr bool kIsDouble = std::is_same_v<T, double>;

}  // namespace

bool ToolkitGenerator::serves(int type) { return type == kMtgp32 || type == kScrambled || type == kWideScrambled; }

std::unique_ptr<ToolkitGenerator> ToolkitGenerator::make(int type, int& status) {
  void* generator = nullptr;
  status = call_curand("curandCreateGeneratorHost", &generator, type);
  return std::unique_ptr<ToolkitGenerator>(status == 0 ? new ToolkitGenerator(generator) : nullptr);
}
ToolkitGenerator::~ToolkitGenerator() { call_curand("curandDestroyGenerator", generator_); }

int ToolkitGenerator::set_seed(unsigned long long seed) {
  return call_curand("curandSetPseudoRandomGeneratorSeed", generator_, seed);
}
int ToolkitGenerator::set_offset(unsigned long long offset) {
  return call_curand("curandSetGeneratorOffset", generator_, offset);
}
int ToolkitGenerator::set_ordering(int ordering) {
  return call_curand("curandSetGeneratorOrdering", generator_, ordering);
}
int ToolkitGenerator::set_dimensions(unsigned dimensions) {
  return call_curand("curandSetQuasiRandomGeneratorDimensions", generator_, dimensions);
}
int ToolkitGenerator::generate_seeds() { return call_curand("curandGenerateSeeds", generator_); }
int ToolkitGenerator::bits(unsigned* to, std::size_t count) {
  return call_curand("curandGenerate", generator_, to, count);
}
int ToolkitGenerator::bits(unsigned long long* to, std::size_t count) {
  return call_curand("curandGenerateLongLong", generator_, to, count);
}
template <class T> int ToolkitGenerator::uniform(T* to, std::size_t count) {
  return call_curand(kIsDouble<T> ? "curandGenerateUniformDouble" : "curandGenerateUniform", generator_, to, count);
}
template <class T> int ToolkitGenerator::normal(T* to, std::size_t count, T mean, T deviation) {
  return call_curand(kIsDouble<T> ? "curandGenerateNormalDouble" : "curandGenerateNormal", generator_, to, count, mean,
                     deviation);
}
template <class T> int ToolkitGenerator::log_normal(T* to, std::size_t count, T mean, T deviation) {
  return call_curand(kIsDouble<T> ? "curandGenerateLogNormalDouble" : "curandGenerateLogNormal", generator_, to, count,
                     mean, deviation);
}
template int ToolkitGenerator::uniform<float>(float*, std::size_t);
template int ToolkitGenerator::uniform<double>(double*, std::size_t);
template int ToolkitGenerator::normal<float>(float*, std::size_t, float, float);
template int ToolkitGenerator::normal<double>(double*, std::size_t, double, double);
template int ToolkitGenerator::log_normal<float>(float*, std::size_t, float, float);
template int ToolkitGenerator::log_normal<double>(double*, std::size_t, double, double);
int ToolkitGenerator::poisson(unsigned* to, std::size_t count, double mean) {
  return call_curand("curandGeneratePoisson", generator_, to, count, mean);
}

int direction_vectors(unsigned (**to)[32], int set) { return call_curand("curandGetDirectionVectors32", to, set); }
int wide_direction_vectors(unsigned long long (**to)[64], int set) {
  return call_curand("curandGetDirectionVectors64", to, set);
}
int scramble_constants(unsigned** to) { return call_curand("curandGetScrambleConstants32", to); }
int wide_scramble_constants(unsigned long long** to) { return call_curand("curandGetScrambleConstants64", to); }

}  // namespace xcuda::runtime::math
