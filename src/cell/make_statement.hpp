#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "cell/tree.hpp"

namespace xcuda::cell {

template <class Node> StatementPtr make_statement(Span span, Node node) {
  auto statement = std::make_unique<Statement>();
  statement->span = {span.begin, std::max(span.begin, span.end)};  // after an error the end may be in front
  statement->node = std::move(node);
  return statement;
}

}  // namespace xcuda::cell
