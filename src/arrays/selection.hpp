// Elements that subscripts choose: a view of an array, where arrays of indices may choose along some dimensions.
#pragma once

#include <cstddef>
#include <vector>

#include "arrays/array_node.hpp"

namespace xcuda::arrays {

struct Selection {
  Pointer view;  // after numbers and slices
  struct Chosen {
    std::size_t dimension = 0;  // of the view
    Pointer index;              // integers inside its extent; those of all dimensions are broadcast together
  };
  std::vector<Chosen> chosen;                               // none: all of the view
  std::size_t place = 0;                                    // in the shape, where the indices' extents are
  Shape index_shape;                                        // of all indices together
  Shape shape;                                              // of what is chosen
  enum class Repeats : std::uint8_t { no, yes } repeats{};  // whether two indices may be the same

  bool is_view() const { return chosen.empty(); }
};

// How far each chosen element is from the first of the view, in elements: an expression of the selection's shape.
ArrayNodePtr offsets_of(const Selection& selection, cell::Span span);

}  // namespace xcuda::arrays
