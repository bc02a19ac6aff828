// Linear equations, and decompositions of matrices.
#include <algorithm>

#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

// float, double and complex numbers stay; of all others it is double.
Type solved_type(const Type& type) {
  const auto kind = kind_of(type);
  if (!kind) return {};
  const bool stays =
      *kind == Kind::float32 || *kind == Kind::float64 || *kind == Kind::complex64 || *kind == Kind::complex128;
  return stays ? type_of(*kind) : type_of(Kind::float64);
}
Type real_part(const Type& type) {
  const auto solved = solved_type(type);
  const auto kind = kind_of(solved);
  if (!kind) return {};
  return type_of(*kind == Kind::float32 || *kind == Kind::complex64 ? Kind::float32 : Kind::float64);
}
Form like_matrix(Given given) { return Form::array(solved_type(given[0].type)); }
Form of_both(Given given) {
  const auto left = kind_of(solved_type(given[0].type)), right = kind_of(solved_type(given[1].type));
  return Form::array(left && right ? type_of(*left == *right ? *left : common_kind(*left, *right)) : Type());
}
Form complex_values(Given given) {
  const auto part = kind_of(real_part(given[0].type));
  return Form::array(part ? type_of(*part == Kind::float32 ? Kind::complex64 : Kind::complex128) : Type());
}
Form real_values(Given given) { return Form::array(real_part(given[0].type)); }
Form by_batch(Given) { return {}; }  // a number, or an array of a batch: the run says it

constexpr Function kSolvers[] = {
    {.name = "solve",
     .signatures = "array solve(array a, array b)",
     .help = "x with matmul(a, x) == b: b is a vector, or has a column for each x; also of batches",
     .example = "solve(identity(6) * 2, x)",
     .operation = Operation::solve,
     .result = of_both},
    {.name = "inv",
     .signatures = "array inv(array a)",
     .help = "The inverse of a square matrix, or of each of a batch; solve(a, b) is faster and more accurate than "
             "inv(a) times b",
     .example = "inv(diag(x))",
     .operation = Operation::inv,
     .result = like_matrix},
    {.name = "det",
     .signatures = "T det(array a)",
     .help = "The determinant of a square matrix, or of each of a batch",
     .example = "det(diag(x))",
     .operation = Operation::det,
     .result = by_batch},
    {.name = "slogdet",
     .signatures = "T slogdet(array a)",
     .help = "The sign of the determinant and the logarithm of its magnitude: auto [sign, logarithm] = slogdet(a);",
     .example = "slogdet(diag(x))",
     .operation = Operation::slogdet,
     .result = by_batch,
     .results = 2,
     .parts = "sign, logarithm"},
    {.name = "lu",
     .signatures = "array lu(array a)",
     .help = "P, L and U, whose product is a: auto [p, l, u] = lu(a);",
     .example = "lu(reshape(x, 2, 3))",
     .operation = Operation::lu,
     .result = like_matrix,
     .results = 3,
     .parts = "p, l, u"},
    {.name = "qr",
     .signatures = "array qr(array a)",
     .help =
         "Q with orthonormal columns and R, which is 0 below its diagonal, whose product is a: auto [q, r] = qr(a);",
     .example = "qr(reshape(x, 3, 2))",
     .operation = Operation::qr,
     .result = like_matrix,
     .results = 2,
     .parts = "q, r"},
    {.name = "cholesky",
     .signatures = "array cholesky(array a)",
     .help = "L, which is 0 above its diagonal, with a = L times its transpose, of a symmetric (Hermitian) positive "
             "definite matrix",
     .example = "cholesky(diag(x))",
     .operation = Operation::cholesky,
     .result = like_matrix},
    {.name = "svd",
     .signatures = "array svd(array a [, bool full_matrices = true])",
     .help = "Singular values: auto [u, s, vt] = svd(a); with a = u times diag(s) times vt",
     .example = "svd(reshape(x, 2, 3))",
     .operation = Operation::svd,
     .result = like_matrix,
     .results = 3,
     .parts = "u, s, vt"},
    {.name = "eigh",
     .signatures = "array eigh(array a)",
     .help = "The ascending eigenvalues of a symmetric (Hermitian) matrix, from its lower half: auto [values, vectors] "
             "= eigh(a);",
     .example = "eigh(diag(x))",
     .operation = Operation::eigh,
     .result = real_values,
     .results = 2},
    {.name = "eigvalsh",
     .signatures = "array eigvalsh(array a)",
     .help = "The eigenvalues of eigh() alone",
     .example = "eigvalsh(diag(x))",
     .operation = Operation::eigvalsh,
     .result = real_values},
    {.name = "eig",
     .signatures = "array eig(array a)",
     .help = "Complex eigenvalues of any square matrix, in no order: auto [values, vectors] = eig(a);",
     .example = "eig(diag(x))",
     .operation = Operation::eig,
     .result = complex_values,
     .results = 2},
    {.name = "lstsq",
     .signatures = "array lstsq(array a, array b [, double rcond])",
     .help = "The shortest x for which matmul(a, x) is nearest to b; singular values up to rcond times the greatest "
             "count as 0",
     .example = "lstsq(reshape(x, 3, 2), x[0:3])",
     .operation = Operation::lstsq,
     .result = of_both},
    {.name = "pinv",
     .signatures = "array pinv(array a [, double rcond])",
     .help = "The pseudo-inverse by singular values; those up to rcond times the greatest count as 0",
     .example = "pinv(reshape(x, 3, 2))",
     .operation = Operation::pinv,
     .result = like_matrix},
    {.name = "matrix_rank",
     .signatures = "size_t matrix_rank(array a [, double tol])",
     .help = "How many singular values are greater than tol",
     .example = "matrix_rank(reshape(x, 2, 3))",
     .operation = Operation::matrix_rank,
     .result = by_batch},
    {.name = "cond",
     .signatures = "T cond(array a)",
     .help = "The greatest singular value divided by the least",
     .example = "cond(reshape(x, 2, 3))",
     .operation = Operation::cond,
     .result = by_batch},
};

}  // namespace

std::span<const Function> functions_of_solvers() { return kSolvers; }

}  // namespace xcuda::language
