// What kernels make of a large array for a display is what the host would have made of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "arrays/picture.hpp"
#include "command/runner.hpp"
#include "interpreter/run_cell.hpp"
#include "programs/session_parts.hpp"
#include "tests/process/cell_script.hpp"

namespace xcuda::test {
namespace {

class Pictures : public ::testing::Test {
 protected:
  session::Pointer run(const std::string& code, const std::string& name) {
    TextSink sink;
    const auto error = interpreter::run_cell(session_, {code, "In[1]", {}}, sink);
    EXPECT_FALSE(error.has_value()) << (error ? error->error.message + error->error.library : "");
    const auto* array = session_.arrays().find(name);
    if (array == nullptr) return {};
    return {.owner = name,
            .address = array->address,
            .type = array->type,
            .shape = array->shape,
            .bytes = array->bytes(),
            .whole = true};
  }

  Machine machine_ = make_machine();
  command::Runner runner_;
  session::Session session_{make_parts(machine_, {}), runner_};
};

constexpr auto kArrays =
    "__global__ void spoil(float* x, int n) { x[7] = NAN; x[n / 2] = INFINITY; x[n - 1] = -1000; }\n"
    "const int n = 700 * 900;\n"
    "float x[700][900] = normal(0, 1, seed = 5), y[n] = uniform(-1, 1, seed = 6);\n"
    "unsigned char colours[700][900][3] = uniform(0, 255, seed = 7);\n"
    "spoil<<<1, 1>>>(&x[0][0], n);\n";

TEST_F(Pictures, OfLargeArraysAreThoseOfTheHost) {
  const auto x = run(kArrays, "x"), colours = run("", "colours"), y = run("", "y");
  const auto values = arrays::real_elements(session_.operations(), x);
  ASSERT_GT(values.size(), session::kHostPicture);

  const auto means = arrays::tiles(session_.operations(), x, {900, 700, 1, 1, 900, 1, 8});
  ASSERT_EQ(means.width, 113U);
  ASSERT_EQ(means.height, 88U);
  for (std::size_t row = 0; row < 88; ++row)
    for (std::size_t column = 0; column < 113; ++column) {
      double sum = 0;
      int count = 0;
      for (auto j = row * 8; j < std::min<std::size_t>(row * 8 + 8, 700); ++j)
        for (auto i = column * 8; i < std::min<std::size_t>(column * 8 + 8, 900); ++i)
          if (!std::isnan(values[j * 900 + i])) {
            sum += values[j * 900 + i];
            ++count;
          }
      ASSERT_FLOAT_EQ(means.samples[row * 113 + column], static_cast<float>(sum / count)) << row << " " << column;
    }

  const auto blue = arrays::real_elements(session_.operations(), colours);
  const auto small = arrays::tiles(session_.operations(), colours, {900, 700, 3, 3, 2700, 1, 700});
  ASSERT_EQ(small.samples.size(), 6U);
  double sum = 0;
  for (std::size_t j = 0; j < 700; ++j)
    for (std::size_t i = 0; i < 700; ++i) sum += blue[(j * 900 + i) * 3 + 2];
  EXPECT_FLOAT_EQ(small.samples[2], static_cast<float>(sum / 490000));

  const auto indices = arrays::extremes(session_.operations(), x, 620);
  EXPECT_TRUE(std::is_sorted(indices.begin(), indices.end()));
  EXPECT_TRUE(std::binary_search(indices.begin(), indices.end(), values.size() - 1));  // the spoilt -1000
  const auto picked = arrays::elements_at(session_.operations(), x, indices);
  for (std::size_t i = 0; i < indices.size(); ++i) ASSERT_EQ(picked[i], values[indices[i]]);
  double low = 0, high = 0;
  for (const double value : values)
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  const auto range = arrays::range_of(session_.operations(), x);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->low, low);
  EXPECT_EQ(range->high, high);
  EXPECT_GT(arrays::range_of(session_.operations(), x, session::Among::over_zero)->low, 0);

  const BinRule rule{-4, 4, 37, 0};
  const auto counts = arrays::bin_counts(session_.operations(), x, rule);
  std::vector<std::uint64_t> expected(37);
  for (const double value : values)
    if (value >= -4 && value <= 4)
      ++expected[std::min<std::size_t>(static_cast<std::size_t>((value * 0.5 + 2) / 4 * 37), 36)];
  EXPECT_EQ(counts, expected);

  auto flat = x;
  flat.shape = {values.size()};
  const auto cells = arrays::cell_counts(session_.operations(), {flat, y, {-4, 4, 20, 0}, {-1, 1, 10, 0}});
  std::uint64_t inside = 0, counted = 0;
  for (const double value : values) inside += value >= -4 && value <= 4 ? 1 : 0;
  for (const auto count : cells) counted += count;
  EXPECT_EQ(counted, inside);
}

}  // namespace
}  // namespace xcuda::test
