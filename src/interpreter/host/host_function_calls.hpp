// Calls of functions whose bodies are statements: code that drives a program's kernels, allocates, copies and times.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "interpreter/frame.hpp"
#include "interpreter/host/template_arguments.hpp"
#include "interpreter/targets.hpp"
#include "session/host_functions.hpp"

namespace xcuda::interpreter {

class HostFunctionCalls : public Part {
 public:
  explicit HostFunctionCalls(Frame& frame) : Part(frame) {}

  // Calls a function; nothing where no such function has the name. Errors: type, value (it calls itself too often).
  std::optional<Value> call(const cell::Call& call, const std::string& name, cell::Span span);
  // --- Functions of structs: host_methods.cpp
  // Whether statements run one of this name; "" is a constructor, "~" the destructor.
  bool has_method(const Type& type, std::string_view name) const;
  bool is_made_by_statements(const std::string& type) const;
  std::optional<bool> is_this(const cell::Expression& left, const cell::Expression& right) const;
  std::optional<Value> method(const cell::Call& call, const cell::Member& member, cell::Span span);
  std::optional<Value> operate(const cell::Expression& object, std::string_view op,
                               const std::vector<const cell::Expression*>& given, cell::Span span);
  // Makes a value by a constructor; nothing where the compiler's code does. In memory: false likewise.
  using Expressions = std::vector<const cell::Expression*>;
  std::optional<Value> make(const Type& type, const Expressions& given, cell::Span span);
  bool make_at(Pointer place, const Expressions& given, cell::Span span);
  std::optional<Value> copy_of(const Object& object, cell::Span span);
  Value moved(const Object& object, const cell::Expression& expression);  // T(std::move(x))
  // Calls with a value that has no name.
  template <class Call> Value with(const Object& object, cell::Span span, const Call& call);
  Pointer in_memory(const Type& type, std::span<const std::byte> bytes);  // a copy, as long as it is held
  bool has_ends(const Type& type);  // a destructor that statements run, of itself or a member
  void end_at(Pointer place, cell::Span span);

  // std::cout << object; false where no function prints such a struct.
  bool print(const Object& object, cell::Span span);
  // What the last call referred to, if it is this one and its function returns a reference.
  std::optional<Target> place_given(cell::Span call);
  void note_lambda(const std::string& name);  // where its value is taken, it sees the variables
  bool is_running() const { return running_ != nullptr; }
  // The type that the running function declares a parameter with; empty: it has none of the name.
  std::string parameter_type(std::string_view name) const;
  // "Buffer", where a function of it runs; else empty.
  std::string running_class() const {
    const auto name = running_ == nullptr ? std::string() : running_->function->name;
    const auto at = name.rfind("::");
    return at == std::string::npos ? std::string() : name.substr(0, at);
  }
  // The name in __func__. The statements of a cell are the body of main().
  std::string running_name() const { return running_ == nullptr ? "main" : running_->function->name; }
  // The value of a return statement of the running function.
  Value result(const cell::Return& statement, cell::Span span);
  // Makes static T name = value; in the running function once, and keeps it across calls. False outside a function.
  bool keep(const cell::Declaration& declaration, const cell::Declarator& declarator);
  // The arguments of the template that runs, as declarations of C++.
  std::string template_arguments() const;
  // A text of the template that runs, with its arguments in the places of its parameters.
  std::string with_template_arguments(std::string text) const;

 private:
  friend class Records;

  // --- Functions of records
  using Overloads = std::vector<session::KnownFunctionPtr>;
  enum class Whose : std::uint8_t { variable, constant };
  // The one that fits best; null: none does. whose: what the object is whose function it is.
  const session::KnownFunctionPtr* best(const Overloads& overloads, const Expressions& given, Whose whose);
  struct Result {
    Value value;
    std::optional<Target> place;  // of a reference
  };
  Result run_on(const session::KnownFunctionPtr& known, Variable& record, const Expressions& given, cell::Span span);
  // Of two operands, none is an object's function's.
  Value run_free(const session::KnownFunctionPtr& known, const Expressions& given, cell::Span span);
  bool is_within(std::string_view record) const;  // whether a function of it runs

  // A function as it is called: for a template the instance.
  struct Running {
    session::KnownFunctionPtr known;
    cell::HostFunctionPtr function;
    TemplateArguments::Given given;
    Source source() const { return {known->source, *known->text}; }
  };
  class Body;

  void keep_elements(const std::string& name);
  std::string qualified(const Type& type, std::string_view method) const;
  const session::KnownFunctionPtr* chosen_method(const Type& type, std::string_view name, const Expressions& given);
  Value run_method(const session::KnownFunctionPtr& known, Pointer object, const Expressions& given, cell::Span span);
  bool is_named_in(const cell::Expression& object, const Expressions& given);
  Value on_object(const cell::Expression& base, const session::KnownFunctionPtr& known, const Expressions& given,
                  cell::Span span);
  void bind_members(const Pointer& object);
  void bind_members(Variable& record);
  bool makes(const Type& type) const;
  std::vector<Pointer> members_at(const Pointer& object) const;
  const session::KnownFunctionPtr& choose(const std::vector<session::KnownFunctionPtr>& overloads,
                                          const cell::Call& call, cell::Span span);
  int fit(const cell::HostFunction& function, const Expressions& given);
  Running instance(const session::KnownFunctionPtr& known, const Overloads& overloads, const cell::Call& call,
                   const std::string& name, cell::Span span);
  Running instance(const session::KnownFunctionPtr& known, const Expressions& given, cell::Span span);
  using Self = std::variant<std::monostate, const Pointer*, Variable*>;  // in memory, or a record
  Value run(const Running& running, const Expressions& given, Self self, cell::Span span);
  void require_depth(const cell::HostFunction& function, cell::Span span) const;

  Value reference(const cell::Return& statement, cell::Span span);

  struct Given {
    Target place;
    cell::Span call;
  };
  // Operators as they are called, by their functions and operands.
  std::map<std::pair<const session::KnownFunction*, Expressions>, cell::Call> operator_calls_;
  std::optional<Target> referred_;  // by the return statement that ran last
  std::optional<Given> given_;      // by the call that ended last
  const Running* running_ = nullptr;
  int depth_ = 0;
  const Variable* home_ = nullptr;              // of the object whose function runs, where that is a variable
  std::size_t block_ = 1;                       // the depth of the running function's own block
  std::map<std::string, std::size_t> around_;   // of lambdas: the depth of the block whose variables they see
  std::set<session::KnownFunctionPtr> called_;  // whose trees are known to other parts by now
};

}  // namespace xcuda::interpreter
