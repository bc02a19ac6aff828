"""What displays say of a GPU: bandwidth as an upper limit, its own roof, occupancy, timelines, the device, errors."""
import re

import pytest
from conftest import Kernel, gpus

pytestmark = pytest.mark.skipif(not gpus(), reason="no GPU on this machine")

KERNELS = """%%kernel
__global__ void copy(float* to, const float* from, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
__global__ void twice(float* x, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
__global__ void first(float* x, float y) { x[threadIdx.x] += y; }
__global__ void shares(float* x) {
  __shared__ float all[10240];
  all[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = all[(threadIdx.x * 7) % 128];
}
__global__ void checked(int* x) { assert(threadIdx.x < 5 || x[threadIdx.x] != 0); }
__global__ void far(int* x) { x[(1ll << 40) + threadIdx.x] = 1; }"""
ARRAYS = "const size_t n = 1 << 26;\nfloat x[n] = 1, y[n], small[1024] = 1;\nint zeros[32];"


def schema(name):
    return f"application/vnd.xcuda.{name}+json"


@pytest.fixture(scope="module")
def kernel():
    made = Kernel()
    for cell in (KERNELS, ARRAYS):
        status, text = made.run(cell)
        assert status == "ok", text
    yield made
    made.close()


def shown(kernel, code, name):
    """The text of a cell, and the one output of it that has a JSON form of this name."""
    found, texts = [], []

    def hook(message):
        data = message["content"].get("data", {})
        texts.append(data.get("text/plain") or message["content"].get("text") or "\n".join(message["content"].get("traceback", [])))
        if schema(name) in data:
            found.append(data)

    reply = kernel.client.execute_interactive(code, timeout=120, output_hook=hook)["content"]
    print("\n".join(texts))
    assert reply["status"] == "ok" and len(found) == 1, texts
    return "\n".join(texts), found[0][schema(name)], found[0]


def test_bandwidth_is_marked_as_a_limit_and_below_the_peak(kernel):
    text, report, data = shown(kernel, "%%launch --repeat 20\ncopy<<<n / 256, 256>>>(y, x, n);", "launch")
    launch = report["launches"][0]
    assert launch["traffic"] == 2 * 4 * (1 << 26)
    assert 0 < launch["bandwidth"] < report["peak_bandwidth"] and launch["of_peak"] < 1
    assert re.search(r"≤ [\d.,]+ [GT]B/s, \d", text) and "≤" in data["text/html"]


def test_traffic_in_place_counts_twice(kernel):
    _, report, _ = shown(kernel, "%%launch --repeat 5\ntwice<<<n / 256, 256>>>(x, n);", "launch")
    launch = report["launches"][0]
    assert launch["bytes"] == 4 * (1 << 26) and launch["traffic"] == 2 * launch["bytes"]
    assert launch["bandwidth"] < report["peak_bandwidth"]


def test_no_bandwidth_is_shown_over_the_peak(kernel):
    text, report, _ = shown(kernel, "%%launch --repeat 5\nfirst<<<1, 32>>>(x, 1);", "launch")
    assert "bandwidth" not in report["launches"][0]
    assert "bandwidth" not in text and len(re.findall(r"[GT]B/s", text)) == 1  # the peak, below the table


def test_a_launch_report_has_registers_and_occupancy(kernel):
    text, report, _ = shown(kernel, "%launch shares<<<1, 128>>>(small);", "launch")
    launch = report["launches"][0]
    assert launch["registers"] > 0 and launch["shared_bytes"] == 40960
    assert launch["occupancy"]["limiter"] == "shared memory" and 0 < launch["occupancy"]["fraction"] < 0.5
    assert "registers" in text and "40.0 KiB" in text and "occupancy" in text


def test_occupancy_of_each_block_size(kernel):
    text, report, _ = shown(kernel, "%occupancy shares", "occupancy")
    blocks = {row["block"]: row for row in report["blocks"]}
    assert report["static_shared"] == 40960 and blocks[128]["limiter"] == "shared memory"
    _, launched, _ = shown(kernel, "%launch shares<<<1, 128>>>(small);", "launch")
    assert launched["launches"][0]["occupancy"]["fraction"] == blocks[128]["fraction"]
    # Shared memory limits the number of blocks, so that large ones fill a multiprocessor better.
    assert blocks[128]["blocks_per_multiprocessor"] == blocks[256]["blocks_per_multiprocessor"]
    assert blocks[256]["fraction"] == pytest.approx(2 * blocks[128]["fraction"])
    assert "best" in text
    _, report, _ = shown(kernel, "%occupancy copy", "occupancy")
    blocks = {row["block"]: row for row in report["blocks"]}
    assert blocks[256]["fraction"] == 1 and blocks[32]["fraction"] < 1 and blocks[32]["limiter"] == "blocks"


