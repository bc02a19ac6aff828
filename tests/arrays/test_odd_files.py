"""Files as they come: in each format's less common forms, damaged, cut off, and named wrongly. Each loads as NumPy or Pillow has it, or is
an error that names it and says what to do; arrays of the session keep their elements.

Some of the places where a file may be cut off; XCUDA_ALL_TYPES=1 takes all."""
import bz2  # noqa: F401, for zipfile
import io
import os
import random
import re
import struct
import zipfile
import zlib

import numpy as np
import pytest
from PIL import Image
from test_numpy import Session

rng = np.random.default_rng(7)
GRAY, COLOUR = rng.integers(0, 256, (5, 7), np.uint8), rng.integers(0, 256, (5, 7, 3), np.uint8)


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("odd"))
    session.run("int kept[3] = {1, 2, 3};")
    yield session
    session.run("assert(sum(kept) == 6 && kept[1] == 2);")
    session.close()


def npy(array, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asanyarray(array), version=version)
    return file.getvalue()


def npy_of(text, body=bytes(64)):
    """With this text as its header."""
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(text) + 1) + text.encode() + b"\n" + body


def image(pixels, form, **options):
    file = io.BytesIO()
    (pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)).save(file, format=form, **options)
    return file.getvalue()


def archive(method=zipfile.ZIP_STORED, comment=b"", **arrays):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as target:
        for name, array in arrays.items():
            target.writestr(f"{name}.npy", npy(array))
        target.comment = comment
    return file.getvalue()


def bitmap(bits, rows, palette=b"", *, height=None, compression=0, offset=None):
    """The rows as they are in the file, each padded to four bytes."""
    body = b"".join(row + b"\0" * (-len(row) % 4) for row in rows)
    begin = 54 + len(palette) if offset is None else offset
    width = len(rows[0]) * 8 // bits
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + len(palette) + len(body), 0, 0, begin, 40, width, len(rows) if height is None else height,
                               1, bits, compression, len(body), 0, 0, len(palette) // 4, 0) + palette + body


GRAYS = bytes(v for i in range(256) for v in (i, i, i, 0))
REDS = bytes(v for i in range(256) for v in (0, 0, i, 0))
ROWS = [b"\1\2\3\4", b"\5\6\7\x08"]

