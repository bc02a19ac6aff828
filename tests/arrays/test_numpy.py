"""NumPy as the oracle of arrays: what cells compute of every element type is what NumPy computes by C++'s types.

XCUDA_ALL_TYPES=1 asks for every type; without it each test takes some, as a kernel is compiled for each."""
import os
import random

import numpy as np
import pytest
from jupyter_client.manager import start_new_kernel

INTEGERS = {"int8_t": np.int8, "uint8_t": np.uint8, "int16_t": np.int16, "uint16_t": np.uint16, "int32_t": np.int32,
            "uint32_t": np.uint32, "int64_t": np.int64, "uint64_t": np.uint64}
REALS = {"half": np.float16, "float": np.float32, "double": np.float64}
TYPES = {"bool": np.bool_, **INTEGERS, **REALS}


def some(*names):
    return list(TYPES) if os.environ.get("XCUDA_ALL_TYPES") else names



class Session:
    """A kernel whose arrays come from files and go to files."""

    def __init__(self, folder):
        self.folder, self.given = folder, 0
        self.manager, self.client = start_new_kernel(kernel_name="xcuda", startup_timeout=60, cwd=str(folder))

    def run(self, code):
        problem = []
        reply = self.client.execute_interactive(code, timeout=120, output_hook=lambda m: problem.extend(m["content"].get("traceback", [])))
        assert reply["content"]["status"] == "ok", code + "\n" + "\n".join(problem)

    def give(self, **arrays):
        for name, array in arrays.items():
            np.save(self.folder / f"{name}.npy", array)
        self.run("\n".join(f'auto {name} = load("{name}.npy");' for name in arrays))

    def take(self, **expressions):
        """The values of expressions, by name."""
        code = "".join(f"auto taken_{name} = {text};\n" for name, text in expressions.items())
        self.run(code)
        self.run("".join(f"%save taken_{name} taken_{name}.npy\n" for name in expressions))
        return {name: np.load(self.folder / f"taken_{name}.npy") for name in expressions}

    def take_numbers(self, **expressions):
        """The same of expressions that are numbers."""
        self.run("".join(f"auto number_{name} = {text};\n" for name, text in expressions.items()))
        return self.take(**{name: f"where(map(1, zero) == 0, number_{name}, number_{name})" for name in expressions})

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("arrays"))
    session.run("__device__ int zero(size_t i) { return 0; }")
    yield session
    session.close()


