// Values of structs that only the host has, since members of them are texts, containers or other such structs:
// containers whose items are their members.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/containers/containers.hpp"
#include "interpreter/frame.hpp"
#include "session/container_data.hpp"
#include "session/names.hpp"

namespace xcuda::interpreter {

// Errors of all functions: type, value, name, unsupported.
class Records : public Part {
 public:
  explicit Records(Frame& frame) : Part(frame) {}

  using Given = std::vector<const cell::Expression*>;
  // --- How values are made: records.cpp
  // Of a new value, what its constructor or its members are given.
  void make(const Container& value, const Given& given, cell::Span span);
  void make(const Container& value, Value given, cell::Span span);  // Particle p = 3;
  // A destructor, of its own, of a base or of a member.
  bool has_ends(const cell::Record& record);
  void end(Variable& record, cell::Span span);
  void require_no_ends(const std::string& type, cell::Span span);  // Error(unsupported): of what has no name
  // this->f() of f(), where a base of the object whose function runs has an f; null otherwise.
  const cell::Expression* inherited(const cell::Call& call, cell::Span span);
  bool has_constructors(const cell::Record& record) { return !constructors(record).empty(); }
  // What the members are made of before the body of a constructor runs.
  void initialize(Variable& record, const cell::HostFunction& constructor);
  // Error(type): a cell has changed the struct since the value was made.
  void require_current(const ContainerData& data, cell::Span span);

  // --- What is done with them: record_steps.cpp
  // p.x, p.f(1), m[i], m(i, j), *this
  Containers::Found step(const Containers::Found& base, const cell::Expression& expression);
  bool is_functor(const cell::Call& call);  // m of m(i, j) is one
  // Nothing where neither is a record.
  std::optional<Value> operate(cell::BinaryOperator op, const Value& left, const Value& right, cell::Span span);
  std::optional<Value> operate(cell::UnaryOperator op, const Value& operand, cell::Span span);
  bool same(const Container& left, const Container& right);
  bool is_before(const Container& left, const Container& right);
  // a += b, a = 3 of a variable; nothing where no operator is defined for it.
  std::optional<Value> assign(Variable& record, std::string_view op, const cell::Expression& given, cell::Span span);
  Value count(Variable& record, const cell::Unary& unary, cell::Span span);  // ++p, p--
  // what() of an exception, by the function of its own that has the name, where there is one.
  std::string what(const Container& exception, cell::Span span);
  // A function of the record itself, or of the next base that has it.
  const std::vector<KnownFunctionPtr>& function_of(const cell::Record& record, std::string_view function);
  // The part of an exception that is its base, as a value of that type.
  Container base_of(const Container& exception, const cell::RecordPtr& base);
  // std::cout << p
  bool print(const Container& record, cell::Span span);

 private:
  // A value as an argument of a call: a name that is lent to it.
  struct Site {
    cell::ExpressionPtr tree;  // which other parts know by its address
    const cell::Expression* name = nullptr;
    NameTable::Symbol symbol{};
  };
  const Site& site(const Value& value, std::size_t argument, cell::Span span);
  const std::vector<KnownFunctionPtr>& constructors(const cell::Record& record);
  // The type whose function is called through an expression: the declared type, unless the function is virtual.
  cell::RecordPtr owner_of(std::string_view function, const cell::RecordPtr& record, const cell::Expression& through);
  void construct(Variable& record, const Given& given, cell::Span span);
  void construct_base(Variable& record, const Given& given, cell::Span span);
  void construct_standard(ContainerData& data, const Given& given, cell::Span span);
  static std::string standard_text(const ContainerData& exception);
  void construct_without_own(Variable& record, cell::Span span);
  bool is_defaulted(const cell::Record& record, std::string_view function) const;
  ItemPtr default_part(const cell::Record::Part& part, cell::Span span);
  ItemPtr part_of(const cell::Record::Part& part, const cell::HostFunction::MemberValue& value);
  ItemPtr part_of(const cell::Record::Part& part, const Given& given, cell::Declarator::Init style, cell::Span span);
  std::uint64_t extent_of(const cell::Record::Part& part);
  Containers::Found call(const Containers::Found& base, std::string_view function, const Given& given,
                         const cell::Expression& expression);
  void require_visible(const cell::Record& record, std::string_view member, cell::Span span);
  Error unknown_member(const cell::Record& record, std::string_view member, cell::Span span);
  std::optional<Value> defined(std::string_view op, const Value& left, const Value& right, cell::Span span);

  std::map<std::string, Site> sites_;
  std::map<const cell::Call*, cell::ExpressionPtr> inherited_;
  std::optional<std::size_t> only_;  // the member whose value is made without the constructor's parameters
};

}  // namespace xcuda::interpreter
