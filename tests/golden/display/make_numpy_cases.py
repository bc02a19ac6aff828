"""Writes numpy_cases.json: arrays and what NumPy prints for them, which display must print too.

Run with NumPy 2.3 or newer after a change of the cases: python3 make_numpy_cases.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(7)
cases = []


def case(name, array):
    array = np.asarray(array)
    fields = [
        {"name": key, "dtype": array.dtype[key].base.name, "offset": array.dtype.fields[key][1],
         "count": int(np.prod(array.dtype[key].shape, dtype=int))}
        for key in array.dtype.names or []
    ]
    cases.append({"name": name, "dtype": array.dtype.name if not fields else "record", "size": array.dtype.itemsize,
                  "shape": list(array.shape), "hex": array.tobytes().hex(), "fields": fields, "text": str(array)})


case("zeros", np.zeros(5, np.float32))
case("ones in two dimensions", np.ones((2, 3)))
case("tenths", np.arange(10, dtype=np.float32) / 10)
case("thirds", np.arange(7) / 3)
case("thirds of float", (np.arange(7) / 3).astype(np.float32))
case("large and small", np.array([1e-5, 1.0, 123456.0]))
case("ratio of 1000", np.array([0.01, 10.0, 5.0], np.float32))
case("ratio over 1000", np.array([0.0099, 10.0, 5.0], np.float32))
case("smallest positional", np.array([0.0001, 0.05], np.float32))
case("below the smallest positional", np.array([0.00009, 0.05]))
case("a million of float", np.array([1e6, 1.5], np.float32))
case("below a million of float", np.array([999999.0, 1000.5], np.float32))
case("hundred million", np.array([1e8, 2e8]))
case("exponent of three digits", np.array([1e-300, 1.5e200, -2.25]))
case("extremes of float", np.array([np.finfo(np.float32).max, np.finfo(np.float32).tiny, 1.4e-45], np.float32))
case("extremes of double", np.array([np.finfo(np.float64).max, np.finfo(np.float64).tiny, 5e-324]))
case("negative zero", np.array([-0.0, 0.0, -1.0]))
case("nan", np.array([np.nan, 1.0, 2.5], np.float32))
case("nan and inf", np.array([np.nan, np.inf, -np.inf, 0.125], np.float32))
case("only nan", np.array([np.nan, np.nan]))
case("only inf", np.array([np.inf, -np.inf]))
case("inf with exponents", np.array([np.inf, -1e-9, np.nan, 3e7]))
case("empty", np.zeros(0, np.float32))
case("empty in two dimensions", np.zeros((0, 3), np.float32))
case("one element", np.array([0.1], np.float32))
case("without dimensions", np.array(0.1, np.float32))
case("integer without dimensions", np.array(-5, np.int32))
case("wrapped floats", rng.random(40, np.float32))
case("wrapped doubles", rng.normal(size=33))
case("rounded to even", np.array([0.000000005, 0.123456785, 2.5, 1.000000015]) * 1000)
case("matrix", rng.random((4, 5)))
case("matrix of floats", rng.normal(size=(6, 4)).astype(np.float32))
case("three dimensions", np.arange(24).reshape(2, 3, 4))
case("four dimensions", np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2) / 8)
case("integers", np.array([-100, 5, 77777]))
case("bytes", np.arange(0, 256, 5, dtype=np.uint8))
case("extremes of int64", np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max]))
case("extremes of uint64", np.array([0, np.iinfo(np.uint64).max], np.uint64))
case("bool", np.array([True, False, True]))
case("bool matrix", rng.random((3, 4)) < 0.5)
case("half", np.array([0.1, 1 / 3, 65504, 6e-8, -2], np.float16))
case("half, positional", np.array([0.1, 1 / 3, 100.25, 999.5], np.float16))
case("half, thousand", np.array([1000, 2048], np.float16))
case("complex", np.array([1 + 2j, 0.5 - 0.25j, -3j], np.complex64))
case("complex double", rng.normal(size=6) + 1j * rng.normal(size=6))
case("complex nan", np.array([complex(np.nan, 1), complex(1, -np.inf), 2j]))
case("complex with exponents", np.array([1e-9 + 2j, 1e9 - 3e-5j]))
case("record", np.array([(1, 0.5), (200, -0.25)], [("id", np.int32), ("w", np.float32)]))
case("record with an array", np.array([(1, [0.5, 1, 2]), (2, [3, 4.25, -5])], [("id", np.uint8), ("v", np.float64, 3)]))
case("record of one", np.array([(1,), (2,)], [("id", np.int16)]))
case("threshold", np.arange(1000, dtype=np.int16))
case("summarised", np.arange(1001, dtype=np.int16))
case("summarised floats", (np.arange(1200) / 7).astype(np.float32))
case("summarised matrix", np.arange(40 * 30, dtype=np.int16).reshape(40, 30))
case("summarised rows", np.arange(400 * 3, dtype=np.int16).reshape(400, 3))
case("summarised columns", np.arange(6 * 200, dtype=np.int16).reshape(6, 200))
case("summarised cube", np.arange(12 * 11 * 10, dtype=np.int16).reshape(12, 11, 10))
case("summarised four dimensions", np.arange(8 * 2 * 9 * 8, dtype=np.int16).reshape(8, 2, 9, 8))
case("summarised records", np.array([(i, i / 8) for i in range(1001)], [("id", np.int32), ("w", np.float32)]))
for i in range(40):
    kind = [np.float16, np.float32, np.float64][i % 3]
    scale = 10.0 ** rng.integers(-6, 7)
    values = rng.normal(scale=scale, size=rng.integers(1, 14))
    with np.errstate(over="ignore"):
        case(f"random {i}", np.round(values, rng.integers(0, 9)).astype(kind) if i % 2 else values.astype(kind))
for i in range(20):
    kind = [np.float32, np.float64][i % 2]
    bits = rng.integers(0, 2**32 if kind is np.float32 else 2**63, size=4, dtype=np.uint64)
    case(f"random bits {i}", bits.astype(np.uint32).view(np.float32) if kind is np.float32 else bits.view(np.float64))

path = pathlib.Path(__file__).with_name("numpy_cases.json")
path.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in cases) + "\n]\n")
print(f"{len(cases)} cases, {path.stat().st_size} bytes, NumPy {np.__version__}")
