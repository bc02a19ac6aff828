#include "language/host/container_rules.hpp"

#include <algorithm>
#include <iterator>

namespace xcuda::language {
namespace {

using cell::ContainerKind;
using cell::ContainerKinds;
using Of = ContainerOperation;

constexpr ContainerKinds kAssociative = static_cast<ContainerKinds>(cell::kMaps | cell::kSets);
constexpr ContainerKinds kAdapters = ContainerKind::queue | ContainerKind::stack | ContainerKind::priority_queue;
constexpr ContainerKinds kIterated = static_cast<ContainerKinds>(cell::kSequences | kAssociative);
constexpr ContainerKinds kGrowing = ContainerKind::vector | ContainerKind::deque | ContainerKind::list;
constexpr ContainerKinds kTwoEnded = ContainerKind::deque | ContainerKind::list;
constexpr ContainerKinds kOrdered = static_cast<ContainerKinds>(cell::kSequences | cell::kSorted);
constexpr ContainerKinds kStreams = static_cast<ContainerKinds>(ContainerKind::text_stream);
constexpr ContainerKinds kLists = static_cast<ContainerKinds>(ContainerKind::list);
constexpr ContainerKinds kOptional = static_cast<ContainerKinds>(ContainerKind::optional);
constexpr ContainerKinds kUniqueMaps = ContainerKind::map | ContainerKind::unordered_map;

constexpr ContainerMethod kMethods[] = {
    {"size", Of::size, static_cast<ContainerKinds>(kIterated | kAdapters)},
    {"empty", Of::empty, static_cast<ContainerKinds>(kIterated | kAdapters)},
    {"begin", Of::begin, kIterated},
    {"cbegin", Of::begin, kIterated},
    {"end", Of::end, kIterated},
    {"cend", Of::end, kIterated},
    {"rbegin", Of::rbegin, kOrdered},
    {"rend", Of::rend, kOrdered},
    {"at", Of::at, static_cast<ContainerKinds>(cell::kIndexed | kUniqueMaps), 1, 1},
    {"front", Of::front, cell::kSequences | ContainerKind::queue},
    {"back", Of::back, cell::kSequences | ContainerKind::queue},
    {"top", Of::top, ContainerKind::stack | ContainerKind::priority_queue},
    {"find", Of::find, kAssociative, 1, 1},
    {"count", Of::count, kAssociative, 1, 1},
    {"contains", Of::contains, kAssociative, 1, 1},
    {"lower_bound", Of::lower_bound, cell::kSorted, 1, 1},
    {"upper_bound", Of::upper_bound, cell::kSorted, 1, 1},
    {"has_value", Of::has_value, kOptional},
    {"value", Of::value, kOptional},
    {"value_or", Of::value_or, kOptional, 1, 1},
    {"reset", Of::clear, kOptional},
    {"clear", Of::clear, static_cast<ContainerKinds>(kGrowing | kAssociative | kStreams)},
    {"push_back", Of::push_back, kGrowing, 1, 1},
    {"push_front", Of::push_front, kTwoEnded, 1, 1},
    {"emplace_back", Of::emplace_back, kGrowing, 0, 8},
    {"emplace_front", Of::emplace_front, kTwoEnded, 0, 8},
    {"push", Of::push, kAdapters, 1, 1},
    {"emplace", Of::emplace, static_cast<ContainerKinds>(kAdapters | kAssociative | kOptional), 0, 8},
    {"pop", Of::pop, kAdapters},
    {"pop_back", Of::pop_back, kGrowing},
    {"pop_front", Of::pop_front, kTwoEnded},
    {"insert", Of::insert, kAssociative, 1, 2},
    {"insert", Of::insert, kGrowing, 2, 3},
    {"insert_or_assign", Of::insert_or_assign, kUniqueMaps, 2, 2},
    {"try_emplace", Of::try_emplace, kUniqueMaps, 1, 8},
    {"erase", Of::erase, static_cast<ContainerKinds>(kGrowing | kAssociative), 1, 2},
    {"resize", Of::resize, kGrowing, 1, 2},
    {"assign", Of::assign, kGrowing, 1, 2},
    {"fill", Of::fill, static_cast<ContainerKinds>(ContainerKind::array), 1, 1},
    {"sort", Of::sort, kLists, 0, 1},
    {"reverse", Of::reverse, kLists},
    {"unique", Of::unique, kLists},
    {"remove", Of::remove, kLists, 1, 1},
    {"swap", Of::exchange, static_cast<ContainerKinds>(kIterated | kAdapters | kOptional), 1, 1},
    {"reserve", Of::reserve, ContainerKind::vector | ContainerKind::unordered_map | ContainerKind::unordered_set, 1, 1},
    {"shrink_to_fit", Of::reserve, ContainerKind::vector | ContainerKind::deque},
    {"str", Of::text, kStreams},
    {"str", Of::reset_text, kStreams, 1, 1},
    {"good", Of::good, kStreams},
    {"fail", Of::fail, kStreams},
    {"eof", Of::ended, kStreams},
};

}  // namespace

const ContainerMethod* find_container_method(const cell::ContainerType& type, std::string_view name,
                                             std::size_t arguments) {
  const auto* found = std::find_if(std::begin(kMethods), std::end(kMethods), [&](const auto& one) {
    return one.name == name && type.is(one.kinds) && arguments >= one.least && arguments <= one.most;
  });
  return found == std::end(kMethods) ? nullptr : found;
}

std::string container_methods(const cell::ContainerType& type) {
  std::string names;
  std::string_view last;
  for (const auto& one : kMethods)
    if (type.is(one.kinds) && one.name != last) {
      names += (names.empty() ? "" : ", ") + std::string(one.name);
      last = one.name;
    }
  return names;
}

bool is_container_function(std::string_view callee) {
  return callee == "std::getline" || callee.starts_with("std::make_optional") ||
         cell::container_type(callee).has_value();
}

Form container_form(std::string_view type) {
  Form form;
  form.type.name = type;
  return form;
}

Form result_of(const ContainerMethod& method) {
  switch (method.operation) {
    case Of::size:
    case Of::count: return Form::number(Kind::ulong64);
    case Of::empty:
    case Of::contains:
    case Of::has_value:
    case Of::good:
    case Of::fail:
    case Of::ended: return Form::number(Kind::boolean);
    case Of::text: return Form::of(Form::Kind::text);
    case Of::clear:
    case Of::push_back:
    case Of::push_front:
    case Of::push:
    case Of::pop:
    case Of::pop_back:
    case Of::pop_front:
    case Of::resize:
    case Of::assign:
    case Of::fill:
    case Of::sort:
    case Of::reverse:
    case Of::exchange:
    case Of::reserve:
    case Of::reset_text: return Form::of(Form::Kind::nothing);
    default: return {};
  }
}

}  // namespace xcuda::language
