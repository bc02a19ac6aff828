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
    ("np.take_along_axis(m, np.argsort(-m), -1)", "take_along_axis(m, argsort(-m), -1)"), ("np.take(m, [2, 0], axis=1)", "take(m, 2 - 2 * arange(2), axis = 1)"), ("a.copy()", "a.copy()"),
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
    ("np.pad(a, 2, mode='symmetric')", 'pad(a, 2, mode = "symmetric")'), ("np.matmul(m, q)", "matmul(m, q)"),
    ("np.einsum('ij,jk->ik', m, q)", 'einsum("ij,jk->ik", m, q)'), ("np.kron(a, b)", "kron(a, b)"),
    # --- Fourier transforms
    ("np.abs(np.fft.fft(a))", "abs(fft(a))"), ("np.fft.irfft(np.fft.rfft(a))", "irfft(rfft(a))"), ("np.fft.fftfreq(6, 0.5)", "fftfreq(6, 0.5)"),
    ("np.fft.fftshift(a)", "fftshift(a)"),
    # --- linear algebra
    ("np.linalg.solve(m[:, :3] + 9 * np.eye(3), a[:3])", "solve(m[:, :3] + 9 * eye(3), a[:3])"), ("np.linalg.inv(m[:, :3] + np.eye(3))", "inv(m[:, :3] + eye(3))"),
    ("np.linalg.cond(m[:, :2])", "cond(m[:, :2])"),
    ("np.linalg.eigvalsh(q + q.T)", "eigvalsh(q + q.T)"), ("np.linalg.lstsq(m[:, :2], a[:3])[0]", "lstsq(m[:, :2], a[:3])"),
]

