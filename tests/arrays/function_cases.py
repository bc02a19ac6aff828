"""Every function of arrays beside NumPy's, as test_functions.py calls it, and the table of docs/arrays.md: function x type.

A case: the row's name, the call ({0} is the argument, as it is written), NumPy's value of that argument, the least rank, and
whether it needs elements."""
import concurrent.futures
import itertools
import math
import os
import pathlib
import random
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_numpy import Session  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "arrays.md"
BEGIN, END = "<!-- test_functions.py writes this -->\n", "<!-- so far -->\n"

TYPES = {"bool": np.bool_, "int8_t": np.int8, "int": np.int32, "long long": np.int64, "half": np.float16, "float": np.float32,
         "double": np.float64, "complex<float>": np.complex64}
NUMBER = "a number"  # the last column of the table: of rank 0, a double
SHAPES = [(7,), (5, 4), (3, 2, 4), (2, 3, 1, 4)]
# How an argument is written, and what NumPy calls it.
ARGUMENTS = {"x": lambda x: x, "x[1:]": lambda x: x[1:], "x[::2]": lambda x: x[::2], "x[::-1]": lambda x: x[::-1],
             "x[..., :1]": lambda x: x[..., :1], "x[0:1]": lambda x: x[0:1], "x[0:0]": lambda x: x[0:0]}

ANY, SOME = 0, 1  # whether it needs elements, in all and along each axis


def of_reals(function):
    """A function of <math> for arrays."""
    def each(x):
        try:
            return function(float(x))
        except (ValueError, OverflowError):
            return math.nan if not isinstance(function(1.0), bool) else False
    return np.vectorize(each, otypes=[float])


def half_away(x):
    return np.trunc(x + np.copysign(0.5, x))


