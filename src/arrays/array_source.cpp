#include "arrays/array_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <type_traits>

#include "language/functions.hpp"

namespace xcuda::arrays {
namespace {

bool same_view(const Pointer& a, const Pointer& b) {
  return a.address == b.address && a.type == b.type && a.shape == b.shape && a.strides == b.strides;
}

bool is_named_in_cells(const Type& type) {
  return type.scalar == Scalar::none || (type.is_integer() && !find_type(type.name));
}

// The parts one after the other, numbers in decimal. A cell with small arrays writes this text anew each time, and
// fmt::format() takes half as long again.
template <class... Parts> std::string concat(const Parts&... parts) {
  const auto text_of = [](const auto& part) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(part)>>)
      return std::to_string(part);  // short enough to need no memory
    else
      return std::string_view(part);
  };
  std::string text;
  const auto join = [&](const auto&... pieces) {
    text.reserve((pieces.size() + ...));
    (text.append(pieces), ...);
  };
  join(text_of(parts)...);
  return text;
}

}  // namespace

ArraySource::ArraySource(const ArrayNode& node, const Shape& space, const Pointer* target, Purpose purpose,
                         std::string_view header)
    : header_(header), purpose_(purpose), space_(space), count_(count_of(space)) {
  text_.reserve(1024);
  collect(node);
  collapse(target);
  write_element(node);
  write_access();
}

void ArraySource::note(const Type& type) {
  special_ =
      special_ || type.scalar == Scalar::float16 || type.scalar == Scalar::bfloat16 || type.scalar >= Scalar::complex64;
  complex_ = complex_ || type.scalar >= Scalar::complex64;
  if (is_named_in_cells(type) || type.scalar == Scalar::float16 || type.scalar == Scalar::bfloat16)
    names_ += type.name + " ";
}

void ArraySource::collect(const ArrayNode& node) {
  using Kind = ArrayNode::Kind;
  if (node.kind == Kind::array) {
    note(node.array.type);
    const auto known = std::find_if(arrays_.begin(), arrays_.end(),
                                    [&](const Leaf& leaf) { return same_view(leaf.node->array, node.array); });
    if (known == arrays_.end())
      arrays_.push_back({&node, Leaf::Access::linear, broadcast_strides(node.array, space_), arrays_.size()});
  } else if (node.kind == Kind::pointer) {
    note(node.array.type);
    pointers_.push_back(&node);
  } else if (node.kind == Kind::scalar) {
    note(node.array.type);
    scalars_.push_back(&node);
  } else if (node.kind == Kind::index) {
    coordinates_ = coordinates_ || space_.size() > 1;
  } else if (node.kind == Kind::cast) {
    if (const auto type = find_type(node.text))
      note(*type);
    else
      names_ += node.text + " ";
  } else if (node.kind == Kind::function) {
    places_ = places_ || node.text.starts_with("xcuda::places::");
    if (node.of_cells || (!language::is_element_function(node.text) && !node.text.starts_with("xcuda::")))
      names_ += node.text + " ";
  }
  for (const auto& input : node.inputs) collect(*input);
}