# name: (bytes, what it holds)
RIGHT = {
    "bool.npy": (npy(np.array([[True, False, True]])), np.array([[True, False, True]])),
    "big.npy": (npy(np.array([1, -2, 300], ">i4")), np.array([1, -2, 300], np.int32)),
    "big_complex.npy": (npy(np.array([1 + 2j, -3j], ">c16")), np.array([1 + 2j, -3j])),
    "half.npy": (npy(np.array([1.5, np.inf, np.nan], ">f2")), np.array([1.5, np.inf, np.nan], np.float16)),
    "columns.npy": (npy(np.asfortranarray(GRAY)), GRAY),
    "big_columns.npy": (npy(np.asfortranarray(GRAY.astype(">f8"))), GRAY.astype(np.float64)),
    "three.npy": (npy(np.asfortranarray(COLOUR)), COLOUR),
    "number.npy": (npy(np.float32(2.5)), np.array([2.5], np.float32)),
    "none.npy": (npy(np.zeros((0, 3))), np.zeros((0, 3))),
    "second.npy": (npy(GRAY, (2, 0)), GRAY),
    "third.npy": (npy(GRAY, (3, 0)), GRAY),
    "more.npy": (npy(GRAY) + b"and more", GRAY),
    "UPPER.NPY": (npy(GRAY), GRAY),
    "one.npz": (archive(x=GRAY), GRAY),
    "deflated.npz": (archive(zipfile.ZIP_DEFLATED, x=np.asfortranarray(GRAY)), GRAY),
    "commented.npz": (archive(comment=b"by hand", x=GRAY), GRAY),
    "crlf.csv": (b"1,2\r\n3,4\r\n", np.array([[1.0, 2], [3, 4]])),
    "cr.csv": (b"1,2\r3,4\r", np.array([[1.0, 2], [3, 4]])),
    "open.csv": (b"1,2\n3,4", np.array([[1.0, 2], [3, 4]])),
    "bom.csv": (b"\xef\xbb\xbf1,2\n3,4\n", np.array([[1.0, 2], [3, 4]])),
    "bom_names.csv": (b"\xef\xbb\xbfa,b\r\n1,2\r\n3,4\r\n", np.array([[1.0, 2], [3, 4]])),
    "quoted.csv": (b'"a","b, c"\n"1","2"\n"3", "4"\n', np.array([[1.0, 2], [3, 4]])),
    "semicolons.csv": (b"1;2\n3;4\n", np.array([[1.0, 2], [3, 4]])),
    "tabs.tsv": (b"a\tb\n1\t2\n3\t4\n", np.array([[1.0, 2], [3, 4]])),
    "blanks.csv": (b"  1   2\n 3  4 \n\n\n", np.array([[1.0, 2], [3, 4]])),
    "comments.csv": (b"# by hand\n1,2 # first\n\n#\n3,4\n", np.array([[1.0, 2], [3, 4]])),
    "missing.csv": (b"1,\nNA,4\n", np.array([[1.0, np.nan], [np.nan, 4]])),
    "numbers.csv": (b"1e3,-.5,+2,inf\nnan,0,1E-2,-7.\n", np.array([[1e3, -0.5, 2, np.inf], [np.nan, 0, 0.01, -7]])),
    "comments.pgm": (b"P5 # gray\n# by hand\n3 # wide\n#\n2\n# most\n255\n\1\2\3\4\5\6", np.array([[1, 2, 3], [4, 5, 6]], np.uint8)),
    "text.pgm": (b"P2\n3 2\n# most\n255\n1 2 3\n4 5 6", np.array([[1, 2, 3], [4, 5, 6]], np.uint8)),
    "wide.pgm": (b"P5 2 1 65535\n\1\2\xff\xfe", np.array([[258, 65534]], np.uint16)),
    "wide_text.pgm": (b"P2 2 1 65535 258 65534\n", np.array([[258, 65534]], np.uint16)),
    "odd_most.pgm": (b"P5 3 1 100\n\x00\x32\x64", np.array([[0, 128, 255]], np.uint8)),
    "odd_wide.pgm": (b"P5 2 1 1000\n\x01\xf4\x03\xe8", np.array([[32768, 65535]], np.uint16)),
    "windows.pgm": (b"P5\r\n3 1\r\n255\r\n\1\2\3", np.array([[1, 2, 3]], np.uint8)),
    "bits.pbm": (b"P4 10 1\n\x80\x40", np.where([[1] + 8 * [0] + [1]], 0, 255).astype(np.uint8)),
    "bits_text.pbm": (b"P1\n3 2\n0 1 0\n# below\n110", np.array([[255, 0, 255], [0, 0, 255]], np.uint8)),
    "colour.ppm": (b"P6 2 1 255\n\1\2\3\4\5\6", np.array([[[1, 2, 3], [4, 5, 6]]], np.uint8)),
    "colour.pnm": (b"P3 2 1 255 1 2 3 4 5 6", np.array([[[1, 2, 3], [4, 5, 6]]], np.uint8)),
    "gray8.bmp": (bitmap(8, ROWS, GRAYS), np.array([[5, 6, 7, 8], [1, 2, 3, 4]], np.uint8)),
    "top_down.bmp": (bitmap(8, ROWS, GRAYS, height=-2), np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.uint8)),
    "palette.bmp": (bitmap(8, ROWS, REDS)[:], np.array([[[v, 0, 0] for v in row] for row in ([5, 6, 7, 8], [1, 2, 3, 4])], np.uint8)),
    "gap.bmp": (bitmap(8, ROWS, GRAYS, offset=54 + 1024 + 8)[:54 + 1024] + b"gap.gap." + b"\1\2\3\4\5\6\7\x08", np.array([[5, 6, 7, 8], [1, 2, 3, 4]], np.uint8)),
    "pillow.bmp": (image(COLOUR, "BMP"), COLOUR),
    "bits.png": (image(Image.fromarray(GRAY > 99), "PNG"), np.where(GRAY > 99, 255, 0).astype(np.uint8)),
    "palette.png": (image(Image.fromarray(COLOUR).quantize(4), "PNG"), np.asarray(Image.fromarray(COLOUR).quantize(4).convert("RGB"))),
    "gray.png": (image(GRAY, "PNG"), GRAY),
    "gray.jpg": (image(np.full((8, 16), 77, np.uint8), "JPEG"), np.full((8, 16), 77, np.uint8)),
    "progressive.jpg": (image(np.full((8, 16, 3), 77, np.uint8), "JPEG", progressive=True), np.full((8, 16, 3), 77, np.uint8)),
}


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


