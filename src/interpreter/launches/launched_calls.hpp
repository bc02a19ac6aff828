// cudaLaunchKernel((void*)kernel, grid, block, args) as a launch.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class LaunchedCalls : public Part {
 public:
  explicit LaunchedCalls(Frame& frame) : Part(frame) {}

  // Remembers void* args[] = {&x, (void*)&n}, the arguments of a later launch; false: another declaration.
  bool remember(const cell::Declaration& declaration, const cell::Declarator& declarator);
  // given: kernel, grid, block, arguments, shared memory, stream; the last two may be null. Error(type)
  const cell::Launch* launch(std::string_view function, const std::vector<const cell::Expression*>& given,
                             cell::Span span);
  // The node of a graph that launches a kernel, as cudaKernelNodeParams describes it. Error(unsupported)
  struct Node {
    std::string kernel;
    device::Dim3 grid, block;
    std::uint64_t shared = 0, parameters = 0;  // the latter: the address of a list
  };
  const cell::Launch* launch(const Node& node, cell::Span span);
  // Of a list by its name, as a program puts it into a struct: a number that only launch() understands.
  std::optional<Pointer> address_of_list(std::string_view name) const;

 private:
  struct AddressList {
    const cell::List* list = nullptr;
    std::uint64_t number = 0;  // as an address
  };
  std::map<std::string, AddressList, std::less<>> lists_;
  std::map<const cell::Expression*, std::unique_ptr<cell::Launch>> launches_;  // by the kernel's expression
  std::vector<std::unique_ptr<cell::Launch>> nodes_;
};

}  // namespace xcuda::interpreter
