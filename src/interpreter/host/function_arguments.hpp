// The arguments of a function of statements: another name of a variable, a pointer, or a value.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "interpreter/containers/containers.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/targets.hpp"

namespace xcuda::interpreter {

class FunctionArguments : public Part {
 public:
  // source: of the function, whose types its parameters have.
  FunctionArguments(Frame& frame, Source source) : Part(frame), source_(std::move(source)) {}

  // Reads an argument, in the caller. Error(type).
  void read(const cell::Declaration& parameter, const cell::Expression& argument);
  // Gives the parameters their names, in the function, in the order in which they were read.
  void bind();
  // Parts of the caller's variables that the function changed: taken before its names end, and stored after that.
  void take_changes();
  void store_changes();

 private:
  struct Given {
    const cell::Declaration* parameter = nullptr;
    cell::Span span;               // of the argument
    Value value = Nothing{};       // or:
    Variable* variable = nullptr;  // the variable that the parameter is another name of, or points to
    std::optional<Target> back;    // where the function's changes to the value go
    Variable* bound = nullptr;
    Value after = Nothing{};
  };
  void by_rvalue(Given& given, const cell::Expression& argument);
  void by_reference(Given& given, const cell::Expression& argument);
  void by_pointer(Given& given, const cell::Expression& argument);
  void by_container(Given& given, const cell::Expression& argument);
  void by_vector(Given& given, const cell::Expression& argument);
  void by_value(Given& given, const cell::Expression& argument);
  void take(Given& given, Value value, const cell::Expression& argument);
  void by_function(Given& given, const cell::Expression& argument);
  void bind_pointer(Given& given);
  Type type_of(const cell::Declaration& parameter);
  bool is_known(const cell::Declaration& parameter) const;  // not auto, nor a stream or an event
  Error wrong(const Given& given, std::string_view got) const;

  Source source_;
  std::vector<Given> given_;
  std::deque<Containers::Named> named_;  // elements of containers, which are there until the call ends
};

}  // namespace xcuda::interpreter
