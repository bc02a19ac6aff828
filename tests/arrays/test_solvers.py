"""NumPy as the oracle of linear algebra on the CPU device."""
import itertools
import os
import random

import pytest
from solver_cases import SHAPES, TYPES, check
from test_numpy import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("solvers"))
    yield session
    session.close()


def drawn():
    """A few shapes and types; XCUDA_ALL_TYPES=1 takes all."""
    pairs = list(itertools.product(SHAPES, TYPES))
    return pairs if os.environ.get("XCUDA_ALL_TYPES") else random.Random(os.environ.get("XCUDA_SEED", "1")).sample(pairs, 5)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("shape, kind", drawn())
def test_solvers(session, shape, kind):
    check(session, shape, kind)
