// Linear equations, determinants, and matrices as products of simpler ones.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "arrays/products.hpp"
#include "interpreter/composed/matrix_problem.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;
using Call = library::Operation;

Error singular(Composition& of, const Matrices& given, const Failure& failure) {
  return of.given
      .wrong(fmt::format("{}(): {} is singular: its column {} depends on those before it", of.call().row().name,
                         which_matrix(given, failure), failure.info - 1),
             "a")
      .advise("lstsq(a, b) gives the nearest solution, pinv(a) the nearest inverse.");
}

// a x = b of copies; b becomes x.
void solve_copies(Composition& of, const Matrices& given, const Pointer& a, const Pointer& b) {
  const auto pivots = of.make(type_of(Scalar::int64), {a.shape[0], a.shape[1]});
  const auto failure = failure_of(of, post_solver(of, Call::solve, {b, a, pivots}));
  if (failure.info != 0) throw singular(of, given, failure);
}

ResultList solve(Composition& of) {
  auto a = matrices_given(of, "a", Square::yes);
  auto b = of.given.view("b");
  const auto b_type = solved_in(of, b.type, "b");
  if (a.type.scalar != b_type.scalar)
    a.type = language::type_of(language::common_kind(*language::kind_of(a.type), *language::kind_of(b_type)));
  const bool vector = b.shape.size() == 1;
  const auto b_text = of.text("b");
  const auto given_shape = b.shape;
  const auto fail = [&](std::string_view why) {
    return of.given.wrong(
        fmt::format("solve(): {} is {} and {} {} {}; {}", a.text, fmt::join(a.view.shape, " × "), b_text,
                    vector ? "has" : "is",
                    vector ? fmt::format("{} element{}", given_shape[0], given_shape[0] == 1 ? "" : "s")
                           : fmt::format("{}", fmt::join(given_shape, " × ")),
                    why),
        "b");
  };
  if (vector) b = with_axis(b, 1);
  const auto rows = b.shape[b.shape.size() - 2];
  if (rows != a.n)
    throw fail(fmt::format("the {} columns of {} must match the {} {} of {}", a.n, a.text, rows,
                           vector ? "elements" : "rows", b_text));
  const auto batch = broadcast(a.batch, Shape(b.shape.begin(), b.shape.end() - 2));
  if (!batch) throw fail("the extents before the last two do not match");
  const auto repeated = [&](const Pointer& x) {
    auto shape = *batch;
    shape.insert(shape.end(), x.shape.end() - 2, x.shape.end());
    return broadcast_to(x, shape);
  };
  a.batch = *batch;
  const auto x = by_columns(of, repeated(b), a.type);
  solve_copies(of, a, by_columns(of, repeated(a.view), a.type), x);
  auto result = of_columns(x, *batch);
  const auto last = result.shape.size() - 1;
  if (vector) result = without_axis(std::move(result), last);
  return only(std::move(result));
}

ResultList inv(Composition& of) { return only(inverse_of(of)); }

// --- LU --------------------------------------------------------------------------------------------------------------

struct Factors {
  Matrices given;
  Pointer lu;      // [all of the batch, m, n]
  Pointer pivots;  // [.., min(m, n)], from 1
};
Factors factors_of(Composition& of, Square square) {
  Factors factors{matrices_given(of, "a", square), {}, {}};
  const auto& given = factors.given;
  const auto a = by_columns(of, given.view, given.type);
  factors.pivots = of.make(type_of(Scalar::int64), {a.shape[0], std::min(given.m, given.n)});
  post_solver(of, Call::lu, {a, factors.pivots});  // a singular matrix has its factors, too
  factors.lu = of_columns(a, {a.shape[0]});
  return factors;
}

