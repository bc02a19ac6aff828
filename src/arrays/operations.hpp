// Kernels of the project's own. They are written in CUDA C++ in share/xcuda/include/xcuda/, compiled when first wanted
// like a cell is, and live in modules that no name, list or report shows. Launches are posted to the default stream, or
// to the one that is captured.
//
//   const auto& fill = operations.find({"xcuda/sequence.cuh", "xcuda::fill_sequence<float>"});
//   operations.launch(fill, {.grid = {blocks}, .block = {256}}, OperationArguments(fill).add(address).add(rule));
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "arrays/array_plans.hpp"
#include "arrays/workspace.hpp"
#include "compiler/compile_output.hpp"
#include "device/device.hpp"

namespace xcuda::arrays {

struct OperationRequest {
  std::string header;      // "xcuda/sequence.cuh", as #include <> finds it
  std::string expression;  // names one kernel in it, with template arguments: "xcuda::fill_sequence<float>"
};

struct Operation {
  device::ModuleId module{};
  std::string name;               // for errors: the expression
  device::FunctionInfo function;  // entry and the layout of its parameters
  compiler::KernelSignature signature;
};

// Most operations launch blocks of this many threads.
inline constexpr std::uint32_t kBlock = 256;

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
constexpr std::uint32_t blocks_for(std::uint64_t threads) {
  return static_cast<std::uint32_t>(ceil_div(threads, kBlock));
}

struct OperationLaunch {
  device::Dim3 grid, block;
  std::uint64_t dynamic_shared = 0;  // bytes
};

// Arguments by value, in the order of the parameters. A size that differs from the parameter's is Error(internal).
class OperationArguments {
 public:
  explicit OperationArguments(const Operation& operation) : operation_(operation) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> OperationArguments& add(const T& value) {
    add_bytes(std::as_bytes(std::span(&value, 1)));
    return *this;
  }
  void add_bytes(std::span<const std::byte> value);
  std::size_t next_offset() const;  // bytes before the next one
  std::vector<std::byte> take() const;

 private:
  const Operation& operation_;
  std::vector<std::byte> bytes_;
  std::size_t next_ = 0;
};

// Device memory without a name; freed with the object, after what was posted.
class Temporary {
 public:
  Temporary(Workspace& workspace, std::uint64_t bytes);  // Error(memory)
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  device::Address address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Workspace& workspace_;
  device::Address address_ = 0;
  std::uint64_t bytes_ = 0;
};

// Source that is put together for one statement, with earlier cells' definitions of the names in it. Without names it
// is complete by itself.
using OperationSource = compiler::Program::Addition;
using compiler::Arithmetic;

struct OperationModule {
  device::ModuleId id{};
  std::vector<Operation> operations;
  std::string source;          // the whole translation unit
  bool names_cells = false;    // it uses what cells define
  std::uint64_t revision = 0;  // of the program it was put together from

  const Operation& find(std::string_view kernel) const;
  // What the parameter of its kernel xcuda_size carries in its type, "unsigned char (*) [16]": the bytes of one partial
  // result.
  std::uint64_t state_bytes() const;
};

// A module, or why there is none.
struct OperationResult {
  const OperationModule* module = nullptr;
  std::vector<compiler::Diagnostic> diagnostics;
  std::string log;
};

class Operations {
 public:
  explicit Operations(Workspace& workspace) : workspace_(workspace) {}

  // The operation, compiled and loaded when first wanted. The reference is good until the device or the cells change.
  // Errors: internal (it does not compile), interrupted, memory.
  const Operation& find(const OperationRequest& request);
  OperationResult compile(const OperationSource& source);
  // The same of a source that is only written where the key is new, or the cells that it names have changed. Sources of
  // one key have one text.
  OperationResult compile(std::string_view key, const std::function<OperationSource()>& write);
  bool knows(const OperationSource& source) const;  // compiled before, with these options
  // What was made from other code than the source of a cell; loaded when first wanted. The key says from what.
  const Operation& keep(const std::string& key, const std::function<compiler::CompileOutput()>& make);
  void launch(const Operation& operation, const OperationLaunch& launch, const OperationArguments& arguments);
  static device::LaunchRequest request(const Operation& operation, const OperationLaunch& launch,
                                       const OperationArguments& arguments);
  ArrayPlans& plans();  // of the cells as they are

  Workspace& workspace() const { return workspace_; }
  std::size_t size() const { return modules_.size(); }
  std::vector<device::ModuleId> loaded() const;  // on the device in use
  void drop();                                   // all of them

 private:
  std::string key_of(const OperationSource& source) const;
  OperationResult compile_new(const std::string& key, const OperationSource& source);
  std::vector<std::string> options() const;  // of the compiler, for kernels of the project's own
  OperationModule& load(const std::string& key, const compiler::CompileOutput& output);

  Workspace& workspace_;
  std::unordered_map<std::string, OperationModule> modules_;  // by what they were made from
  ArrayPlans plans_;
};

// The element type as xcuda/element.cuh spells it: "float", "xcuda::HalfBits", "xcuda::Complex<float>". Only for
// numbers of one lane.
std::string operation_element(const Type& type);

}  // namespace xcuda::arrays
