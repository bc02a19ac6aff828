#include "interpreter/composed/sparse_matrices.hpp"

#include <fmt/format.h>

#include <utility>

#include "interpreter/array_expressions.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

constexpr std::uint64_t kMostStored = 0x7fff'ffff;  // indices are int

// The text of an argument; for a file's arrays the name of the part.
std::string name_given(Composition& of, std::string_view parameter) {
  return of.given.find(parameter) == nullptr ? std::string(parameter) : of.text(parameter);
}

ArrayNodePtr taken(Composition& of, const Pointer& from, const ArrayNodePtr& index, const Shape& shape) {
  return of.nodes.apply("xcuda::places::taken", {of.nodes.pointer(from), of.nodes.cast("long", index)}, shape);
}

ArrayNodePtr counter(Composition& of) { return of.nodes.cast("unsigned long", of.nodes.index(0)); }

Pointer as_int(Composition& of, const ArrayNodePtr& node) { return of.evaluate(of.nodes.cast("int", node)); }

// The place of each element in all of the matrix, row by row.
Pointer keys_of(Composition& of, const SparseMatrix& coo) {
  const auto row = of.nodes.cast("unsigned long", of.nodes.node(coo.rows));
  return of.evaluate(of.nodes.binary(Op::add, of.nodes.binary(Op::multiply, row, of.nodes.constant(coo.n)),
                                     of.nodes.cast("unsigned long", of.nodes.node(coo.columns))));
}

// keys: rising, each once, as many as values.
SparseMatrix compressed(Composition& of, const Pointer& keys, Pointer values, const SparseMatrix& like) {
  SparseMatrix result{Format::csr, like.m, like.n, std::move(values), {}, {}};
  result.columns = as_int(of, of.nodes.binary(Op::remainder, of.nodes.node(keys), of.nodes.constant(like.n)));
  const auto first = of.nodes.binary(Op::multiply, counter(of), of.nodes.constant(like.n));
  result.rows = as_int(
      of, of.nodes.apply("xcuda::places::search",
                         {of.nodes.pointer(keys), of.nodes.constant(keys.shape[0]), first, of.nodes.constant(false)},
                         {like.m + 1}));
  return result;
}

bool any(Composition& of, const ArrayNodePtr& condition) { return of.reduced(condition, "Any").truth(); }

bool is_rising(Composition& of, const Pointer& keys) {
  const auto n = keys.shape[0];
  return n < 2 || !any(of, of.nodes.binary(Op::at_least, of.nodes.node(piece_of(keys, 0, 0, n - 1)),
                                           of.nodes.node(piece_of(keys, 0, 1, n - 1))));
}

void check_indices(Composition& of, const Pointer& indices, std::uint64_t extent, std::string_view parameter) {
  if (indices.shape[0] == 0) return;
  const auto outside = of.nodes.apply("xcuda::places::outside", {of.nodes.node(indices), of.nodes.constant(extent)});
  if (!any(of, outside)) return;
  const auto least = of.reduced(of.nodes.node(indices), "Min"), most = of.reduced(of.nodes.node(indices), "Max");
  throw of.given.wrong(
      fmt::format("{}(): {} has {}, but the matrix has {} {}", of.call().row().name, name_given(of, parameter),
                  least.is_negative() ? least.text() : most.text(), extent, parameter),
      parameter);
}

std::string words_of_shape(const Shape& shape) {
  if (shape.size() == 1) return fmt::format("has {} element{}", shape[0], shape[0] == 1 ? "" : "s");
  std::string text = "is";
  for (std::size_t d = 0; d < shape.size(); ++d) text += fmt::format("{} {}", d == 0 ? "" : " ×", shape[d]);
  return text;
}

}  // namespace

const SparseMatrix* sparse_in(const Value& value) {
  const auto* sparse = std::get_if<session::Sparse>(&value);
  return sparse == nullptr ? nullptr : sparse->matrix.get();
}

Value sparse_value(SparseMatrix matrix) { return session::Sparse{std::make_shared<SparseMatrix>(std::move(matrix))}; }

Type stored_type(Composition& of, const Type& type, std::string_view parameter) {
  const auto name = of.call().row().name;
  if (!language::kind_of(type))
    throw of.given.wrong_type(fmt::format("{}() takes numbers, but the elements are {}", name, type.name), parameter);
  if (type.scalar == Scalar::float16 || type.scalar == Scalar::bfloat16)
    throw of.given
        .wrong_type(
            fmt::format("{}() does not take {}: sparse matrices need elements of at least 32 bits", name, type.name),
            parameter)
        .advise(fmt::format("Convert the elements: (float){}", name_given(of, parameter)));
  return type.is_integer() ? type_of(Scalar::float64) : type;
}