// 1, or -1 where rows have changed places an odd number of times.
ArrayNodePtr sign_of_order(Composition& of, const Factors& factors) {
  const auto place = of.nodes.binary(Op::add, of.nodes.cast("long", of.nodes.index(1)), of.nodes.constant(1L));
  const auto moved_rows =
      apply_node(Op::different, {of.nodes.node(factors.pivots), place}, factors.pivots.shape, of.call().span);
  const auto count = of.nodes.cast("long", of.nodes.node(of.reduce(moved_rows, "CountOf", 1)));
  const auto odd = of.nodes.binary(Op::remainder, count, of.nodes.constant(2L));
  return of.nodes.cast(
      real_type(factors.given.type).name,
      of.nodes.binary(Op::subtract, of.nodes.constant(1L), of.nodes.binary(Op::multiply, odd, of.nodes.constant(2L))));
}

// One value for each matrix: a number where there is one matrix.
Value by_batch(Composition& of, const ArrayNodePtr& node, const Matrices& given) {
  auto result = of.evaluate(node);
  result.shape = given.batch;
  result.strides.clear();
  return of.number_or_array(std::move(result));
}

ResultList det(Composition& of) {
  const auto factors = factors_of(of, Square::yes);
  const auto product = of.nodes.node(of.reduce(of.nodes.node(diagonals_of(factors.lu)), "Prod", 1));
  return only(by_batch(of, of.nodes.binary(Op::multiply, product, sign_of_order(of, factors)), factors.given));
}

ResultList slogdet(Composition& of) {
  const auto factors = factors_of(of, Square::yes);
  const auto diagonal = of.nodes.node(diagonals_of(factors.lu));
  const auto part = real_type(factors.given.type).name;
  const auto size = of.nodes.cast(part, of.nodes.apply("abs", {diagonal}));
  const auto none = of.nodes.binary(Op::equal, size, of.nodes.cast(part, of.nodes.constant(0)));
  const auto type = factors.given.type.name;
  const auto direction =
      of.nodes.choose(none, of.nodes.cast(type, of.nodes.constant(0)), of.nodes.binary(Op::divide, diagonal, size));
  const auto sign =
      of.nodes.binary(Op::multiply, of.nodes.node(of.reduce(direction, "Prod", 1)), sign_of_order(of, factors));
  ResultList list;
  list.push_back(by_batch(of, sign, factors.given));
  list.push_back(by_batch(of, of.nodes.node(of.reduce(of.nodes.apply("log", {size}), "Sum", 1)), factors.given));
  return list;
}

// The part of a matrix that is kept: by row and column, counted from 0.
enum class Triangle : std::uint8_t { lower, upper, unit_lower };
Pointer triangle_of(Composition& of, const Pointer& x, Triangle triangle) {
  const auto rank = x.shape.size();
  const auto row = of.nodes.cast("long", of.nodes.index(rank - 2)),
             column = of.nodes.cast("long", of.nodes.index(rank - 1));
  const auto op = triangle == Triangle::lower ? Op::at_most : triangle == Triangle::upper ? Op::at_least : Op::less;
  const auto inside = apply_node(op, {column, row}, x.shape, of.call().span);
  const auto zero = of.nodes.cast(x.type.name, of.nodes.constant(0)),
             one = of.nodes.cast(x.type.name, of.nodes.constant(1));
  auto outside = zero;
  if (triangle == Triangle::unit_lower)
    outside = of.nodes.choose(apply_node(Op::equal, {column, row}, x.shape, of.call().span), one, zero);
  auto result = of.make(x.type, x.shape);
  of.store(of.nodes.choose(inside, of.nodes.node(x), outside), result);
  return result;
}

