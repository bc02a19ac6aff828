// Lambdas of statements as objects that kernels take: a struct with what they capture, and with their body. Those that
// capture by reference are the host's: an object without members, whose type names the text that a call puts in its
// place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class Closures : public Part {
 public:
  explicit Closures(Frame& frame) : Part(frame) {}

  // The lambda with what its captures are now: scalars and structs by value, arrays as pointers. Errors: unsupported
  // (by reference), type (what a kernel cannot take), name.
  Object of(const cell::Expression& lambda);
  // Of those that capture by reference, too.
  Object value(const cell::Expression& lambda);
  // "[&](int v) { total += v; }" of an object that captures by reference; empty for all else.
  std::string text_of(const Type& type) const;
  // The function that a lambda without captures is.
  std::optional<Function> as_function(const Value& value) const;
  bool is_by_reference(const cell::Expression& argument) const;  // a lambda, or the name of one
  Error by_reference(cell::Span span) const;

 private:
  struct Member {
    std::string declaration;
    Type type;
    std::vector<std::byte> bytes;
  };
  Member member(const std::string& name, const cell::Expression& lambda);
};

}  // namespace xcuda::interpreter
