// Convolutions: as the sums that define them, or as products of transforms where both sides are long.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interpreter/composed/fourier_step.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

// The part of a whole convolution along an axis that a mode gives.
struct Window {
  std::uint64_t first = 0, count = 0;
};
enum class Middle : std::uint8_t { lower, upper };  // of "same", where the shorter side is even

// n elements with m; valid: where one of the two lies within the other.
Window window_of(const std::string& mode, std::uint64_t n, std::uint64_t m, Middle middle) {
  if (mode == "full") return {0, n + m - 1};
  if (mode == "same") return {middle == Middle::lower ? (m - 1) / 2 : m / 2, n};
  return {std::min(n, m) - 1, std::max(n, m) - std::min(n, m) + 1};  // valid
}

// An argument of numbers, at least one of them.
Pointer numbers_given(Composition& of, std::string_view parameter) {
  auto given = of.given.view(parameter);
  const auto name = of.call().row().name;
  if (!language::kind_of(given.type))
    throw of.given.wrong_type(fmt::format("{}() takes numbers, but the elements are {}", name, given.type.name),
                              parameter);
  if (count_of(given.shape) == 0) throw of.given.wrong(fmt::format("{}() takes arrays with elements", name), parameter);
  return given;
}

Type element_of_products(const Pointer& x, const Pointer& y) {
  const auto real = [](const Type& type) { return type.is_integer() ? type_of(Scalar::float64) : type; };
  if (x.type.is_integer() && y.type.is_integer()) return type_of(Scalar::int64);
  return language::common_type(real(x.type), real(y.type));
}

// With small prime factors.
std::uint64_t good_length(std::uint64_t least) {
  const auto is_good = [](std::uint64_t n) {
    for (const std::uint64_t factor : {2, 3, 5, 7})
      while (n % factor == 0) n /= factor;
    return n == 1;
  };
  while (!is_good(least)) ++least;
  return least;
}

// In double, whose rounding errors float elements do not show. The axes are the last ones.
Pointer by_transforms(Composition& of, const Pointer& x, const Pointer& y, const std::vector<Window>& windows,
                      const Type& type) {
  FourierStep step;
  const bool is_complex = type.is_complex();
  double n = 1;
  const auto rank = windows.size();
  for (std::size_t k = 0; k < rank; ++k) {
    const auto extent = [&](const Pointer& one) { return one.shape[one.shape.size() - rank + k]; };
    step.lengths.push_back(good_length(extent(x) + extent(y) - 1));
    n *= static_cast<double>(step.lengths.back());
  }
  step.kind = is_complex ? FourierStep::Kind::complex : FourierStep::Kind::from_real;
  step.type = type_of(is_complex ? Scalar::complex128 : Scalar::float64);
  const auto forward = [&](const Pointer& one) {
    step.axes.clear();
    for (std::size_t k = 0; k < rank; ++k) step.axes.push_back(one.shape.size() - rank + k);
    return fourier_node(of, one, step);
  };
  const auto product = of.evaluate(of.nodes.binary(Op::multiply, forward(y), forward(x)));
  if (!is_complex) step.kind = FourierStep::Kind::to_real;
  step.direction = FourierStep::Direction::backward;
  step.type = type_of(Scalar::complex128);
  auto part = of.evaluate(fourier_node(of, product, step));
  for (std::size_t k = 0; k < rank; ++k)
    part = piece_of(std::move(part), step.axes[k], windows[k].first, windows[k].count);
  auto result = of.make(type, part.shape);
  of.store(of.nodes.binary(Op::multiply, of.nodes.node(part), of.nodes.constant(1 / n)), result);
  return result;
}

ArrayNodePtr zero_of(Composition& of, const Type& type) {
  if (type.is_integer()) return of.nodes.constant(0L);
  if (type.is_complex())
    return scalar_node(language::ScalarValue::complex(language::Kind::complex128, 0, 0), of.call().span);
  return of.nodes.constant(0.0);
}

// Whether transforms take fewer operations, as far as counts can tell; theirs count more, since each goes through
// memory several times. They would not be exact for integers, and would spread what is not finite over all elements.
bool takes_transforms(Composition& of, const Type& type, const Pointer& x, const Pointer& y, double products,
                      double length) {
  if (type.is_integer() || 2 * products <= 30 * length * std::log2(std::max(length, 2.0))) return false;
  if (of.session().submission().capture() != nullptr) return false;  // a graph gives no elements to look at
  const auto finite = [&](const Pointer& one) {
    if (one.type.is_integer()) return true;
    const auto none = of.nodes.binary(Op::subtract, of.nodes.node(one), of.nodes.node(one));  // or NaN
    return of.reduced(of.nodes.binary(Op::equal, none, none), "All").truth();
  };
  return finite(x) && finite(y);
}

