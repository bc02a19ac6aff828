// Sparse matrices.
#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

// float, double and complex numbers stay; of all others it is double.
Type stored_type(const Type& type) {
  const auto kind = kind_of(type);
  if (!kind) return {};
  const bool stays =
      *kind == Kind::float32 || *kind == Kind::float64 || *kind == Kind::complex64 || *kind == Kind::complex128;
  return stays ? type_of(*kind) : type_of(Kind::float64);
}

// A compressed matrix from another matrix, or from its parts.
Form compressed(Given given) {
  const auto& first = given[0];
  if (given.size() < 3) {
    const bool known = first.extents && first.extents->size() == 2;
    return Form::sparse(stored_type(first.type), known ? *first.extents : Extents(2));
  }
  const auto& rows = given[2];
  Extent m;
  if (rows.extents && rows.extents->size() == 1 && rows.extents->front() && *rows.extents->front() > 0)
    m = *rows.extents->front() - 1;
  return Form::sparse(stored_type(first.type), {m, extent_of(given[3])});
}
Form coordinates(Given given) {
  if (given.size() < 3) return compressed(given);
  return Form::sparse(stored_type(given[0].type), {extent_of(given[3]), extent_of(given[4])});
}
Form full_matrix(Given given) { return Form::array(given[0].type, given[0].extents); }
Form solution(Given given) {
  const auto left = kind_of(stored_type(given[0].type)), right = kind_of(stored_type(given[1].type));
  return Form::array(left && right ? type_of(*left == *right ? *left : common_kind(*left, *right)) : Type(),
                     Extents(1));
}

constexpr Function kSparse[] = {
    {.name = "csr",
     .signatures = "matrix csr(matrix a)\nmatrix csr(array values, array columns, array rows [, int n])",
     .help = "A sparse matrix by its rows: row i has values[rows[i]] to values[rows[i + 1]] in the columns of the same "
             "places; n is the number of columns. Of a matrix, its elements that are not 0",
     .example = "csr(diag(x))",
     .operation = Operation::csr,
     .result = compressed},
    {.name = "coo",
     .signatures = "matrix coo(matrix a)\nmatrix coo(array values, array columns, array rows [, int m, int n])",
     .help = "A sparse matrix by the column and row of each element, in any order; duplicates are added up",
     .example = "coo(diag(x))",
     .operation = Operation::coo,
     .result = coordinates},
    {.name = "dense",
     .signatures = "array dense(matrix a)",
     .help = "All elements of a sparse matrix",
     .example = "dense(csr(diag(x)))",
     .operation = Operation::dense,
     .result = full_matrix},
    {.name = "cg",
     .signatures = "array cg(matrix a, array b [, double tol = 1e-5, int maxiter])",
     .help = "x with matmul(a, x) near b, by conjugate gradients, of a symmetric (Hermitian) positive definite matrix; "
             "it ends when the norm of b - matmul(a, x) is at most tol * norm(b): auto [x, steps] = cg(a, b); steps is "
             "0 then",
     .example = "cg(csr(diag(x)), x)",
     .operation = Operation::cg,
     .result = solution,
     .results = 2},
    {.name = "gmres",
     .signatures = "array gmres(matrix a, array b [, double tol = 1e-5, int restart = 20, int maxiter])",
     .help = "x with matmul(a, x) near b, by minimal residuals (GMRES), of any square matrix; it restarts after "
             "`restart` steps",
     .example = "gmres(csr(diag(x)), x)",
     .operation = Operation::gmres,
     .result = solution,
     .results = 2},
    {.name = "load_npz",
     .signatures = "matrix load_npz(const char* file)",
     .help = "A sparse matrix from a file that SciPy's save_npz wrote: csr, csc or coo",
     .example = "save_npz(\"diagonal.npz\", csr(diag(x)));\nauto loaded = load_npz(\"diagonal.npz\");",
     .operation = Operation::load_npz,
     .result = [](Given) { return Form(); }},
    {.name = "save_npz",
     .signatures = "void save_npz(const char* file, matrix a)",
     .help = "Writes a sparse matrix to a file that SciPy's load_npz reads",
     .example = "save_npz(\"diagonal.npz\", csr(diag(x)))",
     .operation = Operation::save_npz,
     .result = [](Given) { return Form::of(Form::Kind::nothing); }},
};

}  // namespace

std::span<const Function> functions_of_sparse_matrices() { return kSparse; }

}  // namespace xcuda::language
