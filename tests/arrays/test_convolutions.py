"""NumPy as the oracle of convolutions on the CPU device."""
import os

import numpy as np
import pytest
from convolution_cases import TYPES, check
from test_numpy import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("convolutions"))
    yield session
    session.close()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", TYPES if os.environ.get("XCUDA_ALL_TYPES") else ["float32", "complex128", "int32"])
def test_convolutions(session, kind):
    check(session, kind)


def test_what_is_not_finite_stays_where_it_is(session):
    """Long rows would go through transforms, which spread a NaN over all elements."""
    x, y = np.ones(5000), np.ones(3000)
    x[1000] = np.nan
    session.give(x=x, y=y)
    got = session.take(y="convolve(x, y)")["y"]
    assert np.array_equal(np.flatnonzero(np.isnan(got)), np.arange(1000, 4000))


def test_views(session):
    x = np.arange(24.0).reshape(4, 6)
    session.give(x=x)
    got = session.take(a="convolve(x[:, 1], x[::-1, 2])", b='correlate(x[0, ::2], x[1, ::-1], "full")', c="conv2d(transpose(x), x[0:2, ::3])")
    assert np.array_equal(got["a"], np.convolve(x[:, 1], x[::-1, 2]))
    assert np.array_equal(got["b"], np.correlate(x[0, ::2], x[1, ::-1], "full"))
    assert np.array_equal(got["c"][1], np.convolve(x[:, 1], x[0, ::3]) + np.convolve(x[:, 0], x[1, ::3]))
