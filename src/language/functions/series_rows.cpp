// The functions of series and samples: running values, differences, searches, sorts along an axis, statistics without
// NaN.
#include <algorithm>

#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

Type series_real(const Type& type) { return type.is_integer() ? type_of(Kind::float64) : type; }

// Of what is divided or multiplied by dx: a number has the type of the array, an array its own.
Type spaced(Given given) {
  const auto type = series_real(given[0].type);
  return is_given(given, 1) && given[1].is_array() ? shared_type(type, series_real(given[1].type)) : type;
}

// One for each element, or one for a number.
Form of_each(const Form& values, Type type) {
  if (!values.is_known()) return {};
  return values.is_array() ? Form::array(std::move(type), values.extents) : Form::number(std::move(type));
}
Form row_of_indices(Given) { return of_rank(type_of(Kind::ulong64), 1); }
Form nan_reduced(Given given) {
  return reduced(given, given[0].type.is_integer() ? sum_type(given[0].type) : given[0].type);
}
Form nan_extreme(Given given) { return reduced(given, given[0].type); }
Form nan_real(Given given) { return reduced(given, type_of(Kind::float64)); }

Form averaged_by_weights(Given given) {
  const auto at = [&](std::size_t i) { return is_given(given, i) ? given[i] : Form::of(Form::Kind::nothing); };
  const Form along[] = {given[0], at(2), at(3)};
  return reduced(along, type_of(Kind::float64));
}

Form running_sums(Given given) {
  const auto type = sum_type(given[0].type);
  return is_given(given, 1) ? Form::array(type, given[0].extents) : of_rank(type, 1);
}
Form of_values(const Form& values, Kind kind) { return of_each(values, type_of(kind)); }
Form clipped(Given given) {
  if (!given[0].is_known()) return {};
  const auto low = spread(shared_type(given[0].type, given[1].type), given[0], given[1]);
  return spread(shared_type(low.type, given[2].type), low, given[2]);
}
Form convolved(Given given) {
  const auto &x = given[0].type, &y = given[1].type;
  const bool whole = x.is_integer() && y.is_integer();
  return of_rank(whole ? type_of(Kind::long64) : shared_type(series_real(x), series_real(y)), 1);
}

// Each part of q: a number, or along new first axes where q is a list or an array.
Form quantiles(Given given) {
  const auto type = series_real(given[0].type);
  auto whole = is_given(given, 2) ? reduced_along(given[0], given[2], type) : Form::number(type);
  if (!given[1].is_known()) return {};
  if (!given[1].is_array() || !whole.is_known()) return whole;
  auto extents = whole.is_array() ? whole.extents : std::optional(Extents());
  if (!given[1].extents) return Form::array(type);
  if (extents) extents->insert(extents->begin(), given[1].extents->begin(), given[1].extents->end());
  return Form::array(type, std::move(extents));
}

#define XCUDA_IN(part_, name_, signatures_, help_, example_, rule_)                                               \
  {                                                                                                               \
    .name = #name_, .signatures = signatures_, .help = help_, .example = example_, .operation = Operation::name_, \
    .result = rule_, .part = part_                                                                                \
  }
#define XCUDA_OF(part_, name_, signatures_, help_, example_, rule_, results_)                                     \
  {                                                                                                               \
    .name = #name_, .signatures = signatures_, .help = help_, .example = example_, .operation = Operation::name_, \
    .result = rule_, .part = part_, .results = results_                                                           \
  }

