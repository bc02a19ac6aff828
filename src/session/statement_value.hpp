// The value of a statement's expression, and the meaning of a name of the host.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arrays/pointer.hpp"
#include "arrays/sparse.hpp"
#include "base/type.hpp"
#include "device/device.hpp"
#include "language/scalar_value.hpp"
#include "session/array_table.hpp"

namespace xcuda::session {

using namespace arrays;

// A vector type or a struct, by value.
struct Object {
  Type type;
  std::vector<std::byte> bytes;
  std::uint64_t temporary = 0;  // of a value whose destructor runs when its statement ends: its number; else 0
};

struct Stream {
  device::StreamId id{};
  std::string name;
};

struct Event {
  device::EventId id{};
  std::string name;
};

// A sparse matrix: if it has a name, its arrays are the session's, s.values and so on.
struct Sparse {
  std::shared_ptr<SparseMatrix> matrix;
};

class TextureObject;

// A texture or a surface.
struct Texture {
  std::shared_ptr<const TextureObject> object;
  std::string name;
};

// A kernel or a function that cells define, as C++'s pointer to it; without a name it is a null pointer.
struct Function {
  std::string name;  // "scale<float>"
};

struct Nothing {};  // of a call that gives no value
struct NullPointer {};

// A container of C++'s library that statements hold: whoever has it shares it (container_data.hpp).
struct ContainerData;
struct Container {
  std::shared_ptr<ContainerData> data;
};
// Where an element of it is; without one, the end. One of a sequence is a number of elements from its beginning.
struct Variable;
using ItemPtr = std::shared_ptr<Variable>;
struct Iterator {
  std::shared_ptr<ContainerData> of;
  std::size_t index = 0;
  ItemPtr item;  // of a map or a set
  bool reverse = false, constant = false;
};

using Value = std::variant<Nothing, language::ScalarValue, device::Dim3, Object, Stream, Event, Texture, Sparse,
                           Pointer, NullPointer, std::string, Function, ArrayExpression, Container, Iterator>;

constexpr std::string_view kClosure = "xcuda_lambda_";  // with a number of 16 digits: the type of a lambda

inline bool is_closure(const Value& value) {
  const auto* object = std::get_if<Object>(&value);
  return object != nullptr && object->type.name.starts_with(kClosure);
}

// The type of a variable that is a pointer to functions or a std::function: lambdas are assigned to it, too.
constexpr std::string_view kCallable = "std::function";

// The type of a variable that points to characters: a text, until it moves.
constexpr std::string_view kCharacters = "const char*";

// A host variable.
struct Variable {
  Value value;
  bool read_only = false;
  std::string defined;            // "In[3]"
  std::string_view written = {};  // the source's name of its type, as Type::written
  ItemPtr seen = {};              // what a constant reference refers to: the name table brings its value here
};

}  // namespace xcuda::session
