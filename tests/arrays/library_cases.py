"""Every function of libraries with every type, and the table of docs/libraries.md: function x type x device, with the error
beside NumPy in double, the passes that the session makes beside the library's calls (copies, conversions), and the time."""
import pathlib
import re
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from function_cases import Asking  # noqa: E402

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "libraries.md"
TYPES = ["float", "double", "complex<float>", "complex<double>", "half", "bfloat16", "int8_t", "int"]
EPSILON = {"float": 2 ** -23, "complex<float>": 2 ** -23, "half": 2 ** -10, "bfloat16": 2 ** -7}  # others: double's
N = 256


def adjoint(x):
    return np.conj(x.T)


# What the calls are given: small numbers of 5 bits, which all types have. The declarations and their values in double.
def arrays(kind):
    generator = np.random.default_rng(5)

    def numbers(*shape):
        found = generator.integers(-8, 9, shape).astype(np.float64)
        return found + 1j * generator.integers(-8, 9, shape) if kind.startswith("complex") else found
    a, b, v = numbers(N, N), numbers(N, N), numbers(N)
    h = np.tril(a, -1)
    h = np.clip(h.real, -3, 3) + 1j * np.clip(h.imag, -3, 3) if np.iscomplexobj(a) else np.clip(h, -3, 3)
    # Few elements off the diagonal, so that 100 there is more than all of them, in 8 bits, too.
    h *= generator.random((N, N)) < 0.04
    h = h + adjoint(h) + 100 * np.eye(N)
    thin = a * (generator.random((N, N)) < 0.05)
    return {"a": a, "b": b, "v": v, "h": h, "small": numbers(12, 12), "thin": thin, "signal": numbers(4096), "kernel": numbers(5, 5), "short": numbers(64)}


def relative(found, exact):
    return float(np.max(np.abs(found - exact), initial=0) / max(np.max(np.abs(exact), initial=0), 1e-300))


L = np.linalg


def padded(x):
    y = np.zeros(x.shape[0] + 63, x.dtype)
    y[:x.shape[0]] = x
    return y


GENERATORS = ["philox", "xorwow", "mrg32k3a", "mt19937", "sobol"]


# 0 where mean and deviation of random numbers are within 5 standard errors of what they should be.
def drawn(r, mean, deviation):
    error = 5 * deviation / np.sqrt(r.size)
    found = np.asarray(r, np.float64)
    return float(abs(found.mean() - mean) > error or abs(found.std() - deviation) > error)


