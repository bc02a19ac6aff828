// The functions that place elements: views of the same elements in another shape, and arrays put together from others.
#include <algorithm>

#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

// What a view or a copy has of the first argument.
Type elements_of(Given given) { return given[0].is_array() ? given[0].type : Type(); }
Form same_shape(Given given) { return Form::array(given[0].type, given[0].extents); }
Form same_rank(Given given) { return of_rank(elements_of(given), given[0].rank()); }
Form in_a_row(Given given) { return of_rank(elements_of(given), 1); }
Form viewed(Form form) {
  if (form.is_array()) form.memory = Form::Memory::part;
  return form;
}
Form view_of_rank(Given given) { return viewed(same_rank(given)); }
Form flat_view(Given given) {
  auto form = viewed(in_a_row(given));
  if (given[0].rank() == 1) form.extents = given[0].extents;
  return form;
}
Form with_rank(Given given, int more) {
  const auto rank = given[0].rank();
  return of_rank(elements_of(given), rank ? std::optional(*rank + static_cast<std::size_t>(more)) : std::nullopt);
}
// The form of all elements in a row, unless there is an axis.
Form along_or_flat(Given given, std::size_t axis) { return is_given(given, axis) ? same_rank(given) : in_a_row(given); }

// Where an axis is, among so many.
std::optional<std::size_t> place_of_axis(const Form& axis, std::size_t rank) {
  if (!axis.value) return std::nullopt;
  const auto at = axis.value->is_negative() ? axis.value->as_unsigned() + rank : axis.value->as_unsigned();
  return at < rank ? std::optional(static_cast<std::size_t>(at)) : std::nullopt;
}

// Without an axis, the extents of 1 go: the run says which those are.
Form squeezed(Given given) {
  const auto& x = given[0];
  if (!x.extents) return viewed(Form::array(x.type));
  auto extents = *x.extents;
  if (is_given(given, 1)) {
    const auto at = place_of_axis(given[1], extents.size());
    if (!at) return extents.empty() ? Form() : viewed(of_rank(x.type, extents.size() - 1));
    extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(*at));
    return viewed(of_extents(x.type, std::move(extents)));
  }
  if (std::any_of(extents.begin(), extents.end(), [](const Extent& one) { return !one; })) return {};
  std::erase(extents, Extent(1));
  return viewed(of_extents(x.type, std::move(extents)));
}

Form diagonal_form(Given given) {
  const auto rank = given[0].rank();
  return rank && *rank < 2 ? Form::array(given[0].type) : with_rank(given, -1);
}

// --- lists of arrays: the type that holds them all, and the number of dimensions
Form joined(Given given, std::size_t more = 0, std::size_t least = 1) {
  const auto& parts = given[0].parts;
  if (given[0].kind != Form::Kind::list || parts.empty()) return Form::array({});
  auto type = parts.front().type;
  for (const auto& one : parts) type = type.name.empty() ? type : shared_type(type, one.type);
  if (!parts.front().rank()) return Form::array(std::move(type));
  return of_rank(std::move(type), std::max(*parts.front().rank() + more, least));
}

Form appended(Given given) {
  auto form = along_or_flat(given, 2);
  form.type = shared_type(given[0].type, given[1].type);
  return form;
}

Form taken(Given given) {
  const auto rank = given[0].rank(), more = given[1].rank();
  if (!is_given(given, 2)) return of_rank(elements_of(given), more);
  return of_rank(elements_of(given), rank && more && *rank > 0 ? std::optional(*rank - 1 + *more) : std::nullopt);
}

Form tiled(Given given) {
  const auto rank = given[0].rank();
  const auto counts = extents_of(given.subspan(1));
  return of_rank(elements_of(given), rank && counts ? std::optional(std::max(*rank, counts->size())) : std::nullopt);
}
Form broadcast_form(Given given) { return viewed(Form::array(elements_of(given), extents_of(given.subspan(1)))); }
Form of_reals(Given given) { return Form::array(type_of(Kind::float64), extents_of(given)); }
Form real_row(Given) { return of_rank(type_of(Kind::float64), 1); }
Form real_matrix(Given) { return of_rank(type_of(Kind::float64), 2); }

#define XCUDA_ROW(name_, signatures_, help_, example_, rule_)                                                     \
  {                                                                                                               \
    .name = #name_, .signatures = signatures_, .help = help_, .example = example_, .operation = Operation::name_, \
    .result = rule_, .part = "shapes"                                                                             \
  }
