// An argument of a launch, as its checks see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arrays/pointer.hpp"
#include "base/type.hpp"
#include "cell/tree.hpp"
#include "compiler/compile_output.hpp"
#include "device/device.hpp"
#include "language/form.hpp"
#include "session/textures.hpp"

namespace xcuda::interpreter {

using namespace session;

using Number = std::variant<std::int64_t, std::uint64_t, double>;

// An evaluated argument.
struct KernelArgument {
  enum class Kind : std::uint8_t { number, pointer, null, object, texture, stream, text } kind = Kind::number;
  Type type;  // of the number or the object; of the elements that a pointer points to
  Number number;
  std::vector<std::byte> object;                    // a vector type or a struct by value
  device::Address address = 0;                      // pointer
  std::uint64_t bytes_to_end = 0;                   // from address to the array's end
  std::string array;                                // the array it points into
  std::vector<std::uint64_t> row;                   // its extents after the first, where they are known
  bool whole_array = false;                         // the array itself and not a part or a cast of it
  bool read_only = false;                           // of an array declared const
  std::shared_ptr<const arrays::Temporary> memory;  // of a result without a name: until the launch is posted
  const TextureObject* texture = nullptr;
  device::StreamId stream{};
  std::optional<std::string> text;
  std::string name;  // named argument; empty when positional
  cell::Span span;
};

// An argument as far as it is known before it is evaluated: its kind and type, and no value.
std::optional<KernelArgument> argument_of(const language::Form& form, const cell::Argument& given);
std::string number_text(const Number& number);
std::string described(const KernelArgument& argument);           // "a pointer to float"
std::string prototype(const compiler::KernelSignature& kernel);  // "saxpy(const float* x, int n)"
// "saxpy: __global__ void saxpy(const float* x, int n)", for the notes of errors.
std::string declaration_note(const compiler::KernelSignature& kernel);

// long and long long, char and signed char are one type here: the same bits mean the same numbers.
bool same_element(const Type& a, const Type& b);

}  // namespace xcuda::interpreter
