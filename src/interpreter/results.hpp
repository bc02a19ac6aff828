// Values as they are shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cell/tree.hpp"
#include "display/bundle.hpp"
#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Results : public Part {
 public:
  explicit Results(Frame& frame) : Part(frame) {}

  // The elements of an array to show, in one piece, computed if it is an expression; nothing if it is not an array.
  std::optional<Pointer> elements(const Value& value);
  // text: the expression, which names a part of an array.
  display::Bundle bundle(const Value& value, std::string_view text = "");
  display::Bundle sparse(const SparseMatrix& matrix);
  std::string container(const Container& container, int depth);
  std::string written(const cell::Expression& expression) const;  // in one line, shortened
};

}  // namespace xcuda::interpreter
