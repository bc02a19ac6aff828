// The walk of check.hpp. Forms go up, errors aside: an expression with an error is `unknown`, so that it has one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cell/container_types.hpp"
#include "language/check.hpp"
#include "language/functions.hpp"
#include "language/host/stream_types.hpp"

namespace xcuda::language {

class Checker {
 public:
  Checker(Environment& environment, const cell::Source& source) : environment_(environment), source_(source) {}

  void statements(const std::vector<cell::StatementPtr>& statements);
  void function(const cell::HostFunction& function);  // after the statements, whose names it may use
  Form form(const cell::Expression& expression);
  Checked take();
  static Form element(const Type& type);  // a number, a stream, an event, an object
  // What has been checked before: types and access are right.
  void trust() { trusts_ = true; }

 private:
  // --- check.cpp
  void statement(const cell::Statement& statement);
  void branch(const cell::Statement& statement);  // a statement that may run or not, or more than once
  void condition(const cell::Expression& condition);
  void condition(const Form& given, cell::Span span);
  // --- check_functions.cpp
  bool is_function(std::string_view name);  // of the cells, or a kernel
  bool names_function(const cell::Expression& expression);
  void note_lambda(const std::string& name);  // which is checked with the names that it sees
  bool points_to_function(const std::string& name);
  bool holds_function(const cell::Expression& callee);  // table[i], op.f, (*f)
  Form macro_call(const cell::Call& call);
  // False for what is not a pointer to a function.
  bool declare_function(const cell::Declaration& declaration, const cell::Declarator& declarator);
  Form parameter(const cell::Declaration& parameter);
  // What the names of auto [a, b] are: members or elements, as many as there are names.
  std::vector<Form> parts(const Form& of, std::size_t names, cell::Span span);
  // --- check_statements.cpp
  void loop_over(const cell::RangeFor& loop, const cell::Statement& whole);
  void choose(const cell::Switch& chosen, const cell::Statement& whole);
  void attempt(const cell::Try& tried, const cell::Statement& whole);
  void declare_address(const cell::Declaration& declaration, const cell::Declarator& declarator);
  bool points(const Form& address, const Form& given,
              const cell::Expression& value);  // false: it cannot, and is reported
  void declare_reference(const cell::Declaration& declaration, const cell::Declarator& declarator);
  void refers_to_array(const cell::Declaration& declaration, const cell::Declarator& declarator, const Form& given,
                       const cell::Expression& place);
  // --- check.cpp
  void declare(const cell::Declaration& declaration);
  void declare_several(const cell::Declaration& declaration);
  void declare_array(const cell::Declaration& declaration, const cell::Declarator& declarator, const std::string& type);
  Form declared(const cell::Declaration& declaration, const cell::Declarator& declarator);
  Form declared_auto(const cell::Declarator& declarator, const cell::Expression& init);
  Extents extents(const std::vector<cell::ExpressionPtr>& given_extents, const cell::Declarator& declarator);
  void initial_value(const cell::Expression& init, const Form& array, const cell::Declarator& declarator);
  void elements(const cell::Expression& expression, const Type& type);  // of a list, or one value
  void launch(const cell::Launch& launch, cell::Span span);
  void dimension(const cell::Expression& expression, std::string_view what);
  Form extent(const cell::Expression& expression, std::string_view what);  // of a dim3, in parentheses
  void check_extent(const Form& given, cell::Span span, std::string_view what);
  std::optional<Type> named_type(const std::string& spelling, cell::Span span);  // nothing: reported

  // --- names
  struct Scope {
    std::map<std::string, Form> names;
  };
  std::optional<Form> find(const std::string& name);
  void enter(const std::string& name, Form form) { scopes_.back().names.insert_or_assign(name, std::move(form)); }
  void assign(const std::string& name, const std::optional<ScalarValue>& value);
  void forget_values(const cell::Statement& changed);  // of what a statement assigns to, wherever it is in it
  void forget_values(const cell::Expression& changed);
  void forget_what_a_macro_may_change(const cell::Expression& statement);
  void forget_everything();  // a command may have declared and freed anything

