"""The rules of the house that the compiler cannot check."""
import functools
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
ORDER = ["base", "shell", "cell", "language", "reference", "ptx", "compiler", "nvcc", "library", "library/cpu", "library/cuda", "device", "device/remote", "device/ranks", "device/mpi", "device/cuda",
         "device/cpu/abi", "device/cpu/lower", "device/cpu/plan", "device/cpu/emit", "device/cpu/emit/families",
         "device/cpu/jit", "device/cpu/memory", "device/cpu/watch", "device/cpu/run", "device/cpu", "runtime",
         "display", "display/chart", "files", "arrays", "session", "interpreter", "export", "python", "command", "editor",
         "kernel", "programs"]
# Folders that belong to the library of the one they are in.
PARTS = ["cell/macros", "cell/records", "command/code", "command/draw", "command/program", "command/system", "command/timing", "compiler/host", "interpreter/composed", "interpreter/containers", "interpreter/devices", "interpreter/host", "interpreter/launches", "interpreter/matrices", "interpreter/native", "interpreter/records", "language/functions", "language/host", "language/python", "runtime/driver", "runtime/graph", "runtime/jit_link", "runtime/math", "runtime/memory", "runtime/solver", "session/host"]

SOURCES = sorted(path for path in SRC.rglob("*") if path.suffix in (".cpp", ".hpp"))

# A foreign header and the only folders (or files, by prefix) that may include it.
OWNERS = {
    r"<cuda\.h>": ["device/cuda/", "runtime/driver/"],
    r"<cuda_(?:runtime_api|profiler_api)\.h>": ["runtime/"],
    r"<nvrtc\.h>": ["compiler/nvrtc_library."],
    r"<llvm[/-]": ["device/cpu/emit/", "device/cpu/jit/", "device/cpu/pipeline."],
    r"<xeus/": ["kernel/"],
    r"<zmq": ["kernel/"],
    r"<png\.h>": ["display/png.", "files/png_reader.", "files/image_writer."],
    r"<jpeglib\.h>": ["files/jpeg_reader.", "files/image_writer."],
    r"<zlib\.h>": ["display/png.", "display/chart/deflate.", "display/animation.", "files/zip_archive.", "files/zip_writer."],
    r"<openssl/": ["base/", "kernel/"],
    r"<mpi\.h>": ["device/mpi/"],
    r"<dlfcn\.h>": ["base/", "programs/nvrtc.", "runtime/toolkit_library."],
}

# Exceptions are caught where they are converted: a cell's end, a worker's loop, the Jupyter adapter; and in the folder
# that owns a library which throws.
CATCHES = {
    "session/array_table.cpp",  # the end of a vector in a container, where nobody hears an error
    "session/run_to_end.cpp",
    "cell/macros/parse_macros.cpp",  # a macro too long to replace: the statement that calls it says so
    "interpreter/host/notebook_headers.cpp",  # a header that is not a cell alone is for the compiler
    "interpreter/records/exceptions.hpp",  # an exception of a cell's own code, on its way to its handler
    "device/remote/serve_device.cpp",
    "device/mpi/rank_server.cpp",  # the same for a rank
    "device/mpi/rank_loop.cpp",    # the end of a rank
    "device/mpi/start_ranks.cpp",  # and of what starts them
    "compiler/serve_compiler.cpp",
    "compiler/compiler_client.cpp",  # a process that is started early and cannot be: the compile that needs it says why
    "device/remote/supervised_device.cpp",  # the next process that cannot be started ends the device, not its caller
    "files/serve_files.cpp",
    "session/host/host_worker.cpp",  # in the middle of an access of host code, which ends its process first
    "python/session_answers.cpp",  # what Python asks for and cannot have is an exception there
    "kernel/adapter.cpp",
    "device/cpu/jit/jit.cpp",  # quick code that LLVM fails to generate is generated in another way
    "runtime/api_calls.cpp",   # a function of the CUDA Runtime returns an error
    "runtime/device_engine.cpp",  # a kernel that cannot be compiled is the error of later calls
}


def relative(path):
    return path.relative_to(SRC).as_posix()


def folder(path):
    return relative(path.parent)


