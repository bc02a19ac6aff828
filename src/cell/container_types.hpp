// Containers of C++'s library that statements hold themselves, element by element: std::map, std::queue, and vectors,
// arrays and pairs of texts or of other containers. (A std::vector of numbers or structs is an array that grows.)
// Structs with such members are records: "struct Particle" is their full name, which no device code has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::cell {

enum class ContainerKind : std::uint32_t {
  vector = 1,
  deque = 2,
  list = 4,
  array = 8,
  queue = 16,
  stack = 32,
  priority_queue = 64,
  set = 128,
  multiset = 256,
  unordered_set = 512,
  map = 1024,
  multimap = 2048,
  unordered_map = 4096,
  pair = 8192,  // also a std::tuple
  text_stream = 16384,
  record = 32768,
  optional = 65536,  // of one element or none
};
using ContainerKinds = std::uint32_t;  // a sum of them

constexpr ContainerKinds operator|(ContainerKind a, ContainerKind b) {
  return static_cast<ContainerKinds>(static_cast<ContainerKinds>(a) | static_cast<ContainerKinds>(b));
}
constexpr ContainerKinds operator|(ContainerKinds a, ContainerKind b) {
  return static_cast<ContainerKinds>(a | static_cast<ContainerKinds>(b));
}
constexpr bool is_among(ContainerKind kind, ContainerKinds kinds) {
  return (static_cast<ContainerKinds>(kind) & kinds) != 0;
}
inline constexpr ContainerKinds kMaps = ContainerKind::map | ContainerKind::multimap | ContainerKind::unordered_map;
inline constexpr ContainerKinds kSets = ContainerKind::set | ContainerKind::multiset | ContainerKind::unordered_set;
inline constexpr ContainerKinds kSorted =
    ContainerKind::map | ContainerKind::multimap | ContainerKind::set | ContainerKind::multiset;
inline constexpr ContainerKinds kHashed = ContainerKind::unordered_map | ContainerKind::unordered_set;
inline constexpr ContainerKinds kIndexed = ContainerKind::vector | ContainerKind::deque | ContainerKind::array;
inline constexpr ContainerKinds kSequences = kIndexed | ContainerKind::list;
inline constexpr ContainerKinds kOfParts = ContainerKind::pair | ContainerKind::record;  // each of a type of its own

struct ContainerType {
  ContainerKind kind{};
  std::vector<std::string> arguments;  // of the template, as written
  bool is(ContainerKinds kinds) const { return is_among(kind, kinds); }
};

// Nothing for other types, also for references and pointers to containers.
std::optional<ContainerType> container_type(std::string_view type);
// "Particle" of "struct Particle", "Stack<int>" of "struct Stack<int>"; empty for other types.
std::string_view record_name(std::string_view type);
inline constexpr std::string_view kRecord = "struct ";
// A std::string or a container: a type that only the host has.
bool is_of_host(std::string_view type);
inline bool is_optional(std::string_view type) {
  const auto known = container_type(type);
  return known && known->kind == ContainerKind::optional;
}
// Whether std::NAME is such a template, whatever its arguments are.
bool is_container_name(std::string_view name);

}  // namespace xcuda::cell