#define XCUDA_SEVERAL(name_, signatures_, help_, example_, rule_, results_)                                       \
  {                                                                                                               \
    .name = #name_, .signatures = signatures_, .help = help_, .example = example_, .operation = Operation::name_, \
    .result = rule_, .part = "shapes", .results = results_                                                        \
  }

constexpr Function kShapeFunctions[] = {
    // --- views
    XCUDA_ROW(flatten, "array flatten(array x)", "All elements in one dimension", "flatten(reshape(x, 2, 3))",
              flat_view),
    XCUDA_ROW(ravel, "array ravel(array x)", "All elements in one dimension", "ravel(reshape(x, 2, 3))", flat_view),
    XCUDA_ROW(squeeze, "array squeeze(array x [, int axis])", "Without the axes of extent 1, or without one of them",
              "squeeze(reshape(x, 1, 6))", squeezed),
    XCUDA_ROW(expand_dims, "array expand_dims(array x, int axis)", "With a new axis of extent 1: x[:, newaxis]",
              "expand_dims(x, 1)", [](Given given) { return viewed(with_rank(given, 1)); }),
    XCUDA_ROW(moveaxis, "array moveaxis(array x, int source, int destination)", "With one axis in another place",
              "moveaxis(reshape(x, 1, 2, 3), 0, 2)", view_of_rank),
    XCUDA_ROW(swapaxes, "array swapaxes(array x, int axis1, int axis2)", "With two axes exchanged",
              "swapaxes(reshape(x, 2, 3), 0, 1)", view_of_rank),
    XCUDA_ROW(permute_dims, "array permute_dims(array x, extents axes, ...)", "With the axes in this order",
              "permute_dims(reshape(x, 1, 2, 3), 2, 0, 1)", view_of_rank),
    XCUDA_ROW(broadcast_to, "array broadcast_to(array x, extents n, ...)",
              "Repeated along new axes and those of extent 1", "broadcast_to(x, 2, 6)", broadcast_form),
    XCUDA_ROW(flip, "array flip(array x [, int axis])", "In reverse order along an axis, or along all", "flip(x)",
              [](Given given) { return viewed(same_shape(given)); }),
    XCUDA_ROW(fliplr, "array fliplr(array x)", "With the columns in reverse order", "fliplr(reshape(x, 2, 3))",
              view_of_rank),
    XCUDA_ROW(flipud, "array flipud(array x)", "With the rows in reverse order", "flipud(reshape(x, 2, 3))",
              view_of_rank),
    XCUDA_ROW(rot90, "array rot90(array x [, int k = 1])",
              "Rotated k times by 90 degrees, from the first axis to the second", "rot90(reshape(x, 2, 3))",
              view_of_rank),
    XCUDA_ROW(diagonal, "array diagonal(array x [, int k = 0])",
              "The elements of a diagonal; k > 0 is above the main one", "diagonal(reshape(x, 2, 3), k = 1)",
              [](Given given) { return viewed(diagonal_form(given)); }),
    // --- put together
    XCUDA_ROW(concatenate, "array concatenate(arrays list [, int axis = 0])", "One after the other along an axis",
              "concatenate({x, y})", [](Given given) { return joined(given); }),
    XCUDA_ROW(stack, "array stack(arrays list [, int axis = 0])", "One after the other along a new axis",
              "stack({x, y})", [](Given given) { return joined(given, 1); }),
    XCUDA_ROW(hstack, "array hstack(arrays list)", "Side by side: along the second axis, or the only one",
              "hstack({x, y})", [](Given given) { return joined(given); }),
    XCUDA_ROW(vstack, "array vstack(arrays list)", "One below the other, as rows", "vstack({x, y})",
              [](Given given) { return joined(given, 0, 2); }),
    XCUDA_ROW(append, "array append(array x, T values [, int axis])",
              "x followed by the values: flattened, or along an axis", "append(x, 7)", appended),
    XCUDA_SEVERAL(
        split, "array split(array x, extents sections [, int axis = 0])",
        "Pieces of equal size, auto [a, b] = split(x, 2), or pieces that begin at {places}; under one name they lie "
        "along a new first axis",
        "split(x, 2)", [](Given given) { return viewed(with_rank(given, 1)); }, 32),
    XCUDA_ROW(tile, "array tile(array x, extents n, ...)", "Copies of x side by side", "tile(x, 2)", tiled),
    XCUDA_ROW(repeat, "array repeat(array x, T n [, int axis])",
              "Each element n times, or as often as an array says: flattened, or along an axis", "repeat(x, 2)",
              [](Given given) { return along_or_flat(given, 2); }),
    XCUDA_ROW(
        pad,
        "array pad(array x, extents width [, T value = 0, const char* mode = "
        "\"constant\"|\"edge\"|\"reflect\"|\"symmetric\"|\"wrap\"])",
        "With more elements at both ends: n, {before, after}, or {{before, after}, ...} of each axis; mode \"edge\", "
        "\"reflect\", \"symmetric\" or \"wrap\"",
        "pad(x, {1, 2}, value = 9)", same_rank),
    XCUDA_ROW(take, "array take(array x, array indices [, int axis])",
              "The elements at these indices: x[indices], or along an axis", "take(x, argsort(x))", taken),
    {.name = "take_along_axis",
     .signatures = "array take_along_axis(array x, array indices [, int axis = -1])",
     .help =
         "One element of each line for each of its indices, as argsort(x) and argmax(x, axis, keep = true) give them",
     .example = "take_along_axis(x, argsort(x))",
     .operation = Operation::take_along_axis,
     .result = same_rank,
     .part = "shapes"},
    XCUDA_ROW(copy, "array copy(array x)", "A copy of the elements in memory of its own", "copy(x)", same_shape),
    XCUDA_ROW(diag, "array diag(array x [, int k = 0])",
              "The diagonal of a matrix, or the matrix with x as its diagonal", "diag(x)",
              [](Given given) { return with_rank(given, given[0].rank() == 1 ? 1 : -1); }),
    XCUDA_ROW(tril, "array tril(array x [, int k = 0])", "Zero above the diagonal", "tril(reshape(x, 2, 3))",
              same_shape),
    XCUDA_ROW(triu, "array triu(array x [, int k = 0])", "Zero below the diagonal", "triu(reshape(x, 2, 3))",
              same_shape),
    XCUDA_SEVERAL(
        meshgrid, "array meshgrid(array x, array y, ...)", "The coordinates of a grid: auto [xs, ys] = meshgrid(x, y);",
        "meshgrid(x, y)", [](Given given) { return viewed(of_rank(elements_of(given), given.size())); }, 32),
    // --- new arrays
    XCUDA_ROW(zeros, "array zeros(extents n, ...)", "An array of zeros, of double unless the call says zeros<float>(n)",
              "zeros<float>(2, 3)", of_reals),
    XCUDA_ROW(ones, "array ones(extents n, ...)", "An array of ones, of double unless the call says ones<float>(n)",
              "ones<int>(4)", of_reals),
    XCUDA_ROW(full, "array full(extents n, T value)", "An array of one value, of its type", "full({2, 3}, 7)",
              [](Given given) {
                return Form::array(given[1].is_array() ? Type() : given[1].type, extents_of(given.first(1)));
              }),
    XCUDA_ROW(zeros_like, "array zeros_like(array x)", "Zeros of the type and shape of x", "zeros_like(x)", same_shape),
    XCUDA_ROW(ones_like, "array ones_like(array x)", "Ones of the type and shape of x", "ones_like(x)", same_shape),
    XCUDA_ROW(full_like, "array full_like(array x, T value)", "One value in the type and shape of x", "full_like(x, 7)",
              same_shape),
    XCUDA_ROW(eye, "array eye(size_t n [, size_t m, int k = 0])",
              "Ones on a diagonal, of double unless the call says eye<float>(n)", "eye<float>(3)", real_matrix),
    XCUDA_ROW(identity, "array identity(size_t n)",
              "Ones on the diagonal, of double unless the call says identity<float>(n)", "identity<int>(2)",
              real_matrix),
    XCUDA_ROW(tri, "array tri(size_t n [, size_t m, int k = 0])", "Ones on the diagonal and below", "tri<int>(3)",
              real_matrix),
    XCUDA_ROW(logspace, "array logspace(start, stop [, size_t num = 50, double base = 10])",
              "Powers of the base, whose exponents go from start to stop, both included", "logspace(0, 2, 3)",
              real_row),
    XCUDA_ROW(geomspace, "array geomspace(start, stop [, size_t num = 50])",
              "From start to stop, both included, each the same multiple of the one before", "geomspace(1, 8, 4)",
              real_row),
};

}  // namespace

std::span<const Function> functions_of_shapes() { return kShapeFunctions; }

}  // namespace xcuda::language
