// Comparisons of what is not a number: addresses, texts.
#pragma once

#include "cell/operator_table.hpp"

namespace xcuda::interpreter {

template <class T> bool compare(cell::BinaryOperator op, const T& a, const T& b) {
  switch (op) {
    case cell::BinaryOperator::equal: return a == b;
    case cell::BinaryOperator::different: return a != b;
    case cell::BinaryOperator::less: return a < b;
    case cell::BinaryOperator::at_most: return a <= b;
    case cell::BinaryOperator::greater: return a > b;
    default: return a >= b;
  }
}

}  // namespace xcuda::interpreter
