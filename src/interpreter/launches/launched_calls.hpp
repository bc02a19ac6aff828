// cudaLaunchKernel((void*)kernel, grid, block, args) as a launch.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
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
  // cudaLaunchKernelEx(&config, kernel, x, n). Error(unsupported)
  struct Configured {
    const cell::Expression& kernel;
    device::Dim3 grid, block;
    std::uint64_t shared = 0;
    std::span<const cell::Expression* const> arguments;
    bool listed = false;  // they are one list of addresses
    cell::Span configuration;
  };
  const cell::Launch* launch(std::string_view function, const Configured& of, cell::Span span);
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
  static bool set_kernel(const cell::Expression& kernel, cell::Launch& launch);  // false: it cannot be one
  static void set_extents(const device::Dim3& grid, const device::Dim3& block, std::uint64_t shared,
                          cell::Launch& launch);
  // What a name means: its variable, or the array of a block.
  struct Meaning {
    const Variable* variable = nullptr;
    std::size_t depth = 0;
    bool operator==(const Meaning&) const = default;
  };
  struct Addressed {
    cell::ExpressionPtr place;         // its subscripts are those that it had when the list was made
    const cell::Name* root = nullptr;  // of the place; null: of what a call gives
    Meaning meaning;
  };
  struct AddressList {
    std::vector<Addressed> places;
    std::uint64_t number = 0;  // as an address
  };
  using Lists = std::map<std::string, AddressList, std::less<>>;
  Meaning meaning_of(const cell::Name& name) const;
  Addressed addressed(const cell::Expression& place);
  // Error(value): a name means something else now.
  void add_arguments(const Lists::value_type& list, cell::Launch& launch, cell::Span span);

  Lists lists_;
  Lists::const_iterator find_list(const cell::Expression& expression) const;
  std::map<const cell::Expression*, std::unique_ptr<cell::Launch>> launches_;  // by the kernel's expression
  // Of a call with arguments, by its kernel's expression: one for each configuration that it had.
  std::map<const cell::Expression*, std::vector<std::unique_ptr<cell::Launch>>> configured_;
  std::vector<std::unique_ptr<cell::Launch>> nodes_;
};

}  // namespace xcuda::interpreter
