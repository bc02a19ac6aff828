"""Sparse matrices of cuSPARSE on a GPU, against NumPy in double: shapes, types, equations, files, faults, graphs, reports."""
import pathlib
import sys

import pytest
from conftest import gpus

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "arrays"))
from solver_cases import TYPES  # noqa: E402
from sparse_cases import SHAPES, check, check_equations, check_files  # noqa: E402

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    from test_numpy import Session
    session = Session(tmp_path_factory.mktemp("sparse"))
    try:
        session.run("auto probe = matmul(csr(identity(3)), ones(3));")
    except AssertionError as error:
        session.close()
        if "pip install nvidia-cusparse" in str(error):
            pytest.skip("no cuSPARSE is installed")
        raise
    yield session
    session.close()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_products_and_forms(session, shape, kind):
    check(session, shape, kind)


@pytest.mark.parametrize("kind", [name for name in TYPES if name != "int32"])
def test_equations(session, kind):
    check_equations(session, kind)


def test_files_of_scipy(session):
    check_files(session, session.folder)


def test_another_device_has_the_same_matrix(session):
    session.run("auto moved = csr(identity(5) * 3);\n%device cpu\nassert(sum(dense(moved)) == 15);\n%device gpu:0\nassert(sum(matmul(moved, ones(5))) == 15);")


MATRICES = "double one[3000][3000] = uniform(seed = 1), v[3000] = uniform(seed = 2);\nauto some = csr(one * (one > 0.9));"


def test_sums_have_an_order_where_that_is_asked_for(session):
    session.run(MATRICES)
    session.run("%config deterministic on")
    session.run("auto first = matmul(some, v), both = matmul(some, one[:, 0:4]);\nfor (int i = 0; i < 20; ++i) { assert(array_equal(matmul(some, v), first)); assert(array_equal(matmul(some, one[:, 0:4]), both)); }")
    session.run("auto product = matmul(one, one);\nfor (int i = 0; i < 5; ++i) assert(array_equal(matmul(one, one), product));\n%config deterministic off")


def test_it_is_reported_and_captured(session):
    session.run(MATRICES)
    session.run("%launch auto timed = matmul(some, v);")
    session.run("double to[3000];\n%launch --graph to = matmul(some, v);")


def test_after_a_fault_products_go_on(session):
    session.run(MATRICES)
    session.run("__global__ void falls() { __trap(); }")
    with pytest.raises(AssertionError, match="trap|launch failure"):
        session.run("falls<<<1, 1>>>();")
    session.run("assert(allclose(matmul(some, v), matmul(dense(some), v)));")
