"""Headers of NVIDIA's packages in kernels: CuTe, cuBLASDx, cuFFTDx and cuRANDDx with an include, beside the session's own functions."""
import os
import pathlib
import shutil
import subprocess
import sysconfig

import pytest
from test_numpy import Session

PLACES = [pathlib.Path(sysconfig.get_paths()["purelib"]), *pathlib.Path(os.environ["HOME"], ".local/lib").glob("python3*/site-packages")]


def needs(package, header):
    return pytest.mark.skipif(not any((place / header).exists() for place in PLACES), reason=f"{package} is not installed")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("device"))
    yield session
    session.close()


@needs("nvidia-cutlass", "cutlass_library/source/include/cute/tensor.hpp")
def test_cute(session):
    session.run("""#include <cute/tensor.hpp>
__global__ void column(const float* a, float* b) {
  using namespace cute;
  auto t = make_tensor(make_gmem_ptr(a), make_shape(Int<8>{}, Int<8>{}), make_stride(Int<8>{}, Int<1>{}));
  b[threadIdx.x] = t(threadIdx.x, 1);
}""")
    session.run("float a[8][8] = arange(), b[8]; column<<<1, 8>>>(a, b);\nassert(array_equal(b, a[:, 1]));")


DX = needs("nvidia-mathdx", "nvidia/mathdx/include/cublasdx.hpp")
ARCHITECTURE = "SM<__CUDA_ARCH__ >= 900 ? 900 : 800>()"


@DX
def test_curanddx(session):
    session.run(f"""#include <curanddx.hpp>
using Numbers = decltype(curanddx::Generator<curanddx::philox4_32>() + curanddx::PhiloxRounds<10>() + curanddx::{ARCHITECTURE} + curanddx::Thread());
__global__ void draw(float4* to) {{
  Numbers numbers(1234, 0, blockIdx.x * blockDim.x + threadIdx.x);
  curanddx::uniform<float> uniform(0, 1);
  to[blockIdx.x * blockDim.x + threadIdx.x] = uniform.generate4(numbers);
}}""")
    session.run("float drawn[4096][4]; draw<<<16, 256>>>((float4*)drawn);\nassert(abs(mean(drawn) - 0.5) < 0.02 && min(drawn) >= 0 && max(drawn) <= 1 && std(drawn) > 0.28);")


@DX
def test_cufftdx(session):
    session.run(f"""#include <cufftdx.hpp>
using Transform = decltype(cufftdx::Block() + cufftdx::Size<128>() + cufftdx::Type<cufftdx::fft_type::c2c>() + cufftdx::Direction<cufftdx::fft_direction::forward>() +
  cufftdx::Precision<float>() + cufftdx::ElementsPerThread<8>() + cufftdx::FFTsPerBlock<1>() + cufftdx::{ARCHITECTURE});
__global__ void transform(float2* given) {{
  extern __shared__ __align__(16) unsigned char shared[];
  auto* data = reinterpret_cast<Transform::value_type*>(given);
  Transform::value_type own[Transform::storage_size];
  for (int i = 0; i < Transform::elements_per_thread; ++i) own[i] = data[threadIdx.x + i * Transform::stride];
  Transform().execute(own, shared);
  for (int i = 0; i < Transform::elements_per_thread; ++i) data[threadIdx.x + i * Transform::stride] = own[i];
}}""")
    session.run("float f[128] = uniform(seed = 1); complex<float> s[128], t[128]; s = f; t = fft(s);\ntransform<<<1, 16, 4096>>>((float2*)s);\nassert(max(abs(s - t)) < 1e-4);")


@DX
@pytest.mark.timeout(300)
def test_cublasdx(session):
    session.run(f"""#include <cublasdx.hpp>
using Tile = decltype(cublasdx::Size<32, 32, 32>() + cublasdx::Precision<half, half, float>() + cublasdx::Type<cublasdx::type::real>() +
  cublasdx::Function<cublasdx::function::MM>() + cublasdx::Arrangement<cublasdx::row_major, cublasdx::row_major, cublasdx::row_major>() +
  cublasdx::{ARCHITECTURE} + cublasdx::Block() + cublasdx::BlockDim<128>());
__global__ void tile(const half* a, const half* b, float* c) {{
  extern __shared__ __align__(16) unsigned char shared[];
  using alignment = cublasdx::alignment_of<Tile>;
  auto [sa, sb, sc] = cublasdx::slice_shared_memory<Tile>(shared);
  auto ta = cublasdx::make_tensor(sa, Tile::get_layout_smem_a()), tb = cublasdx::make_tensor(sb, Tile::get_layout_smem_b());
  auto tc = cublasdx::make_tensor(sc, Tile::get_layout_smem_c());
  cublasdx::copy<Tile, alignment::a>(cublasdx::make_tensor(a, Tile::get_layout_gmem_a()), ta);
  cublasdx::copy<Tile, alignment::b>(cublasdx::make_tensor(b, Tile::get_layout_gmem_b()), tb);
  cublasdx::copy_wait();
  Tile().execute(1.0f, ta, tb, 0.0f, tc);
  __syncthreads();
  auto gc = cublasdx::make_tensor(c, Tile::get_layout_gmem_c());
  cublasdx::copy<Tile, alignment::c>(tc, gc);
}}""")
    session.run("half a2[32][32] = uniform(seed = 1), b2[32][32] = uniform(seed = 2); float c[32][32], wa[32][32], wb[32][32]; wa = a2; wb = b2;\n"
                "tile<<<1, 128, 16384>>>(a2, b2, c);\nassert(max(abs(c - matmul(wa, wb))) < 1e-4);")


NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


@pytest.mark.skipif(NVCC is None, reason="no nvcc, which makes the code that is linked with")
def test_code_beside_cusolverdx(tmp_path, monkeypatch):
    """NVIDIA's archive is not on PyPI: a header and code of our own in its places are found, linked with and run."""
    for folder in ("include", "lib"):
        (tmp_path / folder).mkdir()
    (tmp_path / "include/cusolverdx.hpp").write_text("template <class T> __device__ void solve_diagonal(T* b, const T* a, unsigned n, unsigned lane);\n")
    source = tmp_path / "code.cu"
    source.write_text("""template <class T> __device__ void solve_diagonal(T* b, const T* a, unsigned n, unsigned lane) {
  __shared__ T shared[32];
  shared[lane] = b[lane];
  __syncthreads();
  b[lane] = shared[lane] / a[lane * (n + 1)];
}
template __device__ void solve_diagonal<double>(double*, const double*, unsigned, unsigned);
""")
    subprocess.run([NVCC, "-fatbin", "-rdc=true", "-gencode", "arch=compute_80,code=lto_80", "-o", tmp_path / "lib/libcusolverdx.fatbin", source], check=True)
    monkeypatch.setenv("MATHDX_ROOT", str(tmp_path))
    session = Session(tmp_path)
    try:
        session.run("#include <cusolverdx.hpp>\n__global__ void diagonal(double* b, const double* a) { solve_diagonal<double>(b, a, blockDim.x, threadIdx.x); }")
        session.run("double a[32][32], b[32] = 1; a = diag(arange(32) + 1.0);\nauto x = solve(a, b);\ndiagonal<<<1, 32>>>(b, a);\nassert(allclose(b, x));")
    finally:
        session.close()