// P of P L U = a: where each row of L U is in a.
Pointer order_matrices(Composition& of, const Factors& factors) {
  const auto& given = factors.given;
  const auto count = factors.pivots.shape[0], steps = factors.pivots.shape[1];
  std::vector<std::int64_t> pivots(count * steps), places(count * given.m);
  auto& workspace = of.session().operations().workspace();
  workspace.read(factors.pivots.address, std::as_writable_bytes(std::span(pivots)));
  for (std::uint64_t i = 0; i < count; ++i) {
    auto* const place = places.data() + i * given.m;
    std::iota(place, place + given.m, 0);
    for (std::uint64_t k = 0; k < steps; ++k) std::swap(place[k], place[pivots[i * steps + k] - 1]);
  }
  auto where = of.make(type_of(Scalar::int64), {count, given.m});
  workspace.write(where.address, std::as_bytes(std::span(places)));
  const Shape shape{count, given.m, given.m};
  const auto row = of.nodes.cast("long", of.nodes.index(1));
  auto result = of.make(given.type, shape);
  const auto here =
      apply_node(Op::equal, {of.nodes.node(broadcast_to(with_axis(where, 1), shape)), row}, shape, of.call().span);
  of.store(of.nodes.choose(here, of.nodes.cast(given.type.name, of.nodes.constant(1)),
                           of.nodes.cast(given.type.name, of.nodes.constant(0))),
           result);
  return of_rows(result, given.batch);
}

ResultList lu(Composition& of) {
  const auto factors = factors_of(of, Square::no);
  const auto k = std::min(factors.given.m, factors.given.n);
  ResultList list;
  list.emplace_back(order_matrices(of, factors));
  list.emplace_back(of_rows(triangle_of(of, piece_of(factors.lu, 2, 0, k), Triangle::unit_lower), factors.given.batch));
  list.emplace_back(of_rows(triangle_of(of, piece_of(factors.lu, 1, 0, k), Triangle::upper), factors.given.batch));
  return list;
}

// --- others ----------------------------------------------------------------------------------------------------------

ResultList cholesky(Composition& of) {
  const auto given = matrices_given(of, "a", Square::yes);
  const auto a = by_columns(of, given.view, given.type);
  const auto failure = failure_of(of, post_solver(of, Call::cholesky, {a}));
  if (failure.info != 0)
    throw of.given
        .wrong(fmt::format("cholesky(): {} is not positive definite: its leading minor of order {} is not positive",
                           which_matrix(given, failure), failure.info),
               "a")
        .advise("eigvalsh(a) shows its eigenvalues; a + c * identity(n) is positive definite for a large c.");
  return only(of_rows(triangle_of(of, of_columns(a, {a.shape[0]}), Triangle::lower), given.batch));
}

ResultList qr(Composition& of) {
  const auto given = matrices_given(of, "a", Square::no);
  const auto a = by_columns(of, given.view, given.type);
  const auto count = a.shape[0], k = std::min(given.m, given.n);
  const auto tau = of.make(given.type, {count, k});
  post_solver(of, Call::qr, {a, tau});
  const auto r = triangle_of(of, piece_of(of_columns(a, {count}), 1, 0, k), Triangle::upper);
  const auto q = of.contiguous(piece_of(a, 1, 0, k));
  post_solver(of, Call::orthogonal, {q, tau});
  ResultList list;
  list.emplace_back(of_columns(q, given.batch));
  list.emplace_back(of_rows(r, given.batch));
  return list;
}

ResultList svd(Composition& of) {
  const auto given = matrices_given(of, "a", Square::no);
  const bool full = of.given.find("full_matrices") == nullptr || of.given.truth("full_matrices");
  auto spectrum = spectrum_of(of, given, full ? SingularVectors::full : SingularVectors::reduced);
  ResultList list;
  list.emplace_back(std::move(spectrum.u));
  list.emplace_back(std::move(spectrum.s));
  list.emplace_back(std::move(spectrum.vt));
  return list;
}

Error not_converged(Composition& of, const Matrices& given, const Failure& failure) {
  return of.given
      .wrong(fmt::format("{}(): the eigenvalues of {} do not converge", of.call().row().name,
                         which_matrix(given, failure)),
             "a")
      .advise("Look for NaN and infinity: any(isnan(a)).");
}