@functools.cache
def code(path):
    """The text without comments and string literals."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text, flags=re.S)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", text, flags=re.S)


def test_contributing_describes_every_folder():
    text = (SRC.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    told = re.findall(r"`([\w/]+)`", "".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| `")))
    assert sorted(told) == sorted(ORDER + PARTS)
    assert sorted(told) == sorted({folder(path) for path in SOURCES})


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_includes_follow_the_order_of_the_folders(path):
    rank = {name: i for i, name in enumerate(ORDER)}
    rank |= {part: rank[part.rsplit("/", 1)[0]] for part in PARTS}
    assert folder(path) in rank, f"a folder that CONTRIBUTING.md does not know: {folder(path)}"
    for include in re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8")):
        if include.startswith("xcuda/"):  # share/xcuda/include: device headers that host code may share
            continue
        target = include.rsplit("/", 1)[0] if "/" in include else folder(path)
        assert target in rank, f'"{include}" is not written from src/'
        assert rank[target] <= rank[folder(path)], f'"{include}" stands below {folder(path)}'


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_foreign_headers_have_one_owner(path):
    for pattern, owners in OWNERS.items():
        if re.search(r"#include " + pattern, path.read_text(encoding="utf-8")):
            assert any(relative(path).startswith(owner) for owner in owners), f"{pattern} belongs to {owners}"


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_catch_stands_in_named_places(path):
    if re.search(r"\bcatch\s*\(", code(path)):
        assert relative(path) in CATCHES


# Each post belongs to a ritual (the log, the capture, the time limit, the wait), which is written once. The second run of
# %%launch --check has a device of its own; to prepare code is not work.
POSTS = {"session/submission.cpp", "interpreter/launches/second_run.cpp", "session/device_code.cpp"}
# The process for host code is another device; its posts are not the session's.
POSTS |= {"session/host/host_worker.cpp", "session/host/mirrors.cpp"}
# Programs have a device of their own.
POSTS |= {"runtime/device_engine.cpp", "runtime/memory_map.cpp", "runtime/texture_objects.cpp"}


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_one_part_of_the_session_posts(path):
    verbs = re.findall(r"virtual void (post_\w+)\(", (SRC / "device/device.hpp").read_text(encoding="utf-8"))
    assert len(verbs) > 8
    if not folder(path).startswith("device") and re.search(rf"\b(?:{'|'.join(verbs)})\s*\(", code(path)):
        assert relative(path) in POSTS


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_no_stdout_in_libraries(path):
    if folder(path) == "programs":
        return
    assert not re.search(r"std::cout|(?<![\w:])(?:std::)?(?:printf|puts)\s*\(", code(path))


OPCODES = re.findall(r'^XCUDA_PTX_INSTRUCTION\(\w+, "(\w+)"', (SRC / "ptx/instructions.def").read_text(encoding="utf-8"), flags=re.M)
# What else these words are, in the folders that read PTX.
OTHER_WORDS = {
    "ptx/ptx_parser.cpp": {"tex"},  # a space of variables
}


@pytest.mark.parametrize("path", [path for path in SOURCES if relative(path).startswith(("ptx/", "device/cpu/", "compiler/texture_uses"))],
                         ids=relative)
def test_opcodes_are_named_by_their_rows(path):
    """A string of C++ that is an opcode, or begins with one (words.def has the modifiers). Text that is PTX is a raw string."""
    assert len(OPCODES) > 130
    text = re.sub(r'R"(\w*)\(.*?\)\1"|//[^\n]*|#include[^\n]*', "", path.read_text(encoding="utf-8"), flags=re.S)
    strings = re.findall(r'"((?:\\.|[^"\\\n])*)"', text)
    found = {text for text in strings if re.match(r"\w*", text)[0] in OPCODES and re.fullmatch(r"\w+(?:[.:]+\w+)*\.?", text)}
    assert found <= OTHER_WORDS.get(relative(path), set())


def test_the_cpu_device_refuses_in_one_place():
    """The pass `refuse`; limits of resources are known later."""
    later = {"device/cpu/emit/register_file.cpp"}
    raisers = {relative(path) for path in SOURCES
               if relative(path).startswith(("device/cpu/lower/", "device/cpu/plan/", "device/cpu/emit/"))
               and "ErrorKind::unsupported" in code(path)}
    assert raisers == {"device/cpu/lower/refuse.cpp"} | later


@pytest.mark.parametrize("path", [*SOURCES, *sorted(SRC.rglob("*.def"))], ids=relative)
def test_files_hold_one_idea(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 450


@pytest.mark.parametrize("room", sorted({path.parent for path in SOURCES}), ids=lambda path: path.relative_to(SRC).as_posix())
def test_folders_hold_one_idea(room):
    assert len(list(room.glob("*.cpp"))) <= 30


def test_file_names_occur_once():
    """A name says which file is meant: in a debugger, in a search, in a conversation."""
    names = {}
    for path in SOURCES:
        names.setdefault(path.name, []).append(relative(path))
    assert not {name: places for name, places in names.items() if len(places) > 1}


# Pages of others that have been there for years. The project has none of its own.
ADDRESSES = (
    "https://docs.nvidia.com/cuda/",
    "https://nvidia.github.io/cuda-python/",
    "https://docs.cupy.dev/en/stable/",
    "https://documen.tician.de/pycuda/",
    "https://nvcc4jupyter.readthedocs.io/",
    "https://vega.github.io/schema/vega-lite/v5.json",
    "http://www.w3.org/",
)
ADDRESS = re.compile(r"https?://[^\s\"'`)<>\\]+")
SHOWN = [ROOT / "CMakeLists.txt", ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md",
         *(path for folder in ("cmake", "docs", "notebooks", "scripts", "share", "src") for path in sorted((ROOT / folder).rglob("*"))
           if path.is_file() and path.suffix not in (".png", ".gif", ".pyc"))]


def test_addresses_are_known_to_exist():
    unknown = [f"{path.relative_to(ROOT)}: {address}" for path in SHOWN
               for address in ADDRESS.findall(path.read_text(encoding="utf-8")) if not address.startswith(ADDRESSES)]
    assert not unknown


def test_nothing_is_left_open():
    left = [f"{relative(path)}: {line.strip()}" for path in SOURCES for line in path.read_text(encoding="utf-8").splitlines()
            if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line)]
    assert not left


# What a native speaker would not say (docs/decisions/messages.md), in messages, comments and documents: "behind" for
# "after", "is no pointer" for "is not a pointer", "stands" for "is".
PHRASES = re.compile(
    r"\bbehind\b"
    r"|(?<!\bthere )(?<!\bis )\bis no (?!longer\b|more than\b|less than\b|better\b)[a-z`{]"
    r"|(?<!\bthere )\b(?:is|are) none\b(?! of)"
    r"|\bstand(?:s|ing)? (?:for|in|at|on|behind|before|below|between|here|there|where|alone|instead|still)\b"
    r"|\bof which\b"
    r"|\bcannot stand\b"
    r"|, and (?:a|an) [a-z]+ is expected\b",
    re.I)
WORDED = [*SOURCES, *(ROOT / "share").rglob("*.txt"), *(ROOT / "share").rglob("*.cuh"), *(ROOT / "docs").rglob("*.md"),
          ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def prose(path):
    """Comments and string literals of a source, the whole of a document; in one line each."""
    text = path.read_text(encoding="utf-8")
    if path.name == "messages.md":  # shows the phrases
        return ""
    if path.suffix in (".cpp", ".hpp", ".cuh"):
        found = re.finditer(r"'(?:\\.|[^'\\\n])'|//+([^\n]*)|\"((?:\\.|[^\"\\\n])*)\"", text)
        text = " ".join(match[1] or match[2] or "" for match in found)
    return re.sub(r"\s+", " ", text)


def test_words_are_plain():
    found = [f"{path.relative_to(ROOT)}: ...{text[max(match.start() - 30, 0):match.end() + 30]}..."
             for path in WORDED if (text := prose(path)) for match in PHRASES.finditer(text)]
    assert not found


# A boolean that is the thing itself and not a choice between two ways: a condition, or a value to keep.
BOOLEANS = {
    "device/cpu/lower/forms.cpp": {"refused"},
    "device/cpu/watch/shadow.cpp": {"condition"},
    "interpreter/host_constants.cpp": {"varies"},
}


def test_no_parameter_is_boolean():
    """f(true) says nothing where it is read: a choice is an enumeration."""
    found = {}
    for path in SOURCES:
        text = re.sub(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", "", path.read_text(encoding="utf-8"))
        if names := set(re.findall(r"[(,]\s*(?:const )?bool (\w+)\s*(?:=\s*\w+\s*)?[,)]", text)):
            found[relative(path)] = names
    assert found == BOOLEANS


def test_constants_have_one_style():
    """kName: constants of namespaces, classes and functions' static ones."""
    wrong = []
    for path in SOURCES:
        for line in path.read_text(encoding="utf-8").splitlines():
            declared = re.match(r"(?:(?:inline |static )*constexpr|\s+static constexpr) [^(={]*?(\w+)(?:\[\w*\])*(?= = |\{| =$)", line)
            if declared and not re.match(r"k[A-Z]", declared.group(1)):
                wrong.append(f"{relative(path)}: {line.strip()}")
    assert not wrong


