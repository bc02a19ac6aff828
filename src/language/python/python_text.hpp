// Statements in the style of Python and NumPy, as a cell has them: np.dot(a, b) is dot(a, b), m.reshape((4, 3)) is
// reshape(m, {4, 3}), y = a ** 2 is auto y = pow(a, 2). What does not fit in one line is not translated.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/form.hpp"
#include "language/scalar_value.hpp"

namespace xcuda::language {

// What the translation asks about names.
struct PythonNames {
  std::function<bool(const std::string&)> known;
  std::function<std::optional<std::size_t>(const std::string& expression)> rank;  // of an array of the cell's language
  std::function<std::optional<Kind>(const std::string& expression)> kind = {};    // of a number, or of elements
  std::function<bool(std::string_view)> kernel = {};
  std::function<std::optional<Extents>(const std::string&)> extents = {};  // of an array
  std::function<std::string()> seed = {};  // for the next random numbers; empty where the cell has set none
};

// How an expression binds in C++, the loosest first.
enum class Binding : std::uint8_t {
  ternary,
  either,
  both,
  bit_or,
  bit_xor,
  bit_and,
  equality,
  order,
  shift,
  sum,
  product,
  unary,
  primary,
};

struct PythonPiece {
  enum class Kind : std::uint8_t {
    expression,
    list,       // in brackets or parentheses: text is the one in braces
    type,       // np.float32
    new_array,  // a declaration's type, extents and initial value, which needs a name
    statement,  // no value
    tuple,      // several values, its parts; text is the array of them, if there is one
  };
  std::string text = {};
  Binding binding = Binding::primary;
  Kind kind = Kind::expression;
  std::vector<PythonPiece> parts = {};  // of a list
  std::string type = {}, extents = {};  // of a new array
  bool is_tuple = false;                // a list in parentheses

  std::string bound(Binding least) const { return binding < least ? "(" + text + ")" : text; }
};

using PieceKind = PythonPiece::Kind;

struct PythonCall {
  std::string function;  // without its module, "linalg.norm"
  std::vector<PythonPiece> arguments;
  std::vector<std::pair<std::string, PythonPiece>> named;
  enum class Of : std::uint8_t { nothing, module, value };  // f(x), np.f(x), x.f()
  Of of = Of::nothing;
  bool of_torch = false;  // torch.f(x), where NumPy's f has other arguments or results
};

// A Python call in the cell's language; nothing if no line does the same.
std::optional<PythonPiece> translated_call(PythonCall call, const PythonNames& names);
// CuPy's k((1,), (32,), (x, n)) and Numba's k[1, 32](x, n) as a launch; nothing for other calls.
std::optional<PythonPiece> launch_of(const PythonCall& call, const PythonNames& names);
// Where split(x, [2, 4]), array_split(x, 3) and their like cut x along an axis.
struct PythonCuts {
  std::string x;
  std::size_t axis = 0;
  std::vector<std::string> places;
  std::vector<std::string> slices() const;  // x[:2], x[2:4], x[4:]
};
std::optional<PythonCuts> cuts_of(const PythonCall& call, const PythonNames& names);
// A new array of the elements of a list, of this type or that of its numbers; nothing for an empty list.
std::optional<PythonPiece> array_of_list(const PythonPiece& list, std::optional<std::string> type = std::nullopt,
                                         const PythonNames* names = nullptr);
std::string written_call(const PythonCall& call, std::string_view function);  // as it is, under this name
// np.float32, or "float32": the type; nothing for other names.
std::optional<std::string> type_of_numpy(std::string_view name);
bool is_python_module(std::string_view name);  // np, torch, ...
bool is_numpy_grid(std::string_view name);     // of np.mgrid[0:3, 0:4]
// A function that NumPy alone has, so that it is meant without its module, too.
bool is_of_numpy_alone(std::string_view name);

// "for i in range(3):" as it begins a block here, and the statement that follows it on its line.
struct PythonHeader {
  std::string text = {};
  std::string_view rest = {};
  bool goes_on = false;  // elif, else
};

class PythonLines {
 public:
  // Where a line is: among C++; in a cell that is Python, as its last line, or in a block of one.
  enum class Place : std::uint8_t { line, cell, last, block };

  // real: what first holds an integer, and a real number later.
  explicit PythonLines(PythonNames names, std::set<std::string, std::less<>> real = {})
      : names_(std::move(names)), real_(std::move(real)) {}

  // One logical line. Nothing where it is not Python, or means the same as it is written.
  std::optional<std::string> translated(std::string_view line, Place place = Place::line);
  // Nothing for lines that begin no block, and for those that no line here begins alike.
  std::optional<PythonHeader> header(std::string_view line);
  const std::set<std::string, std::less<>>& real() const { return real_; }

 private:
  PythonNames own_names();
  // Whether an assignment of the cell's language gives a name what Python's gives it: the same type and shape.
  bool keeps_its_form(const std::string& name, const std::string& value, const PythonNames& names) const;
  // Notes a name of the lines so far that holds an integer and is given a real number.
  bool becomes_real(const std::string& name, const std::string& op, const std::string& value, const PythonNames& names);

  PythonNames names_;
  std::set<std::string, std::less<>> real_;
  std::set<std::string, std::less<>> declared_;  // by the lines so far
  std::optional<std::uint64_t> seed_;            // np.random.seed(0), rng = np.random.default_rng(0)
};

}  // namespace xcuda::language
