#include "tests/kernel_results/kernel_results.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/places.hpp"

namespace xcuda::device {
namespace {

constexpr std::size_t kSamples = 8;

struct Result {
  std::size_t bytes = 0;
  std::string digest;
  std::vector<double> samples;  // of real numbers, from the first to the last
};

std::string digest_of(std::span<const std::byte> bytes) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

template <class T> std::vector<double> some_of(std::span<const std::byte> bytes) {
  std::vector<double> some;
  const std::size_t count = bytes.size() / sizeof(T);
  for (std::size_t i = 0; i < std::min(count, kSamples); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + (count <= kSamples ? i : i * (count - 1) / (kSamples - 1)) * sizeof(T),
                sizeof value);
    some.push_back(static_cast<double>(value));
  }
  return some;
}

class Book {
 public:
  Book() : path_(test::source_file("tests/golden/kernels.txt")) {
    if (const char* const folder = std::getenv("XCUDA_GOLDEN")) path_ = std::string(folder) + "/kernels.txt";
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string key, sample;
      Result result;
      if (line.empty() || line[0] == '#' || !(words >> key >> result.bytes >> result.digest)) continue;
      while (words >> sample) result.samples.push_back(std::strtod(sample.c_str(), nullptr));
      known_.emplace(key, std::move(result));
    }
  }
  ~Book() {
    if (seen_.empty()) return;
    std::ofstream file(path_);
    file << "# test:array bytes digest samples, of an H200: XCUDA_APPROVE=1 test_kernels_cuda --gtest_repeat=2\n";
    for (const auto& [key, result] : seen_) {
      file << fmt::format("{} {} {}", key, result.bytes, result.digest);
      for (const double sample : result.samples) file << fmt::format(" {:.9g}", sample);
      file << '\n';
    }
  }
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  void write_down(const std::string& key, Result result) {
    const auto [place, fresh] = seen_.try_emplace(key, result);
    EXPECT_EQ(place->second.digest, result.digest)
        << key << " differs from run to run: the test has to set golden_ = false";
  }

  void compare(const std::string& key, const Result& result) const {
    const auto found = known_.find(key);
    if (found == known_.end()) {
      ADD_FAILURE() << key << " is not in " << path_
                    << ": run test_kernels_cuda on a GPU with XCUDA_APPROVE=1 --gtest_repeat=2";
      return;
    }
    const auto& golden = found->second;
    if (golden.digest == result.digest) return;
    EXPECT_EQ(golden.bytes, result.bytes) << key;
    EXPECT_FALSE(golden.samples.empty()) << key << " is not what the GPU left: " << result.digest << " instead of "
                                         << golden.digest;
    double largest = 0;
    for (const double sample : golden.samples)
      if (std::isfinite(sample)) largest = std::max(largest, std::fabs(sample));
    for (std::size_t i = 0; i < golden.samples.size(); ++i) {
      const double wanted = golden.samples[i], got = result.samples.at(i);
      if (std::isnan(wanted) ? std::isnan(got) : wanted == got) continue;
      EXPECT_LE(std::fabs(got - wanted), 2e-3 * std::fabs(wanted) + 1e-4 * largest)
          << key << ", sample " << i << ": " << got << " instead of " << wanted;
    }
  }

 private:
  std::string path_;
  std::map<std::string, Result> known_, seen_;
};

}  // namespace

void KernelResults::check(std::span<const std::byte> bytes, Samples samples, bool on_gpu) {
  static Book book;
  Result result{bytes.size(), digest_of(bytes), {}};
  if (result.digest == last_) return;
  last_ = result.digest;
  if (samples == Samples::f32) result.samples = some_of<float>(bytes);
  if (samples == Samples::f64) result.samples = some_of<double>(bytes);
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  const auto key = fmt::format("{}.{}:{}", test->test_suite_name(), test->name(), number_++);
  if (on_gpu && std::getenv("XCUDA_APPROVE") != nullptr)
    book.write_down(key, std::move(result));
  else
    book.compare(key, result);
}

}  // namespace xcuda::device
