"""The table of docs/libraries.md, function x type, for the CPU device here and for GPUs in tests/gpu: each cell is NumPy's value to
the precision of the type, with as many passes as the page says, or the reason for which there is none.

A drawn sample; XCUDA_ALL_TYPES=1 takes all of it, and with XCUDA_APPROVE=1 writes the table."""
import itertools
import os
import pathlib
import random
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import library_cases as cases  # noqa: E402
from library_cases import CASES, EPSILON, NAMES, TYPES  # noqa: E402

ALL = bool(os.environ.get("XCUDA_ALL_TYPES"))
# Rounding errors of a few thousand sums; equations are solved to a limit, and their matrix is not the best.
MOST = {"cg": 1e4, "gmres": 1e4, "pinv": 1e4, "cond": 1e4}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = cases.Measuring(tmp_path_factory.mktemp("libraries"))
    yield session
    session.close()


def check_table(session, device, about):
    approve = ALL and os.environ.get("XCUDA_APPROVE")
    page = {} if approve else cases.on_the_page(device)
    pairs = list(itertools.product(TYPES, CASES))
    if not approve:
        assert set(page) == {(name, kind) for name in NAMES for kind in TYPES}, "write it: XCUDA_ALL_TYPES=1 XCUDA_APPROVE=1 pytest"
    if not ALL:
        pairs = sorted(random.Random(os.environ.get("XCUDA_SEED", "6")).sample(pairs, 8), key=lambda pair: TYPES.index(pair[0]))
    found, wrong, values = {}, [], {}
    for kind, case in pairs:
        if kind not in values:
            values = {kind: session.ready(kind)}
        result = cases.measured(session, kind, case, values[kind])
        found[case[0], kind] = result
        if isinstance(result, str):
            continue
        limit = 300 * EPSILON.get(kind, 2 ** -52) * MOST.get(case[0], 1)
        if not result[0] <= limit:
            wrong.append(f"{case[0]} of {kind}: error {result[0]:.2g}, at most {limit:.2g}")
    assert not wrong, "\n".join(wrong)
    if approve:
        cases.write(found, device, about)
    else:
        steps = {"cg", "gmres"}  # which take as many passes as their sums make them
        assert {key: one if isinstance(one, str) else one[1] for key, one in found.items() if key[0] not in steps} == {key: page[key] for key in found if key[0] not in steps}


@pytest.mark.timeout(7200 if ALL else 300)
def test_the_table_says_what_there_is(session):
    session.run("%device cpu")
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    check_table(session, "cpu", f"the CPU device ({os.cpu_count()} threads of {model[1] if model else 'a processor'}, OpenBLAS, beside other work)")
