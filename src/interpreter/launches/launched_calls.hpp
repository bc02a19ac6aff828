// cudaLaunchKernel((void*)kernel, grid, block, args) as a launch.
#pragma once

#include <map>
#include <memory>
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

 private:
  std::map<std::string, const cell::List*> lists_;
  std::map<const cell::Expression*, std::unique_ptr<cell::Launch>> launches_;  // by the kernel's expression
};

}  // namespace xcuda::interpreter