# What cells do not know: the advice gives the line that does the same.
TYPED = [
    "m @ q", "a ** 2", "np.concatenate((a, b))", "concatenate(a, b)", "np.stack((a, b), axis=1)", "np.zeros((2, 3))", "np.ones([2, 3])",
    "np.array([1, 2, 3])", "np.array([[1.5, 2], [3, 4]])", "np.reshape(m, (4, 3))", "m.reshape((2, 6))", "m.transpose(1, 0)",
    "np.transpose(m, (1, 0))", "a[[0, 2]]", "m[:, [0, 2]]", "a[np.newaxis, :]", "np.sum(m, axis=0, keepdims=True)",
    "m / m.sum(axis=1, keepdims=True)", "np.dot(q, q)", "np.inner(a, b)", "np.vdot(a, b)", "np.maximum(a, b)", "np.amax(m, axis=0)",
    "np.add(a, b)", "np.subtract(a, b)", "np.multiply(a, 2)", "np.divide(i, 4)", "np.floor_divide(a, 4)", "np.mod(-a, 4)",
    "np.remainder(a, 4)", "np.power(a, 2)", "np.square(a - 2)", "np.sign(a - 3)", "np.fix(a / 2)", "np.arcsin(a / 10)",
    "np.arctan2(a, b)", "np.degrees(a)", "np.deg2rad(a)", "np.logaddexp(a, b)", "np.sinc(a / 4)", "np.heaviside(a - 3, 0.5)",
    "np.angle(np.fft.fft(a))", "np.conjugate(np.fft.fft(a))", "np.logical_and(a > 2, b > 2)", "np.logical_xor(a > 2, b > 2)",
    "np.logical_not(t)", "np.bitwise_and(k, 1)", "np.invert(k)", "np.left_shift(k, 2)", "np.greater(a, b)", "np.not_equal(a, b)",
    "np.round(a / 3, 2)", "np.around(a / 2)", "np.nanargmax(n)", "np.nanmedian(n)", "np.nanpercentile(n, 30)",
    "np.intersect1d(k, i)", "np.union1d(k, i)", "np.setdiff1d(k, i)", "np.insert(a, 1, 5)", "np.delete(a, 1)", "np.hsplit(m, 2)[0]",
    "np.histogram(a, bins=3, range=(0, 6))[0]", "np.trapezoid(a, b)", "np.size(m)", "np.shape(m)", "np.ndim(m)", "np.where(a > 2)[0]",
    "np.add.reduce(a)", "np.minimum.reduce(a)", "np.add.accumulate(a)", "np.add.outer(a, b)", "np.column_stack([a, b])", "np.cov(m)", "a[~t]",
    "a[~(a > 2)]", "np.pi", "np.e", "m.sum(axis=None)", "np.linalg.norm(a)", "np.linalg.det(q)", "np.max(m, axis=1)", "np.amin(m, axis=1)", "np.diagonal(q)",
    "np.extract(a > 2, a)", "np.ediff1d(a)", "np.reciprocal(a)", "np.argsort(m, axis=1, kind='stable')",
    "a ** 0.5", "2 ** a", "a ** -1", "a % 3", "a @ b", "q @ q", "m @ a[:4]", "m.T @ m", "q @ q.T", "np.abs(-a)", "np.exp(a)", "np.exp(-a**2 / 2)",
    "np.exp(-(a - a.mean())**2 / (2 * a.var()))", "1 / (1 + np.exp(-a))", "np.log(a + 1)", "np.log2(a)", "np.log10(a)", "np.log1p(a)",
    "np.expm1(a / 10)", "np.sin(a) ** 2 + np.cos(a) ** 2", "np.tan(a)", "np.arctan(a)", "np.arccos(a / 10)", "np.sinh(a / 3)", "np.cosh(a / 3)",
    "np.tanh(a)", "np.cbrt(a)", "np.sqrt(a)", "np.floor(a / 2)", "np.ceil(a / 2)", "np.trunc(-a / 2)", "np.rint(a / 4)", "np.round(a / 3)",
    "np.round(a / 3, 1)", "np.fabs(-a)", "np.fmod(a, 3)", "np.fmax(a, b)", "np.exp2(a)", "np.sign(-a)", "np.isfinite(n)", "np.isinf(n)",
    "np.any(np.isnan(n))", "np.isnan(n).sum()", "n[~np.isnan(n)]", "n[np.isfinite(n)].mean()", "np.nan_to_num(n, nan=0.0)",
    "np.nan_to_num(n, nan=-1)", "np.where(np.isnan(n), 0, n)", "np.sum(a > 2)", "np.count_nonzero(a > 2)", "np.mean(a > 2)", "a[a % 2 == 0]",
    "a[[0, 2, 4]]", "a[np.array([1, 3])]", "a[np.argsort(b)]", "np.sort(a)[::-1]", "-np.sort(-a)", "np.sort(a)[:3]", "np.argsort(-a)[:2]",
    "m[[0, 2]]", "m[:, [1, 3]]", "m[m % 2 == 0]", "np.abs(a[:, None] - b)", "m.sum(axis=1, keepdims=True)", "np.argmax(m, axis=0)", "np.argmin(a)",
    "np.std(a, ddof=1)", "np.cumsum(a)[::-1]", "np.all(m >= 0)", "np.any(m > 100)", "np.max(np.abs(a - b))", "np.sum((a - b) ** 2)",
    "np.sqrt(np.sum((a - b) ** 2))", "np.mean((a - b)**2)", "np.sqrt(np.mean((a - b)**2))", "np.linalg.norm(a - b)", "np.linalg.norm(m, axis=1)",
    "np.linalg.norm(a, ord=1)", "np.linalg.norm(a, np.inf)", "np.linalg.norm(q)", "np.linalg.inv(q + np.eye(4))", "np.linalg.det(q + 2*np.eye(4))",
    "np.linalg.solve(q + np.eye(4), a[:4])", "np.linalg.matrix_rank(q)", "np.linalg.svd(m, compute_uv=False)", "np.diag(q)", "np.diag([1, 2, 3])",
    "np.cross([1, 0, 0], [0, 1, 0])", "np.dot(m, a[:4])", "np.matmul(q, m.T)", "np.einsum('ij,j->i', m, a[:4])", "np.einsum('i,i', a, b)",
    "np.tensordot(q, q, axes=1)", "np.kron(np.eye(2), q)", "np.zeros(3)", "np.zeros([2, 2], dtype=int)", "np.zeros_like(m)", "np.ones((2, 2)) * 5",
    "np.full((2, 3), 7.5)", "np.full(3, np.nan)", "np.full_like(m, 3)", "np.identity(2)", "np.arange(1, 10)", "np.arange(0, 1, 0.1)",
    "np.arange(10)[::-1]", "np.arange(12).reshape(3, 4)", "np.arange(12).reshape((3, 4))", "np.arange(6, dtype=float)", "np.arange(3) + 1j",
    "np.linspace(0, 1, 11)", "np.linspace(0, 2 * np.pi, 5)", "np.linspace(0, 1, num=5)", "np.linspace(0, 1, 5, endpoint=False)",
    "np.sin(np.linspace(0, np.pi, 7))", "np.logspace(-2, 2, 5)", "np.array([1.0, 2, 3]) * 2", "np.array([[1, 2], [3, 4]]).T",
    "np.array([1, 2, 3], dtype=np.float32)", "np.array([True, False])", "np.asarray(a)", "a.astype(int)", "a.astype('float32')",
    "a.astype(np.int32) % 2", "np.float32(a)", "a.reshape((3, 2))", "np.reshape(a, (2, 3))", "np.squeeze(m[None])", "np.expand_dims(a, axis=0)",
    "np.concatenate([m, m], axis=0)", "np.vstack((a, b))", "np.hstack((a, b))", "np.stack((a, b), axis=-1)", "np.column_stack((a, b))", "np.r_[a, b]",
    "np.c_[a, b]", "np.append(a, 9)", "np.append(a, [7, 8])", "np.insert(a, 2, 9)", "np.delete(a, 0)", "np.split(a, 3)[1]", "np.tile(a, (2, 1))",
    "np.repeat(a, 3)", "np.roll(a, 1)", "np.flip(a)", "np.pad(a, 2)", "np.pad(a, (1, 1), 'constant')", "np.pad(m, 1, mode='symmetric')",
    "np.pad(a, 1, constant_values=9)", "np.triu(q)", "np.tril(q, -1)", "np.unique(k, return_counts=True)[1]", "np.unique(k).size",
    "np.bincount(k, minlength=10)", "np.histogram(a, 4)[0]", "np.histogram(a, bins=4)[1]", "np.digitize(a, [1, 3, 5])", "np.diff(a, n=2)",
    "np.gradient(a, 0.5)", "np.gradient(m)[0]", "np.gradient(m, axis=0)", "np.interp(2.5, [1, 2, 3], [10, 20, 30])",
    "np.convolve(a, [1, 1, 1], mode='same')", "np.convolve(a, np.ones(3) / 3, 'valid')", "np.correlate(a, b)", "np.median(a)", "np.percentile(a, 90)",
    "np.percentile(a, [25, 50, 75])", "np.quantile(a, 0.5)", "np.clip(a, 2, 4)", "a.clip(min=2)", "np.clip(a, 2, None)", "np.maximum(a, 0)",
    "np.minimum(a, b)", "np.where(a > 3, 1, 0)", "np.where(m > 5, m, -m)", "np.argwhere(a > 3)", "np.flatnonzero(a > 3)", "np.fft.fft(a).real",
    "np.abs(np.fft.rfft(a))", "np.fft.ifft(np.fft.fft(a)).real", "np.fft.fftfreq(6)", "np.isclose(a, b)", "np.array_equal(a, b)",
    "np.cumsum(m, axis=0)[-1]", "np.take(a, [0, 1])", "np.partition(a, 2)[:2]", "np.isin(k, [1, 3])", "np.setdiff1d(k, [1, 3])",
    "np.broadcast_to(a, (3, 6))", "np.iinfo(np.int32).max", "np.finfo(np.float32).eps", "np.pi * 2", "np.inf", "round(a.mean(), 2)",
    "np.exp(a) / np.exp(a).sum()", "np.exp(m - m.max(axis=1, keepdims=True))", "a.item(0)", "(a + 1j * b).imag", "np.mod(a, 2)", "np.gcd(k, 6)",
    "np.lcm(k + 1, 4)", "np.add.reduce(m, axis=0)", "np.size(m, 0)", "np.copy(a)", "np.cumsum(np.ones(4))", "np.sum(m, axis=(0, 1))",
    "np.sum(m, axis=-1)", "np.dot(a, a) ** 0.5", "np.max(m, axis=0) - np.min(m, axis=0)", "np.arange(10)[::3]", "np.prod(m.shape)",
    "np.ones(3, dtype=bool)", "np.ones(3, 'f4')", "np.zeros(3, dtype='i8')", "np.ones_like(a, dtype=int)", "np.full_like(a, 2, dtype=np.float32)",
    "np.sort(m[:, ::-1], axis=None)", "np.argsort(-m, axis=None)", "np.argsort(-m, axis=0)", "np.sort(m, 0)", "np.partition(m, 2, axis=None)[:2]",
    "np.sum(np.stack([m, m]), axis=(0, 2))", "np.max(np.stack([m, m]), axis=(-1, 0))", "np.mean(np.stack([m, m]), axis=(1, 2), keepdims=True)",
    "np.flip(np.stack([m, m]), axis=(0, 1))",
    "np.take_along_axis(m, np.argsort(m, axis=1), axis=1)", "np.take_along_axis(a, np.argsort(-a), 0)", "np.unique(k, return_index=True)[1]",
    "np.unique(k, return_inverse=True)[1]", "np.unique(k, return_index=True, return_counts=True)[2]", "np.histogram(a, bins=[0, 2, 4, 6])[0]",
    "np.histogram(a, [0, 2.5, 6])[1]", "np.split(a, [2, 4])[1]", "np.split(a, [2, 4])[2]",
    "np.average(m, axis=0)", "np.delete(m, 1, axis=0)", "np.delete(m, 1, axis=1)", "np.select([a > 4, a > 2], [a, -a], 0)", "np.select([a > 4, a > 2], [a, -a])",
    "np.choose(k[:4] % 2, [a[:4], b[:4]])", "np.compress(t, a)", "np.lexsort((a, np.round(b / 4)))", "np.dstack([a, b])", "np.atleast_2d(a)", "np.atleast_1d(a)",
    "np.nancumsum(n)", "np.diagflat(a)", "np.vander(a, 3)", "3 in a", "np.clip(3.5, 0, 1)", "np.isclose(0.1 + 0.2, 0.3)", "np.where(True, 1, 2)",
    "a[[1, -1]]", "m[:, [0, -1]]", "np.diff(a, prepend=0)", "np.array(3.5)", "np.array([[1, 2], [3, 4]])",
    # several results, and what takes a line before
    "np.divmod(a, 2)[0]", "np.divmod(-a, 4)[1]", "np.modf(a / 4)[0]", "np.modf(-a / 4)[1]", "np.unravel_index(np.argmax(m), m.shape)[1]",
    "np.unravel_index(i, (3, 4))[0]", "np.unravel_index(17, (2, 3, 4))[1]", "np.ravel_multi_index((2, 3), m.shape)", "np.ravel_multi_index((1, 2, 3), (2, 3, 4))",
    "np.corrcoef(a, b)", "np.corrcoef(a, b)[0, 1]", "np.corrcoef(q)", "np.cov(a, b)", "np.cov(a)", "np.histogram(a, bins=3, density=True)[0]",
    "np.histogram(a, bins=[0, 1, 4, 7], density=True)[0]", "np.histogram(a, bins=3, density=True)[1]", "np.histogram_bin_edges(a, bins=4)", "np.mgrid[0:3, 0:4]",
    "np.mgrid[0:3, 0:4][0]", "np.mgrid[-1:1:5j]", "np.ogrid[0:3, 0:4][0]", "np.ogrid[0:3, 0:4:2][1]", "np.indices((2, 3))[1]", "np.meshgrid(a, b, indexing='ij')[1]",
    "np.triu_indices(3)[0]", "np.triu_indices(4, 1)[1]", "np.tril_indices(3, k=-1)[0]", "np.tril_indices_from(q)[1]", "np.triu_indices_from(q)[1]", "np.diag_indices(3)[0]",
    "np.diag_indices_from(q)[1]", "q[np.triu_indices(4)]", "q[np.diag_indices(4)]", "m[np.where(m > 5)]", "a[np.nonzero(a > 2)]", "m[np.ix_([0, 2], [1, 3])]",
    "np.r_[1:5]", "np.r_[a, 1, 2]", "np.r_[0:1:5j]",
    "np.max(m, 0)", "np.amin(m, 1)", "np.min(m, 1)", "np.average(m, 0)", "np.column_stack((q, q))", "np.add.reduce(m)", "np.add.accumulate(m)", "np.multiply.reduce(a)",
    "np.logical_or.reduce(t)", "np.logical_and.reduce(t)", "np.maximum.accumulate(a)", "np.minimum.accumulate(a)", "np.multiply.accumulate(a)", "np.subtract.outer(a, b)",
    "(1 / 6) * np.sum(np.square(a - b))", "np.sum(k) / np.sum(i)", "k / np.max(k)", "m.flat[5]", "np.reshape(a, shape=(2, 3), order='C')",
    "m[m.argmax(axis=0), range(4)]", "np.concatenate((np.array([1, 2]), np.array([3, 4])))", "np.linalg.inv(q + 9 * np.eye(4)) @ np.ones(4)", "np.finfo(float).eps",
    "np.iinfo('int8').max", "np.array([[1, 2], [3, 4]], dtype=complex)",
    "np.array_split(a, 4)[1]", "np.array_split(a, 4)[3]", "np.array_split(m, 3, axis=1)[2]", "np.hsplit(m, [1, 3])[1]", "np.split(m, [1, 3], axis=1)[1]",
    "np.resize(a, 8)", "np.resize(a, (2, 4))", "np.resize(m, (2, 3))", "np.resize(np.array([[0, 1], [2, 3]]), (2, 3))",
    "np.pad(a, (2, 3), 'constant', constant_values=(4, 6))", "np.pad(a, 2, constant_values=(4, 6))", "np.pad(m, pad_width=1, mode='constant', constant_values=0)",
    "np.broadcast_arrays(a, m[:, :1])[0]", "np.broadcast_arrays(a, m[:, :1])[1]", "a[np.argpartition(a, 3)[:1]]", "np.sort(a[np.argpartition(a, -3)[-3:]])",
    "sorted(a, reverse=True)", "2 ** 10", "k ** 2", "k ** 3 % 5", "a[i ** 2 % 6]", "m[(i % 3, i % 4)]", "m[(1, 2)]", "m[([0, 1], [2, 3])]",
    "a is b", "a is not b", "m is q", "9 not in a", "a.mean().item()", "size(m, 0)",
    # names of other functions, and other names
    "np.absolute(-a)", "np.acos(a / 10)", "np.acosh(a)", "np.arccosh(a)", "np.asin(a / 10)", "np.asinh(a)", "np.arcsinh(a)", "np.atan(a)", "np.atan2(a, b)", "np.atanh(a / 10)",
    "np.arctanh(a / 10)", "np.concat([a, b])", "np.bitwise_count(k)", "np.bitwise_count(-k)", "np.bitwise_invert(k)", "np.bitwise_not(k)", "np.bitwise_left_shift(k, 1)",
    "np.bitwise_right_shift(k, 1)", "np.right_shift(k, 1)", "np.bitwise_or(k, 4)", "np.bitwise_xor(k, 1)", "np.cumulative_sum(a)", "np.cumulative_prod(a)",
    "np.array_equiv(a, a)", "np.conj(np.fft.fft(a))", "np.copysign(a, b - 3)", "np.equal(a, 3)", "np.less(a, b)", "np.less_equal(a, b)", "np.greater_equal(a, b)",
    "np.fmin(a, b)", "np.float_power(a, 2)", "np.ldexp(a, 2)", "np.logaddexp2(a, b)", "np.logical_or(a > 2, b > 2)", "np.matvec(m, a[:4])", "np.vecmat(a[:3], m)",
    "np.vecdot(a, b)", "np.vecdot(m, m)", "np.matrix_transpose(m)", "np.negative(a)", "np.positive(a)", "np.pow(a, 2)", "np.rad2deg(a)", "np.radians(a)", "np.signbit(-a)",
    "np.std(m, axis=1)", "np.var(m)", "np.true_divide(a, b)", "np.isposinf(1 / (a - 3))", "np.isneginf(1 / (3 - a))", "np.iscomplex(np.fft.fft(a))", "np.isreal(np.fft.fft(a))",
    "np.real(np.fft.fft(a))", "np.imag(np.fft.fft(a))", "np.setxor1d(k, i)", "np.sort(np.unique_values(k))", "np.unique_counts(k)[1]", "np.unique_inverse(k)[1]", "np.unique_all(k)[1]",
    "np.bartlett(5)", "np.blackman(6)", "np.hamming(5)", "np.hanning(7)", "np.trim_zeros(a[::-1] - 4)", "np.polyval([2, 3, -1], a)", "np.polyval([2, 0], 3)", "np.block([[m, m], [m, m]])",
    "np.dsplit(np.stack([m, m], axis=2), 2)[0]", "np.vsplit(q, 2)[0]", "np.row_stack([a, b])", "np.empty((2, 3)).shape", "np.euler_gamma", "np.nanprod(n)", "np.nanvar(n)",
    "np.nanquantile(n, 0.5)", "np.nanargmin(n)", "np.nancumprod(n)", "np.isfinite(1 / (a - 3))", "np.ascontiguousarray(m.T)", "np.astype(a, np.float32)", "np.permute_dims(m, (1, 0))",
    "np.unstack(m)[1]", "np.unique(m % 3, axis=0)", "np.tensordot(m, q, axes=([1], [0]))", "np.tensordot(m, q, axes=(1, 0))", "np.tensordot(a, b, axes=0)",
    "np.tensordot(q, q, axes=2)", "np.tensordot(q, q)", "np.tensordot(q, q, 1)", "np.tensordot(q, m, axes=([0], [1]))",
    "np.roll(m, (1, 2), axis=(0, 1))", "np.maximum.reduce([a, b])", "np.minimum.reduce([a, b, a - 1])", "np.zeros(shape=(2, 3))", "np.full(3, fill_value=2)", "(a > 2) & (b < 4)",
    "a[((a > 2) | (b > 5)) & (a < 6)]",
    "np.linalg.cholesky(q @ q.T + 9 * np.eye(4))", "np.linalg.eigvals(q @ q.T)", "np.linalg.eigh(q + q.T)[0]", "np.abs(np.linalg.qr(q)[1])", "np.linalg.slogdet(q + 9 * np.eye(4))[1]",
    "np.linalg.svdvals(q)", "np.linalg.pinv(m)", "np.linalg.matrix_power(q, 3)", "np.linalg.multi_dot([m, q, q])", "np.linalg.vector_norm(a)", "np.linalg.matrix_norm(q)",
    "np.linalg.eig(q + q.T)[0].real.max()", "np.linalg.cross(a[:3], b[:3])", "np.linalg.diagonal(q)", "np.linalg.trace(q)", "np.linalg.outer(a, b)", "np.linalg.matmul(m, q)",
    "np.linalg.matrix_transpose(m)", "np.linalg.vecdot(a, b)", "np.linalg.tensordot(q, q, axes=1)",
    # keywords that functions here do not have
    "np.sum(k, dtype=float)", "np.cumsum(m, axis=1, dtype=np.float32)", "np.prod(a, dtype=np.float64)", "np.mean(k, dtype=np.float64)", "np.sum(a, dtype=int)",
    "np.sum(a, where=a > 2)", "np.mean(a, where=a > 2)", "np.max(a, where=a < 4, initial=0)", "np.sum(m, axis=0, where=m > 3)", "np.prod(m, axis=1, where=m > 3)",
    "np.any(m > 2, where=m < 5)", "np.sum(m, axis=0, initial=10)", "np.sum(a, initial=1) * 2", "np.prod(a, initial=2)", "np.max(a, initial=100)", "np.min(k, initial=-3)",
    "np.isclose(n, n, equal_nan=True)", "np.allclose(n, n, equal_nan=True)", "np.array_equal(n, n, equal_nan=True)", "np.nan_to_num(1 / (a - 3), nan=1, posinf=5, neginf=-5)",
    "np.nan_to_num(n, posinf=2)", "np.interp(a, [2, 4], [1, 3], left=0, right=9)", "np.interp(a, np.array([2.0, 4]), np.array([1.0, 3]), right=-1)", "np.isin(k, [1, 3], invert=True)",
    "np.isin(k, [1, 3], assume_unique=False)", "np.rot90(m, axes=(1, 0))", "np.rot90(m, 2, axes=(0, 1))", "np.rot90(m, k=1, axes=(0, 1))", "np.expand_dims(m, axis=(0, 2))", "np.expand_dims(a, (0, 1))",
    "np.moveaxis(np.stack([m, m]), [0, 1], [2, 0])", "np.moveaxis(m, [0, 1], [1, 0])", "np.moveaxis(m, source=0, destination=1)", "np.searchsorted(b, 3, sorter=np.argsort(b))",
    "np.searchsorted(np.sort(a), v=3)", "np.ones((2, 3), order='F')", "np.zeros(4, order='C')", "m.ravel(order='F')", "np.ravel(m, order='F')", "m.flatten('C')", "m.reshape(4, 3, order='F')",
    "np.reshape(a, (2, 3), order='F')", "np.eye(N=3, M=4)", "np.eye(3, M=2, k=1)", "np.tri(N=3)", "np.full(shape=(2, 2), fill_value=3)", "np.repeat(a, repeats=2)", "np.tile(a, reps=2)",
    "np.split(a, indices_or_sections=2)[1]", "np.take(a, indices=[0, 1])", "np.take(a, [0, 9, -8], mode='wrap')", "np.take(a, [0, 9, -8], mode='clip')", "np.take(m, [5, 1], axis=1, mode='wrap')",
    "np.transpose(m, axes=(1, 0))", "np.broadcast_to(a, shape=(2, 6))", "np.sum(a=m)", "np.sort(a, stable=True)", "np.argsort(k, kind='stable')", "np.sort(a, kind='heapsort')",
    "np.linspace(0, 1, 5, retstep=True)[0]", "np.linspace(0, 1, 5, retstep=True)[1]", "np.average(m, axis=0, weights=[1, 2, 3])", "np.average(m, axis=1, weights=a[:4])", "np.average(m, axis=1, weights=m)",
    "np.average(a, axis=0, weights=b)", "np.histogram(a, bins='auto')[0]", "np.histogram(a, bins='sturges')[1]", "np.histogram(a, bins='sqrt')[0]", "np.histogram(a, bins='rice')[0]",
    "np.histogram(a, bins=3, weights=b)[0]", "np.histogram(a, weights=b)[1]", "np.percentile(a, 30, method='lower')", "np.percentile(a, 30, method='higher')", "np.percentile(a, [30, 50], method='nearest')",
    "np.percentile(m, 50, axis=0, method='midpoint')", "np.quantile(a, 0.3, method='linear')", "np.percentile(m, 40, axis=1, keepdims=True)", "np.percentile(a, q=40)", "np.quantile(m, q=0.5, axis=0)",
    "np.meshgrid(a, b, k)[0]", "np.meshgrid(a, b, k)[2]", "np.meshgrid(a, b[:2], k[:3], indexing='ij')[1]", "np.meshgrid(a, b[:2], k[:3], indexing='ij')[2]",
    "np.abs(np.fft.ifft(a))", "np.abs(np.fft.fft2(m))", "np.abs(np.fft.ifft2(m))", "np.abs(np.fft.rfft2(m))", "np.fft.irfft2(np.fft.rfft2(m))", "np.abs(np.fft.fftn(m))",
    "np.abs(np.fft.ifftn(m))", "np.abs(np.fft.rfftn(m))", "np.fft.irfftn(np.fft.rfftn(m))", "np.fft.rfftfreq(6)", "np.fft.ifftshift(a)",
]

