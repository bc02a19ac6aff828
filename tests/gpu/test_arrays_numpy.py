"""Functions of arrays and numbers x types against NumPy on a GPU: a session for each type and rank, so that their kernels are compiled at the
same time. A third of the functions for each; XCUDA_ALL_TYPES=1 takes all of them, XCUDA_ALL_SHAPES=1 with each argument: whole, sliced,
strided, of one element, empty."""
import os
import pathlib
import random
import sys

import pytest
from conftest import gpus

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "arrays"))
import function_cases as functions  # noqa: E402

ALL = bool(os.environ.get("XCUDA_ALL_SHAPES") or os.environ.get("XCUDA_ALL_TYPES"))


def cases_of(name):
    """A third of them, unless all are wanted."""
    cases = functions.cases_of(name)
    return cases if ALL else random.Random(f"{os.environ.get('XCUDA_SEED', '5')} {name}").sample(cases, len(cases) // 3)


@pytest.mark.skipif(not gpus(), reason="no GPU on this machine")
@pytest.mark.timeout(1800)
def test_functions_give_what_numpy_gives(tmp_path_factory):
    functions.compare_all(functions.array_jobs(cases_of, 1), tmp_path_factory)


@pytest.mark.skipif(not gpus(), reason="no GPU on this machine")
@pytest.mark.timeout(1800)
def test_functions_of_numbers_give_what_numpy_gives(tmp_path_factory):
    functions.compare_all(functions.number_jobs(cases_of), tmp_path_factory)
