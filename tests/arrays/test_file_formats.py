"""Files that NumPy and Pillow wrote, and those that %save writes as they read them."""
import os

import numpy as np
import pytest
from PIL import Image
from test_numpy import Session

TYPES = {"bool": np.bool_, "uint8_t": np.uint8, "int16_t": np.int16, "int": np.int32, "uint64_t": np.uint64, "half": np.float16,
         "float": np.float32, "double": np.float64, "complex<float>": np.complex64, "complex<double>": np.complex128}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = Session(tmp_path_factory.mktemp("files"))
    yield session
    session.close()


def loaded(session, *texts):
    """What load() makes of files, as .npy."""
    session.run("".join(f"auto loaded_{i} = {text};\n%save loaded_{i} loaded_{i}.npy\n%free loaded_{i}\n" for i, text in enumerate(texts)))
    return [np.load(session.folder / f"loaded_{i}.npy") for i in range(len(texts))]


def equal(ours, expected):
    expected = np.atleast_1d(expected)
    assert ours.dtype == expected.dtype and ours.shape == expected.shape
    np.testing.assert_array_equal(ours, expected)


def of_type(dtype, shape):
    values = np.random.default_rng(3).integers(0, 2 if dtype is np.bool_ else 100, shape)
    return (values * (1.25 - 0.5j)).astype(dtype) if np.issubdtype(dtype, np.complexfloating) else values.astype(dtype)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives_of_numpy(session, save):
    arrays = {f"x{i}": of_type(dtype, (3, 40, 2)) for i, dtype in enumerate(TYPES.values())}
    arrays |= {"columns": np.asfortranarray(of_type(np.float32, (300, 200))), "swapped": of_type(np.float64, (5,)).astype(">f8"), "one": np.float32(2.5)}
    save(session.folder / "all.npz", **arrays)
    save(session.folder / "single.npz", np.arange(6).reshape(2, 3))
    for name, ours in zip(arrays, loaded(session, *(f'load("all.npz", "{name}")' for name in arrays))):
        equal(ours, np.asarray(arrays[name]).astype(np.asarray(arrays[name]).dtype.newbyteorder("=")))
    [ours] = loaded(session, 'load("single.npz")')
    equal(ours, np.arange(6).reshape(2, 3))


def test_archives_are_read_by_numpy(session):
    arrays = {f"x{i}": of_type(dtype, (3, 40)) for i, dtype in enumerate(TYPES.values())}
    session.give(**arrays)
    session.run(f"%save {' '.join(arrays)} ours.npz")
    with np.load(session.folder / "ours.npz") as ours:
        assert sorted(ours) == sorted(arrays)
        for name, expected in arrays.items():
            equal(ours[name], expected)


def test_tables(session):
    table = np.random.default_rng(1).standard_normal((50, 3))
    for delimiter in ",;\t ":
        np.savetxt(session.folder / "x.csv", table, delimiter=delimiter, header="a b c")
        [ours] = loaded(session, 'load("x.csv")')
        equal(ours, np.loadtxt(session.folder / "x.csv", delimiter=delimiter))
    texts = {"names": "time,speed\n1,2\n3,4\n", "missing": "1,,3\n,5,6\n", "row": "1 2 3\n", "column": "1\n2\n3\n", "one": "7\n", "windows": "1,2\r\n3,4\r\n"}
    for name, text in texts.items():
        (session.folder / f"{name}.csv").write_bytes(text.encode())
    for name, ours in zip(texts, loaded(session, *(f'load("{name}.csv")' for name in texts))):
        expected = np.genfromtxt(session.folder / f"{name}.csv", delimiter=None if name == "row" else ",", skip_header=name == "names")
        equal(ours, expected)


def test_text_of_savetxt(session):
    table = np.random.default_rng(2).standard_normal((5, 3))
    np.savetxt(session.folder / "x.txt", table)
    [ours] = loaded(session, 'load("x.txt")')
    equal(ours, table)
    session.run('auto back = load("x.txt");\n%save back back.txt')
    np.testing.assert_array_equal(np.loadtxt(session.folder / "back.txt"), table)