constexpr Function kSeriesFunctions[] = {
    XCUDA_IN("series", cumsum, "array cumsum(array x [, int axis])", "Running sums of all elements, or along an axis",
             "cumsum(x)", running_sums),
    XCUDA_IN("series", diff, "array diff(array x [, int n = 1, int axis = -1])",
             "Differences of neighbours along an axis, the last by default, taken n times", "diff(x)",
             [](Given given) { return of_rank(computed_type(given[0].type, given[0].type), given[0].rank()); }),
    XCUDA_OF(
        "series", gradient, "array gradient(array x [, T dx = 1, int axis])",
        "Central differences divided by dx, the distance of neighbours, or an array of where they are; "
        "auto [dy, dx] = gradient(m) gives one array for each axis",
        "gradient(x)", [](Given given) { return Form::array(spaced(given), given[0].extents); }, 32),
    XCUDA_IN("series", trapezoid, "T trapezoid(array y [, T dx = 1, int axis = -1])",
             "The integral by the trapezoidal rule along an axis, the last by default; dx is the distance of "
             "neighbours, or an array of where they are",
             "trapezoid(x, 0.5)", [](Given given) { return reduced_along(given[0], given[2], spaced(given)); }),
    XCUDA_IN("series", interp, "double interp(T x, array xp, array fp)",
             "Linear interpolation between the points (xp, fp) with ascending xp; outside them, the first or last fp",
             "interp(y, sort(x), x)", [](Given given) { return of_values(given[0], Kind::float64); }),
    XCUDA_IN("series", searchsorted,
             "size_t searchsorted(array sorted, T values [, const char* side = \"left\"|\"right\"])",
             "Where the values belong in a sorted array: before equal elements, or after them with side \"right\"",
             "searchsorted(sort(x), y)", [](Given given) { return of_values(given[1], Kind::ulong64); }),
    XCUDA_IN("series", digitize, "size_t digitize(T x, array bins [, bool right = false])",
             "The number of each element's bin; bins are the ascending or descending edges", "digitize(x, sort(y))",
             [](Given given) { return of_values(given[0], Kind::ulong64); }),
    XCUDA_IN("series", clip, "T clip(T x, T lo, T hi)", "Elements below lo become lo, those above hi become hi",
             "clip(x, 2, 5)", clipped),
    XCUDA_IN(
        "series", isclose, "bool isclose(T a, T b [, double rtol = 1e-5, double atol = 1e-8])",
        "Where |a - b| <= atol + rtol |b|", "isclose(x, x + 1e-9)",
        [](Given given) { return given[0].is_known() ? spread(type_of(Kind::boolean), given[0], given[1]) : Form(); }),
    XCUDA_IN("series", array_equal, "bool array_equal(array a, array b)",
             "Whether two arrays have the same shape and elements", "array_equal(x, x)",
             [](Given) { return Form::number(Kind::boolean); }),
    XCUDA_IN("series", cross, "array cross(array x, array y)",
             "The cross product of vectors of three elements along the last axis", "cross(x[0:3], y[0:3])",
             [](Given given) { return spread(computed_type(given[0].type, given[1].type), given[0], given[1]); }),
    XCUDA_IN("series", trace, "T trace(array x [, int k = 0])", "The sum of a diagonal", "trace(reshape(x, 2, 3))",
             [](Given given) {
               const auto rank = given[0].rank();
               return rank && *rank >= 2 ? of_rank(sum_type(given[0].type), *rank - 2) : Form();
             }),
    XCUDA_IN("series", convolve, "array convolve(array x, array y [, const char* mode = \"full\"|\"same\"|\"valid\"])",
             "The convolution of two one-dimensional arrays; mode \"full\", \"same\" or \"valid\"", "convolve(x, y)",
             convolved),
    XCUDA_IN("", correlate, "array correlate(array x, array y [, const char* mode = \"valid\"|\"same\"|\"full\"])",
             "The sums of x[i + k] times the conjugate of y[i], of two one-dimensional arrays; mode \"full\", \"same\" "
             "or \"valid\"",
             "correlate(x, y)", [](Given) { return of_rank(Type(), 1); }),
    XCUDA_IN("", conv2d, "array conv2d(array x, array y [, const char* mode = \"full\"|\"same\"|\"valid\"])",
             "The convolution of planes, the last two dimensions of x, with a kernel y; mode \"full\", \"same\" or "
             "\"valid\"",
             "conv2d(reshape(x, 2, 3), reshape(y[0:2], 1, 2))",
             [](Given given) { return of_rank(Type(), given[0].rank()); }),
    // --- statistics
    XCUDA_IN("samples", average, "double average(array x [, array weights, int axis, bool keep = false])",
             "The mean, weighted if weights are given: of the shape of x, or one for each element along the axis",
             "average(x, y)", averaged_by_weights),
    XCUDA_IN("samples", ptp, "T ptp(array x [, int axis, bool keep = false])",
             "The difference between the greatest and the least element", "ptp(x)",
             [](Given given) { return reduced(given, given[0].type); }),
    XCUDA_IN(
        "samples", percentile,
        "double percentile(array x, T q [, int axis, const char* method = "
        "\"linear\"|\"lower\"|\"higher\"|\"nearest\"|\"midpoint\"])",
        "The value below which q percent of the elements lie; between two of them, as method says; q may be a list "
        "or an array",
        "percentile(x, 25)", quantiles),
    XCUDA_IN("samples", quantile,
             "double quantile(array x, T q [, int axis, const char* method = "
             "\"linear\"|\"lower\"|\"higher\"|\"nearest\"|\"midpoint\"])",
             "percentile(x, 100 * q)", "quantile(x, 0.5)", quantiles),
    XCUDA_OF(
        "samples", topk, "array topk(array x, size_t k [, int axis = -1])",
        "The k greatest elements, the greatest first: auto [values, indices] = topk(x, 3);", "topk(x, 3)",
        [](Given given) { return of_rank(given[0].type, given[0].rank()); }, 2),
    XCUDA_IN(
        "samples", bincount, "array bincount(array x [, array weights, size_t minlength = 0])",
        "How often each integer from 0 on occurs, or the sum of its weights", "bincount((int)x)",
        [](Given given) { return of_rank(is_given(given, 1) ? type_of(Kind::float64) : type_of(Kind::ulong64), 1); }),
    XCUDA_OF(
        "samples", nonzero, "array nonzero(array x)",
        "The indices of the elements that are not zero: auto [rows, columns] = nonzero(m) gives those of each axis",
        "nonzero(x > 3)", row_of_indices, 32),
    XCUDA_IN("samples", flatnonzero, "array flatnonzero(array x)",
             "The indices, in the flattened array, of the elements that are not zero", "flatnonzero(x > 3)",
             row_of_indices),
    XCUDA_IN("samples", argwhere, "array argwhere(array x)",
             "The indices of the elements that are not zero, a row for each", "argwhere(x > 3)",
             [](Given) { return of_rank(type_of(Kind::ulong64), 2); }),
    XCUDA_IN("samples", count_nonzero, "size_t count_nonzero(array x [, int axis, bool keep = false])",
             "How many elements are not zero: count(x)", "count_nonzero(x > 3)",
             [](Given given) { return reduced(given, type_of(Kind::ulong64)); }),
    XCUDA_OF(
        "samples", histogram2d, "array histogram2d(array x, array y [, size_t bins = 10])",
        "Counts of pairs in bins × bins from the least to the greatest: auto [counts, x_edges, y_edges]",
        "histogram2d(x, x, bins = 2)", [](Given) { return of_rank(type_of(Kind::float64), 2); }, 3),
    XCUDA_IN("samples", isin, "bool isin(T x, array values)", "Where elements of x are among the values", "isin(x, y)",
             [](Given given) { return of_values(given[0], Kind::boolean); }),
    XCUDA_IN("samples", nan_to_num, "T nan_to_num(T x [, double nan = 0])",
             "With NaN replaced by `nan`, and infinities by the greatest finite numbers", "nan_to_num(x)",
             [](Given given) { return of_each(given[0], given[0].type); }),
    XCUDA_IN("samples", nansum, "T nansum(array x [, int axis, bool keep = false])", "sum() of what is not NaN",
             "nansum(x)", nan_reduced),
    XCUDA_IN("samples", nanprod, "T nanprod(array x [, int axis, bool keep = false])", "prod() of what is not NaN",
             "nanprod(x)", nan_reduced),
    XCUDA_IN("samples", nanmin, "T nanmin(array x [, int axis, bool keep = false])", "min() of what is not NaN",
             "nanmin(x)", nan_extreme),
    XCUDA_IN("samples", nanmax, "T nanmax(array x [, int axis, bool keep = false])", "max() of what is not NaN",
             "nanmax(x)", nan_extreme),
    XCUDA_IN("samples", nanmean, "double nanmean(array x [, int axis, bool keep = false])", "mean() of what is not NaN",
             "nanmean(x)", nan_real),
    XCUDA_IN("samples", nanvar, "double nanvar(array x [, int axis, bool keep = false, double ddof = 0])",
             "var() of what is not NaN", "nanvar(x)", nan_real),
    XCUDA_IN("samples", nanstd, "double nanstd(array x [, int axis, bool keep = false, double ddof = 0])",
             "std() of what is not NaN", "nanstd(x)", nan_real),
};

}  // namespace

std::span<const Function> functions_of_series() { return kSeriesFunctions; }

}  // namespace xcuda::language
