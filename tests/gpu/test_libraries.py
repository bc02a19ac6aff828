"""Libraries on a GPU, against NumPy: every layout and type of products, what is joined to them, faults, graphs, reports."""
import itertools
import pathlib
import re
import sys

import numpy as np
import pytest
from conftest import gpus

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "arrays"))
import fp8_cases  # noqa: E402

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")

SOURCE = """
__device__ double whole(size_t i, int seed) { return (int)((i * 2654435761ull + seed * 40503ull) >> 7) % 9 - 4; }
__device__ double one_of(size_t i, size_t j, int seed) { return whole(i * 1000 + j, seed); }
__device__ double sign_of(size_t i, size_t j, int seed) { return ((int)whole(i * 1000 + j, seed)) / 2 % 2; }
"""


@pytest.fixture(scope="module")
def kernel(request):
    from conftest import Kernel
    kernel = Kernel()
    status, text = kernel.run(SOURCE)
    assert status == "ok", text
    yield kernel
    kernel.client.stop_channels()
    kernel.manager.shutdown_kernel(now=True)


def ok(kernel, code, timeout=300):
    status, text = kernel.run(code, timeout)
    if "pip install nvidia-cublas" in text:
        pytest.skip("no cuBLAS is installed")
    assert status == "ok", f"{code}\n{text}"
    return text


# The oracle is the same sum without a library: element by element, in double, of whole numbers.
REFERENCE = "sum(reshape({a}, {m}, {k}, 1) * reshape({b}, 1, {k}, {n}), axis = 1)"
VIEWS = {"whole": "{}", "slice": "{}[1:{m1}, 2:{n2}]", "transposed": "transpose({})", "strided": "{}[::2, ::2]", "reversed": "reverse({})"}


def declared(view, name, rows, columns, kind, seed):
    """The declaration of an array whose view has rows x columns, and the view."""
    r, c = {"whole": (rows, columns), "slice": (rows + 2, columns + 5), "transposed": (columns, rows), "strided": (2 * rows, 2 * columns),
            "reversed": (rows, columns)}[view]
    return f"{kind} {name}[{r}][{c}]; {name} = map({{{r}, {c}}}, one_of, {seed});", VIEWS[view].format(name, m1=rows + 1, n2=columns + 2)


@pytest.mark.parametrize("kind", ["half", "bfloat16", "float", "double"])
@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (1, 13, 7), (17, 1, 5), (64, 64, 64), (67, 131, 29), (128, 257, 96)])
def test_layouts_types_and_shapes(kernel, kind, m, k, n):
    cells = []
    for left, right in itertools.product(VIEWS, VIEWS):
        a, av = declared(left, "a", m, k, kind, 1)
        b, bv = declared(right, "b", k, n, kind, 2)
        cells.append(f"{{ {a} {b} auto p = matmul({av}, {bv}); double da[{m}][{k}] = {av}, db[{k}][{n}] = {bv};\n"
                     f"auto q = {REFERENCE.format(a='da', b='db', m=m, k=k, n=n)}; {kind} r[{m}][{n}] = q; assert(p == r); }}")
    ok(kernel, "\n".join(cells))


def test_int8(kernel):
    for m, k, n in [(1, 1, 1), (5, 7, 3), (64, 64, 64), (65, 130, 66)]:
        a, b = f"int8_t a[{m}][{k}]; a = map({{{m}, {k}}}, one_of, 1);", f"int8_t b[{k}][{n}]; b = map({{{k}, {n}}}, one_of, 2);"
        ok(kernel, f"{{ {a} {b} int p[{m}][{n}] = matmul(a, b); double da[{m}][{k}] = a, db[{k}][{n}] = b;\n"
                   f"auto q = {REFERENCE.format(a='da', b='db', m=m, k=k, n=n)}; assert(p == q); }}")


@pytest.mark.parametrize("types", fp8_cases.TYPES)
def test_fp8(kernel, types):
    ok(kernel, fp8_cases.SOURCE)
    if "compute capability 8.9" in kernel.run("__nv_fp8_e4m3 old[16][16]; auto product = matmul(old, old);")[1]:
        pytest.skip("the GPU is older than 8.9")
    for shape in fp8_cases.SHAPES:
        for cell in fp8_cases.cells(*types, *shape):
            ok(kernel, cell)


def test_complex(kernel):
    for kind, real in [("complex<float>", "float"), ("complex<double>", "double")]:
        ok(kernel, f"""{{
{kind} a[5][7], b[7][6]; {real} ar[5][7], ai[5][7], br[7][6], bi[7][6];
ar = map({{5, 7}}, one_of, 1); ai = map({{5, 7}}, one_of, 2); br = map({{7, 6}}, one_of, 3); bi = map({{7, 6}}, one_of, 4);
a = ar + ai * {kind}(0, 1); b = br + bi * {kind}(0, 1);
auto p = matmul(a, b);
assert(real(p) == matmul(ar, br) - matmul(ai, bi)); assert(imag(p) == matmul(ar, bi) + matmul(ai, br));
}}""")


