#include "interpreter/launches/launch_overloads.hpp"

#include <fmt/format.h>

#include <optional>

#include "interpreter/launches/launch_check.hpp"

namespace xcuda::interpreter {
namespace {

using compiler::KernelSignature;
using compiler::Parameter;

// What it costs to give a parameter this argument: 0 as it is, 1 within integers or reals or to more const, 3 between
// integers and reals; nothing when it cannot be.
std::optional<int> conversion(const KernelArgument& argument, const Parameter& parameter) {
  using Kind = KernelArgument::Kind;
  const auto type = find_type(parameter.type);
  const auto pointee = parameter.pointer ? find_type(parameter.pointee).value_or(Type{parameter.pointee}) : Type{};
  switch (argument.kind) {
    case Kind::number:
      if (parameter.pointer) return std::nullopt;
      if (!type || type->lanes != 1 || type->scalar == Scalar::none) return std::nullopt;
      if (type->scalar == argument.type.scalar) return 0;
      return type->is_integer() == argument.type.is_integer() ? 1 : 3;
    case Kind::pointer:
      if (!parameter.pointer || (argument.read_only && !parameter.const_pointee)) return std::nullopt;
      if (parameter.pointee == "void") return 2;
      if (!same_element(pointee, argument.type)) return std::nullopt;
      return parameter.const_pointee != argument.read_only ? 1 : 0;
    case Kind::null: return parameter.pointer ? std::optional(0) : std::nullopt;
    case Kind::object:
      if (parameter.pointer) return std::nullopt;
      if (type ? same_element(*type, argument.type) : parameter.type == argument.type.name) return 0;
      return std::nullopt;
    case Kind::texture:
      return type && type->scalar == Scalar::uint64 && !parameter.pointer ? std::optional(0) : std::nullopt;
    case Kind::stream: return parameter.type == kStreamType ? std::optional(0) : std::nullopt;
    case Kind::text:
      return argument.text && parameter.pointee == "char" && parameter.const_pointee ? std::optional(0) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<int> conversions(const KernelSignature& kernel, const std::vector<KernelArgument>& arguments) {
  if (kernel.parameters.size() != arguments.size()) return std::nullopt;
  if (!kernel.types_known) return 100;
  int sum = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto cost = conversion(arguments[i], kernel.parameters[i]);
    if (!cost) return std::nullopt;
    sum += *cost;
  }
  return sum;
}

}  // namespace

std::size_t choose_signature(const std::vector<const KernelSignature*>& overloads,
                             const std::vector<KernelArgument>& arguments, const Source& source, cell::Span call) {
  std::optional<std::size_t> best;
  bool second = false;
  int least = 0;
  for (std::size_t i = 0; i < overloads.size(); ++i) {
    const auto cost = conversions(*overloads[i], arguments);
    if (!cost) continue;
    if (!best || *cost < least) {
      best = i;
      second = false;
      least = *cost;
    } else if (*cost == least) {
      second = true;
    }
  }
  if (best && !second) return *best;
  const auto& first = *overloads.front();
  std::vector<std::string> given;
  for (const auto& argument : arguments) given.push_back(described(argument));
  const auto what =
      !best ? fmt::format("no {} takes ({})", first.name, fmt::join(given, ", "))
            : fmt::format("two {} {} take ({}) equally well", first.result.empty() ? "kernels" : "functions",
                          first.name, fmt::join(given, ", "));
  auto error = Error(ErrorKind::type, what).at(source.place(call));
  for (const auto* one : overloads) error.notes.push_back(declaration_note(*one));
  throw std::move(error).advise("Choose one with a cast: (float)n.");
}

const Kernel& choose_overload(const std::vector<Kernel>& overloads, const std::vector<KernelArgument>& arguments,
                              const Source& source, cell::Span launch) {
  std::vector<const KernelSignature*> signatures;
  for (const auto& kernel : overloads) signatures.push_back(kernel.signature);
  return overloads[choose_signature(signatures, arguments, source, launch)];
}

}  // namespace xcuda::interpreter
