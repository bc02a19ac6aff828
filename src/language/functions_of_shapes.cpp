// The functions that place elements: views of the same elements in another shape, and arrays put together from others.
#include <algorithm>

#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

// Of the elements of the first argument; the run says the shape.
Form same_elements(Given given) { return Form::array(given[0].is_array() ? given[0].type : Type()); }
Form same_view(Given given) {
  auto form = same_elements(given);
  form.memory = Form::Memory::part;
  return form;
}
Form same_shape(Given given) { return Form::array(given[0].type, given[0].extents); }
Form of_reals(Given) { return Form::array(type_of(Kind::float64)); }
Form flat_view(Given given) {
  auto form = same_view(given);
  form.extents = Extents{std::nullopt};
  if (given[0].extents && given[0].rank() == 1) form.extents = given[0].extents;
  return form;
}
Form not_known(Given) { return Form::array({}); }

#define XCUDA_ROW(name_, signatures_, help_, example_, rule_)                                                     \
  {                                                                                                               \
    .name = #name_, .signatures = signatures_, .help = help_, .example = example_, .operation = Operation::name_, \
    .result = rule_                                                                                               \
  }
#define XCUDA_SEVERAL(name_, signatures_, help_, example_, rule_, results_)                                       \
  {                                                                                                               \
    .name = #name_, .signatures = signatures_, .help = help_, .example = example_, .operation = Operation::name_, \
    .result = rule_, .results = results_                                                                          \
  }

