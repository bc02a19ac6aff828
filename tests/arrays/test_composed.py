"""Functions that are put together from others against NumPy: types x ranks x arguments that are whole, sliced, strided, of one element, empty.

A drawn sample; XCUDA_ALL_TYPES=1 takes each type with each function."""
import itertools
import os
import pathlib
import random
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_numpy import Session  # noqa: E402

TYPES = {"bool": np.bool_, "uint8_t": np.uint8, "int16_t": np.int16, "int32_t": np.int32, "uint32_t": np.uint32, "int64_t": np.int64,
         "float": np.float32, "double": np.float64}
SHAPES = [(7,), (5, 4), (3, 2, 4), (2, 3, 1, 4)]
# How an argument is written, and what NumPy calls it.
ARGUMENTS = {"x": lambda x: x, "x[1:]": lambda x: x[1:], "x[::2]": lambda x: x[::2], "x[::-1]": lambda x: x[::-1],
             "x[..., :1]": lambda x: x[..., :1], "x[0:1]": lambda x: x[0:1], "x[0:0]": lambda x: x[0:0]}

ANY, SOME = 0, 1  # the fewest elements along the last axis and in all
# ours, NumPy's of the argument, the least rank, the least number of elements
CASES = [
    ("flatten({})", np.ravel, 1, ANY), ("{}.T", np.transpose, 1, ANY), ("flip({})", np.flip, 1, ANY),
    ("flip({}, axis = -1)", lambda x: np.flip(x, -1), 1, ANY), ("rot90({}, 3)", lambda x: np.rot90(x, 3), 2, ANY),
    ("swapaxes({}, 0, -1)", lambda x: np.swapaxes(x, 0, -1), 1, ANY), ("expand_dims({}, -1)", lambda x: np.expand_dims(x, -1), 1, ANY),
    ("concatenate({{{0}, {0}}}, axis = -1)", lambda x: np.concatenate([x, x], axis=-1), 1, ANY),
    ("stack({{{0}, {0}}}, axis = 1)", lambda x: np.stack([x, x], axis=1), 1, ANY), ("tile({}, 2)", lambda x: np.tile(x, 2), 1, ANY),
    ("repeat({}, 3, axis = 0)", lambda x: np.repeat(x, 3, axis=0), 1, ANY), ("pad({}, {{1, 2}})", lambda x: np.pad(x, (1, 2)), 1, ANY),
    ('pad({}, 1, mode = "edge")', lambda x: np.pad(x, 1, mode="edge"), 1, SOME), ("tril({}, k = 1)", lambda x: np.tril(x, 1), 2, ANY),
    ("diagonal({})", lambda x: np.diagonal(x), 2, ANY), ("cumsum({})", np.cumsum, 1, ANY), ("cumsum({}, axis = 0)", lambda x: np.cumsum(x, axis=0), 1, ANY),
    ("diff({})", np.diff, 1, SOME), ("diff({}, axis = 0)", lambda x: np.diff(x, axis=0), 1, SOME), ("clip({}, 2, 5)", lambda x: np.clip(x, 2, 5), 1, ANY),
    ("sort({})", np.sort, 1, ANY), ("sort({}, axis = 0)", lambda x: np.sort(x, axis=0), 1, ANY),
    ("argsort({}, axis = 0)", lambda x: np.argsort(x, axis=0, kind="stable"), 1, ANY),
    ("percentile({}, {{25, 60}}, axis = 0)", lambda x: np.percentile(x, [25, 60], axis=0), 1, SOME),
    ("unique({})", np.unique, 1, ANY), ("flatnonzero({} > 2)", lambda x: np.flatnonzero(x > 2), 1, ANY), ("argwhere({} > 2)", lambda x: np.argwhere(x > 2), 1, ANY),
    ("count_nonzero({}, axis = 0)", lambda x: np.count_nonzero(x, axis=0), 2, ANY), ("ptp({}, axis = -1)", lambda x: np.ptp(x, axis=-1), 2, SOME),
    ("nansum({}, axis = 0)", lambda x: np.nansum(x, axis=0), 2, ANY), ("nanmean({}, axis = -1)", lambda x: np.nanmean(x, axis=-1), 2, SOME),
    ("nanmax({}, axis = -1)", lambda x: np.nanmax(x, axis=-1), 2, SOME),
    ("{0}[{0} > 2]", lambda x: x[x > 2], 1, ANY), ("outer({0}, {0})", lambda x: np.outer(x, x), 1, ANY),
    ("searchsorted(sort(flatten({0})), {0})", lambda x: np.searchsorted(np.sort(x.ravel()), x), 1, ANY),
]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("composed"))
    yield session
    session.close()


def drawn():
    """Of each type and case, four shapes and arguments; of those a few."""
    choice = random.Random(os.environ.get("XCUDA_SEED", "2"))
    cases = []
    for name, case in itertools.product(TYPES, range(len(CASES))):
        fits = [(shape, argument) for shape, argument in itertools.product(range(len(SHAPES)), ARGUMENTS)
                if len(SHAPES[shape]) >= CASES[case][2] and not (argument == "x[0:0]" and CASES[case][3] == SOME)]
        cases += [(name, shape, argument, case) for shape, argument in choice.sample(fits, 4)]
    return cases if os.environ.get("XCUDA_ALL_TYPES") else choice.sample(cases, 24)


@pytest.mark.timeout(3600 if os.environ.get("XCUDA_ALL_TYPES") else 300)
def test_composed_functions(session):
    wrong, given = [], None
    for name, shape, argument, case in sorted(drawn()):
        ours, numpy, _, _ = CASES[case]
        dtype = TYPES[name]
        # Small, so that nothing wraps in the types of C++, which are wider than NumPy's or the same.
        values = np.random.default_rng(shape).integers(0 if dtype in (np.bool_, np.uint8, np.uint32) else -9, 2 if dtype is np.bool_ else 10, SHAPES[shape])
        x = values.astype(dtype)
        if given != (name, shape):
            session.give(x=x)
            given = (name, shape)
        # C++ computes smaller integers as int; unsigned ones wrap in both.
        keeps = dtype is np.uint32 or np.issubdtype(dtype, np.floating)
        expected = np.asarray(numpy(ARGUMENTS[argument](x if keeps else x.astype(np.int64))))
        text = ours.format(argument)
        try:
            session.run(f"auto result = {text};")
            if expected.size == 0:
                session.run("assert(result.size == 0);")
                continue
            session.run("%save result result.npy")
            taken = np.load(session.folder / "result.npy")
            assert taken.shape == expected.shape, (taken.shape, expected.shape)
            np.testing.assert_allclose(taken.astype(float), expected.astype(float), rtol=1e-6)
        except AssertionError as problem:
            wrong.append(f"{name}{list(SHAPES[shape])} {text}: {problem}")
    assert not wrong, f"{len(wrong)}:\n" + "\n\n".join(wrong)