def values_of(dtype, count, seed, *, special=True):
    generator = np.random.default_rng(seed)
    if dtype is np.bool_:
        return generator.integers(0, 2, count).astype(bool)
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        values = generator.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
        values[:2] = info.min, info.max
        values[count // 2:count // 2 + 20] = values[:20]  # some twice
        return generator.permutation(values)
    values = (generator.standard_normal(count) * 100).astype(dtype)
    values[count // 2:count // 2 + 20] = values[:20]
    if special:
        values[5:9] = np.nan, np.inf, -np.inf, np.nan
    return generator.permutation(values)


def same(ours, expected, **tolerance):
    expected = np.asarray(expected)
    assert ours.dtype == expected.dtype, (ours.dtype, expected.dtype)
    assert ours.shape == expected.shape
    if np.issubdtype(expected.dtype, np.inexact) and tolerance:
        np.testing.assert_allclose(ours, expected, equal_nan=True, **tolerance)
    else:
        np.testing.assert_array_equal(ours, expected)


# --- order -----------------------------------------------------------------------------------------------------------

@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", some("int8_t", "double"))
def test_order(session, name):
    dtype = TYPES[name]
    x = values_of(dtype, 5000, 1)
    session.give(x=x)
    taken = session.take(sorted="sort(x)", order="argsort(x)", kinds="unique(x)")
    same(taken["sorted"], np.sort(x))
    same(taken["order"], np.argsort(x, kind="stable").astype(np.uint64))
    same(taken["kinds"], np.unique(x))
    table = x[:4998].reshape(2, -1)
    session.give(table=table)
    session.run("auto [kinds, counts, first, inverse] = unique(table);")
    taken = session.take(kinds="kinds", counts="counts", first="first", inverse="inverse")
    kinds, first, inverse, counts = np.unique(table, True, True, True)
    for name, expected in (("kinds", kinds), ("counts", counts), ("first", first), ("inverse", inverse.reshape(table.shape))):
        same(taken[name], expected if name == "kinds" else expected.astype(np.uint64))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", some("half"))
def test_scans_and_histograms(session, name):
    dtype = TYPES[name]
    x = values_of(dtype, 3000, 2, special=False)
    session.give(x=x)
    taken = session.take(inclusive="scan(x)", exclusive="scan(x, inclusive = false)", bins="histogram(x, bins = 7)")
    if np.issubdtype(dtype, np.floating):
        running = np.cumsum(x.astype(np.float64))
        wide, tolerance = dtype, {"rtol": 1e-3 if dtype is np.float16 else 1e-6, "atol": 1e-3}
    else:
        wide, tolerance = np.uint64 if dtype in (np.bool_, np.uint8, np.uint16, np.uint32, np.uint64) else np.int64, {}
        running = np.cumsum(x.astype(wide))
    same(taken["inclusive"], running.astype(wide), **tolerance)
    same(taken["exclusive"], np.concatenate([np.zeros(1, running.dtype), running[:-1]]).astype(wide), **tolerance)
    assert int(taken["bins"].sum()) == len(x)
    if dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.float32, np.float64):  # whose bins have exact ends
        counts, _ = np.histogram(x.astype(np.float64), bins=7)
        assert np.abs(taken["bins"].astype(np.int64) - counts).max() <= 1  # an element on an edge


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", some("int16_t", "float"))
def test_medians_and_rolls_and_running_products(session, name):
    dtype = TYPES[name]
    x = values_of(dtype, 8 * 9 * 5, 9, special=False).reshape(8, 9, 5)
    session.give(x=x)
    taken = session.take(middle="median(x, axis = 1)", last="median(x, axis = 2, keep = true)", rolled="roll(x, 7)",
                         along="roll(x, -2, axis = 1)", whole="reshape(roll(x, 0), 360)")
    real = np.issubdtype(dtype, np.floating)
    tolerance = {"rtol": 1e-3 if dtype is np.float16 else 1e-6} if real else {}
    wide = x.astype(np.float64) if dtype is np.bool_ else x
    same(taken["middle"], np.median(wide, axis=1).astype(dtype if real else np.float64), **tolerance)
    same(taken["last"], np.median(wide, axis=2, keepdims=True).astype(dtype if real else np.float64), **tolerance)
    same(taken["rolled"], np.roll(x, 7))
    same(taken["along"], np.roll(x, -2, axis=1))
    same(taken["whole"], x.reshape(-1))
    assert session.take_numbers(all="median(x)")["all"][0] == np.median(wide).astype(dtype if real else np.float64)
    small = (x % 4).astype(dtype) if dtype is not np.bool_ else x
    session.give(small=small)
    taken = session.take(products="cumprod(small)", lines="cumprod(small, axis = 2)", sums="scan(small, axis = 0)")
    kind = sum_type(dtype)
    exact = small.astype(np.float64) if real else small.astype(kind)
    tolerance = {"rtol": 2e-3 if dtype is np.float16 else 1e-5} if real else {}
    with np.errstate(over="ignore"):
        same(taken["products"], np.cumprod(exact).astype(kind), **tolerance)
        same(taken["lines"], np.cumprod(exact, axis=2).astype(kind), **tolerance)
        same(taken["sums"], np.cumsum(exact, axis=0).astype(kind), **tolerance)


# --- reductions ------------------------------------------------------------------------------------------------------

def sum_type(dtype):
    if np.issubdtype(dtype, np.floating):
        return dtype
    return np.int64 if np.issubdtype(dtype, np.signedinteger) else np.uint64


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", some("int16_t", "float"))
def test_reductions(session, name):
    dtype = TYPES[name]
    x = values_of(dtype, 24 * 35 * 6, 3, special=False).reshape(24, 35, 6)
    session.give(x=x)
    real = np.issubdtype(dtype, np.floating)
    tolerance = {"rtol": 2e-3 if dtype is np.float16 else 1e-5, "atol": 1e-2} if real else {}
    for axis in (0, 1, 2) if os.environ.get("XCUDA_ALL_TYPES") else (1,):
        taken = session.take(sum=f"sum(x, axis = {axis})", least=f"min(x, axis = {axis})", most=f"max(x, axis = {axis})",
                             at=f"argmax(x, axis = {axis})", low=f"argmin(x, axis = {axis})", mean=f"mean(x, axis = {axis})",
                             any=f"any(x, axis = {axis})", all=f"all(x, axis = {axis})", count=f"count(x, axis = {axis})",
                             deviation=f"std(x, axis = {axis}, keep = true)")
        same(taken["sum"], (x.astype(np.float64) if real else x).sum(axis=axis, dtype=None if real else sum_type(dtype)).astype(sum_type(dtype)), **tolerance)
        same(taken["least"], x.min(axis=axis))
        same(taken["most"], x.max(axis=axis))
        same(taken["at"], x.argmax(axis=axis).astype(np.uint64))
        same(taken["low"], x.argmin(axis=axis).astype(np.uint64))
        same(taken["mean"], x.astype(np.float64).mean(axis=axis), rtol=1e-9, atol=1e-9)
        same(taken["any"], x.any(axis=axis))
        same(taken["all"], x.all(axis=axis))
        same(taken["count"], np.count_nonzero(x, axis=axis).astype(np.uint64))
        same(taken["deviation"], x.astype(np.float64).std(axis=axis, keepdims=True), rtol=1e-9, atol=1e-9)
    numbers = session.take_numbers(sum="sum(x)", least="min(x)", most="max(x)", at="argmax(x)", mean="mean(x)", norm="norm(x)", dot="dot(x[0, 0], x[1, 1])")
    same(numbers["sum"], [(x.astype(np.float64) if real else x).sum(dtype=None if real else sum_type(dtype)).astype(sum_type(dtype))], **tolerance)
    same(numbers["least"], [x.min()])
    same(numbers["most"], [x.max()])
    same(numbers["at"], np.array([x.argmax()], np.uint64))
    same(numbers["mean"], [x.astype(np.float64).mean()], rtol=1e-9, atol=1e-12)
    same(numbers["norm"], [np.linalg.norm(x.astype(np.float64).ravel())], rtol=1e-9)


@pytest.mark.timeout(300)
def test_nan_in_reductions(session):
    for dtype in (np.float16, np.float32, np.float64) if os.environ.get("XCUDA_ALL_TYPES") else (np.float64,):
        x = values_of(dtype, 4000, 4).reshape(40, 100)
        session.give(x=x)
        taken = session.take(least="min(x, axis = 1)", most="max(x, axis = 0)", at="argmax(x, axis = 1)", low="argmin(x, axis = 0)")
        same(taken["least"], x.min(axis=1))
        same(taken["most"], x.max(axis=0))
        same(taken["at"], x.argmax(axis=1).astype(np.uint64))
        same(taken["low"], x.argmin(axis=0).astype(np.uint64))


# --- types of operators ----------------------------------------------------------------------------------------------

def promoted(dtype):
    """C++'s integral promotion."""
    return np.dtype(np.int32) if dtype == np.bool_ or (np.issubdtype(dtype, np.integer) and np.dtype(dtype).itemsize < 4) else np.dtype(dtype)


def common(a, b):
    """C++'s usual arithmetic conversions; 16-bit reals are those of CUDA's headers made whole: of themselves and of integers."""
    a, b = promoted(a), promoted(b)
    for wide in (np.float64, np.float32):
        if wide in (a, b):
            return np.dtype(wide)
    if np.float16 in (a, b):
        return np.dtype(np.float16)
    if a.itemsize != b.itemsize:
        return a if a.itemsize > b.itemsize else b
    return a if a.kind == "u" else b


@pytest.mark.timeout(300)
@pytest.mark.parametrize("left", some("int8_t", "uint32_t", "half"))
def test_operators_have_the_types_of_cxx(session, left):
    x = values_of(TYPES[left], 40, 5, special=False)
    for right in some("bool", "uint16_t", "int32_t", "int64_t", "half", "float"):
        dtype = TYPES[right]
        y = values_of(dtype, 40, 6, special=False)
        session.give(x=x, y=y)
        wide = common(TYPES[left], dtype)
        # Half is computed in single precision, and rounded once.
        a, b = (v.astype(np.float32 if wide == np.float16 else wide) for v in (x, y))
        taken = session.take(sum="x + y", difference="x - y", product="x * y", less="x < y", same="x == y", chosen="x < y ? x : y")
        with np.errstate(all="ignore"):
            same(taken["sum"], (a + b).astype(wide), rtol=1e-6)
            same(taken["difference"], (a - b).astype(wide), rtol=1e-6)
            same(taken["product"], (a * b).astype(wide), rtol=1e-6)
        same(taken["less"], a < b)
        same(taken["same"], a == b)
        with np.errstate(over="ignore"):
            chosen = np.where(a < b, a, b).astype(TYPES[left] if TYPES[left] == dtype else wide)
        same(taken["chosen"], chosen)


@pytest.mark.timeout(300)
def test_complex_numbers(session):
    generator = np.random.default_rng(7)
    kinds = [(np.complex64, np.float32), (np.complex128, np.float64)]
    for dtype, real in kinds if os.environ.get("XCUDA_ALL_TYPES") else kinds[:1]:
        z, w = ((generator.standard_normal(50) + 1j * generator.standard_normal(50)).astype(dtype) for _ in range(2))
        r = generator.standard_normal(50).astype(real)
        session.give(z=z, w=w, r=r)
        taken = session.take(sum="z + w", product="z * w", quotient="z / w", scaled="r * z", size="abs(z)", turned="conj(z)", equal="z == w")
        for name, expected in dict(sum=z + w, product=z * w, quotient=z / w, scaled=r * z, size=np.abs(z), turned=np.conj(z)).items():
            same(taken[name], expected, rtol=1e-5, atol=1e-6)
        same(taken["equal"], z == w)


# --- random programs -------------------------------------------------------------------------------------------------

class Program:
    """A random expression as text, and as the value that NumPy gives it by C++'s types."""

    def __init__(self, arrays, seed):
        self.arrays, self.choice = arrays, random.Random(seed)

    def leaf(self):
        name = self.choice.choice(list(self.arrays))
        array = self.arrays[name]
        if self.choice.random() < 0.4:  # the same extents, by other ways
            way = self.choice.randrange(3)
            if way == 0:
                return f"reverse({name})", array[::-1]
            if way == 1 and array.ndim == 2:
                return f"{name}[0]", array[0]
            return f"{name}[{', '.join(['0:1'] * array.ndim)}]", array[tuple([slice(0, 1)] * array.ndim)]
        return name, array

    def expression(self, depth):
        if depth == 0 or self.choice.random() < 0.15:
            if self.choice.random() < 0.2:
                number = self.choice.randrange(1, 9)
                return (str(number), np.int32(number)) if self.choice.random() < 0.5 else (f"{number}.5f", np.float32(number + 0.5))
            return self.leaf()
        way = self.choice.randrange(7)
        a_text, a = self.expression(depth - 1)
        if way == 0:
            if np.asarray(a).dtype == np.bool_:
                return f"!({a_text})", ~a
            return f"-({a_text})", -np.asarray(a).astype(promoted(np.asarray(a).dtype))
        if way == 1:
            name, dtype = self.choice.choice([("double", np.float64), ("float", np.float32), ("int64_t", np.int64)])
            return f"({name})({a_text})", np.asarray(a).astype(dtype)
        b_text, b = self.expression(depth - 1)
        wide = common(np.asarray(a).dtype, np.asarray(b).dtype)
        x, y = np.asarray(a).astype(wide), np.asarray(b).astype(wide)
        if way in (2, 3, 4):
            op = "+-*"[way - 2]
            return f"({a_text} {op} {b_text})", {"+": x + y, "-": x - y, "*": x * y}[op]
        if way == 5:
            op = self.choice.choice(["<", ">", "<=", ">=", "==", "!="])
            return f"({a_text} {op} {b_text})", {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y, "==": x == y, "!=": x != y}[op]
        c_text, c = self.leaf()
        return f"({c_text} != 0 ? {a_text} : {b_text})", np.where(np.asarray(c) != 0, x, y)

    def make(self):
        while True:
            text, value = self.expression(3)
            if np.ndim(value) > 0:
                return text, value


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(2))
def test_random_programs(session, seed):
    generator = np.random.default_rng(seed)
    arrays = {"a": generator.integers(-9, 10, (4, 5)).astype(np.int32), "b": generator.integers(0, 200, 5).astype(np.uint8),
              "c": generator.integers(-4, 5, (4, 1)).astype(np.int16), "d": generator.integers(-8, 9, (4, 5)).astype(np.float32),
              "e": generator.integers(-8, 9, 5).astype(np.float64), "f": generator.integers(0, 9, (4, 5)).astype(np.uint32)}
    session.give(**arrays)
    with np.errstate(all="ignore"):
        programs = [Program(arrays, 100 * seed + i).make() for i in range(12)]
    taken = session.take(**{f"p{i}": text for i, (text, _) in enumerate(programs)})
    for i, (text, expected) in enumerate(programs):
        ours = taken[f"p{i}"]
        assert ours.dtype == np.asarray(expected).dtype, f"{text}: {ours.dtype}, not {np.asarray(expected).dtype}"
        # Numbers are small and whole, halves at most, so that nothing is rounded.
        np.testing.assert_array_equal(ours, expected, err_msg=text)