@pytest.mark.parametrize("name", [name for name in TYPES if not name.startswith("complex")])
def test_tables_as_a_type(session, name):
    expected = of_type(TYPES[name], (9, 4))
    np.savetxt(session.folder / "t.csv", expected.astype(np.float64), delimiter=",", fmt="%g")
    session.run(f'{name} t[9][4] = load("t.csv");\n%save t t.npy\n%save t back.csv\n')
    equal(np.load(session.folder / "t.npy"), expected)
    back = np.loadtxt(session.folder / "back.csv", delimiter=",")
    np.testing.assert_array_equal(back, expected)


def test_images_of_pillow(session):
    folder, rng = session.folder, np.random.default_rng(2)
    gray, colour, clear = (rng.integers(0, 256, shape, np.uint8) for shape in ((37, 51), (37, 51, 3), (37, 51, 4)))
    wide = rng.integers(0, 65536, (37, 51), np.uint16)
    expected = {}

    def save(name, pixels, **options):
        Image.fromarray(pixels).save(folder / name, **options)
        expected[name] = np.asarray(Image.open(folder / name)).astype(pixels.dtype)  # Pillow reads no alpha of a BMP

    for ending in ("png", "bmp"):
        save(f"gray.{ending}", gray)
        save(f"colour.{ending}", colour)
        save(f"clear.{ending}", clear)
    save("wide.png", wide)
    save("gray.pgm", gray)
    save("wide.pgm", wide)
    save("colour.ppm", colour)
    Image.fromarray(gray > 100).save(folder / "bits.bmp")
    expected["bits.bmp"] = np.where(gray > 100, 255, 0).astype(np.uint8)
    Image.fromarray(colour).convert("P").save(folder / "palette.png")
    Image.fromarray(colour).convert("P").save(folder / "palette.bmp")
    for name in ("palette.png", "palette.bmp"):
        expected[name] = np.asarray(Image.open(folder / name).convert("RGB"))
    for name, pixels in (("gray.jpg", gray), ("colour.JPG", colour)):
        for progressive in (False, True):
            file = f"{progressive}_{name}"
            Image.fromarray(pixels).save(folder / file, format="jpeg", quality=90, progressive=progressive)
            expected[file] = np.asarray(Image.open(folder / file))
    for name, ours in zip(expected, loaded(session, *(f'load("{name}")' for name in expected))):
        if name.lower().endswith("jpg"):  # Pillow's libjpeg may round otherwise
            assert ours.shape == expected[name].shape
            assert np.abs(ours.astype(int) - expected[name]).max() <= 4, name
        else:
            assert ours.shape == expected[name].shape, name
            equal(ours, expected[name])


def test_images_are_read_by_pillow(session):
    rng = np.random.default_rng(5)
    arrays = {"gray": rng.integers(0, 256, (20, 31), np.uint8), "wide": rng.integers(0, 65536, (20, 31), np.uint16),
              "colour": rng.integers(0, 256, (20, 31, 3), np.uint8), "clear": rng.integers(0, 256, (20, 31, 4), np.uint8)}
    session.give(**arrays)
    for name in ("gray.png", "gray.pgm", "gray.bmp", "wide.png", "wide.pgm", "colour.png", "colour.ppm", "colour.bmp", "clear.png", "clear.bmp"):
        session.run(f"%save {name.split('.')[0]} {name}")
        expected = arrays[name.split(".")[0]]
        np.testing.assert_array_equal(np.asarray(Image.open(session.folder / name)).astype(expected.dtype), expected, err_msg=name)
    smooth = np.add.outer(np.arange(40), np.arange(50)).astype(np.uint8)
    session.give(smooth=smooth)
    session.run("%save smooth smooth.jpeg")
    assert np.abs(np.asarray(Image.open(session.folder / "smooth.jpeg")).astype(int) - smooth).max() <= 4
    assert not [name for name in os.listdir(session.folder) if "part" in name]
