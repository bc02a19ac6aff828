"""Random numbers of cuRAND on a GPU, against what its host generators give."""
import numpy as np
import pytest
from conftest import gpus

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")

# What cuRAND's host generators give for seed 1234 (sobol has none): places, words, float and double uniform numbers,
# normal ones, and words from offset 300,000 on. tests/unit/library/cpu holds the CPU device to the same.
GOLDEN = {
    "philox": ([0, 1, 2, 4095, 4096, 65537, 81921, 99999], [0x2090b348, 0xda7cf0ab, 0x4401906f, 0x3aad5500, 0x7a6635c0, 0x876776ab, 0x6651d88e, 0xd0162565],
        [float.fromhex("0x1.04859a0000000p-3"), float.fromhex("0x1.b4f9e20000000p-1"), float.fromhex("0x1.1006420000000p-2"), float.fromhex("0x1.d56aa80000000p-3"), float.fromhex("0x1.e998d80000000p-2"), float.fromhex("0x1.0eceee0000000p-1"), float.fromhex("0x1.9947620000000p-2"), float.fromhex("0x1.a02c4a0000000p-1")],
        [float.fromhex("0x1.b4f9e35f0b348p-1"), float.fromhex("0x1.97948a5c19070p-1"), float.fromhex("0x1.cbe178b76f1acp-4"), float.fromhex("0x1.9e18af1fe18d8p-1"), float.fromhex("0x1.b9a579298d702p-3"), float.fromhex("0x1.d25d658d66bccp-1"), float.fromhex("0x1.79679a818b2bdp-2"), float.fromhex("0x1.d25c0b91d1195p-2")],
        [-1.61649048, 1.22915542, -1.56054044, 0.0742003247, 1.18662775, -0.515581667, -0.610327959, 0.555158079], [0x9b661d4c, 0xd1b398e3, 0x5c24684b, 0xeee11787, 0x555e7498, 0x8768e64c, 0x3032ef3a, 0xc8d8e3d7]),
    "xorwow": ([0, 1, 2, 4095, 4096, 65537, 81921, 99999], [0x253d5e15, 0xd1f7605a, 0x8ce6f6f8, 0xe5dcbada, 0x6f558604, 0x57bbdb70, 0x21f19a29, 0x4caa267e],
        [float.fromhex("0x1.29eaf00000000p-3"), float.fromhex("0x1.a3eec00000000p-1"), float.fromhex("0x1.19cdee0000000p-1"), float.fromhex("0x1.cbb9760000000p-1"), float.fromhex("0x1.bd56180000000p-2"), float.fromhex("0x1.5eef6e0000000p-2"), float.fromhex("0x1.0f8cd20000000p-3"), float.fromhex("0x1.32a89a0000000p-2")],
        [float.fromhex("0x1.bd561cb7abc2bp-2"), float.fromhex("0x1.da53518d7605ap-1"), float.fromhex("0x1.9faa2cee6f6f8p-1"), float.fromhex("0x1.f9f6378fcbadap-1"), float.fromhex("0x1.d216d58cdb5e5p-2"), float.fromhex("0x1.fab717ad8a566p-1"), float.fromhex("0x1.f26ccad5adcb1p-2"), float.fromhex("0x1.17420bfdc315ep-1")],
        [0.780973554, -1.80157816, -0.280848563, 1.29743934, 1.93902695, -1.58108199, 0.346150696, -1.37628675], [0xadb9d548, 0x9f5658bc, 0x39fd4d4f, 0xc9cfb852, 0x9daa8815, 0xacf8750f, 0x91bd4b68, 0x9ca6f51b]),
    "mrg32k3a": ([0, 1, 2, 4095, 4096, 65537, 81921, 99999], [0xc96891f0, 0x26f0d612, 0xef269080, 0xa85b4ff8, 0x9dda211d, 0x222c1537, 0xac5068d7, 0x1373dac0],
        [float.fromhex("0x1.92d1240000000p-1"), float.fromhex("0x1.3786b00000000p-3"), float.fromhex("0x1.de4d220000000p-1"), float.fromhex("0x1.50b6a00000000p-1"), float.fromhex("0x1.3bb4420000000p-1"), float.fromhex("0x1.1160aa0000000p-3"), float.fromhex("0x1.58a0d20000000p-1"), float.fromhex("0x1.373dac0000000p-4")],
        [float.fromhex("0x1.92d123e0dcbe5p-1"), float.fromhex("0x1.3786b09654f63p-3"), float.fromhex("0x1.de4d21007cf80p-1"), float.fromhex("0x1.50b69ff0e518ap-1"), float.fromhex("0x1.3bb4423bbe2a2p-1"), float.fromhex("0x1.1160a9bf2feaap-3"), float.fromhex("0x1.58a0d1af5b4b3p-1"), float.fromhex("0x1.373dac0e19598p-4")],
        [-0.360653788, -0.591281295, -1.7185365, 1.30085957, 0.0452207141, 0.152860895, -0.611063361, -1.55622637], [0x3a5506fe, 0xc692b781, 0x1616b014, 0xbd44b879, 0xb0f2a009, 0x5db331b8, 0xda78f712, 0xb4390fe0]),
    "mt19937": ([0, 1, 8, 9, 1000, 1001, 1998, 1999], [0x31076b2f, 0x116e000a, 0x6f27143c, 0x22b56bf0, 0xb3649cfd, 0xca4ad444, 0x2866413d, 0x8abaeb4c],
        [float.fromhex("0x1.883b5a0000000p-3"), float.fromhex("0x1.16e0000000000p-4"), float.fromhex("0x1.bc9c500000000p-2"), float.fromhex("0x1.15ab600000000p-3"), float.fromhex("0x1.66c93a0000000p-1"), float.fromhex("0x1.9495a80000000p-1"), float.fromhex("0x1.43320a0000000p-3"), float.fromhex("0x1.1575d60000000p-1")],
        [float.fromhex("0x1.883b597c00000p-3"), float.fromhex("0x1.16e000a800000p-4"), float.fromhex("0x1.bc9c50f200000p-2"), float.fromhex("0x1.15ab5f8400000p-3"), float.fromhex("0x1.66c939fb00000p-1"), float.fromhex("0x1.9495a88900000p-1"), float.fromhex("0x1.433209ec00000p-3"), float.fromhex("0x1.1575d69900000p-1")],
        [-0.872310698, -1.49020839, -0.165716484, -1.10039151, 0.526570261, 0.807130337, -1.0034982, 0.105258539], []),
    "sobol": ([0, 1, 2, 4095, 4096, 65537, 81921, 99999], [0x00000000, 0x80000000, 0xc0000000, 0x00100000, 0x00180000, 0x80018000, 0x80078000, 0x0ba28000],
        [float.fromhex("0x1.0000000000000p-33"), float.fromhex("0x1.0000000000000p-1"), float.fromhex("0x1.8000000000000p-1"), float.fromhex("0x1.0000080000000p-12"), float.fromhex("0x1.8000080000000p-12"), float.fromhex("0x1.0003000000000p-1"), float.fromhex("0x1.000f000000000p-1"), float.fromhex("0x1.7450000000000p-5")],
        [float.fromhex("0x1.0000000000000p-32"), float.fromhex("0x1.0000000200000p-1"), float.fromhex("0x1.8000000200000p-1"), float.fromhex("0x1.0000100000000p-12"), float.fromhex("0x1.8000100000000p-12"), float.fromhex("0x1.0003000200000p-1"), float.fromhex("0x1.000f000200000p-1"), float.fromhex("0x1.7450002000000p-5")],
        [-6.33795738, 0, 0.674489737, -3.48710418, -3.37714577, 5.73721663e-05, 0.000286860828, -1.69068694], [0x085b6000, 0x885b6000, 0xc85b6000, 0x0c4f6000, 0x084f6000, 0x885ae000, 0x885ce000, 0x02e8a000]),
}


