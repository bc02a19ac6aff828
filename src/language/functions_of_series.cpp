// The functions of series and samples: running values, differences, searches, sorts along an axis, statistics without
// NaN.
#include <algorithm>

#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

Type series_real(const Type& type) { return type.is_integer() ? type_of(Kind::float64) : type; }

Form series_of_elements(Given given) { return Form::array(given[0].type); }
Form series_of_reals(Given given) { return Form::array(series_real(given[0].type)); }
Form series_of_doubles(Given) { return Form::array(type_of(Kind::float64)); }
Form series_of_indices(Given) { return Form::array(type_of(Kind::ulong64)); }
Form series_of_truths(Given) { return Form::array(type_of(Kind::boolean)); }
Form series_like(Given given) { return Form::array(given[0].type, given[0].extents); }
Form series_open(Given) { return Form::array({}); }
Form number_or_array(Given) { return {}; }  // by the arguments: the run says it
Form nan_reduced(Given given) { return reduced(given, given[0].type.is_integer() ? Type() : given[0].type); }
Form nan_real(Given given) { return reduced(given, type_of(Kind::float64)); }

#define XCUDA_SERIES(name_, signatures_, help_, example_, rule_)                                                  \
  {                                                                                                               \
    .name = #name_, .signatures = signatures_, .help = help_, .example = example_, .operation = Operation::name_, \
    .result = rule_                                                                                               \
  }
#define XCUDA_SERIES_OF(name_, signatures_, help_, example_, rule_, results_)                                     \
  {                                                                                                               \
    .name = #name_, .signatures = signatures_, .help = help_, .example = example_, .operation = Operation::name_, \
    .result = rule_, .results = results_                                                                          \
  }

