// The initial values of arrays: read and checked first, written when there is memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arrays/sequence.hpp"
#include "cell/tree.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

class Executor;

struct Zero {};
struct Constant {
  std::vector<std::byte> element;
};
struct Contents {
  std::vector<std::byte> bytes;
};  // of the whole array
struct CopyOf {
  std::string array;
};
struct Computation {
  ArrayExpression expression;
};
struct FromFile {
  files::OpenArray file;
  cell::Span span;  // of its name, for errors
};
using Initial = std::variant<Zero, Constant, Contents, FromFile, Sequence, CopyOf, Computation>;

// Into the bytes of an element or a member. Error(value) when the type cannot hold an integer's value.
void store_checked(const CellRun& run, const cell::Value& value, const Type& type, cell::Span span,
                   std::span<std::byte> bytes);

class InitialReader {
 public:
  InitialReader(Executor& executor, Session& session, CellRun& run)
      : executor_(executor), session_(session), run_(run) {}

  Initial read(const cell::Declarator& declarator, const Type& type, const std::vector<std::uint64_t>& shape);
  // A new array with this value, not defined yet; nothing is left of it when it cannot be filled.
  Array make(Session::NewArray request, const Initial& initial);
  void fill(const Initial& initial, const Array& array);  // one that is there already
  // arange(), uniform() and the like; nothing for other calls.
  std::optional<Initial> named(const cell::Call& call, cell::Span span, const Type& type,
                               const std::vector<std::uint64_t>& shape);

  // A whole array's bytes from a list or from one value for all of them.
  void contents(const cell::Expression& expression, const Type& type, const std::vector<std::uint64_t>& shape,
                std::span<std::byte> bytes);
  // One element from an expression: a number, a list for vectors and structs, a value of the type itself.
  void element(const cell::Expression& expression, const Type& type, std::span<std::byte> bytes);
  void element(const Value& value, cell::Span span, const Type& type, std::span<std::byte> bytes);
  // A vector, a complex number or a struct from its members in order; those that are not given stay as the bytes are.
  void members(const std::vector<const cell::Expression*>& given, const Type& type, std::span<std::byte> bytes,
               cell::Span span);

 private:
  void write(const Initial& initial, const Array& array);
  void rows(const cell::List& list, const Type& type, std::span<const std::uint64_t> shape, std::span<std::byte> bytes);
  Initial arange(const cell::Call& call, cell::Span span, const Type& type, std::uint64_t count);
  Initial file(const cell::Call& call, cell::Span span, const Type& type, const std::vector<std::uint64_t>& shape);
  double real(const cell::Expression* expression, double otherwise);

  Executor& executor_;
  Session& session_;
  CellRun& run_;
};

}  // namespace xcuda::interpreter
