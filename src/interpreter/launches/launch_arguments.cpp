#include "interpreter/launches/launch_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arrays/array_node.hpp"

namespace xcuda::interpreter {

std::vector<KernelArgument> LaunchArguments::read(const cell::Launch& launch) {
  std::vector<KernelArgument> arguments;
  arguments.reserve(launch.arguments.size());
  for (const auto& given : launch.arguments) arguments.push_back(read(given));
  return arguments;
}

KernelArgument LaunchArguments::read(const cell::Argument& argument) {
  const auto& expression = *argument.value;
  KernelArgument result;
  result.span = expression.span;
  result.name = argument.name;
  const auto value = evaluate(expression);
  struct Visitor {
    KernelArgument& result;
    void operator()(const Nothing&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const cell::Value& number) const {
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
    void operator()(const Object& object) const {
      result.kind = KernelArgument::Kind::object;
      result.type = object.type;
      result.object = object.bytes;
    }
    void operator()(const Stream&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const Event&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const Texture& texture) const {
      result.kind = KernelArgument::Kind::texture;
      result.texture = texture.object.get();
    }
    void operator()(const Pointer& pointer) const {
      result.kind = KernelArgument::Kind::pointer;
      result.type = pointer.type;
      result.address = pointer.address;
      result.bytes_behind = pointer.bytes;
      result.array = pointer.owner;
      result.whole_array = pointer.whole;
      result.read_only = pointer.read_only;
    }
    void operator()(const NullPointer&) const { result.kind = KernelArgument::Kind::null; }
    void operator()(const std::string&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const ArrayExpression&) const { result.kind = KernelArgument::Kind::text; }
  };
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) throw without_memory(expression, *computed->node);
  if (const auto* pointer = std::get_if<Pointer>(&value); pointer != nullptr && !is_contiguous(*pointer))
    throw error(ErrorKind::type,
                fmt::format("{} is not contiguous, but a kernel takes pointers", snippet(run_.source, expression.span)),
                expression.span)
        .advise(fmt::format("Make a contiguous copy: auto piece = {};", snippet(run_.source, expression.span)));
  std::visit(Visitor{result}, value);
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

// x + 1, as a pointer is moved in C++, and any other expression over arrays.
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
        xcuda::find_type(parameter.type))
      continue;
    const auto type = session_.code().find_type(run_.source, parameter.type, argument.span);
    if (!type.is_integer()) continue;
    const auto number = std::visit([](auto value) { return cell::Value::of(value); }, argument.number);
    argument.kind = KernelArgument::Kind::object;
    argument.type = Type{parameter.type, type.size, type.alignment};
    argument.object.resize(type.size);
    cell::convert(number, type).store(argument.object);
  }
}

}  // namespace xcuda::interpreter
