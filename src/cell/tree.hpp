// The tree of a cell: device code, statements and magics, each with its place in the text. Pure data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "cell/library_scope.hpp"
#include "cell/operator_table.hpp"

namespace xcuda::cell {

// Bytes [begin, end) of the cell's text.
struct Span {
  std::uint32_t begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};

// --- Expressions ---------------------------------------------------------------------------------------------------

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct IntegerLiteral {
  std::uint64_t value = 0;
  bool is_unsigned = false;
  std::uint8_t longs = 0;  // int, long, long long: by C++'s rules, whatever the suffix is
};
struct FloatingLiteral {
  double value = 0;
  bool single = false;
};  // single: suffix f
struct BoolLiteral {
  bool value = false;
};
struct CharLiteral {
  std::int32_t value = 0;
};
struct StringLiteral {
  std::string value;
};  // escapes resolved
struct Name {
  std::string text;
};  // qualified, with template arguments: "demo::scale<double>"
struct Unary {
  UnaryOperator op;
  ExpressionPtr operand;
};
struct Binary {
  BinaryOperator op;
  ExpressionPtr left, right;
};
struct Assignment {
  std::optional<BinaryOperator> op;  // of +=; empty for =
  ExpressionPtr target, value;
};
struct Ternary {
  ExpressionPtr condition, yes, no;
};
struct Cast {
  std::string type;
  ExpressionPtr operand;
  // (int)x; int(x); T{...}, whose operand is a List; static_cast and its kin; reinterpret_cast
  enum class Style : std::uint8_t { parentheses, functional, braces, named, reinterpreted } style = Style::parentheses;
};
struct Argument {
  std::string name;
  Span name_span;
  ExpressionPtr value;
};  // name empty when positional
struct Call {
  ExpressionPtr callee;
  std::vector<Argument> arguments;
};
// One subscript: an index, or a slice with any part absent.
struct Subscript {
  bool slice = false;
  ExpressionPtr start, stop, step;
  Span span;
};  // index: start alone
struct Index {
  ExpressionPtr base;
  std::vector<Subscript> subscripts;
};  // a[i][j] nests, a[i, j] has two
struct Member {
  ExpressionPtr base;
  std::string member;
  bool arrow = false;
};
struct List {
  std::vector<ExpressionPtr> elements;
};  // {1, 2, {3}}
struct SizeOf {
  std::string type;
  ExpressionPtr operand;  // either
  enum class What : std::uint8_t { size, alignment, offset } what = What::size;
  std::string member = {};  // of offsetof(T, member): "x", "in.x", "v[2]"
};
struct Lambda {
  std::string text;
};  // parsed to be answered

struct LaunchText {
  std::string text;
};  // "kernel<<<1, 32>>>(x)" and "float*" among the arguments of a macro

constexpr int kMaxHeight =
    1000;  // of an expression's tree, so that a walk may recurse; "a + b + ..." grows by one a term

struct Expression {
  Span span;
  std::variant<IntegerLiteral, FloatingLiteral, BoolLiteral, CharLiteral, StringLiteral, Name, Unary, Binary,
               Assignment, Ternary, Cast, Call, Index, Member, List, SizeOf, Lambda, LaunchText>
      node;
  std::uint16_t height = 1;  // of the tree, at most kMaxHeight
};

// --- Statements ----------------------------------------------------------------------------------------------------

struct Statement;
using StatementPtr = std::unique_ptr<Statement>;

struct Declarator {
  std::string name;
  Span name_span;
  bool pointer = false, reference = false;  // "float* p", "auto& r"
  bool pointer_to_pointer = false;          // "float** p"
  bool rvalue = false;                      // "T&& r", which is a reference, too
  bool pack = false;                        // "const T&... rest" of a template
  bool function = false;                    // "float (*f)(float, int)", "float (*table[3])(float)"
  Span parameters;                          // of a function that it points to, with their parentheses
  std::vector<ExpressionPtr> row;           // of "float (*m)[8]" and "float (&x)[8]": the extents
  std::vector<ExpressionPtr> extents;       // empty: a host scalar; a null one, the first only, is "[]": from the list
  ExpressionPtr init;                       // after =, a single one in (), or the List of {}; null when there is none
  enum class Init : std::uint8_t { none, equals, parentheses, braces } style = Init::none;
  std::vector<Argument> constructor;  // T name(e, ...) with several arguments, or named ones
};
struct Declaration {
  std::string type;  // as written, "unsigned long long", "auto", "dim3", "stream", "demo::P"
  Span type_span;
  bool is_const = false, is_static = false;
  std::vector<Declarator> declarators;
  ExpressionPtr unpacked;     // of auto [a, b] = unpacked: the declarators are names, and references or not
  bool defines_type = false;  // struct P { ... } p: the type is a piece of device code
};
struct Launch {
  Name kernel;           // template arguments included; as it is written where callee is not null
  ExpressionPtr callee;  // table[i] or op.kernel, which points to the kernel; null where the kernel is named
  Span kernel_span, configuration_span;
  std::vector<ExpressionPtr> configuration;  // grid, block, shared, stream: 1 to 4
  std::vector<Argument> arguments;
  bool shown = false;  // last of the cell and no ';'
};
struct ExpressionStatement {
  ExpressionPtr expression;
  bool shown = false;
};  // shown: last of the cell and no ';'
struct Block {
  std::vector<StatementPtr> statements;
};
struct If {
  ExpressionPtr condition;
  StatementPtr then, otherwise;
};
struct For {
  StatementPtr init;
  ExpressionPtr condition, step;
  StatementPtr body;
};
struct RangeFor {
  Declaration variable;  // one declarator without an initial value
  Span variable_span;
  ExpressionPtr range;
  StatementPtr body;
  std::vector<StatementPtr> each = {};  // float* p = a; float* p = b; of a list of pointers, whose range is empty
};
// case value: before the statement with this number; without a value: default. case value ... last: GNU's.
struct CaseLabel {
  ExpressionPtr value, last;
  Span span;
  std::size_t before = 0;
};
struct Switch {
  ExpressionPtr value;
  std::vector<CaseLabel> labels;
  std::vector<StatementPtr> statements;
};
struct While {
  ExpressionPtr condition;
  StatementPtr body;
};
struct DoWhile {
  StatementPtr body;
  ExpressionPtr condition;
};
// on (1) { ... }: statements that work on one device of several.
struct OnDevice {
  ExpressionPtr device;
  StatementPtr body;
};
// catch (const std::exception& e) { ... }
struct Handler {
  Declaration caught;  // one declarator, whose name may be empty; none for catch (...)
  Span span;           // "catch (...)"
  StatementPtr body;
};
struct Try {
  StatementPtr body;
  std::vector<Handler> handlers;
};
struct Break {};
struct Continue {};
struct Return {
  ExpressionPtr value;
};  // parsed to be answered
struct Empty {};

// One word of a magic's line; quotes removed.
struct Word {
  std::string text;
  Span span;
  bool quoted = false;
};
// What follows the options of a magic. Below %%name, all but words is a cell of device code and statements.
enum class MagicText : std::uint8_t {
  words,                   // words; below %%name any text
  statements,              // the rest of the line, or the cell
  declarations,            // the same, and the last one needs no ';'
  statements_after_setup,  // the cell; what is on the line of %%name itself is run before them
  device_code,             // below %%name: a cell whose device code is compiled with the magic's options
};
// What the parser has to know of magics: what the one with this name takes on a line or over a cell. Whoever has the
// commands says it; without it each takes words.
enum class MagicShape : std::uint8_t { line, cell };
using Grammar = MagicText (*)(std::string_view name, MagicShape shape);

// %name words..., or %%name words... with a body. Where the text is statements, words are the leading options.
struct Magic {
  std::string name;  // without %
  MagicText takes = MagicText::words;
  Span name_span;
  bool whole_cell = false;
  std::vector<Word> words;
  std::string line;  // everything after the name, as written
  std::string body;  // of a whole-cell magic
  Span body_span;
  std::vector<StatementPtr> statements;  // of a line; those of a whole cell are the cell's
  std::size_t setup = 0;                 // how many of the cell's are on the line of %%name
};
struct Shell {
  std::string command;
};  // !command
struct Help {
  std::string name;
  bool source = false;
};  // name? and name??, also ?name

struct Statement {
  Span span;
  std::variant<Declaration, Launch, ExpressionStatement, Block, If, For, RangeFor, Switch, While, DoWhile, OnDevice,
               Try, Break, Continue, Return, Empty, Magic, Shell, Help>
      node;
};

// --- Device code ---------------------------------------------------------------------------------------------------

enum class DeviceKind : std::uint8_t {
  directive,  // #include, #define, #if ... #endif, #pragma
  function,
  prototype,
  variable,
  type,
  alias,
  name_space,
  other,
};

// A launch, a name of std:: or a call of the runtime API in a function's body: what may not be for a device
// (language/answers.hpp).
struct HostUse {
  std::string name;
  Span span;
};  // "cudaMalloc", "std::cout", "<<<"

// One top-level piece of device code. Containers are `namespace x { }`, `extern "C" { }` and `#if ... #endif`; the
// pieces inside follow their container in the list, with qualified names, one nesting deeper, and their spans lie
// inside that of the container. Pieces of nesting 0 cover all device code of a cell. Of `int a, b;` b is listed one
// deeper than a, with the span of the whole declaration.
struct DevicePiece {
  DeviceKind kind = DeviceKind::other;
  bool container = false;  // key is empty: its pieces are replaced, not itself
  Span span;
  Span name_span;         // of the name's last part; empty for nameless pieces
  std::string name;       // qualified: "demo::saxpy"; a macro's name; a header's name for #include
  std::string key;        // qualified name + parameter tokens + template head: what running again replaces
  std::string directive;  // "include", "define", "pragma", ...
  std::string value;      // replacement text of an object-like macro; initialiser of a constant; header as written
  bool function_like_macro = false;
  bool kernel = false;     // __global__
  bool annotated = false;  // has __global__, __device__, __host__ or __constant__ ...
  bool extern_c = false;
  bool is_template = false;
  bool device_variable =
      false;  // __device__ or __constant__ (constant_variable) or __managed__ or __shared__ at file scope
  bool constant_variable = false;
  bool constexpr_variable = false;           // constexpr, or const with an initialiser: visible to statements
  std::string type;                          // of a variable, as written; return type of a function
  std::vector<std::string> extents;          // of an array variable, as written; "" for []
  std::vector<std::string> parameter_names;  // empty string where unnamed
  std::vector<std::pair<std::string, std::string>> enumerators;  // name, initialiser (empty: the previous one + 1)
  std::vector<HostUse> host_uses;                                // in a function's body
  Span parameters, body;                                         // of a function: inside (), and with its braces
  bool of_host = false;                                          // its body is statements, see HostFunction
  bool ends_at_brace = false;               // a type whose variables are statements: ';' is not in its span
  std::optional<std::uint32_t> unnamed_at;  // of a type that `name` is made up for: where it goes in the text
  int nesting = 0;                          // 0 at top level, 1 in a namespace, ...
  Span of_class = {};                       // of a function of a record: the record's
};

struct TemplateParameter {
  std::string name, fallback;  // fallback: its default argument; empty when there is none
  enum class Kind : std::uint8_t { type, value } kind = Kind::type;
  bool pack = false;  // class... A
};
// What FunctionText::given calls the elements of a pack: "A#0", "A#1"; under "A#" it has their number.
inline std::string pack_element(std::string_view pack, std::size_t i) {
  return std::string(pack) + "#" + std::to_string(i);
}

// A function that launches kernels, calls the CUDA Runtime, or computes with whole arrays.
struct HostFunction {
  std::string name, result;  // result: the type as written
  Span span, name_span;
  std::vector<TemplateParameter> template_parameters;
  std::vector<Declaration> parameters;  // one declarator each; its initial value is the default argument
  StatementPtr body;                    // a Block; null when it cannot run, and `refused` says why
  std::optional<Error> refused;         // the compiler's or the parser's error
  // Of a constructor of a record: what its members are made of, where that is said. With the record's own name: what
  // the constructor that it calls instead is given.
  struct MemberValue {
    std::string member;
    std::vector<ExpressionPtr> given;
    Declarator::Init style = Declarator::Init::none;
    Span span;
    bool apart = false;  // of its declaration, with a word that is also a parameter of the constructor
  };
  std::vector<MemberValue> members;
  bool is_const = false;  // of a struct: int size() const
  bool is_noexcept = false;
  bool is_constructor = false;  // of a record
};
using HostFunctionPtr = std::shared_ptr<const HostFunction>;
inline bool takes_pack(const HostFunction& function) {
  return !function.parameters.empty() && function.parameters.back().declarators.front().pack;
}

// A struct that only the host has, since members of it are texts, containers or other such structs. Statements hold its
// values member by member; the full name of its type is "struct Particle".
struct Record {
  std::string name;    // "Particle", "Stack<int>"
  std::string layout;  // "std::string name; float mass": it tells two definitions apart
  struct Part {
    std::string name, type;
    std::vector<ExpressionPtr> extents;  // float v[3]
    bool is_const = false, hidden = false;
    Span span;
  };
  std::vector<Part> parts;
  std::vector<std::string> functions, hidden, defaulted;  // as ClassText has them
  std::vector<std::string> bases;                         // of an exception: its base, the base of that, ...
  bool inherits_constructors = false;                     // using std::runtime_error::runtime_error;
  std::optional<Error> refused;
  bool is_a(std::string_view other) const {
    return name == other || std::find(bases.begin(), bases.end(), other) != bases.end();
  }
  const Part* find(std::string_view part) const {
    for (const auto& one : parts)
      if (one.name == part) return &one;
    return nullptr;
  }
};
using RecordPtr = std::shared_ptr<const Record>;

// --- The cell ------------------------------------------------------------------------------------------------------

struct Cell {
  std::string text;
  LibraryScope library;                    // after its last line
  std::optional<Magic> magic;              // the %% of the first line
  std::vector<DevicePiece> device;         // in order
  std::vector<HostFunctionPtr> functions;  // pieces that are of_host
  std::vector<RecordPtr> records;          // types that are of_host
  std::vector<StatementPtr> statements;    // in order
};

}  // namespace xcuda::cell
