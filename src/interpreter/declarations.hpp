// Declarations: scalars, structs, dim3s, streams and events of the host, arrays of the device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/initial_values.hpp"
#include "language/scalar_value.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Declarations : public Part {
 public:
  explicit Declarations(Frame& frame) : Part(frame) {}

  std::vector<std::uint64_t> extents(const cell::Declarator& declarator);  // those of a row, too
  void define(const cell::Declaration& declaration, const cell::Declarator& declarator, Value value);
  void declare(const cell::Declaration& declaration);
  // Runs static T name = value; when it is reached for the first time: a variable or a pointer.
  void once(const cell::Declaration& declaration, const cell::Declarator& declarator);
  std::vector<std::string> names() const;  // of arrays and scalars, in the order of their last declarations

 private:
  void several(const cell::Declaration& declaration);
  void take(const cell::Declaration& declaration, const cell::Declarator& declarator, Value value, cell::Span span);
  void one(const cell::Declaration& declaration, const cell::Declarator& declarator);
  void array(const cell::Declaration& declaration, const cell::Declarator& declarator);
  void elements(const cell::Declaration& declaration, const cell::Declarator& declarator);
  void variable(const cell::Declaration& declaration, const cell::Declarator& declarator);
  // auto: the type is that of the value.
  void by_value(const cell::Declaration& declaration, const cell::Declarator& declarator, const cell::Expression& init);
  void function(const cell::Declaration& declaration, const cell::Declarator& declarator);
  void like(const cell::Declaration& declaration, const cell::Declarator& declarator, const cell::Call& call);
  void from_file(const cell::Declaration& declaration, const cell::Declarator& declarator, const cell::Call& call);
  void sparse(const cell::Declaration& declaration, const cell::Declarator& declarator, const SparseMatrix& matrix);
  void copy_of(const cell::Declaration& declaration, const cell::Declarator& declarator, const Pointer& pointer);

  ArrayTable::New request(const cell::Declaration& declaration, const cell::Declarator& declarator, Type type,
                          std::vector<std::uint64_t> shape) const;
  std::string_view written_type(const cell::Declaration& declaration, const cell::Declarator& declarator,
                                const Value& value) const;
  device::Dim3 dimensions(const cell::Declarator& declarator);
  Value initial_object(const cell::Declaration& declaration, const cell::Declarator& declarator);
  Value initial_number(const cell::Declarator& declarator, const cell::Expression* init, language::Kind kind);
  std::optional<language::Kind> kind_of(const cell::Declaration& declaration);

  std::unordered_map<std::string, std::uint64_t> declared_;  // name -> number of its last declaration
  std::uint64_t declarations_ = 0;
  // Facts that are found once for each place in the cell's tree, which outlives this.
  std::unordered_map<const cell::Declaration*, std::optional<language::Kind>> kinds_;
};

}  // namespace xcuda::interpreter