# The row's name, its call (`auto` and the names of its results before "=" where they are several; a declaration where it names {kind}), what NumPy says of the
# results, in double, by the arrays above: the value itself, or what must be 0 against the array.
CASES = [
    ("matmul(a, b)", "r = matmul(a, b)", lambda x, r: relative(r, x["a"] @ x["b"])),
    ("... of transpose(a), transpose(b)", "r = matmul(transpose(a), transpose(b))", lambda x, r: relative(r, x["a"].T @ x["b"].T)),
    ("... of a[1:, 1:]", "r = matmul(a[1:, 1:], b[1:, 1:])", lambda x, r: relative(r, x["a"][1:, 1:] @ x["b"][1:, 1:])),
    ("... of a[::2, ::2]", "r = matmul(a[::2, ::2], b[::2, ::2])", lambda x, r: relative(r, x["a"][::2, ::2] @ x["b"][::2, ::2])),
    ("... of a[::-1]", "r = matmul(a[::-1], b)", lambda x, r: relative(r, x["a"][::-1] @ x["b"])),
    ("... of a vector", "r = matmul(a, v)", lambda x, r: relative(r, x["a"] @ x["v"])),
    ("... of batches", "r = matmul(reshape(a, 16, 64, 64), reshape(b, 16, 64, 64))", lambda x, r: relative(r, x["a"].reshape(16, 64, 64) @ x["b"].reshape(16, 64, 64))),
    ("relu(2 * matmul(a, b) + v)", "r = relu({two} * matmul(a, b) + v)", lambda x, r: relative(r, np.maximum(2 * (x["a"] @ x["b"]) + x["v"], 0))),
    ("outer", "r = outer(v, v)", lambda x, r: relative(r, np.outer(x["v"], x["v"]))),
    ("einsum", 'r = einsum("ij,kj->ik", a, b)', lambda x, r: relative(r, x["a"] @ x["b"].T)),
    ("kron", "r = kron(small, small)", lambda x, r: relative(r, np.kron(x["small"], x["small"]))),
    ("matrix_power", "r = matrix_power(small, 2)", lambda x, r: relative(r, L.matrix_power(x["small"], 2))),
    ("solve", "r = solve(h, v)", lambda x, r: relative(x["h"] @ r, x["v"])),
    ("inv", "r = inv(h)", lambda x, r: relative(x["h"] @ r, np.eye(N))),
    ("det", "r = det(small)", lambda x, r: relative(r, L.det(x["small"]))),
    ("slogdet", "[s, r] = slogdet(h)", lambda x, s, r: relative(r, L.slogdet(x["h"])[1])),
    ("lu", "[p, l, u] = lu(a)", lambda x, p, l, u: relative(p @ l @ u, x["a"])),
    ("qr", "[q, r] = qr(a)", lambda x, q, r: relative(q @ r, x["a"])),
    ("cholesky", "r = cholesky(h)", lambda x, r: relative(r @ adjoint(r), x["h"])),
    ("svd", "[u, s, vt] = svd(a)", lambda x, u, s, vt: relative(u * s @ vt, x["a"])),
    ("eigh", "[w, e] = eigh(h)", lambda x, w, e: relative(e * w @ adjoint(e), x["h"])),
    ("eigvalsh", "r = eigvalsh(h)", lambda x, r: relative(r, L.eigvalsh(x["h"]))),
    ("eig", "[w, e] = eig(a)", lambda x, w, e: relative(x["a"] @ e, e * w)),
    ("lstsq", "r = lstsq(h, v)", lambda x, r: relative(x["h"] @ r, x["v"])),
    ("pinv", "r = pinv(h)", lambda x, r: relative(x["h"] @ r, np.eye(N))),
    ("matrix_rank", "r = matrix_rank(h)", lambda x, r: relative(r, N)),
    ("cond", "r = cond(h)", lambda x, r: relative(r, L.cond(x["h"]))),
    ("norm", "r = norm(a)", lambda x, r: relative(r, L.norm(x["a"]))),
    ("norm(a, 1)", "r = norm(a, 1)", lambda x, r: relative(r, L.norm(x["a"], 1))),
    ("norm(a, 2)", "r = norm(h, 2)", lambda x, r: relative(r, L.norm(x["h"], 2))),
    ("... 3 of rows", "r = norm(a, 3, axis = 1)", lambda x, r: relative(r, L.norm(x["a"], 3, axis=1))),
    ("fft", "r = fft(signal)", lambda x, r: relative(r, np.fft.fft(x["signal"]))),
    ("... along the first axis", "r = fft(a, axis = 0)", lambda x, r: relative(r, np.fft.fft(x["a"], axis=0))),
    ("... of signal[::2]", "r = fft(signal[::2])", lambda x, r: relative(r, np.fft.fft(x["signal"][::2]))),
    ("ifft", "r = ifft(signal)", lambda x, r: relative(r, np.fft.ifft(x["signal"]))),
    ("rfft", "r = rfft(signal)", lambda x, r: relative(r, np.fft.rfft(x["signal"]))),
    ("irfft", "r = irfft(signal)", lambda x, r: relative(r, np.fft.irfft(x["signal"]))),
    ("fft2", "r = fft2(a)", lambda x, r: relative(r, np.fft.fft2(x["a"]))),
    ("ifft2", "r = ifft2(a)", lambda x, r: relative(r, np.fft.ifft2(x["a"]))),
    ("irfft2", "r = irfft2(a)", lambda x, r: relative(r, np.fft.irfft2(x["a"]))),
    ("fftn", "r = fftn(reshape(a, 16, 64, 64))", lambda x, r: relative(r, np.fft.fftn(x["a"].reshape(16, 64, 64)))),
    ("ifftn", "r = ifftn(reshape(a, 16, 64, 64))", lambda x, r: relative(r, np.fft.ifftn(x["a"].reshape(16, 64, 64)))),
    ("rfftn", "r = rfftn(reshape(a, 16, 64, 64))", lambda x, r: relative(r, np.fft.rfftn(x["a"].reshape(16, 64, 64)))),
    ("irfftn", "r = irfftn(reshape(a, 16, 64, 64))", lambda x, r: relative(r, np.fft.irfftn(x["a"].reshape(16, 64, 64)))),
    ("fftshift", "r = fftshift(a)", lambda x, r: relative(r, np.fft.fftshift(x["a"]))),
    ("ifftshift", "r = ifftshift(a)", lambda x, r: relative(r, np.fft.ifftshift(x["a"]))),
    ("convolve", "r = convolve(signal, short_)", lambda x, r: relative(r, np.convolve(x["signal"], x["short"]))),
    ("correlate", "r = correlate(signal, short_)", lambda x, r: relative(r, np.correlate(x["signal"], x["short"], "valid"))),
    ("conv2d", "r = conv2d(a, kernel)", lambda x, r: relative(r[:3, :3], [[np.sum(x["a"][max(0, i - 4):i + 1, max(0, j - 4):j + 1] * x["kernel"][i::-1, j::-1][:5, :5][:i + 1, :j + 1]) for j in range(3)] for i in range(3)])),
    ("csr", "r = dense(csr(thin))", lambda x, r: relative(r, x["thin"])),
    ("coo", "r = dense(coo(thin))", lambda x, r: relative(r, x["thin"])),
    ("matmul(csr(a), v)", "r = matmul({csr}, v)", lambda x, r: relative(r, x["thin"] @ x["v"])),
    ("matmul(csr(a), b)", "r = matmul({csr}, b)", lambda x, r: relative(r, x["thin"] @ x["b"])),
    ("matmul(b, csr(a))", "r = matmul(b, {csr})", lambda x, r: relative(r, x["b"] @ x["thin"])),
    ("transpose(csr(a))", "r = dense(transpose({csr}))", lambda x, r: relative(r, x["thin"].T)),
    ("cg", "r = cg({diagonal}, v, tol = {tol})", lambda x, r: relative(x["h"] @ r, x["v"])),
    ("gmres", "r = gmres({diagonal}, v, tol = {tol})", lambda x, r: relative(x["h"] @ r, x["v"])),
    *((f"uniform(generator = {name})", f"{{kind}} r[4096] = uniform(generator = {name}{'' if name == 'sobol' else ', seed = 7'})", lambda x, r: drawn(r, 1 / 2, 1 / 12 ** 0.5))
      for name in GENERATORS),
    *((f"normal(generator = {name})", f"{{kind}} r[4096] = normal(generator = {name}{'' if name == 'sobol' else ', seed = 7'})", lambda x, r: drawn(r, 0, 1))
      for name in GENERATORS),
    ("permutation", "r = permutation(v, seed = 1)", lambda x, r: relative(np.sort_complex(r), np.sort_complex(x["v"]))),
    ("choice", "r = choice(v, 64, seed = 1)", lambda x, r: float(not np.isin(r, x["v"]).all())),
]
NUMBERS = {"det", "slogdet", "matrix_rank", "cond", "norm", "norm(a, 1)", "norm(a, 2)"}  # whose results are not arrays
NAMES = [case[0] for case in CASES]


