// What the checker asks of whoever knows: the session, an exported program, a test.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cell/lexer.hpp"
#include "cell/tree.hpp"
#include "language/form.hpp"

namespace xcuda::language {

class Environment {
 public:
  virtual ~Environment() = default;

  // A variable, an array, a variable or a constant of device code; nothing when there is no such name.
  virtual std::optional<Form> find(const std::string& name) = 0;
  // A type, whose name is empty where it is not known yet; the error when there is no such type.
  struct TypeAnswer {
    Type type;
    std::optional<Error> error;
  };
  virtual TypeAnswer find_type(const std::string& spelling, cell::Span span) = 0;
  struct Member {
    std::string name;
    Type type;
    std::vector<std::uint64_t> shape;  // of an array member; else empty
  };
  virtual std::optional<std::vector<Member>> members_of(const Type& type) = 0;  // nothing: not known

  virtual bool is_function(std::string_view name) = 0;                  // of device code, no kernel
  virtual bool is_function_pointer(std::string_view) { return false; }  // a type's name: using F = float (*)(float);
  // A function whose body is statements and that takes so many arguments; if none does, another one of this name.
  virtual const cell::HostFunction* host_function(std::string_view, std::size_t) { return nullptr; }
  // The struct's first function that statements run and that takes so many arguments; null: it has no such function.
  virtual const cell::HostFunction* host_method(const Type&, std::string_view, std::size_t) { return nullptr; }
  // Whether a function of the cells returns T&, so that its result may be assigned to.
  virtual bool gives_reference(std::string_view) { return false; }
  // Whether a function is one of a host module, or a template in one, which has no code of its own.
  virtual bool is_module_function(std::string_view) { return false; }
  struct ModuleCall {
    Form result;
    std::optional<Error> error;
  };
  virtual ModuleCall module_call(const cell::Call&, cell::Span, std::span<const Form>) { return {}; }
  // Whether a function of device code has parameters that take a whole array, or what they are given by reference.
  virtual bool takes_memory(std::string_view) { return false; }
  virtual bool is_type(std::string_view) { return false; }  // that a cell defines
  enum class Enumeration : std::uint8_t { none, plain, scoped };
  virtual Enumeration enumeration(std::string_view) { return Enumeration::none; }  // whether a type is one
  virtual std::string enumeration_of(const std::string&) { return {}; }            // an enumerator's type; empty: none
  // "private" or "protected" where the function or the variable of the struct is, unless the function that uses it is a
  // friend; else empty.
  virtual std::string_view access_of(const Type&, std::string_view, std::string_view) { return {}; }
  virtual bool is_macro(std::string_view name) = 0;          // like a function
  virtual Type result_type(std::string_view function) = 0;   // of device code; without a name where it is not known
  virtual bool is_device_code(const std::string& name) = 0;  // anything that a cell defines under this name
  virtual std::vector<std::string> kernels() = 0;
  virtual std::vector<std::string> names() = 0;  // of variables and arrays, to be suggested
  // What is wrong with a launch of these arguments: its kernel, their number or their types.
  virtual std::optional<Error> refuse(const cell::Launch& launch, cell::Span span, std::span<const Form> arguments) = 0;
  // Throws what is wrong with a command's name or its options.
  virtual void check(const cell::Magic&) {}

 protected:
  Environment() = default;
  Environment(const Environment&) = default;
  Environment& operator=(const Environment&) = default;
};

}  // namespace xcuda::language
