// The parser's inside: recursive descent over a sticky error. After the first failure every token is `end`, so that all
// loops stop and all functions return something; nothing throws.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "cell/tree.hpp"

namespace xcuda::cell {

struct ClassText;

// The greatest depth of nested brackets, blocks, operators, namespaces and #if, as compilers suggest.
constexpr int kMaxDepth = 256;

class Parser {
 public:
  Parser(std::string_view text, std::string_view cell_name, Grammar grammar = nullptr);

  ParseResult cell();
  ParseResult cell_after(const LibraryScope& library);  // of earlier cells
  ParseResult device_code();
  ExpressionPtr only_expression();  // the whole text
  HostFunction function(const FunctionText& of);
  Record record(const FunctionText& of);
  Failure& failure() { return failure_; }
  // One round of with_replacements().
  std::string replaced_text(const LibraryScope& library);

 private:
  void know_names_of(const FunctionText& of);
  StatementPtr initial_value(const std::string& member, Span value);
  std::vector<StatementPtr> initial_values(const ClassText& own, const DevicePiece& constructor);
  enum class Mode { mixed, device, statements };

  // --- tokens (parser.cpp)
  Token peek(std::size_t ahead = 0);
  Token next();
  bool at(std::string_view text, std::size_t ahead = 0) { return peek(ahead).is(text); }
  bool accept(std::string_view text);
  bool at_end() { return peek().kind == TokenKind::end; }
  bool failed() const { return failure_.error.has_value(); }
  Token expect(std::string_view text, std::string_view where, std::string_view advice = {});
  void expect_close(std::string_view close, const Token& open);
  void fail(Span span, std::string message, std::string advice = {}, ErrorKind kind = ErrorKind::syntax);
  void fail_expected(std::string_view what, std::string_view advice = {});
  Span after_previous() const { return {previous_end_, previous_end_}; }
  std::string_view text(Span span) const { return source_.text.substr(span.begin, span.end - span.begin); }
  void drop_read_tokens();
  bool enter(Span span);  // false, with an error, when nested too deep
  void leave() { --depth_; }
  void fail_too_deep(Span span);

  // --- macros that are no expressions (macros/parse_macros.cpp)
  bool replace_macro(const Token& name);  // false: it is not one, or it stays
  std::string replacement_of(const Token& name, Span& call, bool& ends);
  bool begins_statement() const;
  void replace_in_statement();
  bool is_of_statements(const DevicePiece& function) const;  // it names what only statements have
  void move_types(std::uint32_t begin);  // out of the block that begins there (macros/local_types.cpp)
  std::size_t text_argument();  // how many tokens an argument of a macro has that is not an expression; 0: it is one

  // --- preprocessor lines among statements (parse_branches.cpp)
  bool choose_branch(const Token& directive);  // false: it is not of a condition
  enum class Wanted : std::uint8_t { next_that_holds, none };
  void skip_branches(Span directive, Wanted wanted);
  void read_again(Span directive);  // as one among statements
  void read_conditions_again();     // of the open #if of device code: statements follow
  StatementPtr directive_statement();
  bool pass_attribute();  // [[fallthrough]]
  struct Inside {
    int& depth;
    explicit Inside(int& of) : depth(of) { ++depth; }
    ~Inside() { --depth; }
  };

  // --- the cell (parse_cell.cpp)
  void top_level();
  void whole_cell_magic();
  void whole_program();                            // whole_program.cpp
  bool raw_line(std::vector<StatementPtr>& into);  // a magic, !command or help line, where a statement may be
  Magic magic_line(std::uint32_t percent, std::uint32_t line_end, MagicShape shape);
  std::vector<Word> split_words(Span range);
  Span line_statement(Span range) const;  // the statement after the options
  std::vector<StatementPtr> statements_of_line(Span range);
  bool starts_device_code();
  bool has_device_attribute();  // [[nodiscard]] of a function, and not of a variable
  bool is_prototype(std::size_t open, std::size_t close);
  std::uint32_t end_of_line(std::uint32_t from) const;

