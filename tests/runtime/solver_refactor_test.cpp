// cusolverRf's formats: matrices by rows and by columns, with a diagonal of 1 in L or in U, which is stored or not.
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/runtime/library_calls.hpp"

namespace xcuda::test {
namespace {

constexpr int kN = 4;
using DenseFour = std::vector<double>;  // of kN rows
std::size_t four_at(int row, int column) { return static_cast<std::size_t>(row * kN + column); }

DenseFour times(const DenseFour& a, const DenseFour& b) {
  DenseFour product(kN * kN);
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kN; ++j)
      for (int k = 0; k < kN; ++k) product[four_at(i, j)] += a[four_at(i, k)] * b[four_at(k, j)];
  return product;
}

enum class Format : int { rows, columns };
enum class Part : std::uint8_t { all, lower, strictly_lower, upper, strictly_upper };
bool is_in(Part part, int i, int j) {
  switch (part) {
    case Part::lower: return i >= j;
    case Part::strictly_lower: return i > j;
    case Part::upper: return i <= j;
    case Part::strictly_upper: return i < j;
    default: return true;
  }
}

struct Lines {
  std::vector<int> starts{0}, places;
  std::vector<double> values;
  Lines(const DenseFour& from, Part part, Format format) {
    for (int line = 0; line < kN; ++line) {
      for (int place = 0; place < kN; ++place) {
        const int i = format == Format::rows ? line : place, j = format == Format::rows ? place : line;
        if (!is_in(part, i, j)) continue;
        places.push_back(place);
        values.push_back(from[four_at(i, j)]);
      }
      starts.push_back(count());
    }
  }
  int count() const { return static_cast<int>(places.size()); }
};

// What a call gives, by lines of the format.
struct Given {
  int count = 0, *starts = nullptr, *places = nullptr;
  double* values = nullptr;
  DenseFour dense(Format format) const {
    DenseFour all(kN * kN);
    for (int line = 0; line < kN; ++line)
      for (int k = starts[line]; k < starts[line + 1]; ++k)
        all[format == Format::rows ? four_at(line, places[k]) : four_at(places[k], line)] = values[k];
    return all;
  }
  void release() {
    for (void* one : {static_cast<void*>(starts), static_cast<void*>(places), static_cast<void*>(values)}) free(one);
  }
};

struct RefactorCase {
  Format format;
  int diagonal;  // cusolverRfUnitDiagonal_t: of L, of U; from 2, it is not stored
};

class RefactorFormats : public ::testing::TestWithParam<RefactorCase> {
 public:
  RefactorFormats() { EXPECT_EQ(library_call("cusolverRfCreate", &handle_), 0); }
  ~RefactorFormats() override { EXPECT_EQ(library_call("cusolverRfDestroy", handle_), 0); }

 protected:
  Format format() const { return GetParam().format; }
  bool unit_is_upper() const { return GetParam().diagonal % 2 == 1; }
  bool ones_are_stored() const { return GetParam().diagonal < 2; }
  int set_up(const DenseFour& matrix) {
    const bool in_lower = unit_is_upper() || ones_are_stored(), in_upper = !unit_is_upper() || ones_are_stored();
    Lines given(matrix, Part::all, format());
    Lines lower(matrix, in_lower ? Part::lower : Part::strictly_lower, format());
    Lines upper(matrix, in_upper ? Part::upper : Part::strictly_upper, format());
    return library_call("cusolverRfSetupHost", kN, given.count(), given.starts.data(), given.places.data(),
                        given.values.data(), lower.count(), lower.starts.data(), lower.places.data(),
                        lower.values.data(), upper.count(), upper.starts.data(), upper.places.data(),
                        upper.values.data(), p_.at(), q_.at(), handle_);
  }
  int reset(const DenseFour& matrix) {
    const Lines given(matrix, Part::all, format());
    Values<int> starts(given.starts), places(given.places);
    Values<double> values(given.values);
    return library_call("cusolverRfResetValues", kN, given.count(), starts.at(), places.at(), values.at(), p_.at(),
                        q_.at(), handle_);
  }
  void expect_factors_of(const DenseFour& matrix) {
    Given lower, upper;
    ASSERT_EQ(library_call("cusolverRfExtractSplitFactorsHost", handle_, &lower.count, &lower.starts, &lower.places,
                           &lower.values, &upper.count, &upper.starts, &upper.places, &upper.values),
              0);
    constexpr int kHalf = kN * (kN + 1) / 2;
    EXPECT_EQ(lower.count, unit_is_upper() || ones_are_stored() ? kHalf : kHalf - kN);
    EXPECT_EQ(upper.count, !unit_is_upper() || ones_are_stored() ? kHalf : kHalf - kN);
    auto l = lower.dense(format()), u = upper.dense(format());
    for (int i = 0; i < kN; ++i) {
      auto& one = (unit_is_upper() ? u : l)[four_at(i, i)];
      EXPECT_EQ(one, ones_are_stored() ? 1 : 0);
      one = 1;
    }
    DenseFour permuted(kN * kN);
    for (int i = 0; i < kN; ++i)
      for (int j = 0; j < kN; ++j)
        permuted[four_at(i, j)] = matrix[four_at(p_[static_cast<std::size_t>(i)], q_[static_cast<std::size_t>(j)])];
    expect_near(times(l, u), permuted, "L U");
    lower.release();
    upper.release();
  }
  void expect_solves(const DenseFour& matrix) {
    const DenseFour wanted{1, -2, 3, 0.5};
    DenseFour right(kN);
    for (int i = 0; i < kN; ++i)
      for (int j = 0; j < kN; ++j)
        right[static_cast<std::size_t>(i)] += matrix[four_at(i, j)] * wanted[static_cast<std::size_t>(j)];
    Values<double> x(right), work(static_cast<std::size_t>(kN));
    EXPECT_EQ(library_call("cusolverRfSolve", handle_, p_.at(), q_.at(), 1, work.at(), kN, x.at(), kN), 0);
    expect_near(x.get(), wanted, "x");
  }

