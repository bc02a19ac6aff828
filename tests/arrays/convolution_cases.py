"""Convolutions beside NumPy's: for the CPU device here, and for GPUs in tests/gpu."""
import numpy as np

TYPES = {"float32": np.float32, "float64": np.float64, "complex64": np.complex64, "complex128": np.complex128, "int32": np.int32, "float16": np.float16}
MODES = ["full", "same", "valid"]
# Two short rows, a long one with a short one both ways, two whose shorter one is even, two long ones, which are products of transforms.
LENGTHS = [(1, 1), (7, 3), (3, 8), (40, 6), (6, 40), (3000, 2048), (1500, 1999)]
# Planes and kernels: one within the other, a batch, a kernel that is larger, a large one.
PLANES = [((5, 7), (3, 2)), ((2, 3, 6, 5), (3, 3)), ((3, 4), (5, 6)), ((90, 70), (40, 41))]


def numbers(shape, dtype, seed):
    generator = np.random.default_rng(seed)
    values = generator.integers(-9, 10, shape).astype(np.complex128)
    if np.issubdtype(dtype, np.complexfloating):
        values += 1j * generator.integers(-9, 10, shape)
    return (values if np.issubdtype(dtype, np.complexfloating) else values.real).astype(dtype)


def wide(x):
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)


def convolved_planes(x, y, mode):
    """As scipy.signal.convolve2d has it."""
    rows, columns = x.shape[-2:]
    full = np.zeros((*x.shape[:-2], rows + y.shape[0] - 1, columns + y.shape[1] - 1), x.dtype)
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            full[..., i:i + rows, j:j + columns] += x * y[i, j]
    if mode == "full":
        return full
    if mode == "same":
        top, left = (y.shape[0] - 1) // 2, (y.shape[1] - 1) // 2
        return full[..., top:top + rows, left:left + columns]
    top, left = min(rows, y.shape[0]) - 1, min(columns, y.shape[1]) - 1
    return full[..., top:top + abs(rows - y.shape[0]) + 1, left:left + abs(columns - y.shape[1]) + 1]


def compare(text, ours, wanted, dtype):
    assert ours.shape == wanted.shape, (text, ours.shape, wanted.shape)
    expected = np.int64 if np.issubdtype(dtype, np.integer) else dtype
    assert ours.dtype == expected, (text, ours.dtype)
    if np.issubdtype(dtype, np.integer):
        assert np.array_equal(ours, wanted), text
        return
    # Whole numbers: what differs is the rounding of transforms, and that of the result.
    worst = np.max(np.abs(ours.astype(wanted.dtype) - wanted)) / max(np.max(np.abs(wanted)), 1)
    assert worst < {2: 1e-3, 4: 2e-7, 8: 1e-14}[np.dtype(dtype).itemsize // (2 if np.issubdtype(dtype, np.complexfloating) else 1)], (text, worst)


def check(session, kind):
    dtype = TYPES[kind]
    for n, m in LENGTHS:
        if kind == "float16" and n > 100:
            continue  # sums beyond its range
        x, y = numbers(n, dtype, n), numbers(m, dtype, m + 1)
        session.give(x=x, y=y)
        texts = {f"{name}{mode}": f'{name}(x, y, mode = "{mode}")' for name in ("convolve", "correlate") for mode in MODES}
        for key, ours in session.take(**texts).items():
            function = np.convolve if key.startswith("convolve") else np.correlate
            mode = next(mode for mode in MODES if key.endswith(mode))
            compare(f"{texts[key]} of {n} and {m}", ours, function(wide(x), wide(y), mode), dtype)
    for shape, kernel in PLANES:
        x, y = numbers(shape, dtype, 1), numbers(kernel, dtype, 2)
        session.give(x=x, y=y)
        for mode, ours in session.take(**{mode: f'conv2d(x, y, mode = "{mode}")' for mode in MODES}).items():
            compare(f"conv2d {mode} of {shape} and {kernel}", ours, convolved_planes(wide(x), wide(y), mode), dtype)
