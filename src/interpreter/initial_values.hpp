// The initial values of arrays: read and checked first, written when there is memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arrays/random_numbers.hpp"
#include "arrays/sequence.hpp"
#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "language/functions.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

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
using Initial = std::variant<Zero, Constant, Contents, FromFile, Sequence, RandomNumbers, CopyOf, Computation>;

class InitialValues : public Part {
 public:
  explicit InitialValues(Frame& frame) : Part(frame) {}

  Pointer sequence(const FunctionCall& of);  // arange(stop), arange(start, stop, step), linspace(start, stop, num)
  Initial read(const cell::Declarator& declarator, const Type& type, const std::vector<std::uint64_t>& shape);
  // Makes a new array with this value, not defined yet; frees it when it cannot be filled.
  Array make(ArrayTable::New request, const Initial& initial);
  void fill(const Initial& initial, const Array& array);  // one that is there already
  // arange(), uniform() and the like; nothing for other calls.
  std::optional<Initial> named(const cell::Call& call, cell::Span span, const Type& type,
                               const std::vector<std::uint64_t>& shape);

  // load("x.npy"), load("all.npz", "x"): the type is that of the file, or double for text.
  FromFile from_file(const cell::Call& call, cell::Span span);

 private:
  struct FileName {
    std::string path, member;
    cell::Span span;
  };
  FileName file_name(const cell::Call& call, cell::Span span) const;
  FromFile open(const FileName& name, files::ArrayRequest wanted);
  void write(const Initial& initial, const Array& array);
  language::Bound bound(const cell::Call& call, cell::Span span) const;
  void refuse_numpy_range(const cell::Call& call, cell::Span span, const arrays::Sequence& s) const;
  Initial arange(const cell::Call& call, cell::Span span, const Type& type, std::uint64_t count);
  Initial file(const cell::Call& call, cell::Span span, const Type& type, const std::vector<std::uint64_t>& shape);
  Initial characters(const std::string& text, cell::Span span, const std::vector<std::uint64_t>& shape);
  double real(const cell::Expression* expression, double otherwise);
};

}  // namespace xcuda::interpreter