ResultList eigen(Composition& of) {
  const auto given = matrices_given(of, "a", Square::yes);
  const auto a = by_columns(of, given.view, given.type);
  const auto values = of.make(real_type(given.type), {a.shape[0], given.n});
  const bool vectors = of.operation() == Operation::eigh && of.wanted() > 1;
  const auto failure = failure_of(of, post_solver(of, vectors ? Call::eigenvectors : Call::eigenvalues, {values, a}));
  if (failure.info != 0) throw not_converged(of, given, failure);
  ResultList list;
  list.emplace_back(of_vectors(values, given.batch));
  if (vectors) list.emplace_back(of_columns(a, given.batch));
  return list;
}

// Computes real matrices also in complex numbers: their eigenvalues may be complex.
ResultList eig(Composition& of) {
  const auto given = matrices_given(of, "a", Square::yes);
  const auto type = type_of(real_type(given.type).scalar == Scalar::float32 ? Scalar::complex64 : Scalar::complex128);
  const auto a = by_columns(of, given.view, type);
  const auto values = of.make(type, {a.shape[0], given.n});
  Pointer vectors;
  if (of.wanted() > 1) vectors = of.make(type, a.shape);
  const auto failure = failure_of(of, post_solver(of, Call::eigen_general, {values, a, vectors}));
  if (failure.info != 0) throw not_converged(of, given, failure);
  ResultList list;
  list.emplace_back(of_vectors(values, given.batch));
  if (of.wanted() > 1) list.emplace_back(of_columns(vectors, given.batch));
  return list;
}

// --- by singular values ----------------------------------------------------------------------------------------------

Pointer adjoint(Composition& of, const Pointer& x) {
  const auto turned = moved(x, x.shape.size() - 2, x.shape.size() - 1);
  return x.type.is_complex() ? of.evaluate(of.nodes.apply("conj", {of.nodes.node(turned)})) : turned;
}

Pointer product(Composition& of, const Pointer& left, const Pointer& right) {
  const auto text = of.text("a");
  return of.evaluate(arrays::Products(of.arrays(), of.session().operations().workspace())
                         .node({left, right, text, text, of.call().span}));
}

// 1 / s, and 0 where s is at most `part` of the greatest; [.., k, 1].
ArrayNodePtr inverse_values(Composition& of, const Pointer& s, double part) {
  const auto last = s.shape.size() - 1;
  if (s.shape[last] == 0) return of.nodes.node(with_axis(s, last + 1));
  const auto most = broadcast_to(piece_of(s, last, 0, 1), s.shape);
  const auto type = s.type.name;
  const auto least = of.nodes.binary(Op::multiply, of.nodes.node(most), of.nodes.cast(type, of.nodes.constant(part)));
  const auto values = of.nodes.node(s);
  const auto inverse =
      of.evaluate(of.nodes.choose(of.nodes.binary(Op::greater, values, least),
                                  of.nodes.binary(Op::divide, of.nodes.cast(type, of.nodes.constant(1)), values),
                                  of.nodes.cast(type, of.nodes.constant(0))));
  return of.nodes.node(with_axis(inverse, last + 1));
}

ResultList lstsq(Composition& of) {
  auto given = matrices_given(of, "a", Square::no);
  auto b = of.given.view("b");
  const auto type = solved_in(of, b.type, "b");
  if (!given.batch.empty())
    throw of.given.wrong(
        fmt::format("lstsq() takes one matrix, but {} is {}", given.text, fmt::join(given.view.shape, " × ")), "a");
  if (b.shape.size() > 2 || b.shape[0] != given.m)
    throw of.given.wrong(fmt::format("lstsq(): {} has {} rows, but {} has the shape {}", given.text, given.m,
                                     of.text("b"), shape_text(b.shape)),
                         "b");
  if (given.type.scalar != type.scalar)
    given.type = language::type_of(language::common_kind(*language::kind_of(given.type), *language::kind_of(type)));
  const bool vector = b.shape.size() == 1;
  if (vector) b = with_axis(b, 1);
  if (b.type.scalar != given.type.scalar) b = of_rows(by_rows(of, b, given.type), {});
  const auto spectrum = spectrum_of(of, given, SingularVectors::reduced);
  const auto inverse = inverse_values(of, spectrum.s, of.given.real("rcond", tolerance_of(given)));
  const auto parts =
      of.evaluate(of.nodes.binary(Op::multiply, of.nodes.node(product(of, adjoint(of, spectrum.u), b)), inverse));
  auto x = product(of, adjoint(of, spectrum.vt), parts);
  if (vector) x = without_axis(std::move(x), 1);
  return only(std::move(x));
}

