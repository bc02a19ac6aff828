// The device code that cells have defined: definitions visible to later cells, loaded modules, and the types in them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/compile_output.hpp"
#include "compiler/program.hpp"
#include "display/array_view.hpp"
#include "display/compile_report.hpp"
#include "files/files_client.hpp"
#include "session/host_functions.hpp"
#include "session/modules.hpp"
#include "session/statement_value.hpp"
#include "session/submission.hpp"

namespace xcuda::session {

// A piece of device code that is visible to later cells.
struct Definition {
  cell::DevicePiece piece;
  std::string text, source;  // its source text; "In[3]"
  int line = 0;
};

// Constants of device code as statements see them; see interpreter/host_constants.hpp, which evaluates them.
struct ConstantTable {
  std::map<std::string, std::optional<Value>> values;  // the values asked for so far; empty while one is evaluated
  int nested_height = 0;                               // of constants and macros while they are evaluated
  bool varies = false;                                 // the one that is evaluated, or one in it, names variables
};

struct StructMember {
  std::string name;
  Type type;                         // of an element; without a scalar and members where only the device knows more
  std::vector<std::uint64_t> shape;  // of an array member; else empty
  std::uint64_t offset = 0;          // bytes
};

class DeviceCode {
 public:
  struct Parts {
    SessionParts& parts;
    const Settings& settings;
    Current& current;
    Progress& progress;
    ChosenDevice& device;
    Submission& submission;
    ModuleVariables& variables;
  };
  explicit DeviceCode(Parts parts) : parts_(parts) {}

  const compiler::Program& program() const { return program_; }
  const std::vector<Definition>& definitions() const { return definitions_; }
  ConstantTable& constants() { return constants_; }
  ModuleTable& modules() { return modules_; }
  HostFunctions& functions() { return functions_; }

  struct CellRequest {
    std::vector<cell::Word> options;
    compiler::Overloads overloads = compiler::Overloads::replace;
    // Called with what was compiled, before any of it is loaded; what it throws leaves the session as it was.
    std::function<void(const compiler::CompileOutput&)> check;
    // What to do where device code uses this name, which the compiler does not know; empty where it is unknown here,
    // too.
    std::function<std::string(const std::string& name)> advice_on;
    cell::Grammar grammar = nullptr;  // of what functions of the host hold
    std::string folder = {};          // where its headers are; empty: the session's
  };
  // Compiles the cell's device code, loads it, and makes it the session's.
  // Throws CompileFailure, or the device's Error(compile), without any change.
  display::CompileView compile(CellRun& run, const CellRequest& request);
  // The kernels with the name that a launch spells, the newest first. It makes template instances on demand, and
  // compiles a kernel again, with a note, if its definitions have changed since. Error(name) with the nearest name when
  // there is none; CompileFailure.
  const std::vector<Kernel>& find_kernels(CellRun& run, const std::string& name, cell::Span span);
  // Loads a module that no cell compiled, replacing one of the same name. span: of what names it, for errors. Errors:
  // those of files/files_client.hpp and of the device.
  const Module& load_file(CellRun& run, files::ModuleFile file, cell::Span span);
  // Called at the end of a cell: the device may begin to compile kernels that are new to it.
  void prepare();
  // Compiles code for people to read, within the cell's limits. Errors: those of Device::machine_code().
  device::MachineCode machine_code(const device::CodeRequest& request);
  device::ModuleId next_module() { return device::ModuleId{next_module_++}; }

  // Defines the struct of a lambda of statements: kernel templates may be instantiated with it.
  void define_closure(const std::string& name, std::string declaration) { closures_[name] = std::move(declaration); }
  std::string closures_in(std::string_view name) const;  // their declarations

  // The layout of a type that only the compiler knows. Error(name) when there is none.
  Type find_type(const Source& source, const std::string& spelling, cell::Span span);
  struct TypeAnswer {
    Type type;
    std::optional<Error> error;
  };
  TypeAnswer try_find_type(const Source& source, const std::string& spelling, cell::Span span);
  // Whether a kernel was compiled with the definitions that count now.
  bool is_current(const Kernel& kernel) const;
  // The error for a name that no kernel has; nothing if a kernel has it.
  std::optional<Error> no_kernel(const Source& source, const std::string& name, cell::Span span) const;
  // The members of a struct, without those of its nested structs. Empty if it is not a struct, or unknown.
  std::vector<StructMember> members_of(const Type& type);
  // Refuses a value of a struct that has another layout by now. what: its name. Error(type), with both layouts.
  void require_current(const Source& source, const Type& type, const std::string& what, cell::Span span);
  // Refuses a kernel whose own cell has another struct of the type's name. Error(type).
  void require_same_struct(const Source& source, const Kernel& kernel, const Type& type, cell::Span span);
  std::vector<display::RecordField> fields_of(const Type& type,
                                              std::size_t level = 1);  // as they are shown, "a.x" for a nested one

  compiler::CompileOutput compile(const compiler::CompileRequest& request) const;
  compiler::CompileOptions options(const std::vector<cell::Word>& words = {});  // after those of all cells

  void clear();  // forgets and unloads all of it

 private:
  compiler::CompileOutput compile(CellRun& run, const CellRequest& request, const compiler::CellCode& code) const;
  Error unknown_kernel(const Source& source, const std::string& name, cell::Span span) const;
  struct KnownType {
    compiler::TypeLayout layout;
    std::uint32_t number = 0;  // Type::layout; 0 until it is asked for
  };
  KnownType* layout_of(const std::string& spelling, std::string& why);
  Type type_of(KnownType& known);
  std::string layout_text(const compiler::TypeLayout& layout, std::size_t level = 0);
  void note_definitions(const CellRun& run, const compiler::Replaced& replaced);
  const std::vector<Kernel>* find_known(const std::string& name) const;
  void refresh(CellRun& run, const std::string& name);
  void compile_again(CellRun& run, const Module& old, const std::vector<compiler::Changed>& changed);
  Module made(compiler::CompileOutput output, std::string source);  // on the device, and in no table
  Module& load(compiler::CompileOutput output, std::string source);
  Module& add(Module module);
  void unload(device::ModuleId id);

  Parts parts_;
  compiler::Program program_;
  std::vector<Definition> definitions_;
  ConstantTable constants_;
  ModuleTable modules_;
  HostFunctions functions_;
  std::map<std::string, std::string> closures_;  // name -> declaration
  std::map<std::string, KnownType> types_;       // as the definitions that count now have them
  std::vector<std::string> layouts_;             // all that structs have had; Type::layout counts them from 1
  std::uint32_t next_module_ = 1;
};

}  // namespace xcuda::session