def public_methods(text):
    """The classes of a header, each with the number of its public methods, without constructors and operators."""
    text = re.sub(r"//[^\n]*", "", text)
    for head in re.finditer(r"\b(class|struct)\s+(\w+)[^;{()]*\{", text):
        depth, at, count, said = 1, head.end(), 0, ""
        public = head.group(1) == "struct"
        while depth and at < len(text):
            letter, at = text[at], at + 1
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if depth != 1:
                continue
            said += letter
            if access := re.search(r"(public|protected|private):$", said):
                public, said = access.group(1) == "public", ""
            elif letter in ";}":
                name = re.search(r"(~?\w+)\(", said)
                count += bool(public and name and name.group(1) not in (head.group(2), "~" + head.group(2)) and
                              not re.match(r"\s*(using|friend|static_assert)\b", said) and "operator" not in said)
                said = ""
        yield head.group(2), count


def test_no_class_has_many_public_methods():
    """The verbs of a device are one specification; those who implement it have as many."""
    many = {name for path in SOURCES if path.suffix == ".hpp"
            for name, count in public_methods(path.read_text(encoding="utf-8")) if count > 25}
    assert many == {"Device", "DeviceSet", "FakeDevice", "RemoteDevice"}


UNIT = ROOT / "tests/unit"
# Folders of src/ whose tests are elsewhere, because what they make can only be judged where it runs.
TESTED_ELSEWHERE = {
    "runtime": "tests/runtime",
    "runtime/driver": "tests/runtime",
    "runtime/graph": "tests/runtime",
    "runtime/memory": "tests/runtime",
    "runtime/jit_link": "tests/runtime",
    "runtime/math": "tests/runtime",
    "runtime/solver": "tests/runtime",
    "device/cpu/emit": "tests/opcodes",
    "device/cpu/emit/families": "tests/opcodes",
    "export": "tests/export",
    "device/mpi": "tests/contract/rank_set_test.cpp",
    "programs": "tests/process",
    "python": "tests/python",
    "shell": "tests/jupyter/test_shell.py",
}