constexpr Function kShapeFunctions[] = {
    // --- views
    XCUDA_ROW(flatten, "array flatten(array x)", "All elements in a row", "flatten(reshape(x, 2, 3))", flat_view),
    XCUDA_ROW(ravel, "array ravel(array x)", "All elements in a row", "ravel(reshape(x, 2, 3))", flat_view),
    XCUDA_ROW(squeeze, "array squeeze(array x [, int axis])", "Without the extents of 1, or without one of them",
              "squeeze(reshape(x, 1, 6))", same_view),
    XCUDA_ROW(expand_dims, "array expand_dims(array x, int axis)", "With a new extent of 1: x[:, newaxis]",
              "expand_dims(x, 1)", same_view),
    XCUDA_ROW(moveaxis, "array moveaxis(array x, int source, int destination)", "With one axis in another place",
              "moveaxis(reshape(x, 1, 2, 3), 0, 2)", same_view),
    XCUDA_ROW(swapaxes, "array swapaxes(array x, int axis1, int axis2)", "With two axes exchanged",
              "swapaxes(reshape(x, 2, 3), 0, 1)", same_view),
    XCUDA_ROW(permute_dims, "array permute_dims(array x, extents axes, ...)", "With the axes in this order",
              "permute_dims(reshape(x, 1, 2, 3), 2, 0, 1)", same_view),
    XCUDA_ROW(broadcast_to, "array broadcast_to(array x, extents n, ...)", "Repeated along new extents and those of 1",
              "broadcast_to(x, 2, 6)", same_view),
    XCUDA_ROW(flip, "array flip(array x [, int axis])", "In the opposite order along an axis, or along all", "flip(x)",
              [](Given given) {
                auto form = same_shape(given);
                form.memory = Form::Memory::part;
                return form;
              }),
    XCUDA_ROW(fliplr, "array fliplr(array x)", "With the columns in the opposite order", "fliplr(reshape(x, 2, 3))",
              same_view),
    XCUDA_ROW(flipud, "array flipud(array x)", "With the rows in the opposite order", "flipud(reshape(x, 2, 3))",
              same_view),
    XCUDA_ROW(rot90, "array rot90(array x [, int k = 1])",
              "Rotated k times by 90 degrees, from the first axis to the second", "rot90(reshape(x, 2, 3))", same_view),
    XCUDA_ROW(diagonal, "array diagonal(array x [, int k = 0])",
              "The elements of a diagonal; k > 0 is above the main one", "diagonal(reshape(x, 2, 3), k = 1)",
              same_view),
    // --- put together
    XCUDA_ROW(concatenate, "array concatenate(arrays list [, int axis = 0])", "One after the other along an axis",
              "concatenate({x, y})", not_known),
    XCUDA_ROW(stack, "array stack(arrays list [, int axis = 0])", "One after the other along a new axis",
              "stack({x, y})", not_known),
    XCUDA_ROW(hstack, "array hstack(arrays list)", "Side by side: along the second axis, or the only one",
              "hstack({x, y})", not_known),
    XCUDA_ROW(vstack, "array vstack(arrays list)", "One below the other, as rows", "vstack({x, y})", not_known),
    XCUDA_ROW(append, "array append(array x, T values [, int axis])",
              "x and then the values: of all elements in a row, or along an axis", "append(x, 7)", same_elements),
    XCUDA_SEVERAL(split, "array split(array x, int n [, int axis = 0])",
                  "n pieces of one size: auto [a, b] = split(x, 2); alone, the pieces along a new first axis",
                  "split(x, 2)", same_elements, 32),
    XCUDA_ROW(tile, "array tile(array x, extents n, ...)", "Copies of x side by side", "tile(x, 2)", same_elements),
    XCUDA_ROW(repeat, "array repeat(array x, int n [, int axis])",
              "Each element n times: of all elements in a row, or along an axis", "repeat(x, 2)", same_elements),
    XCUDA_ROW(
        pad, "array pad(array x, extents width [, T value = 0, const char* mode = \"constant\"])",
        "With more elements at both ends of each axis, or {before, after}; mode \"edge\", \"reflect\" or \"wrap\"",
        "pad(x, {1, 2}, value = 9)", same_elements),
    XCUDA_ROW(take, "array take(array x, array indices [, int axis])",
              "The elements at these indices: x[indices], or along an axis", "take(x, argsort(x))", same_elements),
    XCUDA_ROW(copy, "array copy(array x)", "The same elements in memory of their own", "copy(x)", same_shape),
    XCUDA_ROW(diag, "array diag(array x [, int k = 0])",
              "The diagonal of a matrix, or the matrix with x as its diagonal", "diag(x)", same_elements),
    XCUDA_ROW(tril, "array tril(array x [, int k = 0])", "Zero above the diagonal", "tril(reshape(x, 2, 3))",
              same_shape),
    XCUDA_ROW(triu, "array triu(array x [, int k = 0])", "Zero below the diagonal", "triu(reshape(x, 2, 3))",
              same_shape),
    XCUDA_SEVERAL(meshgrid, "array meshgrid(array x, array y)",
                  "The coordinates of a grid: auto [xs, ys] = meshgrid(x, y);", "meshgrid(x, y)", same_elements, 2),
    // --- new arrays
    XCUDA_ROW(zeros, "array zeros(extents n, ...)", "An array of zeros, of double unless the call says zeros<float>(n)",
              "zeros<float>(2, 3)", of_reals),
    XCUDA_ROW(ones, "array ones(extents n, ...)", "An array of ones, of double unless the call says ones<float>(n)",
              "ones<int>(4)", of_reals),
    XCUDA_ROW(full, "array full(extents n, T value)", "An array of one value, of its type", "full({2, 3}, 7)",
              [](Given given) { return Form::array(given[1].is_array() ? Type() : given[1].type); }),
    XCUDA_ROW(zeros_like, "array zeros_like(array x)", "Zeros of the type and shape of x", "zeros_like(x)", same_shape),
    XCUDA_ROW(ones_like, "array ones_like(array x)", "Ones of the type and shape of x", "ones_like(x)", same_shape),
    XCUDA_ROW(full_like, "array full_like(array x, T value)", "One value in the type and shape of x", "full_like(x, 7)",
              same_shape),
    XCUDA_ROW(eye, "array eye(size_t n [, size_t m, int k = 0])",
              "Ones on a diagonal, of double unless the call says eye<float>(n)", "eye<float>(3)", of_reals),
    XCUDA_ROW(identity, "array identity(size_t n)",
              "Ones on the diagonal, of double unless the call says identity<float>(n)", "identity<int>(2)", of_reals),
    XCUDA_ROW(tri, "array tri(size_t n [, size_t m, int k = 0])", "Ones on the diagonal and below", "tri<int>(3)",
              of_reals),
    XCUDA_ROW(logspace, "array logspace(start, stop [, size_t num = 50, double base = 10])",
              "Powers of the base, whose exponents go from start to stop, both included", "logspace(0, 2, 3)",
              of_reals),
    XCUDA_ROW(geomspace, "array geomspace(start, stop [, size_t num = 50])",
              "From start to stop, both included, each the same multiple of the one before", "geomspace(1, 8, 4)",
              of_reals),
};

}  // namespace

std::span<const Function> functions_of_shapes() { return kShapeFunctions; }

}  // namespace xcuda::language
