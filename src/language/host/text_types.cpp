#include "language/host/text_types.hpp"

#include <algorithm>
#include <iterator>

namespace xcuda::language {
namespace {

Form count() { return Form::number(Kind::ulong64); }
Form truth() { return Form::number(Kind::boolean); }
Form character() { return Form::number(Kind::char8); }
Form number() { return Form::number(Kind::int32); }
Form text() { return Form::of(Form::Kind::text); }

constexpr TextMethod kTextMethods[] = {
    {"size", TextOperation::size, 0, 0, count},
    {"length", TextOperation::size, 0, 0, count},
    {"empty", TextOperation::empty, 0, 0, truth},
    {"c_str", TextOperation::itself, 0, 0, text},
    {"data", TextOperation::itself, 0, 0, text},
    {"at", TextOperation::at, 1, 1, character},
    {"front", TextOperation::front, 0, 0, character},
    {"back", TextOperation::back, 0, 0, character},
    {"substr", TextOperation::part, 0, 2, text},
    {"find", TextOperation::find, 1, 2, count},
    {"rfind", TextOperation::find_last, 1, 2, count},
    {"find_first_of", TextOperation::find_first_of, 1, 2, count},
    {"find_last_of", TextOperation::find_last_of, 1, 2, count},
    {"find_first_not_of", TextOperation::find_first_not_of, 1, 2, count},
    {"find_last_not_of", TextOperation::find_last_not_of, 1, 2, count},
    {"compare", TextOperation::compare, 1, 3, number},
    {"starts_with", TextOperation::starts_with, 1, 1, truth},
    {"ends_with", TextOperation::ends_with, 1, 1, truth},
    {"append", TextOperation::append, 1, 2, nullptr},
    {"insert", TextOperation::insert, 2, 2, nullptr},
    {"replace", TextOperation::replace, 3, 3, nullptr},
    {"erase", TextOperation::erase, 0, 2, nullptr},
    {"push_back", TextOperation::push_back, 1, 1, nullptr},
    {"pop_back", TextOperation::pop_back, 0, 0, nullptr},
    {"clear", TextOperation::clear, 0, 0, nullptr},
    {"resize", TextOperation::resize, 1, 2, nullptr},
    {"assign", TextOperation::assign, 1, 2, nullptr},
    {"swap", TextOperation::exchange, 1, 1, nullptr},
    {"reserve", TextOperation::reserve, 0, 1, nullptr},
    {"shrink_to_fit", TextOperation::reserve, 0, 0, nullptr},
};

}  // namespace

const TextMethod* find_text_method(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kTextMethods), std::end(kTextMethods), [&](const auto& row) { return row.name == name; });
  return found == std::end(kTextMethods) ? nullptr : found;
}

std::string text_methods() {
  std::string names;
  for (const auto& row : kTextMethods) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace xcuda::language