@pytest.fixture(scope="module")
def kernel(request):
    from conftest import Kernel
    kernel = Kernel()
    yield kernel
    kernel.client.stop_channels()
    kernel.manager.shutdown_kernel(now=True)


def ok(kernel, code, timeout=300):
    status, text = kernel.run(code, timeout)
    if "pip install nvidia-curand" in text:
        pytest.skip("no cuRAND is installed")
    assert status == "ok", f"{code}\n{text}"
    return text


def arguments(generator, more=""):
    return f"generator = {generator}" + ("" if generator == "sobol" else ", seed = 1234") + more


def equal(name, places, values, suffix=""):
    return "\n".join(f"assert({name}[{place}] == {value!r}{suffix});" for place, value in zip(places, values))


@pytest.mark.parametrize("generator", GOLDEN)
def test_bits_and_uniform_numbers_are_those_of_the_host(kernel, generator):
    places, words, singles, doubles, _, far = GOLDEN[generator]
    ok(kernel, f"{{ unsigned int w[100000] = randint({arguments(generator)});\n{equal('w', places, words, 'u')} }}")
    ok(kernel, f"{{ double u[100000] = uniform({arguments(generator)});\n{equal('u', places, doubles)} }}")
    ok(kernel, f"{{ float u[100000] = uniform({arguments(generator)});\n{equal('u', places, singles)} }}")
    if far:
        ok(kernel, f"{{ unsigned int w[100000] = randint({arguments(generator, ', offset = 300000')});\n{equal('w', places, far, 'u')} }}")


