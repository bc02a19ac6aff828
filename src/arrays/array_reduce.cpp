// Reductions. Where neighbours belong to different results, a second launch puts the parts of each together.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "arrays/array_math.hpp"
#include "xcuda/reduce_shape.cuh"

namespace xcuda::arrays {
namespace {

struct ReduceForm {
  bool rows = false;        // a block for a row, or for a piece of one
  bool parts_left = false;  // for a second launch
  int pack = 1;             // elements that a thread reads at once
  int loads = 1;            // packs that it reads before it adds them up
};

std::string reduce_kernels(const ArrayText& source, const ReduceRequest& request, const ReduceForm& form) {
  const auto reducer = request.leaves == ReduceRequest::Leaves::state
                           ? fmt::format("xcuda::Unfinished<{}>", request.reducer)
                           : request.reducer;
  std::string text = fmt::format("{}using xcuda_Reducer = {};\n", request.function, reducer);
  text += "using xcuda_Reduced = xcuda::Reduced<xcuda_Reducer>;\n";
  text += fmt::format(
      "__global__ void __launch_bounds__({}) xcuda_reduce(xcuda_Reducer::Result* xcuda_out, xcuda_Reducer::State* "
      "xcuda_part, {}xcuda::ReduceShape xcuda_shape) {{\n",
      kBlock, source.parameters());
  text += fmt::format("const auto xcuda_read = [&](xcuda_Index xcuda_i) {{ return xcuda_at({}xcuda_i); }};\n",
                      source.arguments());
  if (form.rows && form.pack == 1) {
    text +=
        "const auto xcuda_take = [&](xcuda_Index xcuda_i, xcuda_Own (&xcuda_values)[1]) { xcuda_values[0] = "
        "xcuda_read(xcuda_i); };\n";
  } else if (form.rows) {
    text += fmt::format(
        "const auto xcuda_take = [&](xcuda_Index xcuda_i, xcuda_Own (&xcuda_values)[{}]) {{\n{}\n#pragma unroll\n",
        form.pack, source.packed_loads(form.pack));
    text += fmt::format("for (int xcuda_k = 0; xcuda_k < {}; ++xcuda_k) xcuda_values[xcuda_k] = {};\n}};\n", form.pack,
                        source.packed_element("xcuda_k"));
  }
  if (form.rows)
    text += fmt::format(
        "xcuda::reduce_rows<xcuda_Reducer, xcuda_Index, {}, {}, xcuda_Own>(xcuda_Reduced{{xcuda_out, xcuda_part}}, "
        "xcuda_shape, xcuda_read, xcuda_take);\n}}\n",
        form.pack, form.loads);
  else
    text +=
        "xcuda::reduce_columns<xcuda_Reducer, xcuda_Index>(xcuda_Reduced{xcuda_out, xcuda_part}, xcuda_shape, "
        "xcuda_read);\n}\n";
  if (form.parts_left) {
    text += fmt::format(
        "__global__ void __launch_bounds__({}) xcuda_parts(xcuda_Reducer::Result* xcuda_out, xcuda_Reducer::State* "
        "xcuda_part, xcuda::ReduceShape xcuda_shape) {{\n",
        kBlock);
    text += "xcuda::reduce_parts(xcuda_Reduced{xcuda_out, xcuda_part}, xcuda_shape);\n}\n";
  }
  text += "__global__ void xcuda_size(unsigned char (*xcuda_state)[sizeof(xcuda_Reducer::State)]) {}\n";
  if (request.leaves == ReduceRequest::Leaves::state)
    text += fmt::format(
        "__global__ void xcuda_finished({}::Result* xcuda_result) {{}}\n"
        "__global__ void xcuda_element(xcuda_Own* xcuda_result) {{}}\n",
        request.reducer);
  return text;
}

}  // namespace

ArrayPlan ArrayMath::plan_reduction(const ReduceRequest& request, const ArrayNode& node,
                                    const ArrayPattern::Nodes& nodes) {
  const auto& shape = node.shape;
  ReduceShape space{1, count_of(shape), 1, 1};
  ArrayPlan plan;
  if (request.axis) {
    space.outer = count_of(std::span(shape).first(*request.axis));
    space.extent = shape[*request.axis];
    space.inner = count_of(std::span(shape).subspan(*request.axis + 1));
    plan.shape = shape;
    if (request.keep == ReduceRequest::Keep::yes)
      plan.shape[*request.axis] = 1;
    else
      plan.shape.erase(plan.shape.begin() + static_cast<std::ptrdiff_t>(*request.axis));
  }
  const auto outputs = space.outer * space.inner;
  // A block for each row where rows are long, else a thread for each output. The pieces depend on the shape alone.
  const bool rows = space.inner == 1 && space.extent >= 64;
  constexpr std::uint64_t kThreads = 65536;
  if (outputs > 0 && space.extent > 0)
    space.chunks = rows ? std::clamp<std::uint64_t>(kReduceBlocks / outputs, 1, ceil_div(space.extent, kBlock * 16))
                        : std::clamp<std::uint64_t>(kThreads / outputs, 1, ceil_div(space.extent, 32));

  // The functions of the terms come before the expression that calls them.
  ArraySource source(node, shape, nullptr, ArraySource::Purpose::value, "xcuda/reduce.cuh");
  source.need(request.names);
  const bool gpu = workspace_.device_info().kind == device::Kind::cuda;
  const int pack = gpu && rows && (outputs == 1 || space.extent % 16 == 0) ? source.pack(0, 1) : 1;
  const bool parts_left = !rows && space.chunks > 1;
  const ReduceForm form{rows, parts_left, pack, gpu ? 4 : 1};
  const bool state = request.leaves == ReduceRequest::Leaves::state;
  const auto key =
      fmt::format("{}\n{}\n{} {} {} {} reduce", request.function, request.reducer, rows, parts_left, pack, state);
  const auto& module = compile(source, key, [&](const ArrayText& text) { return reduce_kernels(text, request, form); });
  const auto& operation = module.find("xcuda_reduce");
  plan.state_bytes = module.state_bytes();
  plan.room = space.chunks > 1 ? outputs * space.chunks * plan.state_bytes : 0;
  if (state) {
    const auto number = [&](std::string_view kernel) {
      return find_type(module.find(kernel).signature.parameters.front().pointee).value_or(Type());
    };
    plan.type = number("xcuda_finished");
    plan.own = number("xcuda_element");
  } else {
    plan.type = written_type(operation, node.span);
  }
  if (outputs == 0) return plan;
  const auto add = [&](const Operation& kernel, std::uint64_t blocks, const ArraySource* operands) {
    OperationArguments arguments(kernel);
    arguments.add(device::Address{0});
    const auto room = arguments.next_offset();
    arguments.add(device::Address{0});
    std::vector<ArraySource::Placed> placed;
    if (operands != nullptr) placed = operands->add_to(arguments);
    arguments.add(space);
    auto& planned = plan.launches.emplace_back(planned_launch(
        kernel, {.grid = {static_cast<std::uint32_t>(blocks)}, .block = {kBlock}}, arguments, placed, nodes));
    planned.room = room;
    planned.needs = PlannedLaunch::Needs::target_and_room;
  };
  add(operation, rows ? outputs * space.chunks : ceil_div(outputs * space.chunks, kBlock), &source);
  if (parts_left) add(module.find("xcuda_parts"), space.chunks > 32 ? outputs : ceil_div(outputs, kBlock), nullptr);
  return plan;
}

Pointer ArrayMath::reduce(const ReduceRequest& request) {
  const auto prepared = prepare(without_products(request.node), &request, nullptr);
  const auto& plan = *prepared.plan;
  Pointer result;
  if (request.leaves == ReduceRequest::Leaves::result) {
    result = temporary(plan.type, plan.shape, plan.room);
  } else {
    result.type = plan.type;
    result.bytes = plan.type.size;
    result.address = workspace_.scratch(room_after(result.bytes) + plan.room);
  }
  run(prepared, result.address, room_of(result));
  return result;
}

ArrayMath::Prepared ArrayMath::prepare_state(const ReduceRequest& request) {
  return prepare(without_products(request.node), &request, nullptr);
}

device::Address ArrayMath::reduce(const Prepared& prepared) {
  const auto bytes = room_after(prepared.plan->state_bytes);
  const auto state = workspace_.scratch(bytes + prepared.plan->room);
  run(prepared, state, state + bytes);
  return state;
}

}  // namespace xcuda::arrays
