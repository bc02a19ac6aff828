"""Functions of arrays and numbers x types against NumPy on a GPU: a session for each type and rank, so that their kernels are compiled at the
same time. A third of the functions for each; XCUDA_ALL_TYPES=1 takes all of them, XCUDA_ALL_SHAPES=1 with each argument: whole, sliced,
strided, of one element, empty."""
import concurrent.futures
import itertools
import os
import pathlib
import random
import sys

import pytest
from conftest import gpus

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "arrays"))
import function_cases as functions  # noqa: E402

EACH = bool(os.environ.get("XCUDA_ALL_SHAPES"))
ALL = EACH or bool(os.environ.get("XCUDA_ALL_TYPES"))
# Sessions at a time: each compiles on one core.
WIDTH = max(8, len(os.sched_getaffinity(0)))


def cases_of(name):
    page = functions.on_the_page()
    cases = [case for case in functions.CASES if not page[case[0], name]]
    return cases if ALL else random.Random(f"{os.environ.get('XCUDA_SEED', '5')} {name}").sample(cases, len(cases) // 3)


def compared(folder, name, shape):
    """What is wrong with the functions of one type and shape, and how many calls there were."""
    x = functions.values(name, shape)
    session, wrong, calls = functions.Asking(folder), [], 0
    try:
        session.give(x=x)
        for case in cases_of(name):
            choice = random.Random(f"{os.environ.get('XCUDA_SEED', '5')} {name} {case[1]}")
            for drawn, argument in functions.drawn(case, choice, 1):
                if drawn != shape:
                    continue
                calls += 1
                if problem := functions.difference(session, name, case, x, argument):
                    wrong.append(f"{name}{list(shape)} {case[1].format(argument)}: {problem}")
    finally:
        session.close()
    return wrong, calls


def of_numbers(folder, name):
    page, number = functions.on_the_page(), functions.values(name, ())
    session, wrong, calls = functions.Asking(folder), [], 0
    try:
        session.run(functions.declared(name, number))
        for case in cases_of(name):
            if page[case[0], functions.NUMBER]:
                continue
            calls += 1
            if problem := functions.difference_of_number(session, name, case, number):
                wrong.append(f"{name} {case[1].format('a number')}: {problem}")
    finally:
        session.close()
    return wrong, calls


def all_of(jobs, tmp_path_factory):
    folders = [tmp_path_factory.mktemp("arrays") for _ in jobs]
    with concurrent.futures.ThreadPoolExecutor(WIDTH) as pool:
        results = list(pool.map(lambda job, folder: job(folder), jobs, folders))
    wrong = [one for of, _ in results for one in of]
    print(f"{sum(calls for _, calls in results)} calls")
    assert not wrong, f"{len(wrong)}:\n" + "\n\n".join(wrong)


@pytest.mark.skipif(not gpus(), reason="no GPU on this machine")
@pytest.mark.timeout(1800)
def test_functions_give_what_numpy_gives(tmp_path_factory):
    pairs = itertools.product(functions.SHAPES, functions.TYPES)
    all_of([lambda folder, name=name, shape=shape: compared(folder, name, shape) for shape, name in pairs], tmp_path_factory)


@pytest.mark.skipif(not gpus(), reason="no GPU on this machine")
@pytest.mark.timeout(1800)
def test_functions_of_numbers_give_what_numpy_gives(tmp_path_factory):
    all_of([lambda folder, name=name: of_numbers(folder, name) for name in functions.TYPES], tmp_path_factory)