SparseMatrix sparse_of(Composition& of, const Pointer& dense, std::string_view parameter) {
  if (dense.shape.size() != 2)
    throw of.given.wrong(fmt::format("{}() takes a matrix, but {} {}", of.call().row().name, name_given(of, parameter),
                                     words_of_shape(dense.shape)),
                         parameter);
  const auto type = stored_type(of, dense.type, parameter);
  const auto row = of.row_of(of.evaluate(of.nodes.cast(type.name, of.nodes.node(dense))));
  const auto zero = of.nodes.cast(type.name, of.nodes.constant(0));
  const auto places = of.arrays().positions(of.nodes.binary(Op::different, of.nodes.node(row), zero));
  if (places.shape[0] > kMostStored)
    throw of.given.wrong(fmt::format("{}(): {} has {} elements that are not 0, over 2^31", of.call().row().name,
                                     name_given(of, parameter), places.shape[0]),
                         parameter);
  const SparseMatrix like{Format::csr, dense.shape[0], dense.shape[1], {}, {}, {}};
  return compressed(of, places, of.evaluate(taken(of, row, of.nodes.node(places), places.shape)), like);
}

SparseMatrix as_coo(Composition& of, const SparseMatrix& matrix) {
  if (matrix.format == Format::coo) return matrix;
  auto result = matrix;
  result.format = Format::coo;
  const auto row = of.nodes.apply("xcuda::places::search",
                                  {of.nodes.pointer(matrix.rows), of.nodes.constant(matrix.m + 1),
                                   of.nodes.cast("int", of.nodes.index(0)), of.nodes.constant(true)},
                                  {matrix.stored()});
  result.rows = as_int(of, of.nodes.binary(Op::subtract, row, of.nodes.constant(1UL)));
  return result;
}

SparseMatrix as_csr(Composition& of, const SparseMatrix& matrix) {
  if (matrix.format == Format::csr) return matrix;
  const auto keys = keys_of(of, matrix);
  if (is_rising(of, keys)) return compressed(of, keys, matrix.values, matrix);
  const auto order = of.nodes.node(of.arrays().sort(keys, ArrayMath::SortKeep::order).order);
  const auto sorted = of.evaluate(taken(of, keys, order, keys.shape));
  auto values = of.evaluate(taken(of, matrix.values, order, keys.shape));
  if (is_rising(of, sorted)) return compressed(of, sorted, std::move(values), matrix);
  const auto each = of.arrays().unique(sorted, of.call().span);
  auto sums = of.evaluate(of.nodes.apply(
      "xcuda::places::sum_of_run",
      {of.nodes.pointer(values), of.nodes.pointer(sorted), of.nodes.constant(sorted.shape[0]), of.nodes.node(each)},
      each.shape));
  return compressed(of, each, std::move(sums), matrix);
}

SparseMatrix with_type(Composition& of, SparseMatrix matrix, const Type& type) {
  if (matrix.values.type.scalar != type.scalar)
    matrix.values = of.evaluate(of.nodes.cast(type.name, of.nodes.node(matrix.values)));
  return matrix;
}

SparseMatrix transposed(Composition& of, const SparseMatrix& matrix) {
  auto turned = as_coo(of, matrix);
  std::swap(turned.m, turned.n);
  std::swap(turned.rows, turned.columns);
  return matrix.format == Format::csr ? as_csr(of, turned) : turned;
}

Pointer dense_of(Composition& of, const SparseMatrix& matrix) {
  const auto coo = as_coo(of, as_csr(of, matrix));  // each place once
  auto row = of.filled(coo.values.type, {coo.m * coo.n}, language::ScalarValue::of(0));
  if (coo.stored() > 0) {
    const auto keys = keys_of(of, coo);
    const Selection selection{.view = row, .chosen = {{0, keys}}, .index_shape = keys.shape, .shape = keys.shape};
    of.arrays().scatter({selection, std::nullopt, of.nodes.node(coo.values)});
  }
  row.shape = {coo.m, coo.n};
  return row;
}

// --- of parts --------------------------------------------------------------------------------------------------------