# Lines of PyTorch, CuPy, PyCUDA, SciPy and TensorFlow, and what they are in NumPy.
OTHERS = {
    "torch.max(m, dim=1)[0]": "np.max(m, axis=1)", "torch.max(m, dim=1)[1]": "np.argmax(m, axis=1)", "torch.max(m, 1)[0]": "np.max(m, axis=1)",
    "torch.max(m, dim=1).values": "np.max(m, axis=1)", "m.max(dim=1).values": "np.max(m, axis=1)", "m.min(dim=0)[1]": "np.argmin(m, axis=0)",
    "torch.max(a, b)": "np.maximum(a, b)", "torch.max(a)": "a.max()", "m.max(dim=1, keepdim=True)[0]": "np.max(m, axis=1, keepdims=True)",
    "torch.sort(a)[0]": "np.sort(a)", "torch.sort(a)[1]": "np.argsort(a)", "torch.sort(a, descending=True)[0]": "np.sort(a)[::-1]",
    "torch.sort(m, dim=0, descending=True)[0]": "np.sort(m, axis=0)[::-1]", "torch.sort(a).indices": "np.argsort(a)",
    "torch.topk(a, 3)[0]": "np.sort(a)[::-1][:3]", "torch.topk(a, k=2).values": "np.sort(a)[::-1][:2]", "torch.topk(a, 2).indices": "np.argsort(-a)[:2]",
    "torch.std(a)": "np.std(a, ddof=1)", "torch.var(m, dim=1)": "np.var(m, axis=1, ddof=1)",
    "torch.std(a, unbiased=False)": "np.std(a)", "torch.nonzero(a > 2)": "np.argwhere(a > 2)", "torch.equal(a, a)": "True",
    "torch.split(a, 2)[1]": "a[2:4]", "torch.split(a, 2)[2]": "a[4:]", "torch.split(a, 4)[1]": "a[4:]", "torch.chunk(a, 4)[2]": "a[4:]", "torch.split(m, 3, dim=1)[1]": "m[:, 3:]", "torch.chunk(a, 2)[1]": "a[3:]", "torch.transpose(m, 0, 1)": "m.T",
    "torch.clamp(a, min=2)": "np.clip(a, 2, None)", "a.clamp(min=3)": "np.clip(a, 3, None)", "a.clamp(max=3)": "np.clip(a, None, 3)",
    "torch.masked_select(a, a > 2)": "a[a > 2]", "a.masked_fill(a > 2, 0)": "np.where(a > 2, 0, a)", "torch.index_select(m, 0, i % 3)": "m[i % 3]",
    "torch.flip(a, dims=[0])": "a[::-1]", "torch.flip(m, [1])": "m[:, ::-1]", "torch.flip(m, [0, 1])": "m[::-1, ::-1]",
    "torch.repeat_interleave(a, 2)": "np.repeat(a, 2)", "torch.inverse(q + 9 * torch.eye(4))": "np.linalg.inv(q + 9 * np.eye(4))",
    "F.mse_loss(a, b)": "np.mean((a - b)**2)", "a.expand(2, 6)": "np.broadcast_to(a, (2, 6))", "m.dim()": "2", "torch.cat((m, m), dim=1)": "np.hstack([m, m])",
    "m.sum(dim=1)": "m.sum(1)", "a.unsqueeze(1)": "a[:, None]", "torch.softmax(a, dim=0)": "np.exp(a) / np.exp(a).sum()",
    "tf.reduce_sum(a)": "a.sum()", "scipy.special.expit(a)": "1 / (1 + np.exp(-a))", "gpuarray.sum(a).get()": "a.sum()", "gpuarray.dot(a, b)": "a @ b",
    "(2 * gpuarray.to_gpu(a + 1)).get()": "2 * (a + 1)", "cp.asnumpy(cp.dot(a, b))": "a @ b", "cumath.exp(a)": "np.exp(a)", "jnp.sum(a)": "a.sum()",
}