PNG = image(GRAY, "PNG")
# name: (bytes, what the error says)
WRONG = {
    "empty.npy": (b"", "not a .npy file"),
    "text.npy": (b"1,2,3\n", "not a .npy file"),
    "records.npy": (npy(np.zeros(3, [("a", "f4"), ("b", "i4")])), "records"),
    "objects.npy": (npy(np.array([None, 1], object)), "Python objects"),
    "words.npy": (npy(np.array(["ab", "c"])), "<U2"),
    "dates.npy": (npy(np.array(["2020-01-01"], "M8[D]")), "<M8"),
    "extended.npy": (npy(np.zeros(2, np.longdouble)), "<f16"),
    "version.npy": (npy(GRAY)[:6] + b"\x09" + npy(GRAY)[7:], "version 9"),
    "huge.npy": (npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (500000000000, 7)}"), "promises"),
    "wrapped.npy": (npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"), "overflow"),
    "negative.npy": (npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (-5, 7)}"), "header"),
    "untyped.npy": (npy_of("{'fortran_order': False, 'shape': (5, 7)}"), "header"),
    "unclosed.npy": (npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (5, 7)"), "header"),
    "more_keys.npy": (npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'units': 'm'}"), "unknown key"),
    "several.npz": (archive(x=GRAY, y=GRAY), "holds 2 arrays: x, y"),
    "empty.npz": (b"", "too short"),
    "text.npz": (b"1,2,3\n" * 20, "zip archive"),
    "nothing.npz": (archive(), "holds no arrays"),
    "method.npz": (archive(zipfile.ZIP_BZIP2, x=GRAY), "method 12"),
    "ragged.csv": (b"1,2\n3\n", "line 2 has 1 number, but line 1 has 2"),
    "longer.csv": (b"1,2\n3,4,5\n", "line 2 has 3 numbers"),
    "words.csv": (b"1,2\n3,four\n", "line 2, column 2"),
    "comma.csv": (b"1,5;2\n3,5;4\n", "not a number"),
    "thousands.csv": (b'"1,000",2\n"2,000",3\n', "not a number"),
    "wide.csv": ("1,2\n3,4\n".encode("utf-16"), "UTF-16"),
    "image.csv": (PNG, "not text"),
    "empty.pgm": (b"", "P1 to P6"),
    "pam.pnm": (b"P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n\1\2", "P1 to P6"),
    "no_most.pgm": (b"P5 3 1\n", "missing"),
    "zero_most.pgm": (b"P5 3 1 0\n\1\2\3", "largest sample is 0"),
    "great_most.pgm": (b"P5 3 1 65536\n\1\2\3\4\5\6", "65536"),
    "no_pixels.pgm": (b"P5 0 3 255\n", "no pixels"),
    "negative.pgm": (b"P5 -3 1 255\n\1\2\3", "missing"),
    "huge.ppm": (b"P6 4294967295 4294967295 255\n\1\2\3", "ends before"),
    "huger.ppm": (b"P6 99999999999 1 255\n\1\2\3", "too large"),
    "short.ppm": (b"P6 2 1 255\n\1\2\3\4\5", "ends before"),
    "over.pgm": (b"P5 2 1 100\n\1\x65", "more than 100"),
    "letters.pbm": (b"P1 3 1\n01x", "not 0 or 1"),
    "unparted.pgm": (b"P5 3 1 255x\1\2\3", "blank is missing"),
    "empty.bmp": (b"", "BM"),
    "packed.bmp": (bitmap(8, ROWS, GRAYS, compression=1), "compressed"),
    "beyond.bmp": (bitmap(8, [b"\1\2\3\x09", b"\5\6\7\x08"], GRAYS[:32]), "8 colours"),
    "early.bmp": (bitmap(8, ROWS, GRAYS, offset=20), "in its header"),
    "flat.bmp": (bitmap(8, ROWS, GRAYS, height=0), "pixels"),
    "tall.bmp": (bitmap(8, ROWS, GRAYS, height=2000000000), "ends before"),
    "empty.png": (b"", "begin like one"),
    "gray.png": (image(np.full((8, 8), 7, np.uint8), "JPEG"), "begin like one"),
    "damaged.png": (PNG[:60] + b"\xff\xff" + PNG[62:], ""),
    "huge.png": (PNG[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 60000, 60000, 8, 0, 0, 0, 0)) + PNG[33:], "cannot hold that"),
    "no_image.png": (PNG[:33] + chunk(b"IEND", b""), ""),
    "empty.jpg": (b"", ""),
    "png.jpg": (PNG, ""),
    "raw.bin": (b"\1\2\3", "Declare it"),
    "names.csv": (b"a,b\n", "no elements"),
    "empty.csv": (b"", "no elements"),
    "cmyk.jpg": (image(Image.new("CMYK", (8, 8)), "JPEG"), "CMYK"),
}


def ask(session, code):
    """The text of its error; nothing where there is none."""
    text = []
    reply = session.client.execute_interactive(code, timeout=120, output_hook=lambda m: text.extend(m["content"].get("traceback", [])))
    return None if reply["content"]["status"] == "ok" else re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(text))


