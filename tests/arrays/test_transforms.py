"""NumPy as the oracle of Fourier transforms on the CPU device."""
import itertools
import os
import random

import numpy as np
import pytest
from test_numpy import Session
from transform_cases import SHAPES, TYPES, array, cases, compare


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("transforms"))
    yield session
    session.close()


def drawn():
    """Each shape with two types, each type with some; XCUDA_ALL_TYPES=1 takes all."""
    choice = random.Random(os.environ.get("XCUDA_SEED", "1"))
    pairs = list(itertools.product(SHAPES, TYPES))
    return pairs if os.environ.get("XCUDA_ALL_TYPES") else choice.sample(pairs, 7)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("shape, kind", drawn())
def test_transforms(session, shape, kind):
    x = array(SHAPES[shape], TYPES[kind])
    session.give(x=x)
    wanted = cases(x)
    taken = session.take(**{f"t{i}": text for i, text in enumerate(wanted)})
    for i, (text, value) in enumerate(wanted.items()):
        compare(text, taken[f"t{i}"], value, TYPES[kind])


def test_targets(session):
    """Into a whole array, into a part of one, into the array that is transformed, and into elements of another type."""
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


@pytest.mark.parametrize("n", [1, 2, 5, 6, 16])
def test_frequencies_and_shifts(session, n):
    x = np.arange(3.0 * n).reshape(3, n)
    session.give(x=x)
    got = session.take(f=f"fftfreq({n}, 0.5)", r=f"rfftfreq({n}, 0.5)", s="fftshift(x)", i="ifftshift(x)", a="fftshift(x, axes = 1)", b="ifftshift(x, axes = {0})")
    f = np.fft
    for name, wanted in dict(f=f.fftfreq(n, 0.5), r=f.rfftfreq(n, 0.5), s=f.fftshift(x), i=f.ifftshift(x), a=f.fftshift(x, axes=1), b=f.ifftshift(x, axes=0)).items():
        np.testing.assert_array_equal(got[name], wanted, name)
