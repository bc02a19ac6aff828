"""What a session does with a GPU besides launching: machine code, code that the driver refuses, rest."""
import re
import shutil
import subprocess
import time

import pytest
from conftest import gpus

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")

TWICE = "__global__ void twice(float* x) { x[threadIdx.x] *= 2; }"


def test_machine_code_is_shown(start):
    kernel = start()
    assert kernel.run(TWICE)[0] == "ok"
    status, text = kernel.run("%sass twice")
    if "no disassembler" in text:
        pytest.skip("no disassembler is installed")
    assert status == "ok" and "EXIT" in text and ("FMUL" in text or "FADD" in text), text


SPILLING = """%%kernel {}
extern "C" __global__ void {} sums(float* x) {{
  float r[40];
  #pragma unroll
  for (int i = 0; i < 40; ++i) r[i] = x[i * 256 + threadIdx.x];
  #pragma unroll
  for (int j = 0; j < 40; ++j) {{
    float sum = 0;
    #pragma unroll
    for (int i = 0; i < 40; ++i) sum += r[i] * r[(i * j) % 40];
    x[j * 256 + threadIdx.x] = sum;
  }}
}}"""


def test_spilled_registers_are_told(start):
    kernel = start()
    status, text = kernel.run(SPILLING.format("-maxrregcount=24", ""))
    assert status == "ok" and "spills" in text and "registers spilled" in text, text
    status, text = kernel.run("float x[40 * 256] = 1;\n%launch sums<<<1, 256>>>(x);")
    assert status == "ok" and "spills" in text, text
    status, text = kernel.run(SPILLING.format("", ""))
    assert status == "ok" and "spills" not in text, text


def test_spills_of_ptx_that_the_driver_assembles(start):
    kernel = start()
    assert kernel.run(SPILLING.format("-arch=compute_80", "__launch_bounds__(1024, 2)"))[0] == "ok"
    status, text = kernel.run("%info sums")
    assert status == "ok" and "stored" in text, text


def test_what_the_driver_refuses_is_told_and_costs_nothing(start):
    kernel = start()
    assert kernel.run(f"{TWICE}\nfloat x[4] = 3;")[0] == "ok"
    for cell, says in [
        ("%%ptx newer\n.version 99.9\n.target sm_90\n.address_size 64\n.visible .entry newer() { ret; }", "99.9"),
        ("%%ptx wrong\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry wrong() { add.f99 %r1, %r1, %r1; ret; }", ".f99"),
        ("%%kernel -arch=sm_100\n__global__ void other(int* x) { *x = 1; }", "sm_100"),
    ]:
        status, text = kernel.run(cell)
        print(text)
        assert status == "error" and says in text
    status, text = kernel.run("twice<<<1, 4>>>(x);\nassert(x[3] == 6);")
    assert status == "ok", text


def test_instructions_of_one_architecture_load(start):
    kernel = start()
    if "9.0" not in kernel.run("%device")[1]:
        pytest.skip("not a Hopper GPU")
    status, text = kernel.run("%%kernel -arch=sm_90a\n__global__ void fence(int* x) { asm volatile(\"wgmma.fence.sync.aligned;\"); x[0] = 5; }")
    assert status == "ok", text
    status, text = kernel.run("int x[1];\nfence<<<1, 128>>>(x);\nassert(x[0] == 5);")
    assert status == "ok", text


def test_an_idle_session_gives_its_context_back(start):
    kernel = start()
    assert kernel.run(f"{TWICE}\nfloat x[1 << 20] = 3;\ntwice<<<1, 4>>>(x);")[0] == "ok"
    assert kernel.workers("xcuda-gpu")
    assert kernel.run("%config idle 0.002")[0] == "ok"
    end = time.monotonic() + 10
    while kernel.workers("xcuda-gpu") and time.monotonic() < end:
        time.sleep(0.05)
    assert not kernel.workers("xcuda-gpu")
    begin = time.perf_counter()
    status, text = kernel.run("twice<<<1, 4>>>(x);\nassert(x[3] == 12 && x[1048575] == 3);")
    print(f"awake after {time.perf_counter() - begin:.3f} s")
    assert status == "ok", text


def test_graphs_launch_as_one(start):
    kernel = start()
    assert kernel.run(f"{TWICE}\nfloat x[4] = 1;")[0] == "ok"
    status, text = kernel.run("%%launch --graph\nfor (int i = 0; i < 10; ++i) twice<<<1, 4>>>(x);")
    assert status == "ok" and "10 nodes" in text, text
    status, text = kernel.run("assert(x[3] == 1024);")
    assert status == "ok", text


