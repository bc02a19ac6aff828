// What the kernel of an array expression is made from: its operands, how their elements are found, and all that its
// text depends on (array_text.hpp), which is types and the class of the shapes. Numbers, extents and addresses are
// parameters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/array_node.hpp"
#include "arrays/operations.hpp"

namespace xcuda::arrays {

struct ArrayForm {
  // An effect is a call whose value is dropped: it may be void, and gets pointers that it may write by.
  enum class Purpose : std::uint8_t { value, effect };
  struct Leaf {
    const ArrayNode* node = nullptr;
    enum class Access : std::uint8_t { linear, single, strided } access = Access::linear;
    std::vector<std::int64_t> strides;  // over the space
    std::size_t number = 0;
  };

  const ArrayNode* root = nullptr;
  std::string header;
  Purpose purpose = Purpose::value;
  Shape space;
  Shape extents;             // of the space, collapsed
  std::vector<Leaf> arrays;  // each view once
  std::vector<const ArrayNode*> scalars, pointers;
  std::string names;          // whose definitions in cells the text may need
  bool wide = false;          // indices of 64 bits
  bool flat = true;           // every array is read, and the target written, in the order of its memory
  bool target_linear = true;  // the target is written in that order
  bool special = false;       // some elements have 16 bits or are complex
  bool complex = false;
  bool coordinates = false;  // the element's own index in several dimensions is wanted
  bool places = false;       // xcuda/places.cuh is wanted

  const Leaf* leaf_of(const ArrayNode& node) const;     // of a node for an array; null while it is not known
  std::string index_text(const ArrayNode& node) const;  // of a node for an index
};

class ArraySource {
 public:
  using Purpose = ArrayForm::Purpose;
  // space: the shape whose elements are counted row by row, to which the node's is broadcast. target: what is written
  // there, if its strides matter; may be null. The node must outlive the source.
  ArraySource(const ArrayNode& node, const Shape& space, const Pointer* target, Purpose purpose = Purpose::value,
              std::string_view header = "xcuda/elementwise.cuh");

  void note(const Type& type);  // a type that the kernel's own text names
  void need(std::string_view names);

  const ArrayForm& form() const { return form_; }
  // Two sources with one key have the same text, while the cells' definitions are the same.
  const std::string& key() const { return key_; }

  // Adds the values of the parameters, in the order of ArrayText::parameters().
  struct Placed {
    std::size_t offset = 0;  // bytes
    const ArrayNode* node = nullptr;
  };
  // Returns where the operands are among them: the address of an array or a pointer, the bytes of a number.
  std::vector<Placed> add_to(OperationArguments& arguments) const;

  std::uint64_t count() const { return count_; }
  bool wide() const { return form_.wide; }
  // Elements that a thread can read and write at once, 16 bytes at most; 1 unless flat. element_size: of the target.
  int pack(device::Address target, std::size_t element_size) const;

 private:
  void collect(const ArrayNode& node);
  void collapse(const Pointer* target);
  void add_to_key(std::string_view text);

  ArrayForm form_;
  std::uint64_t count_ = 1;
  std::vector<std::int64_t> target_strides_;
  std::string key_;
};

}  // namespace xcuda::arrays
