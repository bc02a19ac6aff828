#include "interpreter/launches/launch_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/launches/closures.hpp"
#include "language/addresses.hpp"
#include "session/container_data.hpp"

namespace xcuda::interpreter {

std::vector<KernelArgument> LaunchArguments::read(const cell::Launch& launch, const compiler::KernelSignature* kernel) {
  std::vector<KernelArgument> arguments;
  arguments.reserve(launch.arguments.size());
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const auto& given = launch.arguments[i];
    const bool typed = kernel != nullptr && kernel->types_known && i < kernel->parameters.size();
    auto one = typed ? made(*given.value, kernel->parameters[i]) : std::nullopt;
    arguments.push_back(one ? std::move(*one) : read(*given.value));
    arguments.back().name = given.name;
  }
  return arguments;
}

void LaunchArguments::add_defaults(const std::vector<const cell::Expression*>& values, cell::Span launch,
                                   std::vector<KernelArgument>& arguments) {
  for (const auto* value : values) {
    arguments.push_back(read(*value));
    arguments.back().span = launch;
  }
}

KernelArgument LaunchArguments::read(const cell::Expression& expression) {
  KernelArgument result;
  result.span = expression.span;
  if (frame_.closures.is_by_reference(expression)) throw frame_.closures.by_reference(expression.span);
  const bool moved = frame_.addresses.is_moved_array(expression) &&  // x + n of one dimension, as in C++
                     frame_.expressions.form(*language::moved_array(expression)).rank() == 1;
  auto value = moved ? Value(frame_.addresses.of(expression)) : evaluate(expression);
  struct Visitor {
    KernelArgument& result;
    void operator()(const Nothing&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const language::ScalarValue& number) const {
      result.type = number.type();
      if (result.type.scalar >= Scalar::complex64) {
        result.kind = KernelArgument::Kind::object;
        result.object.resize(result.type.size);
        return number.store(result.object);
      }
      result.kind = KernelArgument::Kind::number;
      if (result.type.is_floating())
        result.number = number.as_real();
      else if (number.is_negative())
        result.number = number.as_signed();
      else if (number.as_unsigned() > 0x7fff'ffff'ffff'ffff)
        result.number = number.as_unsigned();
      else
        result.number = static_cast<std::int64_t>(number.as_unsigned());
    }
    void operator()(const device::Dim3& dim) const {
      result.kind = KernelArgument::Kind::object;
      result.type = {"dim3", sizeof dim, alignof(std::uint32_t)};
      result.object.resize(sizeof dim);
      std::memcpy(result.object.data(), &dim, sizeof dim);
    }
    void operator()(Object&& object) const {
      result.kind = KernelArgument::Kind::object;
      result.type = std::move(object.type);
      result.object = std::move(object.bytes);
    }
    void operator()(const Stream& stream) const {
      result.kind = KernelArgument::Kind::stream;
      result.stream = stream.id;
    }
    void operator()(const Event&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const Texture& texture) const {
      result.kind = KernelArgument::Kind::texture;
      result.texture = texture.object.get();
    }
    void operator()(Pointer&& pointer) const {
      result.kind = KernelArgument::Kind::pointer;
      result.type = std::move(pointer.type);
      result.address = pointer.address;
      result.bytes_to_end = pointer.bytes;
      if (pointer.shape.size() > 1) result.row.assign(pointer.shape.begin() + 1, pointer.shape.end());
      result.array = std::move(pointer.owner);
      result.whole_array = pointer.whole;
      result.read_only = pointer.read_only;
      result.memory = std::move(pointer.memory);
    }
    void operator()(const Sparse&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const NullPointer&) const { result.kind = KernelArgument::Kind::null; }
    void operator()(std::string&& text) const {
      result.kind = KernelArgument::Kind::text;
      result.text = std::move(text);
    }
    void operator()(const Function&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const Container&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const Iterator&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const ArrayExpression&) const { result.kind = KernelArgument::Kind::text; }
  };
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) {
    const auto kind = computed->node->kind;  // what a function gives has memory of its own
    if (kind != ArrayNode::Kind::deferred && kind != ArrayNode::Kind::array)
      throw without_memory(expression, *computed->node);
    value = frame_.arrays.evaluate(computed->node);
  }
  if (const auto* pointer = std::get_if<Pointer>(&value); pointer != nullptr && !is_contiguous(*pointer))
    throw error(ErrorKind::type,
                fmt::format("{} is not contiguous, but a kernel takes pointers", snippet(run_.source, expression.span)),
                expression.span)
        .advise(fmt::format("Make a contiguous copy: auto piece = {};", snippet(run_.source, expression.span)));
  if (std::holds_alternative<Sparse>(value)) {
    const auto text = snippet(run_.source, expression.span);
    throw error(ErrorKind::type, fmt::format("{} is a sparse matrix, but a kernel takes pointers", text),
                expression.span)
        .advise(fmt::format("Give it the parts: {0}.values, {0}.columns, {0}.rows", text));
  }
  if (std::holds_alternative<Function>(value))
    throw error(ErrorKind::type,
                fmt::format("{} is a function of the host's side, which a kernel cannot call by its address",
                            snippet(run_.source, expression.span)),
                expression.span)
        .advise("Give the kernel a lambda: [=] __device__ (float v) { return f(v); }");
  if (const auto* held = std::get_if<Container>(&value); held != nullptr && held->data->record != nullptr)
    throw error(ErrorKind::type,
                fmt::format("{} is a {}, which only the host has: a kernel cannot take it",
                            snippet(run_.source, expression.span), held->data->record->name),
                expression.span)
        .note(fmt::format("{}: {}", held->data->record->name, held->data->record->layout))
        .advise("Pass a vector that is in it, as in p.values.");
  if (std::holds_alternative<Container>(value) || std::holds_alternative<Iterator>(value))
    throw error(
        ErrorKind::type,
        fmt::format("{} is a container of the host, which a kernel cannot take", snippet(run_.source, expression.span)),
        expression.span)
        .advise("Give it a std::vector of numbers or structs, or an array with the elements.");
  std::visit(Visitor{result}, std::move(value));
  if (result.texture != nullptr) {
    const auto* array = result.texture->freed() ? nullptr : session_.arrays().at(result.texture->request().address);
    if (array == nullptr)
      throw error(
          ErrorKind::value,
          fmt::format("the array of {} {} was freed", result.texture->kind(), snippet(run_.source, expression.span)),
          expression.span)
          .advise(fmt::format("Declare it again: {} {}(x);", result.texture->kind(),
                              snippet(run_.source, expression.span)));
    result.array = array->name;
  }
  return result;
}

