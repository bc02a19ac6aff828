// The functions of matrices.
#include <algorithm>

#include "base/fp8.hpp"
#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

Extents before_last(const Extents& extents, std::size_t count) {
  return {extents.begin(), extents.end() - static_cast<std::ptrdiff_t>(std::min(count, extents.size()))};
}

// int8 by int8 is int, fp8 by fp8 is float; other integers are added in 64 bits; mixed types become one.
Type product_type(const Type& x, const Type& y) {
  if (fp8_of(x.name) && fp8_of(y.name)) return type_of(Kind::float32);
  const auto left = kind_of(x), right = kind_of(y);
  if (!left || !right) return {};
  const auto narrow = [](Kind kind) { return kind == Kind::int8 || kind == Kind::char8; };
  if (narrow(*left) && narrow(*right)) return type_of(Kind::int32);
  const auto kind = *left == *right ? *left : common_kind(*left, *right);
  if (!is_integer(kind)) return type_of(kind);
  return type_of(is_signed(kind) ? Kind::long64 : Kind::ulong64);
}

// Shapes that do not match are reported when the call runs, by name.
Form product(Given given) {
  auto type = product_type(given[0].type, given[1].type);
  const auto &x = given[0].extents, &y = given[1].extents;
  if (!x || !y) return Form::array(std::move(type));
  if (x->size() == 1 && y->size() == 1) return type.name.empty() ? Form() : Form::number(std::move(type));
  auto extents = broadcast(before_last(*x, 2), before_last(*y, 2));
  if (!extents || x->empty() || y->empty()) return Form::array(std::move(type));
  if (x->size() > 1) extents->push_back((*x)[x->size() - 2]);
  if (y->size() > 1) extents->push_back(y->back());
  return Form::array(std::move(type), std::move(*extents));
}

Type element_product(const Type& x, const Type& y) {
  const auto left = kind_of(x), right = kind_of(y);
  return left && right ? type_of(*left == *right && !is_integer(*left) ? *left : common_kind(*left, *right)) : Type();
}

Form outer(Given given) {
  auto form = Form::array(element_product(given[0].type, given[1].type));
  const auto count = [](const Form& one) -> Extent {
    if (!one.extents) return std::nullopt;
    std::uint64_t product = 1;
    for (const auto& extent : *one.extents) {
      if (!extent) return std::nullopt;
      product *= *extent;
    }
    return product;
  };
  form.extents = Extents{count(given[0]), count(given[1])};
  return form;
}

Form kronecker(Given given) {
  auto form = Form::array(element_product(given[0].type, given[1].type));
  const auto &x = given[0].extents, &y = given[1].extents;
  if (!x || !y) return form;
  const auto rank = std::max(x->size(), y->size());
  const auto at = [&](const Extents& extents, std::size_t d) -> Extent {
    return d + extents.size() < rank ? Extent(1) : extents[d + extents.size() - rank];
  };
  form.extents.emplace();
  for (std::size_t d = 0; d < rank; ++d) {
    const auto a = at(*x, d), b = at(*y, d);
    form.extents->push_back(a && b ? Extent(*a * *b) : std::nullopt);
  }
  return form;
}

// Powers of integers have 64 bits; their inverse, for a negative power, is double.
Form power(Given given) {
  Type type;
  if (const auto kind = kind_of(given[0].type); kind && !is_integer(*kind))
    type = type_of(*kind);
  else if (kind && given[1].value)
    type = type_of(given[1].value->is_negative() ? Kind::float64 : Kind::long64);
  return Form::array(std::move(type), given[0].extents);
}

constexpr Function kMatrixFunctions[] = {
    {.name = "matmul",
     .signatures = "array matmul(matrix a, matrix b [, double scale_a = 1, double scale_b = 1])",
     .help = "Matrix product, also of vectors and batches; with alpha *, + beta * c, + bias and relu() around it still "
             "one call of cuBLASLt or OpenBLAS. One of the two may be a sparse matrix: csr(), coo(). "
             "Elements of __nv_fp8_e4m3 and __nv_fp8_e5m2 are multiplied by scale_a and scale_b, and give float",
     .example = "matmul(reshape(x, 2, 3), reshape(y, 3, 2))",
     .operation = Operation::matmul,
     .result = product},
    {.name = "outer",
     .signatures = "array outer(array a, array b)",
     .help = "Each element of a by each element of b, as a matrix",
     .example = "outer(x, y)",
     .operation = Operation::outer,
     .result = outer,
     .part = "series"},
    {.name = "einsum",
     .signatures = "array einsum(const char* subscripts, array a, ...)",
     .help = "Sums over products of arrays whose axes have letters; axes that the output lacks are summed over; "
             "... means those without letters",
     .example = "einsum(\"ij,kj->ik\", reshape(x, 2, 3), reshape(y, 2, 3))",
     .operation = Operation::einsum,
     .result = [](Given) { return Form(); }},
    {.name = "kron",
     .signatures = "array kron(array a, array b)",
     .help = "The Kronecker product: b as a block for each element of a, multiplied by it",
     .example = "kron(reshape(x, 2, 3), reshape(y, 2, 3))",
     .operation = Operation::kron,
     .result = kronecker,
     .part = "series"},
    {.name = "matrix_power",
     .signatures = "array matrix_power(array a, int n)",
     .help = "The n-th power of a square matrix; the identity for n = 0, powers of the inverse for n < 0",
     .example = "matrix_power(reshape(x[0:4], 2, 2), 3)",
     .operation = Operation::matrix_power,
     .result = power},
};

}  // namespace

std::span<const Function> functions_of_matrices() { return kMatrixFunctions; }

}  // namespace xcuda::language
