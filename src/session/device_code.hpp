// The device code that cells have defined: what is visible to later cells, what is loaded, and the types in it.
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
#include "files/client.hpp"
#include "session/modules.hpp"
#include "session/submission.hpp"
#include "session/value.hpp"

namespace xcuda::session {

// A piece of device code that is visible to later cells.
struct Definition {
  cell::DevicePiece piece;
  std::string text, source;  // its source text; "In[3]"
  int line = 0;
};

// Constants of device code as statements see them; see interpreter/host_constants.hpp, which evaluates them.
struct ConstantTable {
  std::map<std::string, std::optional<Value>> values;  // those asked for so far; empty while one is evaluated
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

  // Compiles the cell's device code with these option words, loads it, and makes it the session's.
  // Throws CompileFailure, or the device's Error(compile); nothing has changed then.
  // check: called with what was compiled, before any of it is loaded; what it throws leaves the session as it was.
  using Check = std::function<void(const compiler::CompileOutput&)>;
  display::CompileView compile(CellRun& run, const std::vector<cell::Word>& option_words, const Check& check = {});
  // The kernels of the name that a launch spells, the newest first; template instances are made on demand. Error(name)
  // with the nearest name when there is none.
  const std::vector<Kernel>& find_kernels(CellRun& run, const std::string& name, cell::Span span);
  // A module that no cell compiled; one of the same name is replaced. span: of what names it, for errors. Errors: those
  // of files/client.hpp and of the device.
  const Module& load_file(CellRun& run, files::ModuleFile file, cell::Span span);
  device::ModuleId next_module() { return device::ModuleId{next_module_++}; }

  // The layout of a type that only the compiler knows. Error(name) when there is none.
  Type find_type(const Source& source, const std::string& spelling, cell::Span span);
  struct TypeAnswer {
    Type type;
    std::optional<Error> error;
  };
  TypeAnswer try_find_type(const Source& source, const std::string& spelling, cell::Span span);
  // What is wrong with a name that no kernel has; nothing where one has it.
  std::optional<Error> no_kernel(const Source& source, const std::string& name, cell::Span span) const;
  // The members of a struct, those of its nested structs not among them. Empty if it is not a struct, or not known.
  std::vector<StructMember> members_of(const Type& type);
  std::vector<display::RecordField> fields_of(const Type& type,
                                              std::size_t level = 1);  // as they are shown, "a.x" for a nested one

  compiler::CompileOutput compile(const compiler::CompileRequest& request) const;
  compiler::CompileOptions options(const std::vector<cell::Word>& words = {});  // after those of all cells

  void clear();  // forgets and unloads all of it

 private:
  Error unknown_kernel(const Source& source, const std::string& name, cell::Span span) const;
  const compiler::TypeLayout* layout_of(const std::string& spelling, std::string& why);
  void note_definitions(const CellRun& run, const compiler::Replaced& replaced);
  Module& load(compiler::CompileOutput output, std::string source);
  Module& add(Module module);
  void unload(device::ModuleId id);

  Parts parts_;
  compiler::Program program_;
  std::vector<Definition> definitions_;
  ConstantTable constants_;
  ModuleTable modules_;
  std::map<std::string, compiler::TypeLayout> layouts_;
  std::uint32_t next_module_ = 1;
};

}  // namespace xcuda::session
