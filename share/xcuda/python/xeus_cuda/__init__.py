"""xeus-cuda from Python: where the kernel's programs are."""
from ._programs import program

__all__ = ["program"]
