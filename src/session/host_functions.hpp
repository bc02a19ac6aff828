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
  std::vector<std::pair<std::string, ItemPtr>> captures = {};  // of a lambda, by value
  bool is_specialization() const { return piece.key.ends_with(" template<>"); }
};
using KnownFunctionPtr = std::shared_ptr<KnownFunction>;

struct KnownRecord {
  cell::RecordPtr record;
  cell::DevicePiece piece;
  std::string source;
  std::shared_ptr<const std::string> text;
  std::vector<std::string> types;
  cell::LibraryScope library;
  std::vector<std::string> parameters;               // of a template
  std::map<std::string, cell::RecordPtr> instances;  // of a template, by its type
};

class HostFunctions {
 public:
  // Adds the functions of a cell, and removes names that the cell defines as device code.
  void define(const CellRun& run, cell::Grammar grammar);
  // Adds a lambda that statements run, or does nothing where it is known.
  void add(const CellRun& run, const cell::DevicePiece& piece, const std::string& text);
  const std::vector<KnownFunctionPtr>& find(std::string_view name) const;  // overloads of one cell
  // The name under which the functions of a class are found: "Buffer", of a specialization "Buffer<float>".
  std::string class_of(const std::string& type) const;
  // What the values of a record are made of: "Particle", "Stack<int>". Null: no cell defines it.
  cell::RecordPtr record(std::string_view name);
  // The number that a pointer to a function has in memory, which is never the address of anything.
  std::uint64_t number_of(const std::string& function);  // 0: of no function
  std::string function_at(std::uint64_t number) const;   // empty: not such a number
  HostModuleTable& modules() { return modules_; }
  std::map<std::string, std::string>& headers() { return headers_; }  // that were read like cells: path -> text
  void clear() {
    functions_.clear();
    records_.clear();
    specializations_.clear();
    headers_.clear();
    modules_.clear();
  }

 private:
  void begin_class(std::string_view text, const cell::DevicePiece& type);

  std::map<std::string, std::vector<KnownFunctionPtr>, std::less<>> functions_;
  std::map<std::string, std::vector<cell::ClassText>, std::less<>> specializations_;  // by the class
  std::map<std::string, KnownRecord, std::less<>> records_;
  HostModuleTable modules_;
  std::map<std::string, std::string> headers_;
  std::vector<std::string> numbered_;
};

// The constructor of a record that has none of its own, as a function without a body.
cell::DevicePiece implicit_constructor(const cell::DevicePiece& record);
// Makes the piece a function of the host, one of the cell's functions.
const cell::HostFunction& make_host_function(CellRun& run, cell::DevicePiece& piece, cell::Grammar grammar,
                                             std::optional<Error> complaint = {});
// Makes the functions that the compiler complains about the host's. False: there are none.
bool set_aside(CellRun& run, cell::Grammar grammar, const std::vector<compiler::Diagnostic>& diagnostics);

}  // namespace xcuda::session
