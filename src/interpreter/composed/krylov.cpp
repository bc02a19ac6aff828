// Linear equations step by step: a matrix is only multiplied by vectors. M. R. Hestenes and E. Stiefel's conjugate
// gradients; Y. Saad and M. H. Schultz's generalized minimal residuals.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <vector>

#include "arrays/products.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/matrix_problem.hpp"
#include "interpreter/composed/sparse_matrices.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;
using Quantity = std::complex<double>;

// a x = b, with what the steps need of them.
class Equations {
 public:
  explicit Equations(Composition& of) : of_(of) {
    const auto value = of.value_given("a");
    auto b = of.given.view("b");
    const auto b_type = stored_type(of, b.type, "b");
    const auto* sparse = sparse_in(value);
    if (sparse == nullptr) dense_ = of.view_of(value, of.given.expression("a"));
    const auto shape = sparse != nullptr ? Shape{sparse->m, sparse->n} : dense_.shape;
    const auto name = of.call().row().name;
    if (shape.size() != 2 || shape[0] != shape[1])
      throw of.given.wrong(fmt::format("{}(): {} is {}, not a square matrix", name, of.text("a"), shape_text(shape)),
                           "a");
    if (b.shape.size() != 1 || b.shape[0] != shape[0])
      throw of.given.wrong(fmt::format("{}(): {} is {} × {} and {} has the shape {}: expected {} elements", name,
                                       of.text("a"), shape[0], shape[1], of.text("b"), shape_text(b.shape), shape[0]),
                           "b");
    const auto a_type = sparse != nullptr ? sparse->values.type : stored_type(of, dense_.type, "a");
    const auto left = *language::kind_of(a_type), right = *language::kind_of(b_type);
    type_ = language::type_of(left == right ? left : language::common_kind(left, right));
    if (sparse != nullptr)
      sparse_ = with_type(of, as_csr(of, *sparse), type_);
    else if (dense_.type.scalar != type_.scalar)
      dense_ = of.evaluate(of.nodes.cast(type_.name, of.nodes.node(dense_)));
    b_ = copy(b);
    const double part = of.given.real("tol", 1e-5);
    if (!(part >= 0)) throw of.given.wrong(fmt::format("{}(): tol is {}: expected at least 0", name, part), "tol");
    tolerance_ = part * norm(b_);
    most_ = of.given.find("maxiter") == nullptr ? 10 * shape[0] : extent("maxiter");
  }

  const Pointer& b() const { return b_; }
  double tolerance() const { return tolerance_; }
  std::uint64_t most() const { return most_; }
  std::uint64_t extent(std::string_view parameter) const {
    return of_.given.extent(of_.given.expression(parameter), parameter).as_unsigned();
  }

  Pointer multiply(const Pointer& x) const {
    auto& workspace = of_.session().operations().workspace();
    if (sparse_) return sparse_product(of_.arrays(), workspace, *sparse_, x, of_.text());
    const auto text = of_.text("a");
    return of_.evaluate(Products(of_.arrays(), workspace).node({dense_, x, text, text, of_.call().span}));
  }
  Pointer copy(const Pointer& x) const {
    auto result = of_.make(type_, x.shape);
    of_.store(of_.nodes.node(x), result);
    return result;
  }
  Pointer zeros() const { return of_.filled(type_, b_.shape, language::ScalarValue::of(0)); }

  // The sum of conj(x) y, in double.
  Quantity dot(const Pointer& x, const Pointer& y) const {
    const auto sum = [&](const ArrayNodePtr& terms) {
      return of_.reduced(of_.nodes.cast("double", terms), "Sum").as_real();
    };
    if (!type_.is_complex()) return sum(of_.nodes.binary(Op::multiply, of_.nodes.node(x), of_.nodes.node(y)));
    const auto terms =
        of_.evaluate(of_.nodes.binary(Op::multiply, of_.nodes.apply("conj", {of_.nodes.node(x)}), of_.nodes.node(y)));
    return {sum(of_.nodes.apply("real", {of_.nodes.node(terms)})),
            sum(of_.nodes.apply("imag", {of_.nodes.node(terms)}))};
  }
  double norm(const Pointer& x) const { return std::sqrt(dot(x, x).real()); }

  // x = by * x + factor * y
  void add(const Pointer& x, Quantity factor, const Pointer& y, Quantity by = 1) const {
    auto mine = of_.nodes.node(x);
    if (by != Quantity(1)) mine = of_.nodes.binary(Op::multiply, number(by), mine);
    of_.store(of_.nodes.binary(Op::add, mine, of_.nodes.binary(Op::multiply, number(factor), of_.nodes.node(y))), x);
  }
  Pointer scaled(const Pointer& x, double factor) const {
    return of_.evaluate(of_.nodes.binary(Op::multiply, number(factor), of_.nodes.node(x)));
  }

  // The call's results: x, and 0 or how many steps were not enough. Error(value) if the second result is not taken.
  ResultList results(const Pointer& x, double rest, std::uint64_t steps) const {
    const bool done = rest <= tolerance_;
    if (!done && of_.wanted() < 2) {
      const auto name = of_.call().row().name;
      throw of_.given
          .wrong(fmt::format(
              "{}() does not converge: after {} steps the residual of {} is {:.3g}, but at most {:.3g} is allowed",
              name, steps, of_.text(), rest, tolerance_))
          .advise(
              fmt::format("auto [x, steps] = {}(...) gives the x that was reached; steps is 0 if it converged.", name));
    }
    ResultList list;
    list.emplace_back(x);
    list.emplace_back(language::ScalarValue::of(done ? std::int64_t{0} : static_cast<std::int64_t>(steps)));
    return list;
  }