# Statements, and the array that they change.
STATEMENTS = [
    ("a[[1, -1]] = 0", "a"), ("m[:, [0, -1]] = 5", "m"), ("a[a > 2] = 0", "a"), ("np.copyto(a, b)", "a"), ("np.put(a, i, 9)", "a"), ("np.putmask(a, a > 3, 0)", "a"),
    ("np.place(a, a > 3, 7)", "a"), ("np.fill_diagonal(q, 9)", "q"), ("np.add.at(a, i, 1)", "a"), ("a.fill(3)", "a"), ("a **= 2", "a"), ("m[np.where(m > 5)] = 0", "m"),
    ("q[np.diag_indices(4)] = 0", "q"), ("q[np.triu_indices(4, 1)] = 0", "q"), ("m[np.ix_([0, 2], [1, 3])] = 8", "m"), ("a += np.arange(6)", "a"), ("a[1:3] = [8, 9]", "a"),
    ("a[:] = np.sort(a)", "a"), ("np.add(a, b, out=b)", "b"), ("np.divide(a, 2, out=a)", "a"), ("np.negative(m, out=m)", "m"), ("m[0], m[1] = m[1], m[0]", None),
]

# Random numbers: the shape of what is drawn, and its bounds.
DRAWN = [
    ("np.random.rand(3)", (3,), 0, 1), ("np.random.rand(2, 3)", (2, 3), 0, 1), ("np.random.rand()", (), 0, 1), ("np.random.random((2, 3))", (2, 3), 0, 1),
    ("np.random.randn(2, 3)", (2, 3), -9, 9), ("np.random.rand(*m.shape)", (3, 4), 0, 1), ("np.random.random(m.shape)", (3, 4), 0, 1),
    ("np.random.normal(size=(2, 3))", (2, 3), -9, 9), ("np.random.normal(loc=5, scale=0.01, size=5)", (5,), 4, 6), ("np.random.uniform(-2, -1, 4)", (4,), -2, -1),
    ("np.random.uniform(2, 3)", (), 2, 3), ("np.random.randint(10, size=5)", (5,), 0, 9), ("np.random.randint(3, 5, (2, 3))", (2, 3), 3, 4), ("np.random.randint(3)", (), 0, 2),
    ("np.random.standard_normal(4)", (4,), -9, 9), ("np.random.poisson(3, 5)", (5,), 0, 40), ("np.random.choice(a, 3)", (3,), 1, 6), ("np.random.choice(a)", (), 1, 6),
    ("np.random.choice([7, 8], size=4)", (4,), 7, 8), ("np.random.choice(10, 3, replace=False)", (3,), 0, 9), ("np.random.permutation(5)", (5,), 0, 4),
    ("np.random.permutation(a)", (6,), 1, 6), ("np.random.default_rng(42).random(3)", (3,), 0, 1), ("np.random.RandomState(0).rand(3)", (3,), 0, 1),
    ("rng.random(size=(2, 3))", (2, 3), 0, 1), ("rng.normal(size=5)", (5,), -9, 9), ("rng.integers(1, 6, size=5, endpoint=True)", (5,), 1, 6), ("rng.integers(10)", (), 0, 9),
    ("rng.uniform(low=4, high=5, size=(2, 2))", (2, 2), 4, 5), ("rng.lognormal(0, 0.1, 5)", (5,), 0.1, 9), ("rng.choice(a, size=3, replace=False)", (3,), 1, 6),
    ("rng.random(3, dtype=np.float32)", (3,), 0, 1), ("torch.rand(2, 3)", (2, 3), 0, 1), ("torch.randint(0, 10, (3,))", (3,), 0, 9), ("torch.randperm(5)", (5,), 0, 4),
    ("a * np.random.rand(6)", (6,), 0, 6), ("np.random.rand(3, 2) @ np.random.rand(2, 3)", (3, 3), 0, 2), ("np.random.rand(9).mean()", (), 0, 1),
]

