"""Fourier transforms of cuFFT on a GPU, against NumPy in double: shapes, axes, lengths, norms, types, views, targets, faults, graphs."""
import pathlib
import re
import sys

import numpy as np
import pytest
from conftest import gpus

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "arrays"))
from transform_cases import SHAPES, TYPES, array, cases, compare  # noqa: E402

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    from test_numpy import Session
    session = Session(tmp_path_factory.mktemp("fourier"))
    try:
        session.run("float probe[8] = 1; auto spectrum = fft(probe);")
    except AssertionError as error:
        session.close()
        if "pip install nvidia-cufft" in str(error):
            pytest.skip("no cuFFT is installed")
        raise
    yield session
    session.close()


def output_of(session, code):
    texts = []
    reply = session.client.execute_interactive(
        code, timeout=120, output_hook=lambda m: texts.append(m["content"].get("text") or m["content"].get("data", {}).get("text/plain", "")
                                                              or "\n".join(m["content"].get("traceback", []))))
    return reply["content"]["status"], re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(texts))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_transforms(session, shape, kind):
    x = array(SHAPES[shape], TYPES[kind])
    session.give(x=x)
    wanted = cases(x)
    taken = session.take(**{f"t{i}": text for i, text in enumerate(wanted)})
    wrong = []
    for i, (text, value) in enumerate(wanted.items()):
        try:
            compare(text, taken[f"t{i}"], value, TYPES[kind])
        except AssertionError as error:
            wrong.append(str(error))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("n", [2, 3, 5, 7, 11, 13, 17, 101, 1009, 3 ** 9, 1 << 20, 1000003])
def test_lengths(session, n):
    for kind in ("complex64", "complex128", "float32", "float64"):
        x = array((n,), TYPES[kind])
        session.give(x=x)
        compare(f"fft of {n}", session.take(y="fft(x)")["y"], np.fft.fft(x.astype(np.complex128)), TYPES[kind])
        if not np.iscomplexobj(x):
            compare(f"rfft of {n}", session.take(y="rfft(x)")["y"], np.fft.rfft(x.astype(np.float64)), TYPES[kind])
            compare(f"irfft of {n}", session.take(y=f"irfft(rfft(x), {n})")["y"], x.astype(np.float64), TYPES[kind])


@pytest.mark.parametrize("shape", [(1024, 1024), (100, 30, 20), (3, 5, 7, 11, 13), (2, 3, 4, 5, 6)])
def test_axes_of_large_arrays(session, shape):
    x = array(shape, np.complex64)
    session.give(x=x)
    for axis in range(len(shape)):
        compare(f"axis {axis} of {shape}", session.take(y=f"fft(x, axis = {axis})")["y"], np.fft.fft(x.astype(np.complex128), axis=axis), np.complex64)
    compare(f"all of {shape}", session.take(y="ifftn(x)")["y"], np.fft.ifftn(x.astype(np.complex128)), np.complex64)


def test_what_is_transformed_stays(session):
    """cuFFT may write into what it makes real numbers of."""
    x = array((6, 10), np.float32)
    session.give(x=x)
    session.run("auto h = rfft2(x); auto before = copy(h); auto back = irfft2(h); auto once = irfft(h); assert(h == before);\n"
                "assert(allclose(back, x, atol = 1e-4));")


def test_real_lines_at_odd_places(session):
    """cuFFT reads two floats at once: a line that begins between is copied."""
    x = array((5, 9), np.float32)
    session.give(x=x)
    for text, value in {"rfft(x[1])": x[1], "rfft(x[1:4, 1:8])": x[1:4, 1:8], "rfft(x[:, 1])": x[:, 1]}.items():
        compare(text, session.take(y=text)["y"], np.fft.rfft(value.astype(np.float64)), np.float32)


def test_targets(session):
    x, z = array((4, 6), np.float32), array((4, 6), np.complex64)
    session.give(x=x, z=z)
    session.run("complex<float> whole[4][6], big[6][12] = 0; complex<double> wide[4][6]; float back[4][6];\n"
                "whole = fft(x); big[1:5, ::2] = fft(x); wide = fft(x); back = irfft(rfft(x)); z = fft(z);")
    got = session.take(whole="whole", big="big", wide="wide", back="back", z2="z")
    wanted = np.fft.fft(x.astype(np.float64))
    big = np.zeros((6, 12), np.complex128)
    big[1:5, ::2] = wanted
    for name, value in dict(whole=wanted, big=big, wide=wanted, back=x, z2=np.fft.fft(z.astype(np.complex128))).items():
        assert np.max(np.abs(got[name] - value)) < 1e-4, name


def test_many_plans(session):
    """More shapes than plans are kept, and the first again."""
    lines = "".join(f"{{ auto y = fft(long_line[0:{n}]); assert(abs(y[0] - {n}.0f) < 0.01f); }}\n" for n in list(range(1, 300)) + [1, 2, 3])
    session.run("complex<float> long_line[300] = 1;\n" + lines)


def test_the_report(session):
    session.run("complex<float> r[1024][1024]; r = 1; auto warm = fft2(r);")
    status, text = output_of(session, "%launch auto timed = fft2(r);")
    assert status == "ok" and re.search(r"cuFFT \d+\.\d+", text) and "FLOP/s" in text, text


def test_graph(session):
    session.run("complex<float> ga[64][64], gb[64][64], once[64][64]; ga = reshape(arange(4096), 64, 64); once = fft(ga);")
    status, text = output_of(session, "%%launch --graph --repeat 5\ngb = fft(ga);")
    assert status == "ok", text
    session.run("assert(gb == once);")


def test_graph_of_a_new_shape(session):
    session.run("complex<float> na[48][40], nb[48][40]; na = 1;")
    status, text = output_of(session, "%%launch --graph\nnb = fft2(na);")
    print(status, text)
    session.run("assert(abs(fft2(na)[0, 0] - 1920.0f) < 0.01f);")


def test_after_a_fault_transforms_go_on(session):
    session.run("complex<float> fa[4096]; for (int i = 0; i < 4096; ++i) fa[i] = i; auto before = fft(fa);")
    status, text = output_of(session, "#include <cuda/std/complex>\n__global__ void wild(cuda::std::complex<float>* x) { x[1ull << 40] = 1; }\nwild<<<1, 1>>>(fa);\nauto lost = fft(fa);")
    assert status == "error" and "illegal" in text.lower(), text
    session.run("auto after = fft(fa);\nassert(after == before);")
