"""Linear algebra of cuSOLVER on a GPU, against NumPy in double: shapes, batches, types, errors, faults."""
import pathlib
import sys

import pytest
from conftest import gpus

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "arrays"))
from solver_cases import SHAPES, TYPES, check  # noqa: E402

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    from test_numpy import Session
    session = Session(tmp_path_factory.mktemp("solvers"))
    try:
        session.run("auto probe = inv(identity(3));")
    except AssertionError as error:
        session.close()
        if "pip install nvidia-cusolver" in str(error):
            pytest.skip("no cuSOLVER is installed")
        raise
    yield session
    session.close()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_solvers(session, shape, kind):
    check(session, shape, kind)


def fails(session, code, *words):
    with pytest.raises(AssertionError) as problem:
        session.run(code)
    assert all(word in str(problem.value) for word in words), str(problem.value)


def test_what_has_no_solution_is_said(session):
    session.run("double s[2][2] = {{1, 2}, {2, 4}}, n[2][2] = {{1, 2}, {2, 1}}, t[2] = 1;")
    fails(session, "solve(s, t)", "s is singular")
    fails(session, "inv(s)", "s is singular")
    fails(session, "cholesky(n)", "n is not positive definite")
    session.run("assert(det(s) == 0);")


def test_large_ones_solve(session):
    session.run("double la[1024][1024] = normal(seed = 1), lb[1024] = normal(seed = 2);\nassert(max(abs(matmul(la, solve(la, lb)) - lb)) < 1e-8);\n"
                "auto [lw, lv] = eigh(la + transpose(la)); assert(max(abs(matmul(la + transpose(la), lv) - lv * lw)) < 1e-9);\n"
                "auto [lu_, ls, lt] = svd(la); assert(max(abs(matmul(lu_ * ls, lt) - la)) < 1e-9);")


def test_values_that_are_not_real(session):
    session.run("double ga[200][200] = normal(seed = 4);\nauto [gw, gv] = eig(ga); assert(max(abs(matmul(ga + complex<double>(0, 0), gv) - gv * gw)) < 1e-10);")


def test_after_a_fault_solvers_go_on(session):
    session.run("float fa[64][64] = normal(seed = 3); auto before = inv(fa);")
    fails(session, "__global__ void wild(float* x) { x[1ull << 40] = 1; }\nwild<<<1, 1>>>(fa);\nauto lost = inv(fa);", "llegal")
    session.run("auto after = inv(fa);\nassert(after == before);")
