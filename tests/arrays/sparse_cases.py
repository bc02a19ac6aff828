"""Sparse matrices beside NumPy's dense ones, in the files that SciPy writes: for the CPU device here, for GPUs in tests/gpu."""
import numpy as np
from solver_cases import TYPES, close, matrix, tolerance

SHAPES = {"small": (4, 6), "one": (1, 1), "a row": (1, 9), "a column": (9, 1), "large": (211, 97), "square": (64, 64)}
STORED = {np.float32: np.float32, np.float64: np.float64, np.complex64: np.complex64, np.complex128: np.complex128, np.int32: np.float64}


def sparse(shape, dtype, seed=1):
    values = matrix(shape, dtype, seed)
    values[np.random.default_rng(seed).random(shape) < 0.8] = 0
    return values


def save_as_scipy(path, dense, kind):
    """The arrays of scipy.sparse.save_npz, by their names."""
    rows, columns = np.nonzero(dense)
    parts = {"format": np.array(kind.encode()), "shape": np.array(dense.shape), "data": dense[rows, columns]}
    if kind == "coo":
        return np.savez_compressed(path, **parts, row=rows.astype(np.int32), col=columns.astype(np.int32))
    major, minor, extent = (rows, columns, dense.shape[0]) if kind == "csr" else (columns, rows, dense.shape[1])
    order = np.lexsort((minor, major))
    starts = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=extent))])
    parts["data"] = dense[rows, columns][order]
    np.savez(path, **parts, indices=minor[order].astype(np.int32), indptr=starts.astype(np.int64))


def read_as_scipy(path):
    """What scipy.sparse.load_npz makes of a file, in full."""
    with np.load(path) as file:
        kind = file["format"].item().decode()
        dense = np.zeros(file["shape"], file["data"].dtype)
        rows = file["row"] if kind == "coo" else np.repeat(np.arange(dense.shape[0]), np.diff(file["indptr"]))
        np.add.at(dense, (rows, file["col" if kind == "coo" else "indices"]), file["data"])
    return dense


def check(session, shape, kind):
    dtype = TYPES[kind]
    a = sparse(SHAPES[shape], dtype)
    m, n = a.shape
    x, wide, left = matrix((n, 1), dtype, 2)[:, 0], matrix((n + 2, 7), dtype, 3), matrix((3, m), dtype, 4)
    session.give(a=a, x=x, wide=wide, left=left)
    session.run("auto s = csr(a); auto c = coo(a);\nassert(s.nnz == c.nnz);")
    exact = {"dense(s)": a, "dense(c)": a, "dense(transpose(s))": a.T, "dense(c.T)": a.T, "dense(csr(c))": a, "dense(coo(s).T)": a.T}
    near = {"matmul(s, x)": a @ x, "matmul(c, x)": a @ x, "matmul(s, wide[1:-1])": a @ wide[1:-1], "matmul(s, wide[1:-1, 2:5])": a @ wide[1:-1, 2:5],
            "matmul(left, s)": left @ a, "matmul(left[1], s)": left[1] @ a, "matmul(s.T, transpose(left))": a.T @ left.T}
    for i, value in session.take(**{f"t{i}": text for i, text in enumerate(exact | near)}).items():
        text = list(exact | near)[int(i[1:])]
        assert value.dtype == STORED[dtype], text
        if text in exact:
            assert np.array_equal(value, exact[text]), text
        else:
            close(text, value, near[text], dtype)


def check_equations(session, kind):
    dtype = TYPES[kind]
    a = sparse((90, 90), dtype, 7) + (60 * np.eye(90)).astype(dtype)
    h = a + np.conj(a.T)
    b = matrix((90, 1), dtype, 8)[:, 0]
    session.give(a=a, h=h.astype(dtype), b=b)
    limit = 1e-5 if tolerance(dtype) > 1e-6 else 1e-12
    found = session.take(one=f"cg(csr(h), b, tol = {limit})", two=f"gmres(csr(a), b, tol = {limit})", three=f"gmres(coo(h), b, tol = {limit}, restart = 5)")
    for name, wanted in {"one": np.linalg.solve(h, b), "two": np.linalg.solve(a, b), "three": np.linalg.solve(h, b)}.items():
        assert np.max(np.abs(found[name] - wanted)) < 100 * limit * np.max(np.abs(wanted)), name


def check_files(session, folder):
    for kind in ("csr", "csc", "coo"):
        a = sparse((17, 29), np.float64, 5)
        save_as_scipy(folder / f"{kind}.npz", a, kind)
        session.run(f'auto s = load_npz("{kind}.npz"); save_npz("again.npz", s);')
        assert np.array_equal(session.take(all="dense(s)")["all"], a)
        assert np.array_equal(read_as_scipy(folder / "again.npz"), a)
