#include "arrays/array_source.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "arrays/same_view.hpp"
#include "language/functions.hpp"

namespace xcuda::arrays {
namespace {

bool is_named_in_cells(const Type& type) {
  return type.scalar == Scalar::none || (type.is_integer() && !find_type(type.name));
}

template <class Number> void append(std::string& key, Number number) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  key.append(digits, end).push_back(' ');
}

// Where a node is met first: one that occurs twice in the tree is read from its first parameter.
std::size_t place_of(const std::vector<const ArrayNode*>& nodes, const ArrayNode& node) {
  return static_cast<std::size_t>(std::find(nodes.begin(), nodes.end(), &node) - nodes.begin());
}

}  // namespace

const ArrayForm::Leaf* ArrayForm::leaf_of(const ArrayNode& node) const {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const Leaf& leaf) { return same_view(leaf.node->array, node.array); });
  return found == arrays.end() ? nullptr : &*found;
}

// In a larger space its dimensions are the last ones, and one of extent 1 is repeated.
std::string ArrayForm::index_text(const ArrayNode& node) const {
  const auto dimension = static_cast<std::size_t>(node.dimension);
  if (node.shape.empty()) return "xcuda_i" + std::to_string(dimension);
  const auto place = space.size() - node.shape.size() + dimension;
  return node.shape[dimension] == 1 && space[place] != 1 ? "0ul" : "xcuda_i" + std::to_string(place);
}

ArraySource::ArraySource(const ArrayNode& node, const Shape& space, const Pointer* target, Purpose purpose,
                         std::string_view header)
    : count_(count_of(space)) {
  form_.root = &node;
  form_.header = header;
  form_.purpose = purpose;
  form_.space = space;
  key_.reserve(256);
  add_to_key(header);
  collect(node);
  collapse(target);
  append(key_, static_cast<int>(purpose));
  append(key_, space.size());
  append(key_, form_.extents.size());
  for (const auto& leaf : form_.arrays) append(key_, static_cast<int>(leaf.access));
  for (const bool fact : {form_.wide, form_.flat, form_.target_linear}) append(key_, static_cast<int>(fact));
}

// With its length in front, so that no two lists of texts make one key.
void ArraySource::add_to_key(std::string_view text) {
  append(key_, text.size());
  key_ += text;
}

void ArraySource::need(std::string_view names) {
  form_.names += names;
  form_.names += ' ';
  add_to_key(names);
}

void ArraySource::note(const Type& type) {
  form_.special = form_.special || type.scalar == Scalar::float16 || type.scalar == Scalar::bfloat16 ||
                  type.scalar >= Scalar::complex64;
  form_.complex = form_.complex || type.scalar >= Scalar::complex64;
  if (is_named_in_cells(type) || type.scalar == Scalar::float16 || type.scalar == Scalar::bfloat16)
    form_.names += type.name + " ";
  add_to_key(type.name);
}

void ArraySource::collect(const ArrayNode& node) {
  using Kind = ArrayNode::Kind;
  append(key_, static_cast<int>(node.kind));
  append(key_, node.inputs.size());
  if (node.kind == Kind::array) {
    note(node.array.type);
    const auto* leaf = form_.leaf_of(node);
    if (leaf == nullptr)
      leaf = &form_.arrays.emplace_back(ArrayForm::Leaf{
          &node, ArrayForm::Leaf::Access::linear, broadcast_strides(node.array, form_.space), form_.arrays.size()});
    append(key_, leaf->number);
  } else if (node.kind == Kind::pointer || node.kind == Kind::scalar) {
    note(node.array.type);
    auto& nodes = node.kind == Kind::pointer ? form_.pointers : form_.scalars;
    append(key_, place_of(nodes, node));
    append(key_, static_cast<int>(node.array.read_only));
    nodes.push_back(&node);
  } else if (node.kind == Kind::index) {
    form_.coordinates = form_.coordinates || form_.space.size() > 1;
    add_to_key(form_.index_text(node));
  } else if (node.kind == Kind::unary) {
    append(key_, static_cast<int>(node.unary));
  } else if (node.kind == Kind::binary) {
    append(key_, static_cast<int>(node.binary));
  } else {
    add_to_key(node.text);
  }
  if (node.kind == Kind::cast) {
    if (const auto type = find_type(node.text))
      note(*type);
    else
      form_.names += node.text + " ";
  } else if (node.kind == Kind::function) {
    append(key_, static_cast<int>(node.of_cells));
    form_.places = form_.places || node.text.starts_with("xcuda::places::");
    if (node.of_cells || (!language::is_element_function(node.text) && !node.text.starts_with("xcuda::")))
      form_.names += node.text + " ";
  }
  for (const auto& input : node.inputs) collect(*input);
}