namespace {

// "cuda::std::span<const float, 18446744073709551615UL>": "const float"; empty for all but spans.
std::string element_of_span(std::string_view type) {
  const auto open = type.find("span<");
  if (open == type.npos || (open > 0 && cell::is_identifier_character(type[open - 1]))) return {};
  const auto from = open + 5;
  int depth = 0;
  for (auto at = from; at < type.size(); ++at) {
    if (depth == 0 && (type[at] == ',' || type[at] == '>')) return std::string(trim(type.substr(from, at - from)));
    if (type[at] == '<') ++depth;
    if (type[at] == '>') --depth;
  }
  return {};
}

// What makes a span: {x, 50}, span<float>{x, 50}, span<float>(x, 50), span(x).
std::vector<const cell::Expression*> parts_of_span(const cell::Expression& expression) {
  const auto* inner = &expression;
  if (const auto* cast = std::get_if<cell::Cast>(&inner->node);
      cast != nullptr && cast->type.find("span<") != std::string::npos)
    inner = cast->operand.get();
  if (const auto* list = std::get_if<cell::List>(&inner->node)) return pointers_to(list->elements);
  if (const auto* call = std::get_if<cell::Call>(&inner->node))
    if (const auto* callee = std::get_if<cell::Name>(&call->callee->node);
        callee != nullptr && callee->text.find("span") != std::string::npos)
      return pointers_to(call->arguments);
  return {inner};
}

}  // namespace

KernelArgument LaunchArguments::span_of(const KernelArgument& array, std::uint64_t count,
                                        const compiler::Parameter& parameter) {
  auto element = element_of_span(parameter.type);
  const bool constant = element.starts_with("const ") || element.ends_with(" const");
  if (element.starts_with("const ")) element.erase(0, 6);
  if (element.ends_with(" const")) element.resize(element.size() - 6);
  const auto wanted = find_type(element).value_or(Type{element});
  if (!same_element(wanted, array.type))
    throw error(
        ErrorKind::type,
        fmt::format("parameter {} is {}, but the argument is {}", parameter.name, parameter.type, described(array)),
        array.span);
  if (array.read_only && !constant)
    throw error(ErrorKind::type,
                fmt::format("{} is const, but parameter {} may write to it", array.array, parameter.name), array.span)
        .advise(fmt::format("Declare the parameter span<const {}>.", element));
  const auto size = std::max<std::size_t>(array.type.size, 1);
  if (count > array.bytes_to_end / size)
    throw error(ErrorKind::value,
                fmt::format("{} has {} elements there, not {}", array.array, array.bytes_to_end / size, count),
                array.span);
  auto result = array;
  result.kind = KernelArgument::Kind::object;
  result.type = Type{parameter.type, parameter.size, parameter.alignment};
  result.object.resize(parameter.size);
  std::memcpy(result.object.data(), &array.address, sizeof array.address);
  if (parameter.size >= 2 * sizeof array.address)
    std::memcpy(result.object.data() + sizeof array.address, &count, sizeof count);
  return result;
}

