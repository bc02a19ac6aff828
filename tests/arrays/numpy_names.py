"""NumPy's expressions beside ours: what a new user writes, over arrays that test_numpy_names.py makes.

    a, b: float64, 6      m: float64, 3 x 4      q: float64, 4 x 4     i: int32, 4, indices of a
    k: int32, 8, small    n: float64, 6, with NaN                      t: bool, 6

A row without a cell's text says why there is none. `python tests/arrays/numpy_names.py` writes the table of docs/arrays.md."""
import pathlib

# (NumPy, ours); None where they are spelled alike but for the module, and as a method as well.
EXPRESSIONS = [
    # --- indexing
    ("a[-1]", "a[-1]"), ("a[1:-1]", "a[1:-1]"), ("a[::-1]", "a[::-1]"), ("a[::2]", "a[::2]"), ("a[-3:]", "a[-3:]"),
    ("a[i]", "a[i]"), ("a[a > 2]", "a[a > 2]"), ("a[(a > 1) & (a < 5)]", "a[(a > 1) & (a < 5)]"), ("a[~t]", "a[!t]"),
    ("m[:, 1]", "m[:, 1]"), ("m[..., -1]", "m[..., -1]"), ("m[i[:2] % 3]", "m[i[:2] % 3]"), ("m[:, i[:3] % 4]", "m[:, i[:3] % 4]"),
    ("m[i[:2] % 3, i[:2] % 4]", "m[i[:2] % 3, i[:2] % 4]"), ("m[m > 5]", "m[m > 5]"), ("m[m[:, 0] > 3]", "m[m[:, 0] > 3]"),
    ("a[:, np.newaxis]", "a[:, newaxis]"), ("a[None, :]", "a[None, :]"), ("m[1, ::-1]", "m[1, ::-1]"), ("m[3:3]", "m[3:3]"),
    # --- attributes
    ("m.shape", "m.shape"), ("m.size", "m.size"), ("m.ndim", "m.ndim"), ("m.T", "m.T"), ("len(m)", "size(m)"),
    # --- new arrays
    ("np.zeros((2, 3))", "zeros(2, 3)"), ("np.zeros(4, np.float32)", "zeros<float>(4)"), ("np.ones(3)", "ones(3)"),
    ("np.full((2, 2), 7)", "full({2, 2}, 7)"), ("np.eye(3)", "eye(3)"), ("np.eye(3, 4, 1)", "eye(3, 4, 1)"),
    ("np.identity(3)", "identity(3)"), ("np.tri(3)", "tri(3)"), ("np.arange(5)", "arange(5)"), ("np.arange(2, 10, 3)", "arange(2, 10, 3)"),
    ("np.arange(0, 1, 0.25)", "arange(0, 1, 0.25)"), ("np.linspace(0, 1, 5)", "linspace(0, 1, 5)"),
    ("np.logspace(0, 2, 3)", "logspace(0, 2, 3)"), ("np.geomspace(1, 8, 4)", "geomspace(1, 8, 4)"),
    ("np.zeros_like(a)", "zeros_like(a)"), ("np.ones_like(k)", "ones_like(k)"), ("np.full_like(a, 7)", "full_like(a, 7)"),
    # --- shapes
    ("a.reshape(2, 3)", "a.reshape(2, 3)"), ("m.reshape(-1)", "m.reshape(-1)"), ("m.reshape(2, -1)", "m.reshape(2, -1)"),
    ("np.ravel(m)", "ravel(m)"), ("m.flatten()", "m.flatten()"), ("np.squeeze(m[:1])", "squeeze(m[:1])"),
    ("np.expand_dims(a, 1)", "expand_dims(a, 1)"), ("np.moveaxis(m, 0, 1)", "moveaxis(m, 0, 1)"),
    ("np.swapaxes(m, 0, 1)", "swapaxes(m, 0, 1)"), ("np.transpose(m)", "transpose(m)"),
    ("m.transpose(1, 0)", "permute_dims(m, 1, 0)"), ("np.broadcast_to(a, (2, 6))", "broadcast_to(a, 2, 6)"),
    ("np.concatenate([a, b])", "concatenate({a, b})"), ("np.concatenate([m, m], axis=1)", "concatenate({m, m}, axis = 1)"),
    ("np.stack([a, b])", "stack({a, b})"), ("np.stack([a, b], axis=1)", "stack({a, b}, axis = 1)"),
    ("np.hstack([m, m])", "hstack({m, m})"), ("np.vstack([a, b])", "vstack({a, b})"), ("np.append(a, b)", "append(a, b)"),
    ("np.stack(np.split(a, 2))", "split(a, 2)"), ("np.tile(a, 2)", "tile(a, 2)"), ("np.tile(m, (2, 1))", "tile(m, 2, 1)"),
    ("np.repeat(a, 2)", "repeat(a, 2)"), ("np.repeat(m, 2, axis=1)", "repeat(m, 2, axis = 1)"), ("np.roll(a, 2)", "roll(a, 2)"),
    ("np.roll(m, -1, axis=1)", "roll(m, -1, axis = 1)"), ("np.flip(m)", "flip(m)"), ("np.flip(m, axis=1)", "flip(m, axis = 1)"),
    ("np.fliplr(m)", "fliplr(m)"), ("np.flipud(m)", "flipud(m)"), ("np.rot90(m)", "rot90(m)"), ("np.rot90(m, -1)", "rot90(m, -1)"),
    ("np.pad(a, 1)", "pad(a, 1)"), ("np.pad(a, (1, 2), mode='reflect')", 'pad(a, {1, 2}, mode = "reflect")'),
    ("np.pad(m, 1, mode='edge')", 'pad(m, 1, mode = "edge")'), ("np.pad(m, ((1, 2), (0, 1)))", "pad(m, {{1, 2}, {0, 1}})"),
    ("np.repeat(a, k[:6])", "repeat(a, k[:6])"), ("np.repeat(m, k[:3], axis=0)", "repeat(m, k[:3], axis = 0)"), ("np.isin(k, [0.5, 3])", "isin(k, linspace(0.5, 3, 2))"), ("np.take(a, i)", "take(a, i)"),
    ("np.take(m, [2, 0], axis=1)", "take(m, 2 - 2 * arange(2), axis = 1)"), ("a.copy()", "a.copy()"),
    ("np.diag(a)", "diag(a)"), ("np.diag(q, k=1)", "diag(q, k = 1)"), ("np.tril(q)", "tril(q)"), ("np.triu(q, k=1)", "triu(q, k = 1)"),
    ("np.meshgrid(a, b)[0]", "meshgrid(a, b)"),
    # --- of elements
    ("np.sqrt(np.abs(a))", "sqrt(abs(a))"), ("np.maximum(a, b)", "max(a, b)"), ("np.minimum(a, 2)", "min(a, 2)"),
    ("np.clip(a, 1, 3)", "clip(a, 1.0, 3.0)"), ("np.clip(n, 3, 5)", "clip(n, 3, 5)"), ("np.where(a > 2, a, 0)", "where(a > 2, a, 0)"), ("np.isnan(n)", "isnan(n)"),
    ("np.isclose(a, a + 1e-9)", "isclose(a, a + 1e-9)"), ("a ** 2", "pow(a, 2)"), ("np.hypot(a, b)", "hypot(a, b)"),
    ("np.nan_to_num(n)", "nan_to_num(n)"), ("a.astype(np.float32)", "(float)a"), ("np.isin(k, i)", "isin(k, i)"),
    # --- over all, or along an axis
    ("a.sum()", "a.sum()"), ("np.sum(m, axis=0)", "sum(m, axis = 0)"), ("m.sum(axis=-1)", "m.sum(axis = -1)"), ("np.prod(a)", "prod(a)"),
    ("m.mean(axis=1)", "m.mean(axis = 1)"), ("m.std(axis=0)", "m.std(axis = 0)"), ("np.var(a, ddof=1)", "var(a, ddof = 1)"),
    ("m.min(axis=0)", "m.min(axis = 0)"), ("a.max()", "a.max()"), ("np.ptp(a)", "ptp(a)"), ("np.median(m, axis=1)", "median(m, axis = 1)"),
    ("np.percentile(a, 25)", "percentile(a, 25)"), ("np.percentile(m, [25, 75], axis=0)", "percentile(m, {25, 75}, axis = 0)"),
    ("np.quantile(a, 0.4)", "quantile(a, 0.4)"), ("np.average(a, weights=b)", "average(a, b)"), ("np.all(a > -9)", "all(a > -9)"),
    ("np.allclose(a, b)", "allclose(a, b)"), ("np.array_equal(a, a)", "array_equal(a, a)"), ("np.dot(a, b)", "dot(a, b)"),
    ("np.nansum(n)", "nansum(n)"), ("np.nanmean(n)", "nanmean(n)"), ("np.nanmin(n)", "nanmin(n)"), ("np.nanmax(n)", "nanmax(n)"),
    ("np.nanstd(n)", "nanstd(n)"), ("np.trace(q)", "trace(q)"), ("np.trapezoid(a, dx=0.5)", "trapezoid(a, 0.5)"),
    # --- running, in order, counted
    ("np.cumsum(a)", "cumsum(a)"), ("np.cumsum(m, axis=1)", "cumsum(m, axis = 1)"), ("np.cumprod(a)", "cumprod(a)"),
    ("np.diff(a)", "diff(a)"), ("np.diff(m, axis=0)", "diff(m, axis = 0)"), ("np.gradient(a)", "gradient(a)"),
    ("np.sort(a)", "sort(a)"), ("np.sort(m, axis=0)", "sort(m, axis = 0)"), ("np.sort(m)", "sort(m)"),
    ("np.argsort(m, axis=1, kind='stable')", "argsort(m, axis = 1)"), ("np.sort(a)[::-1][:3]", "topk(a, 3)"), ("np.unique(k)", "unique(k)"),
    ("np.bincount(k)", "bincount(k)"), ("np.bincount(k, weights=np.arange(8))", "bincount(k, arange(8))"),
    ("np.searchsorted(np.sort(a), b)", "searchsorted(sort(a), b)"), ("np.digitize(a, np.sort(b))", "digitize(a, sort(b))"),
    ("np.digitize(a, np.sort(b)[::-1])", "digitize(a, sort(b)[::-1])"), ("np.interp(3.5, np.sort(a), a)", "interp(3.5, sort(a), a)"),
    ("np.histogram(a, bins=3)[0]", "histogram(a, bins = 3)"), ("np.histogram2d(a, b, bins=2)[0]", "histogram2d(a, b, bins = 2)"),
    ("np.nonzero(a > 1)[0]", "nonzero(a > 1)"), ("np.argwhere(m > 5)", "argwhere(m > 5)"), ("np.flatnonzero(m > 5)", "flatnonzero(m > 5)"),
    ("np.interp(b, np.sort(a), a)", "interp(b, sort(a), a)"), ("np.outer(a, b)", "outer(a, b)"), ("np.cross(a[:3], b[:3])", "cross(a[:3], b[:3])"),
    ("np.convolve(a, b[:3])", "convolve(a, b[:3])"), ("np.convolve(a, b[:3], 'same')", 'convolve(a, b[:3], "same")'),
    # --- Fourier transforms
    ("np.abs(np.fft.fft(a))", "abs(fft(a))"), ("np.fft.irfft(np.fft.rfft(a))", "irfft(rfft(a))"), ("np.fft.fftfreq(6, 0.5)", "fftfreq(6, 0.5)"),
    ("np.fft.fftshift(a)", "fftshift(a)"),
    # --- linear algebra
    ("np.linalg.solve(m[:, :3] + 9 * np.eye(3), a[:3])", "solve(m[:, :3] + 9 * eye(3), a[:3])"), ("np.linalg.inv(m[:, :3] + np.eye(3))", "inv(m[:, :3] + eye(3))"),
    ("np.linalg.cond(m[:, :2])", "cond(m[:, :2])"),
    ("np.linalg.eigvalsh(q + q.T)", "eigvalsh(q + q.T)"), ("np.linalg.lstsq(m[:, :2], a[:3])[0]", "lstsq(m[:, :2], a[:3])"),
]

