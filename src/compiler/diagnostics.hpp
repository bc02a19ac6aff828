// NVRTC's log as values: what, where in which cell, the line and a caret.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"

namespace xcuda::compiler {

// Paths of cells in #line directives are "/In[7]"; people see "In[7]".
std::string shown_source(std::string_view path);

// The name of a translation unit with precompiled headers; its first lines are includes of cells.
constexpr const char* kPrecompiledName = "/xcuda/pch";

// The source of a place that is a line of the PTX, until locate_in_ptx() has found the cell's.
constexpr const char* kPtxSource = "ptx";

// Gives places in PTX the line of the cell that they come from, by the .loc before them; ptx has to be the text that
// was assembled. Without PTX, or without line numbers in it, such places are removed.
void locate_in_ptx(std::vector<Diagnostic>& diagnostics, std::string_view ptx, const CompileRequest& request);

// Each line of the request's own cell as it is compiled, with its number.
void each_cell_line(const CompileRequest& request, const std::function<void(int number, std::string_view text)>& visit);

// Diagnostics in the order of the log. Those of this program's own text (/xcuda/..., the name map) are reworded or
// left out; warnings outside the cell `name` are left out; a diagnostic that repeats is listed once.
std::vector<Diagnostic> parse_log(std::string_view log, const CompileRequest& request);

// Are all errors about the name expressions, not about the source?
bool only_name_errors(std::string_view log);

// One diagnostic with its notes as a console shows it, without colour:
//   In[7]:3:7: error: identifier "h" is undefined
//     y[i] = h(x[i]);
//            ^
std::string to_text(const Diagnostic& diagnostic);

}  // namespace xcuda::compiler