// Neighbouring dimensions that every operand runs through without a gap become one.
void ArraySource::collapse(const Pointer* target) {
  std::vector<std::vector<std::int64_t>*> all;
  for (auto& leaf : form_.arrays) all.push_back(&leaf.strides);
  if (target != nullptr)
    target_strides_ = broadcast_strides(*target, form_.space);
  else
    target_strides_ = row_major(form_.space);
  all.push_back(&target_strides_);
  form_.extents = form_.space;
  if (!form_.coordinates) {
    for (auto d = form_.extents.size(); d-- > 0;)
      if (form_.extents[d] == 1) {
        form_.extents.erase(form_.extents.begin() + static_cast<std::ptrdiff_t>(d));
        for (auto* strides : all) strides->erase(strides->begin() + static_cast<std::ptrdiff_t>(d));
      }
    for (auto d = form_.extents.size(); d-- > 1;) {
      const auto inner = static_cast<std::int64_t>(form_.extents[d]);
      if (!std::all_of(all.begin(), all.end(),
                       [&](const auto* strides) { return (*strides)[d - 1] == (*strides)[d] * inner; }))
        continue;
      form_.extents[d - 1] *= form_.extents[d];
      form_.extents.erase(form_.extents.begin() + static_cast<std::ptrdiff_t>(d));
      for (auto* strides : all) {
        (*strides)[d - 1] = (*strides)[d];
        strides->erase(strides->begin() + static_cast<std::ptrdiff_t>(d));
      }
    }
  }
  if (form_.extents.empty()) {
    form_.extents = {1};
    for (auto* strides : all) *strides = {1};
  }
  const auto linear = row_major(form_.extents);
  const auto is_linear = [&](const std::vector<std::int64_t>& strides) {
    for (std::size_t d = 0; d < form_.extents.size(); ++d)
      if (form_.extents[d] > 1 && strides[d] != linear[d]) return false;
    return true;
  };
  constexpr std::uint64_t kNarrow = std::numeric_limits<std::int32_t>::max();
  form_.wide = count_ > kNarrow;
  const auto reach = [&](const std::vector<std::int64_t>& strides) {
    std::uint64_t sum = 0;
    for (std::size_t d = 0; d < form_.extents.size(); ++d)
      sum += static_cast<std::uint64_t>(std::llabs(strides[d])) * (std::max<std::uint64_t>(form_.extents[d], 1) - 1);
    return sum;
  };
  form_.target_linear = is_linear(target_strides_);
  form_.flat = form_.target_linear && !form_.coordinates;
  form_.wide = form_.wide || reach(target_strides_) > kNarrow;
  for (auto& leaf : form_.arrays) {
    const bool single = std::all_of(leaf.strides.begin(), leaf.strides.end(), [](auto stride) { return stride == 0; });
    leaf.access = is_linear(leaf.strides) && count_ > 1 ? ArrayForm::Leaf::Access::linear
                  : single || count_ == 1               ? ArrayForm::Leaf::Access::single
                                                        : ArrayForm::Leaf::Access::strided;
    form_.flat = form_.flat && leaf.access != ArrayForm::Leaf::Access::strided;
    form_.wide = form_.wide || reach(leaf.strides) > kNarrow;
  }
}

std::vector<ArraySource::Placed> ArraySource::add_to(OperationArguments& arguments) const {
  std::vector<Placed> placed;
  const auto place = [&](const ArrayNode* node) { placed.push_back({arguments.next_offset(), node}); };
  const auto add_numbers = [&](const auto& numbers) {
    std::vector<std::byte> bytes;
    for (const auto number : numbers) {
      const auto put = [&](const auto& value) {
        const auto piece = std::as_bytes(std::span(&value, 1));
        bytes.insert(bytes.end(), piece.begin(), piece.end());
      };
      if (form_.wide)
        put(static_cast<std::uint64_t>(number));
      else
        put(static_cast<std::uint32_t>(number));
    }
    arguments.add_bytes(bytes);
  };
  for (const auto& leaf : form_.arrays) {
    place(leaf.node);
    arguments.add(leaf.node->array.address);
    if (leaf.access == ArrayForm::Leaf::Access::strided) add_numbers(leaf.strides);
  }
  for (const auto* scalar : form_.scalars) {
    place(scalar);
    arguments.add_bytes(scalar->bytes);
  }
  for (const auto* pointer : form_.pointers) {
    place(pointer);
    arguments.add(pointer->array.address);
  }
  if (!form_.flat) {
    add_numbers(form_.extents);
    add_numbers(target_strides_);
  }
  return placed;
}

int ArraySource::pack(device::Address target, std::size_t element_size) const {
  if (!form_.flat || form_.coordinates) return 1;
  std::size_t largest = element_size;
  for (const auto& leaf : form_.arrays)
    if (leaf.access == ArrayForm::Leaf::Access::linear) largest = std::max(largest, leaf.node->array.type.size);
  const std::size_t pack = largest == 0 || largest > 8 ? 1 : std::min<std::size_t>(16 / largest, 8);
  const auto fits = [&](device::Address address, std::size_t size) {
    return (size & (size - 1)) == 0 && address % (size * pack) == 0;
  };
  if (pack == 1 || count_ < 1024 || !fits(target, element_size)) return 1;
  for (const auto& leaf : form_.arrays)
    if (leaf.access == ArrayForm::Leaf::Access::linear && !fits(leaf.node->array.address, leaf.node->array.type.size))
      return 1;
  return static_cast<int>(pack);
}

}  // namespace xcuda::arrays
