// Products of matrices in array expressions. A product is computed where its elements are wanted, so that what is
// around it may become a part of the library's call: alpha * matmul(a, b) + beta * c + bias, with relu() of all that.
#pragma once

#include <optional>

#include "arrays/array_math.hpp"
#include "library/call.hpp"

namespace xcuda::arrays {

struct ProductTerm {
  Pointer left, right;  // [..., m, k] and [..., k, n], repeated to the same batches, as the library takes them
  Shape shape;          // [..., m, n]
  Type type;            // of the result's elements
  std::string text;     // "matmul(a, b)"
  library::Precision precision = library::Precision::full;  // of factors of 8 bits
  double scale = 1;                                         // of the product
  bool left_vector = false, right_vector = false;           // given without m, without n: the result has no such extent
  std::optional<Pointer> value;                             // once it was computed
};

struct ProductRequest {
  Pointer left, right;
  std::string left_text, right_text;  // for errors: "a"
  cell::Span span;
  double scale = 1;  // of the product of fp8
};

// Gives two arrays of numbers the type that C++ gives their product; one of them may become a copy.
void unify(ArrayMath& math, Pointer& left, Pointer& right, cell::Span span);

class Products {
 public:
  Products(ArrayMath& math, Workspace& workspace) : math_(math), workspace_(workspace) {}

  // A node for matmul(left, right), or for its elements where no library multiplies the type: integers. The operands
  // have one type. Errors: value (shapes), type, unsupported.
  ArrayNodePtr node(const ProductRequest& request);

  // The node with arrays in the place of products, which are computed with as much around them as the library takes.
  // The node itself where it has no products.
  ArrayNodePtr without_products(const ArrayNodePtr& node);
  // The type of a node that one call of the library computes.
  std::optional<Type> type_of_sum(const ArrayNodePtr& node) const;
  // Puts the node's elements into the target by one call of the library; false if that is impossible.
  bool store(const ArrayNodePtr& node, const Pointer& target);

 private:
  struct Sum;
  bool fits(const Sum& sum, const Type& type) const;
  std::optional<Sum> sum_of(const ArrayNode& node, const Type* target) const;
  Pointer compute(const Sum& sum, const Shape& shape);
  void call(const Sum& sum, const Pointer& target);
  library::Precision fp8_of(const ProductRequest& request) const;
  Pointer multiply_bytes(const ProductTerm& term);
  Pointer of_nothing(const ProductTerm& term);
  ArrayNodePtr of_integers(const ProductTerm& term, cell::Span span);

  ArrayMath& math_;
  Workspace& workspace_;
};

}  // namespace xcuda::arrays