def test_unit_tests_mirror_the_sources():
    """The tests of folder/name.cpp are in tests/unit/folder/name_test.cpp; an idea that several sources share says so first."""
    wrong = []
    for path in sorted(UNIT.rglob("*_test.cpp")):
        place = path.parent.relative_to(UNIT).as_posix()
        name = path.stem.removesuffix("_test")
        if not (SRC / place).is_dir():
            wrong.append(f"{path.relative_to(ROOT)}: there is no src/{place}")
        rooms = [place, *(part for part in PARTS if part.startswith(place + "/"))]
        if not any((SRC / room / f"{name}.{end}").exists() for room in rooms for end in ("cpp", "hpp")) \
                and not path.read_text(encoding="utf-8").startswith("// "):
            wrong.append(f"{path.relative_to(ROOT)}: there is no src/{place}/{name}, and no comment says what it is about")
    assert not wrong


# `make check` finds it too, but CI gets there after half an hour.
@pytest.mark.skipif(shutil.which("clang-format-14") is None, reason="`make check` installs clang-format-14")
def test_files_are_formatted():
    checked = subprocess.run([ROOT / "scripts/format", "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, f"run scripts/format:\n{checked.stderr}"


def test_make_understands_its_file():
    said = subprocess.run(["make", "--dry-run", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stderr == ""


def test_every_folder_has_tests():
    folders = {folder(path) for path in SOURCES if path.suffix == ".cpp"}
    tested = {path.parent.relative_to(UNIT).as_posix() for path in UNIT.rglob("*_test.cpp")}
    tested |= {part for part in PARTS if part.rsplit("/", 1)[0] in tested}
    assert folders - tested == set(TESTED_ELSEWHERE)
    assert all((ROOT / place).exists() for place in TESTED_ELSEWHERE.values())


# A function of the language is one row: what it does, gives and is called in C++ is nowhere else. Words that are spelled
# like one and mean something else:
HOMONYMS = {
    "arrays/random_numbers.cpp": {"exp"},  # of lognormal numbers
    "arrays/sparse.cpp": {"coo", "csr"},  # formats of a matrix
    "arrays/products.cpp": {"relu"},  # what a library does with a product in the same call
    "language/answers.cpp": {"assert"},  # of CUDA's macros
    # Of C++'s library.
    "interpreter/containers/callables.cpp": {"std"},
    "interpreter/containers/container_algorithms.cpp": {"copy", "count", "reduce", "reverse", "sort", "swap", "unique"},
    "language/host/container_rules.cpp": {"count", "reverse", "size", "sort", "swap", "unique"},
    "language/array_members.hpp": {"size"},  # x.size
    "language/constants.cpp": {"max", "min"},  # of std::numeric_limits
    "interpreter/texture_declarations.cpp": {"clamp"},  # an address mode
    "export/program_statements.cpp": {"reduce"},  # files of share/xcuda/program
    "export/program_expressions.cpp": {"transpose"},  # x.T as C++ has it
    "export/program_writer.cpp": {"copy", "reduce", "string"},  # the last: a header
    "command/copy_command.cpp": {"copy"},  # %copy
    "command/scope.cpp": {"string"},
    "interpreter/assertions.cpp": {"atol"},  # a tolerance
    "interpreter/host_calls.cpp": {"atoi", "stof", "stoi"},  # those that give an int
    "interpreter/host/find_host_functions.cpp": {"std", "string"},  # std::string
    "interpreter/host/memory_calls.cpp": {"device"},  # a member of cudaPointerAttributes
    "language/check_statements.cpp": {"sort"},  # x.sort() of Python
    "language/host/text_types.cpp": {"append", "size", "swap"},  # s.size()
    "language/host/vector_types.cpp": {"size"},  # v.size()
    "command/draw/diff_command.cpp": {"diff"},  # %diff
    "command/draw/hist_command.cpp": {"count"},  # of an axis
    "command/magic_arguments.cpp": {"min"},  # minutes
    "command/name_page.cpp": {"device", "size"},  # where a name lives; of a table
    "command/device_command.cpp": {"device"},  # %device
    "command/launch_command.cpp": {"all"},  # --devices all
    "command/system/load_command.cpp": {"load"},  # %load
    "command/program/program_tools.cpp": {"mean"},  # of a column
    "interpreter/composed/convolutions.cpp": {"full"},  # a mode of convolve()
    "editor/cell_names.hpp": {"cg"},  # cooperative_groups
    "editor/completion.cpp": {"device", "max", "min"},  # a kind of word; of std::numeric_limits
    "interpreter/devices/collectives.cpp": {"max", "min", "prod", "sum"},  # what a collective does with the copies
    "editor/member_completion.cpp": {"string"},  # std::string
    "language/functions.cpp": {"max", "min", "transpose"},  # NumPy's names of arguments, and its transpose(x, 1, 0)
    "interpreter/members.cpp": {"transpose"},  # s.T
    "language/habits.cpp": {"copy", "count", "reverse", "unique"},  # of std::
    "language/form.cpp": {"real", "imag"},  # members of std::complex
    "interpreter/native/library_values.cpp": {"min"},  # minutes
    "session/settings.cpp": {"min"},
}


def test_a_function_is_one_row():
    tables = sorted((SRC / "language/functions").glob("*.cpp"))
    rows = "".join(path.read_text(encoding="utf-8") for path in tables)
    composed = set(re.findall(r'\bXCUDA_(?:IN|OF|ROW|SEVERAL)\(\s*(?:"\w*", )?(\w+)', rows))
    names = composed | set(re.findall(r'(?:\.name = "|\bREAL\d?\()(\w+)', rows))
    assert len(names) > 150 and {"sin", "sum", "cover", "cumsum"} <= names
    found = {}
    for path in SOURCES:
        if path in tables or relative(path).split("/")[0] not in ("language", "arrays", "session", "interpreter", "export", "command", "editor"):
            continue
        if relative(path) in ("language/habits_of_numpy.cpp", "language/python/python_builtins.cpp", "language/python/python_calls.cpp", "language/python/draws.cpp", "language/python/parts.cpp", "language/python/python_parser.hpp", "language/python/python_parser.cpp", "language/python/python_new_arrays.cpp", "language/python/python_steps.cpp", "language/python/python_products.cpp", "language/python/python_torch.cpp", "language/python/python_words.cpp", "language/python/python_functions.cpp", "language/python/python_keywords.cpp"):
            continue  # NumPy's names, which are often ours
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        looked_for = composed if folder(path) == "interpreter/composed" else names  # evaluators there apply functions of elements
        if words := looked_for & set(re.findall(r'"(\w+)"', text)):
            found[relative(path)] = words
    assert found == HOMONYMS