// Neighbouring dimensions that every operand runs through without a gap become one.
void ArraySource::collapse(const Pointer* target) {
  std::vector<std::vector<std::int64_t>*> all;
  for (auto& leaf : arrays_) all.push_back(&leaf.strides);
  if (target != nullptr)
    target_strides_ = broadcast_strides(*target, space_);
  else
    target_strides_ = row_major(space_);
  all.push_back(&target_strides_);
  extents_ = space_;
  if (!coordinates_) {
    for (auto d = extents_.size(); d-- > 0;)
      if (extents_[d] == 1) {
        extents_.erase(extents_.begin() + static_cast<std::ptrdiff_t>(d));
        for (auto* strides : all) strides->erase(strides->begin() + static_cast<std::ptrdiff_t>(d));
      }
    for (auto d = extents_.size(); d-- > 1;) {
      const auto inner = static_cast<std::int64_t>(extents_[d]);
      if (!std::all_of(all.begin(), all.end(),
                       [&](const auto* strides) { return (*strides)[d - 1] == (*strides)[d] * inner; }))
        continue;
      extents_[d - 1] *= extents_[d];
      extents_.erase(extents_.begin() + static_cast<std::ptrdiff_t>(d));
      for (auto* strides : all) {
        (*strides)[d - 1] = (*strides)[d];
        strides->erase(strides->begin() + static_cast<std::ptrdiff_t>(d));
      }
    }
  }
  if (extents_.empty()) {
    extents_ = {1};
    for (auto* strides : all) *strides = {1};
  }
  const auto linear = row_major(extents_);
  const auto is_linear = [&](const std::vector<std::int64_t>& strides) {
    for (std::size_t d = 0; d < extents_.size(); ++d)
      if (extents_[d] > 1 && strides[d] != linear[d]) return false;
    return true;
  };
  constexpr std::uint64_t kNarrow = std::numeric_limits<std::int32_t>::max();
  wide_ = count_ > kNarrow;
  const auto reach = [&](const std::vector<std::int64_t>& strides) {
    std::uint64_t sum = 0;
    for (std::size_t d = 0; d < extents_.size(); ++d)
      sum += static_cast<std::uint64_t>(std::llabs(strides[d])) * (std::max<std::uint64_t>(extents_[d], 1) - 1);
    return sum;
  };
  target_linear_ = is_linear(target_strides_);
  flat_ = target_linear_ && !coordinates_;
  wide_ = wide_ || reach(target_strides_) > kNarrow;
  for (auto& leaf : arrays_) {
    const bool single = std::all_of(leaf.strides.begin(), leaf.strides.end(), [](auto stride) { return stride == 0; });
    leaf.access = is_linear(leaf.strides) && count_ > 1 ? Leaf::Access::linear
                  : single || count_ == 1               ? Leaf::Access::single
                                                        : Leaf::Access::strided;
    flat_ = flat_ && leaf.access != Leaf::Access::strided;
    wide_ = wide_ || reach(leaf.strides) > kNarrow;
  }
}

void ArraySource::line(const std::string& text, cell::Span span) {
  text_ += text;
  text_ += '\n';
  lines_.push_back(span);
}

void ArraySource::write_element(const ArrayNode& node) {
  line(concat("#include <", header_, ">"), node.span);
  if (places_) line("#include <xcuda/places.cuh>", node.span);
  line(wide_ ? "using xcuda_Index = unsigned long;" : "using xcuda_Index = unsigned int;", node.span);
  std::string parameters, values;
  const auto parameter = [&](const std::string& type, const std::string& name) {
    parameters += concat(parameters.empty() ? "" : ", ", type, " const ", name);
    values += concat(values.empty() ? "" : ", ", "xcuda::value_of<", type, ">()");
  };
  for (const auto& leaf : arrays_) parameter(leaf.node->array.type.name, concat("xcuda_x", leaf.number));
  for (std::size_t i = 0; i < scalars_.size(); ++i) parameter(scalars_[i]->array.type.name, concat("xcuda_s", i));
  for (std::size_t i = 0; i < pointers_.size(); ++i)
    parameter(pointer_type(pointers_[i]->array) + (purpose_ == Purpose::value ? " __restrict__" : ""),
              concat("xcuda_p", i));
  for (std::size_t i = 0; i < std::max<std::size_t>(space_.size(), 1); ++i)
    parameter("unsigned long", concat("xcuda_i", i));
  line(concat("__device__ __forceinline__ auto xcuda_element(", parameters, ") {"), node.span);
  if (purpose_ == Purpose::effect)
    line((node.kind == ArrayNode::Kind::function ? value_text(node) : emit(node)) + ";", node.span);
  else
    line(concat("return ", emit(node), ";"), node.span);
  line("}", node.span);
  line(concat("using xcuda_Own = decltype(xcuda_element(", values, "));"), node.span);
}

std::string ArraySource::pointer_type(const Pointer& pointer) const {
  const bool written = purpose_ == Purpose::effect && !pointer.read_only;
  return concat(pointer.type.name, written ? "" : " const", "*");
}

std::string ArraySource::emit(const ArrayNode& node) {
  using Kind = ArrayNode::Kind;
  switch (node.kind) {
    case Kind::array:
      for (const auto& leaf : arrays_)
        if (same_view(leaf.node->array, node.array)) return concat("xcuda_x", leaf.number);
      break;
    case Kind::scalar: return concat("xcuda_s", std::find(scalars_.begin(), scalars_.end(), &node) - scalars_.begin());
    case Kind::pointer:
      return concat("xcuda_p", std::find(pointers_.begin(), pointers_.end(), &node) - pointers_.begin());
    case Kind::literal: return node.text;
    case Kind::index: {  // in a larger space its dimensions are the last ones, and one of extent 1 is repeated
      const auto dimension = static_cast<std::size_t>(node.dimension);
      if (node.shape.empty()) return concat("xcuda_i", dimension);
      const auto place = space_.size() - node.shape.size() + dimension;
      return node.shape[dimension] == 1 && space_[place] != 1 ? "0ul" : concat("xcuda_i", place);
    }
    default: break;
  }
  const auto value = value_text(node);
  auto name = concat("xcuda_t", temporaries_++);
  line(concat("const auto ", name, " = ", value, ";"), node.span);
  return name;
}

