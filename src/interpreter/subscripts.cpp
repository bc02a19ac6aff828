#include "interpreter/subscripts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "base/text.hpp"
#include "cell/library_names.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host_constants.hpp"
#include "interpreter/members.hpp"
#include "interpreter/places.hpp"
#include "interpreter/scalars.hpp"
#include "language/array_members.hpp"
#include "language/complaints.hpp"
#include "language/subscript_rules.hpp"

namespace xcuda::interpreter {

// What the subscripts so far have made of the base, and for which dimension the next one is.
struct Subscripts::Walk {
  cell::Span base;  // what has the subscripts, for errors
  Selection selection;
  std::size_t dimension = 0;
  std::vector<cell::Span> spans;  // of selection.chosen
  // NumPy puts the indices' extents where the first of them is, or first of all if slices part them.
  std::optional<std::size_t> first_chosen;
  bool ended = false, parted = false;

  Pointer& view() { return selection.view; }
  void chose() {
    if (!first_chosen) first_chosen = dimension;
    parted = parted || ended;
  }
  void kept() { ended = first_chosen.has_value(); }
};

namespace {

void advance(Pointer& view, std::size_t dimension, std::int64_t by) {
  view.address +=
      static_cast<device::Address>(by * view.strides[dimension] * static_cast<std::int64_t>(view.type.size));
}

std::string_view owner_of(const Pointer& view) {
  return view.owner.empty() ? std::string_view("the array") : std::string_view(view.owner);
}

template <class List> void erase_at(List& list, std::size_t at) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

bool Subscripts::is_constant(const cell::Expression& expression) {
  return language::is_fixed(expression, [this](const std::string& name) {
    if (const auto* variable = session_.names().find(name)) return variable->read_only;
    return session_.arrays().find(name) == nullptr && host_constant(session_, run_.sink, name).has_value();
  });
}

bool Subscripts::counts_from_end(const cell::Expression& expression) {
  if (!is_constant(expression)) return false;
  const auto value = evaluate(expression);
  const auto* number = std::get_if<language::ScalarValue>(&value);
  return number != nullptr && number->is_negative();
}

// x[{0, -1}]: one element that the text says is negative, and none that is computed.
bool Subscripts::counts_from_end(const cell::List& list) {
  const auto negative = [&](const cell::ExpressionPtr& one) {
    return !std::holds_alternative<cell::List>(one->node) && counts_from_end(*one);
  };
  return std::any_of(list.elements.begin(), list.elements.end(), negative);
}

ArrayNodePtr Subscripts::from_start(const ArrayNodePtr& index, const Walk& walk, cell::Span span) {
  const auto& view = walk.selection.view;
  if (walk.dimension >= view.shape.size()) throw language::no_more_dimensions(frame_.text, walk.base, span);
  const auto extent = scalar_node(language::ScalarValue::of(view.shape[walk.dimension]), span);
  const auto combined = [&](cell::BinaryOperator op, ArrayNodePtr left, ArrayNodePtr right) {
    return frame_.array_expressions.combine(op, {std::move(left), std::move(right)}, span);
  };
  const auto negative = combined(cell::BinaryOperator::less, index, scalar_node(language::ScalarValue::of(0), span));
  const auto moved = combined(cell::BinaryOperator::add, index, extent);
  return frame_.array_expressions.combine(ArrayNode::Kind::ternary, "?", {negative, moved, index}, span);
}

std::optional<language::ScalarValue> Subscripts::of_shape(const cell::Index& index) {
  const auto* member = std::get_if<cell::Member>(&index.base->node);
  if (member == nullptr || language::array_member(*member) != language::ArrayMember::shape ||
      index.subscripts.size() != 1 || index.subscripts[0].slice)
    return std::nullopt;
  const auto shape = frame_.members.shape_of(*index.base);
  if (!shape) return std::nullopt;
  Walk walk{.base = index.base->span};
  walk.view().shape = {shape->size()};
  walk.view().owner = snippet(run_.source, index.base->span);
  const auto& at = *index.subscripts[0].start;
  return language::ScalarValue::of((*shape)[position(walk, at, Part::number(at, "a subscript"), shape->size() - 1)]);
}

language::ScalarValue Subscripts::integer(const cell::Expression& expression, std::string_view what) {
  auto value = Part::number(expression, what);
  if (!value.type().is_integer()) throw language::subscript_not_integer(frame_.text, value.type(), expression.span);
  return value;
}

std::optional<std::uint64_t> Subscripts::place(const Walk& walk, const cell::Expression& expression,
                                               const language::ScalarValue& value, std::uint64_t limit) {
  const auto extent = walk.selection.view.shape[walk.dimension];
  if (!value.type().is_integer()) throw language::subscript_not_integer(frame_.text, value.type(), expression.span);
  const auto back = 0 - value.as_unsigned();
  if (value.is_negative())
    return is_constant(expression) && back <= extent ? std::optional(extent - back) : std::nullopt;
  const bool outside = value.as_unsigned() > limit || (extent == 0 && limit != 0);
  return outside ? std::nullopt : std::optional(value.as_unsigned());
}

std::uint64_t Subscripts::position(const Walk& walk, const cell::Expression& expression,
                                   const language::ScalarValue& value, std::uint64_t limit) {
  if (const auto at = place(walk, expression, value, limit)) return *at;
  const auto& view = walk.selection.view;
  const bool constant = value.is_negative() && is_constant(expression);
  const auto wrong = constant ? language::out_of_bounds : language::computed_out_of_bounds;
  throw wrong(frame_.text, value, owner_of(view), view.shape[walk.dimension], expression.span);
}

void Subscripts::number(Walk& walk, const cell::Expression& expression, const language::ScalarValue& value) {
  auto& view = walk.view();
  if (view.is_address && walk.dimension == 0 && value.is_negative()) {  // p[-1] is *(p - 1), as in C++
    const auto moved = frame_.addresses.moved(view, value.as_signed(), expression.span);
    view.address = moved.address;
    view.bytes = moved.bytes;
    view.whole = false;
  } else {
    advance(view, walk.dimension,
            static_cast<std::int64_t>(position(walk, expression, value, view.shape[walk.dimension] - 1)));
  }
  walk.chose();
  erase_at(view.shape, walk.dimension);
  erase_at(view.strides, walk.dimension);
}

void Subscripts::slice(Walk& walk, const cell::Subscript& subscript) {
  auto& view = walk.view();
  const auto d = walk.dimension;
  const auto extent = view.shape[d];
  std::int64_t step = 1;
  if (subscript.step != nullptr) {
    const auto value = integer(*subscript.step, "the step of a slice");
    if (!value.truth())
      throw error(ErrorKind::value, "the step of a slice is 0: it must be another integer", subscript.step->span);
    const auto most = static_cast<std::int64_t>(std::max<std::uint64_t>(extent, 1));
    step = std::clamp(value.as_signed(), -most, most);
  }
  const bool back = step < 0;
  const auto bound = [&](const cell::ExpressionPtr& part, std::int64_t otherwise, std::uint64_t limit) {
    if (part == nullptr) return otherwise;
    const auto value = Part::number(*part, "a bound of a slice");
    if (const auto at = place(walk, *part, value, limit)) return static_cast<std::int64_t>(*at);
    if (value.is_negative() && !is_constant(*part))
      throw language::computed_out_of_bounds(frame_.text, value, owner_of(view), extent, part->span);
    throw language::slice_out_of_bounds(frame_.text, subscript, *part, value, owner_of(view), extent);
  };
  const auto end = static_cast<std::int64_t>(extent);
  const auto start = bound(subscript.start, back ? end - 1 : 0, back && extent > 0 ? extent - 1 : extent);
  const auto stop = bound(subscript.stop, back ? -1 : end, extent);
  if (back ? start < stop : stop < start)
    throw error(
        ErrorKind::value,
        fmt::format("the slice {}:{} goes {} but its step is {}", start, stop, back ? "forward" : "backward", step),
        subscript.span)
        .advise(back ? "The start of a slice with a negative step is its last element."
                     : "Exchange the bounds, or write a negative step.");
  const auto length = static_cast<std::uint64_t>(back ? start - stop : stop - start);
  const auto width = static_cast<std::uint64_t>(back ? -step : step);
  if (length > 0) advance(view, d, start);
  view.shape[d] = (length + width - 1) / width;
  view.strides[d] *= step;
  ++walk.dimension;
  walk.kept();
}

// An index for each dimension that the condition has.
void Subscripts::choose_where(Walk& walk, const ArrayNodePtr& condition, cell::Span span) {
  auto& view = walk.view();
  const auto& shape = condition->shape;
  const bool fits =
      walk.dimension + shape.size() <= view.shape.size() &&
      std::equal(shape.begin(), shape.end(), view.shape.begin() + static_cast<std::ptrdiff_t>(walk.dimension));
  if (!fits)
    throw error(ErrorKind::value,
                fmt::format("the condition has the shape {}, but {} has {} there", shape_text(shape),
                            snippet(run_.source, walk.base),
                            shape_text(std::span(view.shape).subspan(std::min(walk.dimension, view.shape.size())))),
                span);
  const auto where = frame_.arrays.positions(condition);
  auto inner = count_of(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    walk.chose();
    inner = shape[d] == 0 ? 0 : inner / shape[d];
    auto index = where;
    if (shape.size() > 1) {
      auto node = array_node(where, span);
      const auto put = [&](cell::BinaryOperator op, std::uint64_t by) {
        node = apply_node(op, {node, scalar_node(language::ScalarValue::of(std::max<std::uint64_t>(by, 1)), span)},
                          where.shape, span);
      };
      if (inner > 1) put(cell::BinaryOperator::divide, inner);
      if (d > 0) put(cell::BinaryOperator::remainder, shape[d]);
      index = frame_.arrays.evaluate(node);
    }
    walk.selection.chosen.push_back({walk.dimension++, std::move(index)});
    walk.spans.push_back(span);
  }
}

void Subscripts::check_inside(const Pointer& index, std::uint64_t extent, cell::Span of, cell::Span span) {
  if (count_of(index.shape) == 0) return;
  const auto wrong =
      apply_node(ArrayNode::Kind::function, "xcuda::places::outside",
                 {array_node(index, span), scalar_node(language::ScalarValue::of(extent), span)}, index.shape, span);
  const auto first = [&](std::string_view reducer) {
    return std::get<language::ScalarValue>(frame_.array_expressions.reduced(wrong, reducer));
  };
  if (!first("Any").truth()) return;
  auto flat = frame_.arrays.contiguous(index);
  flat.address += first("ArgMax").as_unsigned() * flat.type.size;
  flat.shape.clear();
  flat.strides.clear();
  const auto value = std::get<language::ScalarValue>(frame_.places.element(flat));
  throw error(ErrorKind::value,
              fmt::format("index {} in {} is out of bounds: {} has {} element{} there", value.text(),
                          snippet(run_.source, span), snippet(run_.source, of), extent, extent == 1 ? "" : "s"),
              span);
}

void Subscripts::choose_at(Walk& walk, const Pointer& index, cell::Span span) {
  auto& view = walk.view();
  if (walk.dimension >= view.shape.size()) throw language::no_more_dimensions(frame_.text, walk.base, span);
  check_inside(index, view.shape[walk.dimension], walk.base, span);
  walk.chose();
  walk.selection.chosen.push_back({walk.dimension++, index});
  walk.selection.repeats = Selection::Repeats::yes;
  walk.spans.push_back(span);
}

void Subscripts::choose(Walk& walk, const cell::Expression& expression, const Value& value) {
  auto node = frame_.array_expressions.node_of(value, expression);
  if (arrays::is_condition(*node)) return choose_where(walk, node, expression.span);
  if (const auto* list = std::get_if<cell::List>(&expression.node); list != nullptr && counts_from_end(*list))
    node = from_start(node, walk, expression.span);
  const auto index = frame_.arrays.evaluate(node);
  if (index.type.scalar == Scalar::boolean)
    return choose_where(walk, array_node(index, expression.span), expression.span);
  if (index.type.lanes > 1 || !index.type.is_integer())
    throw error(ErrorKind::type,
                fmt::format("a subscript is an array of {}: expected integers, or a condition", index.type.name),
                expression.span);
  choose_at(walk, index, expression.span);
}

// The shape of what is chosen.
void Subscripts::put_together(Walk& walk, cell::Span span) {
  auto& selection = walk.selection;
  for (std::size_t i = 0; i < selection.chosen.size(); ++i) {
    const auto whole = broadcast(selection.index_shape, selection.chosen[i].index.shape);
    if (!whole) {
      std::string shapes;
      for (std::size_t k = 0; k < selection.chosen.size(); ++k)
        shapes += fmt::format("{}{} is {}", k == 0 ? "" : ", ", snippet(run_.source, walk.spans[k]),
                              shape_text(selection.chosen[k].index.shape));
      throw error(ErrorKind::value, fmt::format("the subscripts do not match: {}", shapes), span)
          .advise("Counted from the last one, extents must be equal, or one of them 1.");
    }
    selection.index_shape = *whole;
  }
  // Conditions choose each element once; indices beside them may not.
  for (std::size_t d = 0; d < selection.view.shape.size(); ++d) {
    const bool chosen = std::any_of(selection.chosen.begin(), selection.chosen.end(),
                                    [&](const Selection::Chosen& one) { return one.dimension == d; });
    if (!chosen) selection.shape.push_back(selection.view.shape[d]);
  }
  selection.place = walk.parted ? 0 : std::min(*walk.first_chosen, selection.shape.size());
  selection.shape.insert(selection.shape.begin() + static_cast<std::ptrdiff_t>(selection.place),
                         selection.index_shape.begin(), selection.index_shape.end());
  if (selection.shape.size() > kMaxExtents)
    throw frame_.dimensions.too_many("what is chosen", selection.shape.size(), span);
}

void Subscripts::open_library_array(Pointer& place) {
  if (!place.shape.empty() || !cell::is_library_array(place.type.name)) return;
  const auto members = session_.code().members_of(place.type);
  if (members.empty()) return;
  const auto& elements = members.front();
  place.type = elements.type;
  place.shape = elements.shape;
  place.address += elements.offset;
}

Selection Subscripts::of(const cell::Index& index) {
  Walk walk{.base = index.base->span};
  auto& view = walk.view();
  view = frame_.addresses.followed(frame_.places.of(*index.base), index.base->span);
  open_library_array(view);
  view.strides = strides_of(view);
  const auto end = view.address + view.bytes;
  for (std::size_t i = 0; i < index.subscripts.size(); ++i) {
    const auto& subscript = index.subscripts[i];
    if (language::is_new_axis(subscript)) {
      view.shape.insert(view.shape.begin() + static_cast<std::ptrdiff_t>(walk.dimension), 1);
      view.strides.insert(view.strides.begin() + static_cast<std::ptrdiff_t>(walk.dimension), 0);
      ++walk.dimension;
      walk.kept();
      continue;
    }
    if (language::is_ellipsis(subscript)) {
      std::size_t rest = 0;  // dimensions that the subscripts after this one take
      for (std::size_t k = i + 1; k < index.subscripts.size(); ++k) {
        if (language::is_ellipsis(index.subscripts[k]))
          throw error(ErrorKind::value, "only one ... fits into the subscripts", index.subscripts[k].span);
        if (language::is_new_axis(index.subscripts[k])) continue;
        const bool single = index.subscripts[k].slice || frame_.scalars.by_program(*index.subscripts[k].start);
        const auto taken = single ? Value(Nothing{}) : evaluate(*index.subscripts[k].start);
        const auto node = frame_.array_expressions.node_if_array(taken, *index.base);
        rest += node != nullptr && arrays::is_condition(*node) ? node->shape.size() : 1;
      }
      if (walk.dimension + rest > view.shape.size())
        throw language::no_more_dimensions(frame_.text, walk.base, subscript.span);
      walk.dimension = view.shape.size() - rest;
      walk.kept();
      continue;
    }
    if (walk.dimension >= view.shape.size()) throw language::no_more_dimensions(frame_.text, walk.base, subscript.span);
    if (subscript.slice) {
      slice(walk, subscript);
      continue;
    }
    if (const auto value = frame_.scalars.by_program(*subscript.start)) {
      number(walk, *subscript.start, *value);
      continue;
    }
    const auto value = evaluate(*subscript.start);
    if (is_array(value))
      choose(walk, *subscript.start, value);
    else
      number(walk, *subscript.start, Part::number(value, subscript.start->span, "a subscript"));
  }
  view.whole = view.is_address = false;
  if (!walk.selection.is_view()) {
    put_together(walk, index.base->span);
    return std::move(walk.selection);
  }
  view.bytes = end - view.address;
  if (is_contiguous(view)) view.strides.clear();
  return std::move(walk.selection);
}

Pointer Subscripts::along(const Placed& x, std::size_t axis, const Placed& index) {
  Walk walk{.base = x.span};
  walk.view() = x.pointer;
  walk.view().strides = strides_of(x.pointer);
  walk.dimension = axis;
  choose_at(walk, index.pointer, index.span);
  put_together(walk, index.span);
  return elements(walk.selection, index.span);
}

Pointer Subscripts::elements(const Selection& selection, cell::Span span) {
  if (selection.is_view()) return selection.view;
  return frame_.arrays.gather(selection, span);
}

void Subscripts::assign(const Selection& selection, std::optional<cell::BinaryOperator> op, const Value& value,
                        const cell::Expression& expression) {
  const auto& view = selection.view;
  if (view.read_only && !view.variable) throw language::is_constant(frame_.text, view.owner, expression.span);
  auto node = frame_.array_expressions.node_if_array(value, expression);
  if (node == nullptr && !op) {  // converted as an element is
    auto element = std::make_shared<ArrayNode>();
    element->kind = ArrayNode::Kind::scalar;
    element->array.type = view.type;
    element->bytes.resize(view.type.size);
    frame_.elements.read(value, expression.span, view.type, element->bytes);
    element->span = expression.span;
    node = std::move(element);
  } else if (node == nullptr) {
    node = frame_.array_expressions.node_of(value, expression);
  }
  frame_.arrays.scatter({selection, op, node});
}

}  // namespace xcuda::interpreter
