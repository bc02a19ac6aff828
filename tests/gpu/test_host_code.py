"""Functions, loops, lambdas and algorithms of the host in a GPU session, where a worker of the host runs them over mirrors of the GPU's memory."""
import os
import signal

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


def test_what_goes_wrong_costs_the_host_s_process_alone(start):
    kernel = start()
    check(kernel, FUNCTIONS + "\nint divide(int a, int b) { return a / b; }\n__device__ int counter = 5;\nint counted() { return ++counter; }\n"
          "__global__ void count() { ++counter; }")
    check(kernel, "fill({x, 64}, 64); assert(counted() == 6);\ncount<<<1, 1>>>();\nassert(counted() == 8);")
    gpu = kernel.workers("xcuda-gpu")
    status, text = kernel.run("fill({x, 64}, 65);")
    assert status == "error" and "x[4096], which has 4,096 elements" in text, text
    status, text = kernel.run("divide(1, 0)")
    assert status == "error" and "division by zero" in text, text
    [host] = kernel.workers("xcuda-cpu")
    os.kill(host, signal.SIGKILL)
    check(kernel, "assert(divide(7, 2) == 3 && counted() == 9 && x[65] == 1);\ncount<<<1, 1>>>();\nassert(counter == 10);")
    assert kernel.workers("xcuda-gpu") == gpu


def test_an_interrupt_ends_a_function(start):
    kernel = start()
    check(kernel, FUNCTIONS + "\nvoid forever(volatile float* p) { p[1] = 7; for (;;) p[0] = p[0] + 1; }")
    gpu = kernel.workers("xcuda-gpu")
    request = kernel.begin("forever(x);")
    kernel.manager.interrupt_kernel()
    assert kernel.reply(request)["status"] == "error"
    check(kernel, "assert(y == 2);\nint before = zeros;\ncount(x, 4096, zeros);")
    assert kernel.workers("xcuda-gpu") == gpu


def test_pointers_in_arrays_lead_to_the_same_arrays(start):
    kernel = start()
    check(kernel, "struct Node { Node* next; float* value; };\nfloat a[4] = {1, 2, 3, 4};\nfloat far[1 << 21] = 7;\nNode nodes[3];\n"
          "void link(Node* n, float* a, float* far) { n[0] = {&n[1], &a[3]}; n[1] = {&n[2], &far[2000000]}; n[2] = {nullptr, a}; }\n"
          "float walk(const Node* n) { float s = 0; for (; n; n = n->next) s += *n->value; return s; }\n"
          "__global__ void add(Node* n) { for (; n; n = n->next) *n->value += 1; }")
    check(kernel, "link(nodes, a, far); assert(walk(nodes) == 12);\nadd<<<1, 1>>>(nodes);\nassert(walk(nodes) == 15 && far[2000000] == 8);")


def test_a_wild_pointer_costs_one_cell(start):
    kernel = start()
    check(kernel, FUNCTIONS)
    check(kernel, "fill({x, 64}, 64);")
    check(kernel, "void wild(float* p, long at) { p[at] = 1; }")
    status, text = kernel.run("wild(x, 1ll << 45);")
    assert status == "error" and "wild" in text, text
    check(kernel, "assert(x[65] == 1 && y == 2); count(x, 4096, zeros); assert(zeros == 64);")
