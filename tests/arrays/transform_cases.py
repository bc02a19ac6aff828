"""Fourier transforms beside NumPy's, which is the oracle in double: for the CPU device here, and for GPUs in tests/gpu."""
import numpy as np

TYPES = {"complex64": np.complex64, "complex128": np.complex128, "float32": np.float32, "float64": np.float64, "int32": np.int32}
# What is given: rows of one length, of primes, of many small ones, a volume, four axes.
SHAPES = {"a line": (1000,), "a prime": (97,), "one": (1,), "a long line": (1 << 15,), "lines": (37, 64), "odd lines": (5, 4, 45), "a volume": (6, 10, 9),
          "four axes": (3, 4, 5, 6)}


def array(shape, dtype, seed=1):
    generator = np.random.default_rng(seed)
    values = generator.standard_normal(shape) * 10
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * generator.standard_normal(shape) * 10
    return values.astype(dtype)


def wide(x):
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)


def cases(x):
    """Expressions over x, and what NumPy makes of it: our text -> array."""
    f, rank = np.fft, x.ndim
    x = wide(x)
    found = {"fft(x)": f.fft(x), "ifft(x)": f.ifft(x), 'fft(x, norm = "ortho")': f.fft(x, norm="ortho"), 'ifft(x, norm = "forward")': f.ifft(x, norm="forward"),
             "fft(x, axis = 0)": f.fft(x, axis=0), "fft(x, 7)": f.fft(x, 7), f"ifft(x, n = {x.shape[-1] + 3})": f.ifft(x, x.shape[-1] + 3),
             "fft(x[..., ::-1])": f.fft(x[..., ::-1]), "fft(x[::2])": f.fft(x[::2]), "fftn(x)": f.fftn(x), "fft(x) + x": f.fft(x) + x,
             "ifftn(x)": f.ifftn(x), "fft(x[..., 1:])" if x.shape[-1] > 1 else "fft(x, 1)": f.fft(x[..., 1:]) if x.shape[-1] > 1 else f.fft(x, 1)}
    if rank > 1:
        found |= {"fft2(x)": f.fft2(x), "ifft2(x, axes = {0, -1})": f.ifft2(x, axes=(0, -1)), "fft2(x, s = {4, 50})": f.fft2(x, s=(4, 50)),
                  "fft(transpose(x))": f.fft(x.T), "fftn(x, axes = {1, 0})": f.fftn(x, axes=(1, 0)), "fft(x[0:2, 1:4], axis = 1)": f.fft(x[0:2, 1:4], axis=1),
                  'fft2(x, norm = "forward")': f.fft2(x, norm="forward"), "fftn(swapaxes(x, 0, 1))": f.fftn(x.swapaxes(0, 1))}
    if rank > 2:
        found |= {"fft(x, axis = 1)": f.fft(x, axis=1), "fft2(x, axes = {2, 0})": f.fft2(x, axes=(2, 0)), "fftn(x, axes = {0})": f.fftn(x, axes=(0,)),
                  "fft(x[:, ::2], axis = 1)": f.fft(x[:, ::2], axis=1), "fft(permute_dims(x" + "".join(f", {d}" for d in reversed(range(rank))) + "), axis = 1)": f.fft(x.T, axis=1)}
    if np.iscomplexobj(x):
        return found
    found |= {"rfft(x)": f.rfft(x), "rfft(x, axis = 0)": f.rfft(x, axis=0), "rfft(x, 8)": f.rfft(x, 8), "rfft(x[..., ::-1])": f.rfft(x[..., ::-1]),
              'rfftn(x, norm = "ortho")': f.rfftn(x, norm="ortho"), "irfft(rfft(x))": f.irfft(f.rfft(x)) if x.shape[-1] > 1 else None,
              f"irfft(rfft(x), {x.shape[-1]})": x, f"irfft(rfft(x, axis = 0), {x.shape[0]}, axis = 0)": x,
              f"irfftn(rfftn(x), s = {{{', '.join(map(str, x.shape))}}})": x}
    if rank > 1:
        found |= {"rfft2(x)": f.rfft2(x), "rfft2(x, axes = {1, 0})": f.rfft2(x, axes=(1, 0)), "rfft(transpose(x))": f.rfft(x.T),
                  f"irfft2(rfft2(x), s = {{{x.shape[-2]}, {x.shape[-1]}}})": x, "rfft(x[::2, 1:], axis = 0)": f.rfft(x[::2, 1:], axis=0)}
    return {text: value for text, value in found.items() if value is not None}


def compare(text, ours, wanted, dtype):
    single = dtype in (np.complex64, np.float32)
    expected = (np.complex64 if single else np.complex128) if np.iscomplexobj(wanted) else (np.float32 if single else np.float64)
    assert ours.dtype == expected, (text, ours.dtype)
    assert ours.shape == wanted.shape, (text, ours.shape, wanted.shape)
    size = np.sqrt(np.mean(np.abs(wanted) ** 2))
    worst = np.max(np.abs(ours - wanted)) / max(size, 1e-30)
    assert worst < (4e-6 if single else 1e-14), (text, worst)
