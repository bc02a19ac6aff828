"""Convolutions on a GPU, against NumPy: by sums, and by transforms of cuFFT."""
import pathlib
import sys

import pytest
from conftest import gpus

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "arrays"))
from convolution_cases import TYPES, check  # noqa: E402

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    from test_numpy import Session
    session = Session(tmp_path_factory.mktemp("convolutions"))
    try:
        session.run("float probe[8] = 1; auto spectrum = fft(probe);")
    except AssertionError as error:
        session.close()
        if "pip install nvidia-cufft" in str(error):
            pytest.skip("no cuFFT is installed")
        raise
    yield session
    session.close()


@pytest.mark.parametrize("kind", TYPES)
def test_convolutions(session, kind):
    check(session, kind)


def test_in_a_graph(session):
    session.run('float gx[4000] = uniform(seed = 1), gy[3000] = uniform(seed = 2), gz[6999], once[6999]; once = convolve(gx, gy);')
    session.run("%%launch --graph\ngz = convolve(gx, gy);")
    session.run("assert(allclose(gz, once, rtol = 1e-5));")
