// The lattice of register forms. Classes only rise: nothing known; affine, delayed or permuted; varying.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "device/cpu/plan/shape.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

using Lanes = std::array<std::int64_t, 32>;
using Pattern = std::uint16_t;     // of PatternTable
constexpr Pattern kNoPattern = 0;  // all lanes 0

// What is added to the base for each lane, known when the kernel is translated. Few and small, so interned.
class PatternTable {
 public:
  PatternTable() { find(Lanes{}); }
  const Lanes& lanes(Pattern pattern) const { return all_[pattern]; }
  std::int64_t least(Pattern pattern) const;
  std::int64_t greatest(Pattern pattern) const;
  // Nothing when a lane is too far from the base: a pattern has to stay small against 2^31, so that a warp crosses the
  // end of the 32-bit numbers at most once.
  std::optional<Pattern> find(const Lanes& lanes);
  // Whether lanes of the same group (of `groups` equal ones) have the same value.
  bool constant_in_groups(Pattern pattern, int groups) const;

 private:
  std::vector<Lanes> all_;
  std::map<Lanes, Pattern> index_;
};

struct RegisterForm {
  enum class Kind : std::uint8_t {
    none,     // not written yet
    affine,   // base[group] + pattern[lane]; uniform when there is one group and no pattern
    delayed,  // offset[group] + zero_extended(base32[group] + pattern[lane]) * scale: an unsigned 32-bit index that was
              // widened; whether a lane wraps is decided at each access
    permuted,  // base + (lane ^ low) * scale, low from 0 to 31: what threadIdx.x ^ j leads to
    varying,   // a vector
  };
  Kind kind = Kind::none;
  std::uint8_t groups = 1;     // of affine and delayed: 1, or BlockShape::groups()
  std::uint8_t alignment = 0;  // of affine and permuted: every base is a multiple of 2^alignment
  Pattern pattern = kNoPattern;
  std::uint32_t scale = 1;  // of delayed and permuted

  static RegisterForm uniform(std::uint8_t alignment = 0) { return {Kind::affine, 1, alignment, kNoPattern, 1}; }
  static RegisterForm varying() { return {Kind::varying, 32, 0, kNoPattern, 1}; }
  bool is_uniform() const {
    return kind == Kind::none || (kind == Kind::affine && groups == 1 && pattern == kNoPattern);
  }
  bool is_grouped() const { return kind == Kind::none || (kind == Kind::affine && pattern == kNoPattern); }
  bool is_affine() const { return kind == Kind::affine; }
  bool is_permuted() const { return kind == Kind::permuted; }
  bool is_varying() const { return kind == Kind::varying; }
  bool operator==(const RegisterForm&) const = default;
};

RegisterForm join(const RegisterForm& a, const RegisterForm& b);

// What the rules have to know of a kernel.
struct FormContext {
  const ptx::Function& function;
  const BlockShape& shape;
  std::uint32_t local_bytes;  // of a thread: how far apart lanes find their local variables
  PatternTable& patterns;
  const std::vector<RegisterForm>& registers;
};

// The rules: the form of what an instruction writes, from the forms of what it reads. Forms hold for both clones.
class FormRules {
 public:
  struct Result {
    RegisterForm form;          // before it is joined into the register's form; the same for each register written
    std::uint32_t regroup = 0;  // by input: compute with base + pattern of each group, not with the base alone
  };

  explicit FormRules(const FormContext& context)
      : function_(context.function),
        shape_(context.shape),
        local_bytes_(context.local_bytes),
        patterns_(context.patterns),
        registers_(context.registers) {}

  RegisterForm operand(const ptx::Operand& operand) const;
  Result result(const ptx::Instruction& instruction) const;
  // The form with one base per group, when the pattern allows it.
  std::optional<RegisterForm> grouped(const RegisterForm& form) const;

 private:
  RegisterForm special(ptx::Special special) const;
  std::uint32_t lane_bytes_of(const ptx::Operand& operand) const;
  RegisterForm sum(const RegisterForm& a, const RegisterForm& b, int sign) const;
  RegisterForm scaled(const RegisterForm& form, std::int64_t factor) const;
  Result product(const ptx::Operand& a, const ptx::Operand& b) const;
  RegisterForm widened(const RegisterForm& form, ptx::Type from) const;
  Result converted(const ptx::Instruction& instruction) const;
  RegisterForm masked(const RegisterForm& form, std::int64_t mask) const;
  RegisterForm shifted_right(const RegisterForm& form, std::int64_t amount) const;
  RegisterForm exclusive_or(const RegisterForm& a, const RegisterForm& b) const;
  Result elementwise(const ptx::Instruction& instruction) const;
  Result loaded(const ptx::Instruction& instruction) const;

  const ptx::Function& function_;
  const BlockShape& shape_;
  std::uint32_t local_bytes_;
  PatternTable& patterns_;
  const std::vector<RegisterForm>& registers_;
};

}  // namespace xcuda::device::cpu
