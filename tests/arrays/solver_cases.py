"""Linear algebra beside NumPy's, which is the oracle in double: for the CPU device here, and for GPUs in tests/gpu."""
import numpy as np

TYPES = {"float32": np.float32, "float64": np.float64, "complex64": np.complex64, "complex128": np.complex128, "int32": np.int32}
SHAPES = {"small": (3, 3), "one": (1, 1), "large": (67, 67), "batch": (4, 5, 5), "two batches": (2, 3, 4, 4), "wide": (3, 7), "tall": (7, 3), "tall batch": (3, 6, 2)}


def matrix(shape, dtype, seed=1):
    generator = np.random.default_rng(seed)
    values = generator.integers(-9, 10, shape).astype(np.complex128)
    if np.issubdtype(dtype, np.complexfloating):
        values += 1j * generator.integers(-9, 10, shape)
    if shape[-1] == shape[-2]:  # far from singular
        values += 12 * np.sqrt(shape[-1]) * np.eye(shape[-1])
    return (values if np.issubdtype(dtype, np.complexfloating) else values.real).astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def given(shape, dtype):
    a = matrix(shape, dtype)
    arrays = {"a": a, "b": matrix((*shape[:-1], 2), dtype, 2), "h": a}
    if shape[-1] == shape[-2]:
        arrays["h"] = a + adjoint(a)  # symmetric, and positive definite by what is on its diagonal
        arrays["h"] = arrays["h"] + (40 * np.sqrt(shape[-1]) * np.eye(shape[-1])).astype(a.dtype)
    return arrays


def wide(x):
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)


def cases(arrays):
    """Text -> what NumPy makes of it."""
    a, b, h = (wide(arrays[name]) for name in "abh")
    f = np.linalg
    found = {"pinv(a)": f.pinv(a), "norm(a, axis = -1)": f.norm(a, axis=-1), "norm(a, 3, axis = -2, keep = true)": f.norm(a, 3, axis=-2, keepdims=True)}
    for text, order in NORMS.items():
        wanted = f.norm(a, order, axis=(-2, -1))
        if a.ndim > 2:
            found |= {f"norm(a, {text}, axis = {{-2, -1}})": wanted}
    if a.ndim == 2:
        found |= {"lstsq(a, b)": f.lstsq(a, b, rcond=None)[0], "lstsq(a, b[:, 0])": f.lstsq(a, b[:, 0], rcond=None)[0],
                  "pinv(transpose(a))": f.pinv(a.T)}
    if a.shape[-1] == a.shape[-2]:
        found |= {"solve(a, b)": f.solve(a, b), "inv(a)": f.inv(a), "cholesky(h)": f.cholesky(h), "eigvalsh(h)": f.eigvalsh(h),
                  "inv(swapaxes(a, -1, -2))": f.inv(np.swapaxes(a, -1, -2))}
        if a.ndim > 2:
            found |= {"det(a)": f.det(a), "cond(a)": f.cond(a), "solve(a[0], b)": f.solve(a[0], b), "solve(a, b[0])": f.solve(a, b[0])}
        else:
            found |= {"solve(a, b[:, 0])": f.solve(a, b[:, 0])}
    return found


def numbers(arrays):
    a = wide(arrays["a"])
    if a.ndim > 2 or np.iscomplexobj(a):
        return {}
    found = {"matrix_rank(a)": np.linalg.matrix_rank(a), "cond(a)": np.linalg.cond(a)}
    found |= {f"norm(a, {text})": np.linalg.norm(a, order) for text, order in NORMS.items()}
    if a.shape[0] == a.shape[1]:
        found |= {"slogdet(a)": np.linalg.slogdet(a)[0]}
        if abs(np.linalg.det(a)) < np.finfo(np.float32).max:
            found |= {"det(a)": np.linalg.det(a)}
    return found


# What is taken apart, and how it is put together again: what is bound, names, {text: name of what it must be}.
PARTS = {"auto [q, r] = qr(a);": {"matmul(q, r)": "a"}, "auto [p, l, u] = lu(a);": {"matmul(p, matmul(l, u))": "a"},
         "auto [uu, s, vt] = svd(a, full_matrices = false);": {"matmul(uu * expand_dims(s, -2), vt)": "a"}}
SQUARE_PARTS = {"auto [ww, vv] = eig(a);": {"matmul(vv * expand_dims(ww, -2), inv(vv))": "a"},
                "auto [w, v] = eigh(h);": {"matmul(v * expand_dims(w, -2), CONJ(swapaxes(v, -1, -2)))": "h"}}


NORMS = {"1": 1, "-1": -1, "2": 2, "-2": -2, "INFINITY": np.inf, "-INFINITY": -np.inf, '"fro"': "fro", '"nuc"': "nuc"}  # of matrices


def tolerance(dtype):
    return 3e-4 if dtype in (np.float32, np.complex64) else 1e-11


def close(text, ours, wanted, dtype):
    wanted = np.asarray(wanted)
    assert np.shape(ours) == wanted.shape, (text, np.shape(ours), wanted.shape)
    worst = np.max(np.abs(ours - wanted)) / max(np.max(np.abs(wanted)), 1e-30)
    assert worst < tolerance(dtype), (text, worst)


def check(session, shape, kind):
    dtype = TYPES[kind]
    arrays = given(SHAPES[shape], dtype)
    session.give(**arrays)
    wanted = cases(arrays)
    for i, value in session.take(**{f"t{i}": text for i, text in enumerate(wanted)}).items():
        text = list(wanted)[int(i[1:])]
        close(text, value, wanted[text], dtype)
    if plain := numbers(arrays):
        session.run("".join(f"assert(abs({text} - ({float(value)!r})) <= {tolerance(dtype)} * abs({float(value)!r}));\n" for text, value in plain.items()))
    parts = PARTS | (SQUARE_PARTS if SHAPES[shape][-1] == SHAPES[shape][-2] else {})
    for bound, put in parts.items():
        session.run(bound)
        for text, name in put.items():
            text = text.replace("CONJ", "conj" if np.iscomplexobj(arrays["a"]) else "")
            close(f"{bound} {text}", session.take(again=text)["again"], wide(arrays[name]), dtype)
