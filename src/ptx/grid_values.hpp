// What a register holds, as grid_accesses.hpp wants it: a form that is linear in blockIdx and threadIdx, or less.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/grid_accesses.hpp"

namespace xcuda::ptx {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): __extension__ takes no using

// Of 32-bit arithmetic a form is right modulo 2^32; whoever widens it asks fits().
struct GridValue {
  // none: nothing was written yet. started: see GridAccess.
  enum class Kind : std::uint8_t { none, exact, started, anything } kind = Kind::none;
  GridForm form;
  std::int64_t low = 0, high = 0;  // of an exact one: what a loop adds to the form
  std::int64_t step = 0;
  std::uint64_t from = 0;  // parameters and memory that it is computed from, see GridValues
  std::int64_t grain = 0;  // what a loop adds is a multiple of it
  bool operator==(const GridValue&) const = default;

  bool is_number() const { return is_form() && form.is_constant(); }
  bool is_form() const { return kind == Kind::exact && low == 0 && high == 0; }  // and nothing is added to it
  bool has_form() const { return kind == Kind::exact || kind == Kind::started; }
};

constexpr std::uint64_t kFromVariable = std::uint64_t{1} << 61, kFromOwn = std::uint64_t{1} << 62;

class GridValues {
 public:
  GridValues(const Extents& grid, const Extents& block) : grid_(grid), block_(block) {}

  static GridValue number(std::int64_t value) { return {GridValue::Kind::exact, {value, {}, {}}, 0, 0, 0, 0}; }
  static GridValue anything(std::uint64_t from) { return {GridValue::Kind::anything, {}, 0, 0, 0, from}; }
  GridValue special(Special special) const;

  static GridValue join(const GridValue& a, const GridValue& b);  // one or the other
  static GridValue sum(const GridValue& a, const GridValue& b);
  static GridValue product(const GridValue& a, const GridValue& b);  // where one of them is a number
  static GridValue negated(const GridValue& a);
  static GridValue with_bits(const GridValue& a, const GridValue& b);  // a | b, where no bit is in both

  // The value as an operand of that type, whose bits are all that is known: a number is brought into its range.
  GridValue as(const GridValue& value, Type type) const;
  // All that the form can be over the whole grid; nothing if it overflows.
  std::optional<std::pair<std::int64_t, std::int64_t>> range_of(const GridForm& form) const;

 private:
  Extents grid_, block_;
};

}  // namespace xcuda::ptx