KERNELS = """
extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }
__device__ int counter = 3;
__global__ void add(float* x, char by) { x[threadIdx.x] += by; atomicAdd(&counter, 1); }
"""


def test_machine_code_of_a_file_is_launched(start, tmp_path):
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not installed")
    (tmp_path / "kernels.cu").write_text(KERNELS)
    kernel = start()
    architecture = re.search(r"(sm_\d+)", kernel.run("__global__ void any() {}\n%info any")[1])[1]
    made = lambda arch, name: subprocess.run([nvcc, "-cubin", f"-arch={arch}", "-o", tmp_path / name, tmp_path / "kernels.cu"], check=True)
    made(architecture, "own.cubin")
    status, text = kernel.run(f"%load_module {tmp_path}/own.cubin own")
    assert status == "ok" and "kernel add(float*, char)" in text and "kernel twice(8 bytes)" in text, text
    status, text = kernel.run("float x[4] = arange();\ntwice<<<1, 4>>>(x);\nadd<<<1, 4>>>(x, 3);\nassert(x[3] == 9 && counter[0] == 7);")
    assert status == "ok", text
    status, text = kernel.run("twice<<<1, 4>>>(x, 1);")
    assert status == "error" and "twice" in text, text
    # The arrays and variables outlive the process, and the module is there again.
    status, text = kernel.run("%restart\ntwice<<<1, 4>>>(x);\nassert(x[3] == 18 && counter[0] == 7);")
    assert status == "ok", text
    status, text = kernel.run("%device cpu")
    assert status == "error" and "machine code" in text, text
    made("sm_100" if architecture != "sm_100" else "sm_90", "other.cubin")
    status, text = kernel.run(f"%load_module {tmp_path}/other.cubin other")
    assert status == "error" and "but NVIDIA" in text and architecture in text, text


TEXTURES = """
__global__ void plane(cudaTextureObject_t t, float* out, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w * h) out[i] = tex2D<float>(t, i % w + 0.5f, i / w + 0.5f);
}
__global__ void line(cudaTextureObject_t t, float* out) { out[threadIdx.x] = 2 * tex1D<float>(t, threadIdx.x + 0.5f); }
__global__ void element(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }
__global__ void halve(cudaSurfaceObject_t s, int w) {
  float v; surf2Dread(&v, s, threadIdx.x % w * 4, threadIdx.x / w); surf2Dwrite(v / 2, s, threadIdx.x % w * 4, threadIdx.x / w);
}
float aligned[8][16] = arange(), odd[8][15] = arange(), out[200], row[64] = 3;
texture a(aligned), o(odd), r(row); surface s(odd);
"""


def test_textures_see_their_arrays_through_a_fault_and_a_switch(start):
    kernel = start()
    status, text = kernel.run(TEXTURES)
    assert status == "ok", text
    look = """plane<<<1, 128>>>(a, out, 16, 8); assert(out[17] == aligned[1][1] && out[127] == aligned[7][15]);
plane<<<1, 128>>>(o, out, 15, 8); assert(out[16] == odd[1][1] && out[119] == odd[7][14]);
line<<<1, 64>>>(r, out); assert(out[63] == 2 * row[63]);
element<<<1, 64>>>(r, out); assert(out[63] == row[63]);"""
    cells = [
        look,
        "aligned = aligned + 1; odd = odd * 2; row[63] = 7;\n" + look,
        "halve<<<1, 120>>>(s, 15); assert(odd[7][14] == 119);\n" + look,
        "%%launch --repeat 5\nhalve<<<1, 120>>>(s, 15);",
        "assert(odd[7][14] == 59.5f);",
        "%%launch --graph\nfor (int i = 0; i < 2; ++i) halve<<<1, 120>>>(s, 15);\nplane<<<1, 128>>>(o, out, 15, 8);",
        "assert(out[119] == 59.5f / 4 && odd[7][14] == out[119]);",
        "%%launch --check\nplane<<<1, 128>>>(a, out, 16, 8);",
    ]
    for cell in cells:
        status, text = kernel.run(cell)
        assert status == "ok", cell + "\n" + text
    status, text = kernel.run("__global__ void bad(int* x) { x[1l << 40] = 1; }\nint z[1];\nbad<<<1, 1>>>(z);")
    assert status == "error", text
    for cell in [look, "%device cpu", look, "%device gpu:0", look, "%restart", look]:
        status, text = kernel.run(cell)
        assert status == "ok", cell + "\n" + text
