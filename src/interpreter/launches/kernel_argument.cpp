#include "interpreter/launches/kernel_argument.hpp"

#include <fmt/format.h>

#include "display/compile_report.hpp"
#include "display/readable_name.hpp"

namespace xcuda::interpreter {

std::string number_text(const Number& number) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, number);
}

std::string prototype(const compiler::KernelSignature& kernel) {
  return display::readable_name(kernel.name) + display::signature_text(kernel);
}

std::string declaration_note(const compiler::KernelSignature& kernel) {
  return fmt::format("{}: {} {}", kernel.name, kernel.result.empty() ? "__global__ void" : kernel.result,
                     prototype(kernel));
}

std::string described(const KernelArgument& argument) {
  switch (argument.kind) {
    case KernelArgument::Kind::number: return fmt::format("{} ({})", argument.type.name, number_text(argument.number));
    case KernelArgument::Kind::pointer:
      return argument.whole_array ? fmt::format("the array {} of {}", argument.array, argument.type.name)
                                  : fmt::format("a pointer to {}", argument.type.name);
    case KernelArgument::Kind::null: return "a null pointer";
    case KernelArgument::Kind::object: return "a " + argument.type.name;
    case KernelArgument::Kind::texture: return fmt::format("a {} of {}", argument.texture->kind(), argument.array);
    case KernelArgument::Kind::stream: return "a stream";
    case KernelArgument::Kind::text: return "a string";
  }
  return "?";
}

bool same_element(const Type& a, const Type& b) {
  if (a.scalar != Scalar::none && b.scalar != Scalar::none) return a.scalar == b.scalar && a.lanes == b.lanes;
  return a.name == b.name;
}

}  // namespace xcuda::interpreter