  // --- check_expressions.cpp
  // A struct of a cell: whether it has a conversion operator or an operator<< is known when it runs.
  static bool may_convert(const Form& form);
  Form number(const cell::Expression& expression, std::string_view what);  // reports anything else
  void integer(const cell::Expression& expression, std::string_view what);
  Form visit(const cell::Expression& expression);
  Form name(const std::string& text, cell::Span span);
  Form ternary(const cell::Ternary& ternary, cell::Span span);
  Form cast(const cell::Cast& cast, cell::Span span);
  // --- check_texts.cpp
  Form stream(const cell::Binary& binary);                  // std::cout << x
  std::optional<Form> stream_call(const cell::Call& call);  // std::cout.precision(3)
  std::optional<Form> of_texts(const cell::Binary& binary, const Form& left, const Form& right);  // s + "a", s == t
  std::optional<Form> text_call(const cell::Call& call);                                          // s.size()
  bool is_text(const cell::Expression& expression);
  // --- check_enumerations.cpp
  struct Enumerated {
    std::string type;
    bool scoped = false;
  };
  std::optional<Enumerated> enumeration_of(const cell::Expression& expression);  // which has been visited
  bool is_plain_number(const cell::Expression& expression);                      // surely not of an enumeration
  void converts(const cell::Expression& value, const Type& type);                // T x = value;
  void compares(const cell::Binary& binary, cell::Span span);                    // and what else operators do
  void steps(const cell::Unary& unary, cell::Span span);
  void steps_by(const cell::Assignment& assignment, cell::Span span);        // e += 1
  void refuse_scoped(const cell::Expression& value, std::string_view what);  // as a condition, as an index
  bool has_operator(std::string_view symbol);                                // of the cells
  // Says so where the member of a struct is private.
  void accessible(const Type& type, const cell::Member& member, cell::Span span);
  // --- check_vectors.cpp
  Form vector_of(std::string_view element, cell::Span span);
  Form declared_container(const cell::Declaration& declaration, const cell::Declarator& declarator);
  void container_values(const cell::Expression& expression);  // {{"a", 1}, {"b", 2}}
  std::optional<Form> text_stream(const cell::Binary& binary);
  std::optional<Form> container_function(const cell::Call& call, std::string_view callee);
  bool may_be_key(const cell::Index& index);  // not only a number
  std::optional<Form> container_call(const cell::Call& call);
  std::optional<cell::ContainerType> container_in(const cell::Expression& expression);
  Form declared_vector(const cell::Declaration& declaration, const cell::Declarator& declarator);
  std::optional<Form> vector_call(const cell::Call& call);
  Form vector_value(const cell::Expression& expression);
  // --- check_index.cpp
  Form index(const cell::Index& index, cell::Span span);
  std::optional<Form> subscript(const cell::Subscript& subscript);
  bool is_fixed(const cell::Expression& expression);  // a number that the text says
  // --- check_expressions.cpp
  Form member(const cell::Member& member, cell::Span span);
  Form size_of(const cell::SizeOf& size, cell::Span span);
  std::optional<Extents> broadcast_or_say(const std::vector<std::pair<const Form*, cell::Span>>& operands,
                                          cell::Span span);

  // --- check_operators.cpp
  Form unary(const cell::Unary& unary, cell::Span span);
  Form comma(const cell::Binary& binary);
  Form binary(const cell::Binary& binary, cell::Span span);
  bool is_power(const cell::Binary& binary, cell::Span span);
  bool is_launch_as_shifts(const cell::Binary& binary, cell::Span span);
  Form operation(const cell::Binary& binary, const Form& left, const Form& right, cell::Span span);
  Form assignment(const cell::Assignment& assignment, cell::Span span);
  Form of_addresses(const cell::Binary& binary, const Form& left, const Form& right, cell::Span span);
  Form target(const cell::Expression& expression);

  // --- check_calls.cpp
  Form call(const cell::Call& call, cell::Span span);
  bool is_struct(const cell::Member& member);
  bool is_of_library(const cell::Call& call);
  Form algorithm_call(const cell::Call& call);
  bool is_object(const cell::Expression& callee);
  std::optional<Form> iterator(const cell::Expression& expression);
  bool is_object_in_place(const cell::Expression& callee);
  Form object_call(const cell::Call& call);
  void forget_captured(const cell::Lambda& lambda);
  void forget_variables();
  Form device_call(const cell::Call& call, Type type);
  Form module_call(const cell::Call& call, cell::Span span);
  Form form_of_result(const cell::HostFunction& function);
  Form method_result(const Form& object, std::string_view name, std::size_t arguments);
  Form host_call(const cell::HostFunction& function, const cell::Call& call, cell::Span span);
  Form function_call(const FunctionName& function, const cell::Call& call, cell::Span span);
  std::optional<std::vector<Form>> given(const FunctionName& function, const cell::Call& call, cell::Span span);
  Form sequence(const FunctionName& function, const cell::Call& call);
  const cell::Expression* method(const cell::Call& call, const cell::Member& member, cell::Span span);
  void argument(const Parameter& parameter, const cell::Expression& expression, const Function& function, Form& form);
  Form array_or_list(const cell::Expression& expression);  // a list in braces is an array of its numbers
  void asserted(const cell::Expression& condition);
  void swapped(const cell::Call& call, cell::Span span);
  void forget_outputs(const cell::Call& call);  // &k, which the function writes
  // --- check_unused.cpp
  void value_of_statement(const cell::ExpressionStatement& statement, const Form& value);
  void unused(const cell::Expression& expression, const Form& value);            // of a statement
  void first_of_several(const cell::Expression& value, std::string_view taker);  // auto u = svd(a);
  void sorted_copy(const cell::Expression& expression);                          // x.sort(), which changes x in Python
  void assigned_in_condition(const cell::Expression& condition);                 // if (x = 3)
  void divided_by_comment(const cell::Expression& expression);                   // of the value that is shown: a // 2
  void remainder_of_negative(const cell::Expression& expression, const Form& value);  // -7 % 3
  void power_by_exclusive_or(const cell::Expression& expression, const Form& value);  // 2^3

  void say(Error error);
  bool certain() const { return uncertain_ == 0; }  // what is here runs once

  std::map<const cell::Call*, cell::ExpressionPtr> methods_;  // x.sum() as sum(x)
  Environment& environment_;
  const cell::Source& source_;
  std::vector<Scope> scopes_{1};
  Checked checked_;
  std::set<std::string> aliased_;                       // names of one variable: what it is may change by another one
  std::map<std::string, cell::Span> called_functions_;  // by statements, and where first
  std::map<std::string, std::vector<Scope>> around_;    // of lambdas that are functions: the blocks that they are in
  bool forgotten_ = false;
  bool trusts_ = false;
  bool expanded_ = false;          // a macro was expanded; its statements may have declared anything
  bool inside_function_ = false;   // of the host
  std::string function_, result_;  // its name, and the type of its result
  bool called_ = false;            // a function was called, so variables of the session may have changed
  int uncertain_ = 0;
};

}  // namespace xcuda::language
