#include "library/cuda/cuda_random_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "library/cuda/opening.hpp"

namespace xcuda::library::cuda {
namespace {

// As curand.h numbers them.
int type_number(Generator generator) {
  switch (generator) {
    case Generator::philox: return 161;
    case Generator::xorwow: return 101;
    case Generator::mrg32k3a: return 121;
    case Generator::mt19937: return 142;
    case Generator::sobol: return 201;
  }
  return 100;
}
int ordering_number(Ordering ordering) {
  switch (ordering) {
    case Ordering::best: return 100;
    case Ordering::standard: return 101;
    case Ordering::seeded: return 102;
    case Ordering::legacy: return 103;
  }
  return 101;
}

std::string curand_status(int status) {
  const auto* const name = [&] {
    switch (status) {
      case 100: return "VERSION_MISMATCH";
      case 101: return "NOT_INITIALIZED";
      case 102: return "ALLOCATION_FAILED";
      case 103: return "TYPE_ERROR";
      case 104: return "OUT_OF_RANGE";
      case 105: return "LENGTH_NOT_MULTIPLE";
      case 106: return "DOUBLE_PRECISION_REQUIRED";
      case 201: return "LAUNCH_FAILURE";
      case 202: return "PREEXISTING_FAILURE";
      case 203: return "INITIALIZATION_FAILED";
      case 204: return "ARCH_MISMATCH";
      case 999: return "INTERNAL_ERROR";
      default: return "of a newer library";
    }
  }();
  return fmt::format("CURAND_STATUS_{} ({})", name, status);
}

Wanted wanted_curand(int cuda_major) {
  return {
      "cuRAND", "draws random numbers", {"libcurand.so.10"}, cuda_major >= 13 ? "nvidia-curand" : "nvidia-curand-cu12"};
}

}  // namespace

RandomNumbers::RandomNumbers(const OpenRequest& request, int cuda_major) {
  const auto begun = std::chrono::steady_clock::now();
  const auto wanted = wanted_curand(cuda_major);
  const auto paths = candidates(request, wanted);
  if (std::none_of(paths.begin(), paths.end(), [&](const std::string& path) { return load(path, cuda_major); }))
    throw missing(wanted, why_not_);
  facts_.load_time = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begun).count();
}

RandomNumbers::RandomNumbers(const std::string& path, int cuda_major) {
  if (!load(path, cuda_major)) throw missing(wanted_curand(cuda_major), why_not_);
}

RandomNumbers::~RandomNumbers() {
  for (const auto& [key, generator] : generators_) table_.curandDestroyGenerator(generator);
}

bool RandomNumbers::load(const std::string& path, int cuda_major) {
  auto why = load_table(path, table_);
  int version = 0;  // 10400 for 10.4.0, which is the first of CUDA 13
  if (why.empty() && table_.curandGetVersion(&version) != 0) why = path + " does not report its version";
  if (why.empty() && version >= 10400 && cuda_major < 13)
    why = path + " is from CUDA 13, which is newer than the driver";
  if (!why.empty()) {
    if (why_not_.empty()) why_not_ = why;
    return false;
  }
  facts_ = {"cuRAND", fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100), path, 0, 0};
  return true;
}

int RandomNumbers::generate(curandGenerator_t generator, const Call& call) const {
  const auto& random = call.random;
  const auto& to = call.operands.front();
  std::size_t count = 1;
  for (const auto extent : to.shape) count *= extent;
  auto* const single = reinterpret_cast<float*>(to.address);
  auto* const wide = reinterpret_cast<double*>(to.address);
  auto* const words = reinterpret_cast<unsigned*>(to.address);
  const bool is_double = to.type == Scalar::float64;
  const auto first = static_cast<float>(random.first), second = static_cast<float>(random.second);
  switch (random.distribution) {
    case Distribution::bits: return table_.curandGenerate(generator, words, count);
    case Distribution::poisson: return table_.curandGeneratePoisson(generator, words, count, random.first);
    case Distribution::uniform:
      return is_double ? table_.curandGenerateUniformDouble(generator, wide, count)
                       : table_.curandGenerateUniform(generator, single, count);
    case Distribution::normal:
      return is_double ? table_.curandGenerateNormalDouble(generator, wide, count, random.first, random.second)
                       : table_.curandGenerateNormal(generator, single, count, first, second);
    case Distribution::lognormal:
      return is_double ? table_.curandGenerateLogNormalDouble(generator, wide, count, random.first, random.second)
                       : table_.curandGenerateLogNormal(generator, single, count, first, second);
  }
  return 0;
}

Outcome RandomNumbers::run(const Call& call, void* stream) {
  const auto& random = call.random;
  const auto name = std::string(generator_names()[static_cast<std::size_t>(random.generator)]);
  Outcome outcome{{0, name, type_of(call.operands.front().type).name}, {}};
  int status = 0;
  const auto then = [&](std::string_view attempted, auto function) {
    if (status != 0) return;
    status = function();
    if (status != 0)
      outcome.refused = fmt::format("{}: cuRAND cannot {} with {}", curand_status(status), attempted, name);
  };
  const bool sobol = random.generator == Generator::sobol;
  // cuRAND does not start mt19937 again when it is given the seed that it has.
  const bool kept = random.generator != Generator::mt19937;
  curandGenerator_t generator = nullptr;
  const auto key = std::pair(random.generator, random.ordering);
  if (const auto found = generators_.find(key); found != generators_.end()) {
    generator = found->second;
  } else {
    then("make a generator", [&] { return table_.curandCreateGenerator(&generator, type_number(random.generator)); });
    if (random.ordering != Ordering::standard)
      then("order the numbers",
           [&] { return table_.curandSetGeneratorOrdering(generator, ordering_number(random.ordering)); });
    if (status == 0 && kept) generators_.emplace(key, generator);
  }
  then("take a stream", [&] { return table_.curandSetStream(generator, static_cast<curandStream>(stream)); });
  if (sobol)
    then("take dimensions",
         [&] { return table_.curandSetQuasiRandomGeneratorDimensions(generator, random.dimensions); });
  else
    then("take a seed", [&] { return table_.curandSetPseudoRandomGeneratorSeed(generator, random.seed); });
  if (kept) then("take an offset", [&] { return table_.curandSetGeneratorOffset(generator, random.offset); });
  then("draw", [&] { return generate(generator, call); });
  const bool belongs = kept && generators_.contains(key);
  if (generator != nullptr && !belongs) table_.curandDestroyGenerator(generator);
  return outcome;
}

}  // namespace xcuda::library::cuda