ResultList pinv(Composition& of) {
  const auto given = matrices_given(of, "a", Square::no);
  const auto spectrum = spectrum_of(of, given, SingularVectors::reduced);
  const auto inverse = inverse_values(of, spectrum.s, of.given.real("rcond", tolerance_of(given)));
  const auto parts = of.evaluate(of.nodes.binary(Op::multiply, of.nodes.node(adjoint(of, spectrum.u)), inverse));
  return only(product(of, adjoint(of, spectrum.vt), parts));
}

// Matrices that have a greatest singular value.
Matrices matrices_with_elements(Composition& of) {
  auto given = matrices_given(of, "a", Square::no);
  if (given.m == 0 || given.n == 0)
    throw of.given.wrong(fmt::format("{}(): {} has no elements, its shape is {}", of.call().row().name, given.text,
                                     shape_text(given.view.shape)),
                         "a");
  return given;
}

ResultList matrix_rank(Composition& of) {
  const auto given = matrices_with_elements(of);
  const auto s = spectrum_of(of, given, SingularVectors::none).s;
  const auto last = s.shape.size() - 1;
  const auto type = s.type.name;
  auto least = of.nodes.cast(type, of.nodes.constant(of.given.real("tol", 0)));
  if (of.given.find("tol") == nullptr)
    least = of.nodes.binary(Op::multiply, of.nodes.node(broadcast_to(piece_of(s, last, 0, 1), s.shape)),
                            of.nodes.cast(type, of.nodes.constant(tolerance_of(given))));
  const auto count = of.reduce(of.nodes.binary(Op::greater, of.nodes.node(s), least), "CountOf", last);
  return only(by_batch(of, of.nodes.node(count), given));
}

ResultList cond(Composition& of) {
  const auto given = matrices_with_elements(of);
  const auto s = spectrum_of(of, given, SingularVectors::none).s;
  const auto last = s.shape.size() - 1;
  const auto ratio = of.nodes.binary(Op::divide, of.nodes.node(piece_of(s, last, 0, 1)),
                                     of.nodes.node(piece_of(s, last, s.shape[last] - 1, 1)));
  return only(by_batch(of, ratio, given));
}

constexpr ComposedFunction kSolverFunctions[] = {{Operation::solve, solve},
                                                 {Operation::inv, inv},
                                                 {Operation::det, det},
                                                 {Operation::slogdet, slogdet},
                                                 {Operation::lu, lu},
                                                 {Operation::qr, qr},
                                                 {Operation::cholesky, cholesky},
                                                 {Operation::svd, svd},
                                                 {Operation::eigh, eigen},
                                                 {Operation::eigvalsh, eigen},
                                                 {Operation::eig, eig},
                                                 {Operation::lstsq, lstsq},
                                                 {Operation::pinv, pinv},
                                                 {Operation::matrix_rank, matrix_rank},
                                                 {Operation::cond, cond}};

}  // namespace

Pointer inverse_of(Composition& of) {
  const auto given = matrices_given(of, "a", Square::yes);
  const auto a = by_columns(of, given.view, given.type);
  const auto x = identities(of, given.type, a.shape[0], given.n);
  solve_copies(of, given, a, x);
  return of_columns(x, given.batch);
}

std::span<const ComposedFunction> composed_solvers() { return kSolverFunctions; }

}  // namespace xcuda::interpreter
