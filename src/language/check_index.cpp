// Subscripts: numbers, slices, `...`, new axes, arrays of indices, and conditions.
#include <fmt/format.h>

#include <algorithm>

#include "cell/method.hpp"
#include "cell/snippet.hpp"
#include "cell/type_word.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/subscript_rules.hpp"

namespace xcuda::language {

using cell::Span;

namespace {

// a > 0, mask, a > 0 & b > 0: also where the elements' types are not known.
bool is_condition(const cell::Expression& expression, const Form& form) {
  if (form.is_array() && form.has_type()) return kind_of(form.type) == Kind::boolean;
  const auto* binary = std::get_if<cell::Binary>(&expression.node);
  return binary != nullptr && cell::is_bitwise(binary->op);
}

// How many extents a subscript takes; nothing where that is not known.
std::optional<std::size_t> dimensions_of(const cell::Subscript& subscript, const Form& given) {
  if (is_new_axis(subscript)) return 0;
  return given.is_array() && is_condition(*subscript.start, given) ? given.rank() : std::optional<std::size_t>(1);
}

// Where a constant is, counted from the front; nothing where it is not known or outside.
Extent place_of(const std::optional<ScalarValue>& value, const Extent& extent) {
  if (!value || !value->is_integer()) return std::nullopt;
  if (!value->is_negative()) return value->as_unsigned();
  const auto back = 0 - value->as_unsigned();
  return extent && back <= *extent ? Extent(*extent - back) : std::nullopt;
}

Extent length_of(const cell::Subscript& subscript, const Extent& extent, const Extent& start, const Extent& stop,
                 const std::optional<ScalarValue>& step) {
  if (subscript.start == nullptr && subscript.stop == nullptr && subscript.step == nullptr) return extent;
  const auto by = subscript.step == nullptr ? std::optional<std::int64_t>(1)
                  : step                    ? std::optional(step->as_signed())
                                            : std::nullopt;
  if (!by || *by == 0 || !extent) return std::nullopt;
  const bool back = *by < 0;
  const auto end = static_cast<std::int64_t>(*extent);
  const auto bound = [&](const cell::ExpressionPtr& part, const Extent& given,
                         std::int64_t otherwise) -> std::optional<std::int64_t> {
    if (part == nullptr) return otherwise;
    return given ? std::optional(static_cast<std::int64_t>(*given)) : std::nullopt;
  };
  const auto from = bound(subscript.start, start, back ? end - 1 : 0),
             to = bound(subscript.stop, stop, back ? -1 : end);
  if (!from || !to || *from > end || *to > end) return std::nullopt;
  const auto length = back ? *from - *to : *to - *from, width = back ? -*by : *by;
  return length < 0 ? std::nullopt : Extent(static_cast<std::uint64_t>((length + width - 1) / width));
}

}  // namespace

bool Checker::is_fixed(const cell::Expression& expression) {
  return language::is_fixed(expression, [this](const std::string& name) {
    const auto found = find(name);
    return found && found->read_only;
  });
}

// The form of a subscript; nothing, with an error, where a part is wrong.
std::optional<Form> Checker::subscript(const cell::Subscript& subscript) {
  Form one;
  for (const auto* part : {&subscript.start, &subscript.stop, &subscript.step}) {
    if (*part == nullptr) continue;
    auto value = subscript.slice ? form(**part) : array_or_list(**part);
    const bool array = value.is_array() && !subscript.slice;
    if (value.is_known() && value.kind != Form::Kind::number && !array) {
      say(number_expected(source_, value, (*part)->span, "a subscript"));
      return std::nullopt;
    }
    refuse_scoped(**part, "a subscript");
    if (value.is_known() && value.has_type() && !value.type.is_integer()) {
      say(subscript_not_integer(source_, value.type, (*part)->span));
      return std::nullopt;
    }
    one = std::move(value);
  }
  return one;
}

Form Checker::index(const cell::Index& index, Span) {
  const auto base = form(*index.base);
  if (!base.is_known() && index.subscripts.size() == 1 && !index.subscripts[0].slice && may_be_key(index)) {
    container_values(*index.subscripts[0].start);  // of a map
    return {};
  }
  std::vector<Form> given;
  for (const auto& one : index.subscripts) {
    if (is_new_axis(one) || is_ellipsis(one)) {
      given.emplace_back();
      continue;
    }
    auto checked = subscript(one);
    if (!checked) return {};
    given.push_back(std::move(*checked));
  }
  if (!base.is_known()) return {};
  if (base.kind == Form::Kind::text) return Form::number(Kind::char8);
  if (!base.is_array()) {
    if (base.kind == Form::Kind::object || base.kind == Form::Kind::texture) return {};
    say(no_elements(source_, base, index.base->span));
    return {};
  }
  auto element = Form::array(base.type);
  element.memory = Form::Memory::part;
  element.read_only = base.read_only;
  element.on_device = base.on_device;
  const bool by_arrays = std::any_of(given.begin(), given.end(), [](const Form& one) { return one.is_array(); });
  // What is not known may be an array as well as a number.
  const bool open = std::any_of(index.subscripts.begin(), index.subscripts.end(), [&](const cell::Subscript& one) {
    const auto& form = given[static_cast<std::size_t>(&one - index.subscripts.data())];
    return !one.slice && !form.is_known() && !is_new_axis(one) && !is_ellipsis(one);
  });
  if (!base.extents || open) return by_arrays ? element : Form();
  Extents extents;  // of the result
  Extents left = *base.extents;
  std::size_t at = 0;  // in what is left
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& one = index.subscripts[i];
    if (is_new_axis(one)) {
      extents.emplace_back(1);
      continue;
    }
    if (is_ellipsis(one)) {
      std::size_t rest = 0;
      for (std::size_t k = i + 1; k < given.size(); ++k) {
        const auto& later = index.subscripts[k];
        const auto extents_of_it = later.slice ? std::optional<std::size_t>(1) : dimensions_of(later, given[k]);
        if (!extents_of_it) return element;
        rest += *extents_of_it;
      }
      for (; at + rest < left.size(); ++at) extents.push_back(left[at]);
      continue;
    }
    if (given[i].is_array()) {  // as many as there are, of indices or where a condition holds
      const auto* flipped = std::get_if<cell::Unary>(&one.start->node);
      if (flipped != nullptr && flipped->op == cell::UnaryOperator::bit_not &&
          is_condition(*flipped->operand, form(*flipped->operand))) {
        const auto of = cell::snippet(source_.text, flipped->operand->span);
        say(complaint(source_, ErrorKind::type, fmt::format("~{} gives the integers -1 and -2, not a condition", of),
                      one.span)
                .advise(fmt::format("{}[!{}]", cell::snippet(source_.text, index.base->span), of)));
        return {};
      }
      const auto many = dimensions_of(one, given[i]);
      if (!many) return element;
      if (at + *many > left.size()) {
        if (is_condition(*one.start, given[i])) return element;  // the run compares the shapes
        say(no_more_dimensions(source_, index.base->span, one.span));
        return {};
      }
      at += *many;
      continue;
    }
    if (at >= left.size()) {
      say(no_more_dimensions(source_, index.base->span, one.span));
      return {};
    }
    const auto extent = left[at++];
    if (one.slice) {
      const auto bound = [&](const cell::ExpressionPtr& part) {
        return part == nullptr ? std::nullopt
                               : place_of(checked_.forms[part.get()].value, is_fixed(*part) ? extent : Extent());
      };
      for (const auto* part : {&one.start, &one.stop}) {
        if (*part == nullptr || !extent || !certain()) continue;
        const auto& value = checked_.forms[part->get()].value;
        if (!value || !value->is_integer() || (value->is_negative() && !is_fixed(**part))) continue;
        if (const auto place = bound(*part); place && *place <= *extent) continue;
        say(slice_out_of_bounds(source_, one, **part, *value, cell::snippet(source_.text, index.base->span), *extent));
        return {};
      }
      const auto step = one.step == nullptr ? std::nullopt : checked_.forms[one.step.get()].value;
      extents.push_back(length_of(one, extent, bound(one.start), bound(one.stop), step));
      continue;
    }
    if (const auto& value = given[i].value; value && extent && certain()) {
      const bool constant = is_fixed(*one.start);
      const auto place = place_of(value, constant ? extent : Extent());
      if (!place || *place >= *extent) {
        const auto wrong = constant ? out_of_bounds : computed_out_of_bounds;
        say(wrong(source_, *value, cell::snippet(source_.text, index.base->span), *extent, one.start->span));
        return {};
      }
    }
  }
  if (by_arrays) {  // where their extents are, the run says
    std::size_t arrays = 0, most = 0;
    const Form* only = nullptr;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!given[i].is_array()) continue;
      ++arrays, only = &given[i];
      const bool condition = is_condition(*index.subscripts[i].start, given[i]);
      if (!condition && !given[i].rank()) return element;
      most = std::max(most, condition ? 1 : *given[i].rank());
      if (condition) only = nullptr;
    }
    if (arrays == 1 && only != nullptr && index.subscripts.size() == 1) {
      element.extents = *only->extents;
      element.extents->insert(element.extents->end(), left.begin() + static_cast<std::ptrdiff_t>(at), left.end());
    } else {
      element.extents = Extents(extents.size() + left.size() - at + most);
    }
    return element;
  }
  extents.insert(extents.end(), left.begin() + static_cast<std::ptrdiff_t>(at), left.end());
  if (!extents.empty()) {
    element.extents = std::move(extents);
    return element;
  }
  if (!base.has_type()) return {};
  return base.type.name.ends_with('*') ? Form() : Checker::element(base.type);
}

// x.sum(axis = 0) as sum(x, axis = 0), where x is an array and there is such a function.
const cell::Expression* Checker::method(const cell::Call& call, const cell::Member& member, Span span) {
  if (const auto known = methods_.find(&call); known != methods_.end()) return known->second.get();
  const auto* name = std::get_if<cell::Name>(&member.base->node);
  if (member.arrow || !find_function(member.member) || (name != nullptr && !find(name->text))) return nullptr;
  const auto base = form(*member.base);
  if (base.is_known() && !base.is_array() && !(has_part(base, member.member) && call.arguments.empty())) return nullptr;
  return (methods_[&call] = cell::as_function(call, member, span)).get();
}

Form Checker::element(const Type& type) {
  if (kind_of(type)) return Form::number(type);
  if (is_function_pointer(type.name)) return Form::of(Form::Kind::function);
  const auto word = cell::type_word(type.name);
  if (word == cell::TypeWord::stream) return Form::of(Form::Kind::stream);
  if (word == cell::TypeWord::event) return Form::of(Form::Kind::event);
  return {.kind = Form::Kind::object, .type = type};
}

}  // namespace xcuda::language
