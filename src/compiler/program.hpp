// The device code of a session: what earlier cells defined, put together with a new cell.
//
// A translation unit is: all includes of earlier cells; then, for each earlier cell, the pieces that the new cell needs
// (directly or through others), between that cell's own #defines and #undefs, with #line; then the live macros it uses
// and the cell. Kernels of earlier cells are left out, except those that a kernel may launch. Nothing changes before
// commit(): a failed compile leaves no trace.
//
// A piece is needed when its name occurs in text that is needed. Names are compared by their last part, so that too
// much may be taken but never too little; operators, `using namespace` and pragmas always are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/macro.hpp"
#include "cell/tree.hpp"
#include "compiler/compile_output.hpp"
#include "compiler/options.hpp"
#include "compiler/written_program.hpp"

namespace xcuda::compiler {

// What a cell's functions do to functions of other cells with their names and other parameters.
enum class Overloads : std::uint8_t { replace, keep };

class Assembly;
struct Unit;

struct CellCode {
  const cell::Cell* cell = nullptr;
  std::string name;     // "In[7]"
  std::string cell_id;  // JupyterLab's; empty when the client sends none
  CompileOptions options;
  Overloads overloads = Overloads::replace;
};

// What a module was compiled from: the kernels of a cell, or an instance of a template, and the definitions of other
// cells that were in its translation unit, by name.
struct Origin {
  int unit = 0;
  std::string instance;                     // "scale<double>"; empty: the cell's kernels
  std::string declarations = {};            // declarations that the instance needs and no cell has
  std::map<std::string, std::string> used;  // name -> text
  std::uint64_t revision = 0;               // of the program when `used` was last the same
};

// A definition that differs from the one that a module was compiled with.
struct Changed {
  std::string name, source;  // "In[7]", which has it now
};

// A function of another cell that a commit replaced.
struct ReplacedFunction {
  std::string signature, source;  // "scale(float*, int)", "In[3]"
  cell::Span by;                  // the name of the one that did, in the new cell
  enum class Parameters : std::uint8_t { same, other } parameters = Parameters::same;
};

// What a commit took away, by qualified name.
struct Replaced {
  std::vector<ReplacedFunction> elsewhere;
  Origin origin;                     // of what the cell was compiled to
  std::vector<std::string> kernels;  // without a definition now, or none with the old parameters; a template's name
                                     // means all its instances
  std::vector<std::string> variables, types, functions;  // gone, or defined anew
};

// A constant that statements may use: a constexpr variable, an enumerator, an object-like macro.
struct HostConstant {
  std::string name, type, expression;  // type empty for macros and enumerators
  std::string source;                  // "In[3]"
  enum class Kind : std::uint8_t { variable, macro, enumerator } kind = Kind::variable;
};

// What operations on numbers mean: as the options of the session say; or each rounded by itself, as g++ -O2 has it for
// the host; or with the host's functions, checked shifts and signed integers that wrap as well, which code needs that
// runs on the host. What the compiler refuses then is compiled without wrapping, and without checked shifts.
enum class Arithmetic : std::uint8_t { device, rounded, host, host_overflowing, host_unchecked };

class Program {
 public:
  Program();
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  // Whether a cell has anything to compile; a cell without is committed all the same.
  static bool has_device_code(const cell::Cell& cell);

  CompileRequest assemble(const CellCode& code) const;
  Replaced commit(const CellCode& code);
  // The definitions that changed since a module was compiled, and the request to compile it again with today's.
  std::vector<Changed> changes(Origin& origin) const;
  // The cell that has another definition of a name of the module's own cell; nothing where the text is the same, or no
  // other cell defines it.
  std::optional<Changed> replaced_own(const Origin& origin, std::string_view name) const;
  CompileRequest again(const Origin& origin) const;
  Origin compiled_now(const Origin& origin) const;  // of a module that is compiled from the same, now

  // A module with one instance of a kernel template, "demo::scale<double>"; with the options of its cell.
  // Error(name) when there is no such template.
  // declarations: of types in the expression that no cell has.
  CompileRequest instantiate(std::string_view expression, std::string_view declarations = {}) const;
  // The layout of a type that cells or the toolkit define; CompileOutput::type_layout answers.
  CompileRequest type_query(std::string_view type, const CompileOptions& options) const;
  // Source of the kernel's own after all that earlier cells define of the names in `names`.
  struct Addition {
    std::string includes;  // lines in front of everything; empty: none
    std::string names;     // a text whose identifiers are looked for
    std::string source;
    Arithmetic arithmetic = Arithmetic::device;
  };
  CompileRequest extend(const Addition& addition, const CompileOptions& options) const;
  std::uint64_t revision() const;  // rises when a commit or a clear changes what extend() may give

  cell::LibraryScope library_scope() const;  // for the next cell

  bool is_function(std::string_view name) const;  // of device code, no kernel
  std::optional<cell::Macro> function_macro(std::string_view name) const;
  bool is_kernel_template(std::string_view name) const;
  std::vector<std::string> kernel_names() const;  // templates included
  // The newest of this name: a constexpr variable, a macro without parameters, an enumerator.
  std::optional<HostConstant> host_constant(std::string_view name) const;
  // The piece of source that defines a name, for name??; empty when there is none.
  std::string source_of(std::string_view name) const;

  WrittenProgram written() const;  // all that is alive, for nvcc

  void clear();  // %reset

 private:
  static CompileRequest of_cell(const Unit& unit, Assembly assembly);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xcuda::compiler