# What has no line of ours here, and why.
ABSENT = [
    ("a @ b, np.random", "products of matrices and random numbers are in [libraries.md](libraries.md)"),
    ("np.einsum, np.tensordot", "write the kernel, or a product of reshaped arrays and a sum"),
    ("np.partition, np.argpartition", "sort() takes as long on a device"),
    ("np.insert, np.delete", "x[mask] keeps elements; concatenate() puts pieces together"),
    ("a[np.ix_(i, j)]", "a[i[:, newaxis], j]"),
]


def spelled_alike(numpy, ours):
    return numpy.replace("np.", "").replace("'", '"').replace(" ", "") == ours.replace(" ", "")


def table():
    rows = [(f"`{numpy}`", f"`{ours}`") for numpy, ours in EXPRESSIONS if not spelled_alike(numpy, ours)]
    rows += [(f"`{numpy}`", why) for numpy, why in ABSENT]
    return "\n".join(f"| {numpy} | {here} |" for numpy, here in [("NumPy", "here"), ("---", "---"), *rows])


if __name__ == "__main__":
    page = pathlib.Path(__file__).parents[2] / "docs" / "arrays.md"
    text = page.read_text()
    begin, end = "<!-- numpy_names.py writes this -->\n", "<!-- to here -->\n"
    head, rest = text.split(begin)
    page.write_text(head + begin + table() + "\n" + end + rest.split(end)[1])
