// scan(), sort(), argsort(), unique() and histogram().
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/deferred.hpp"
#include "xcuda/sort_shape.cuh"

namespace xcuda::arrays {
namespace {

constexpr std::uint64_t kScanStep = 4096, kScanBlocks = 4096;  // elements that a block takes at a time; blocks at most
constexpr int kScanItems = 4;                                  // neighbours that a thread takes
constexpr std::uint64_t kPackBytes = 16;                       // of elements that a thread writes at once, at most

// The memory that an expression reads; a function may read all that a pointer reaches.
void add_reads(const ArrayNode& node, std::vector<Pointer>& reads) {
  using Kind = ArrayNode::Kind;
  if (node.kind == Kind::deferred) return reads.push_back(value_of(node));
  if (node.kind == Kind::array || node.kind == Kind::pointer) {
    auto& read = reads.emplace_back(node.array);
    if (node.kind == Kind::pointer) {
      read.type = type_of(Scalar::uint8);
      read.shape = {read.bytes};
      read.strides.clear();
    }
  }
  for (const auto& input : node.inputs) add_reads(*input, reads);
}

// What the kernels of a scan depend on; pack 0: those of scans along an axis.
std::string key_of(const ScanRequest& request, int pack) {
  return fmt::format("{}\n{}\n{}\n{} {} {} scan", request.function, request.state, request.result,
                     static_cast<int>(request.kind), request.init != nullptr, pack);
}

std::string line_scan_kernel(const ArrayText& source, const ScanRequest& request) {
  auto text = request.function;
  text += fmt::format("using xcuda_State = {};\nusing xcuda_Result = {};\n", request.state, request.result);
  text += fmt::format(
      "__global__ void __launch_bounds__({}) xcuda_scan(xcuda_Result* xcuda_out, {}unsigned long xcuda_lines, unsigned "
      "long xcuda_extent, unsigned long xcuda_inner, {} xcuda_init) {{\n",
      kBlock, source.parameters(), request.init != nullptr ? request.init->array.type.name : "int");
  text += fmt::format(
      "const unsigned long xcuda_line = static_cast<unsigned long>(blockIdx.x) * {}ul + threadIdx.x;\n"
      "if (xcuda_line >= xcuda_lines) return;\n"
      "xcuda::scan_line<xcuda::Scan::{}, xcuda_Function>(xcuda_out, xcuda_line / xcuda_inner * xcuda_extent * "
      "xcuda_inner + xcuda_line % xcuda_inner, xcuda_inner, xcuda_extent, xcuda::Slot<xcuda_State>{{{}}}, "
      "[&](unsigned long xcuda_i) {{ return "
      "xcuda::convert<xcuda_State>(xcuda_at({}static_cast<xcuda_Index>(xcuda_i))); }});\n}}\n",
      kBlock, request.kind == ScanRequest::Kind::inclusive ? "inclusive" : "exclusive",
      request.init != nullptr ? "xcuda::convert<xcuda_State>(xcuda_init), true" : "", source.arguments());
  return text;
}

std::string scan_kernels(const ArrayText& source, const ScanRequest& request, int pack) {
  std::string text = request.function;
  text +=
      fmt::format("using xcuda_State = {};\nusing xcuda_Result = {};\nusing xcuda_Slot = xcuda::Slot<xcuda_State>;\n",
                  request.state, request.result);
  auto read = fmt::format(
      "const auto xcuda_one = [&](unsigned long xcuda_i) {{ return "
      "xcuda::convert<xcuda_State>(xcuda_at({}static_cast<xcuda_Index>(xcuda_i))); }};\n",
      source.arguments());
  read +=
      "const auto xcuda_take = [&](unsigned long xcuda_first, xcuda_State* xcuda_values) {\nconst auto xcuda_i = "
      "static_cast<xcuda_Index>(xcuda_first);\n";
  if (pack > 1)
    read += fmt::format(
        "{}\n#pragma unroll\nfor (int xcuda_k = 0; xcuda_k < {}; ++xcuda_k) xcuda_values[xcuda_k] = "
        "xcuda::convert<xcuda_State>({});\n",
        source.packed_loads(pack), pack, source.packed_element("xcuda_k"));
  read +=
      "};\nconst unsigned long xcuda_begin = blockIdx.x * xcuda_chunk, xcuda_end = xcuda_begin + xcuda_chunk < xcuda_n "
      "? xcuda_begin + xcuda_chunk : xcuda_n;\n";
  const auto kernel = [&](std::string_view name, std::string_view target) {
    text += fmt::format(
        "__global__ void __launch_bounds__({}) {}({}, {}unsigned long xcuda_n, unsigned long xcuda_chunk) {{\n{}",
        kBlock, name, target, source.parameters(), read);
  };
  kernel("xcuda_totals", "xcuda_Slot* xcuda_part");
  text += fmt::format(
      "const auto xcuda_total = xcuda::scan_total<{}, xcuda_Function, xcuda_State>(xcuda_begin, xcuda_end, xcuda_take, "
      "xcuda_one);\n"
      "if (threadIdx.x == 0) xcuda_part[blockIdx.x] = xcuda_total;\n}}\n",
      pack);
  const auto init = request.init != nullptr ? request.init->array.type.name : "int";
  text += fmt::format(
      "__global__ void __launch_bounds__({}) xcuda_prefixes(xcuda_Slot* xcuda_part, unsigned long xcuda_n, {} "
      "xcuda_init) {{\n",
      kBlock, init);
  text += fmt::format("xcuda::scan_totals<xcuda_Function>(xcuda_part, xcuda_n, xcuda_Slot{{{}}});\n}}\n",
                      request.init != nullptr ? "xcuda::convert<xcuda_State>(xcuda_init), true" : "");
  kernel("xcuda_scan", "xcuda_Result* xcuda_out, const xcuda_Slot* xcuda_part");
  text += fmt::format(
      "xcuda::scan_chunk<{}, xcuda::Scan::{}, xcuda_Function>(xcuda_out, xcuda_part[blockIdx.x], xcuda_begin, "
      "xcuda_end, xcuda_take, xcuda_one);\n}}\n",
      pack, request.kind == ScanRequest::Kind::inclusive ? "inclusive" : "exclusive");
  text += "__global__ void xcuda_size(unsigned char (*xcuda_state)[sizeof(xcuda_Slot)]) {}\n";
  return text;
}

}  // namespace

std::string commuting_function(std::string_view expression) {
  return fmt::format(
      "struct xcuda_Function {{\nstatic constexpr bool commutes = true;\n"
      "template <class T> __device__ __forceinline__ T operator()(const T& a, const T& b) const {{ return {}; "
      "}}\n}};\n",
      expression);
}

// Along one of several axes: a thread for each line.
Pointer ArrayMath::scan_lines(const ScanRequest& request) {
  const auto& shape = request.node->shape;
  const auto extent = shape[*request.axis], inner = count_of(std::span(shape).subspan(*request.axis + 1));
  const auto lines = extent == 0 ? 0 : count_of(shape) / extent;
  ArraySource source(*request.node, shape, nullptr, ArraySource::Purpose::value, "xcuda/scan.cuh");
  source.need(request.names);
  if (request.init != nullptr) source.note(request.init->array.type);
  const auto& module =
      compile(source, key_of(request, 0), [&](const ArrayText& text) { return line_scan_kernel(text, request); });
  const auto& operation = module.find("xcuda_scan");
  auto result = temporary(written_type(operation, request.node->span), shape);
  if (result.bytes == 0) return result;
  OperationArguments arguments(operation);
  arguments.add(result.address);
  source.add_to(arguments);
  arguments.add(lines).add(extent).add(inner);
  if (request.init != nullptr)
    arguments.add_bytes(request.init->bytes);
  else
    arguments.add(0);
  operations_.launch(operation, {.grid = {blocks_for(lines)}, .block = {kBlock}}, arguments);
  return result;
}

Pointer ArrayMath::scan(const ScanRequest& request) { return evaluate(scan_node(request)); }

ArrayNodePtr ArrayMath::scan_node(const ScanRequest& given) {
  auto request = given;
  request.node = without_products(given.node);
  const auto span = request.node->span;
  if (request.axis && request.node->shape.size() > 1) return array_node(scan_lines(request), span);
  const auto n = count_of(request.node->shape);
  // Blocks take whole steps; how many depends on the length alone.
  const auto chunk = std::max<std::uint64_t>(ceil_div(ceil_div(n, kScanBlocks), kScanStep), 1) * kScanStep;
  const auto blocks = ceil_div(n, chunk);
  ArraySource source(*request.node, request.node->shape, nullptr, ArraySource::Purpose::value, "xcuda/scan.cuh");
  source.need(request.names);
  if (request.init != nullptr) source.note(request.init->array.type);
  const int pack = workspace_.device_info().kind == device::Kind::cuda ? std::min(source.pack(0, 1), kScanItems) : 1;
  const auto& module =
      compile(source, key_of(request, pack), [&](const ArrayText& text) { return scan_kernels(text, request, pack); });
  const auto& totals = module.find("xcuda_totals");
  const auto& prefixes = module.find("xcuda_prefixes");
  const auto& last = module.find("xcuda_scan");
  Deferred deferred{.type = written_type(last, span), .reads = {}, .compute = {}, .value = {}};
  add_reads(*request.node, deferred.reads);
  deferred.compute = [=, this, &module, &totals, &prefixes, &last, type = deferred.type,
                      source = std::move(source)](const Pointer* target) {
    // Packs are written where addresses are multiples of their size.
    const bool fits = target != nullptr && target->address % kPackBytes == 0;
    auto result = fits ? *target : temporary(type, request.node->shape);
    if (n == 0) return result;
    const Temporary part(workspace_, blocks * module.state_bytes());
    const device::Dim3 grid{static_cast<std::uint32_t>(blocks)}, block{kBlock};
    OperationArguments first(totals), second(prefixes), third(last);
    first.add(part.address());
    source.add_to(first);
    operations_.launch(totals, {grid, block}, first.add(n).add(chunk));
    second.add(part.address()).add(blocks);
    if (request.init != nullptr)
      second.add_bytes(request.init->bytes);
    else
      second.add(0);
    operations_.launch(prefixes, {{1}, block}, second);
    third.add(result.address).add(part.address());
    source.add_to(third);
    operations_.launch(last, {grid, block}, third.add(n).add(chunk));
    if (target != nullptr && !fits) workspace_.copy(target->address, result.address, n * type.size);
    return result;
  };
  return deferred_node(std::move(deferred), request.node->shape, span);
}

Pointer ArrayMath::running_sum(const ArrayNodePtr& node, ScanRequest::Kind kind, std::string result) {
  ScanRequest request{node, kind};
  request.state = "xcuda::SumOf<xcuda_Own>::State";
  request.result = std::move(result);
  request.function = commuting_function("a + b");
  auto zero = scalar_node(language::ScalarValue::of(0), node->span);
  request.init = std::move(zero);
  return scan(request);
}

ArrayNodePtr ArrayMath::sort_node(const Pointer& x, SortKeep keep, cell::Span span) {
  const bool ordered = keep == SortKeep::order;
  Deferred deferred{.type = ordered ? type_of(Scalar::uint64) : x.type, .reads = {x}, .compute = {}, .value = {}};
  deferred.compute = [=, this](const Pointer* target) {
    const auto sorted = sort(x, keep, target);
    return ordered ? sorted.order : sorted.values;
  };
  deferred.sorts = !ordered;
  return deferred_node(std::move(deferred), x.shape, span);
}

// target: for the values or the order that is kept; it has no gaps and shares no memory with x. Null: its own memory.
ArrayMath::Sorted ArrayMath::sort(const Pointer& x, SortKeep keep, const Pointer* target) {
  const auto n = count_of(x.shape);
  const auto element = operation_element(x.type);
  const bool ordered = keep == SortKeep::order;
  if (n == 0) return {temporary(x.type, x.shape), temporary(type_of(Scalar::uint64), x.shape)};
  const bool few = n < (std::uint64_t{1} << 32);
  const std::string order = !ordered ? "xcuda::NoOrder" : few ? "unsigned" : "unsigned long";
  const std::string word = n < (std::uint64_t{1} << 30) ? "unsigned" : "unsigned long long";
  const auto kernel = [&](const std::string& expression) -> const Operation& {
    return operations_.find({"xcuda/sort.cuh", expression});
  };
  const auto& histogram = kernel(fmt::format("xcuda::sort_histogram<{}, {}>", element, word));
  const auto& pass = kernel(fmt::format("xcuda::sort_pass<{}, {}, {}>", element, order, word));

  // Zero at first: the digits of all passes; and at the beginning of each pass its ticket and what the tiles tell.
  const std::uint64_t passes = x.type.size, order_size = !ordered ? 0 : few ? 4 : 8;
  const auto tiles = ceil_div(n, kSortShapes[(std::max(x.type.size, order_size) - 1) / 4].items * kSortBlock);
  const std::uint64_t kWordBytes = word == "unsigned" ? 4 : 8;
  const auto bins = passes * kSortDigits * kWordBytes, told = sizeof(std::uint64_t) + tiles * kSortDigits * kWordBytes;
  const Temporary work(workspace_, bins + told);
  const auto clear = [&](device::Address address, std::uint64_t bytes) {
    workspace_.fill({address, bytes / 8, std::vector<std::byte>(8)});
  };
  clear(work.address(), bins);
  const auto counting = static_cast<std::uint32_t>(std::min<std::uint64_t>(tiles, 2048));
  operations_.launch(histogram, {{counting}, {kSortBlock}},
                     OperationArguments(histogram).add(work.address()).add(x.address).add(n));

  // The last pass writes to the first pair of keys, and the order to where all have 64 bits.
  std::array<Pointer, 2> keys, orders;
  for (auto& one : keys)
    one = target != nullptr && !ordered && &one == &keys[0]
              ? *target
              : temporary(x.type, passes > 1 || &one == &keys[0] ? x.shape : Shape{1});
  for (auto& one : orders)
    one = temporary(type_of(few ? Scalar::uint32 : Scalar::uint64), ordered && passes > 1 ? x.shape : Shape{1});
  const auto places =
      target != nullptr && ordered ? *target : temporary(type_of(Scalar::uint64), ordered ? x.shape : Shape{1});
  auto from = x.address, from_order = device::Address{0};
  for (std::uint64_t p = 0; p < passes; ++p) {
    const auto to = (passes - 1 - p) % 2;
    const auto ticket = work.address() + bins;
    clear(ticket, told);
    operations_.launch(pass, {{static_cast<std::uint32_t>(tiles)}, {kSortBlock}},
                       OperationArguments(pass)
                           .add(keys[to].address)
                           .add(orders[to].address)
                           .add(p + 1 == passes ? places.address : device::Address{0})
                           .add(from)
                           .add(from_order)
                           .add(work.address() + p * kSortDigits * kWordBytes)
                           .add(ticket + sizeof(std::uint64_t))
                           .add(ticket)
                           .add(n)
                           .add(static_cast<int>(8 * p)));
    from = keys[to].address;
    from_order = orders[to].address;
  }
  if (ordered) return {{}, places};
  return {keys[0], {}};
}

Pointer ArrayMath::median(const Pointer& x, std::uint64_t extent, const Shape& shape) {
  constexpr std::uint64_t kLongLine = 1 << 16;  // that a block takes longer for than a sort
  const auto type = x.type.is_integer() ? type_of(Scalar::float64) : x.type;
  const auto lines = count_of(shape);
  const bool sorts = lines == 1 && extent > kLongLine;
  const auto& operation = operations_.find(
      {"xcuda/select.cuh", fmt::format("xcuda::{}<{}, {}>", sorts ? "median_of_sorted" : "median_lines",
                                       operation_element(x.type), operation_element(type))});
  auto whole = x;
  whole.shape = {count_of(x.shape)};
  const auto from = sorts ? sort(whole, SortKeep::values).values : whole;
  auto result = temporary(type, shape);
  operations_.launch(operation, {{static_cast<std::uint32_t>(lines)}, {sorts ? 1 : kSortBlock}},
                     OperationArguments(operation).add(result.address).add(from.address).add(extent));
  return result;
}

Pointer ArrayMath::unique(const Pointer& x, cell::Span span) {
  auto sorted = sort(x, SortKeep::values).values;
  const auto n = count_of(x.shape);
  if (n == 0) return sorted;
  auto index = std::make_shared<ArrayNode>();
  index->kind = ArrayNode::Kind::index;
  auto whole = std::make_shared<ArrayNode>();
  whole->kind = ArrayNode::Kind::pointer;
  whole->array = sorted;
  const auto firsts = running_sum(apply_node(ArrayNode::Kind::function, "xcuda::first_term", {index, whole}, {n}, span),
                                  ScanRequest::Kind::inclusive, "unsigned long");
  std::uint64_t kinds = 0;
  workspace_.read(firsts.address + (n - 1) * sizeof kinds, std::as_writable_bytes(std::span(&kinds, 1)));
  auto result = temporary(x.type, {kinds});
  const auto& take =
      operations_.find({"xcuda/sort.cuh", fmt::format("xcuda::take_first<{}>", operation_element(x.type))});
  operations_.launch(take, {{blocks_for(n)}, {kBlock}},
                     OperationArguments(take).add(result.address).add(sorted.address).add(firsts.address).add(n));
  return result;
}

Pointer ArrayMath::histogram(const ArrayNodePtr& given, std::uint32_t bins, double low, double high) {
  const auto node = without_products(given);
  const auto n = count_of(node->shape);
  ArraySource source(*node, node->shape, nullptr, ArraySource::Purpose::value, "xcuda/scan.cuh");
  const auto& module = compile(source, "counts of bins", [](const ArrayText& text) {
    std::string kernel = fmt::format(
        "__global__ void __launch_bounds__({}) xcuda_histogram(unsigned long long* xcuda_out, {}unsigned long xcuda_n, "
        "unsigned xcuda_bin, double xcuda_low, double xcuda_high) {{\n",
        kBlock, text.parameters());
    kernel += fmt::format(
        "xcuda::count_bins<xcuda_Index>(xcuda_out, xcuda_n, xcuda_bin, xcuda_low, xcuda_high, [&](xcuda_Index xcuda_i) "
        "{{ return xcuda_at({}xcuda_i); }});\n}}\n",
        text.arguments());
    return kernel;
  });
  const auto& kernel = module.find("xcuda_histogram");
  auto result = temporary(type_of(Scalar::uint64), {bins});
  workspace_.fill({result.address, bins * sizeof(std::uint64_t), {std::byte{0}}});
  if (n == 0) return result;
  OperationArguments arguments(kernel);
  arguments.add(result.address);
  source.add_to(arguments);
  const auto blocks = std::min<std::uint64_t>(ceil_div(n, kBlock * 16), 1024);
  operations_.launch(kernel,
                     {{static_cast<std::uint32_t>(blocks)}, {kBlock}, bins <= 4096 ? bins * sizeof(std::uint32_t) : 0},
                     arguments.add(n).add(bins).add(low).add(high));
  return result;
}

}  // namespace xcuda::arrays
