"""NumPy as the oracle of products of matrices: every layout, shape and type, and what is joined to a product."""
import itertools

import fp8_cases
import numpy as np
import pytest
from test_numpy import Session

@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("matrices"))
    session.run("__device__ int zero(size_t i) { return 0; }")
    yield session
    session.close()


def integers(generator, shape, dtype):
    """Small whole numbers: their sums are exact in every type, in any order."""
    values = generator.integers(-4, 5, shape)
    if np.issubdtype(dtype, np.complexfloating):
        return (values + 1j * generator.integers(-4, 5, shape)).astype(dtype)
    return values.astype(dtype)


# Of an array [4, 6] or [2, 4, 6]: as C++ cells write the view, and as NumPy does. Each is [..., 4, 6].
VIEWS = {"whole": ("{}", lambda x: x),
         "slice of a larger one": ("{}[1:5, 2:8]", lambda x: x[1:5, 2:8]),
         "transposed": ("transpose({})", lambda x: x.T),
         "every second": ("{}[::2, ::2]", lambda x: x[::2, ::2]),
         "from the end": ("reverse({})", lambda x: x[::-1])}
SHAPES = {"whole": (4, 6), "slice of a larger one": (7, 9), "transposed": (6, 4), "every second": (8, 12), "from the end": (4, 6)}


def test_views_of_both_factors_in_double(session):
    generator = np.random.default_rng(1)
    given, taken, wanted = {}, {}, {}
    for number, (left, right) in enumerate(itertools.product(VIEWS, VIEWS)):
        a, b = integers(generator, SHAPES[left], np.float64), integers(generator, SHAPES[right], np.float64)
        given |= {f"a{number}": a, f"b{number}": b}
        taken[f"p{number}"] = f"matmul({VIEWS[left][0].format(f'a{number}')}, transpose({VIEWS[right][0].format(f'b{number}')}))"
        wanted[f"p{number}"] = VIEWS[left][1](a) @ VIEWS[right][1](b).T
    session.give(**given)
    for name, got in session.take(**taken).items():
        np.testing.assert_array_equal(got, wanted[name], taken[name])


@pytest.mark.parametrize("types", fp8_cases.TYPES)
def test_fp8(session, types):
    session.run(fp8_cases.SOURCE)
    for shape in fp8_cases.SHAPES:
        for cell in fp8_cases.cells(*types, *shape):
            session.run(cell)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.complex128, np.int8, np.int32, np.uint8, np.int64])
def test_types(session, dtype):
    generator = np.random.default_rng(2)
    a, b = integers(generator, (5, 7), dtype), integers(generator, (7, 3), dtype)
    x, y = integers(generator, 7, dtype), integers(generator, (4, 7, 3), dtype)
    session.give(a=a, b=b, x=x, y=y)
    result = {np.int8: np.int32, np.int32: np.int64, np.uint8: np.uint64}.get(dtype, dtype)
    got = session.take(ab="matmul(a, b)", xb="matmul(x, b)", ax="matmul(a, x)", ay="matmul(a, y)", two="matmul(a, matmul(b, transpose(b)))")
    wide = {name: value.astype(result) for name, value in dict(a=a, b=b, x=x, y=y).items()}
    a, b, x, y = wide["a"], wide["b"], wide["x"], wide["y"]
    for name, wanted in dict(ab=a @ b, xb=x @ b, ax=a @ x, ay=a @ y).items():
        assert got[name].dtype == result, (name, got[name].dtype)
        np.testing.assert_array_equal(got[name], wanted, name)


def test_no_elements(session):
    """Extents of 0 come from slices."""
    generator = np.random.default_rng(6)
    for dtype in (np.float16, np.float64, np.complex64, np.int8, np.int32):
        a, x = integers(generator, (4, 4), dtype), integers(generator, (3, 4, 4), dtype)
        session.give(a=a, x=x)
        calls = {"rows": ("a[1:1]", "a"), "columns": ("a", "a[:, 2:2]"), "sums": ("a[:, 2:2]", "a[2:2]"), "batch": ("x[1:1]", "a"), "sums_of_batch": ("x[:, :, 0:0]", "a[0:0]"),
                 "vector": ("a[0, 0:0]", "a[0:0]")}
        got = session.take(**{name: f"matmul({left}, {right})" for name, (left, right) in calls.items()})
        for name, (left, right) in calls.items():
            np.testing.assert_array_equal(got[name], eval(left) @ eval(right), f"{name} of {dtype}")


