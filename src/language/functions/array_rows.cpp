// The functions of whole arrays.
#include <algorithm>

#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

Type real_type() { return type_of(Kind::float64); }
Type index_type() { return type_of(Kind::ulong64); }

// A real number of the elements' precision.
Type mean_type(const Type& type) { return type.is_integer() ? real_type() : type; }

Form reduced_sum(Given given) { return reduced(given, sum_type(given[0].type)); }
Form reduced_real(Given given) { return reduced(given, real_type()); }
Form averaged(Given given) {
  const auto kind = kind_of(given[0].type);
  const bool complex = kind == Kind::complex64 || kind == Kind::complex128;
  return reduced(given, complex ? type_of(Kind::complex128) : real_type());
}
Form reduced_mean(Given given) { return reduced(given, mean_type(given[0].type)); }
Form reduced_truth(Given given) { return reduced(given, type_of(Kind::boolean)); }
Form reduced_index(Given given) { return reduced(given, index_type()); }

// Along an axis of vectors, or along both of matrices.
Form normed(Given given) {
  const Form nothing = Form::of(Form::Kind::nothing);
  const auto at = [&](std::size_t i) { return is_given(given, i) ? given[i] : nothing; };
  const auto axis = at(2);
  if (axis.kind == Form::Kind::list) {
    const auto rank = given[0].extents ? given[0].extents->size() : 0;
    return is_given(given, 3) || rank < axis.parts.size() ? Form() : of_rank(real_type(), rank - axis.parts.size());
  }
  const Form along[] = {given[0], axis, at(3)};
  return reduced(along, real_type());
}

Form flat(Type type) { return Form::array(std::move(type), Extents(1)); }
Form same(Given given) { return Form::array(given[0].type, given[0].extents); }
Form sums(Given given) { return Form::array(sum_type(given[0].type), given[0].extents); }

Form scanned(Given given) {
  if (is_given(given, 2)) return Form::array(is_given(given, 1) ? given[2].type : Type(), given[0].extents);
  return is_given(given, 1) ? same(given) : sums(given);
}

Form mapped(Given given) { return Form::array({}, extents_of(given.first(1))); }
Form reshaped(Given given) {
  auto view = Form::array(given[0].type, extents_of(given.subspan(1)));
  view.memory = Form::Memory::part;
  return view;
}
Form reversed(Given given) {
  auto view = same(given);
  view.memory = Form::Memory::part;
  return view;
}
Form transposed(Given given) {
  if (given[0].kind == Form::Kind::sparse)
    return Form::sparse(given[0].type, {(*given[0].extents)[1], (*given[0].extents)[0]});
  auto view = reversed(given);
  if (view.extents) std::reverse(view.extents->begin(), view.extents->end());
  return view;
}

Form chosen(Given given) {
  Form form = Form::array({});
  Extents extents;
  for (const auto& one : given) {
    if (one.is_array() && !one.extents) return form;
    const auto whole = broadcast(extents, one.extents.value_or(Extents()));
    if (!whole) return form;
    extents = *whole;
  }
  form.type = shared_type(given[1].type, given[2].type);
  const auto all = [&](Form::Kind kind) {
    return std::all_of(given.begin(), given.end(), [&](const Form& one) { return one.kind == kind; });
  };
  if (all(Form::Kind::number)) return Form::number(std::move(form.type));
  form.extents = std::move(extents);
  return form;
}

Form dot(Given given) {
  const auto x = kind_of(given[0].type), y = kind_of(given[1].type);
  return x && y ? Form::number(sum_type(type_of(common_kind(*x, *y)))) : Form();
}