class Measuring(Asking):
    def passes_of(self, code):
        """How many operations that are not calls of a library a cell has."""
        found = []

        def hook(message):
            bars = message["content"].get("data", {}).get("application/vnd.xcuda.timeline+json", {}).get("bars")
            if bars is not None:
                found.extend(bars)
        reply = self.client.execute_interactive("%%timeline\n" + code, timeout=300, output_hook=hook)
        assert reply["content"]["status"] == "ok", "\n".join([code] + reply["content"]["traceback"])
        return sum(bar["label"].startswith(("xcuda_", "copy", "fill")) for bar in found)

    def ready(self, kind):
        """Declares the arrays of a type, and gives their values."""
        given = arrays(kind)
        exact = "complex<double>" if kind.startswith("complex") else "double"
        self.give(**{f"exact_{name}": value for name, value in given.items()})
        lines = []
        for name, value in given.items():
            own = "short_" if name == "short" else name
            lines.append(f"{kind} {own}" + "".join(f"[{extent}]" for extent in value.shape) + f"; {own} = exact_{name};")
        assert not self.ask("\n".join(lines)), (kind, exact)
        # Names for this type only. If it has no sparse matrices, the calls that use them are refused.
        own = re.sub(r"\W", "_", kind)
        refused = self.ask(f"auto csr_{own} = csr(thin);\nauto diagonal_{own} = csr(h);")
        self.sparse = {"{csr}": "csr(thin)", "{diagonal}": "csr(h)"} if refused else {"{csr}": f"csr_{own}", "{diagonal}": f"diagonal_{own}"}
        return given


