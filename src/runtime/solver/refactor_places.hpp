// The arithmetic of cusolverRf: factors of P A Q = L U whose elements have places that are known before. L or U has a
// diagonal of 1.
#pragma once

#include <vector>

#include "runtime/solver/sparse_factors.hpp"

namespace xcuda::runtime::math {

// A square matrix of the program's, whose lines are its rows, or its columns.
struct GivenLines {
  int n = 0, stored = 0;
  const int *starts = nullptr, *places = nullptr;
  bool is_valid() const;
};
enum class LinesAre : int { rows, columns };  // cusolverRfMatrixFormat_t

// A valid one by rows, and where its elements were.
struct ByRows {
  std::vector<int> starts, places, elements;
  ByRows(const GivenLines& given, LinesAre lines);
  int n() const { return static_cast<int>(starts.size()) - 1; }
};

enum class UnitOf : int { lower, upper };  // which factor has a diagonal of 1

// The places of L and U together, each row in order; that diagonal may be given or not. False: an element is on the
// wrong side or comes twice, or the other diagonal has a gap.
bool bundle(const ByRows& lower, const ByRows& upper, UnitOf unit, SparseLines<double>& to);

// The matrix's elements at their places in P A Q. False: one has no place there.
bool spread(const SparseLines<double>& places, const ByRows& matrix, const double* values, const int* p, const int* q,
            std::vector<double>& to);

struct PivotLimits {
  double zero = 0, boost = 0;  // what is not larger becomes this; 0: it stays
};
struct PivotReport {
  int zero_row = -1;  // the first one whose pivot is too small; -1: none
  bool was_boosted = false;
};
PivotReport factor_in_places(const SparseLines<double>& places, UnitOf unit, const PivotLimits& limits,
                             std::vector<double>& values);

void solve_in_places(const SparseLines<double>& places, UnitOf unit, const std::vector<double>& values, const int* p,
                     const int* q, double* x);

enum class Ones : unsigned char { stored, assumed };
struct SplitFactors {
  SparseLines<double> lower, upper;
};
SplitFactors split(const SparseLines<double>& factors, UnitOf unit, Ones ones);

}  // namespace xcuda::runtime::math
