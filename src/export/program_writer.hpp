// The session as one CUDA C++ program: its device code, and the statements of its cells as main(). Statements keep
// their text; what C++ lacks becomes a call of a small library (share/xcuda/program); the program holds the
// parts that it uses. A statement over whole arrays becomes a struct with the element's expression, named after its
// cell and line.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cell/tree.hpp"
#include "compiler/written_program.hpp"
#include "language/check.hpp"
#include "language/functions.hpp"
#include "session/place.hpp"
#include "session/session.hpp"

namespace xcuda::exporter {

using namespace session;

struct ExportedCell {
  std::string name, text;
};

class ProgramWriter {
 public:
  ProgramWriter(Session& session, CellRun& run) : session_(session), run_(run) {}
  // The cells in order; each has run. file_name: for the line that says how to build it.
  // Errors: unsupported, with the place in its cell and what to do.
  std::string write(const std::vector<ExportedCell>& cells, std::string_view file_name);

 private:
  enum class Kind : std::uint8_t { number, array, stream, event, dimensions, object, kernel };
  struct Symbol {
    Kind kind = Kind::number;
    std::string spelling;  // in the program
    std::string type;      // of an element, as written; empty where only the compiler knows it
    int rank = 0;
  };
  // The struct of an expression over arrays, while it is written.
  struct Element {
    std::vector<std::pair<std::string, std::string>> inputs;  // parameter, argument of elements()
    bool special = false;                                     // 16-bit and complex elements
    bool calls = false;                                       // functions of device code
  };
  struct LaunchStyle {
    std::string shared, stream, cluster;
    bool cooperative = false;
  };
  using Pieces = std::vector<std::pair<cell::Span, std::string>>;

  // program_writer.cpp
  void count_declarations(const std::vector<cell::StatementPtr>& statements);
  void write_cell(const ExportedCell& cell);
  enum class MagicOf : std::uint8_t { cell, line };
  void write_magic(const cell::Magic& magic, cell::Span span, MagicOf of);
  std::string assembled(const compiler::WrittenProgram& device, std::string_view file_name) const;
  std::string text(cell::Span span) const {
    return std::string(source_.text.substr(span.begin, span.end - span.begin));
  }
  std::string spliced(cell::Span span, Pieces pieces) const;  // the text with parts of it replaced
  std::string place_text(cell::Span span) const;              // "In[3], line 2"
  Error cannot(std::string what, cell::Span span, std::string advice) const;
  void need(std::string_view part) { parts_.insert(std::string(part)); }
  void line(const std::string& text);
  void comment(cell::Span span, std::string_view why);

  // Names.
  const Symbol* find(const std::string& name) const;
  void expect_known(const std::string& name, cell::Span span) const;
  const cell::DevicePiece* variable(const std::string& name) const;  // __device__ or __constant__
  std::string declare(const std::string& name, Symbol symbol);       // its spelling

  // program_statements.cpp
  void statement(const cell::Statement& statement);
  void body(const cell::Statement& statement);  // of a loop or a branch, in braces
  void declaration(const cell::Declaration& declaration, cell::Span span);
  void several(const cell::Declaration& declaration);
  void array_declaration(const cell::Declaration& declaration, const cell::Declarator& declarator);
  void scalar_declaration(const cell::Declaration& declaration, const cell::Declarator& declarator);
  void initial_value(const std::string& name, const cell::Declarator& declarator, const std::string& type);
  std::string loaded(const cell::Call& call, const std::string& name);
  void launch(const cell::Launch& launch);
  bool is_kernel(std::string_view name) const;
  std::string launched(const cell::Launch& launch);  // the kernel, or what points to it
  std::string pointed(const cell::Expression& kernel);
  void kernel_pointer(const cell::Declaration& declaration, const cell::Declarator& declarator);
  std::string dimensions(const cell::Expression& expression);
  void shown(const cell::Expression& expression);
  void assign(const cell::Assignment& assignment, const cell::Expression& whole);
  void change(const cell::Expression& target, const std::string& before, const std::string& after);
  bool call_statement(const cell::Call& call, const cell::Expression& whole);
  void evaluate(const cell::Expression& expression);  // for its effects
  std::string list_elements(const cell::List& list) const;

  // program_exceptions.cpp
  void attempt(const cell::Try& tried);
  std::string thrown(const cell::Call& call, const cell::Expression& whole);

  // program_expressions.cpp
  language::Form form(const cell::Expression& expression) const;
  class Names;
  language::Checked checked(const cell::Expression& expression) const;
  std::string host(const cell::Expression& expression);  // a value of the host
  std::string host_call(const cell::Call& call, const cell::Expression& whole);
  const cell::Expression& as_call(const cell::Expression& expression);
  std::string operand(const cell::Expression& expression);  // an array, a part of one, or an expression over arrays
  std::string whole_operand(const cell::Expression& expression);
  std::string subscript(const cell::Subscript& subscript, const cell::Index& index);
  std::string part(const cell::Expression& expression);  // x.part(1, xcuda::Range(0, n))

  // program_functions.cpp
  std::string function(const cell::Call& call, const cell::Expression& whole,
                       const language::Function& row);  // sum(x), sort(x), map(n, f)
  std::string composed(const cell::Call& call, const cell::Expression& whole, const language::Function& row);
  std::string results_of(const cell::Call& call, const cell::Expression& whole, const language::Function& row,
                         std::size_t results);
  std::string argument(const language::Parameter& parameter, const cell::Expression& given);
  std::string extents(std::span<const cell::Expression* const> given);
  std::string sequence(const cell::Call& call, const cell::Expression& whole, const language::Function& row);

  // program_elements.cpp
  std::string elements(const cell::Expression& expression);  // xcuda::elements(In_3_1(), x, y)
  std::string compound(const cell::Expression& target, cell::BinaryOperator op, const cell::Expression& value);
  std::string named_struct(const std::string& body, const Element& element, cell::Span span);
  std::string function_struct(const std::string& name);
  std::string element(const cell::Expression& expression, Element& element);
  std::string element_call(const cell::Call& call, const cell::Expression& whole, Element& element);
  std::string parameter(const cell::Expression& expression, std::string argument, Element& element);
  bool is_special(const cell::Expression& expression) const;
  bool is_constant(const cell::Expression& expression) const;  // may be in device code as it is
  const cell::Name* root(const cell::Expression& expression) const;

  Session& session_;
  CellRun& run_;
  Source source_;                                                   // of the cell that is written
  std::map<const cell::Expression*, cell::ExpressionPtr> methods_;  // x.sum() as sum(x)
  std::set<std::string> parts_;                                     // of share/xcuda/program
  std::set<std::string> constants_;                                 // in the device code
  std::map<std::string, int> declared_;                             // how often, at the top level of the cells
  std::vector<std::map<std::string, Symbol>> scopes_{1};
  std::set<std::string> spellings_;     // taken, in main()
  std::map<std::string, int> structs_;  // text -> number, so that the same expression is written once
  std::string functors_, main_;
  int indent_ = 1, launches_ = 0;
  bool timed_ = false;
  bool throws_ = false;  // what is written is thrown
  LaunchStyle style_;
};

}  // namespace xcuda::exporter