// x and y in rows, neither of them empty.
Pointer convolved_rows(Composition& of, Pointer x, Pointer y, const std::string& mode, Middle middle) {
  if (x.shape[0] < y.shape[0]) std::swap(x, y);
  const auto n = x.shape[0], m = y.shape[0];
  const auto window = window_of(mode, n, m, middle);
  const auto type = element_of_products(x, y);
  const auto products = static_cast<double>(n) * static_cast<double>(m);
  if (takes_transforms(of, type, x, y, products, static_cast<double>(n + m)))
    return by_transforms(of, x, y, {window}, type);
  const auto at = of.nodes.binary(Op::add, of.nodes.index(0), of.nodes.constant(window.first));
  auto node = of.nodes.apply(
      "xcuda::places::convolved",
      {at, of.nodes.pointer(x), of.nodes.constant(n), of.nodes.pointer(y), of.nodes.constant(m), zero_of(of, type)},
      {window.count});
  if (!type.is_integer()) node = of.nodes.cast(type.name, node);
  return of.evaluate(node);
}

Pointer row_given(Composition& of, std::string_view parameter) {
  const auto x = numbers_given(of, parameter);
  if (x.shape.size() != 1)
    throw of.given
        .wrong(fmt::format("{}() takes rows, but {} has the shape {}", of.call().row().name, of.text(parameter),
                           shape_text(x.shape)),
               parameter)
        .advise("conv2d(x, y) takes planes; flatten(x) is a row of all elements.");
  return of.row_of(x);
}

ResultList convolve(Composition& of) {
  return only(convolved_rows(of, row_given(of, "x"), row_given(of, "y"), of.given.choice("mode"), Middle::lower));
}

// The sums of x[i + k] by the conjugate of y[i]: a convolution with y from its end.
ResultList correlate(Composition& of) {
  const auto x = row_given(of, "x");
  auto y = row_given(of, "y");
  if (y.type.is_complex()) y = of.evaluate(of.nodes.apply("conj", {of.nodes.node(y)}));
  y = of.contiguous(flipped(std::move(y), 0));
  const auto middle = x.shape[0] < y.shape[0] ? Middle::upper : Middle::lower;
  return only(convolved_rows(of, x, y, of.given.choice("mode"), middle));
}

// Convolves planes, the last two dimensions of x.
ResultList conv2d(Composition& of) {
  auto x = numbers_given(of, "x"), y = numbers_given(of, "y");
  for (const auto* one : {&x, &y}) {
    const std::string_view parameter = one == &x ? "x" : "y";
    if (one->shape.size() < 2 || (one == &y && one->shape.size() > 2))
      throw of.given.wrong(fmt::format("conv2d() takes {}, but {} has the shape {}",
                                       one == &x ? "planes, at least two dimensions" : "a kernel of two dimensions",
                                       parameter, shape_text(one->shape)),
                           parameter);
  }
  const auto mode = of.given.choice("mode");
  const auto rank = x.shape.size();
  const auto rows = x.shape[rank - 2], columns = x.shape[rank - 1];
  if (mode == "valid" && (y.shape[0] > rows) != (y.shape[1] > columns) && y.shape[0] != rows && y.shape[1] != columns)
    throw of.given
        .wrong(fmt::format("neither the planes of {} × {} nor the kernel of {} × {} fits into the other", rows, columns,
                           y.shape[0], y.shape[1]),
               "y")
        .advise("Use mode = \"full\" or \"same\".");
  const std::vector<Window> windows{window_of(mode, rows, y.shape[0], Middle::lower),
                                    window_of(mode, columns, y.shape[1], Middle::lower)};
  const auto type = element_of_products(x, y);
  const auto planes = static_cast<double>(count_of(x.shape)), kernel = static_cast<double>(count_of(y.shape));
  if (takes_transforms(of, type, x, y, planes * kernel, planes + kernel))
    return only(by_transforms(of, x, y, windows, type));
  x = of.contiguous(x);
  y = of.contiguous(y);
  auto shape = x.shape;
  shape[rank - 2] = windows[0].count;
  shape[rank - 1] = windows[1].count;
  const Shape flat{count_of(x.shape) / (rows * columns), windows[0].count, windows[1].count};
  const auto at = [&](std::size_t d) {
    return of.nodes.binary(Op::add, of.nodes.index(d), of.nodes.constant(windows[d - 1].first));
  };
  auto node = of.nodes.apply(
      "xcuda::places::convolved_planes",
      {of.nodes.index(0), at(1), at(2), of.nodes.pointer(x), of.nodes.constant(rows), of.nodes.constant(columns),
       of.nodes.pointer(y), of.nodes.constant(y.shape[0]), of.nodes.constant(y.shape[1]), zero_of(of, type)},
      flat);
  if (!type.is_integer()) node = of.nodes.cast(type.name, node);
  auto result = of.evaluate(node);
  result.shape = std::move(shape);
  return only(std::move(result));
}

constexpr ComposedFunction kConvolutions[] = {
    {Operation::convolve, convolve}, {Operation::correlate, correlate}, {Operation::conv2d, conv2d}};

}  // namespace

std::span<const ComposedFunction> composed_convolutions() { return kConvolutions; }

}  // namespace xcuda::interpreter
