#include "arrays/array_math.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "arrays/deferred.hpp"
#include "arrays/products.hpp"
#include "cell/snippet.hpp"
#include "language/complaints.hpp"

namespace xcuda::arrays {

ArrayNodePtr array_node(const Pointer& pointer, cell::Span span) {
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::array;
  node->array = pointer;
  node->shape = pointer.shape;
  node->span = span;
  return node;
}

ArrayNodePtr scalar_node(const language::ScalarValue& value, cell::Span span) {
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::scalar;
  node->array.type = value.type();
  node->bytes.resize(16);
  value.store(node->bytes);
  node->bytes.resize(value.type().size);
  node->span = span;
  return node;
}

namespace {

std::shared_ptr<ArrayNode> node_over(ArrayNode::Kind kind, std::vector<ArrayNodePtr> inputs, Shape shape,
                                     cell::Span span) {
  auto node = std::make_shared<ArrayNode>();
  node->kind = kind;
  node->inputs = std::move(inputs);
  node->shape = std::move(shape);
  node->span = span;
  return node;
}

}  // namespace

ArrayNodePtr apply_node(ArrayNode::Kind kind, std::string text, std::vector<ArrayNodePtr> inputs, Shape shape,
                        cell::Span span) {
  auto node = node_over(kind, std::move(inputs), std::move(shape), span);
  node->text = std::move(text);
  return node;
}

ArrayNodePtr apply_node(cell::UnaryOperator op, std::vector<ArrayNodePtr> inputs, Shape shape, cell::Span span) {
  auto node = node_over(ArrayNode::Kind::unary, std::move(inputs), std::move(shape), span);
  node->unary = op;
  return node;
}

ArrayNodePtr apply_node(cell::BinaryOperator op, std::vector<ArrayNodePtr> inputs, Shape shape, cell::Span span) {
  auto node = node_over(ArrayNode::Kind::binary, std::move(inputs), std::move(shape), span);
  node->binary = op;
  return node;
}

Error ArrayMath::error(ErrorKind kind, std::string message, cell::Span span) const {
  Error error(kind, std::move(message));
  return span.end > 0 ? std::move(error).at(source_.place(span)) : error;
}

const OperationModule& ArrayMath::compile(const ArraySource& source, std::string_view key,
                                          const std::function<std::string(const ArrayText&)>& write) {
  std::optional<ArrayText> text;
  std::string whole_key;
  whole_key.reserve(source.key().size() + key.size());
  whole_key.append(source.key()).append(key);
  auto result = operations_.compile(whole_key, [&] {
    text.emplace(source.form());
    return text->before(write(*text));
  });
  if (result.module != nullptr) return *result.module;
  for (const auto& diagnostic : result.diagnostics) {
    if (diagnostic.severity != compiler::Severity::error) continue;
    // Places in sources of the kernel's own are in the compiler's text alone.
    static constexpr std::string_view kHere = "/xcuda/expression(";
    const auto at = result.log.find(kHere);
    const auto span = text->place(at == std::string::npos ? 1 : std::atoi(result.log.c_str() + at + kHere.size()));
    throw error(ErrorKind::type,
                fmt::format("{} cannot be computed", span.end > 0 ? cell::snippet(source_.text, span) : "a copy"), span)
        .said(diagnostic.text);
  }
  throw Error(ErrorKind::internal, "the kernel of this expression does not compile").said(result.log);
}

namespace {

// type: what is written; null for the expression's own. pack: the elements that a thread writes.
std::string elementwise_kernel(const ArrayText& source, const Type* type, int pack) {
  const auto convert = [&](const std::string& value) { return source.converted("xcuda_Result", value); };
  std::string text = fmt::format(
      "using xcuda_Result = {};\n__global__ void __launch_bounds__({}) xcuda_expression(xcuda_Result* xcuda_out, "
      "{}xcuda_Index xcuda_n) {{\n",
      type == nullptr ? "xcuda_Own" : type->name, kBlock, source.parameters());
  text += fmt::format("const xcuda_Index xcuda_i = (static_cast<xcuda_Index>(blockIdx.x) * {}u + threadIdx.x) * {}u;\n",
                      kBlock, pack);
  const auto at = [&](std::string_view index) {
    return convert(fmt::format("xcuda_at({}{})", source.arguments(), index));
  };
  if (pack == 1)
    return text +
           fmt::format("if (xcuda_i < xcuda_n) xcuda_out[{}] = {};\n}}\n", source.target_offset(), at("xcuda_i"));
  text += fmt::format("if (xcuda_i + {}u <= xcuda_n) {{\n{}xcuda::Pack<xcuda_Result, {}> xcuda_r;\n", pack,
                      source.packed_loads(pack), pack);
  text += fmt::format("#pragma unroll\nfor (int xcuda_k = 0; xcuda_k < {}; ++xcuda_k) xcuda_r.at[xcuda_k] = {};\n",
                      pack, convert(source.packed_element("xcuda_k")));
  text += "xcuda::store_pack(xcuda_out + xcuda_i, xcuda_r);\n} else {\n";
  return text +
         fmt::format(
             "for (xcuda_Index xcuda_j = xcuda_i; xcuda_j < xcuda_n; ++xcuda_j) xcuda_out[xcuda_j] = {};\n}}\n}}\n",
             at("xcuda_j"));
}

}  // namespace

ArrayMath::Kernel ArrayMath::kernel(ArraySource& source, const Type* type, device::Address target) {
  if (type != nullptr) source.note(*type);
  // One element a thread keeps neighbours in neighbouring lanes, which is what the CPU device's vectors want.
  const int pack =
      workspace_.device_info().kind == device::Kind::cuda ? source.pack(target, type != nullptr ? type->size : 1) : 1;
  const std::string key = (type != nullptr ? "to a type " : "elements ") + std::to_string(pack);
  const auto& module =
      compile(source, key, [&](const ArrayText& text) { return elementwise_kernel(text, type, pack); });
  return {&module.find("xcuda_expression"), pack};
}

Type ArrayMath::written_type(const Operation& operation, cell::Span span) {
  const auto& parameter = operation.signature.parameters.front();
  if (!parameter.pointer || parameter.pointee.find('*') != std::string::npos)
    throw error(ErrorKind::type,
                fmt::format("{} gives pointers, but arrays hold values", cell::snippet(source_.text, span)), span);
  return workspace_.find_type(parameter.pointee, source_, span);
}

ArrayNodePtr ArrayMath::without_products(const ArrayNodePtr& node) {
  return Products(*this, workspace_).without_products(node);
}

void ArrayMath::perform(const ArrayNodePtr& given) {
  const auto node = without_products(given);
  ArraySource source(*node, node->shape, nullptr, ArraySource::Purpose::effect);
  const auto& module = compile(source, "effects", [](const ArrayText& text) {
    return fmt::format(
        "__global__ void __launch_bounds__({0}) xcuda_expression({1}xcuda_Index xcuda_n) {{\n"
        "const xcuda_Index xcuda_i = static_cast<xcuda_Index>(blockIdx.x) * {0}u + threadIdx.x;\n"
        "if (xcuda_i < xcuda_n) xcuda_at({2}xcuda_i);\n}}\n",
        kBlock, text.parameters(), text.arguments());
  });
  launch({&module.find("xcuda_expression")}, source, nullptr);
}

namespace {

// Where the arguments of a launch hold the operands that `wanted` names; a later launch has others there.
std::vector<PlannedLaunch::Place> places_of(const std::vector<ArraySource::Placed>& placed,
                                            const ArrayPattern::Nodes& nodes, bool (*wanted)(const ArrayNode&)) {
  std::vector<PlannedLaunch::Place> places;
  for (const auto& [offset, node] : placed) {
    if (!wanted(*node)) continue;
    const auto found = nodes.find(node);
    if (found == nodes.size()) throw Error(ErrorKind::internal, "an operand of a kernel is not in its expression");
    places.push_back({offset, found});
  }
  return places;
}

}  // namespace

PlannedLaunch planned_launch(const Operation& operation, const OperationLaunch& launch,
                             const OperationArguments& arguments, const std::vector<ArraySource::Placed>& placed,
                             const ArrayPattern::Nodes& nodes) {
  PlannedLaunch planned{Operations::request(operation, launch, arguments), operation.name};
  if (nodes.size() == 0) return planned;
  planned.addresses = places_of(placed, nodes, [](const ArrayNode& n) { return n.kind != ArrayNode::Kind::scalar; });
  planned.numbers = places_of(placed, nodes, [](const ArrayNode& n) { return n.kind == ArrayNode::Kind::scalar; });
  return planned;
}

PlannedLaunch ArrayMath::planned(const Kernel& kernel, const ArraySource& source, const device::Address* target,
                                 const ArrayPattern::Nodes& nodes) {
  const auto pack = static_cast<std::uint64_t>(kernel.pack);
  OperationArguments arguments(*kernel.operation);
  if (target != nullptr) arguments.add(*target);
  const auto placed = source.add_to(arguments);
  if (source.wide())
    arguments.add(source.count());
  else
    arguments.add(static_cast<std::uint32_t>(source.count()));
  auto planned =
      planned_launch(*kernel.operation, {.grid = {blocks_for((source.count() + pack - 1) / pack)}, .block = {kBlock}},
                     arguments, placed, nodes);
  if (target != nullptr) planned.needs = PlannedLaunch::Needs::target;
  return planned;
}

void ArrayMath::launch(const Kernel& kernel, const ArraySource& source, const device::Address* target) {
  if (source.count() == 0) return;
  auto once = planned(kernel, source, target, {});
  workspace_.launch(std::move(once.request), once.name);
}

void ArrayMath::run(const Prepared& prepared, device::Address target, device::Address room) {
  const auto& nodes = prepared.nodes;
  for (const auto& planned : prepared.plan->launches) {
    auto& request = request_ = planned.request;
    const auto put = [&](std::size_t offset, const void* from, std::size_t bytes) {
      std::memcpy(request.arguments.data() + offset, from, bytes);
    };
    for (const auto& [offset, node] : planned.addresses) put(offset, &nodes[node].array.address, sizeof target);
    for (const auto& [offset, node] : planned.numbers) put(offset, nodes[node].bytes.data(), nodes[node].bytes.size());
    if (planned.needs != PlannedLaunch::Needs::nothing) put(planned.target, &target, sizeof target);
    if (planned.needs == PlannedLaunch::Needs::target_and_room) put(planned.room, &room, sizeof room);
    workspace_.launch(std::move(request), planned.name);
  }
}

// target: null for memory that is made when the type is known.
ArrayPlan ArrayMath::plan_elements(const Pointer* target, const ArrayNode& node, const ArrayPattern::Nodes& nodes) {
  ArraySource source(node, target != nullptr ? target->shape : node.shape, target);
  const device::Address at = target != nullptr ? target->address : 0;
  const auto kernel = this->kernel(source, target != nullptr ? &target->type : nullptr, at);
  ArrayPlan plan;
  plan.type = target != nullptr ? target->type : written_type(*kernel.operation, node.span);
  plan.shape = node.shape;
  if (source.count() > 0) plan.launches.push_back(planned(kernel, source, &at, nodes));
  return plan;
}

ArrayMath::Prepared ArrayMath::prepare(ArrayNodePtr node, const ReduceRequest* reduction, const Pointer* target) {
  Prepared prepared{std::move(node), {}, nullptr};
  auto& [tree, nodes, plan] = prepared;
  const PlanKey key{*tree, reduction, target};
  plan = operations_.plans().find(key, nodes);
  if (plan != nullptr) return prepared;
  auto pattern = ArrayPattern::of(*tree, nodes);
  plan = std::make_shared<const ArrayPlan>(reduction != nullptr ? plan_reduction(*reduction, *tree, nodes)
                                                                : plan_elements(target, *tree, nodes));
  if (pattern) operations_.plans().add(key, plan, *std::move(pattern));
  return prepared;
}

std::uint64_t room_after(std::uint64_t bytes) { return ceil_div(bytes, 32) * 32; }

device::Address room_of(const Pointer& temporary) { return temporary.address + room_after(temporary.bytes); }

Pointer ArrayMath::temporary(const Type& type, const Shape& shape, std::uint64_t room) {
  Pointer result;
  result.type = type;
  result.shape = shape;
  result.bytes = count_of(shape) * type.size;
  auto memory = std::make_shared<Temporary>(workspace_, room == 0 ? result.bytes : room_after(result.bytes) + room);
  result.address = memory->address();
  result.memory = std::move(memory);
  return result;
}

Pointer ArrayMath::evaluate(const ArrayNodePtr& given) {
  const auto node = without_products(given);
  if (node->kind == ArrayNode::Kind::array && is_contiguous(node->array)) return node->array;
  const auto prepared = prepare(node, nullptr, nullptr);
  auto result = temporary(prepared.plan->type, prepared.plan->shape);
  run(prepared, result.address);
  return result;
}

void ArrayMath::evaluate(const ArrayNodePtr& given, const std::function<device::Address(const Type&)>& at) {
  Products products(*this, workspace_);
  auto type = products.type_of_sum(given);
  if (given->kind == ArrayNode::Kind::deferred) type = given->deferred->type;
  if (type) {
    Pointer target;
    target.type = *type;
    target.shape = given->shape;
    target.bytes = count_of(target.shape) * type->size;
    target.address = at(*type);
    return store(given, target);
  }
  const auto prepared = prepare(products.without_products(given), nullptr, nullptr);
  run(prepared, at(prepared.plan->type));
}

bool ArrayMath::overlaps(const ArrayNode& node, const Pointer& target) const {
  using Kind = ArrayNode::Kind;
  if (node.kind == Kind::array || node.kind == Kind::pointer) {
    auto range = bytes_of(node.array);
    // A function may read any element that a pointer reaches.
    if (node.kind == Kind::pointer) range = {node.array.address, node.array.address + node.array.bytes};
    const auto written = bytes_of(target);
    if (range.first >= written.last || written.first >= range.last) return false;
    if (node.kind == Kind::pointer) return true;
    // Each thread reads the elements that it writes, and nothing else.
    return !(node.array.address == target.address && node.array.type.size == target.type.size &&
             broadcast_strides(node.array, target.shape) == broadcast_strides(target, target.shape));
  }
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [&](const auto& input) { return overlaps(*input, target); });
}

