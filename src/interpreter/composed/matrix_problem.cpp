#include "interpreter/composed/matrix_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <span>

#include "arrays/planned_call.hpp"

namespace xcuda::interpreter {
namespace {

Pointer with_transposed_ends(const Pointer& x) {
  const auto rank = x.shape.size();
  return moved(x, rank - 2, rank - 1);
}

Pointer flat_copy(Composition& of, const Pointer& view, const Type& type) {
  auto result = of.make(type, view.shape);
  const auto node = of.nodes.node(view);
  of.store(view.type.is_integer() ? of.nodes.cast(type_of(Scalar::float64).name, node) : node, result);
  const auto extents = std::span(view.shape);
  const auto batch = extents.first(extents.size() - 2);
  result.shape = {count_of(batch), extents[batch.size()], extents[batch.size() + 1]};
  result.strides.clear();
  return result;
}

Pointer reshaped(Pointer memory, const Shape& batch, std::size_t kept) {
  Shape shape = batch;
  shape.insert(shape.end(), memory.shape.end() - static_cast<std::ptrdiff_t>(kept), memory.shape.end());
  memory.shape = std::move(shape);
  memory.strides.clear();
  return memory;
}

}  // namespace

Type real_type(const Type& type) {
  return type_of(type.scalar == Scalar::float32 || type.scalar == Scalar::complex64 ? Scalar::float32
                                                                                    : Scalar::float64);
}

Type solved_in(Composition& of, const Type& type, std::string_view parameter) {
  const auto name = of.call().row().name;
  if (!language::kind_of(type))
    throw of.given.wrong_type(fmt::format("{}() takes numbers, but the elements are {}", name, type.name), parameter);
  if (type.scalar == Scalar::float16 || type.scalar == Scalar::bfloat16)
    throw of.given
        .wrong_type(fmt::format("{}() does not take {}: no library solves in 16 bits", name, type.name), parameter)
        .advise(fmt::format("Convert the elements: (float){}", of.text(parameter)));
  return type.is_integer() ? type_of(Scalar::float64) : type;
}

Matrices matrices_given(Composition& of, std::string_view parameter, Square square) {
  Matrices given;
  given.view = of.given.view(parameter);
  given.type = solved_in(of, given.view.type, parameter);
  given.text = of.text(parameter);
  const auto& shape = given.view.shape;
  const auto name = of.call().row().name;
  if (shape.size() < 2)
    throw of.given.wrong(
        fmt::format("{}() takes matrices, but {} has the shape {}", name, given.text, shape_text(shape)), parameter);
  given.m = shape[shape.size() - 2];
  given.n = shape.back();
  given.batch.assign(shape.begin(), shape.end() - 2);
  if (square == Square::yes && given.m != given.n)
    throw of.given.wrong(
        fmt::format("{}() takes square matrices, but {} is {}", name, given.text, fmt::join(shape, " × ")), parameter);
  return given;
}

Pointer by_columns(Composition& of, const Pointer& view, const Type& type) {
  return flat_copy(of, with_transposed_ends(view), type);
}
Pointer by_rows(Composition& of, const Pointer& view, const Type& type) { return flat_copy(of, view, type); }

Pointer of_columns(Pointer memory, const Shape& batch) {
  return with_transposed_ends(reshaped(std::move(memory), batch, 2));
}
Pointer of_rows(Pointer memory, const Shape& batch) { return reshaped(std::move(memory), batch, 2); }
Pointer of_vectors(Pointer memory, const Shape& batch) { return reshaped(std::move(memory), batch, 1); }

Pointer diagonals_of(Pointer matrices) {
  auto strides = strides_of(matrices);
  const auto rank = matrices.shape.size();
  const auto length = std::min(matrices.shape[rank - 2], matrices.shape[rank - 1]);
  const auto both = strides[rank - 2] + strides[rank - 1];
  matrices.shape.resize(rank - 1);
  strides.resize(rank - 1);
  matrices.shape.back() = length;
  strides.back() = both;
  matrices.strides = std::move(strides);
  matrices.whole = false;
  return matrices;
}

Pointer post_solver(Composition& of, library::Operation operation, const std::vector<Pointer>& operands) {
  const auto is_empty = [](const Pointer& one) { return one.address != 0 && count_of(one.shape) == 0; };
  if (std::any_of(operands.begin(), operands.end(), is_empty)) return of.make(type_of(Scalar::int32), {0});
  auto& workspace = of.session().operations().workspace();
  library::Call call;
  call.operation = operation;
  call.library = workspace.library(library::Family::solver).path;
  std::uint64_t batch = 0;
  for (const auto& one : operands) {
    call.operands.push_back(one.address == 0 ? library::Operand() : arrays::operand_at(one));
    if (one.address != 0) batch = one.shape[0];
  }
  auto info = of.make(type_of(Scalar::int32), {batch});
  call.operands.push_back(arrays::operand_at(info));
  arrays::post_planned(of.arrays(), workspace, std::move(call), of.text());
  return info;
}

Failure failure_of(Composition& of, const Pointer& info) {
  std::vector<std::int32_t> found(info.shape[0]);
  if (found.empty()) return {};
  of.session().operations().workspace().read(info.address, std::as_writable_bytes(std::span(found)));
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != 0) return {found[i], i};
  return {};
}

std::string which_matrix(const Matrices& given, const Failure& failure) {
  return given.batch.empty() ? given.text : fmt::format("matrix {} of {}", failure.matrix, given.text);
}

double tolerance_of(const Matrices& given) {
  const double precision = real_type(given.type).scalar == Scalar::float32 ? std::numeric_limits<float>::epsilon()
                                                                           : std::numeric_limits<double>::epsilon();
  return precision * static_cast<double>(std::max(given.m, given.n));
}

Pointer identities(Composition& of, const Type& type, std::uint64_t count, std::uint64_t n) {
  auto result = of.filled(type, {count, n, n}, language::ScalarValue::of(0));
  of.store(of.nodes.constant(1), diagonals_of(result));
  return result;
}

// LAPACK's matrices go column by column, and have at least as many rows as columns here. A wide matrix row by row is
// the transpose of that: its u and v change places, each of them row by row.
Spectrum spectrum_of(Composition& of, const Matrices& given, SingularVectors vectors) {
  const bool tall = given.m > given.n;
  const auto a = tall ? by_columns(of, given.view, given.type) : by_rows(of, given.view, given.type);
  const auto batch = a.shape[0], rows = a.shape[2], columns = a.shape[1];
  auto s = of.make(real_type(given.type), {batch, columns});
  Pointer left, right;
  if (vectors != SingularVectors::none) {
    const bool full = vectors == SingularVectors::full;
    left = full && columns == 0 ? identities(of, given.type, batch, rows)
                                : of.make(given.type, {batch, full ? rows : columns, rows});
    right = of.make(given.type, {batch, columns, columns});
  }
  const auto failure = failure_of(of, post_solver(of, library::Operation::svd, {s, a, left, right}));
  if (failure.info != 0)
    throw of.given
        .wrong(fmt::format("{}(): the singular values of {} do not converge", of.call().row().name,
                           which_matrix(given, failure)),
               "a")
        .advise("Look for NaN and infinity: any(isnan(a)).");
  Spectrum result;
  result.s = of_vectors(s, given.batch);
  if (vectors == SingularVectors::none) return result;
  result.u = tall ? of_columns(left, given.batch) : of_rows(right, given.batch);
  result.vt = tall ? of_columns(right, given.batch) : of_rows(left, given.batch);
  return result;
}

}  // namespace xcuda::interpreter