constexpr Function kSeriesFunctions[] = {
    XCUDA_SERIES(cumsum, "array cumsum(array x [, int axis])",
                 "Running sums of all elements in a row, or along an axis", "cumsum(x)", series_open),
    XCUDA_SERIES(diff, "array diff(array x [, int n = 1, int axis = -1])",
                 "Differences of neighbours along the last axis or another, n times", "diff(x)", series_open),
    XCUDA_SERIES_OF(
        gradient, "array gradient(array x [, double dx = 1, int axis])",
        "Half the differences of the neighbours on both sides over dx; auto [dy, dx] = gradient(m) of each axis",
        "gradient(x)", series_of_reals, 32),
    XCUDA_SERIES(trapezoid, "T trapezoid(array y [, double dx = 1, int axis = -1])",
                 "The integral by trapezoids along the last axis or another", "trapezoid(x, 0.5)", number_or_array),
    XCUDA_SERIES(interp, "array interp(array x, array xp, array fp)",
                 "Between the points (xp, fp), whose xp rise, on straight lines; outside the first and the last fp",
                 "interp(y, sort(x), x)", series_of_doubles),
    XCUDA_SERIES(searchsorted, "size_t searchsorted(array sorted, T values [, const char* side = \"left\"])",
                 "Where the values go in a sorted array: before equal elements, or after them with side \"right\"",
                 "searchsorted(sort(x), y)", number_or_array),
    XCUDA_SERIES(digitize, "array digitize(array x, array bins [, bool right = false])",
                 "The number of the bin, whose rising edges are bins, of each element", "digitize(x, sort(y))",
                 series_of_indices),
    XCUDA_SERIES(clip, "array clip(array x, T lo, T hi)", "Elements below lo become lo, those above hi become hi",
                 "clip(x, 2, 5)", series_open),
    XCUDA_SERIES(isclose, "array isclose(array a, T b [, double rtol = 1e-5, double atol = 1e-8])",
                 "Where |a - b| <= atol + rtol |b|", "isclose(x, x + 1e-9)", series_of_truths),
    XCUDA_SERIES(array_equal, "bool array_equal(array a, array b)",
                 "Whether two arrays have one shape and the same elements", "array_equal(x, x)",
                 [](Given) { return Form::number(Kind::boolean); }),
    XCUDA_SERIES(cross, "array cross(array x, array y)",
                 "The cross product of vectors of three elements, the last axis", "cross(x[0:3], y[0:3])", series_open),
    XCUDA_SERIES(trace, "T trace(array x [, int k = 0])", "The sum of a diagonal", "trace(reshape(x, 2, 3))",
                 number_or_array),
    XCUDA_SERIES(convolve, "array convolve(array x, array y [, const char* mode = \"full\"])",
                 "The convolution of two rows; mode \"full\", \"same\" or \"valid\"", "convolve(x, y)", series_open),
    // --- statistics
    XCUDA_SERIES(average, "double average(array x [, array weights])", "The mean, each element counted by its weight",
                 "average(x, y)", [](Given) { return Form::number(Kind::float64); }),
    XCUDA_SERIES(ptp, "T ptp(array x [, int axis, bool keep = false])", "From the least to the greatest element",
                 "ptp(x)", number_or_array),
    XCUDA_SERIES(percentile, "double percentile(array x, extents q [, int axis])",
                 "Below which q percent of the elements are, between neighbours on a straight line; q may be a list",
                 "percentile(x, 25)", number_or_array),
    XCUDA_SERIES(quantile, "double quantile(array x, extents q [, int axis])", "percentile(x, 100 * q)",
                 "quantile(x, 0.5)", number_or_array),
    XCUDA_SERIES_OF(topk, "array topk(array x, size_t k [, int axis = -1])",
                    "The k greatest elements, the greatest first: auto [values, indices] = topk(x, 3);", "topk(x, 3)",
                    series_of_elements, 2),
    XCUDA_SERIES(bincount, "array bincount(array x [, array weights, size_t minlength = 0])",
                 "How often each integer from 0 on is an element, or the sum of their weights", "bincount((int)x)",
                 series_open),
    XCUDA_SERIES_OF(nonzero, "array nonzero(array x)",
                    "The indices of the elements that are not zero: auto [rows, columns] = nonzero(m) of each axis",
                    "nonzero(x > 3)", series_of_indices, 32),
    XCUDA_SERIES(flatnonzero, "array flatnonzero(array x)", "The indices, in a row, of the elements that are not zero",
                 "flatnonzero(x > 3)", series_of_indices),
    XCUDA_SERIES(argwhere, "array argwhere(array x)", "The indices of the elements that are not zero, a row for each",
                 "argwhere(x > 3)", series_of_indices),
    XCUDA_SERIES(count_nonzero, "size_t count_nonzero(array x [, int axis, bool keep = false])",
                 "How many elements are not zero: count(x)", "count_nonzero(x > 3)",
                 [](Given given) { return reduced(given, type_of(Kind::ulong64)); }),
    XCUDA_SERIES_OF(histogram2d, "array histogram2d(array x, array y [, size_t bins = 10])",
                    "Counts of pairs in bins x bins from the least to the greatest: auto [counts, x_edges, y_edges]",
                    "histogram2d(x, x, bins = 2)", series_of_doubles, 3),
    XCUDA_SERIES(isin, "array isin(array x, array values)", "Where elements of x are among the values", "isin(x, y)",
                 series_of_truths),
    XCUDA_SERIES(nan_to_num, "array nan_to_num(array x [, double nan = 0])",
                 "With NaN replaced, and infinities by the greatest number", "nan_to_num(x)", series_like),
    XCUDA_SERIES(nansum, "T nansum(array x [, int axis, bool keep = false])", "sum() of what is not NaN", "nansum(x)",
                 nan_reduced),
    XCUDA_SERIES(nanprod, "T nanprod(array x [, int axis, bool keep = false])", "prod() of what is not NaN",
                 "nanprod(x)", nan_reduced),
    XCUDA_SERIES(nanmin, "T nanmin(array x [, int axis, bool keep = false])", "min() of what is not NaN", "nanmin(x)",
                 nan_reduced),
    XCUDA_SERIES(nanmax, "T nanmax(array x [, int axis, bool keep = false])", "max() of what is not NaN", "nanmax(x)",
                 nan_reduced),
    XCUDA_SERIES(nanmean, "double nanmean(array x [, int axis, bool keep = false])", "mean() of what is not NaN",
                 "nanmean(x)", nan_real),
    XCUDA_SERIES(nanvar, "double nanvar(array x [, int axis, bool keep = false, double ddof = 0])",
                 "var() of what is not NaN", "nanvar(x)", nan_real),
    XCUDA_SERIES(nanstd, "double nanstd(array x [, int axis, bool keep = false, double ddof = 0])",
                 "std() of what is not NaN", "nanstd(x)", nan_real),
};

}  // namespace

std::span<const Function> functions_of_series() { return kSeriesFunctions; }

}  // namespace xcuda::language
