"""Where the programs of xeus-cuda are installed."""
import os
import pathlib
import shutil
from importlib import metadata


def program(name: str = "xcuda") -> str:
    """The path of a program of xeus-cuda: of $XCUDA_PROGRAMS, of this package's wheel, of this copy, or on PATH."""
    places = []
    if folder := os.environ.get("XCUDA_PROGRAMS"):
        places.append(pathlib.Path(folder) / name)
    try:
        files = metadata.files("xeus-cuda") or []
        places += [pathlib.Path(file.locate()) for file in files if file.parts[-3:] == ("xeus-cuda", "bin", name)]
    except metadata.PackageNotFoundError:
        pass
    places.append(pathlib.Path(__file__).resolve().parents[4] / "bin" / name)  # PREFIX/share/xcuda/python/xeus_cuda
    for place in places:
        if os.access(place, os.X_OK):
            return os.path.realpath(place)
    if found := shutil.which(name):
        return os.path.realpath(found)
    raise FileNotFoundError(f"cannot find the program {name} of xeus-cuda; looked in {', '.join(str(place.parent) for place in places)} and on PATH")