def test_batches(kernel):
    ok(kernel, """{
double a[6][5][7], b[7][4], c[3][1][5][7], d[2][7][4];
a = reshape(map({30, 7}, one_of, 1), 6, 5, 7); b = map({7, 4}, one_of, 2);
c = reshape(map({15, 7}, one_of, 3), 3, 1, 5, 7); d = reshape(map({14, 4}, one_of, 4), 2, 7, 4);
auto p = matmul(a, b), q = matmul(c, d), r = matmul(b[:, 0], d), s = matmul(a, b[:, 1]);
for (int i = 0; i < 6; ++i) { assert(p[i] == matmul(a[i], b)); assert(s[i] == matmul(a[i], b[:, 1])); }
for (int i = 0; i < 3; ++i) for (int j = 0; j < 2; ++j) assert(q[i][j] == matmul(c[i][0], d[j]));
for (int j = 0; j < 2; ++j) assert(r[j] == matmul(b[:, 0], d[j]));
assert(matmul(b[:, 0], b[:, 1]) == dot(b[:, 0], b[:, 1]));
}""")


@pytest.mark.parametrize("kind, one", [("half", "half(2)"), ("bfloat16", "bfloat16(2)"), ("float", "2.0f"), ("double", "2.0")])
def test_what_is_joined_to_a_product(kernel, kind, one):
    ok(kernel, f"""{{
{kind} a[33][17], b[17][40], c[33][40], bias[40], big[50][60] = 0;
a = map({{33, 17}}, sign_of, 1); b = map({{17, 40}}, sign_of, 2); c = map({{33, 40}}, sign_of, 3); bias = c[7];
{kind} p[33][40] = matmul(a, b), w[33][40], v[33][40];
w = {one} * matmul(a, b) + {one} * c;               v = {one} * p + {one} * c;                    assert(w == v);
w = matmul(a, b) - c;                               v = p - c;                                    assert(w == v);
w = c; w += matmul(a, b);                           v = c + p;                                    assert(w == v);
w = relu(matmul(a, b));                             v = where(p > 0, p, 0 * p);                   assert(w == v);
w = matmul(a, b) + bias;                            v = p + bias;                                 assert(w == v);
w = relu(matmul(a, b) + bias);                      v = p + bias; v = where(v > 0, v, 0 * v);     assert(w == v);
w = relu({one} * matmul(a, b) + c + bias);          v = {one} * p + c + bias; v = where(v > 0, v, 0 * v); assert(w == v);
big[3:36, 5:45] = matmul(a, b) + c;                 v = p + c;                                    assert(big[3:36, 5:45] == v);
assert(sum(big[0:3] * big[0:3]) == 0);
auto fresh = relu(matmul(a, b) + bias);             v = p + bias; v = where(v > 0, v, 0 * v);     assert(fresh == v);
}}""")


def test_tf32(kernel):
    ok(kernel, "float a[256][256] = uniform(seed = 1), b[256][256] = uniform(seed = 2);\nauto full = matmul(a, b);")
    text = ok(kernel, "%config tf32 on\n%launch auto rounded = matmul(a, b);\n%config tf32 off")
    assert "TF32" in text, text
    ok(kernel, "auto again = matmul(a, b);\nassert(again == full);\nassert(max(abs(rounded - full)) > 0);\nassert(max(abs(rounded - full) / full) < 2e-3);")


def test_the_report(kernel):
    ok(kernel, "bfloat16 h[2048][2048] = 1;")
    ok(kernel, "auto warm = matmul(h, h);")
    text = ok(kernel, "%launch auto product = matmul(h, h);")
    assert re.search(r"cuBLASLt \d+\.\d+", text) and "bfloat16, sums in float" in text and "FLOP/s" in text, text
    assert re.search(r"\d %|\d%", text), text


def test_graph(kernel):
    ok(kernel, "float ga[64][64] = uniform(seed = 3), gb[64][64] = uniform(seed = 4), gc[64][64];\nfloat once[64][64] = matmul(ga, gb);")
    ok(kernel, "%%launch --graph --repeat 5\ngc = matmul(ga, gb);\ngc = matmul(ga, gb) + once;")
    ok(kernel, "assert(allclose(gc, 2 * once));")


def test_after_a_fault_products_go_on(kernel):
    ok(kernel, "float fa[32][32] = uniform(seed = 5);\nauto before = matmul(fa, fa);")
    status, text = kernel.run("__global__ void wild(float* x) { x[1ull << 40] = 1; }\nwild<<<1, 1>>>(fa);\nauto lost = matmul(fa, fa);")
    assert status == "error" and "illegal" in text.lower(), text
    ok(kernel, "auto after = matmul(fa, fa);\nassert(after == before);")


def test_errors_name_arrays_and_dimensions(kernel):
    status, text = kernel.run("float ea[3][4] = 1, eb[5][6] = 1;\nauto ec = matmul(ea, eb);")
    assert status == "error" and "matmul: ea is 3 × 4 and eb is 5 × 6; the 4 columns of ea must match the 5 rows of eb" in text, text


def test_large_products_keep_up(kernel):
    """Not a time: the report of a product that fills the GPU has a rate, and the result is right where it is looked at."""
    ok(kernel, "float la[4096][4096] = 1, lb[4096][4096] = 2;\nauto warm2 = matmul(la, lb);")
    text = ok(kernel, "%launch auto large = matmul(la, lb);\nassert(large == 8192.0f);")
    assert "TFLOP/s" in text, text
    print(text)