def what_is_missing(name, error):
    """Of an error about a file."""
    if "InternalError" in error or "crashed" in error:
        return "an internal error"
    return "" if name in error and "try: " in error else "the name or what to do"


def test_less_common_forms_are_read(session):
    wrong = []
    for name, (file, expected) in RIGHT.items():
        (session.folder / name).write_bytes(file)
        if error := ask(session, f'auto odd = load("{name}");\n%save odd odd.npy'):
            wrong.append(f"{name}: {error}")
            continue
        ours = np.load(session.folder / "odd.npy")
        if ours.dtype != expected.dtype or ours.shape != expected.shape or not np.array_equal(ours, expected, equal_nan=expected.dtype.kind in "fc"):
            wrong.append(f"{name}: {ours.dtype}{ours.shape} {ours.tolist()}, not {expected.dtype}{expected.shape} {expected.tolist()}")
    assert not wrong, "\n\n".join(wrong)


def test_what_is_wrong_with_a_file_is_said(session):
    wrong = []
    session.run("float target[5] = 7;")
    for name, (file, said) in WRONG.items():
        (session.folder / name).write_bytes(file)
        error = ask(session, f'auto bad = load("{name}");') or "loaded"
        if said not in error or (problem := what_is_missing(name, error)):
            wrong.append(f"{name}: {problem if said in error else said} is missing in: {error}")
        ask(session, f'target = load("{name}");')
    session.run("assert(target == 7);")
    assert not wrong, "\n\n".join(wrong)


CUT = ["big_columns.npy", "deflated.npz", "commented.npz", "quoted.csv", "wide.pgm", "bits_text.pbm", "colour.ppm", "palette.bmp", "pillow.bmp", "palette.png",
       "gray.jpg", "progressive.jpg"]


@pytest.mark.timeout(1800 if os.environ.get("XCUDA_ALL_TYPES") else 300)
@pytest.mark.parametrize("name", CUT)
def test_files_that_are_cut_off(session, name):
    file, expected = RIGHT[name]
    choice = random.Random(f"{os.environ.get('XCUDA_SEED', '1')} {name}")
    lengths = range(len(file)) if os.environ.get("XCUDA_ALL_TYPES") else sorted(choice.sample(range(len(file)), min(12, len(file))))
    wrong = []
    for length in lengths:
        cut = f"cut{length}_{name}"
        (session.folder / cut).write_bytes(file[:length])
        error = ask(session, f'auto cut = load("{cut}");\n%save cut cut.npy')
        if error:
            problem = what_is_missing(cut, error)
            if problem:
                wrong.append(f"{length}: {problem} is missing in: {error}")
        elif not name.endswith((".csv", ".pbm")):  # of text, the first lines are a table, too
            ours = np.load(session.folder / "cut.npy")
            if not np.array_equal(ours, expected):  # what is cut off means nothing
                wrong.append(f"{length} of {len(file)} bytes: loaded as {ours.tolist()}")
    assert not wrong, f"{len(wrong)} of {len(lengths)}:\n" + "\n\n".join(wrong)


def test_places_that_cannot_be_read_or_written(session):
    folder = session.folder
    (folder / "folder.npy").mkdir(exist_ok=True)
    (folder / "five.bin").write_bytes(b"12345")
    np.save(folder / "three.npy", np.zeros(3))
    session.run("float real[4][5] = 1;\nfloat deep[2][2][2] = 1;\nuint8_t pixels[4][5] = 1;")
    for code, name in [('auto f = load("nowhere.npy");', "nowhere.npy"), ('auto f = load("folder.npy");', "folder.npy"), ('float f[2] = load("five.bin");', "five.bin"),
                       ('float f[4] = load("three.npy");', "three.npy"), ('int f[3] = load("three.npy");', "three.npy"), ("%save real real.png", "png"),
                       ("%save deep deep.csv", "csv"), ("%save deep deep.jpg", "jpg"), ("%save pixels nowhere/x.npy", "nowhere"), ("%save pixels folder.npy", "folder.npy"),
                       ("%save nothing x.npy", "nothing"), ("%save real pixels two.npy", "npz"), ('auto f = load("three.npy", "x");', "three.npy")]:
        error = ask(session, code)
        assert error and name in error and not what_is_missing(name, error), f"{code}: {error}"
    assert not [name for name in os.listdir(folder) if name.endswith(".part")]