std::string ArraySource::value_text(const ArrayNode& node) {
  using Kind = ArrayNode::Kind;
  std::vector<std::string> inputs;
  for (const auto& input : node.inputs) inputs.push_back(emit(*input));
  if (node.kind == Kind::unary) return concat(cell::spelling(node.unary), "(", inputs[0], ")");
  if (node.kind == Kind::binary) {
    const auto value = applied(node.binary, inputs[0], inputs[1]);
    return cell::is_bitwise(node.binary) && is_condition(node) ? concat("bool(", value, ")") : value;
  }
  if (node.kind == Kind::ternary)
    return special_ ? concat("xcuda::choose(", inputs[0], ", ", inputs[1], ", ", inputs[2], ")")
                    : concat(inputs[0], " ? ", inputs[1], " : ", inputs[2]);
  if (node.kind == Kind::cast) return converted(node.text, inputs[0]);
  const bool own = !node.of_cells && language::is_element_function(node.text);
  return fmt::format("{}{}({})", own ? "xcuda::math::" : "",
                     own ? language::without_std(node.text) : std::string_view(node.text), fmt::join(inputs, ", "));
}

std::string ArraySource::converted(std::string_view type, std::string_view value) const {
  return concat(special_ ? "xcuda::convert" : "static_cast", "<", type, ">(", value, ")");
}

std::string ArraySource::applied(cell::BinaryOperator op, std::string_view left, std::string_view right) const {
  const auto named = special_ ? cell::row_of(op).function : std::string_view();
  return named.empty() ? concat(left, " ", cell::spelling(op), " ", right)
                       : concat("xcuda::", named, "(", left, ", ", right, ")");
}

std::string ArraySource::element_argument(const Leaf& leaf, std::string_view index) const {
  if (leaf.access == Leaf::Access::linear) return concat("xcuda_a", leaf.number, "[", index, "]");
  if (leaf.access == Leaf::Access::single) return concat("*xcuda_a", leaf.number);
  return concat("xcuda_a", leaf.number, "[xcuda_c.offset(xcuda_l", leaf.number, ")]");
}

// The parameters of a kernel, and xcuda_at: the value for a linear index.
void ArraySource::write_access() {
  const auto offset = wide_ ? "long" : "int";
  const auto add = [&](const std::string& type, const std::string& name) {
    parameters_ += concat(type, " ", name, ", ");
    arguments_ += name + ", ";
  };
  for (const auto& leaf : arrays_) {
    add(concat("const ", leaf.node->array.type.name, "*"), concat("xcuda_a", leaf.number));
    if (leaf.access == Leaf::Access::strided)
      add(concat("xcuda::Strides<", offset, ", ", extents_.size(), ">"), concat("xcuda_l", leaf.number));
  }
  for (std::size_t i = 0; i < scalars_.size(); ++i) add(scalars_[i]->array.type.name, concat("xcuda_s", i));
  for (std::size_t i = 0; i < pointers_.size(); ++i) add(pointer_type(pointers_[i]->array), concat("xcuda_p", i));
  if (!flat_) {
    add(concat("xcuda::Strides<xcuda_Index, ", extents_.size(), ">"), "xcuda_extents");
    add(concat("xcuda::Strides<", offset, ", ", extents_.size(), ">"), "xcuda_lout");
  }
  const auto none = lines_.empty() ? cell::Span{} : lines_.front();
  std::string coordinates, values;
  const auto value = [&](const std::string& text) { values += (values.empty() ? "" : ", ") + text; };
  if (!flat_)
    coordinates =
        concat("const xcuda::Coordinates<xcuda_Index, ", extents_.size(), "> xcuda_c(xcuda_i, xcuda_extents); ");
  for (const auto& leaf : arrays_) value(element_argument(leaf, "xcuda_i"));
  for (std::size_t i = 0; i < scalars_.size(); ++i) value(concat("xcuda_s", i));
  for (std::size_t i = 0; i < pointers_.size(); ++i) value(concat("xcuda_p", i));
  for (std::size_t i = 0; i < std::max<std::size_t>(space_.size(), 1); ++i)
    value(coordinates_ ? concat("xcuda_c.at[", i, "]") : std::string("xcuda_i"));
  line(concat("__device__ __forceinline__ xcuda_Own xcuda_at(", parameters_, "xcuda_Index xcuda_i) { ", coordinates,
              "return xcuda_element(", values, "); }"),
       none);
}

