"""Each expression of numpy_names.py against NumPy. A drawn sample of them; XCUDA_ALL_TYPES=1 takes all."""
import os
import pathlib
import random
import re
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from numpy_names import ABSENT, DRAWN, EXPRESSIONS, OTHERS, STATEMENTS, TYPED, table  # noqa: E402
from test_numpy import Session  # noqa: E402

ARRAYS = {
    "a": np.array([3, 1, 2, 6, 5, 4], float), "b": np.array([2, 7, 1, 3, 4, 5], float), "m": np.arange(12.0).reshape(3, 4),
    "q": np.arange(16.0).reshape(4, 4) % 7, "i": np.array([0, 5, 5, 2], np.int32), "k": np.array([3, 1, 1, 0, 7, 3, 3, 2], np.int32),
    "n": np.array([3, np.nan, 2, 6, np.nan, 4]), "t": np.array([True, False, True, True, False, False]),
}

IN_WORDS = ["len(m)", "np.stack(np.split(a, 2))", "np.isin(k, [0.5, 3])", "np.take(m, [2, 0], axis=1)"]  # the advice is no line
# What NumPy does for lines that are not its own, or not any more.
NEW = {"concatenate(a, b)": "np.concatenate([a, b])", "np.row_stack([a, b])": "np.vstack([a, b])", **OTHERS}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("names"))
    session.give(**ARRAYS)
    yield session
    session.close()


@pytest.mark.timeout(1800 if os.environ.get("XCUDA_ALL_TYPES") else 300)
def test_expressions(session):
    rows = EXPRESSIONS if os.environ.get("XCUDA_ALL_TYPES") else random.Random(os.environ.get("XCUDA_SEED", "1")).sample(EXPRESSIONS, 16)
    wrong = []
    for numpy, ours in rows:
        expected = np.asarray(eval(numpy, {"np": np, "len": len, **ARRAYS}))
        try:
            # An array of it, if it is a number.
            session.run(f"auto result = {ours};" if expected.ndim else f"auto result = full(1, {ours});")
            if expected.size:
                session.run("%save result result.npy")
                taken = np.load(session.folder / "result.npy")
                taken = taken if expected.ndim else taken[0]
            else:
                session.run("assert(result.size == 0);")
                continue
            assert np.shape(taken) == expected.shape, (np.shape(taken), expected.shape)
            np.testing.assert_allclose(np.asarray(taken, float), np.asarray(expected, float), rtol=1e-6 if taken.dtype == np.float32 else 1e-12)
        except AssertionError as problem:
            wrong.append(f"{ours}: {problem}")
    assert not wrong, f"{len(wrong)} of {len(rows)}:\n" + "\n\n".join(wrong)


def advice_on(session, code):
    """What the error offers; nothing where there is none."""
    text = []

    def hook(message):
        if message["msg_type"] == "error":
            text.extend(message["content"]["traceback"])

    reply = session.client.execute_interactive(code, timeout=120, output_hook=hook)
    if reply["content"]["status"] == "ok":
        return None
    lines = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(text)).splitlines()
    return next((line.split("try: ", 1)[1].strip() for line in lines if "try: " in line), "")


@pytest.mark.timeout(1800 if os.environ.get("XCUDA_ALL_TYPES") else 300)
def test_numpy_as_it_is_typed_is_answered_with_the_line_that_does_the_same(session):
    typed = [numpy for numpy, ours in EXPRESSIONS if numpy != ours and numpy not in IN_WORDS] + TYPED + [*OTHERS]
    rows = typed if os.environ.get("XCUDA_ALL_TYPES") else random.Random(os.environ.get("XCUDA_SEED", "2")).sample(typed, 12)
    wrong = []
    for numpy in rows:
        python = numpy.removesuffix("[0]") if "split" in numpy else numpy
        expected = np.asarray(eval(NEW.get(numpy, numpy), {"np": np, "len": len, "size": np.size, **ARRAYS}))
        line = advice_on(session, python)
        line = python if line is None else line
        if python != numpy and "split" in numpy:
            line += "[0]"
        *before, value = line.split("; ")
        try:
            assert line, "there is no advice"
            session.run("".join(one + ";\n" for one in before) + (f"auto result = {value};" if expected.ndim else f"auto result = full(1, {value});"))
            session.run("%save result result.npy")
            taken = np.load(session.folder / "result.npy")
            taken = taken if expected.ndim else taken[0]
            assert np.shape(taken) == expected.shape, (np.shape(taken), expected.shape)
            np.testing.assert_allclose(np.asarray(taken, complex), np.asarray(expected, complex), rtol=1e-6 if taken.dtype == np.float32 else 1e-12, atol=1e-15)
        except AssertionError as problem:
            wrong.append(f"{numpy}: {line}: {problem}")
    assert not wrong, f"{len(wrong)} of {len(rows)}:\n" + "\n\n".join(wrong)


@pytest.mark.timeout(300)
def test_random_numbers_as_they_are_typed(session):
    wrong = []
    for line, shape, lo, hi in DRAWN:
        offered = advice_on(session, line)
        *before, value = (offered or "").split("; ")
        try:
            assert value, "there is no advice"
            session.run("".join(one + ";\n" for one in before) + (f"auto result = {value};" if shape else f"auto result = full(1, {value});"))
            session.run("%save result result.npy")
            taken = np.load(session.folder / "result.npy")
            assert taken.shape == (shape or (1,)), taken.shape
            assert (taken >= lo).all() and (taken <= hi).all(), taken
        except AssertionError as problem:
            wrong.append(f"{line}: {offered}: {problem}")
    assert not wrong, "\n\n".join(wrong)


def test_the_page_has_the_table():
    page = (pathlib.Path(__file__).parents[2] / "docs" / "arrays.md").read_text()
    assert table() in page, "python tests/arrays/numpy_names.py writes it"


@pytest.mark.timeout(300)
def test_statements_as_they_are_typed(session):
    wrong = []
    for line, name in STATEMENTS:
        arrays = {one: value.copy() for one, value in ARRAYS.items()}
        session.give(**ARRAYS)
        offered = advice_on(session, line)
        if name is None:  # no line means the same
            if offered is not None and "values" in offered:
                wrong.append(f"{line}: {offered}")
            continue
        exec(line, {"np": np, **arrays})
        try:
            if offered is not None:
                session.run(offered)
            session.run(f"%save {name} result.npy")
            np.testing.assert_allclose(np.load(session.folder / "result.npy"), arrays[name])
        except AssertionError as problem:
            wrong.append(f"{line}: {offered}: {problem}")
    session.give(**ARRAYS)
    assert not wrong, "\n\n".join(wrong)


def functions_of_numpy():
    """Those that make or take arrays: np.linalg.inv is "linalg.inv"."""
    for module, prefix in ((np, ""), (np.linalg, "linalg."), (np.fft, "fft.")):
        for name in module.__all__:
            value = getattr(module, name, None)
            if callable(value) and not isinstance(value, type) and name != "test" and not name.startswith("__"):
                yield prefix + name
    yield from ("mgrid", "ogrid", "r_", "c_", "newaxis", "pi", "e", "inf", "nan", "euler_gamma")


def test_each_function_of_numpy_is_compared_or_answered():
    text = " ".join([*(numpy for numpy, _ in EXPRESSIONS), *TYPED, *(line for line, _ in STATEMENTS), *(names for names, _ in ABSENT)])
    named = set(re.findall(r"np\.((?:linalg\.|fft\.)?\w+)", text))
    assert not sorted(set(functions_of_numpy()) - named)