@pytest.mark.parametrize("left, right", [((1, 1), (1, 1)), ((1, 13), (13, 1)), ((13, 1), (1, 11)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)),
                                         ((2, 1, 3, 4), (7, 4, 5)), ((1, 3, 4), (6, 4, 5)), ((2, 3, 1, 4), (3, 4, 5)), ((5,), (2, 5, 3)),
                                         ((2, 3, 5), (5,)), ((67, 131), (131, 17))])
def test_shapes(session, left, right):
    generator = np.random.default_rng(3)
    a, b = integers(generator, left, np.float64), integers(generator, right, np.float64)
    session.give(a=a, b=b)
    np.testing.assert_array_equal(session.take(p="matmul(a, b)")["p"], a @ b)


def test_two_vectors_give_a_number(session):
    session.give(x=np.array([1., 2, 3]), y=np.array([4., 5, 6]))
    assert session.take_numbers(p="matmul(x, y)")["p"] == 32


def test_mixed_types_are_one(session):
    generator = np.random.default_rng(4)
    a, b = integers(generator, (3, 4), np.float32), integers(generator, (4, 5), np.float64)
    i, u = integers(generator, (3, 4), np.int16), integers(generator, (4, 5), np.int64)
    session.give(a=a, b=b, i=i, u=u)
    got = session.take(p="matmul(a, b)", q="matmul(i, b)", r="matmul(i, u)")
    assert got["p"].dtype == got["q"].dtype == np.float64
    for name, wanted in dict(p=a @ b, q=i @ b, r=i.astype(np.int64) @ u).items():
        np.testing.assert_array_equal(got[name], wanted)


JOINED = {"2.0f * matmul(a, b)": "2 * p", "matmul(a, b) * 2.0f + c": "2 * p + c", "matmul(a, b) - c": "p - c", "c - matmul(a, b)": "c - p",
          "-matmul(a, b) + 3.0f * c": "3 * c - p", "0.5f * matmul(a, b) + 2.0f * c": "0.5 * p + 2 * c", "matmul(a, b) + bias": "p + bias",
          "relu(matmul(a, b))": "np.maximum(p, 0)", "relu(matmul(a, b) + bias)": "np.maximum(p + bias, 0)",
          "relu(2.0f * matmul(a, b) + c + bias)": "np.maximum(2 * p + c + bias, 0)", "matmul(a, b) + column": "p + column",
          "matmul(a, b) * matmul(a, b)": "p * p", "matmul(a, b) + matmul(a, b)": "p + p", "matmul(a, b) + c + c": "p + c + c",
          "2.0f * (matmul(a, b) + c)": "2 * (p + c)", "abs(matmul(a, b)) + 1.0f": "abs(p) + 1", "matmul(a, b) + transpose(ct)": "p + c",
          "matmul(a, b + b) / 2.0f": "p", "where(matmul(a, b) > 0, matmul(a, b), 0.0f)": "np.maximum(p, 0)"}


def test_what_is_joined_to_a_product(session):
    generator = np.random.default_rng(5)
    a, b, c = (integers(generator, shape, np.float32) for shape in [(6, 5), (5, 8), (6, 8)])
    bias, column = integers(generator, 8, np.float32), integers(generator, (6, 1), np.float32)
    session.give(a=a, b=b, c=c, bias=bias, column=column, ct=np.ascontiguousarray(c.T))
    got = session.take(**{f"r{i}": text for i, text in enumerate(JOINED)})
    values = {"p": a @ b, "c": c, "bias": bias, "column": column, "np": np}
    for i, (text, wanted) in enumerate(JOINED.items()):
        assert got[f"r{i}"].dtype == np.float32, text
        np.testing.assert_array_equal(got[f"r{i}"], eval(wanted, values), text)


def test_targets(session):
    """Into rows of a larger array, a transposed one, one of the factors, and what is added."""
    generator = np.random.default_rng(6)
    a, b, c = (integers(generator, shape, np.float32) for shape in [(6, 6), (6, 6), (6, 6)])
    session.give(a=a, b=b, c=c)
    session.run("float big[10][12] = -1;\nbig[2:8, 3:9] = matmul(a, b);\n"
                "float same[6][6] = a, added[6][6] = c, spread[6][12] = 0; same = matmul(same, b) + c; added += 2.0f * matmul(a, b);\n"
                "spread[:, ::2] = relu(matmul(a, b)); double wide[6][6] = 2.0 * matmul(a, b); float row[6] = matmul(a[2], b);")
    got = session.take(big="big", same="same", added="added", spread="spread", wide="wide", row="row")
    p = a @ b
    big = np.full((10, 12), -1, np.float32)
    big[2:8, 3:9] = p
    spread = np.zeros((6, 12), np.float32)
    spread[:, ::2] = np.maximum(p, 0)
    for name, wanted in dict(big=big, same=p + c, added=c + 2 * p, spread=spread, wide=2.0 * p, row=p[2]).items():
        np.testing.assert_array_equal(got[name], wanted, name)


