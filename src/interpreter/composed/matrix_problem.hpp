// Matrices as solvers take them: copies, column by column or row by row, one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/composed/composition.hpp"
#include "library/call.hpp"

namespace xcuda::interpreter {

// An argument whose last two dimensions are matrices: [batch..., m, n].
struct Matrices {
  Pointer view;
  Type type;    // the solver's type: float, double or complex
  Shape batch;  // the extents before the last two
  std::uint64_t m = 0, n = 0;
  std::string text;  // "a"
};

enum class Square : std::uint8_t { no, yes };
Matrices matrices_given(Composition& of, std::string_view parameter, Square square);  // Errors: type, value
Type solved_in(Composition& of, const Type& type, std::string_view parameter);        // Error(type)

// Copies without gaps. by_columns() has the shape [all of the batch, n, m], by_rows() [all of the batch, m, n].
Pointer by_columns(Composition& of, const Pointer& view, const Type& type);
Pointer by_rows(Composition& of, const Pointer& view, const Type& type);
// Views of such copies as [batch..., m, n].
Pointer of_columns(Pointer memory, const Shape& batch);
Pointer of_rows(Pointer memory, const Shape& batch);
Pointer of_vectors(Pointer memory, const Shape& batch);  // [all, n] as [batch..., n]
Pointer diagonals_of(Pointer matrices);                  // of the last two dimensions
Pointer identities(Composition& of, const Type& type, std::uint64_t count, std::uint64_t n);  // [count, n, n]

// Posts a call, unless an operand is empty; info is its last operand. The result describes the first matrix that has
// failed: LAPACK's number, 0 where none has.
struct Failure {
  std::int32_t info = 0;
  std::uint64_t matrix = 0;  // of the batch
};
Pointer post_solver(Composition& of, library::Operation operation, const std::vector<Pointer>& operands);  // its info
Failure failure_of(Composition& of, const Pointer& info);
std::string which_matrix(const Matrices& given, const Failure& failure);  // "a", "matrix 3 of a"

// The greater of both sizes times the precision of the type: values below this part of the greatest one count as 0.
double tolerance_of(const Matrices& given);
Type real_type(const Type& type);

struct Spectrum {
  Pointer u, s, vt;  // u and vt are given where they are wanted
};
enum class SingularVectors : std::uint8_t { none, reduced, full };
Spectrum spectrum_of(Composition& of, const Matrices& given, SingularVectors vectors);  // Error(value)

Pointer inverse_of(Composition& of);  // of the square matrices "a". Error(value) of a singular one

}  // namespace xcuda::interpreter