@pytest.mark.timeout(300)
def test_random_slices(session):
    choice = random.Random(11)
    x = np.arange(7 * 9 * 10, dtype=np.int32).reshape(7, 9, 10)
    session.give(x=x)
    texts, expected = [], []
    for _ in range(24):
        parts, slices = [], []
        for extent in x.shape[:choice.randrange(1, 4)]:
            if choice.random() < 0.25:
                at = choice.randrange(extent)
                parts.append(str(at))
                slices.append(at)
                continue
            start, step = choice.randrange(extent), choice.choice([1, 1, 2, 3, 20])
            stop = choice.randrange(start + 1, extent + 1)
            parts.append(choice.choice([f"{start}:{stop}:{step}", f"{start}:{stop}:{step}"]))
            slices.append(slice(start, stop, step))
        if all(isinstance(one, int) for one in slices) and len(slices) == 3:
            continue
        texts.append(f"x[{', '.join(parts)}]")
        expected.append(x[tuple(slices)])
    for i, ours in enumerate(session.take(**{f"s{i}": text for i, text in enumerate(texts)}).values()):
        np.testing.assert_array_equal(ours, expected[i], err_msg=texts[i])
    # As targets: what is written there, and nothing else.
    for text, value in zip(texts[:6], expected[:6]):
        session.run(f"auto y = x; {text.replace('x', 'y', 1)} += 1000;")
        ours = session.take(y="y")["y"]
        wanted = x.copy()
        wanted[np.isin(x, value)] += 1000
        np.testing.assert_array_equal(ours, wanted, err_msg=text)
