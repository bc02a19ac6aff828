#include "language/iterators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/snippet.hpp"
#include "language/habits.hpp"
#include "language/standard_algorithms.hpp"

namespace xcuda::language {
namespace {

enum class IteratorFrom : std::uint8_t { pointer, begin, end };

struct IteratorPlace {
  IteratorFrom from = IteratorFrom::pointer;
  const cell::Expression* base = nullptr;
  std::string array, offset;  // offset: empty for none
};

class IteratorReader {
 public:
  explicit IteratorReader(const cell::Source& source) : source_(source) {}

  std::optional<IteratorPlace> place(const cell::Expression& expression) const {
    if (const auto* name = std::get_if<cell::Name>(&expression.node))
      return IteratorPlace{IteratorFrom::pointer, &expression, name->text, ""};
    if (const auto* call = std::get_if<cell::Call>(&expression.node)) return of_call(*call);
    if (const auto* sum = std::get_if<cell::Binary>(&expression.node);
        sum != nullptr && sum->op == cell::BinaryOperator::add) {
      auto base = place(*sum->left);
      if (!base || !base->offset.empty() || base->from == IteratorFrom::end) return std::nullopt;
      base->offset = text(*sum->right);
      return base;
    }
    const auto* address = std::get_if<cell::Unary>(&expression.node);
    if (address == nullptr || address->op != cell::UnaryOperator::address) return std::nullopt;
    const auto* index = std::get_if<cell::Index>(&address->operand->node);
    if (index == nullptr || index->subscripts.size() != 1 || index->subscripts[0].slice) return std::nullopt;
    return IteratorPlace{IteratorFrom::pointer, index->base.get(), text(*index->base),
                         text(*index->subscripts[0].start)};
  }
  // An argument after the iterators.
  std::string value(const cell::Expression& expression) const {
    if (std::holds_alternative<cell::Lambda>(expression.node)) return "f";
    const auto begin = place(expression);
    return begin && begin->offset.empty() && begin->from == IteratorFrom::begin ? begin->array : text(expression);
  }
  std::string text(const cell::Expression& expression) const { return cell::snippet(source_.text, expression.span); }
  // std::begin(x) of x.begin(), x + 2 of x.begin() + 2.
  std::string pointer(const cell::Expression& expression) const {
    const auto of = place(expression);
    if (!of || of->from == IteratorFrom::pointer) return text(expression);
    if (!of->offset.empty()) return fmt::format("{} + {}", of->array, of->offset);
    return fmt::format("std::{}({})", of->from == IteratorFrom::begin ? "begin" : "end", of->array);
  }

 private:
  // x.begin(), std::begin(x)
  std::optional<IteratorPlace> of_call(const cell::Call& call) const {
    static constexpr std::string_view kBegins[] = {"begin", "cbegin", "data", "std::begin", "std::cbegin", "std::data"},
                                      kEnds[] = {"end", "cend", "std::end", "std::cend"};
    const auto* member = std::get_if<cell::Member>(&call.callee->node);
    const auto* name = std::get_if<cell::Name>(&call.callee->node);
    if (call.arguments.size() != (member != nullptr ? 0 : 1)) return std::nullopt;
    std::string_view function;
    if (member != nullptr) function = member->member;
    if (name != nullptr) function = name->text;
    const auto& base = member != nullptr ? *member->base : *call.arguments[0].value;
    if (among(function, kBegins)) return IteratorPlace{IteratorFrom::begin, &base, text(base), ""};
    if (among(function, kEnds)) return IteratorPlace{IteratorFrom::end, &base, text(base), ""};
    return std::nullopt;
  }

  const cell::Source& source_;
};

bool is_policy(const cell::Expression& expression) {  // thrust::device, std::execution::par
  const auto* name = std::get_if<cell::Name>(&expression.node);
  return name != nullptr && (name->text.starts_with("thrust::") || name->text.starts_with("std::execution::"));
}

// The function objects that Thrust has and C++ does not.
bool is_of_thrust_alone(std::string_view text) {
  static constexpr std::string_view kObjects[] = {"thrust::maximum",      "thrust::minimum", "thrust::square",
                                                  "thrust::placeholders", "thrust::project", "thrust::make_"};
  return std::any_of(std::begin(kObjects), std::end(kObjects),
                     [&](std::string_view one) { return text.find(one) != std::string_view::npos; });
}

// The call with pointers, where C++'s library has the algorithm.
std::string call_with_pointers(const IteratorReader& reader, const cell::Call& call, std::string_view base,
                               std::size_t first) {
  const auto name = fmt::format("std::{}", base);
  if (!is_standard_algorithm(name)) return {};
  std::vector<std::string> given;
  for (auto i = first; i < call.arguments.size(); ++i) given.push_back(reader.pointer(*call.arguments[i].value));
  auto text = fmt::format("{}({})", name, fmt::join(given, ", "));
  if (is_of_thrust_alone(text)) return {};
  for (std::size_t at = 0; (at = text.find("thrust::")) != std::string::npos;) text.replace(at, 8, "std::");
  return text;
}

}  // namespace

std::optional<IteratorRange> iterator_range(const cell::Source& source, const cell::Call& call) {
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  const auto& arguments = call.arguments;
  const std::size_t first = !arguments.empty() && is_policy(*arguments[0].value) ? 1 : 0;
  if (callee == nullptr || arguments.size() < first + 2) return std::nullopt;
  const IteratorReader reader(source);
  const auto begin = reader.place(*arguments[first].value), end = reader.place(*arguments[first + 1].value);
  if (!begin || !end || begin->array != end->array || begin->from == IteratorFrom::end ||
      (end->from == IteratorFrom::begin && end->offset.empty()))
    return std::nullopt;
  // std::max(x, x + 1) is of elements, std::count(x, x + n, 3) an algorithm.
  const std::string_view name = callee->text;
  const bool algorithm = (name.starts_with("std::") || name.starts_with("thrust::")) &&
                         find_habit(Habit::Kind::range, name.substr(name.rfind(':') + 1)) != nullptr;
  const bool pointers = begin->from == IteratorFrom::pointer && end->from == IteratorFrom::pointer;
  if (pointers && (!algorithm || end->offset.empty())) return std::nullopt;
  IteratorRange range{begin->base, begin->array, {}};
  if (end->from != IteratorFrom::end || !begin->offset.empty())
    range.array += fmt::format("[{}:{}]", begin->offset, end->offset);
  for (std::size_t i = first + 2; i < arguments.size(); ++i) range.rest.push_back(reader.value(*arguments[i].value));
  range.as_pointers = call_with_pointers(reader, call, name.substr(name.rfind(':') + 1), first);
  return range;
}

}  // namespace xcuda::language