def test_half_is_summed_in_float_and_rounded_once(session):
    generator = np.random.default_rng(7)
    a, b = generator.standard_normal((9, 200)).astype(np.float16), generator.standard_normal((200, 9)).astype(np.float16)
    session.give(a=a, b=b)
    got = session.take(p="matmul(a, b)")["p"]
    wanted = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16)
    assert got.dtype == np.float16 and np.max(np.abs(got.astype(float) - wanted.astype(float))) <= 2 ** -6


def test_reductions_of_products(session):
    generator = np.random.default_rng(8)
    a, b = integers(generator, (6, 5), np.float64), integers(generator, (5, 8), np.float64)
    session.give(a=a, b=b)
    got = session.take_numbers(total="sum(matmul(a, b))", most="max(matmul(a, b))", spread="var(matmul(a, b))")
    p = a @ b
    assert got["total"] == p.sum() and got["most"] == p.max() and np.isclose(got["spread"], p.var())
    np.testing.assert_array_equal(session.take(rows="sum(matmul(a, b), axis = 1)")["rows"], p.sum(1))


EINSUMS = {"ij,jk->ik": "a b", "ij,jk": "a b", "ij,jk->ki": "a b", "ij->": "a", "ij->j": "a", "ij->ji": "a", "ii->i": "s", "ii": "s", "ij,ij->": "a a",
           "ij,ij->i": "a a", "i,j->ij": "x y", "i,i": "x x", "bij,bjk->bik": "d e", "bij,jk->bik": "d f", "ij,jk,kl->il": "a b g",
           "bij,bij->b": "d d", "bij,bjk->k": "d e", "ij,kj->ik": "a a", "aij,bij->ab": "d d", "i,ij,j->": "x a z", "ii,ij->j": "s s",
           "...ij,...jk->...ik": "d e", "...ij->...ji": "d", "...ij,jk": "d f", "ij,...jk->...ik": "s e", "...,...": "x x", "...j,j->...": "d z", "i...->...": "d",
           "ij...,j->i...": "a z", "...i,...i->...": "d h", "...ii->...i": "s", "... , ...": "d h"}


def test_einsum(session):
    generator = np.random.default_rng(10)
    shapes = dict(h=(1, 4), a=(5, 4), b=(4, 6), g=(6, 3), s=(4, 4), x=5, y=7, z=4, d=(2, 3, 4), e=(2, 4, 5), f=(4, 5))
    values = {name: integers(generator, shape, np.float64) for name, shape in shapes.items()}
    session.give(**values)
    taken, numbers, wanted = {}, {}, {}
    for i, (text, names) in enumerate(EINSUMS.items()):
        wanted[f"e{i}"] = np.einsum(text, *(values[name] for name in names.split()))
        (taken if wanted[f"e{i}"].shape else numbers)[f"e{i}"] = f'einsum("{text}", {", ".join(names.split())})'
    for name, got in (session.take(**taken) | session.take_numbers(**numbers)).items():
        np.testing.assert_array_equal(got.reshape(wanted[name].shape), wanted[name], (taken | numbers)[name])


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64, np.complex128])
def test_outer_kron_power(session, dtype):
    generator = np.random.default_rng(9)
    x, y = integers(generator, 5, dtype), integers(generator, 7, dtype)
    a, b = integers(generator, (2, 3), dtype), integers(generator, (4, 2), dtype)
    s = integers(generator, (3, 3), dtype)
    session.give(x=x, y=y, a=a, b=b, s=s)
    got = session.take(outer="outer(x, y)", kron="kron(a, b)", vectors="kron(x, y)", mixed="kron(x, a)", p0="matrix_power(s, 0)",
                       p1="matrix_power(s, 1)", p5="matrix_power(s, 5)", p6="matrix_power(transpose(s), 6)")
    for name, wanted in dict(outer=np.outer(x, y), kron=np.kron(a, b), vectors=np.kron(x, y), mixed=np.kron(x, a), p0=np.eye(3),
                             p1=s, p5=np.linalg.matrix_power(s.astype(np.result_type(dtype, np.int64) if dtype == np.int32 else dtype), 5),
                             p6=np.linalg.matrix_power(s.T.astype(np.int64 if dtype == np.int32 else dtype), 6)).items():
        np.testing.assert_array_equal(got[name], wanted, name)
