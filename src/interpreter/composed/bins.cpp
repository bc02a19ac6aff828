// Counts in bins: bincount(), histogram(), histogram2d().
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arrays/sequence.hpp"
#include "interpreter/composed/composition.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

// counts[index] += value in a new array of n elements.
Pointer counted(Composition& of, const Pointer& index, std::uint64_t n, const Type& type, const ArrayNodePtr& value) {
  auto result = of.make(type, {n});
  of.store(of.nodes.cast(type.name, of.nodes.constant(0)), result);
  Selection selection{.view = result,
                      .chosen = {{0, index}},
                      .index_shape = index.shape,
                      .shape = index.shape,
                      .repeats = Selection::Repeats::yes};
  of.arrays().scatter({selection, Op::add, value});
  return result;
}

ResultList bincount(Composition& of) {
  const auto x = of.row_of(of.given.view("x"));
  if (!x.type.is_integer() || x.type.lanes > 1)
    throw of.given.wrong_type(fmt::format("bincount() takes integers, but the elements are {}", x.type.name), "x")
        .advise("Convert them: bincount((int)x).");
  std::uint64_t n = of.given.find("minlength") == nullptr
                        ? 0
                        : of.given.extent(of.given.expression("minlength"), "minlength").as_unsigned();
  if (x.shape[0] > 0) {
    if (const auto least = of.reduced(of.nodes.node(x), "Min"); least.is_negative())
      throw of.given.wrong(fmt::format("bincount() takes integers of at least 0, but one is {}", least.text()), "x");
    const auto most = of.reduced(of.nodes.node(x), "Max").as_unsigned();
    if (most >= std::uint64_t{1} << 32)
      throw of.given.wrong(fmt::format("an element is {}: too many counts", most), "x");
    n = std::max(n, most + 1);
  }
  if (of.given.find("weights") == nullptr)
    return only(counted(of, x, n, type_of(Scalar::uint64), of.nodes.constant(1)));
  const auto weights = of.row_of(of.given.view("weights"));
  if (weights.shape != x.shape)
    throw of.given.wrong(fmt::format("there are {} weights for {} elements", weights.shape[0], x.shape[0]), "weights");
  return only(counted(of, x, n, type_of(Scalar::float64), of.nodes.node(weights)));
}

// --- between edges ---------------------------------------------------------------------------------------------------

// NumPy's: of real elements in their own type, so that an element which equals an edge is in the bin that begins there.
Type edge_type(const Type& elements) { return elements.is_integer() ? type_of(Scalar::float64) : elements; }

Pointer edges_between(Composition& of, const Type& type, double low, double high, std::uint64_t bins) {
  if (low == high) low -= 0.5, high += 0.5;
  auto result = of.make(type, {bins + 1});
  arrays::fill(of.session().operations(),
               {.kind = arrays::Sequence::Kind::linspace, .first = low, .second = high, .count = bins + 1}, result);
  return result;
}

// histogram(x, bins, lo, hi) with its edges; the counts are those of the row's own evaluator.
Pointer histogram_edges(Composition& of) {
  const auto x = of.given.view("x");
  const auto bins =
      of.given.find("bins") == nullptr ? 10 : of.given.extent(of.given.expression("bins"), "bins").as_unsigned();
  const auto end = [&](std::string_view parameter, std::string_view reducer) {
    return of.given.find(parameter) != nullptr ? of.given.real(parameter, 0)
                                               : of.reduced(of.nodes.node(x), reducer).as_real();
  };
  return edges_between(of, edge_type(x.type), end("lo", "Min"), end("hi", "Max"), bins);
}

