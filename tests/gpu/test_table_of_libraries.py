"""The table of docs/libraries.md for this GPU: every function with every type. A drawn sample if the page has the table; with
XCUDA_ALL_TYPES=1 all of it, and with XCUDA_APPROVE=1 the page gets it."""
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import gpus

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "arrays"))
import library_cases as cases  # noqa: E402
from test_library_table import ALL, check_table  # noqa: E402

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")


@pytest.mark.timeout(600)
def test_the_table_says_what_there_is(tmp_path):
    if not ALL and not cases.on_the_page("gpu"):
        pytest.skip("docs/libraries.md has no table of a GPU yet")
    name = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    session = cases.Measuring(tmp_path)
    try:
        session.run("%device gpu:0")
        check_table(session, "gpu", f"one {name}")
    finally:
        session.close()