@pytest.mark.parametrize("generator", GOLDEN)
def test_normal_numbers_differ_by_rounding(kernel, generator):
    places, normals = GOLDEN[generator][0], GOLDEN[generator][4]
    close = "\n".join(f"printf(\"%.9g\\n\", n[{p}] - {v!r}); assert(abs(n[{p}] - {v!r}) < 4e-6);" for p, v in zip(places, normals))
    print(ok(kernel, f"{{ float n[100000] = normal({arguments(generator)});\n{close} }}"))
    ok(kernel, f"{{ double n[100001] = normal(2, 3, {arguments(generator)}); assert(abs(mean(n) - 2) < 0.05 && abs(std(n) - 3) < 0.05); }}")
    ok(kernel, f"{{ float n[100000] = lognormal(0.5, 0.25, {arguments(generator)}); assert(abs(mean(log(n)) - 0.5) < 0.01); }}")


@pytest.mark.parametrize("generator", GOLDEN)
def test_poisson_integers_and_orders(kernel, generator):
    ok(kernel, f"{{ double n[100000] = poisson(3.5, {arguments(generator)}); assert(abs(mean(n) - 3.5) < 0.05 && abs(var(n) - 3.5) < 0.1); }}")
    ok(kernel, f"{{ int n[10000] = randint(1, 7, {arguments(generator)}); assert(min(n) == 1 && max(n) == 6); }}")
    if generator != "sobol":
        ok(kernel, f"{{ auto p = permutation(1000, {arguments(generator)}); assert(array_equal(sort(p), arange<long>(1000))); }}")


def test_the_same_seed_gives_the_same_numbers(kernel):
    for generator in GOLDEN:
        ok(kernel, f"{{ float a[1000] = uniform({arguments(generator)}), b[1000] = uniform({arguments(generator)}); assert(a == b); }}")


def test_dimensions_and_orderings(kernel):
    ok(kernel, "{ unsigned int p[3][1000] = randint(generator = sobol, dimensions = 3);\n"
               "assert(p[0, 1] == 0x80000000u && p[0, 999] == 0x28400000u && p[2, 500] == 0x58800000u && p[2, 999] == 0x14c00000u); }")
    ok(kernel, "{ unsigned int w[100000] = randint(generator = mrg32k3a, ordering = legacy, seed = 1234);\n"
               "assert(w[4096] == 0x9650c684u && w[99999] == 0x89863210u); }")
    ok(kernel, "{ unsigned int w[1000] = randint(generator = xorwow, ordering = seeded, seed = 1234); assert(w[0] == 0x253d5e15u); }")


def test_after_a_fault_the_numbers_are_the_same(kernel):
    ok(kernel, "float ra[1000] = uniform(generator = xorwow, seed = 1);")
    status, text = kernel.run("__global__ void wild(float* x) { x[1ull << 40] = 1; }\nwild<<<1, 1>>>(ra);\nsum(ra);")
    assert status == "error" and "illegal" in text.lower(), text
    ok(kernel, "float rb[1000] = uniform(generator = xorwow, seed = 1), rc[1000] = uniform(generator = xorwow, seed = 1);\nassert(rb == rc);")
