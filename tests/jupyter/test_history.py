"""History: this session's and earlier ones', shared by several kernels."""
import fcntl
import json
import os
import stat
import threading

import pytest


def history(kernel, **request):
    reply = kernel.ask("history_request", {"output": False, "raw": True, **request})
    assert reply["status"] == "ok"
    return reply["history"]


def run(kernel, *cells):
    for cell in cells:
        assert kernel.execute(cell)[0]["status"] == "ok"


def test_entries_are_numbers_and_text(kernel):
    run(kernel, "print a", "print b")
    assert history(kernel, hist_access_type="tail", n=9) == [[1, 1, "print a"], [1, 2, "print b"]]
    assert history(kernel, hist_access_type="tail", n=9, output=True)[0] == [1, 1, ["print a", None]]


def test_tail(kernel):
    run(kernel, *[f"print {i}" for i in range(20)])
    assert [line for _, line, _ in history(kernel, hist_access_type="tail", n=3)] == [18, 19, 20]
    assert len(history(kernel, hist_access_type="tail")) == 10
    assert history(kernel, hist_access_type="tail", n=0) == history(kernel, hist_access_type="tail", n=-5) == []


@pytest.mark.parametrize("start_, stop, lines", [
    (1, 3, [1, 2]), (2, None, [2, 3, 4]), (0, 2, [1]), (3, 99, [3, 4]), (-1, None, [4]), (-3, -1, [2, 3]), (4, 2, []), (99, None, []),
    (-99, None, [1, 2, 3, 4]), (1, 0, [1, 2, 3, 4]),
])
def test_range(kernel, start_, stop, lines):
    run(kernel, *[f"print {i}" for i in range(4)])
    found = history(kernel, hist_access_type="range", session=0, start=start_, stop=stop)
    assert [line for _, line, _ in found] == lines


@pytest.mark.parametrize("pattern, cells", [
    ("*", ["print a", "print b\nprint c", "print é*"]), ("print a", ["print a"]), ("print", []), ("*b*", ["print b\nprint c"]),
    ("print ?", ["print a"]), ("print ??", ["print é*"]), ("*[b-c]", ["print b\nprint c"]), ("print [!b]", ["print a"]),
    ("*[*]", ["print é*"]), ("[", []), ("", []), ("*" * 500 + "x", []),
], ids=range(12))
def test_search(kernel, pattern, cells):
    run(kernel, "print a", "print b\nprint c", "print é*")
    assert [cell for *_, cell in history(kernel, hist_access_type="search", pattern=pattern)] == cells


def test_search_unique_and_n(kernel):
    run(kernel, "print a", "print b", "print a", "print a")
    assert history(kernel, hist_access_type="search", pattern="print a", n=2) == [[1, 3, "print a"], [1, 4, "print a"]]
    assert history(kernel, hist_access_type="search", pattern="*", unique=True) == [[1, 2, "print b"], [1, 4, "print a"]]
    assert history(kernel, hist_access_type="search", pattern="*", unique=True, n=1) == [[1, 4, "print a"]]


def test_a_long_cell_does_not_hurt_a_search(kernel):
    run(kernel, "// " + "ab" * 50_000)
    assert history(kernel, hist_access_type="search", pattern="*a*b*a*b*c") == []
    assert len(history(kernel, hist_access_type="search", pattern="//*b")) == 1


def test_cells_that_are_not_stored(kernel):
    kernel.execute("print a", store_history=False)
    kernel.execute("print b", silent=True)
    kernel.execute("  \n")
    assert history(kernel, hist_access_type="tail", n=9) == []