def test_the_measured_roof_is_below_the_peak_of_the_data_sheet(kernel):
    flops = 1 << 26
    text, report, _ = shown(kernel, f"%%roofline --flops {flops} --measure\ntwice<<<n / 256, 256>>>(x, n);", "chart")
    roof = next(series for series in report["series"] if series["label"].startswith("measured roof"))
    print(roof)
    assert "above it" not in text and "memory" in text
    rate, unit = re.search(r", ([\d.,]+) ([GT])B/s", roof["label"]).groups()
    measured = float(rate.replace(",", "")) * {"G": 1e9, "T": 1e12}[unit]
    _, device, _ = shown(kernel, "%device", "device")
    current = next(one for one in device["devices"] if one["state"] == "current")
    assert 0 < measured < current["peak_bandwidth"]


def test_a_roofline_of_the_data_sheet(kernel):
    text, report, _ = shown(kernel, f"%%roofline --flops {1 << 26}\ntwice<<<n / 256, 256>>>(x, n);", "chart")
    assert "above it" not in text and "memory" in text
    assert [series["label"].split(":")[0] for series in report["series"]] == ["roof", "twice"]


def test_bench_ranks_its_contenders(kernel):
    text, report, _ = shown(kernel, "%%bench\ncopy<<<n / 256, 256>>>(y, x, n);\ncopy<<<n / 256, 256>>>(y, x, n);\nfirst<<<1, 32>>>(x, 1);", "bench")
    copy, again, first = report["contenders"]
    assert {one["clock"] for one in report["contenders"]} == {"device"}
    assert first["relative"] == 1 and copy["beside_fastest"] == again["beside_fastest"] == "different"
    assert "fastest" in text


def test_a_timeline_has_streams_copies_launches_and_graphs(kernel):
    cell = """%%timeline
stream a, b;
for (int i = 0; i < 3; ++i) {
  copy<<<n / 256, 256, 0, a>>>(y, x, n);
  first<<<1, 32, 0, b>>>(small, 1);
}
y = 0;
%copy x y"""
    text, report, data = shown(kernel, cell, "timeline")
    assert {"a", "b"} <= set(report["streams"]) and "NVIDIA" in report["device"]
    by_stream = {}
    for bar in report["bars"]:
        assert 0 <= bar["begin"] <= bar["end"] <= report["total"]
        by_stream.setdefault(bar["stream"], []).append(bar)
    assert [bar["label"] for bar in by_stream["a"]] == ["copy"] * 3 and len(by_stream["b"]) == 3
    for bars in by_stream.values():  # work of a stream follows in order
        for before, after in zip(bars, bars[1:]):
            assert before["end"] <= after["begin"]
    assert any(bar.get("bytes") == 4 << 26 for bar in report["bars"])
    assert report["together"] <= report["busy"] <= report["total"]
    assert "image/svg+xml" in data and "application/pdf" in data


def test_the_device_is_described(kernel):
    text, report, data = shown(kernel, "%device", "device")
    current = next(one for one in report["devices"] if one["state"] == "current")
    assert current["kind"] == "cuda" and current["uuid"].startswith("GPU-")
    assert current["multiprocessors"] > 0 and current["peak_bandwidth"] > 0
    assert 0 < current["memory_free"] < current["memory_total"] and current["array_bytes"] >= 8 << 26
    assert current["board"]["temperature"] > 0 and "°C" in text
    assert current["name"] in text and "xc-meter" in data["text/html"]


def test_failing_threads_of_an_assert_are_told_once(kernel):
    status, text = kernel.run("checked<<<1, 32>>>(zeros);")
    print(text)
    assert status == "error"
    assert text.count("Assertion") + text.count("failed") < 8  # and not a line for each of 27 threads
    assert re.search(r"27 of 32 threads", text) and "5 to 31" in text
    assert "| __global__ void checked(int* x) { assert(" in text
    assert kernel.run("assert(zeros[31] == 0);")[0] == "ok"


def test_an_illegal_address_lists_only_what_it_may_have_written(kernel):
    status, text = kernel.run("far<<<1, 32>>>(zeros);")
    print(text)
    assert status == "error" and text.count("far<<<1, 32>>>") == 2  # what failed, and its line
    # It may have written through its argument only, so that no other array is listed.
    assert "small" not in text and re.search(r"\bzeros\b", text)
    assert kernel.run("assert(zeros[31] == 0);")[0] == "ok"


def test_a_difference_is_found_on_the_device(kernel):
    _, report, _ = shown(kernel, "float p[3000][1000] = 1, q[3000][1000] = 1;\nq[2017][13] = 1.5f;\n%diff p q", "difference")
    assert report["different"] == 1 and report["absolute"]["index"] == 2017 * 1000 + 13
    assert (report["absolute"]["error"], report["absolute"]["a"], report["absolute"]["b"]) == (0.5, "1.0", "1.5")
    assert report["ulps"]["error"] == 1 << 22
