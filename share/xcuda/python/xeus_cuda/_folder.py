"""A session's temporary folder, which outlives this program only until the next session is made."""
from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

PREFIX = "xeus-cuda-session-"
LOCK = "lock"


class SessionFolder:
    """A private folder with a lock in it, which the system lets go when this program is killed."""

    def __init__(self) -> None:
        _remove_abandoned()
        while True:
            self.path = tempfile.mkdtemp(prefix=PREFIX)
            try:
                self._lock = os.open(os.path.join(self.path, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
            except FileNotFoundError:
                continue
            if _holds(self._lock) and os.path.exists(os.path.join(self.path, LOCK)):
                return
            os.close(self._lock)  # another program took it for abandoned before it was locked

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _holds(lock: int) -> bool:
    """Whether the lock is this program's now. A file system without locks does without."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _remove_abandoned() -> None:
    """Removes the user's folders of sessions whose program was killed. Errors are passed over: the folders stay, then."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}"):
        try:
            lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            if os.fstat(lock).st_uid == os.getuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path.parent, ignore_errors=True)
        except OSError:
            pass
        finally:
            os.close(lock)