OperationSource ArraySource::finish(const std::string& kernel) const {
  return {complex_ ? "#include <cuda/std/complex>\n#define XCUDA_COMPLEX 1\n" : "", names_, text_ + kernel};
}

void ArraySource::add_to(OperationArguments& arguments) const {
  const auto add_numbers = [&](const auto& numbers) {
    std::vector<std::byte> bytes;
    for (const auto number : numbers) {
      const auto put = [&](const auto& value) {
        const auto piece = std::as_bytes(std::span(&value, 1));
        bytes.insert(bytes.end(), piece.begin(), piece.end());
      };
      if (wide_)
        put(static_cast<std::uint64_t>(number));
      else
        put(static_cast<std::uint32_t>(number));
    }
    arguments.add_bytes(bytes);
  };
  for (const auto& leaf : arrays_) {
    arguments.add(leaf.node->array.address);
    if (leaf.access == Leaf::Access::strided) add_numbers(leaf.strides);
  }
  for (const auto* scalar : scalars_) arguments.add_bytes(scalar->bytes);
  for (const auto* pointer : pointers_) arguments.add(pointer->array.address);
  if (!flat_) {
    add_numbers(extents_);
    add_numbers(target_strides_);
  }
}

int ArraySource::pack(device::Address target, std::size_t element_size) const {
  if (!flat_ || coordinates_) return 1;
  std::size_t largest = element_size;
  for (const auto& leaf : arrays_)
    if (leaf.access == Leaf::Access::linear) largest = std::max(largest, leaf.node->array.type.size);
  const std::size_t pack = largest == 0 || largest > 8 ? 1 : std::min<std::size_t>(16 / largest, 8);
  const auto fits = [&](device::Address address, std::size_t size) {
    return (size & (size - 1)) == 0 && address % (size * pack) == 0;
  };
  if (pack == 1 || count_ < 1024 || !fits(target, element_size)) return 1;
  for (const auto& leaf : arrays_)
    if (leaf.access == Leaf::Access::linear && !fits(leaf.node->array.address, leaf.node->array.type.size)) return 1;
  return static_cast<int>(pack);
}

std::string ArraySource::packed_loads(int pack) const {
  std::string text;
  for (const auto& leaf : arrays_)
    if (leaf.access == Leaf::Access::linear)
      text += fmt::format("const auto xcuda_v{0} = xcuda::load_pack<{1}>(xcuda_a{0} + xcuda_i); ", leaf.number, pack);
    else
      text += fmt::format("const auto xcuda_v{0} = *xcuda_a{0}; ", leaf.number);
  return text;
}

std::string ArraySource::packed_element(std::string_view k) const {
  std::string values;
  const auto value = [&](const std::string& text) { values += (values.empty() ? "" : ", ") + text; };
  for (const auto& leaf : arrays_)
    value(leaf.access == Leaf::Access::linear ? fmt::format("xcuda_v{}.at[{}]", leaf.number, k)
                                              : fmt::format("xcuda_v{}", leaf.number));
  for (std::size_t i = 0; i < scalars_.size(); ++i) value(fmt::format("xcuda_s{}", i));
  for (std::size_t i = 0; i < pointers_.size(); ++i) value(fmt::format("xcuda_p{}", i));
  for (std::size_t i = 0; i < std::max<std::size_t>(space_.size(), 1); ++i) value(fmt::format("xcuda_i + {}", k));
  return fmt::format("xcuda_element({})", values);
}

std::string ArraySource::target_offset() const {
  if (target_linear_) return "xcuda_i";
  return fmt::format("xcuda::Coordinates<xcuda_Index, {}>(xcuda_i, xcuda_extents).offset(xcuda_lout)", extents_.size());
}

cell::Span ArraySource::place(int line) const {
  if (lines_.empty()) return {};
  return lines_[static_cast<std::size_t>(std::clamp<int>(line - 1, 0, static_cast<int>(lines_.size()) - 1))];
}

}  // namespace xcuda::arrays
