// Kernels of one name, and which of them a launch means. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "interpreter/launches/kernel_argument.hpp"
#include "session/modules.hpp"
#include "session/place.hpp"

namespace xcuda::interpreter {

// The index of the signature that takes the arguments best. Errors: those of choose_overload().
std::size_t choose_signature(const std::vector<const compiler::KernelSignature*>& overloads,
                             const std::vector<KernelArgument>& arguments, const Source& source, cell::Span call);
// Which of a kernel's overloads takes these arguments best, as C++ chooses: without a conversion where one does.
// Errors: type (none takes them, or two do equally well), at the launch.
const Kernel& choose_overload(const std::vector<Kernel>& overloads, const std::vector<KernelArgument>& arguments,
                              const Source& source, cell::Span launch);

}  // namespace xcuda::interpreter
