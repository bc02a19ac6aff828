// What an array and a sparse matrix have as members in statements: x.shape, s.nnz.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cell/tree.hpp"

namespace xcuda::language {

enum class ArrayMember : std::uint8_t { shape, size, ndim, transposed };
constexpr std::array<std::string_view, 4> kArrayMembers = {"shape", "size", "ndim", "T"};

constexpr std::array<std::string_view, 4> kHelpOfArrayMembers = {
    "The extents: x.shape[0] is the first, zeros(x.shape) has all of them",
    "The number of elements",
    "The number of dimensions",
    "The same elements with the dimensions in reverse order, as transpose(x) has them",
};
// Empty for any other name.
constexpr std::string_view help_of_array_member(std::string_view member) {
  for (std::size_t i = 0; i < kArrayMembers.size(); ++i)
    if (kArrayMembers[i] == member) return kHelpOfArrayMembers[i];
  return {};
}

enum class SparseMember : std::uint8_t { values, columns, rows, nnz, shape, transposed };
constexpr std::array<std::string_view, 6> kSparseMembers = {"values", "columns", "rows", "nnz", "shape", "T"};

template <class Which, std::size_t count>
constexpr std::optional<Which> find_member(const std::array<std::string_view, count>& names,
                                           const cell::Member& member) {
  for (std::size_t i = 0; i < count && !member.arrow; ++i)
    if (member.member == names[i]) return static_cast<Which>(i);
  return std::nullopt;
}

// Nothing for any other name, and for x->shape.
constexpr std::optional<ArrayMember> array_member(const cell::Member& member) {
  return find_member<ArrayMember>(kArrayMembers, member);
}
constexpr std::optional<SparseMember> sparse_member(const cell::Member& member) {
  return find_member<SparseMember>(kSparseMembers, member);
}

}  // namespace xcuda::language