ELEMENTS = [  # of elements: <cmath> and its like
    ("sin", np.sin), ("cos", np.cos), ("tan", np.tan), ("exp", np.exp), ("log", np.log), ("sqrt", np.sqrt), ("sinh", np.sinh), ("cosh", np.cosh),
    ("tanh", np.tanh), ("asin", np.arcsin), ("acos", np.arccos), ("atan", np.arctan), ("asinh", np.arcsinh), ("acosh", np.arccosh), ("atanh", np.arctanh),
    ("exp2", np.exp2), ("expm1", np.expm1), ("log2", np.log2), ("log10", np.log10), ("log1p", np.log1p), ("logb", lambda x: np.floor(np.log2(np.abs(x)))),
    ("cbrt", np.cbrt), ("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("round", half_away), ("rint", np.rint), ("nearbyint", np.rint),
    ("fabs", np.fabs), ("erf", of_reals(math.erf)), ("erfc", of_reals(math.erfc)), ("rsqrt", lambda x: 1 / np.sqrt(x)), ("rcbrt", lambda x: 1 / np.cbrt(x)),
    ("exp10", lambda x: 10.0 ** x), ("sinpi", lambda x: np.sin(np.pi * x)), ("cospi", lambda x: np.cos(np.pi * x)),
    ("normcdf", of_reals(lambda x: math.erfc(-x / math.sqrt(2)) / 2)), ("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite),
    ("signbit", np.signbit), ("abs", np.abs), ("relu", lambda x: np.maximum(x, 0)), ("real", np.real), ("imag", np.imag), ("conj", np.conj),
    ("lround", half_away), ("lrint", np.rint),
]
PAIRS = [
    ("pow", "pow({0}, 2)", lambda x: x ** 2), ("atan2", "atan2({0}, 2)", lambda x: np.arctan2(x, 2)), ("fmod", "fmod({0}, 3)", lambda x: np.fmod(x, 3)),
    ("remainder", "remainder({0}, 3)", lambda x: x - 3 * np.rint(x / 3)), ("hypot", "hypot({0}, 3)", lambda x: np.hypot(x, 3)),
    ("copysign", "copysign({0}, -1)", lambda x: np.copysign(x, -1)), ("fdim", "fdim({0}, 2)", lambda x: np.maximum(x - 2, 0)),
    ("fmin", "fmin({0}, 2)", lambda x: np.fmin(x, 2)), ("fmax", "fmax({0}, 2)", lambda x: np.fmax(x, 2)), ("min", "min({0}, 2)", lambda x: np.minimum(x, 2)),
    ("max", "max({0}, 2)", lambda x: np.maximum(x, 2)), ("clamp", "clamp({0}, 1, 3)", lambda x: np.clip(x, 1, 3)), ("fma", "fma({0}, 2, 1)", lambda x: x * 2 + 1),
    ("ldexp", "ldexp({0}, 3)", lambda x: x * 8), ("gcd", "gcd({0}, 6)", lambda x: np.gcd(x, 6)),
    ("ceil_div", "ceil_div({0}, 3)", lambda x: np.ceil(x / 3)), ("where", "where({0} == 2, {0}, 1)", lambda x: np.where(x == 2, x, 1)),
]
REDUCTIONS = [("sum", np.sum, ANY), ("prod", np.prod, ANY), ("min", np.min, SOME), ("max", np.max, SOME), ("mean", np.mean, SOME), ("var", np.var, SOME),
              ("std", np.std, SOME), ("median", np.median, SOME), ("any", np.any, ANY), ("all", np.all, ANY), ("count", np.count_nonzero, ANY),
              ("argmin", np.argmin, SOME), ("argmax", np.argmax, SOME), ("ptp", np.ptp, SOME), ("count_nonzero", np.count_nonzero, ANY),
              ("nansum", np.nansum, ANY), ("nanprod", np.nanprod, ANY), ("nanmin", np.nanmin, SOME), ("nanmax", np.nanmax, SOME), ("nanmean", np.nanmean, SOME),
              ("nanvar", np.nanvar, SOME), ("nanstd", np.nanstd, SOME)]


def along(function, axis):
    return lambda x: function(x, axis=axis)


def piece(function, *arguments, **named):
    return lambda x: function(x, *arguments, **named)


def gather(x):
    return np.take(x, [0, 0], axis=0)


CASES = [(name, f"{name}({{0}})", function, 1, ANY) for name, function in ELEMENTS]
CASES += [(name, call, function, 1, ANY) for name, call, function in PAIRS]
CASES += [(name, f"full(1, {name}({{0}}))", lambda x, f=function: np.reshape(f(x), 1), 1, needs) for name, function, needs in REDUCTIONS]
CASES += [(name, f"{name}({{0}}, axis = {axis})", along(function, axis), 2, needs) for name, function, needs in REDUCTIONS for axis in (0, -1)]
CASES += [
    ("norm", "full(1, norm({0}))", lambda x: np.reshape(np.linalg.norm(x.ravel()), 1), 1, ANY),
    ("dot", "full(1, dot({0}, {0}))", lambda x: np.reshape(np.sum(x * x), 1), 1, ANY),
    ("allclose", "full(1, allclose({0}, {0}))", lambda x: np.ones(1), 1, ANY),
    ("array_equal", "full(1, array_equal({0}, {0}))", lambda x: np.ones(1), 1, ANY),
    ("average", "full(1, average({0}, {0} * 0 + 2))", lambda x: np.reshape(np.mean(x), 1), 1, SOME),
    ("scan", "scan(flatten({0}))", np.cumsum, 1, ANY), ("scan", "scan({0}, axis = 0)", piece(np.cumsum, axis=0), 1, ANY), ("cumprod", "cumprod({0})", np.cumprod, 1, ANY), ("cumsum", "cumsum({0})", np.cumsum, 1, ANY),
    ("cumsum", "cumsum({0}, axis = 0)", piece(np.cumsum, axis=0), 1, ANY), ("diff", "diff({0})", np.diff, 1, SOME), ("diff", "diff({0}, axis = 0)", piece(np.diff, axis=0), 1, SOME),
    ("gradient", "gradient(concatenate({{{0}, {0}}}, axis = 0), axis = 0)", lambda x: np.gradient(np.concatenate([x, x]), axis=0), 1, SOME),
    ("trapezoid", "trapezoid({0}, 0.5, axis = 0)", lambda x: np.sum((x[1:] + x[:-1]) * 0.25, axis=0), 2, SOME),
    ("interp", "interp({0}, arange(4), 2.0 * arange(4))", lambda x: np.interp(x, np.arange(4), 2.0 * np.arange(4)), 1, ANY),
    ("searchsorted", "searchsorted(sort(flatten({0})), {0})", lambda x: np.searchsorted(np.sort(x.ravel()), x), 1, ANY),
    ("digitize", "digitize({0}, arange(3))", lambda x: np.digitize(x, np.arange(3)), 1, ANY),
    ("clip", "clip({0}, 1, 3)", piece(np.clip, 1, 3), 1, ANY), ("isclose", "isclose({0}, {0})", lambda x: np.isclose(x, x), 1, ANY),
    ("cross", "cross(concatenate({{{0}, {0}, {0}}}, axis = -1)[..., :3], zeros<int>(3) + arange(3))",
     lambda x: np.cross(np.concatenate([x, x, x], axis=-1)[..., :3], np.arange(3)), 1, SOME),
    ("trace", "trace(outer({0}, {0})) + 0 * sum({0}, axis = 0)", lambda x: np.trace(np.outer(x, x)) + 0 * np.sum(x, axis=0), 2, SOME),
    ("convolve", "convolve(flatten({0}), arange(3))", lambda x: np.convolve(x.ravel(), np.arange(3)), 1, SOME),
    ("percentile", "percentile({0}, {{25, 60}}, axis = 0)", piece(np.percentile, [25, 60], axis=0), 1, SOME),
    ("quantile", "quantile({0}, 0.4, axis = 0)", piece(np.quantile, 0.4, axis=0), 2, SOME),
    ("sort", "sort({0})", np.sort, 1, ANY), ("sort", "sort({0}, axis = 0)", piece(np.sort, axis=0), 1, ANY),
    ("argsort", "argsort({0}, axis = 0)", piece(np.argsort, axis=0, kind="stable"), 1, ANY), ("topk", "topk({0}, 1)", lambda x: np.sort(x)[..., ::-1][..., :1], 1, SOME),
    ("unique", "unique({0})", np.unique, 1, ANY), ("histogram", "histogram({0}, bins = 3, lo = 0, hi = 3)", lambda x: np.histogram(x, 3, (0, 3))[0], 1, ANY),
    ("histogram2d", "histogram2d(flatten({0}), flatten({0}), bins = 2)", lambda x: np.histogram2d(x.ravel(), x.ravel(), 2)[0], 1, SOME),
    ("bincount", "bincount(flatten({0} * {0}))", lambda x: np.bincount((x * x).ravel()), 1, ANY),
    ("nonzero", "nonzero({0})", lambda x: np.nonzero(x)[0], 1, ANY), ("flatnonzero", "flatnonzero({0})", np.flatnonzero, 1, ANY), ("argwhere", "argwhere({0})", np.argwhere, 1, ANY),
    ("isin", "isin({0}, arange(2))", lambda x: np.isin(x, np.arange(2)), 1, ANY), ("nan_to_num", "nan_to_num({0})", np.nan_to_num, 1, ANY),
    ("take", "take({0}, zeros<int>(2), axis = 0)", gather, 1, SOME),
    ("take_along_axis", "take_along_axis({0}, zeros<int>({0}.shape), axis = 0)", lambda x: np.take_along_axis(x, np.zeros(x.shape, int), 0), 1, ANY),
    ("take_along_axis", "take_along_axis({0}, argsort(real({0})))", lambda x: np.take_along_axis(x, np.argsort(np.real(x), kind="stable"), -1), 1, ANY),
    ("reduce", "full(1, reduce({0}, 0.0, max))", lambda x: np.reshape(max(0.0, x.max(initial=0)), 1), 1, ANY),
    ("map", "map(size(flatten({0})), [](size_t i) {{ return (int)i; }})", lambda x: np.arange(x.size), 1, SOME),
    ("size", "full(1, size({0}))", lambda x: np.full(1, len(x)), 1, ANY), ("ssize", "full(1, ssize({0}))", lambda x: np.full(1, len(x)), 1, ANY),
    ("reshape", "reshape(copy({0}), -1)", np.ravel, 1, SOME), ("flatten", "flatten({0})", np.ravel, 1, ANY), ("ravel", "ravel({0})", np.ravel, 1, ANY),
    ("squeeze", "squeeze(expand_dims({0}, 0), axis = 0)", lambda x: x, 1, ANY), ("expand_dims", "expand_dims({0}, -1)", piece(np.expand_dims, -1), 1, ANY),
    ("transpose", "transpose({0})", np.transpose, 1, ANY), ("swapaxes", "swapaxes({0}, 0, -1)", piece(np.swapaxes, 0, -1), 1, ANY), ("moveaxis", "moveaxis({0}, 0, -1)", piece(np.moveaxis, 0, -1), 1, ANY),
    ("diagonal", "diagonal({0})", np.diagonal, 2, ANY), ("flip", "flip({0})", np.flip, 1, ANY), ("flip", "flip({0}, axis = -1)", piece(np.flip, -1), 1, ANY),
    ("fliplr", "fliplr({0})", np.fliplr, 2, ANY), ("flipud", "flipud({0})", np.flipud, 1, ANY), ("rot90", "rot90({0}, 3)", piece(np.rot90, 3), 2, ANY),
    ("reverse", "reverse({0})", lambda x: x[::-1], 1, ANY), ("roll", "roll({0}, 2)", piece(np.roll, 2), 1, ANY), ("roll", "roll({0}, -1, axis = 0)", piece(np.roll, -1, axis=0), 1, ANY),
    ("concatenate", "concatenate({{{0}, {0}}}, axis = -1)", lambda x: np.concatenate([x, x], axis=-1), 1, ANY), ("stack", "stack({{{0}, {0}}}, axis = 1)", lambda x: np.stack([x, x], axis=1), 1, ANY),
    ("hstack", "hstack({{{0}, {0}}})", lambda x: np.hstack([x, x]), 1, ANY), ("vstack", "vstack({{{0}, {0}}})", lambda x: np.vstack([x, x]), 1, ANY),
    ("append", "append({0}, {0})", lambda x: np.append(x, x), 1, ANY), ("split", "split(concatenate({{{0}, {0}}}), 2)", lambda x: np.stack([x, x]), 1, ANY),
    ("tile", "tile({0}, 2)", piece(np.tile, 2), 1, ANY), ("repeat", "repeat({0}, 3, axis = 0)", piece(np.repeat, 3, axis=0), 1, ANY),
    ("repeat", "repeat(flatten({0}), arange(size(flatten({0}))) % 3)", lambda x: np.repeat(x.ravel(), np.arange(x.size) % 3), 1, ANY),
    ("pad", "pad(flatten({0}), {{{{2, 1}}}})", lambda x: np.pad(x.ravel(), ((2, 1),)), 1, ANY),
    ("pad", "pad({0}, {{1, 2}})", piece(np.pad, (1, 2)), 1, ANY), ("pad", 'pad({0}, 1, mode = "edge")', piece(np.pad, 1, mode="edge"), 1, SOME), ("pad", 'pad({0}, {{5, 19}}, mode = "reflect")', piece(np.pad, (5, 19), mode="reflect"), 1, SOME),
    ("pad", 'pad({0}, {{19, 5}}, mode = "symmetric")', piece(np.pad, (19, 5), mode="symmetric"), 1, SOME), ("pad", 'pad({0}, {{8, 3}}, mode = "wrap")', piece(np.pad, (8, 3), mode="wrap"), 1, SOME),
    ("copy", "copy({0})", np.copy, 1, ANY),
    ("diag", "diag(flatten({0}))", lambda x: np.diag(x.ravel()), 1, ANY), ("tril", "tril({0}, k = 1)", piece(np.tril, 1), 2, ANY), ("triu", "triu({0})", np.triu, 2, ANY),
    ("meshgrid", "meshgrid(flatten({0}), arange(2))", lambda x: np.meshgrid(x.ravel(), np.arange(2))[0], 1, ANY), ("outer", "outer({0}, {0})", lambda x: np.outer(x, x), 1, ANY),
    ("zeros_like", "zeros_like({0})", np.zeros_like, 1, ANY), ("ones_like", "ones_like({0})", np.ones_like, 1, ANY), ("full_like", "full_like({0}, 1)", lambda x: np.ones_like(x), 1, ANY),
    ("kron", "kron({0}, {0})", lambda x: np.kron(x, x), 1, SOME),
    ("zeros", "zeros<{type}>({0}.shape)", np.zeros_like, 1, ANY), ("ones", "ones<{type}>({0}.shape)", np.ones_like, 1, ANY), ("full", "full<{type}>({0}.shape, 1)", np.ones_like, 1, ANY),
    ("x[mask]", "{0}[{0} != 0]", lambda x: x[x != 0], 1, ANY), ("x[indices]", "{0}[zeros<int>(2)]", gather, 1, SOME),
]

# The same of a number, where the call above first makes an array of another shape of its argument.
OF_NUMBERS = {"gradient": "gradient({0})", "cross": "cross({0}, {0})", "trace": "trace({0})", "split": "split({0}, 2)", "reshape": "reshape({0}, -1)", "squeeze": "squeeze({0})",
              "repeat": "repeat({0}, 2)"}
SEARCHED = ("searchsorted", "searchsorted(arange(4), {0})", lambda x: np.searchsorted(np.arange(4), x), 1, ANY)


def of_number(case):
    """A case with a call that takes a number as it is."""
    if case[0] == "searchsorted":
        return SEARCHED
    if case[0] == "flatten":
        return case
    return (case[0], OF_NUMBERS.get(case[0], case[1].replace("flatten({0} * {0})", "{0} * {0}").replace("flatten({0})", "{0}")), *case[2:])


PRECISE = {"half": 4e-3, "float": 2e-5, "complex<float>": 2e-4}


class Asking(Session):
    """A session that takes a refusal for an answer."""

    def ask(self, code):
        """"" or what the error says."""
        problem = []

        def hook(message):
            if message["msg_type"] == "error":
                problem.append(message["content"]["evalue"])

        reply = self.client.execute_interactive(code, timeout=300, output_hook=hook)
        return "" if reply["content"]["status"] == "ok" else (problem[0] if problem else "an error")


def values(name, shape):
    """Small, so that nothing wraps where C++'s types are wider than NumPy's."""
    generator = np.random.default_rng(len(shape))
    dtype = TYPES[name]
    if dtype is np.bool_:
        return generator.integers(0, 2, shape).astype(bool)
    if np.issubdtype(dtype, np.integer):
        return generator.integers(-4, 5, shape).astype(dtype)
    if np.issubdtype(dtype, np.floating):
        return (generator.integers(-8, 9, shape) / 4).astype(dtype)
    return (generator.integers(-4, 5, shape) + 1j * generator.integers(-4, 5, shape)).astype(dtype)


def difference_of_result(session, name, text, expected):
    """What is wrong with the session's array result, which the text has made."""
    session.run("%save result result.npy")
    taken = np.load(session.folder / "result.npy")
    if taken.shape != expected.shape:
        return f"{text}: the shape is {taken.shape}, not {expected.shape}"
    kind = complex if np.iscomplexobj(taken) or np.iscomplexobj(expected) else float
    tolerance = PRECISE.get(name, 1e-6)
    try:
        np.testing.assert_allclose(taken.astype(kind), expected.astype(kind), rtol=tolerance, atol=tolerance / 10)
    except AssertionError as problem:
        return f"{text}: {problem}"
    return ""


def difference(session, name, case, x, argument):
    """What is wrong with one call: "" if it is NumPy's value, ("refused", why) if there is none."""
    _, ours, numpy, _, _ = case
    given = ARGUMENTS[argument](x)
    # C++ computes bool and int8_t as int, and NumPy's means of half are half.
    wide = {"bool": np.int64, "int8_t": np.int64, "half": np.float32}.get(name)
    text = ours.replace("{type}", name).format(argument)
    refused = session.ask(f"auto result = {text};")
    if refused:
        return "refused", re.sub(r"\bx\[[^\]]*\]", "x", refused)
    with np.errstate(all="ignore"):
        try:
            expected = np.asarray(numpy(given.astype(wide) if wide else given))
        except (TypeError, np.exceptions.DTypePromotionError):  # isnan of what NumPy has none for: of booleans
            expected = np.asarray(numpy(given))
    if expected.size == 0:
        return session.ask(f"assert(result.size == 0);") and f"{text}: there are elements"
    return difference_of_result(session, name, text, expected)


def declared(name, value):
    """A number of a type, as a cell declares it: v of the type's name."""
    text = {"b": str(bool(value)).lower(), "c": f"complex<float>({value.real}, {value.imag})"}.get(value.dtype.kind, str(value))
    return f"{name} {number_of(name)} = {text};"


def number_of(name):
    return "v_" + re.sub(r"\W+", "_", name).strip("_")


def difference_of_number(session, name, case, value):
    """The same of a number: "", ("refused", why), or what is wrong."""
    _, ours, numpy, _, _ = of_number(case)
    variable = number_of(name)
    text = ours.replace("{type}", name).format(variable)
    wide = {"bool": np.int64, "int8_t": np.int64, "half": np.float32}.get(name)
    with np.errstate(all="ignore"):
        try:
            expected = np.asarray(numpy(value.astype(wide) if wide else value))
        except Exception:  # NumPy has no such function of a number
            expected = None
    as_array = expected is not None and expected.ndim
    refused = session.ask(f"auto result = {text};" if as_array or text.startswith("full(1,") else f"auto result = full(1, {text});")
    if refused:
        return "refused", re.sub(rf"\b{variable}\b", "x", refused)
    if expected is None:
        return f"{text}: NumPy has none"
    return difference_of_result(session, name, text, expected if as_array else expected.reshape(1))


def fitting(case):
    return [(shape, argument) for shape, argument in itertools.product(SHAPES, ARGUMENTS)
            if len(shape) >= case[3] and not (argument == "x[0:0]" and case[4] == SOME)]


def drawn(case, choice, most):
    """So many of those, or all with XCUDA_ALL_SHAPES=1."""
    pairs = fitting(case)
    return pairs if os.environ.get("XCUDA_ALL_SHAPES") else choice.sample(pairs, min(most, len(pairs)))


MEANT = {"f() cannot be computed": "CUDA C++ has no such function of these elements", "x cannot be computed": "its reduction takes real numbers",
         "f() expects an array, but x is not one": "it takes an array", "f() expects an array, but x * x is not one": "it takes an array",
         "x has no members": "a number has no shape", "x is a double and has no elements": "a number has no elements"}


def reason_of(message, name):
    """The first line, as it is for any function and elements: the table has it once."""
    line = re.sub(rf"\b{re.escape(name)}\b", "f", message.splitlines()[0].rstrip("."))
    line = re.sub(r"^f\(.*\)", "f()", line.split(", but the elements are")[0])
    return MEANT.get(line, line)


# Rows of the language's table that the cases leave to others.
ELSEWHERE = {
    "device device_count local shard replicated all_reduce reduce_scatter all_gather all_to_all broadcast send recv": "tests/cells/devices.cells",
    "matmul einsum matrix_power": "tests/arrays/test_matrices.py",
    "cholesky cond det eig eigh eigvalsh inv lstsq lu matrix_rank pinv qr slogdet solve svd": "tests/arrays/test_solvers.py",
    "csr coo dense cg gmres load_npz save_npz": "tests/arrays/test_sparse.py",
    "fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftfreq rfftfreq fftshift ifftshift": "tests/arrays/test_transforms.py",
    "correlate conv2d": "tests/arrays/test_convolutions.py",
    "permutation choice rand srand uniform normal lognormal poisson randint": "tests/cells/random_numbers.cells, tests/gpu/test_random_numbers.py",
    "eye identity tri arange linspace logspace geomspace permute_dims broadcast_to like": "tests/arrays/numpy_names.py: no type of an argument",
    "atol stod stof stoi strcmp strncmp string strlen strtol to_string": "tests/cells/strings.cells",
    "strchr strrchr strstr strtok": "tests/cells/c_library.cells",
    "make_cudaExtent make_cudaPos make_cudaPitchedPtr": "tests/cells/pitched_memory.cells",
    "sscanf strtoll strtoul strtoull strtod strtof atoll": "tests/cells/scanned_texts.cells",
    "putchar fputc putc fputs sprintf snprintf strcpy strcat strncpy getchar isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper __sync_synchronize __sync_fetch_and_add __sync_add_and_fetch __sync_fetch_and_sub __sync_sub_and_fetch __sync_fetch_and_or __sync_or_and_fetch __sync_fetch_and_and __sync_and_and_fetch __sync_fetch_and_xor __sync_xor_and_fetch __sync_lock_test_and_set __sync_val_compare_and_swap __sync_bool_compare_and_swap": "tests/cells/c_library.cells",
    "omp_get_max_threads omp_get_num_procs omp_get_num_threads omp_get_thread_num omp_get_wtime omp_set_num_threads": "tests/cells/openmp.cells",
    "assert print record wait elapsed swap cover printf fprintf puts fflush getenv setenv atoi atof clock time gettimeofday clock_gettime exit": "statements, not functions of arrays",
}


def names_of_rows():
    """The functions of the language that have an example, as tests/golden/export/functions.txt lists them."""
    lines = (ROOT / "tests/golden/export/functions.txt").read_text().splitlines()
    return [re.match(r"\w+", line)[0] for line in lines]


def named():
    return list(dict.fromkeys(name for name, *_ in CASES))


def table(cells, reasons):
    """cells: (name, type) -> the reason for which there is none, or ""; reasons: their numbers."""
    lines = ["| | " + " | ".join(f"`{name}`" for name in TYPES) + f" | {NUMBER} |", "|---" * (len(TYPES) + 2) + "|"]
    for name in named():
        marks = [f"<sup>{reasons[cells[name, of]]}</sup>" if cells[name, of] else "✓" for of in (*TYPES, NUMBER)]
        lines.append(f"| `{name}` | " + " | ".join(marks) + " |")
    return "\n".join(lines) + "\n\n" + "".join(f"- <sup>{number}</sup> {reason}\n" for reason, number in reasons.items())


def on_the_page():
    """(name, type) -> the reason or "", as docs/arrays.md says."""
    text = PAGE.read_text().split(BEGIN)[1].split(END)[0]
    reasons = dict(re.findall(r"^- <sup>(\w+)</sup> (.*)$", text, re.M))
    cells = {}
    for line in text.splitlines()[2:]:
        if line.startswith("| `"):
            name, *marks = [one.strip() for one in line.strip("|").split(" | ")]
            for of, mark in zip((*TYPES, NUMBER), marks):
                cells[name.strip("` "), of] = reasons[mark[5:-6]] if mark.startswith("<sup>") else ""
    return cells


def cases_of(name):
    """Those that the page has for elements of that type."""
    page = on_the_page()
    return [case for case in CASES if not page[case[0], name]]


def compared_arrays(folder, name, shape, cases, most):
    """What is wrong with functions of one type and shape, and how many calls there were."""
    x = values(name, shape)
    session, wrong, calls = Asking(folder), [], 0
    try:
        session.give(x=x)
        for case in cases:
            choice = random.Random(f"{os.environ.get('XCUDA_SEED', '5')} {name} {case[1]}")
            for _, argument in (one for one in drawn(case, choice, most) if one[0] == shape):
                calls += 1
                if problem := difference(session, name, case, x, argument):
                    wrong.append(f"{name}{list(shape)} {case[1].format(argument)}: {problem}")
    finally:
        session.close()
    return wrong, calls


def compared_numbers(folder, name, cases):
    """The same of functions of a number."""
    page, number = on_the_page(), values(name, ())
    session, wrong, calls = Asking(folder), [], 0
    try:
        session.run(declared(name, number))
        for case in (one for one in cases if not page[one[0], NUMBER]):
            calls += 1
            if problem := difference_of_number(session, name, case, number):
                wrong.append(f"{name} {case[1].format('a number')}: {problem}")
    finally:
        session.close()
    return wrong, calls


def array_jobs(cases_of, most):
    """The functions of arrays in pieces, each for a session of its own: of one type and shape, with `most` of the arguments."""
    return [lambda folder, name=name, shape=shape, cases=cases_of(name)[piece::4]: compared_arrays(folder, name, shape, cases, most)
            for shape, name, piece in itertools.product(SHAPES, TYPES, range(4))]


def number_jobs(cases_of):
    return [lambda folder, name=name: compared_numbers(folder, name, cases_of(name)) for name in TYPES]


def compare_all(jobs, tmp_path_factory):
    """All sessions, one on each core; XCUDA_PART=2/3 takes the second third of them."""
    part, parts = map(int, os.environ.get("XCUDA_PART", "1/1").split("/"))
    jobs = jobs[part - 1::parts]

    def outcome(job, folder):
        try:
            return job(folder)
        except Exception as problem:  # a session that ended is a finding like others
            return [str(problem)], 0

    folders = [tmp_path_factory.mktemp("arrays") for _ in jobs]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = list(pool.map(outcome, jobs, folders))
    wrong = [one for of, _ in results for one in of]
    print(f"{sum(calls for _, calls in results)} calls")
    assert not wrong, f"{len(wrong)}:\n" + "\n\n".join(wrong)
