// What the parsers of modules and of bodies share: tokens, errors, names of the module, declarations.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ptx/ptx_lexer.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::ptx {

// What becomes of unknown words: a GPU's driver may know more of them.
enum class Unknown : std::uint8_t {
  refuse,  // a compile error names them
  keep,    // Opcode::unknown without operands; directives are passed over
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view name, Module& module, Unknown unknown)
      : lexer(text), module(module), unknown(unknown), name_(name) {}

  const Token& peek() const { return lexer.peek(); }
  Token next() { return lexer.next(); }
  bool accept(char mark);
  bool accept_directive(std::string_view directive);
  void expect(char mark, std::string_view after);
  std::string_view expect_word(std::string_view what);
  // An integer constant, with signs and ~ before it. At most `limit`.
  std::uint64_t expect_integer(std::string_view what, std::uint64_t limit = ~std::uint64_t{0});
  void skip_to_semicolon();
  void skip_block();  // after the opening brace, through the closing one

  // Throws Error(compile). Without a line it is that of the next token.
  [[noreturn]] void fail(std::string message, std::uint32_t line = 0) const;
  [[noreturn]] void unexpected(std::string_view wanted) const;

  Index function_named(const Token& token) const;  // one that is declared

  void read_location();  // after `.loc`
  Type expect_type(std::string_view what);
  std::uint32_t expect_alignment();  // after `.align`
  // `.param .align 8 .b8 name[32]` after `.param` (or `.reg`); offset is left 0.
  Parameter read_parameter();
  // The type, name, extents and initialiser of a variable, after its space.
  Variable read_variable(Space space, Linkage linkage);

  Lexer lexer;
  Module& module;
  const Unknown unknown;
  Index location = kNoIndex;  // of Module::locations: that of the next instruction
  std::string_view function;  // the one being read, for messages; empty between functions

  std::unordered_map<std::string_view, Symbol> symbols;  // of the module

  // Names that may be declared later.
  struct PendingRelocation {
    Symbol variable;  // SymbolKind::variable
    std::size_t relocation;
    std::string_view name;
    std::uint32_t line;
  };
  std::vector<PendingRelocation> pending_relocations;
  void forget_locations() { last_location_.clear(); }  // at the start of a function

  std::unordered_map<std::string_view, Index> info_strings;  // label in .debug_str -> Module::strings

 private:
  void read_initialiser(Variable& variable);
  bool read_plain_bytes(Variable& variable, std::uint64_t capacity);
  void read_element(Variable& variable, std::uint64_t capacity);
  std::uint64_t read_extents(bool& array, bool& unsized);

  std::string_view name_;
  std::unordered_map<std::uint64_t, Index> last_location_;  // of file, line and column, in this function
};

void read_body(Reader& reader, Function& function);  // after the opening brace, through the closing one

}  // namespace xcuda::ptx