void ArrayMath::store(const ArrayNodePtr& given, const Pointer& target) {
  if (compute_into(*given, target) || Products(*this, workspace_).store(given, target)) return;
  const auto node = without_products(given);
  const auto whole = broadcast(node->shape, target.shape);
  if (!whole || *whole != target.shape)
    throw language::value_does_not_fit(source_, {node->span, language::Extents(node->shape.begin(), node->shape.end())},
                                       target.owner.empty() ? "the target" : target.owner,
                                       language::Extents(target.shape.begin(), target.shape.end()));
  // Constant memory is not for kernels to write.
  if (target.variable || overlaps(*node, target)) {
    ArraySource source(*node, target.shape, nullptr);
    const auto kernel = this->kernel(source, &target.type, 0);
    const auto result = temporary(target.type, target.shape);
    launch(kernel, source, &result.address);
    if (is_contiguous(target))
      workspace_.copy(target.address, result.address, result.bytes);
    else
      store_between(array_node(result, node->span), target);
    return;
  }
  run(prepare(node, nullptr, &target), target.address);
}

// Into a copy of all bytes from the first element to the last, which then goes back.
void ArrayMath::store_between(const ArrayNodePtr& node, const Pointer& target) {
  const auto range = bytes_of(target);
  const auto around = temporary(*find_type("unsigned char"), {range.last - range.first});
  workspace_.copy(around.address, range.first, around.bytes);
  auto place = target;
  place.variable = false;
  place.address = around.address + (target.address - range.first);
  store(node, place);
  workspace_.copy(range.first, around.address, around.bytes);
}

Pointer ArrayMath::contiguous(const Pointer& pointer) {
  if (is_contiguous(pointer)) return pointer;
  auto copy = evaluate(array_node(pointer, {}));
  copy.owner = pointer.owner;
  return copy;
}

// Two pieces change places.
Pointer ArrayMath::roll(const Pointer& x, std::uint64_t shift, std::optional<std::size_t> axis) {
  auto result = temporary(x.type, x.shape);
  if (result.bytes == 0) return result;
  const auto extent = axis ? x.shape[*axis] : count_of(x.shape), rest = extent - shift;
  if (!axis) {
    const auto size = x.type.size;
    workspace_.copy(result.address + shift * size, x.address, rest * size);
    if (shift > 0) workspace_.copy(result.address, x.address + rest * size, shift * size);
    return result;
  }
  store(array_node(piece_along(x, *axis, 0, rest), {}), piece_along(result, *axis, shift, rest));
  if (shift > 0) store(array_node(piece_along(x, *axis, rest, shift), {}), piece_along(result, *axis, 0, shift));
  return result;
}

}  // namespace xcuda::arrays
