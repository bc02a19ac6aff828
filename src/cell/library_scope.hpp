// What a cell may write shorter of C++'s library: seconds(2) after `using namespace std::chrono;`, Clock::now() after
// `using Clock = std::chrono::steady_clock;`. Statements are read as if names were written in full. It also holds
// names of array types, and the macros that #if sees.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cell/conditional.hpp"

namespace xcuda::cell {

struct Token;
struct DevicePiece;

// The full names of C++'s library that statements have besides functions: std::pair, std::chrono::seconds.
std::vector<std::string> standard_names();

// using Row = float[8]; and typedef float Row[8];
struct ArrayName {
  std::string element;               // "float"
  std::vector<std::string> extents;  // "8"
  bool is_const = false;             // typedef const float Row[8];
};

class LibraryScope {
 public:
  using Types = std::set<std::string, std::less<>>;

  // A using directive, a using declaration, an alias, a typedef, or an alias of a namespace, with its ';' or without.
  // False: it does not concern the library.
  bool add(std::string_view declaration);

  // Macros, for the conditions of preprocessor lines among statements, and for macros that are no expressions.
  void define(std::string name, std::string value) {
    undefine(name);
    macros_.emplace(std::move(name), std::move(value));
  }
  void define(std::string name, Macro macro) {
    define(name, std::string());
    functions_.emplace(std::move(name), std::move(macro));
  }
  // A struct is a record from here on, or is not.
  void add_record(std::string_view name);
  void forget_record(std::string_view name);
  bool is_record(std::string_view name) const;

  void undefine(std::string_view name) {
    if (const auto known = macros_.find(name); known != macros_.end()) macros_.erase(known);
    if (const auto known = functions_.find(name); known != functions_.end()) functions_.erase(known);
  }
  // What a cell defines: its functions are not the library's, and names of its namespaces can have short names.
  void know(const DevicePiece& piece);
  bool is_function_of_cells(std::string_view name) const { return functions_of_cells_.contains(name); }
  // "lin::k" for k after `using namespace lin;` or `using lin::k;`, where lin has such a variable; else empty.
  std::string own_name(std::string_view word) const;

  const Macros& macros() const { return macros_; }  // one with parameters has an empty value here
  const std::string* constant_macro(std::string_view name) const {
    const auto known = macros_.find(name);
    return known == macros_.end() || functions_.contains(name) ? nullptr : &known->second;
  }
  const Macro* function_macro(std::string_view name) const {
    const auto known = functions_.find(name);
    return known == functions_.end() ? nullptr : &known->second;
  }

  // The words of a name or a type as one text, each replaced by what it is short for; types are those that a cell
  // defines, which a directive does not hide.
  std::string join(const std::vector<Token>& words, const Types& types) const;
  // Whether a single word is the name of a function, or of a type that a call makes: make_pair, seconds.
  bool is_callable(std::string_view word, const Types& types) const;
  bool is_stream(std::string_view word, const Types& types) const;  // cout
  const ArrayName* array(std::string_view type) const;              // null where it is not the name of an array type
  void forget_array(std::string_view name);                         // something else is declared with this name
  std::string cast_type(std::string type) const;  // "float*" for "Row*", a pointer to a name of an array type

 private:
  void add_array(std::string_view name, const std::vector<Token>& type, const std::vector<Token>& extents);
  std::optional<std::string> full_name(std::string_view word, const Types& types) const;

  bool std_ = false, chrono_ = false;                      // using namespace
  std::map<std::string, std::string, std::less<>> names_;  // by what they are short for
  std::map<std::string, ArrayName, std::less<>> arrays_;
  std::set<std::string, std::less<>> functions_of_cells_;
  std::set<std::string, std::less<>> members_;                  // variables and enumerators of namespaces: "lin::k"
  std::vector<std::string> used_;                               // "lin::" of `using namespace lin;`
  std::map<std::string, std::string, std::less<>> used_names_;  // k -> lin::k
  Macros macros_;
  std::map<std::string, Macro, std::less<>> functions_;  // macros with parameters
};

}  // namespace xcuda::cell
