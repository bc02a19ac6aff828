"""Functions of arrays and numbers x types against NumPy on a GPU: a session for each type, so that their kernels are compiled at the
same time. A third of the functions for each type; XCUDA_ALL_TYPES=1 takes all of them."""
import concurrent.futures
import os
import pathlib
import random
import sys

import pytest
from conftest import gpus

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "arrays"))
import function_cases as functions  # noqa: E402

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")


def compared(folder, name):
    """What is wrong with the functions of one type."""
    choice = random.Random(f"{os.environ.get('XCUDA_SEED', '5')} {name}")
    page = functions.on_the_page()
    cases = [case for case in functions.CASES if not page[case[0], name]]
    if not os.environ.get("XCUDA_ALL_TYPES"):
        cases = choice.sample(cases, len(cases) // 3)
    drawn = sorted(((*choice.choice(functions.fitting(case)), case) for case in cases), key=lambda one: one[0])
    session, given, wrong = functions.Asking(folder), None, []
    try:
        for shape, argument, case in drawn:
            x = functions.values(name, shape)
            if given != shape:
                session.give(x=x)
                given = shape
            problem = functions.difference(session, name, case, x, argument)
            if problem:
                wrong.append(f"{name}{list(shape)} {case[1].format(argument)}: {problem}")
        number = functions.values(name, ())
        session.run(functions.declared(name, number))
        for case in cases:
            if not page[case[0], functions.NUMBER] and (problem := functions.difference_of_number(session, name, case, number)):
                wrong.append(f"{name} {case[1].format('a number')}: {problem}")
    finally:
        session.close()
    return wrong


@pytest.mark.timeout(600)
def test_functions_give_what_numpy_gives(tmp_path_factory):
    folders = {name: tmp_path_factory.mktemp("arrays") for name in functions.TYPES}
    with concurrent.futures.ThreadPoolExecutor(len(folders)) as pool:
        wrong = [one for of in pool.map(lambda item: compared(item[1], item[0]), folders.items()) for one in of]
    assert not wrong, f"{len(wrong)}:\n" + "\n\n".join(wrong)