  void* handle_ = nullptr;
  Values<int> p_{2, 0, 3, 1}, q_{1, 3, 0, 2};
  const DenseFour first_{1, 7, 2, -1, 3, 0.5, 1, 9, -8, 2, 1, 1, 2, 1, 6, -2},
      second_{2, 9, 1, 1, -1, 3, 2, 8, 5, 1, 0, 2, 1, -1, 7, 3};
};

TEST_P(RefactorFormats, FactorAndSolve) {
  EXPECT_EQ(library_call("cusolverRfSetMatrixFormat", handle_, static_cast<int>(format()), GetParam().diagonal), 0);
  int found_format = 9, found_diagonal = 9;
  EXPECT_EQ(library_call("cusolverRfGetMatrixFormat", handle_, &found_format, &found_diagonal), 0);
  EXPECT_EQ(found_format, static_cast<int>(format()));
  EXPECT_EQ(found_diagonal, GetParam().diagonal);
  ASSERT_EQ(set_up(first_), 0);
  for (const DenseFour& matrix : {first_, second_}) {
    EXPECT_EQ(reset(matrix), 0);
    EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 0);
    expect_factors_of(matrix);
    expect_solves(matrix);
  }
}

// A format that is set later is that of the next set-up.
TEST_P(RefactorFormats, AreKeptFromTheSetUpOn) {
  const int other_format = 1 - static_cast<int>(format()), other_diagonal = 3 - GetParam().diagonal;
  EXPECT_EQ(library_call("cusolverRfSetMatrixFormat", handle_, static_cast<int>(format()), GetParam().diagonal), 0);
  ASSERT_EQ(set_up(first_), 0);
  const auto set_other = [&] {
    EXPECT_EQ(library_call("cusolverRfSetMatrixFormat", handle_, other_format, other_diagonal), 0);
  };
  set_other();
  int found_format = 9, found_diagonal = 9;
  EXPECT_EQ(library_call("cusolverRfGetMatrixFormat", handle_, &found_format, &found_diagonal), 0);
  EXPECT_EQ(found_format, other_format);
  EXPECT_EQ(found_diagonal, other_diagonal);
  EXPECT_EQ(reset(second_), 0);
  EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 0);
  expect_factors_of(second_);
  expect_solves(second_);
}

TEST_P(RefactorFormats, ShowTheirFactorsOnTheDevice) {
  EXPECT_EQ(library_call("cusolverRfSetMatrixFormat", handle_, static_cast<int>(format()), GetParam().diagonal), 0);
  ASSERT_EQ(set_up(first_), 0);
  Given shown, copied;
  const auto access = [&] {
    return library_call("cusolverRfAccessBundledFactorsDevice", handle_, &shown.count, &shown.starts, &shown.places,
                        &shown.values);
  };
  EXPECT_EQ(access(), 3);  // not yet
  EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 0);
  ASSERT_EQ(access(), 0);
  const auto before = shown;
  EXPECT_EQ(reset(second_), 0);
  EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 0);  // what was shown follows
  ASSERT_EQ(access(), 0);
  EXPECT_EQ(before.values, shown.values);
  std::vector<int> starts(kN + 1), places(static_cast<std::size_t>(shown.count));
  std::vector<double> values(places.size());
  EXPECT_EQ(cudaMemcpy(starts.data(), shown.starts, starts.size() * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(places.data(), shown.places, places.size() * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(values.data(), shown.values, values.size() * sizeof(double), cudaMemcpyDeviceToHost),
            cudaSuccess);
  ASSERT_EQ(library_call("cusolverRfExtractBundledFactorsHost", handle_, &copied.count, &copied.starts, &copied.places,
                         &copied.values),
            0);
  EXPECT_EQ(copied.count, kN * kN);
  EXPECT_EQ(shown.count, copied.count);
  EXPECT_EQ(starts, std::vector<int>(copied.starts, copied.starts + kN + 1));
  EXPECT_EQ(places, std::vector<int>(copied.places, copied.places + copied.count));
  EXPECT_EQ(values, std::vector<double>(copied.values, copied.values + copied.count));
  copied.release();
}

std::string name_of(const ::testing::TestParamInfo<RefactorCase>& info) {
  return std::string(info.param.format == Format::rows ? "rows" : "columns") + std::to_string(info.param.diagonal);
}
INSTANTIATE_TEST_SUITE_P(All, RefactorFormats,
                         ::testing::Values(RefactorCase{Format::rows, 0}, RefactorCase{Format::rows, 1},
                                           RefactorCase{Format::rows, 2}, RefactorCase{Format::rows, 3},
                                           RefactorCase{Format::columns, 0}, RefactorCase{Format::columns, 1},
                                           RefactorCase{Format::columns, 2}, RefactorCase{Format::columns, 3}),
                         name_of);

}  // namespace
}  // namespace xcuda::test
