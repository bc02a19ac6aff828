// What one cell contributed to the program: its text, cut into pieces that are still alive or not.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "compiler/options.hpp"
#include "compiler/program.hpp"
#include "compiler/source_text.hpp"

namespace xcuda::compiler {

struct Piece {
  cell::DevicePiece info;
  int parent = -1;                 // index of the container, or of the first declarator of one declaration
  bool dead = false;               // replaced by a later cell
  bool host_constant = false;      // a const scalar among the statements
  std::vector<std::string> needs;  // of a host constant: names that must be constants too
  std::vector<std::string> names;  // names by which text means this piece: "norm" and "P" for P::norm
  std::vector<std::string> uses;   // identifiers of its own text
  bool standing = false;           // counts for every later cell: operators, using namespace, pragmas
  bool is_macro() const { return info.directive == "define"; }
  bool is_include() const { return info.directive == "include"; }
};

// A macro that a unit saw when it ran. It does not see macros that other cells define later.
struct SeenMacro {
  std::string name;
  std::string directive;  // "#define N 16", as it was
};

struct Unit {
  int id = 0;        // kept when the cell runs again
  std::string name;  // "In[3]"
  std::string path;  // "/In[3]"
  std::string cell_id;
  std::string text;
  std::string folder;  // working folder of that time
  CompileOptions options;
  Overloads overloads = Overloads::replace;
  std::vector<Piece> pieces;
  std::vector<SeenMacro> seen;

  std::string_view text_of(const Piece& piece) const {
    return std::string_view(text).substr(piece.info.span.begin, piece.info.span.end - piece.info.span.begin);
  }
};

Unit make_unit(const CellCode& code);

std::vector<std::string> parts_of(std::string_view name);  // "demo::P::norm<int>" -> demo, P, norm
// Changes annotations: NVRTC refuses functions that are only for the host, but here statements call them, and they
// compile like all others. A variable that host and device share becomes the device's: statements read and write these.
void change_host_annotations(const Unit& unit, KeptText& kept);
KernelSource kernel_source(const Unit& unit, const Piece& kernel);
// The name under which other cells take a piece; empty for containers, includes and the like.
std::string definition_name(const Piece& piece);
// Whether a piece of a new cell takes the place of one of an older cell: it declares the same; or it is a function of
// that name, and Overloads::replace.
bool replaces(const Piece& newer, const Piece& older, Overloads overloads);

// The name without qualification and template arguments: "demo::Tr<float>" -> "Tr".
std::string_view last_part(std::string_view name);

}  // namespace xcuda::compiler
