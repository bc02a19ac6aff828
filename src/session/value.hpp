// What a statement's expression gives, and what a name of the host stands for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/type.hpp"
#include "cell/value.hpp"
#include "device/device.hpp"
#include "session/arrays.hpp"

namespace xcuda::session {

// A vector type or a struct, by value.
struct Object {
  Type type;
  std::vector<std::byte> bytes;
};

class Temporary;

struct Stream {
  device::StreamId id{};
  std::string name;
};

struct Event {
  device::EventId id{};
  std::string name;
};

class TextureObject;

// A texture or a surface.
struct Texture {
  std::shared_ptr<const TextureObject> object;
  std::string name;
};

// Device memory by name: an array, a row or an element of it, a contiguous slice, a module variable, a cast of one.
struct Pointer {
  std::string owner;  // the array or the module variable
  device::Address address = 0;
  Type type;                         // of an element
  std::vector<std::uint64_t> shape;  // empty: one element
  std::uint64_t bytes = 0;           // from address to the owner's end
  bool whole = false;                // the owner by its name
  bool read_only = false;
  bool variable = false;                    // a __device__ or __constant__ variable
  std::vector<std::int64_t> strides;        // elements, one for each extent; empty: row by row without gaps
  std::shared_ptr<const Temporary> memory;  // of a result without a name; lives as long as something points to it
};

// Of whole arrays, not computed yet: it becomes a kernel where its elements are wanted (array_node.hpp).
struct ArrayNode;
struct ArrayExpression {
  std::shared_ptr<const ArrayNode> node;
};

struct Nothing {};  // of a call that gives no value
struct NullPointer {};

using Value = std::variant<Nothing, cell::Value, device::Dim3, Object, Stream, Event, Texture, Pointer, NullPointer,
                           std::string, ArrayExpression>;

// A host variable.
struct Variable {
  Value value;
  bool read_only = false;
  std::string defined;  // "In[3]"
};

}  // namespace xcuda::session
