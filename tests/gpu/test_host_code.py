"""Functions, loops, lambdas and algorithms of the host in a GPU session, where they are code of one thread of the GPU."""
import pytest
from conftest import gpus

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")

FUNCTIONS = """struct Rows { float* data; int width; };
void fill(Rows r, int n) { for (int i = 0; i < n * r.width; ++i) r.data[i] = i % r.width; }
void count(const float* x, int n, int& zeros) { for (int i = 0; i < n; ++i) zeros += x[i] == 0; }
double reference(const float* a, const float* b, int n) { double s = 0; for (int i = 0; i < n; ++i) s += (double)a[i] * b[i]; return s; }
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
float x[4096], y[4096] = 2;
int zeros = 0;"""


def check(kernel, code):
    status, text = kernel.run(code)
    assert status == "ok", text
    return text


def test_functions_work_on_the_arrays_themselves(start):
    kernel = start()
    check(kernel, FUNCTIONS)
    check(kernel, "fill({x, 64}, 64); count(x, 4096, zeros); assert(zeros == 64 && x[65] == 1 && x[4095] == 63);")
    check(kernel, "assert(reference(x, y, 4096) == 2.0 * sum(x)); assert(fib(12) == 144);")
    check(kernel, "__global__ void twice(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }")
    check(kernel, "twice<<<16, 256>>>(x, 4096); count(x, 4096, zeros); assert(zeros == 128 && x[65] == 2);")


def test_long_loops_are_compiled(start):
    kernel = start()
    check(kernel, "const int n = 1 << 20; float x[n], y[n];\nfor (int i = 0; i < n; ++i) { x[i] = 1.0f; y[i] = 2.0f; }")
    check(kernel, "assert(x == 1 && y == 2);\nfloat worst = 0;\nfor (int i = 0; i < n; ++i) worst = fmax(worst, fabs(x[i] + y[i] - 3));\nassert(worst == 0);")


def test_algorithms_and_lambdas(start):
    kernel = start()
    check(kernel, "float v[1000] = uniform(seed = 1); const float top = max(v);\nstd::sort(v, v + 1000);\nassert(v[999] == top && std::is_sorted(v, v + 1000));")
    check(kernel, "float s = 0;\nauto add = [&](float x) { s += x; };\nstd::for_each(v, v + 1000, add);\nadd(1);\nassert(s > 1);")
    check(kernel, "cudaStream_t streams[4];\nfor (int i = 0; i < 4; ++i) cudaStreamCreate(&streams[i]);\nfor (int i = 0; i < 4; ++i) cudaStreamSynchronize(streams[i]);")


def test_a_wild_pointer_costs_one_cell(start):
    kernel = start()
    check(kernel, FUNCTIONS)
    check(kernel, "fill({x, 64}, 64);")
    check(kernel, "void wild(float* p, long at) { p[at] = 1; }")
    status, text = kernel.run("wild(x, 1ll << 45);")
    assert status == "error" and "wild" in text, text
    check(kernel, "assert(x[65] == 1 && y == 2); count(x, 4096, zeros); assert(zeros == 64);")
