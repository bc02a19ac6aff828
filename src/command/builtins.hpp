// What CUDA C++ and the language of statements know without a declaration: built-in variables, functions, types and
// words, with signatures and a line of help each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xcuda::command {

struct Builtin {
  enum class Kind : std::uint8_t { variable, function, type, specifier, keyword } kind = Kind::function;
  enum class Where : std::uint8_t { device, statements, everywhere } where = Where::device;
  std::string name;                     // qualified: "cooperative_groups::this_grid"
  std::vector<std::string> signatures;  // overloads; of a variable or type its declaration; empty for keywords
  std::string help;                     // a line
  std::string header;                   // "<curand_kernel.h>" where one has to be included; else empty
};

const std::vector<Builtin>& builtins();  // sorted by name
const Builtin* find_builtin(std::string_view name);
// One of a namespace by its last name, as after using namespace: "this_grid".
const Builtin* find_in_namespaces(std::string_view name);
// What stands behind the point of an object of a type, which is named without template arguments.
const std::vector<Builtin>& members_of(std::string_view type);
const std::vector<std::string>& known_headers();  // that an #include can name

std::string_view kind_name(Builtin::Kind kind);

}  // namespace xcuda::command
