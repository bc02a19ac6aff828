// One value of each kind that is shown, for the golden files and for a page to look at.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "display/array_view.hpp"
#include "display/assembly_view.hpp"
#include "display/bench_report.hpp"
#include "display/chart/chart.hpp"
#include "display/compile_report.hpp"
#include "display/device_report.hpp"
#include "display/error_report.hpp"
#include "display/kernel_view.hpp"
#include "display/launch_report.hpp"
#include "display/table.hpp"

namespace xcuda::display::samples {

template <class T> std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The shown elements of an array of floats whose element i is value(i).
template <class Value> ArrayView floats(std::string name, std::vector<std::uint64_t> shape, Value value) {
  ArrayView view{
      .name = std::move(name), .type = *find_type("float"), .shape = std::move(shape), .device = "NVIDIA H200"};
  std::vector<float> shown;
  view.bytes = 4;
  for (const auto extent : view.shape) view.bytes *= extent;
  for (const auto& range : shown_ranges(view.shape))
    for (auto i = range.first; i < range.first + range.count; ++i)
      shown.push_back(static_cast<float>(value(static_cast<double>(i))));
  view.elements = bytes_of(shown);
  return view;
}

inline ArrayView big_array() {
  auto view = floats("x", {16777216}, [](double i) { return i / 16777216; });
  view.statistics = {ArrayStatistics{.min = 0.0, .max = 0.99999994, .mean = 0.49999997, .std = 0.28867513}};
  for (int i = 0; i < 16; ++i) view.strip.push_back(i == 5 ? std::nanf("") : static_cast<float>(i));
  return view;
}

inline ArrayView matrix() {
  auto view = floats("grid", {512, 300}, [](double i) { return i * 0.25 - 100; });
  view.statistics = {
      ArrayStatistics{.min = -100.0, .max = 38299.75, .mean = 19099.875, .std = 11085.13, .nans = 12, .infinities = 1}};
  return view;
}

inline ArrayView records() {
  struct Particle {
    float x, y;
    std::int32_t id;
    float v[2];
  };
  const std::vector<Particle> particles = {{0.5F, -1, 7, {1, 2}}, {12.25F, 3, 8, {0, -0.125F}}, {-7, 1e-3F, 9, {3, 4}}};
  const auto real = *find_type("float");
  return {.name = "p",
          .type = {"demo::Particle", 20, 4},
          .shape = {3},
          .device = "NVIDIA H200",
          .bytes = 60,
          .elements = bytes_of(particles),
          .fields = {{"x", real, 0}, {"y", real, 4}, {"id", *find_type("int"), 8}, {"v", real, 12, 2}}};
}

inline ArrayView one_record() {
  auto view = records();
  view.name.clear();
  view.shape.clear();
  view.elements.resize(view.type.size);
  return view;
}

inline ArrayView truths() {
  return {
      .name = "mask",
      .type = *find_type("bool"),
      .shape = {2, 3},
      .bytes = 6,
      .elements = bytes_of<std::uint8_t>({1, 0, 0, 0, 1, 0}),
      .statistics = {ArrayStatistics{.min = std::int64_t{0}, .max = std::int64_t{1}, .mean = 1.0 / 3, .std = 0.47}}};
}

inline device::FunctionInfo function(std::string entry) {
  device::FunctionInfo info;
  info.entry = std::move(entry);
  info.registers = 16;
  info.max_threads_per_block = 1024;
  return info;
}

inline LaunchReport one_launch() {
  LaunchView launch{.kernel = "saxpy", .source = "In[3]", .line = 2, .grid = {32768}, .block = {512}, .times = {45200}};
  launch.arguments = {
      {"x", "x", 67108864, true, false}, {"y", "y", 67108864, true, false}, {"out", "out", 67108864, false, true}};
  launch.function = function("_Z5saxpyfPKfS0_Pfm");
  launch.occupancy = device::Occupancy{4, 1.0, ""};
  return {.launches = {launch}, .device = "NVIDIA H200", .peak_bandwidth = 4.8e12};
}

inline LaunchReport several_launches() {
  auto report = one_launch();
  report.launches[0].times = {45200, 45100, 46000, 47000, 45150, 45160, 45220, 45190, 45210, 45310};
  report.launches[0].launches = 10;
  report.launches[0].warmup = 1;
  report.launches[0].notes = {"10 runs after 1 to warm up; out was put back between them"};
  LaunchView tiled{.kernel = "matmul<float>",
                   .source = "In[3]",
                   .line = 3,
                   .grid = {32, 32},
                   .block = {16, 16},
                   .dynamic_shared = 2048,
                   .times = {9870000}};
  tiled.arguments = {{"a", "", 1 << 20, true, false}};
  tiled.function = function("_Z6matmulIfEvPKT_S2_PS0_i");
  tiled.function->registers = 128;
  tiled.function->shared_bytes = 2048;
  tiled.function->local_bytes = 96;
  tiled.function->spills = ptx::Spills{88, 132};
  tiled.occupancy = device::Occupancy{2, 0.25, "registers"};
  report.launches.push_back(tiled);
  return report;
}

// Two that only noise tells apart, and one that is slower.
inline BenchReport ranked_bench() {
  BenchReport report{.device = "NVIDIA H200", .warmup = 1};
  report.contenders.push_back({"a<<<4, 256>>>(x)", "In[4]", 2, {5010, 5030, 5050, 5020, 5000, 5040, 5060, 5900}});
  report.contenders.push_back({"b<<<4, 256>>>(x)", "In[4]", 3, {5000, 5020, 5040, 5015, 4990, 5035, 5055, 5100}});
  report.contenders.push_back({"c<<<4, 256>>>(x)", "In[4]", 4, {6010, 6030, 6050, 6020, 6000, 6040, 6060, 6100}});
  return report;
}

inline BenchReport bench() {
  BenchReport report{.device = "NVIDIA H200", .warmup = 2};
  report.contenders.push_back({"scale<<<4, 256>>>(x, 2.0f, n)", "In[4]", 2, {5000, 5100, 4900}});
  report.contenders.push_back({"{ for (int i = 0; i < 3; ++i) scale<<<4, 256>>>(x, 2, n); }",
                               "In[4]",
                               3,
                               {17000, 18000, 16000},
                               Contender::Clock::host});
  return report;
}

inline compiler::Diagnostic diagnostic(compiler::Severity severity, std::string text, Place place) {
  compiler::Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.text = std::move(text);
  diagnostic.place = std::move(place);
  return diagnostic;
}

inline compiler::KernelSignature saxpy_signature() {
  compiler::KernelSignature signature{.name = "saxpy", .entry = "_Z5saxpyfPKfS0_Pfm", .line = 1};
  const auto pointer = [](std::string name, std::string type, std::uint32_t offset) {
    return compiler::Parameter{
        .name = std::move(name), .type = std::move(type), .pointer = true, .offset = offset, .size = 8, .alignment = 8};
  };
  signature.parameters = {
      {.name = "a", .type = "float", .size = 4, .alignment = 4},
      pointer("x", "float const*", 8),
      pointer("y", "float const*", 16),
      pointer("out", "float*", 24),
      {.name = "n", .type = "unsigned long", .written = "size_t", .offset = 32, .size = 8, .alignment = 8}};
  return signature;
}

inline CompileView compile() {
  CompileView view;
  view.output.ok = true;
  view.output.name = "/In[2]";
  view.output.architecture = "sm_90";
  view.output.nvrtc_version = "13.0";
  view.output.options = {"--gpu-architecture=sm_90", "--std=c++17", "--fmad=false"};
  view.output.phases = {.prepare = 400000, .nvrtc = 19800000, .signatures = 300000, .total = 20600000};
  view.output.kernels = {saxpy_signature()};
  auto warning = diagnostic(compiler::Severity::warning, "variable \"unused\" was declared but never referenced",
                            {.source = "/In[2]", .line = 2, .column = 7, .width = 6, .excerpt = "  int unused;"});
  warning.code = "177-D";
  view.output.diagnostics = {warning};
  view.functions = {function("_Z5saxpyfPKfS0_Pfm")};
  view.load_time = 110000;
  return view;
}

inline KernelView kernel() {
  KernelView view{.signature = saxpy_signature(),
                  .source = "In[2]",
                  .function = function("_Z5saxpyfPKfS0_Pfm"),
                  .best_block = 1024,
                  .architecture = "sm_90",
                  .device = "NVIDIA H200"};
  for (const std::uint32_t block : {32U, 128U, 512U, 1024U})
    view.occupancies.push_back(
        {block, {static_cast<int>(2048 / std::max(block, 64U)), block == 32 ? 0.5 : 1.0, block == 32 ? "blocks" : ""}});
  return view;
}

// Its name is long, and the CPU device has code of it for one shape of blocks and makes some for another.
inline KernelView compiled_kernel() {
  using State = device::NativeCode::State;
  KernelView view{.signature = saxpy_signature(),
                  .source = "scan.ptx",
                  .function = function("_Z5saxpyfPKfS0_Pfm"),
                  .architecture = "sm_80",
                  .device = "2 threads"};
  view.signature.name =
      "blas::detail::level_one::saxpy<blas::detail::Policy<blas::detail::Tuning<4, 128>, float>, "
      "blas::detail::iterator<float const>>";
  view.function->native = {{State::compiled, "blocks of one row, bounds checked", 3072, 41'000'000},
                           {State::stored, "blocks of one row, unchecked", 2048, 120'000},
                           {State::compiling, "blocks of rows of 16, bounds checked", 0, 0}};
  return view;
}

inline std::vector<DeviceView> devices() {
  DeviceView gpu{.selector = {device::Kind::cuda, 0}, .state = DeviceView::State::current, .array_bytes = 201326592};
  gpu.info.name = "NVIDIA H200";
  gpu.info.architecture = "sm_90";
  gpu.info.compute_major = 9;
  gpu.info.driver = "13.0 (580.65.06)";
  gpu.info.memory_total = 150121545728;
  gpu.info.memory_free = 139586437120;
  gpu.info.multiprocessors = 132;
  gpu.info.peak_bandwidth = 4.8e12;
  gpu.info.ecc = true;
  DeviceView broken{.selector = {device::Kind::cuda, 1},
                    .state = DeviceView::State::unavailable,
                    .reason = "CUDA_ERROR_ECC_UNCORRECTABLE (214)"};
  broken.info.name = "NVIDIA H200";
  DeviceView cpu{.selector = {device::Kind::cpu}, .state = DeviceView::State::not_started};
  cpu.info.name = "2 threads";
  cpu.info.architecture = "compute_80";
  cpu.info.driver = "LLVM 19.1.7";
  cpu.info.memory_total = 8ULL << 30;
  cpu.info.memory_free = 6ULL << 30;
  cpu.info.multiprocessors = 2;
  return {gpu, broken, cpu};
}

inline ArrayList arrays() {
  ArrayList list{.device = "NVIDIA H200", .memory_total = 150121545728, .memory_free = 139586437120};
  const auto add = [&](std::string name, Type type, std::vector<std::uint64_t> shape) {
    ArrayRow row{.name = std::move(name),
                 .type = std::move(type),
                 .shape = std::move(shape),
                 .device = "gpu:0",
                 .defined = "In[1]"};
    row.bytes = row.type.size;
    for (const auto extent : row.shape) row.bytes *= extent;
    list.arrays.push_back(row);
  };
  add("x", *find_type("float"), {16777216});
  add("grid", *find_type("double"), {512, 512});
  add("p", {"demo::Particle", 20, 4}, {100});
  return list;
}

inline ErrorView compile_error() {
  ErrorView view(Error(ErrorKind::compile, "In[4] does not compile: 2 errors")
                     .advise("%help kernel shows the options of a compile"));
  auto first = diagnostic(
      compiler::Severity::error, "identifier \"foo\" is undefined",
      {.source = "/In[4]", .line = 3, .column = 10, .width = 3, .excerpt = "  y[i] = foo * x[i] + y[i] < 1 && \"µ\";"});
  first.code = "20";
  auto second =
      diagnostic(compiler::Severity::error, "no instance of overloaded function \"f\" matches the argument list",
                 {.source = "/In[4]", .line = 5, .column = 2, .width = 1, .excerpt = "\tf(1, 2);"});
  second.notes = {diagnostic(compiler::Severity::note, "candidate: f(int)",
                             {.source = "/In[1]", .line = 1, .column = 17, .excerpt = "__device__ void f(int);"})};
  view.diagnostics = {first, second};
  return view;
}

inline ErrorView name_error() {
  return {Error(ErrorKind::name, "%lauch is not a command")
              .advise("did you mean %launch? %lsmagic lists all commands")
              .at({.source = "In[5]",
                   .line = 1,
                   .column = 2,
                   .width = 5,
                   .excerpt = "%lauch saxpy<<<1, 32>>>(2.0f, x, y, out, n)"})};
}

inline ErrorView device_fault() {
  ErrorView view(Error(ErrorKind::device, "out of bounds in saxpy")
                     .said("CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered")
                     .advise("compare the index with n before the store")
                     .at({.source = "In[6]",
                          .line = 2,
                          .column = 1,
                          .width = 32,
                          .excerpt = "saxpy<<<32769, 512>>>(2, x, y, out, n);"}));
  FaultView fault;
  fault.fault.kind = device::FaultKind::out_of_bounds;
  fault.fault.launches = {57};
  fault.fault.source = "In[2]";
  fault.fault.line = 4;
  fault.fault.block = device::Dim3{32768, 0, 0};
  fault.fault.thread = device::Dim3{0, 0, 0};
  fault.fault.access = device::Access::write;
  fault.fault.access_size = 4;
  fault.fault.address = 0x200004000000;
  fault.fault.array = "out";
  fault.fault.element = 16777216;
  fault.fault.elements = 16777216;
  fault.line = "  out[i] = a * x[i] + y[i];";
  fault.launch = "saxpy<<<32769, 512>>>(2, x, y, out, n)";
  fault.possibly_written = {"out"};
  fault.others = {"grid", "p"};
  fault.recovery = device::Recovery{.duration = 231000000};
  view.fault = fault;
  return view;
}

inline ErrorView race() {
  ErrorView view(Error(ErrorKind::device, "racy<<<1, 64>>>(b): data race on element 32 of s")
                     .at({.source = "In[4]", .line = 2, .column = 1}));
  FaultView fault;
  fault.fault.kind = device::FaultKind::race;
  fault.fault.source = "In[3]";
  fault.fault.line = 3;
  fault.fault.column = 3;
  fault.fault.thread = device::Dim3{32, 0, 0};
  fault.fault.access = device::Access::write;
  fault.fault.other = device::OtherAccess{device::Access::read, "thread (31, 0, 0)", false, "In[3]", 4, 22};
  fault.line = "  s[threadIdx.x] = 1;";
  fault.other_line = "  out[threadIdx.x] = s[63 - threadIdx.x];";
  fault.possibly_written = {"b"};
  view.error.advice = fault_advice(fault);
  view.fault = fault;
  return view;
}

inline ImageView image() {
  ImageView image{.name = "u", .dtype = "float32", .shape = {12, 24}};
  image.raster = {24, 12, 1, {}};
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 24; ++x) image.raster.samples.push_back(static_cast<float>(x * y));
  image.raster.samples[30] = std::nanf("");
  image.zoom = 1;
  return image;
}

inline Chart lines() {
  Chart chart{.title = "Decay & <growth>", .x_label = "step", .y_label = "energy"};
  for (const double rate : {-0.05, 0.03}) {
    Series series{.label = rate < 0 ? "down" : "up"};
    for (int i = 0; i < 60; ++i) {
      series.x.push_back(i);
      series.y.push_back(i == 20 ? std::nan("") : std::exp(rate * i));
    }
    chart.series.push_back(series);
  }
  return chart;
}

inline Chart logarithmic() {
  auto chart = lines();
  chart.y_scale = Scale::logarithmic;
  chart.title.clear();
  chart.notes = {"10,000,000 points: the least and the greatest of each pixel column"};
  return chart;
}

inline Chart points() {
  Chart chart{.mark = Chart::Mark::points, .x_label = "x", .y_label = "y"};
  Series series;
  for (int i = 0; i < 300; ++i) {
    series.x.push_back(std::sin(i * 1.7) * i);
    series.y.push_back(std::cos(i * 2.3) * i * 1e5);
  }
  chart.series = {series};
  return chart;
}

inline Chart bars() {
  Chart chart{.mark = Chart::Mark::bars, .title = "x", .y_label = "count"};
  Series series{.x = {-3}};
  for (int i = 0; i < 30; ++i) {
    const double at = -3 + 0.2 * (i + 0.5);
    series.x.push_back(-3 + 0.2 * (i + 1));
    series.y.push_back(std::round(1000 * std::exp(-at * at / 2)));
  }
  chart.series = {series};
  return chart;
}

inline Chart cells() {
  Chart chart{.mark = Chart::Mark::cells, .title = "u"};
  chart.cells = CellMap{.image = image(), .right = 24, .bottom = 12, .top = 0};
  return chart;
}

struct Sample {
  std::string name;
  Bundle bundle;
};

inline std::vector<Sample> all() {
  return {
      {"array_big", array_bundle(big_array())},
      {"array_matrix", array_bundle(matrix())},
      {"array_records", array_bundle(records())},
      {"array_record", record_bundle(one_record())},
      {"array_truths", array_bundle(truths())},
      {"array_list", array_list_bundle(arrays())},
      {"bench", bench_bundle(bench())},
      {"bench_ranked", bench_bundle(ranked_bench())},
      {"chart_bars", chart_bundle(bars())},
      {"chart_cells", chart_bundle(cells())},
      {"chart_lines", chart_bundle(lines())},
      {"chart_logarithmic", chart_bundle(logarithmic())},
      {"chart_points", chart_bundle(points())},
      {"compile", compile_bundle(compile())},
      {"device", device_bundle(devices())},
      {"error_compile", render_error(compile_error()).bundle},
      {"error_fault", render_error(device_fault()).bundle},
      {"error_name", render_error(name_error()).bundle},
      {"image", image_bundle(image())},
      {"image_legend", legend_bundle(image())},
      {"kernel", kernel_bundle(kernel())},
      {"compiled_kernel", kernel_bundle(compiled_kernel())},
      {"launch_one", launch_bundle(one_launch())},
      {"launch_several", launch_bundle(several_launches())},
      {"listing", listing_bundle("saxpy, PTX", ".visible .entry saxpy(\n  .param .u64 a<1>\n)")},
      {"ptx",
       ptx_bundle("PTX of scale from In[1]",
                  "\t.file\t1 \"/In[1]\"\n.visible .entry _Z5scalePf(\n\t.param .u64 _Z5scalePf_param_0\n)\n{\n\t.reg "
                  ".pred \t%p<2>;\n\n\n\t.loc\t1 2 3\n\tmov.u32 \t%r1, %ctaid.x; // a <remark>\n\t.loc\t1 2 9\n\t@%p1 "
                  "bra \t$L__BB1_2;\n\t.loc\t2 1 1\n$L__BB1_2:\n\tret;\n}\n",
                  {{1, {"In[1]", "__global__ void scale(float* x) {\n  x[blockIdx.x] *= 2 < 3;\n}"}}})},
      {"sass",
       sass_bundle("SASS of scale for sm_90",
                   ".section\t.text._Z5scalePf,\"ax\",@progbits\n\t.align\t128\n_Z5scalePf:\n.text._Z5scalePf:\n\t//## "
                   "File \"/In[1]\", line 2\n"
                   "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n        /*0010*/              @!P0 EXIT "
                   ";   /* 0x00000a00ff017b82 */\n"
                   "                                                            /* 0x000e220000000800 */\n\t//## File "
                   "\"/usr/x.h\", line 7\n"
                   "\t//## File \"/In[1]\", line 2 inlined at \"/In[1]\", line 1\n        /*0020*/                   "
                   "FMUL R5, R2, 2 ;\n"
                   ".L_x_0:\n\t//## File \"/In[1]\", line 3\n        /*0030*/                   BRA `(.L_x_0);\n"
                   "        /*0040*/                   NOP;\n        /*0050*/                   NOP;\n.L_x_1:\n",
                   {{1, {"In[1]", "__global__ void scale(float* x) {\n  x[blockIdx.x] *= 2 < 3;\n}"}}})},
      {"machine_code",
       machine_code_bundle("Machine code of scale",
                           {"LLVM 19.1.7 (znver4, AVX-512)",
                            "blocks of one row, bounds checked",
                            300,
                            {{.label = "scale"},
                             {.offset = 0, .instruction = "push rbp"},
                             {.label = "L1"},
                             {.offset = 1,
                              .instruction = "vmulss xmm0, xmm0, dword ptr [rip]",
                              .remark = "0x40000000 = 2f",
                              .source = "In[1]",
                              .line = 2},
                             {.offset = 9, .instruction = "ret", .source = "In[1]", .line = 2},
                             {.offset = 266, .instruction = "ret", .source = "In[1]", .line = 2, .lanes = "some lanes"},
                             {.offset = 270, .instruction = "nop", .source = "other.cuh", .line = 7}}},
                           {{"In[1]", "__global__ void scale(float* x) {\n  x[blockIdx.x] *= 2 < 3;\n}"}})},
      {"scalar", scalar_bundle(*find_type("double"), bytes_of<double>({0.1}))}};
}

}  // namespace xcuda::display::samples
