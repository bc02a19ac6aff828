// Elements chosen by arrays of indices or conditions: gather, scatter, and where a condition holds.
#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_math.hpp"
#include "arrays/selection.hpp"

namespace xcuda::arrays {
namespace {

ArrayNodePtr pointer_node(const Pointer& pointer) {
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::pointer;
  node->array = pointer;
  return node;
}

// Whether an expression reads bytes of the range.
bool reads(const ArrayNode& node, const ByteRange& range) {
  if (node.kind == ArrayNode::Kind::array || node.kind == ArrayNode::Kind::pointer) {
    auto own = bytes_of(node.array);
    if (node.kind == ArrayNode::Kind::pointer) own.last = std::max(own.last, node.array.address + node.array.bytes);
    return own.first < range.last && range.first < own.last;
  }
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const auto& input) { return reads(*input, range); });
}

}  // namespace

Pointer ArrayMath::positions(const ArrayNodePtr& condition) {
  const auto n = count_of(condition->shape);
  const auto index = type_of(Scalar::uint64);
  if (n == 0) return temporary(index, {0});
  const auto counts = running_sum(
      apply_node(ArrayNode::Kind::function, "xcuda::places::truth", {condition}, condition->shape, condition->span),
      ScanRequest::Kind::inclusive, "unsigned long");
  std::uint64_t held = 0;
  workspace_.read(counts.address + (n - 1) * sizeof held, std::as_writable_bytes(std::span(&held, 1)));
  auto result = temporary(index, {held});
  if (held == 0) return result;
  const auto& take = operations_.find({"xcuda/sort.cuh", "xcuda::take_places<unsigned long>"});
  operations_.launch(take, {{blocks_for(n)}, {kBlock}},
                     OperationArguments(take).add(result.address).add(counts.address).add(n));
  return result;
}

Pointer ArrayMath::gather(const Selection& selection, cell::Span span) {
  return evaluate(apply_node(ArrayNode::Kind::function, "xcuda::places::taken",
                             {pointer_node(selection.view), offsets_of(selection, span)}, selection.shape, span));
}

// A thread for each element that is written: it takes the values that go there in their order, as a loop would. The
// order is that of a stable sort of the elements' places.
void ArrayMath::scatter(const ScatterRequest& request) {
  const auto& selection = request.selection;
  const auto& op = request.op;
  const auto& given = request.value;
  const auto& target = selection.view;
  const auto n = count_of(selection.shape);
  const auto whole = broadcast(given->shape, selection.shape);
  if (!whole || *whole != selection.shape)
    throw error(ErrorKind::value,
                fmt::format("the value has the shape {}, but the subscripts choose {}", shape_text(given->shape),
                            shape_text(selection.shape)),
                given->span);
  if (n == 0) return;
  const auto range = bytes_of(target);
  if (target.variable) {  // constant memory is not for kernels to write
    const auto around = temporary(*find_type("unsigned char"), {range.last - range.first});
    workspace_.copy(around.address, range.first, around.bytes);
    auto copied = request;
    copied.selection.view.variable = false;
    copied.selection.view.address = around.address + (target.address - range.first);
    scatter(copied);
    return workspace_.copy(range.first, around.address, around.bytes);
  }
  const auto value = reads(*given, range) ? array_node(evaluate(given), given->span) : given;
  const auto offset_node = offsets_of(selection, given->span);
  const auto cast = [&](std::string type) {
    return evaluate(apply_node(ArrayNode::Kind::cast, std::move(type), {offset_node}, selection.shape, given->span));
  };
  const auto offsets = cast("long");
  Pointer order;
  if (selection.repeats == Selection::Repeats::yes) {
    const bool narrow = (range.last - range.first) / target.type.size < std::uint64_t{1} << 31;
    auto keys = narrow ? cast("unsigned int") : offsets;
    keys.shape = {n};
    keys.strides.clear();
    order = sort(keys, SortKeep::order).order;
  }

  ArraySource source(*value, selection.shape, nullptr);
  source.note(target.type);
  const auto key = "scatter " + std::to_string(op ? static_cast<int>(*op) : -1);
  const auto& module = compile(source, key, [&](const ArrayText& text) {
    std::string kernel = fmt::format(
        "using xcuda_Target = {};\n__global__ void __launch_bounds__({}) xcuda_scatter(xcuda_Target* xcuda_out, const "
        "long* xcuda_to, const unsigned long* xcuda_order, {}unsigned long xcuda_n) {{\n",
        target.type.name, kBlock, text.parameters());
    kernel += fmt::format(
        "const unsigned long xcuda_i = static_cast<unsigned long>(blockIdx.x) * {}ul + threadIdx.x;\n"
        "if (xcuda_i >= xcuda_n) return;\n"
        "const auto xcuda_nth = [&](unsigned long xcuda_k) {{ return xcuda_order == nullptr ? xcuda_k : "
        "xcuda_order[xcuda_k]; }};\n"
        "const long xcuda_place = xcuda_to[xcuda_nth(xcuda_i)];\n"
        "if (xcuda_i > 0 && xcuda_to[xcuda_nth(xcuda_i - 1)] == xcuda_place) return;\n"
        "xcuda_Target xcuda_now = xcuda_out[xcuda_place];\n"
        "for (unsigned long xcuda_j = xcuda_i; xcuda_j < xcuda_n && xcuda_to[xcuda_nth(xcuda_j)] == xcuda_place; "
        "++xcuda_j) {{\n"
        "const auto xcuda_value = xcuda_at({}static_cast<xcuda_Index>(xcuda_nth(xcuda_j)));\n"
        "xcuda_now = {};\n}}\nxcuda_out[xcuda_place] = xcuda_now;\n}}\n",
        kBlock, text.arguments(),
        text.converted("xcuda_Target",
                       !op ? std::string("xcuda_value") : text.applied(*op, "xcuda_now", "xcuda_value")));
    return kernel;
  });
  const auto& operation = module.find("xcuda_scatter");
  OperationArguments arguments(operation);
  arguments.add(target.address).add(offsets.address).add(order.address);
  source.add_to(arguments);
  operations_.launch(operation, {{blocks_for(n)}, {kBlock}}, arguments.add(n));
}

}  // namespace xcuda::arrays