  // --- device code (parse_device.cpp)
  struct Scope {
    std::string prefix;  // "demo::"
    int nesting = 0;
    bool extern_c = false;
  };
  struct TemplateHead {
    bool present = false;
    std::string text;                     // normalised
    std::vector<std::string> parameters;  // their names
  };
  void device_piece(const Scope& scope);
  void one_device_piece(const Scope& scope);
  void directive_piece(const Scope& scope);
  void define_piece(DevicePiece& piece, std::string_view rest);
  void namespace_piece(const Scope& scope);
  void container_body(const Scope& scope, std::size_t container, const Token& open);
  void simple_piece(const Scope& scope, std::uint32_t begin, const TemplateHead& head);  // up to ';'
  void template_piece(const Scope& scope);
  void add_piece(DevicePiece piece);
  bool is_container_alias(std::string_view declaration) const;
  // records/parse_record.cpp
  bool holds_values_of_host(const DevicePiece& type) const;
  std::vector<std::string> bases_of(const ClassText& own) const;
  bool is_derived_from_record(const ClassText& own) const;
  std::vector<HostFunction::MemberValue> member_values(const ClassText& own, const DevicePiece& constructor);
  std::string result_of(const DevicePiece& function) const;
  void take_default_arguments(const DevicePiece& definition, Span of_class, std::vector<Declaration>& parameters) const;
  // parse_declaration.cpp
  void declaration_piece(const Scope& scope, std::uint32_t begin, const TemplateHead& head);
  void function_rest(const Scope& scope, DevicePiece piece, const TemplateHead& head,
                     const std::vector<Token>& parameters);
  void variable_rest(const Scope& scope, DevicePiece piece);
  void class_rest(const Scope& scope, DevicePiece piece, const TemplateHead& head);
  void other_rest(DevicePiece piece);
  // parse_device.cpp
  bool type_with_variables();  // false: none begins here
  bool at_type_with_variables();
  std::size_t after_group(std::size_t from);
  // parse_group.cpp
  std::vector<Token> group();   // the tokens of a bracketed group, brackets included; consumes it
  std::vector<Token> angles();  // the tokens of <...>, consumed
  void pass_directives();
  void leave_conditional();
  void skip_conditional_branch();  // after #else or #elif: up to and including the matching #endif
  std::vector<Token> until_semicolon();
  int conditional_nesting() const { return static_cast<int>(conditionals_.size()); }

  // --- statements (parse_statement.cpp)
  StatementPtr statement();
  void statement_into(std::vector<StatementPtr>& into);
  StatementPtr simple_statement();
  StatementPtr static_assertion();
  void block_statements(Block& block, const Token& open);
  StatementPtr body();
  StatementPtr if_statement();
  StatementPtr for_statement();
  StatementPtr range_loop(Span begin, const Token& open, Declaration variables);
  static void split_pointers(RangeFor& loop);
  StatementPtr while_statement();
  StatementPtr do_statement();
  StatementPtr switch_statement();                                      // parse_switch.cpp
  bool label_into(std::vector<CaseLabel>& labels, std::size_t before);  // parse_switch.cpp
  bool at_device_block();
  StatementPtr device_block();
  // --- exceptions (parse_exceptions.cpp)
  StatementPtr try_statement();
  StatementPtr try_as_body();
  Handler handler();
  ExpressionPtr throw_expression();
  Declaration declaration();
  void bindings(Declaration& node);
  StatementPtr jump();
  void check_jumps();
  static Declaration each_of(const Declaration& parts);
  StatementPtr with_parts(Declaration parts, Span span, StatementPtr body);
  Declarator declarator();
  void add_extents(const ArrayName& array, Declarator& declarator);
  void end_statement(bool& shown);
  bool at_declaration();
  Span library_declaration();
  bool refused_statement();  // C++ that a statement cannot hold: fails and says so
  ExpressionPtr condition(std::string_view of);
  ExpressionPtr condition(std::string_view of, std::vector<StatementPtr>& before);
  StatementPtr within_block(std::vector<StatementPtr> before, StatementPtr statement);

  // --- functions of the host (parse_function.cpp)
  Parser part(Span range) const;  // of the same source, for the statements in it
  std::vector<Declaration> parameters();

  // --- packs of templates (parse_group.cpp)
  void know_packs(const FunctionText& of);
  std::vector<Token> tokens_ahead(std::string_view end);        // to where the list around them ends, or to `end` in it
  std::string pack_in(const std::vector<Token>& tokens) const;  // empty: none
  Parser element_of_pack(Span pattern, std::size_t i) const;
  bool expansion_into(std::vector<ExpressionPtr>& into);  // "f(a)..."; false: none begins here
  void expand_parameter(Declaration parameter, std::vector<Declaration>& into);
  ExpressionPtr fold();  // "(a + ...)"; null: none begins here
  ExpressionPtr size_of_pack();

  // --- launches (parse_launch.cpp)
  // Where the name of the kernel, or what points to it, ends if a launch begins there, else 0.
  std::size_t launch_name(std::size_t from = 0);
  std::size_t after_name(std::size_t from);      // of a name with its qualification and template arguments, else 0
  std::size_t after_brackets(std::size_t from);  // the brackets that open there; 0 if they stay open in the statement
  Launch launch();
  StatementPtr launch_statement();
  ExpressionPtr launch_expression();
  void fail_with_values();

  // --- types (parse_type.cpp)
  struct TypeScan {
    std::size_t next = 0;  // index, counted from the current token, after the type
    bool known = false;    // by keyword, by base/type or by this cell
    bool is_const = false;
    bool is_auto = false;
    std::string text;  // without const
  };
  std::optional<TypeScan> scan_type(std::size_t from);
  std::optional<std::size_t> scan_template_arguments(std::size_t open);
  std::string joined(std::size_t from, std::size_t to);
  bool known_type(const std::string& name) const;
  bool at_function_pointer(std::size_t from);
  bool at_row(std::size_t from);
  bool extents(Declarator& node);  // false: one is wrong, and reported

