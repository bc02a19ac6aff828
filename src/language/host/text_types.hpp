// std::string and other texts in statements: what their functions are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "language/form.hpp"

namespace xcuda::language {

enum class TextOperation : std::uint8_t {
  size,
  empty,
  itself,  // c_str()
  at,
  front,
  back,
  part,  // substr(begin, count)
  find,
  find_last,
  find_first_of,
  find_last_of,
  find_first_not_of,
  find_last_not_of,
  compare,
  starts_with,
  ends_with,
  // Operations from here on change the text.
  append,
  insert,
  replace,
  erase,
  push_back,
  pop_back,
  clear,
  resize,
  assign,
  exchange,
  reserve,
};
constexpr bool changes(TextOperation operation) { return operation >= TextOperation::append; }

struct TextMethod {
  std::string_view name;
  TextOperation operation;
  std::size_t least = 0, most = 0;  // arguments
  Form (*result)() = nullptr;       // null: nothing
};
const TextMethod* find_text_method(std::string_view name);
std::string text_methods();  // "size, empty, ..."

}  // namespace xcuda::language
