// Facts about names in a text that is being typed: aliases, opened namespaces, the types of its variables. Nothing here
// has to parse; what it cannot read stays unknown.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "command/scope.hpp"

namespace xcuda::editor {

class CellNames {
 public:
  // The cell up to the cursor, and what earlier cells have defined.
  CellNames(std::string_view text, std::size_t cursor, const command::Scope& scope);
  CellNames(const CellNames&) = delete;
  CellNames& operator=(const CellNames&) = delete;

  // The whole name: "cg::sync" is "cooperative_groups::sync", and BlockReduce what `using BlockReduce = ...` says,
  // without template arguments.
  std::string resolved(std::string_view name) const;
  // Names of namespaces as written, and their meanings.
  const std::map<std::string, std::string, std::less<>>& aliases() const { return aliases_; }
  const std::vector<std::string>& opened() const { return opened_; }  // by using namespace

  // The type of a variable, of a function's result, or the type itself if the name is a type's; empty if unknown.
  std::string type_of(std::string_view object) const;

 private:
  struct Token {
    std::string_view text;  // an identifier with its ::, or one character
    bool is_name = false;
  };
  static std::vector<Token> tokens_of(std::string_view code);
  void read_aliases(const std::vector<Token>& tokens);
  std::string declared_type(std::string_view object) const;
  std::string type_of_expression(std::size_t token) const;

  const command::Scope& scope_;
  std::string code_;
  std::vector<Token> tokens_;  // of code_
  std::map<std::string, std::string, std::less<>> aliases_ = {{"cg", "cooperative_groups"}, {"wmma", "nvcuda::wmma"}};
  std::vector<std::string> opened_;
};

// A member of a struct of the cells: its name and its declaration.
struct StructMember {
  std::string name, declaration;
  bool is_function = false;
};
// The members of the struct with this name in a source text; empty when there is none.
std::vector<StructMember> struct_members(std::string_view source, std::string_view name);

}  // namespace xcuda::editor