  // --- expressions (parse_expression.cpp)
  ExpressionPtr expression();
  ExpressionPtr before_comma(ExpressionPtr left);
  ExpressionPtr assignment();
  ExpressionPtr ternary();
  ExpressionPtr binary(int least);
  ExpressionPtr unary();
  ExpressionPtr postfix(ExpressionPtr base);
  ExpressionPtr primary();
  ExpressionPtr name_or_call();
  // `::` of a[K::n]; that of a[n :: k] makes a slice.
  bool is_scope() { return at("::") && !peek().space_before && peek(1).is_identifier() && !peek(1).space_before; }
  ExpressionPtr reverse_iterator(Span span, ExpressionPtr& callee, std::vector<Argument>& given);
  ExpressionPtr moved_iterator(std::string_view function, Span span, std::vector<Argument>& given);
  ExpressionPtr parenthesised();
  ExpressionPtr cast_to(Span span, std::string type, ExpressionPtr operand, Cast::Style style);
  ExpressionPtr size_of();
  ExpressionPtr size_of_array(const Token& word, std::size_t words);
  ExpressionPtr offset_of();
  ExpressionPtr braces();
  ExpressionPtr designated_braces();
  ExpressionPtr initializer();
  enum class Separators : std::uint8_t { commas, of_macro };
  std::vector<Argument> arguments(Separators separators = Separators::commas);
  Index subscripts(ExpressionPtr base);
  struct Infix {
    std::optional<BinaryOperator> op;  // empty for =
    bool assigns = false;
    std::size_t tokens = 0;  // 0: no operator follows
  };
  Infix peek_infix();       // all but the comma
  ExpressionPtr nothing();  // what a failed rule returns
  template <class Node> ExpressionPtr make(Span span, Node node);

  // --- literals (parse_literal.cpp)
  ExpressionPtr lambda();
  bool is_host_function(const std::vector<Token>& captures, const DevicePiece& lambda);  // parse_function.cpp
  ExpressionPtr host_lambda(DevicePiece lambda);
  ExpressionPtr number();
  ExpressionPtr duration();
  ExpressionPtr character();
  ExpressionPtr string();

  // --- new and delete (parse_memory.cpp)
  ExpressionPtr new_memory();
  ExpressionPtr delete_memory();

  Source source_;
  Grammar grammar_;
  Failure failure_;
  Lexer lexer_;
  std::uint32_t end_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  std::uint32_t previous_end_ = 0;
  int depth_ = 0;
  int pointers_ = 0;               // '*'s one after the other
  bool subscript_colons_ = false;  // directly inside []: '::' is two colons, unless is_scope()
  bool last_may_be_open_ = false;  // the last declaration needs no ';'
  std::string brace_type_;         // what a list in braces makes, where the text says it
  int loops_ = 0, switches_ = 0;
  std::vector<std::pair<std::string, Span>> jumps_, labels_;
  bool in_function_ = false;   // of the host
  bool of_variables_ = false;  // the type that is read is that of host variables, which follow it
  Mode mode_ = Mode::mixed;
  Cell cell_;
  std::set<std::string, std::less<>> types_;                            // types that this cell defines
  std::map<std::string, std::string, std::less<>> given_;               // what a template's parameters are
  std::map<std::string, std::vector<std::string>, std::less<>> packs_;  // by their names: "a" -> "a__0", "a__1"
  std::set<std::string, std::less<>> methods_;                          // of the struct whose function this is
  LibraryScope library_;
  struct Conditional {
    std::size_t piece, statements;  // how many come before it
    Span span;
  };
  std::vector<Conditional> conditionals_;     // open #if
  std::set<std::uint32_t> among_statements_;  // their offsets, in a cell that also has device code
  std::vector<Span> branches_;                // taken, of open #if among statements
  int in_statement_ = 0;
  int inner_conditionals_ = 0;                 // open #if inside the current piece
  std::vector<std::size_t> outreached_;        // #if containers whose #endif was inside the current piece
  std::vector<HostUse>* host_uses_ = nullptr;  // where group() notes them
  // Which macros are replaced while tokens are read: at the top level those that are statements, which device code has
  // not there.
  enum class Replaced : std::uint8_t { none, statements, all } replaced_ = Replaced::none;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::string>> replacements_;  // by where a call begins: end, text
  std::uint32_t piece_begin_ = 0;                                                // of what is read at the top level
  std::map<std::uint32_t, std::string> moved_;                   // types out of blocks, by where they go
  std::map<std::string, std::string, std::less<>> moved_types_;  // their texts by their names
  std::list<std::string> made_;                                  // texts of tokens
  std::set<std::string, std::less<>> declared_;                  // names of variables of the cell
  std::set<std::string, std::less<>> block_names_;               // declared in a block, and not outside
  std::set<std::string, std::less<>> redefined_;                 // macros that #undef names
};

// Words of C++ that are not names.
bool is_keyword(std::string_view word);
// Words of the built-in types, and auto.
bool is_type_word(std::string_view word);
// A specifier such as __device__ or __launch_bounds__: lower case between double underscores.
bool is_specifier(std::string_view word);
// Tokens as one text, blanks only where two words meet.
std::string join(const std::vector<Token>& tokens);

}  // namespace xcuda::cell