// Between the edges that bins is an array of; the last one belongs to the last bin.
ResultList histogram_between(Composition& of, const Pointer& edges) {
  const auto n = edges.shape[0];
  if (n < 2) throw of.given.wrong(fmt::format("{} edges make no bin: expected at least 2", n), "bins");
  for (const auto* bound : {"lo", "hi"})
    if (of.given.find(bound) != nullptr) throw of.given.wrong("the edges say where the bins begin and end", bound);
  const auto falls = of.nodes.binary(Op::less, of.nodes.node(piece_of(edges, 0, 1, n - 1)),
                                     of.nodes.node(piece_of(edges, 0, 0, n - 1)));
  if (of.reduced(falls, "Any").truth()) throw of.given.wrong("the edges must rise", "bins");
  const auto x = of.evaluate(of.nodes.cast("double", of.given.array("x")));
  const auto found = of.nodes.apply("xcuda::places::search", {of.nodes.pointer(edges), of.nodes.constant(n),
                                                              of.nodes.node(x), of.nodes.constant(true)});
  const auto last = of.nodes.node(without_axis(piece_of(edges, 0, n - 1, 1), 0));
  const auto index = of.row_of(of.evaluate(
      of.nodes.choose(of.nodes.binary(Op::equal, of.nodes.node(x), last), of.nodes.constant(n - 1), found)));
  // What is below the first edge is counted before the bins, what is above the last one and NaN after them.
  const auto counts = counted(of, index, n + 1, type_of(Scalar::uint64), of.nodes.constant(std::uint64_t{1}));
  ResultList list;
  list.emplace_back(of.contiguous(piece_of(counts, 0, 1, n - 1)));
  list.emplace_back(edges);
  return list;
}

ResultList histogram(Composition& of) {
  if (of.given.find("bins") != nullptr)
    if (const auto bins = of.given.value("bins"); !bins->shape.empty())
      return histogram_between(of, of.row_of(of.evaluate(of.nodes.cast("double", bins))));
  ResultList list;
  list.push_back(of.first_result());
  if (of.wanted() > 1) list.emplace_back(histogram_edges(of));
  return list;
}

ResultList histogram2d(Composition& of) {
  const auto x = of.row_of(of.given.view("x")), y = of.row_of(of.given.view("y"));
  if (x.shape != y.shape) throw of.given.wrong(fmt::format("x has {} elements and y {}", x.shape[0], y.shape[0]), "y");
  if (x.shape[0] == 0) throw of.given.wrong("histogram2d() of an empty array", "x");
  const auto bins =
      of.given.find("bins") == nullptr ? 10 : of.given.extent(of.given.expression("bins"), "bins").as_unsigned();
  if (bins == 0) throw of.given.wrong("histogram2d() takes at least one bin", "bins");
  const auto type = x.type.name == y.type.name ? edge_type(x.type) : type_of(Scalar::float64);
  Pointer edges[2];
  ArrayNodePtr bin[2];
  for (int i = 0; i < 2; ++i) {
    const auto& values = i == 0 ? x : y;
    const double low = of.reduced(of.nodes.node(values), "Min").as_real(),
                 high = of.reduced(of.nodes.node(values), "Max").as_real();
    if (!std::isfinite(low) || !std::isfinite(high))
      throw of.given.wrong(fmt::format("the range from {} to {} has no bins", low, high), i == 0 ? "x" : "y");
    edges[i] = edges_between(of, type, low, high, bins);
    const auto found = of.nodes.apply("xcuda::places::search",
                                      {of.nodes.pointer(edges[i]), of.nodes.constant(bins + 1),
                                       of.nodes.cast("double", of.nodes.node(values)), of.nodes.constant(true)});
    // The last edge belongs to the last bin.
    bin[i] = of.nodes.binary(Op::subtract, of.nodes.apply("min", {found, of.nodes.constant(bins)}),
                             of.nodes.constant(std::uint64_t{1}));
  }
  const auto index =
      of.evaluate(of.nodes.binary(Op::add, of.nodes.binary(Op::multiply, bin[0], of.nodes.constant(bins)), bin[1]));
  auto counts = counted(of, index, bins * bins, type_of(Scalar::float64), of.nodes.constant(1.0));
  counts.shape = {bins, bins};
  ResultList list;
  list.emplace_back(std::move(counts));
  for (auto& one : edges) list.emplace_back(std::move(one));
  return list;
}

constexpr ComposedFunction kBins[] = {
    {Operation::bincount, bincount},
    {Operation::histogram, histogram},
    {Operation::histogram2d, histogram2d},
};

}  // namespace

std::span<const ComposedFunction> composed_bins() { return kBins; }

}  // namespace xcuda::interpreter