# What has no line of ours here, and why.
ABSENT = [
    ("np.random", "random numbers are in [libraries.md](libraries.md)"),
    ("np.argpartition", "argsort() takes as long on a device"),
    ("a // 2, a //= 2", "a comment in C++: floor(a / 2.0), a = floor(a / 2.0); a note says so"),
    ("np.save, np.savez, np.savez_compressed, np.savetxt, a.tofile", "`%save a a.npy`, `.npz` or `.csv`"),
    ("np.load, np.loadtxt, np.genfromtxt", 'auto a = load("a.npy");'),
    ("np.fromfile, np.frombuffer, np.fromstring, np.fromregex, np.fromiter, np.from_dlpack", "`%%python` makes arrays of other things; `float a[n] = load(\"a.bin\");` reads raw elements"),
    ("np.fromfunction, np.frompyfunc, np.vectorize, np.piecewise", "map(n, f) or f(x), with a `__device__` function f of a cell"),
    ("np.polyfit, np.poly, np.polyadd, np.polysub, np.polymul, np.polydiv, np.polyder, np.polyint, np.roots, np.apply_along_axis, np.apply_over_axes, np.unwrap, "
     "np.histogramdd, np.einsum_path, np.packbits, np.unpackbits, np.base_repr, np.binary_repr, np.format_float_positional, np.format_float_scientific, np.sort_complex, "
     "np.real_if_close, np.kaiser, np.i0, np.fft.hfft, np.fft.ihfft, np.linalg.tensorinv, np.linalg.tensorsolve, lambda, comprehensions",
     "`%%python` runs a cell of Python on the same arrays"),
    ("np.frexp, np.nextafter, np.spacing", "logb(x) is the exponent; CUDA's frexp and nextafter in a `__device__` function"),
    ("np.array2string, np.array_repr, np.array_str, np.get_printoptions, np.set_printoptions, np.printoptions", "an array's name alone shows it; `%config` lists the settings"),
    ("np.can_cast, np.result_type, np.promote_types, np.min_scalar_type, np.common_type, np.issubdtype, np.isdtype, np.mintypecode, np.typename, np.iscomplexobj, "
     "np.isrealobj, np.isscalar, np.isfortran, np.iterable, np.isnat", "types are C++'s; `a?` shows them"),
    ("np.asanyarray, np.asarray_chkfinite, np.asfortranarray, np.require, np.shares_memory, np.may_share_memory, np.asmatrix, np.bmat",
     "arrays are in row-major order; a slice is a view, copy(x) is not"),
    ("np.broadcast_shapes, np.nested_iters", "operators repeat extents of 1; broadcast_to(x, n, ...)"),
    ("np.busday_count, np.busday_offset, np.is_busday, np.datetime_as_string, np.datetime_data", "there are no dates"),
    ("np.seterr, np.geterr, np.seterrcall, np.geterrcall, np.setbufsize, np.getbufsize, np.info, np.show_config, np.show_runtime, np.get_include", "settings of NumPy"),
    ("np.empty_like", "auto y = like(x);"),
    ("np.rollaxis", "moveaxis(x, 2, 0)"),
    ("np.atleast_3d", "x[newaxis, :, newaxis], m[:, :, newaxis]"),
    ("np.mask_indices", "nonzero(triu(ones<bool>(n, n), k))"),
    ("np.put_along_axis", "m[arange<int>(m.shape[0])[:, newaxis], indices] = values;"),
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
