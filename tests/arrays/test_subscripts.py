"""Slices, strides, literal indices from both ends, arrays of indices, conditions, new axes and ..., read and written, against NumPy.

A drawn sample; XCUDA_ALL_TYPES=1 takes many more, XCUDA_SEED draws others."""
import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from function_cases import TYPES, Asking, values  # noqa: E402

ALL = bool(os.environ.get("XCUDA_ALL_TYPES"))
SHAPES = [(7,), (1,), (0,), (5, 4), (1, 3), (3, 0), (3, 2, 4), (2, 1, 3), (2, 3, 1, 4), (2, 2, 3, 2)]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Asking(tmp_path_factory.mktemp("subscripts"))
    yield session
    session.close()


class Drawn:
    """Subscripts of one array, with the arrays that they name."""

    def __init__(self, choice, shape):
        self.choice, self.named, parts = choice, {}, []
        used = choice.randint(1, len(shape))
        dots = choice.randint(0, used) if choice.random() < 0.2 else None
        for i in range(used):
            if i == dots:
                parts.append("...")
            behind = dots is not None and i >= dots
            parts.append(self.one(shape[len(shape) - used + i if behind else i]))
            if choice.random() < 0.08:
                parts.append("newaxis")
        if dots == used:
            parts.append("...")
        self.text = ", ".join(parts)

    def bound(self, value, extent):
        """The same place, counted from either end."""
        return str(value - extent) if value < extent and self.choice.random() < 0.5 else str(value)

    def slice(self, extent):
        step = self.choice.choice([1, 2, 3, -1, -2, -3])
        shown = "" if step == 1 else f":{step}"
        if extent == 0:
            return ":" + shown
        low, high = sorted((self.choice.randint(0, extent), self.choice.randint(0, extent)))
        if step > 0:
            return f"{self.bound(low, extent)}:{self.bound(high, extent)}{shown}"
        return f"{self.bound(high, extent) if high < extent else ''}:{self.bound(low, extent)}{shown}" if low < extent else f":{shown}"

    def one(self, extent):
        kind = self.choice.random()
        if kind < 0.2 and extent > 0:
            return str(self.choice.randint(-extent, extent - 1))
        fancy = not self.named or self.choice.random() < 0.3
        if kind < 0.4 and extent > 0 and fancy:
            name, generator = f"i{len(self.named)}", np.random.default_rng(self.choice.randrange(1000))
            self.named[name] = generator.integers(0, extent, self.choice.choice([0, 1, 3, 5])).astype(self.choice.choice([np.int32, np.int64, np.uint8]))
            return name
        if kind < 0.5 and not self.named:
            self.named["mask"] = np.random.default_rng(self.choice.randrange(1000)).integers(0, 2, extent).astype(bool)
            return "mask"
        return self.slice(extent)


def expected(mode, x, drawn, given):
    """What the statement leaves in x, or gives."""
    names = {"newaxis": None, **drawn.named}
    if mode == "read":
        return np.asarray(eval(f"x[{drawn.text}]", {"x": x, **names}))
    places = np.asarray(eval(f"x[{drawn.text}]", {"x": np.arange(x.size).reshape(x.shape), **names}))
    row = x.copy().ravel()
    if mode == "add":  # as a loop does it: what is there twice gets it twice
        np.add.at(row, places.ravel(), np.array(1, x.dtype))
    else:
        for place, value in zip(places.ravel(), given.ravel()):
            row[place] = value
    return row.reshape(x.shape)


@pytest.mark.timeout(3600 if ALL else 300)
def test_subscripts_mean_what_numpys_mean(session):
    choice = random.Random(os.environ.get("XCUDA_SEED", "6"))
    wrong = []
    for _ in range(400 if ALL else 24):
        name, shape = choice.choice(list(TYPES)), choice.choice(SHAPES)
        x, drawn = values(name, shape), Drawn(choice, shape)
        try:
            chosen = np.asarray(eval(f"x[{drawn.text}]", {"x": x, "newaxis": None, **drawn.named}))
        except IndexError:  # arrays of indices that do not match
            continue
        mode = choice.choice(["read", "write", "add"])
        if mode == "add" and name == "bool" or mode == "write" and chosen.ndim == 0:
            mode = "read"
        given = values(name, chosen.shape) if mode == "write" else None
        session.give(x=x, **drawn.named, **({"given": given} if mode == "write" else {}))
        number = mode == "read" and chosen.ndim == 0
        statement = {"read": f"auto result = {f'full(1, x[{drawn.text}])' if number else f'x[{drawn.text}]'};", "write": f"x[{drawn.text}] = given;",
                     "add": f"x[{drawn.text}] += 1;"}[mode]
        what = f"{name}{list(shape)} {statement} {({key: value.tolist() for key, value in drawn.named.items()})}"
        if problem := session.ask(statement):
            wrong.append(f"{what}: {problem}")
            continue
        session.run(f"%save {'result' if mode == 'read' else 'x'} taken.npy")
        taken, wanted = np.load(session.folder / "taken.npy"), expected(mode, x, drawn, given)
        wanted = wanted.reshape(1) if number else wanted
        if taken.shape != wanted.shape or taken.dtype != wanted.dtype or not np.array_equal(taken, wanted):
            wrong.append(f"{what}: {taken.tolist()} is not {wanted.tolist()}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("subscript", ["7", "-8", "0:8", "-8:2", "n", "0:n", "index", "m[0], 1"])
def test_what_is_outside_is_refused_before_anything_is_written(session, subscript):
    session.give(x=np.arange(7.0), index=np.array([1, 7]), m=np.array([[-1]]))
    session.run("int n = -1;")
    assert session.ask(f"x[{subscript}] = 9;")
    session.run("assert(x == arange(7));")
