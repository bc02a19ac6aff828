#include "arrays/array_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "language/functions.hpp"

namespace xcuda::arrays {
namespace {

// The parts one after the other, numbers in decimal.
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

ArrayText::ArrayText(const ArrayForm& form) : form_(form) {
  text_.reserve(1024);
  write_element(*form.root);
  write_access();
}

void ArrayText::line(const std::string& text, cell::Span span) {
  text_ += text;
  text_ += '\n';
  lines_.push_back(span);
}

void ArrayText::write_element(const ArrayNode& node) {
  line(concat("#include <", form_.header, ">"), node.span);
  if (form_.places) line("#include <xcuda/places.cuh>", node.span);
  line(form_.wide ? "using xcuda_Index = unsigned long;" : "using xcuda_Index = unsigned int;", node.span);
  std::string parameters, values;
  const auto parameter = [&](const std::string& type, const std::string& name) {
    parameters += concat(parameters.empty() ? "" : ", ", type, " const ", name);
    values += concat(values.empty() ? "" : ", ", "xcuda::value_of<", type, ">()");
  };
  for (const auto& leaf : form_.arrays) parameter(leaf.node->array.type.name, concat("xcuda_x", leaf.number));
  for (std::size_t i = 0; i < form_.scalars.size(); ++i)
    parameter(form_.scalars[i]->array.type.name, concat("xcuda_s", i));
  for (std::size_t i = 0; i < form_.pointers.size(); ++i)
    parameter(
        pointer_type(form_.pointers[i]->array) + (form_.purpose == ArrayForm::Purpose::value ? " __restrict__" : ""),
        concat("xcuda_p", i));
  for (std::size_t i = 0; i < std::max<std::size_t>(form_.space.size(), 1); ++i)
    parameter("unsigned long", concat("xcuda_i", i));
  line(concat("__device__ __forceinline__ auto xcuda_element(", parameters, ") {"), node.span);
  if (form_.purpose == ArrayForm::Purpose::effect)
    line((node.kind == ArrayNode::Kind::function ? value_text(node) : emit(node)) + ";", node.span);
  else
    line(concat("return ", emit(node), ";"), node.span);
  line("}", node.span);
  line(concat("using xcuda_Own = decltype(xcuda_element(", values, "));"), node.span);
}

std::string ArrayText::pointer_type(const Pointer& pointer) const {
  const bool written = form_.purpose == ArrayForm::Purpose::effect && !pointer.read_only;
  return concat(pointer.type.name, written ? "" : " const", "*");
}

std::string ArrayText::emit(const ArrayNode& node) {
  using Kind = ArrayNode::Kind;
  switch (node.kind) {
    case Kind::array: return concat("xcuda_x", form_.leaf_of(node)->number);
    case Kind::scalar:
      return concat("xcuda_s", std::find(form_.scalars.begin(), form_.scalars.end(), &node) - form_.scalars.begin());
    case Kind::pointer:
      return concat("xcuda_p", std::find(form_.pointers.begin(), form_.pointers.end(), &node) - form_.pointers.begin());
    case Kind::literal: return node.text;
    case Kind::index: return form_.index_text(node);
    default: break;
  }
  const auto value = value_text(node);
  auto name = concat("xcuda_t", temporaries_++);
  line(concat("const auto ", name, " = ", value, ";"), node.span);
  return name;
}

std::string ArrayText::value_text(const ArrayNode& node) {
  using Kind = ArrayNode::Kind;
  std::vector<std::string> inputs;
  for (const auto& input : node.inputs) inputs.push_back(emit(*input));
  if (node.kind == Kind::unary) return concat(cell::spelling(node.unary), "(", inputs[0], ")");
  if (node.kind == Kind::binary) {
    const auto value = applied(node.binary, inputs[0], inputs[1]);
    return cell::is_bitwise(node.binary) && is_condition(node) ? concat("bool(", value, ")") : value;
  }
  if (node.kind == Kind::ternary)
    return form_.special ? concat("xcuda::choose(", inputs[0], ", ", inputs[1], ", ", inputs[2], ")")
                         : concat(inputs[0], " ? ", inputs[1], " : ", inputs[2]);
  if (node.kind == Kind::cast) return converted(node.text, inputs[0]);
  const bool own = !node.of_cells && language::is_element_function(node.text);
  return fmt::format("{}{}({})", own ? "xcuda::math::" : "",
                     own ? language::without_std(node.text) : std::string_view(node.text), fmt::join(inputs, ", "));
}

std::string ArrayText::converted(std::string_view type, std::string_view value) const {
  return concat(form_.special ? "xcuda::convert" : "static_cast", "<", type, ">(", value, ")");
}

std::string ArrayText::applied(cell::BinaryOperator op, std::string_view left, std::string_view right) const {
  const auto named = form_.special ? cell::row_of(op).function : std::string_view();
  return named.empty() ? concat(left, " ", cell::spelling(op), " ", right)
                       : concat("xcuda::", named, "(", left, ", ", right, ")");
}

std::string ArrayText::element_argument(const ArrayForm::Leaf& leaf, std::string_view index) const {
  if (leaf.access == ArrayForm::Leaf::Access::linear) return concat("xcuda_a", leaf.number, "[", index, "]");
  if (leaf.access == ArrayForm::Leaf::Access::single) return concat("*xcuda_a", leaf.number);
  return concat("xcuda_a", leaf.number, "[xcuda_c.offset(xcuda_l", leaf.number, ")]");
}

// The parameters of a kernel, and xcuda_at: the value for a linear index.
void ArrayText::write_access() {
  const auto offset = form_.wide ? "long" : "int";
  const auto add = [&](const std::string& type, const std::string& name) {
    parameters_ += concat(type, " ", name, ", ");
    arguments_ += name + ", ";
  };
  for (const auto& leaf : form_.arrays) {
    add(concat("const ", leaf.node->array.type.name, "*"), concat("xcuda_a", leaf.number));
    if (leaf.access == ArrayForm::Leaf::Access::strided)
      add(concat("xcuda::Strides<", offset, ", ", form_.extents.size(), ">"), concat("xcuda_l", leaf.number));
  }
  for (std::size_t i = 0; i < form_.scalars.size(); ++i) add(form_.scalars[i]->array.type.name, concat("xcuda_s", i));
  for (std::size_t i = 0; i < form_.pointers.size(); ++i)
    add(pointer_type(form_.pointers[i]->array), concat("xcuda_p", i));
  if (!form_.flat) {
    add(concat("xcuda::Strides<xcuda_Index, ", form_.extents.size(), ">"), "xcuda_extents");
    add(concat("xcuda::Strides<", offset, ", ", form_.extents.size(), ">"), "xcuda_lout");
  }
  const auto none = lines_.empty() ? cell::Span{} : lines_.front();
  std::string coordinates, values;
  const auto value = [&](const std::string& text) { values += (values.empty() ? "" : ", ") + text; };
  if (!form_.flat)
    coordinates =
        concat("const xcuda::Coordinates<xcuda_Index, ", form_.extents.size(), "> xcuda_c(xcuda_i, xcuda_extents); ");
  for (const auto& leaf : form_.arrays) value(element_argument(leaf, "xcuda_i"));
  for (std::size_t i = 0; i < form_.scalars.size(); ++i) value(concat("xcuda_s", i));
  for (std::size_t i = 0; i < form_.pointers.size(); ++i) value(concat("xcuda_p", i));
  for (std::size_t i = 0; i < std::max<std::size_t>(form_.space.size(), 1); ++i)
    value(form_.coordinates ? concat("xcuda_c.at[", i, "]") : std::string("xcuda_i"));
  line(concat("__device__ __forceinline__ xcuda_Own xcuda_at(", parameters_, "xcuda_Index xcuda_i) { ", coordinates,
              "return xcuda_element(", values, "); }"),
       none);
}

OperationSource ArrayText::before(const std::string& kernel) const {
  return {form_.complex ? "#include <cuda/std/complex>\n#define XCUDA_COMPLEX 1\n" : "", form_.names, text_ + kernel};
}

std::string ArrayText::packed_loads(int pack) const {
  std::string text;
  for (const auto& leaf : form_.arrays)
    if (leaf.access == ArrayForm::Leaf::Access::linear)
      text += fmt::format("const auto xcuda_v{0} = xcuda::load_pack<{1}>(xcuda_a{0} + xcuda_i); ", leaf.number, pack);
    else
      text += fmt::format("const auto xcuda_v{0} = *xcuda_a{0}; ", leaf.number);
  return text;
}

std::string ArrayText::packed_element(std::string_view k) const {
  std::string values;
  const auto value = [&](const std::string& text) { values += (values.empty() ? "" : ", ") + text; };
  for (const auto& leaf : form_.arrays)
    value(leaf.access == ArrayForm::Leaf::Access::linear ? fmt::format("xcuda_v{}.at[{}]", leaf.number, k)
                                                         : fmt::format("xcuda_v{}", leaf.number));
  for (std::size_t i = 0; i < form_.scalars.size(); ++i) value(fmt::format("xcuda_s{}", i));
  for (std::size_t i = 0; i < form_.pointers.size(); ++i) value(fmt::format("xcuda_p{}", i));
  for (std::size_t i = 0; i < std::max<std::size_t>(form_.space.size(), 1); ++i) value(fmt::format("xcuda_i + {}", k));
  return fmt::format("xcuda_element({})", values);
}

std::string ArrayText::target_offset() const {
  if (form_.target_linear) return "xcuda_i";
  return fmt::format("xcuda::Coordinates<xcuda_Index, {}>(xcuda_i, xcuda_extents).offset(xcuda_lout)",
                     form_.extents.size());
}

cell::Span ArrayText::place(int line) const {
  if (lines_.empty()) return {};
  return lines_[static_cast<std::size_t>(std::clamp<int>(line - 1, 0, static_cast<int>(lines_.size()) - 1))];
}

}  // namespace xcuda::arrays
