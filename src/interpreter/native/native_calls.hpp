// Calls of functions that cells define, from statements: the function runs on the host, with references to variables
// and to elements, pointers to arrays, and other parameters of C++.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/native_arguments.hpp"
#include "interpreter/native/native_code.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class NativeCalls : public Part {
 public:
  explicit NativeCalls(Frame& frame) : Part(frame) {}

  // Calls a function; nothing if it takes elements and gets arrays: then it runs for each. Errors: unsupported, type.
  std::optional<Value> call(const cell::Call& call, std::string_view function, cell::Span span);
  // p.dot(r), x[3].length(): nothing where p is not a struct.
  std::optional<Value> member_call(const cell::Call& call, const cell::Member& member, cell::Span span);
  void require_pointer(const cell::Expression& expression);  // of p->f(); Error(value)
  // std::sort(x, x + n): language/standard_algorithms.hpp says which.
  Value algorithm(const cell::Call& call, cell::Span span);
  // Whether the callee of f(3) is a variable with a lambda, or a struct with operator(), or a lambda itself.
  bool is_object(const cell::Expression& callee) const;
  Value object_call(const cell::Call& call, cell::Span span);
  Value object_call(const cell::Call& call, const Value& object, cell::Span span);  // the callee's value
  // Runs a body such as "return f(x);", whose arguments have been read.
  Value run(std::string body, std::string names, NativeArguments& arguments, cell::Span span);

 private:
  using Overloads = std::vector<std::vector<std::string>>;
  bool is_for_each_element(const cell::Call& call, const Overloads& overloads) const;
  // How an overload of the function declares each of its parameters: "float* x", "const T& value".
  std::string span_of_alias(std::string_view parameter) const;
  std::string enumeration_of(const Overloads& overloads, std::size_t parameter, std::string text) const;
  Overloads overloads_of(std::string_view function) const;
  std::string called(const cell::Call& call, NativeArguments& arguments);
  std::string called(const std::string& object, const cell::Call& call, NativeArguments& arguments);
  Value run(NativeText text, NativeArguments& arguments);
  void forbid_threads(std::string_view function, cell::Span span) const;  // Error(unsupported)
  Error refused(const NativeRun& run, cell::Span span);
};

}  // namespace xcuda::interpreter