 private:
  ArrayNodePtr number(Quantity value) const {
    if (type_.is_complex())
      return scalar_node(language::ScalarValue::complex(*language::kind_of(type_), value.real(), value.imag()),
                         of_.call().span);
    return of_.nodes.cast(type_.name, of_.nodes.constant(value.real()));
  }

  Composition& of_;
  std::optional<SparseMatrix> sparse_;
  Pointer dense_, b_;
  Type type_;
  double tolerance_ = 0;
  std::uint64_t most_ = 0;
};

ResultList cg(Composition& of) {
  const Equations equations(of);
  const auto x = equations.zeros();
  const auto rest = equations.copy(equations.b()), direction = equations.copy(equations.b());
  double square = equations.dot(rest, rest).real();
  std::uint64_t steps = 0;
  for (; std::sqrt(square) > equations.tolerance() && steps < equations.most(); ++steps) {
    const auto image = equations.multiply(direction);
    const auto curvature = equations.dot(direction, image).real();
    if (!(curvature > 0))
      throw of.given
          .wrong(fmt::format("cg(): {} is not positive definite, or not finite: a direction has the curvature {:.3g}",
                             of.text("a"), curvature),
                 "a")
          .advise("gmres(a, b) takes any square matrix.");
    equations.add(x, square / curvature, direction);
    equations.add(rest, -square / curvature, image);
    const auto next = equations.dot(rest, rest).real();
    equations.add(direction, 1, rest, next / square);
    square = next;
  }
  return equations.results(x, std::sqrt(square), steps);
}

// The columns of a small upper Hessenberg matrix, which rotations make triangular as they come.
class Rotated {
 public:
  explicit Rotated(double rest) : right_{rest} {}

  // h: one more element than columns there are with it. What is left of the rest.
  double take(std::vector<Quantity> h) {
    const auto k = columns_.size();
    for (std::size_t i = 0; i < k; ++i) rotate(i, h[i], h[i + 1]);
    const auto length = std::hypot(std::abs(h[k]), std::abs(h[k + 1]));
    const auto phase = h[k] == Quantity(0) ? Quantity(1) : h[k] / std::abs(h[k]);
    cosine_.push_back(length == 0 ? 1 : std::abs(h[k]) / length);
    sine_.push_back(length == 0 ? 0 : std::conj(h[k + 1]) / length * phase);
    right_.emplace_back(0);
    rotate(k, h[k], h[k + 1]);
    rotate(k, right_[k], right_[k + 1]);
    columns_.push_back(std::move(h));
    return std::abs(right_.back());
  }
  std::vector<Quantity> solution() const {
    std::vector<Quantity> y(columns_.size());
    for (auto i = y.size(); i-- > 0;) {
      auto sum = right_[i];
      for (auto j = i + 1; j < y.size(); ++j) sum -= columns_[j][i] * y[j];
      y[i] = columns_[i][i] == Quantity(0) ? Quantity(0) : sum / columns_[i][i];
    }
    return y;
  }

 private:
  void rotate(std::size_t i, Quantity& a, Quantity& b) const {
    const auto first = cosine_[i] * a + sine_[i] * b;
    b = -std::conj(sine_[i]) * a + cosine_[i] * b;
    a = first;
  }

  std::vector<std::vector<Quantity>> columns_;
  std::vector<double> cosine_;
  std::vector<Quantity> sine_;
  std::vector<Quantity> right_;
};

ResultList gmres(Composition& of) {
  const Equations equations(of);
  const auto restart = of.given.find("restart") == nullptr ? 20 : equations.extent("restart");
  if (restart == 0) throw of.given.wrong("gmres(): restart is 0", "restart");
  const auto x = equations.zeros();
  auto rest = equations.copy(equations.b());
  double size = equations.norm(rest);
  std::uint64_t steps = 0;
  bool stuck = false;
  while (size > equations.tolerance() && steps < equations.most() && !stuck) {
    std::vector<Pointer> basis{equations.scaled(rest, 1 / size)};
    Rotated rotated(size);
    double left = size;
    while (basis.size() <= restart && steps < equations.most() && left > equations.tolerance()) {
      auto next = equations.copy(equations.multiply(basis.back()));
      std::vector<Quantity> h;
      for (const auto& one : basis) {
        h.push_back(equations.dot(one, next));
        equations.add(next, -h.back(), one);
      }
      const auto length = equations.norm(next);
      h.emplace_back(length);
      left = rotated.take(std::move(h));
      ++steps;
      if (!(length > 0)) break;  // all that can be reached is
      basis.push_back(equations.scaled(next, 1 / length));
    }
    const auto y = rotated.solution();
    for (std::size_t i = 0; i < y.size(); ++i) equations.add(x, y[i], basis[i]);
    rest = equations.copy(equations.b());
    equations.add(rest, -1, equations.multiply(x));
    const auto before = size;
    size = equations.norm(rest);
    stuck = !(size < before);
  }
  return equations.results(x, size, steps);
}

constexpr ComposedFunction kKrylov[] = {{Operation::cg, cg}, {Operation::gmres, gmres}};

}  // namespace

std::span<const ComposedFunction> composed_krylov() { return kKrylov; }

}  // namespace xcuda::interpreter