def test_history_outlives_the_kernel(start, fake_argv, tmp_path):
    first = start(fake_argv)
    run(first, "print old")
    first.begin("print endless\nspin")
    first.process.kill()
    first.wait()

    second = start(fake_argv)
    run(second, "print new")
    old = [[1, 1, "print old"], [1, 2, "print endless\nspin"]]
    assert history(second, hist_access_type="tail", n=9) == [*old, [2, 1, "print new"]]
    assert history(second, hist_access_type="range", session=1, start=1) == old
    assert history(second, hist_access_type="range", session=-1, start=2) == old[1:]
    assert history(second, hist_access_type="range", session=0) == [[2, 1, "print new"]]
    assert history(second, hist_access_type="range", session=7) == history(second, hist_access_type="range", session=-7) == []

    path = tmp_path / "data/xcuda/history.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_several_kernels_write_at_once(start, fake_argv, tmp_path):
    kernels = [start(fake_argv) for _ in range(4)]
    threads = [threading.Thread(target=run, args=(kernel, *[f"print {number} {i}" for i in range(100)]))
               for number, kernel in enumerate(kernels)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for kernel in kernels:
        history(kernel, hist_access_type="tail")  # writes what found the lock held
    entries = history(kernels[0], hist_access_type="tail", n=1000)
    assert len(entries) == 400
    assert len({session for session, *_ in entries}) == 4
    for line in (tmp_path / "data/xcuda/history.jsonl").read_text().splitlines():
        json.loads(line)


@pytest.mark.parametrize("text", ['{"s":1,"l":1,"c":"print torn', "\xff\xfe\n\n[]\nnull\n", '{"s":2147483647,"l":1,"c":"x"}\n',
                                  '{"s":"1","l":1,"c":"x"}\n{"s":1,"l":1}\n', "[" * 100_000, ""], ids=range(6))
def test_a_damaged_file_is_read_as_far_as_it_goes(start, fake_argv, tmp_path, text):
    path = tmp_path / "data/xcuda/history.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"s":4,"l":1,"c":"print whole"}\n' + text, encoding="latin-1")
    kernel = start(fake_argv)
    run(kernel, "print next")
    expected = [[4, 1, "print whole"], [5, 1, "print next"]]
    assert history(kernel, hist_access_type="tail", n=9) == expected
    kernel.close()
    assert history(start(fake_argv), hist_access_type="tail", n=9) == expected


def test_a_long_file_is_shortened(start, fake_argv, tmp_path):
    path = tmp_path / "data/xcuda/history.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps({"s": 1, "l": i, "c": f"print {i} " + "x" * 200}) + "\n" for i in range(1, 30_000)))
    kernel = start(fake_argv)
    run(kernel, "print new")
    assert path.stat().st_size < 3 << 20
    assert [line for _, line, _ in history(kernel, hist_access_type="tail", n=3)] == [29_998, 29_999, 1]


def test_a_held_lock_holds_no_cell_up(start, fake_argv, tmp_path):
    path = tmp_path / "data/xcuda/history.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        kernel = start(fake_argv)
        run(kernel, "print a", "print b")
        assert history(kernel, hist_access_type="tail", n=9) == [[1, 1, "print a"], [1, 2, "print b"]]
        assert path.read_text() == ""
    run(kernel, "print c")
    assert [json.loads(line).get("c") for line in path.read_text().splitlines()] == [None, "print a", "print b", "print c"]


def test_a_history_that_cannot_be_used_is_said_once(start, fake_argv, tmp_path):
    path = tmp_path / "data/xcuda/history.jsonl"
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    kernel = start(fake_argv)
    run(kernel, "print a", "print b")
    assert [cell for *_, cell in history(kernel, hist_access_type="tail", n=9)] == ["print a", "print b"]
    kernel.ask("shutdown_request", {}, "control")
    kernel.wait()
    lines = [line for line in kernel.process.stderr.read().decode().splitlines() if "history" in line]
    assert len(lines) == 1 and str(path) in lines[0] and "not a regular file" in lines[0]


def test_without_a_place_to_write_the_session_still_has_its_history(start, fake_argv, tmp_path):
    (tmp_path / "file").write_text("")
    kernel = start(fake_argv, env={"XDG_DATA_HOME": str(tmp_path / "file")})
    run(kernel, "print a")
    assert history(kernel, hist_access_type="tail", n=9) == [[1, 1, "print a"]]
