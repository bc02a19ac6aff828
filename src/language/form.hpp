// What is known of an expression before it is evaluated: a number of a type, an array of a type with extents, ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/type.hpp"
#include "language/scalar_value.hpp"

namespace xcuda::language {

using Extent = std::optional<std::uint64_t>;  // nothing: not known
using Extents = std::vector<Extent>;

struct Form {
  enum class Kind : std::uint8_t {
    unknown,  // a file, a value on the device or an earlier command of the cell decides
    nothing,  // of a call that gives no value; of an argument that is not given
    number,
    dim3,
    object,  // a struct or a vector, by value
    array,   // also a pointer, which is an array of one extent
    stream,
    event,
    texture,
    sparse,  // a sparse matrix
    null,
    text,
    list,  // in braces; it has the type of what it initialises
    function,
  };
  enum class Memory : std::uint8_t { none, whole, part };  // of an array: not computed yet; by its name; a piece of one

  Kind kind = Kind::unknown;
  Type type;                       // of the number, the object or an element; without a name where it is not known
  std::optional<Extents> extents;  // of an array; nothing where not even their number is known
  Memory memory = Memory::none;
  std::optional<ScalarValue> value;  // of a number that is known
  std::vector<Form> parts;           // of a list
  bool read_only = false;
  bool on_device = false;   // a variable of device code
  bool grows = false;       // a std::vector, whose extent is not known
  bool is_address = false;  // an array that is a name declared T*: +, -, = and comparisons are those of pointers

  bool is_known() const { return kind != Kind::unknown; }
  bool is_array() const { return kind == Kind::array; }
  bool has_type() const { return !type.name.empty(); }
  std::optional<std::size_t> rank() const { return extents ? std::optional(extents->size()) : std::nullopt; }

  static Form of(Kind kind) { return {.kind = kind}; }
  static Form sparse(Type type, Extents extents) {
    return {.kind = Kind::sparse, .type = std::move(type), .extents = std::move(extents)};
  }
  static Form number(Type type) { return {.kind = Kind::number, .type = std::move(type)}; }
  static Form number(language::Kind kind) { return number(type_of(kind)); }
  static Form number(const ScalarValue& value) {
    auto form = number(value.kind());
    form.value = value;
    return form;
  }
  static Form array(Type type, std::optional<Extents> extents = std::nullopt) {
    return {.kind = Kind::array, .type = std::move(type), .extents = std::move(extents)};
  }
};

// The kind of a number, or of the elements of an array; nothing where it is unknown, or not a number's.
inline std::optional<Kind> number_kind(const Form& form) { return form.has_type() ? kind_of(form.type) : std::nullopt; }

// Whether it has the function as C++'s numbers have it: z.real() and z.imag() of a complex number.
bool has_part(const Form& number, std::string_view function);

// "a float", "an array of int", "a stream": for errors. `array of` without a type where it is not known.
std::string describe(const Form& form);

// Broadcasts as NumPy does: extents are compared from the last one on; 1, or a missing one, matches any. Nothing when
// two known extents differ; an extent that cannot be told stays unknown.
std::optional<Extents> broadcast(const Extents& a, const Extents& b);
std::string shape_text(const Extents& extents);  // "[4][?]"

}  // namespace xcuda::language