SparseMatrix coo_of_parts(Composition& of, const SparseMatrix& given) {
  if (given.rows.shape != given.values.shape || given.columns.shape != given.values.shape)
    throw of.given.wrong(
        fmt::format("coo(): {} has {} elements, {} has {} and {} has {}, but each element has a column "
                    "and a row",
                    name_given(of, "values"), given.values.shape[0], name_given(of, "columns"), given.columns.shape[0],
                    name_given(of, "rows"), given.rows.shape[0]));
  check_indices(of, given.rows, given.m, "rows");
  check_indices(of, given.columns, given.n, "columns");
  return given;
}

SparseMatrix csr_of_parts(Composition& of, const SparseMatrix& given) {
  const auto stored = given.stored();
  if (given.columns.shape[0] != stored)
    throw of.given.wrong(fmt::format("csr(): {} has {} elements and {} has {}, but each element has a column",
                                     name_given(of, "values"), stored, name_given(of, "columns"),
                                     given.columns.shape[0]));
  const auto at = [&](std::uint64_t i) {
    return of.reduced(of.nodes.node(piece_of(given.rows, 0, i, 1)), "Max").as_signed();
  };
  const auto falls = [&] {
    return any(of, of.nodes.binary(Op::greater, of.nodes.node(piece_of(given.rows, 0, 0, given.m)),
                                   of.nodes.node(piece_of(given.rows, 0, 1, given.m))));
  };
  if (at(0) != 0 || at(given.m) != static_cast<std::int64_t>(stored) || falls())
    throw of.given
        .wrong(fmt::format("csr(): {} does not rise from 0 to the {} elements of {}", name_given(of, "rows"), stored,
                           name_given(of, "values")),
               "rows")
        .advise("rows[i] says where row i begins; coo() takes the row of each element.");
  check_indices(of, given.columns, given.n, "columns");
  const auto coo = as_coo(of, given);
  return is_rising(of, keys_of(of, coo)) ? given : as_csr(of, coo);
}

// --- products --------------------------------------------------------------------------------------------------------

Value sparse_matmul(Composition& of, const Factor& left, const Factor& right) {
  const auto* a = sparse_in(left.value);
  const auto* b = sparse_in(right.value);
  const auto text = [&](const Factor& one) { return of.text(one.expression.span); };
  if (a != nullptr && b != nullptr)
    throw of.given.wrong_type(fmt::format("matmul(): both {} and {} are sparse", text(left), text(right)), "b")
        .advise(fmt::format("matmul({}, dense({}))", text(left), text(right)));
  const auto& other = a != nullptr ? right : left;
  const std::string_view parameter = a != nullptr ? "b" : "a";
  auto dense = of.view_of(other.value, other.expression);
  const auto type = stored_type(of, dense.type, parameter);
  const auto& matrix = a != nullptr ? *a : *b;
  const auto left_shape = a != nullptr ? Shape{a->m, a->n} : dense.shape;
  const auto right_shape = a != nullptr ? dense.shape : Shape{b->m, b->n};
  const auto fail = [&](const std::string& why) {
    return of.given.wrong(fmt::format("matmul: {} {} and {} {}; {}", text(left), words_of_shape(left_shape),
                                      text(right), words_of_shape(right_shape), why));
  };
  if (dense.shape.size() > 2) throw fail("a sparse matrix is multiplied by a vector or a matrix");
  const bool vector = dense.shape.size() == 1;
  const auto columns = left_shape.back(), rows = right_shape.front();
  if (columns != rows)
    throw fail(fmt::format("the {} {} of {} must match the {} {} of {}", columns,
                           left_shape.size() == 1 ? "elements" : "columns", text(left), rows,
                           right_shape.size() == 1 ? "elements" : "rows", text(right)));
  const auto kind = *language::kind_of(matrix.values.type), own = *language::kind_of(type);
  const auto both = language::type_of(kind == own ? kind : language::common_kind(kind, own));
  if (dense.type.scalar != both.scalar) dense = of.evaluate(of.nodes.cast(both.name, of.nodes.node(dense)));
  auto factor = with_type(of, as_csr(of, matrix), both);
  auto& workspace = of.session().operations().workspace();
  if (a != nullptr) return sparse_product(of.arrays(), workspace, factor, dense, of.text());
  // x s is the transpose of (s transposed) (x transposed).
  factor = transposed(of, factor);
  if (!vector) dense = moved(dense, 0, 1);
  const auto result = sparse_product(of.arrays(), workspace, factor, dense, of.text());
  return vector ? result : moved(result, 0, 1);
}

}  // namespace xcuda::interpreter
