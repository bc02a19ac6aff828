"""CUDA C++ from Python: a session of xeus-cuda in a process of its own, whose arrays are NumPy arrays here.

    import xeus_cuda
    s = xeus_cuda.Session(device="cpu")
    s.run("__global__ void saxpy(float a, const float* x, float* y) { y[threadIdx.x] += a * x[threadIdx.x]; }")
    s.run("float x[32] = arange(), y[32] = 1;")
    s.kernel("saxpy")[1, 32](2.0, s["x"], s["y"])
    s["y"].sum()

In IPython and in Python notebooks, %load_ext xeus_cuda brings %%cuda, and current_session() is the session of these magics. See
docs/python.md.
"""
from __future__ import annotations

from typing import Any

from ._programs import program

__all__ = ["CudaError", "Kernel", "Result", "Session", "StaleArray", "current_session", "explain", "program"]


def __getattr__(name: str) -> Any:  # the worker of %%python needs none of it, and starts sooner
    if name in ("CudaError", "Result", "Session", "explain"):
        from . import session
        return getattr(session, name)
    if name == "StaleArray":
        from .worker.arrays import StaleArray
        return StaleArray
    if name == "Kernel":
        from .kernels import Kernel
        return Kernel
    if name == "current_session":
        from .magics import current_session
        return current_session
    raise AttributeError(f"module xeus_cuda has no attribute {name}")


def load_ipython_extension(shell: Any) -> None:
    from . import magics
    magics.load(shell)


def unload_ipython_extension(shell: Any) -> None:
    from . import magics
    magics.unload(shell)
