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

  // Macros without parameters, for the conditions of preprocessor lines among statements.
  void define(std::string name, std::string value) { macros_.insert_or_assign(std::move(name), std::move(value)); }
  // A struct is a record from here on, or is not.
  void add_record(std::string_view name);
  void forget_record(std::string_view name);
  bool is_record(std::string_view name) const;

  void undefine(std::string_view name) {
    if (const auto known = macros_.find(name); known != macros_.end()) macros_.erase(known);
  }
  const Macros& macros() const { return macros_; }

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
  Macros macros_;
};

}  // namespace xcuda::cell