def reason_of(text):
    """The reason of an error in the table's words: without names of arrays and types."""
    text = re.sub(r"^\w+Error: ", "", text.split("\n")[0])
    if text.endswith("cannot be computed"):
        return "complex numbers have no order, by which `relu()` would choose"
    text = re.sub(r"complex<\w+>", "complex", text)
    text = re.sub(r"but the elements are (int8_t|int|signed char)$", "but the elements are integers", text)
    text = re.sub(r"\(\) does not take [\w<>]+: ", "(): ", text)
    return re.sub(r"^\w+\(\)?:? ?", "", text).replace("|", "\\|")


def measured(session, kind, case, values):
    """(error, passes, seconds), or the reason for which there is nothing."""
    name, code, check = case
    wide = 1e-5 if EPSILON.get(kind, 0) > 1e-9 else 1e-12
    for place, matrix in session.sparse.items():
        code = code.replace(place, matrix)
    results = ["r"] if code.startswith("{kind}") else re.findall(r"\w+", code[:code.index("=")])
    code = ("" if code.startswith("{kind}") else "auto ") + code.replace("{tol}", str(wide)).replace("{two}", "2.0f" if kind != "double" else "2.0") + ";"
    code = code.replace("{kind}", kind)
    refused = session.ask(code)
    if refused:
        return reason_of(refused)
    # Files hold arrays, and NumPy has no bfloat16.
    wider = f"zeros<{kind if kind.startswith('complex') else 'double'}>(1) + " if name in NUMBERS else "0.0f + " if kind == "bfloat16" else ""
    session.run("".join(f"auto taken_{one} = {wider}{one};\n" for one in results))
    session.run("".join(f"%save taken_{one} {one}.npy\n" for one in results))
    found = [np.load(session.folder / f"{one}.npy") for one in results]
    shapes = [one[0] if one.shape == (1,) else one for one in found]
    error = check(values, *shapes)
    passes = session.passes_of(code)
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        session.run(code)
        times.append(time.perf_counter() - begun)
    return error, passes, min(times)


def text_of(found, numbers):
    if isinstance(found, str):
        return f"<sup>{numbers[found]}</sup>"
    error, passes, seconds = found
    small = f"{error:.0e}".replace("e-0", "e-").replace("e+00", "") if error else "0"
    unit, scale = ("ms", 1e3) if seconds < 0.1 else ("s", 1)
    return f"{small}, {passes}, {seconds * scale:.2g} {unit}"


def table(found, device):
    """The table of one device; found by (name, type)."""
    reasons = dict.fromkeys(one for one in found.values() if isinstance(one, str))
    numbers = {reason: number for number, reason in enumerate(reasons, 1)}
    lines = [f"On {device}:", "", "| | " + " | ".join(f"`{kind}`" for kind in TYPES) + " |", "|---" * (len(TYPES) + 1) + "|"]
    for name in NAMES:
        lines.append(f"| {name if name.startswith('...') else f'`{name}`'} | " + " | ".join(text_of(found[name, kind], numbers) for kind in TYPES) + " |")
    lines += ["", *(f"{number}. {reason}" for reason, number in numbers.items()), ""]
    return "\n".join(lines)


def marks(device):
    return f"<!-- test_library_table.py writes this: {device} -->\n", f"<!-- so far: {device} -->\n"


def on_the_page(device):
    """(name, type) -> passes, or the reason for which there is nothing."""
    begin, end = marks(device)
    text = PAGE.read_text()
    if begin not in text:
        return {}
    text = text.split(begin)[1].split(end)[0]
    if "|" not in text:
        return {}
    reasons = dict(re.findall(r"^(\d+)\. (.*)$", text, re.M))
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(" | ")] if line.startswith("| ") else []
        name = cells[0][2:].strip("`") if cells else ""
        for kind, cell in zip(TYPES, cells[1:]):
            cell = cell.rstrip(" |")
            number = re.fullmatch(r"<sup>(\d+)</sup>", cell)
            if name in NAMES:
                found[name, kind] = reasons[number[1]] if number else int(cell.split(", ")[1])
    return found


def write(found, device, about):
    begin, end = marks(device)
    text = PAGE.read_text()
    head, rest = text.split(begin)
    PAGE.write_text(head + begin + "\n" + table(found, about) + "\n" + end + rest.split(end)[1])
