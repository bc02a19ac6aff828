// Functions of cells that run on the host, by name: those whose bodies are statements, and those of host modules.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/methods.hpp"
#include "cell/parse.hpp"
#include "cell/tree.hpp"
#include "compiler/compile_output.hpp"
#include "session/host_module_table.hpp"
#include "session/statement_value.hpp"

namespace xcuda::session {

struct CellRun;

struct KnownFunction {
  cell::HostFunctionPtr function;
  cell::DevicePiece piece;
  std::string source;                       // "In[7]"
  std::shared_ptr<const std::string> text;  // of that cell
  std::vector<std::string> types;           // types that the cell defines
  cell::Grammar grammar = nullptr;
  std::map<std::string, cell::HostFunctionPtr> instances;  // of a template, by its arguments
  std::map<const cell::Declarator*, Variable> kept;        // static variables
  cell::LibraryScope library;
  bool is_specialization() const { return piece.key.ends_with(" template<>"); }
};
using KnownFunctionPtr = std::shared_ptr<KnownFunction>;

class HostFunctions {
 public:
  // Adds the functions of a cell, and removes names that the cell defines as device code.
  void define(const CellRun& run, cell::Grammar grammar);
  const std::vector<KnownFunctionPtr>& find(std::string_view name) const;  // overloads of one cell
  // The name under which the functions of a class are found: "Buffer", of a specialization "Buffer<float>".
  std::string class_of(const std::string& type) const;
  // The number that a pointer to a function has in memory, which is never the address of anything.
  std::uint64_t number_of(const std::string& function);  // 0: of no function
  std::string function_at(std::uint64_t number) const;   // empty: not such a number
  HostModuleTable& modules() { return modules_; }
  std::map<std::string, std::string>& headers() { return headers_; }  // that were read like cells: path -> text
  void clear() {
    functions_.clear();
    specializations_.clear();
    headers_.clear();
    modules_.clear();
  }

 private:
  void begin_class(std::string_view text, const cell::DevicePiece& type);

  std::map<std::string, std::vector<KnownFunctionPtr>, std::less<>> functions_;
  std::map<std::string, std::vector<cell::ClassText>, std::less<>> specializations_;  // by the class
  HostModuleTable modules_;
  std::map<std::string, std::string> headers_;
  std::vector<std::string> numbered_;
};

// Makes the piece a function of the host, one of the cell's functions.
const cell::HostFunction& make_host_function(CellRun& run, cell::DevicePiece& piece, cell::Grammar grammar,
                                             std::optional<Error> complaint = {});
// Makes the functions that the compiler complains about the host's. False: there are none.
bool set_aside(CellRun& run, cell::Grammar grammar, const std::vector<compiler::Diagnostic>& diagnostics);

}  // namespace xcuda::session