constexpr Function kArrayFunctions[] = {
    {.name = "sum",
     .signatures = "T sum(array x [, int axis, bool keep = false])",
     .help = "Sum of all elements, or along an axis; integers in 64 bits, floats in double",
     .example = "sum(x, axis = 0)",
     .operation = Operation::reduction,
     .result = reduced_sum,
     .device = "Sum",
     .part = "reduce"},
    {.name = "prod",
     .signatures = "T prod(array x [, int axis, bool keep = false])",
     .help = "Product of all elements, or along an axis",
     .example = "prod(x)",
     .operation = Operation::reduction,
     .result = reduced_sum,
     .device = "Prod",
     .part = "reduce"},
    {.name = "mean",
     .signatures = "double mean(array x [, int axis, bool keep = false])",
     .help = "Mean of all elements, or along an axis; of complex numbers complex<double>",
     .example = "mean(x)",
     .operation = Operation::reduction,
     .result = averaged,
     .device = "Mean",
     .part = "reduce"},
    {.name = "var",
     .signatures = "double var(array x [, int axis, bool keep = false, double ddof = 0])",
     .help = "Variance: the mean square of the distances from the mean; ddof = 1 for a sample",
     .example = "var(x, ddof = 1)",
     .operation = Operation::variance,
     .result = reduced_real,
     .device = "Mean",
     .part = "reduce"},
    {.name = "std",
     .signatures = "double std(array x [, int axis, bool keep = false, double ddof = 0])",
     .help = "Standard deviation: the square root of the variance",
     .example = "std(x)",
     .operation = Operation::variance,
     .result = reduced_real,
     .device = "RootOfMean",
     .program = "std_of",
     .part = "reduce",
     .traits = static_cast<std::uint8_t>(Trait::rooted)},
    {.name = "median",
     .signatures = "T median(array x [, int axis, bool keep = false])",
     .help = "The middle element in sorted order, or the mean of the two middle ones; NaN if an element is NaN",
     .example = "median(x)",
     .operation = Operation::median,
     .result = reduced_mean,
     .part = "order"},
    {.name = "any",
     .signatures = "bool any(array x [, int axis, bool keep = false])",
     .help = "Whether any element is not zero: any(x > 3)",
     .example = "any(x > 3)",
     .operation = Operation::reduction,
     .result = reduced_truth,
     .device = "Any",
     .part = "reduce"},
    {.name = "all",
     .signatures = "bool all(array x [, int axis, bool keep = false])",
     .help = "Whether no element is zero: all(x >= 0)",
     .example = "all(x >= 0)",
     .operation = Operation::reduction,
     .result = reduced_truth,
     .device = "All",
     .part = "reduce"},
    {.name = "count",
     .signatures = "size_t count(array x [, int axis, bool keep = false])",
     .help = "How many elements are not zero: count(x > 3)",
     .example = "count(x > 3)",
     .operation = Operation::reduction,
     .result = reduced_index,
     .device = "CountOf",
     .part = "reduce"},
    {.name = "argmin",
     .signatures = "size_t argmin(array x [, int axis, bool keep = false])",
     .help = "Index of the least element, the first of several; NaN counts as the least",
     .example = "argmin(x)",
     .operation = Operation::reduction,
     .result = reduced_index,
     .device = "ArgMin",
     .part = "reduce"},
    {.name = "argmax",
     .signatures = "size_t argmax(array x [, int axis, bool keep = false])",
     .help = "Index of the greatest element, the first of several; NaN counts as the greatest",
     .example = "argmax(x)",
     .operation = Operation::reduction,
     .result = reduced_index,
     .device = "ArgMax",
     .part = "reduce"},
    {.name = "norm",
     .signatures = "double norm(array x [, T ord, extents axis, bool keep = false])",
     .help = "Square root of the sum of squares; of another order ord that of a vector or matrix: 1, INFINITY, \"fro\" "
             "or \"nuc\", as in NumPy. axis is that of vectors, or both of matrices: norm(x, 1, axis = {0, 1})",
     .example = "norm(x)",
     .operation = Operation::norm,
     .result = normed,
     .part = "reduce"},
    {.name = "dot",
     .signatures = "T dot(array x, array y)",
     .help = "Sum of the products of the elements",
     .example = "dot(x, y)",
     .operation = Operation::dot,
     .result = dot,
     .device = "Sum",
     .part = "reduce"},
    {.name = "allclose",
     .signatures = "bool allclose(array a, array b [, double rtol = 1e-5, double atol = 1e-8])",
     .help = "Whether |a - b| <= atol + rtol |b| everywhere; assert(allclose(a, b)) shows the worst element",
     .example = "allclose(x, x + 1e-9)",
     .operation = Operation::all_close,
     .result = [](Given) { return Form::number(Kind::boolean); },
     .part = "reduce"},
    {.name = "reduce",
     .signatures = "T reduce(array x, T init, function op)",
     .help = "Combines all elements by a device function that is associative and commutative: reduce(x, 0, f)",
     .example = "reduce(x, 0, max)",
     .operation = Operation::fold,
     .result =
         [](Given given) { return given[1].is_known() ? Form{.kind = given[1].kind, .type = given[1].type} : Form(); },
     .part = "reduce"},
    {.name = "scan",
     .signatures = "array scan(array x [, function op, T init, bool inclusive = true, int axis])",
     .help = "Running sums, or running results of an associative device function: scan(x)",
     .example = "scan(x)",
     .operation = Operation::scan,
     .result = scanned,
     .device = "a + b",
     .part = "order"},
    {.name = "cumprod",
     .signatures = "array cumprod(array x [, int axis])",
     .help = "Running products of all elements, or along an axis",
     .example = "cumprod(x)",
     .operation = Operation::scan,
     .result = [](Given given) { return is_given(given, 1) ? sums(given) : flat(sum_type(given[0].type)); },
     .device = "a * b",
     .part = "order",
     .traits = static_cast<std::uint8_t>(Trait::flattens)},
    {.name = "sort",
     .signatures = "array sort(array x [, int axis = -1])",
     .help = "The elements in ascending order along an axis, the last by default; NaN comes last; a stable radix sort",
     .example = "sort(x)",
     .operation = Operation::sort,
     .result = same,
     .part = "order",
     .results = 2},
    {.name = "argsort",
     .signatures = "array argsort(array x [, int axis = -1])",
     .help = "The indices that sort x along an axis, the last by default; equal elements keep their order",
     .example = "argsort(x)",
     .operation = Operation::order,
     .result = [](Given given) { return Form::array(index_type(), given[0].extents); },
     .part = "order"},
    {.name = "unique",
     .signatures = "array unique(array x [, int axis])",
     .help =
         "The distinct elements, or rows along an axis, in ascending order; auto [values, counts, first, inverse] = "
         "unique(x) also gives how often each occurs, where it occurs first, and for each element of x the index "
         "of its value",
     .example = "unique(x)",
     .operation = Operation::unique,
     .result =
         [](Given given) { return is_given(given, 1) ? of_rank(given[0].type, given[0].rank()) : flat(given[0].type); },
     .part = "order",
     .results = 4},
    {.name = "histogram",
     .signatures = "array histogram(array x [, T bins = 10, double lo, double hi])",
     .help = "Counts of elements in bins of equal width from lo to hi, by default from the least to the greatest "
             "element; auto [counts, edges] = histogram(x) also gives the edges; bins may be an array of edges",
     .example = "histogram(x, bins = 3)",
     .operation = Operation::histogram,
     .result =
         [](Given given) {
           if (is_given(given, 1) && given[1].is_array()) return of_rank(index_type(), 1);
           return Form::array(index_type(), Extents{is_given(given, 1) ? extent_of(given[1]) : Extent(10)});
         },
     .part = "order",
     .results = 2},
    {.name = "map",
     .signatures = "array map(extents n, function f, ...)",
     .help = "f(i, ...) for each index; arrays are passed as pointers: map(n, f, x), map({rows, columns}, f, x)",
     .example = "map(4, [](size_t i) { return 2 * i; })",
     .operation = Operation::map,
     .result = mapped,
     .part = "elements"},
    {.name = "where",
     .signatures = "T where(T condition, T yes, T no)",
     .help = "yes where the condition holds, else no",
     .example = "where(x > 3, x, 0)",
     .operation = Operation::where,
     .result = chosen},
    {.name = "reshape",
     .signatures = "array reshape(array x, extents n, ...)",
     .help = "The same elements in another shape: reshape(x, 4, 512)",
     .example = "reshape(x, 2, 3)",
     .operation = Operation::reshape,
     .result = reshaped,
     .program = "reshaped",
     .part = "elements"},
    {.name = "transpose",
     .signatures = "array transpose(matrix x)",
     .help = "The same elements with the dimensions in reverse order; for a sparse matrix, a new one",
     .example = "transpose(reshape(x, 2, 3))",
     .operation = Operation::transpose,
     .result = transposed,
     .program = "transposed",
     .part = "elements"},
    {.name = "reverse",
     .signatures = "array reverse(array x)",
     .help = "The same elements with the first dimension reversed",
     .example = "reverse(x)",
     .operation = Operation::reverse,
     .result = reversed,
     .program = "reversed",
     .part = "elements"},
    {.name = "roll",
     .signatures = "array roll(array x, long shift [, int axis])",
     .help = "Each element moved by `shift` places, from the end to the front: over all elements, or along an axis",
     .example = "roll(x, 2)",
     .operation = Operation::roll,
     .result = same,
     .part = "elements"},
    {.name = "size",
     .signatures = "size_t size(array x)",
     .help = "The first extent",
     .example = "size(x)",
     .operation = Operation::extent,
     .result = [](Given) { return Form::number(Kind::ulong64); },
     .part = "elements"},
    {.name = "ssize",
     .signatures = "long ssize(array x)",
     .help = "The first extent, with a sign",
     .example = "ssize(x)",
     .operation = Operation::extent,
     .result = [](Given) { return Form::number(Kind::long64); },
     .part = "elements"},
};

}  // namespace

std::span<const Function> functions_of_arrays() { return kArrayFunctions; }

}  // namespace xcuda::language
