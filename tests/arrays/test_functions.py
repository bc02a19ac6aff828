"""Functions of arrays against NumPy: each with 8 types, numbers and arrays of ranks 1 to 4, and arguments that are whole, sliced, strided, of one
element, empty. And the table of docs/arrays.md, function x type.

A drawn sample; XCUDA_ALL_TYPES=1 takes all of it, with four arguments for each type, XCUDA_ALL_SHAPES=1 beside it each argument; with
XCUDA_APPROVE=1 it writes the table."""
import itertools
import os
import pathlib
import random
import re
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import function_cases as functions  # noqa: E402
from function_cases import CASES, NUMBER, SHAPES, TYPES, Asking, declared, difference, difference_of_number, fitting, reason_of, values  # noqa: E402

ALL = bool(os.environ.get("XCUDA_ALL_TYPES"))


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Asking(tmp_path_factory.mktemp("functions"))
    yield session
    session.close()


def sampled(page):
    """(type, case, shape, argument) of what the table says that there is."""
    choice = random.Random(os.environ.get("XCUDA_SEED", "3"))
    pairs = [(name, case) for name, case in itertools.product(TYPES, CASES) if not page.get((case[0], name), "")]
    return [(name, case, *choice.choice(fitting(case))) for name, case in choice.sample(pairs, 16)]


@pytest.mark.timeout(14400 if ALL else 300)
def test_functions_give_what_numpy_gives(session, tmp_path_factory):
    if ALL:
        return functions.compare_all(functions.array_jobs(functions.cases_of, 4), tmp_path_factory)
    wrong, given = [], None
    for name, case, shape, argument in sorted(sampled(functions.on_the_page()), key=lambda one: (one[0], one[2])):
        x = values(name, shape)
        if given != (name, shape):
            session.give(x=x)
            given = name, shape
        problem = difference(session, name, case, x, argument)
        if problem:
            wrong.append(f"{name}{list(shape)} {case[1].format(argument)}: {problem}")
    assert not wrong, f"{len(wrong)}:\n" + "\n\n".join(wrong)


@pytest.mark.timeout(7200 if ALL else 300)
def test_functions_of_numbers_give_what_numpy_gives(session, tmp_path_factory):
    if ALL:
        return functions.compare_all(functions.number_jobs(functions.cases_of), tmp_path_factory)
    page = functions.on_the_page()
    pairs = [(name, case) for name, case in itertools.product(TYPES, CASES) if not page[case[0], name] and not page[case[0], NUMBER]]
    numbers = {name: values(name, ()) for name in TYPES}
    session.run("\n".join(declared(name, value) for name, value in numbers.items()))
    taken = random.Random(os.environ.get("XCUDA_SEED", "5")).sample(pairs, 24)
    wrong = [f"{name} {case[1].format('v')}: {problem}" for name, case in taken
             if (problem := difference_of_number(session, name, case, numbers[name]))]
    assert not wrong, f"{len(wrong)} of {len(taken)}:\n" + "\n\n".join(wrong)


@pytest.mark.timeout(7200 if ALL else 300)
def test_the_table_says_what_there_is(session):
    """Each cell is NumPy's value, or the reason for which there is none."""
    approve = ALL and os.environ.get("XCUDA_APPROVE")
    page = {} if approve else functions.on_the_page()
    names = functions.named()
    if not approve:
        assert set(page) == set(itertools.product(names, (*TYPES, NUMBER))), "write it: XCUDA_ALL_TYPES=1 XCUDA_APPROVE=1 pytest tests/arrays/test_functions.py -k table"
    pairs = list(itertools.product((*TYPES, NUMBER), names))
    if not ALL:
        refusals = [(of, name) for of, name in pairs if page[name, of]]
        choice = random.Random(os.environ.get("XCUDA_SEED", "4"))
        pairs = choice.sample(refusals, 4) + choice.sample(pairs, 4)
    found, wrong, given = {}, [], None
    for of, name in sorted(pairs):
        case = max((one for one in CASES if one[0] == name), key=lambda one: one[3])
        x = np.float64(1.25) if of == NUMBER else values(of, SHAPES[1])
        if given != of:
            session.run(declared("double", x)) if of == NUMBER else session.give(x=x)
            given = of
        problem = difference_of_number(session, "double", case, x) if of == NUMBER else difference(session, of, case, x, "x")
        found[name, of] = reason_of(problem[1], name) if isinstance(problem, tuple) else ""
        if isinstance(problem, str) and problem:
            wrong.append(f"{of} {problem}")
    assert not wrong, f"{len(wrong)}:\n" + "\n\n".join(wrong)
    if approve:
        reasons = dict.fromkeys(found[name, of] for name in names for of in (*TYPES, NUMBER) if found[name, of])
        numbers = {reason: number for number, reason in enumerate(reasons, 1)}
        text = functions.PAGE.read_text()
        head, rest = text.split(functions.BEGIN)
        functions.PAGE.write_text(head + functions.BEGIN + functions.table(found, numbers) + functions.END + rest.split(functions.END)[1])
    else:
        assert found == {cell: page[cell] for cell in found}


def test_every_function_of_arrays_has_a_case():
    elsewhere = {name for names in functions.ELSEWHERE for name in names.split()}
    rows = [name for name in functions.names_of_rows() if not re.match(r"cuda[A-Z]|mem|malloc|calloc|free|aligned_alloc|posix_memalign", name)]
    missing = [name for name in rows if name not in functions.named() and name not in elsewhere]
    assert not missing, f"add them to CASES of function_cases.py: {missing}"
    assert not set(functions.named()) & elsewhere
