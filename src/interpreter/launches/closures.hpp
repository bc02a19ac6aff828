// Lambdas of statements as objects that kernels take: a struct with what they capture, and with their body.
#pragma once

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

 private:
  struct Member {
    std::string declaration;
    Type type;
    std::vector<std::byte> bytes;
  };
  Member member(const std::string& name, const cell::Expression& lambda);
};

}  // namespace xcuda::interpreter
