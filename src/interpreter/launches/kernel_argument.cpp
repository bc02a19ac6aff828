#include "interpreter/launches/kernel_argument.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::optional<KernelArgument> argument_of(const language::Form& form, const cell::Argument& given) {
  KernelArgument argument;
  argument.span = given.value->span;
  argument.name = given.name;
  argument.type = form.type;
  argument.read_only = form.read_only;
  switch (form.kind) {
    case language::Form::Kind::number:
      if (!form.has_type() || !form.value || form.type.scalar >= Scalar::complex64) return std::nullopt;
      argument.kind = KernelArgument::Kind::number;
      if (form.value->is_integer())
        argument.number = form.value->as_signed();
      else
        argument.number = form.value->as_real();
      return argument;
    case language::Form::Kind::array:
      if (!form.has_type() || form.memory == language::Form::Memory::none) return std::nullopt;
      argument.kind = KernelArgument::Kind::pointer;
      if (form.extents && std::all_of(form.extents->begin(), form.extents->end(), [](const auto& one) { return one; }))
        for (std::size_t d = 1; d < form.extents->size(); ++d) argument.row.push_back(*(*form.extents)[d]);
      argument.whole_array = form.memory == language::Form::Memory::whole;
      if (const auto* name = std::get_if<cell::Name>(&given.value->node)) argument.array = name->text;
      return argument;
    case language::Form::Kind::null: argument.kind = KernelArgument::Kind::null; return argument;
    default: return std::nullopt;  // checked when the launch is reached
  }
}

}  // namespace xcuda::interpreter
