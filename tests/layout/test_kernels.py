"""Every kernel of tests/kernels is launched by a test that checks its result."""
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
KERNEL = re.compile(r"__global__\s+(?:void\s+|__\w+__\s*\([^)]*\)\s*)*(\w+)\s*\(")


def kernels():
    """(file, name); a kernel that is there for two architectures counts once."""
    found = []
    for path in sorted((TESTS / "kernels").glob("[0-9]*.cu")):
        for name in KERNEL.findall(path.read_text()):
            if (path.name, name) not in found:
                found.append((path.name, name))
    return found


def test_every_kernel_is_launched():
    unit = "\n".join(path.read_text() for path in (TESTS / "unit/device/cpu").glob("*_test.cpp"))
    cells = (TESTS / "cells/curand.cells").read_text()
    listed = kernels()
    assert len(listed) == 104, len(listed)
    for number in range(1, 41):
        assert any(file.startswith(f"{number:02}_") for file, _ in listed), number
    missing = [f"{file}: {name}" for file, name in listed if f'"{name}"' not in unit and f"{name}<<<" not in cells]
    assert missing == []
