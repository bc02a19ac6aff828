"""NumPy as the oracle of sparse matrices on the CPU device."""
import itertools
import os
import random

import pytest
from solver_cases import TYPES
from sparse_cases import SHAPES, check, check_equations, check_files
from test_numpy import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("sparse"))
    yield session
    session.close()


def drawn():
    """A few shapes and types; XCUDA_ALL_TYPES=1 takes all."""
    pairs = list(itertools.product(SHAPES, TYPES))
    return pairs if os.environ.get("XCUDA_ALL_TYPES") else random.Random(os.environ.get("XCUDA_SEED", "1")).sample(pairs, 4)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("shape, kind", drawn())
def test_products_and_forms(session, shape, kind):
    check(session, shape, kind)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["float64", "complex128"])
def test_equations(session, kind):
    check_equations(session, kind)


def test_files_of_scipy(session):
    check_files(session, session.folder)


@pytest.mark.timeout(300)
def test_another_device_has_the_same_matrix(session):
    session.give(a=[[1.0, 0], [2, 3]])
    session.run("auto s = csr(a);\n%device cpu\nassert(dense(s)[1, 1] == 3 && s.nnz == 3);")


def test_a_fault_keeps_the_matrix(session):
    session.give(a=[[1.0, 0], [2, 3]])
    session.run("auto kept = csr(a);\n__global__ void falls() { __trap(); }")
    with pytest.raises(AssertionError, match="trap"):
        session.run("falls<<<1, 1>>>();")
    session.run("assert(dense(kept)[1, 0] == 2 && matmul(kept, a[0])[1] == 2);")