std::optional<KernelArgument> LaunchArguments::made(const cell::Expression& expression,
                                                    const compiler::Parameter& parameter) {
  if (!element_of_span(parameter.type).empty()) {
    const auto parts = parts_of_span(expression);
    if (parts.empty() || parts.size() > 2)
      throw error(ErrorKind::type,
                  fmt::format("a span is an array and a number of elements, got {} values", parts.size()),
                  expression.span);
    auto array = read(*parts[0]);
    if (array.kind != KernelArgument::Kind::pointer)
      return array.kind == KernelArgument::Kind::object ? std::optional(array) : std::nullopt;
    array.span = expression.span;
    auto count = array.bytes_to_end / std::max<std::size_t>(array.type.size, 1);
    if (parts.size() == 2) {
      const auto given = number(*parts[1], "the number of elements of a span");
      if (!given.is_integer() || given.is_negative())
        throw error(ErrorKind::value, fmt::format("a span of {} elements", given.text()), parts[1]->span);
      count = given.as_unsigned();
    }
    return span_of(array, count, parameter);
  }
  if (!std::holds_alternative<cell::List>(expression.node) || parameter.pointer) return std::nullopt;
  const auto type = session_.code().find_type(run_.source, parameter.type, expression.span);
  const auto value = frame_.elements.value(expression, type);
  KernelArgument result;
  result.span = expression.span;
  result.kind = KernelArgument::Kind::object;
  result.type = type;
  if (const auto* object = std::get_if<Object>(&value)) {
    result.object = object->bytes;
    return result;
  }
  return std::nullopt;
}

// An expression over arrays; 1 + x, and x + 1 of a matrix, may mean a pointer.
Error LaunchArguments::without_memory(const cell::Expression& expression, const ArrayNode& computed) const {
  const auto text = snippet(run_.source, expression.span);
  auto failure =
      error(ErrorKind::type, fmt::format("{} is an array expression, which has no memory", text), expression.span);
  const auto* sum = std::get_if<cell::Binary>(&expression.node);
  const auto& inputs = computed.inputs;
  if (sum == nullptr || sum->op != cell::BinaryOperator::add || inputs.size() != 2 ||
      inputs[0]->shape.empty() == inputs[1]->shape.empty())
    return std::move(failure).advise(fmt::format("Store it first: auto t = {};", text));
  const auto& array = inputs[0]->shape.empty() ? sum->right : sum->left;
  const auto& offset = inputs[0]->shape.empty() ? sum->left : sum->right;
  return std::move(failure).advise(fmt::format("If you mean a pointer, write &{}[{}].",
                                               snippet(run_.source, array->span), snippet(run_.source, offset->span)));
}

void LaunchArguments::mark_fetched(std::vector<device::TextureArgument>& textures, const Kernel& kernel) {
  for (const auto& use : session_.textures().uses_of(kernel))
    for (auto& texture : textures)
      if (use.fetches && texture.offset == kernel.function->parameters[use.parameter].offset)
        texture.use = device::TextureUse::fetched;
}

// An enumerator is an integer among the statements; a parameter of its type takes the bytes.
void LaunchArguments::convert_enumerations(const compiler::KernelSignature& kernel,
                                           std::vector<KernelArgument>& arguments) {
  for (std::size_t i = 0; kernel.types_known && i < std::min(arguments.size(), kernel.parameters.size()); ++i) {
    auto& argument = arguments[i];
    const auto& parameter = kernel.parameters[i];
    if (argument.kind != KernelArgument::Kind::number || !argument.type.is_integer() || parameter.pointer ||
        xcuda::find_type(parameter.type) || parameter.type == kStreamType)
      continue;
    const auto type = session_.code().find_type(run_.source, parameter.type, argument.span);
    if (!type.is_integer()) continue;
    const auto number = std::visit([](auto value) { return language::ScalarValue::of(value); }, argument.number);
    argument.kind = KernelArgument::Kind::object;
    argument.type = Type{parameter.type, type.size, type.alignment};
    argument.object.resize(type.size);
    language::convert(number, type).store(argument.object);
  }
}

}  // namespace xcuda::interpreter
