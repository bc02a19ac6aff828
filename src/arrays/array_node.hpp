// The tree of an expression over whole arrays, with the arrays and numbers in it. Pure data; it becomes a
// kernel in array_source.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays/pointer.hpp"
#include "cell/tree.hpp"
#include "language/scalar_value.hpp"

namespace xcuda::arrays {

using Shape = std::vector<std::uint64_t>;
struct ProductTerm;  // products.hpp
struct Deferred;     // deferred.hpp
using ArrayNodePtr = std::shared_ptr<const ArrayNode>;

struct ArrayNode {
  enum class Kind : std::uint8_t {
    array,    // an element of `array`, broadcast to the shape
    pointer,  // `array` as a pointer to its first element: an argument of a function that looks at neighbours
    scalar,   // a number or an object of the host: `array.type`, `bytes`
    literal,  // C++ text, a part of the source
    index,    // the element's own index in `dimension` of `shape`; if that is empty, of what is computed
    unary,
    binary,
    ternary,
    cast,      // text: the type
    function,  // text: the name
    product,   // of matrices, by a library: `product`
    deferred,  // what a library computes: `deferred`
  };
  Kind kind = Kind::literal;
  std::string text;
  cell::UnaryOperator unary{};
  cell::BinaryOperator binary{};
  Pointer array;
  std::vector<std::byte> bytes;
  int dimension = 0;
  std::vector<ArrayNodePtr> inputs;
  Shape shape;  // empty: one value for all
  cell::Span span;
  bool of_cells = false;  // a function that cells define
  std::shared_ptr<ProductTerm> product;
  std::shared_ptr<Deferred> deferred;
};

// Whether elements are truths: comparisons, arrays of bool, and what `&`, `|` and `^` join of these. C++ makes an
// integer of true & true; an array of it is one of bool, so that it still chooses elements.
bool is_condition(const ArrayNode& node);

std::uint64_t count_of(std::span<const std::uint64_t> shape);
std::string shape_text(std::span<const std::uint64_t> shape);  // "[4][512]"

// The strides of a shape in elements, row by row.
std::vector<std::int64_t> row_major(std::span<const std::uint64_t> shape);
std::vector<std::int64_t> strides_of(const Pointer& pointer);
bool is_contiguous(const Pointer& pointer);
// A view of `count` neighbours along an axis.
Pointer piece_along(Pointer x, std::size_t axis, std::uint64_t first, std::uint64_t count);
// Bytes [first, last) that a pointer's elements lie in.
struct ByteRange {
  device::Address first = 0, last = 0;
};
ByteRange bytes_of(const Pointer& pointer);

// Broadcasts as NumPy does: extents are compared from the last one on; 1, or a missing one, matches any. Nothing when
// two differ.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);
// The strides of a pointer seen in a larger shape: 0 where it is repeated.
std::vector<std::int64_t> broadcast_strides(const Pointer& pointer, const Shape& shape);

}  // namespace xcuda::arrays
