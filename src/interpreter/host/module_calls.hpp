// Calls of functions of host modules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interpreter/frame.hpp"
#include "interpreter/launches/kernel_argument.hpp"
#include "interpreter/targets.hpp"
#include "session/host_module_table.hpp"

namespace xcuda::interpreter {

// The error for a function that no call can be right for; nothing for other functions.
std::optional<Error> refuse_module_function(const HostModuleTable& table, const std::string& name,
                                            const language::Where& where);

class ModuleCalls : public Part {
 public:
  explicit ModuleCalls(Frame& frame) : Part(frame) {}

  // Calls a function; nothing where no module has one of this name. A function without a result and without references
  // is posted; others are waited for.
  std::optional<Value> call(const cell::Call& call, const std::string& name, cell::Span span);

 private:
  struct Reference {
    Target target;
    Type type;
    cell::Span span;
  };
  ModuleFunctionPtr choose(const std::vector<ModuleFunctionPtr>& overloads, const cell::Call& call, cell::Span span);
  KernelArgument argument(const cell::Expression& expression, const ModuleFunction& function, std::size_t index,
                          std::vector<Reference>& references);
  void check_layout(const KernelArgument& argument, const ModuleFunction& function, std::size_t index) const;
  Value result(const ModuleFunction& function, const Type& type, std::span<const std::byte> bytes) const;
  Type type_of(const device::HostType& type, const ModuleFunction& function, cell::Span span);
};

}  // namespace xcuda::interpreter
