// Kernels as cells declare them: template arguments that a launch leaves out, and default arguments.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "interpreter/frame.hpp"
#include "interpreter/host/template_arguments.hpp"
#include "interpreter/launches/kernel_argument.hpp"
#include "interpreter/launches/written_kernels.hpp"
#include "session/modules.hpp"

namespace xcuda::interpreter {

class KernelTemplates : public Part {
 public:
  explicit KernelTemplates(Frame& frame) : Part(frame) {}

  // The kernel that a launch means, with all template arguments. Error(type).
  const std::string& name_of(const cell::Launch& launch, const std::string& called);
  // The default arguments of the parameters that a launch leaves out; fewer where there are none.
  std::vector<const cell::Expression*> defaults(const Kernel& kernel, const cell::Launch& launch);

 private:
  std::string deduced(const cell::Launch& launch);
  std::string with_values(const std::string& name) const;  // empty where nothing is
  struct Declared {
    WrittenKernel written;
    cell::HostFunctionPtr function;
    std::map<std::string, cell::HostFunctionPtr> instances;  // of a template, by their names

    cell::HostFunctionPtr parsed(TemplateArguments::Given given) const;
  };
  const std::vector<Declared*>& declarations_of(std::string_view name);

  std::map<std::string, Declared> known_;  // by the text of the kernel
  struct Found {
    std::vector<Declared*> kernels;
    std::uint64_t revision = 0;  // of the program
  };
  std::map<std::string, Found> found_;  // by name
  // The kernel's name for each launch, whose tree outlives this: decided by its arguments each time, or by the program.
  struct Named {
    std::string name;
    std::uint64_t revision = 0;  // of the program; 0: each time
  };
  std::unordered_map<const cell::Launch*, Named> named_;
};

}  // namespace xcuda::interpreter
