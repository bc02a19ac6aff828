// Calls of functions that cells define, from statements: the function runs on the host, with references to variables
// and to elements, pointers to arrays, and other parameters of C++.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/native_arguments.hpp"
#include "interpreter/native/native_code.hpp"
#include "interpreter/native/parameter_texts.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class NativeCalls : public Part {
 public:
  explicit NativeCalls(Frame& frame) : Part(frame) {}

  // Calls a function; nothing if it takes elements and gets arrays: then it runs for each, with the values of the first
  // arguments that have been evaluated for this. Errors: unsupported, type.
  std::optional<Value> call(const cell::Call& call, std::string_view function, std::vector<Value>& evaluated,
                            cell::Span span);
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
  bool is_for_each_element(const cell::Call& call, const Overloads& overloads) const;
  // Whether an array or a pointer is given where a template's T may be its type.
  bool may_deduce_array(const cell::Call& call, const Overloads& overloads, const std::vector<std::string>& types);
  std::string span_of_alias(std::string_view parameter) const;
  std::string enumeration_of(const Overloads& overloads, std::size_t parameter, std::string text) const;
  Overloads overloads_of(std::string_view function) const;
  Overloads overloads_of(const Type& object, std::string_view function) const;
  Overloads overloads_of_object(const cell::Expression& callee) const;
  std::string called(const cell::Call& call, NativeArguments& arguments);
  std::string given_text(const cell::Call& call, const Overloads& overloads, NativeArguments& arguments);
  Value run(NativeText text, NativeArguments& arguments);
  std::optional<Value> run_if_accepted(NativeText text, NativeArguments& arguments);  // nothing if it does not compile
  NativeRun execute(NativeText& text, NativeArguments& arguments);
  void forbid_threads(std::string_view function, cell::Span span) const;  // Error(unsupported)
  bool is_array(const cell::Expression& expression) const;
  std::optional<Pointer> appended_vector(const cell::Call& call);
  std::uint64_t most_written(const cell::Call& call, NativeArguments& arguments);
  Error refused(const NativeRun& run, cell::Span span);

  std::unordered_set<std::string> of_elements_;  // calls of templates that do not compile with arrays
};

}  // namespace xcuda::interpreter
