// Calls of C++'s and Thrust's algorithms, which take iterators: std::accumulate(x.begin(), x.end(), 0).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cell/lexer.hpp"
#include "cell/tree.hpp"

namespace xcuda::language {

// The first two arguments as a part of an array, in the text of a statement, and the arguments after them.
struct IteratorRange {
  const cell::Expression* base;   // x of x.begin(), x.end()
  std::string array;              // "x"; "x[2:6]" of x + 2, x + 6
  std::vector<std::string> rest;  // "y" of y.begin(), "f" of a lambda
  // The call as statements have it, std::sort(std::begin(x), std::end(x), std::less<int>()); empty if they do not.
  std::string as_pointers = {};
};

// Nothing where they are not iterators of one array. Pointers, x and x + n, count as iterators only for an algorithm.
std::optional<IteratorRange> iterator_range(const cell::Source& source, const cell::Call& call);

}  // namespace xcuda::language
