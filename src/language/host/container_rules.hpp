// What the functions of containers are that statements hold: std::map, std::queue, vectors of texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cell/container_types.hpp"
#include "language/form.hpp"

namespace xcuda::language {

enum class ContainerOperation : std::uint8_t {
  size,
  empty,
  begin,
  end,
  rbegin,
  rend,
  at,
  front,
  back,
  top,
  find,
  count,
  contains,
  lower_bound,
  upper_bound,
  value,
  value_or,
  has_value,
  text,  // of a text stream
  // What the flags of a text stream say.
  good,
  fail,
  ended,
  // Operations from here on change the container.
  clear,
  push_back,
  push_front,
  emplace_back,
  emplace_front,
  push,
  emplace,
  pop,
  pop_back,
  pop_front,
  insert,
  insert_or_assign,
  try_emplace,
  erase,
  resize,
  assign,
  fill,
  sort,
  reverse,
  unique,
  remove,
  exchange,
  reserve,
  reset_text,  // str(s)
};
constexpr bool changes(ContainerOperation operation) { return operation >= ContainerOperation::clear; }

struct ContainerMethod {
  std::string_view name;
  ContainerOperation operation;
  cell::ContainerKinds kinds;
  std::size_t least = 0, most = 0;  // arguments
};
// Null: a container of this kind has no such function.
const ContainerMethod* find_container_method(const cell::ContainerType& type, std::string_view name,
                                             std::size_t arguments);
std::string container_methods(const cell::ContainerType& type);  // "size, empty, ..."

// std::getline, and what makes a container: std::map<int, int>(m).
bool is_container_function(std::string_view callee);
// The form of a container: what it holds is known when it runs.
Form container_form(std::string_view type);
Form result_of(const ContainerMethod& method);

}  // namespace xcuda::language
