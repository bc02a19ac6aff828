// Kernel signatures from compiled code: the Itanium-mangled entry of a C++ kernel holds its parameter types; those of
// an extern "C" kernel come from a helper entry, `xcuda_signature<decltype(&kernel)>`, which is hidden from what is
// shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::compiler {

struct FunctionType {
  std::string name;                     // "demo::scale<double>", without the return type
  std::vector<std::string> parameters;  // canonical types
};
// "void demo::scale<double>(double*, float const*)" and "saxpy(float, P)".
std::optional<FunctionType> parse_function(std::string_view demangled);

Parameter parameter_of(std::string_view type);  // type, pointer, const_pointee, pointee

// The helper: the text to put after the cell, the expressions to add, and whether an entry is the helper's.
std::string_view helper_declaration();
std::string helper_expression(std::string_view kernel);
std::string type_expression(std::string_view type);
bool is_helper_entry(std::string_view symbol);
std::string without_helpers(std::string_view ptx, const ptx::Module& module);
// The T of a helper's lowered name, demangled: "void (*)(float, P)" or "float const*".
std::optional<std::string> helper_type(std::string_view symbol);

struct SignatureRequest {
  const ptx::Module& module;
  const std::vector<KernelSource>& sources;
  const std::vector<std::pair<std::string, std::string>>& lowered_names;  // helper expressions included
  const std::vector<std::string>& instances;                              // name expressions of kernel templates
};
std::vector<KernelSignature> kernel_signatures(const SignatureRequest& request);
std::vector<VariableSignature> variable_signatures(const ptx::Module& module,
                                                   const std::vector<VariableSource>& sources);

}  // namespace xcuda::compiler
