// Functions of integers alone, as trees: what they leave in their registers, and random ones about indices.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// Runs the instructions from the first one until there are no more or a ret. Every register begins as it is given.
class WholeNumbers {
 public:
  WholeNumbers(const ptx::Function& function, std::vector<std::uint64_t> registers)
      : function_(function), registers_(std::move(registers)) {
    registers_.resize(function.registers.size());
  }

  std::vector<std::uint64_t> run() {
    using ptx::Opcode;
    for (ptx::Index at = 0, steps = 0; at < function_.instructions.size(); ++at) {
      if (++steps > 100'000) throw std::runtime_error("an endless loop");
      const ptx::Instruction& each = function_.instructions[at];
      if (each.guarded() && (registers_[each.guard] != 0) == each.guard_negated) continue;
      if (each.opcode == Opcode::ret) break;
      const auto operands = function_.operands_of(each);
      if (each.opcode == Opcode::bra)
        at = function_.labels[operands[0].index].instruction - 1;
      else
        registers_[operands[0].reg] = cut(result(each), ptx::bits_of(function_.registers[operands[0].reg]));
    }
    return registers_;
  }

 private:
  static std::uint64_t cut(std::uint64_t value, int bits) {
    return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
  }
  static std::int64_t with_sign(std::uint64_t value, int bits) {
    return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
  }

  std::uint64_t result(const ptx::Instruction& each) const {
    using ptx::Modifier;
    using ptx::Opcode;
    const bool to_wide = each.opcode == Opcode::cvt;
    const ptx::Type type = each.types[to_wide ? 1 : 0];
    const int bits = ptx::bits_of(type);
    const bool negative = ptx::is_signed(type);
    const auto operands = function_.operands_of(each);
    const auto at = [&](std::size_t i, int width) {
      const ptx::Operand& operand = operands[i];
      const std::uint64_t value = operand.kind == ptx::Operand::Kind::reg ? registers_[operand.reg] : operand.bits;
      return negative ? static_cast<std::uint64_t>(with_sign(cut(value, width), width)) : cut(value, width);
    };
    const std::uint64_t a = at(1, bits), b = operands.size() > 2 ? at(2, bits) : 0;
    const auto by = static_cast<unsigned>(b);
    switch (each.opcode) {
      case Opcode::mov:
      case Opcode::cvt: return a;
      case Opcode::add: return a + b;
      case Opcode::sub: return a - b;
      case Opcode::neg: return 0 - a;
      case Opcode::not_: return ~a;
      case Opcode::and_: return a & b;
      case Opcode::or_: return a | b;
      case Opcode::mul:
        if (each.has(Modifier::hi)) return a * b >> 32;  // of 32 bits
        return a * b;
      case Opcode::mad: return a * b + at(3, each.has(Modifier::wide) ? 64 : bits);
      case Opcode::div: return quotient(a, b, negative);
      case Opcode::rem: return b == 0 ? ~std::uint64_t{0} : a - quotient(a, b, negative) * b;
      case Opcode::shl: return by >= static_cast<unsigned>(bits) ? 0 : a << by;
      case Opcode::shr: return negative ? static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> by) : a >> by;
      case Opcode::bfe: return cut(a >> by, static_cast<int>(operands[3].bits));
      case Opcode::bfi: {
        const auto from = operands[3].bits, mask = cut(~std::uint64_t{0}, static_cast<int>(operands[4].bits)) << from;
        return (b & ~mask) | ((a << from) & mask);
      }
      case Opcode::setp: return each.has(Modifier::eq) ? a == b : each.has(Modifier::ne) ? a != b : a < b;
      default: throw std::runtime_error("an instruction that is not about indices");
    }
  }
  // By zero all ones; the least number by -1 wraps.
  static std::uint64_t quotient(std::uint64_t a, std::uint64_t b, bool negative) {
    if (b == 0) return ~std::uint64_t{0};
    if (!negative) return a / b;
    if (b == ~std::uint64_t{0}) return 0 - a;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) / static_cast<std::int64_t>(b));
  }

  const ptx::Function& function_;
  std::vector<std::uint64_t> registers_;
};

// Numbers are divided, and put together again from quotients and rests, often the right ones, with other statements,
// branches and loops between.
class IndexProgram {
 public:
  static constexpr int kWords = 10, kLongs = 6;

  explicit IndexProgram(unsigned seed) : random_(seed) {}

  std::string text() {
    for (int left = 12; left > 0; --left) statement(0);
    return fmt::format(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry kernel()\n{{\n.reg .b32 %w<{}>, %c<4>;\n.reg .b64 "
        "%l<{}>;\n"
        ".reg .pred %p;\n{}ret;\n}}\n",
        kWords, kLongs, text_);
  }
  // Of the words and the longs.
  std::uint64_t number() {
    static constexpr std::uint64_t kOdd[] = {
        0, 1, 2, ~std::uint64_t{0}, 0x8000'0000, 0x7fff'ffff, 0xffff'ffff, 0x1'0000'0000, 0x8000'0000'0000'0000};
    switch (below(5)) {
      case 0:
      case 1: return kOdd[below(std::size(kOdd))];
      case 2: return below(100);
      case 3: return 0 - std::uint64_t{below(100)};
      default: return std::uint64_t{random_()} << 32 | random_();
    }
  }

 private:
  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }
  std::string word() { return fmt::format("%w{}", below(kWords)); }
  std::string wide() { return fmt::format("%l{}", below(kLongs)); }
  std::string some_divisor() { return below(2) ? word() : fmt::format("{}", 1 + below(40)); }

  // $w a word, $l a long, $n a number below 32, $d a word or a number that is not 0, $f a place and a count of bits.
  void line(std::string_view pattern) {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '$') {
        text_ += pattern[i];
        continue;
      }
      switch (pattern[++i]) {
        case 'w': text_ += word(); break;
        case 'l': text_ += wide(); break;
        case 'n': text_ += fmt::format("{}", below(32)); break;
        case 'd': text_ += some_divisor(); break;
        default: {
          const unsigned from = below(32);
          text_ += fmt::format("{}, {}", from, 1 + below(32 - from));
        }
      }
    }
    text_ += ";\n";
  }

  void plain() {
    static constexpr std::string_view kPlain[] = {
        "add.s32 $w, $w, $d",
        "sub.s32 $w, $w, $w",
        "mul.lo.s32 $w, $w, $d",
        "mad.lo.s32 $w, $w, $d, $w",
        "mad.lo.s32 $w, $w, $w, $w",
        "div.u32 $w, $w, $d",
        "div.s32 $w, $w, $d",
        "rem.u32 $w, $w, $d",
        "rem.s32 $w, $w, $d",
        "shl.b32 $w, $w, $n",
        "shr.u32 $w, $w, $n",
        "shr.s32 $w, $w, $n",
        "and.b32 $w, $w, 15",
        "and.b32 $w, $w, -16",
        "bfe.u32 $w, $w, $f",
        "bfi.b32 $w, $w, $w, $f",
        "mov.u32 $w, $w",
        "neg.s32 $w, $w",
        "not.b32 $w, $w",
        "mul.hi.u32 $w, $w, $w",
        "cvt.u64.u32 $l, $w",
        "cvt.s64.s32 $l, $w",
        "cvt.u32.u64 $w, $l",
        "mul.wide.u32 $l, $w, $d",
        "mul.wide.s32 $l, $w, $d",
        "mad.wide.u32 $l, $w, $d, $l",
        "add.s64 $l, $l, $l",
        "sub.s64 $l, $l, $l",
        "mul.lo.s64 $l, $l, $l",
        "mad.lo.s64 $l, $l, $l, $l",
        "div.u64 $l, $l, $l",
        "shr.u64 $l, $l, $n",
        "shl.b64 $l, $l, $n",
    };
    line(kPlain[below(std::size(kPlain))]);
  }

  void maybe(int depth) {
    if (below(3) == 0) statement(depth + 1);
  }

  // With x, the divisor, their quotient and rest in registers; what is between may write them.
  void index(int depth) {
    const std::string x = word(), w = some_divisor(), q = word(), m = word(), r = word();
    const std::string sign = below(2) ? "s32" : "u32";
    switch (below(4)) {
      case 0: {  // bits
        const unsigned power = 1 + below(20);
        line(fmt::format("shr.{} {}, {}, {}", sign, q, x, power));
        maybe(depth);
        if (below(2))
          line(fmt::format("and.b32 {}, {}, {}", r, x, (1 << power) - 1));
        else
          line(fmt::format("and.b32 {}, {}, -{}; sub.s32 {}, {}, {}", m, x, 1 << power, r, x, m));
        maybe(depth);
        if (below(2)) return line(fmt::format("bfi.b32 $w, {}, {}, {}, {}", q, r, power, 32 - power));
        return line(fmt::format("shl.b32 {0}, {1}, {2}; add.s32 $w, {0}, {3}", m, q, power, r));
      }
      case 1: {  // three numbers
        const unsigned first = 1 + below(50), second = 1 + below(50);
        const std::string z = word(), y = word();
        line(fmt::format("div.u32 {}, {}, {}; div.u32 {}, {}, {}", q, x, first, z, x, first * second));
        line(fmt::format("rem.u32 {}, {}, {}; rem.u32 {}, {}, {}", r, x, first, y, q, second));
        maybe(depth);
        return line(
            fmt::format("mad.lo.u32 {0}, {1}, {2}, {3}; mad.lo.u32 $w, {0}, {4}, {5}", m, z, second, y, first, r));
      }
      default: break;
    }
    line(fmt::format("div.{} {}, {}, {}", sign, q, x, w));
    maybe(depth);
    line(below(4) ? fmt::format("mul.lo.s32 {0}, {1}, {2}; sub.s32 {3}, {4}, {0}", m, q, w, r, x)
                  : fmt::format("rem.{} {}, {}, {}", sign, r, x, w));
    maybe(depth);
    // As what it was divided as, or as the other.
    const std::string as = below(4) ? sign : sign == "s32" ? "u32" : "s32";
    switch (below(6)) {
      case 0: return line(fmt::format("add.s32 {0}, {0}, -1; mad.lo.s32 $w, {0}, {1}, {2}", q, w, r));
      case 1:
        return line(
            fmt::format("mul.wide.{} $l, {}, {}; cvt.{}64.{} %l0, {}; add.s64 $l, $l, %l0", as, q, w, as[0], as, r));
      case 2: {
        const std::string product = wide(), rest = wide();
        return line(fmt::format("mul.wide.{0} {1}, {2}, {3}; cvt.{4}64.{0} {5}, {6}; add.s64 $l, {1}, {5}", as, product,
                                q, w, as[0], rest, r));
      }
      case 3: return line(fmt::format("add.s32 $w, {}, {}", r, m));
      default:
        return line(below(2) && w[0] == '%' ? fmt::format("mad.lo.s32 $w, {}, {}, {}", w, q, r)
                                            : fmt::format("mad.lo.s32 $w, {}, {}, {}", q, w, r));
    }
  }

  // As a compiler divides numbers of 64 bits, which are often small; or wrongly so.
  void long_index(int depth) {
    const std::string x = wide(), w = wide(), q = wide(), r = wide(), t = wide(), a = word(), b = word(), c = word(),
                      d = word();
    const int small = labels_++, end = labels_++;
    line(below(3) ? fmt::format("or.b64 {0}, {1}, {2}; and.b64 {0}, {0}, -4294967296", t, x, w)
                  : fmt::format("and.b64 {}, {}, -4294967296", t, w));
    maybe(depth);
    line(fmt::format("setp.{}.s64 %p, {}, 0; @{}%p bra L{}", below(4) ? "eq" : "ne", t, below(4) ? "" : "!", small));
    line(fmt::format("div.u64 {0}, {1}, {2}; mul.lo.s64 {3}, {0}, {2}; sub.s64 {4}, {1}, {3}; bra L{5}", q, x, w, t, r,
                     end));
    text_ += fmt::format("L{}:\n", small);
    line(fmt::format("cvt.u32.u64 {}, {}; cvt.u32.u64 {}, {}", a, x, b, w));
    maybe(depth);
    line(
        fmt::format("div.{6} {0}, {1}, {2}; mul.lo.s32 {3}, {0}, {2}; sub.s32 {3}, {1}, {3}; cvt.u64.u32 {4}, {0}; "
                    "cvt.u64.u32 {5}, {3}",
                    c, a, b, d, q, r, below(4) ? "u32" : "s32"));
    text_ += fmt::format("L{}:\n", end);
    maybe(depth);
    line(below(2) ? fmt::format("mul.lo.s64 {0}, {1}, {2}; add.s64 $l, {0}, {3}", t, q, w, r)
                  : fmt::format("mad.lo.s64 $l, {}, {}, {}", q, w, r));
  }

  void statement(int depth) {
    const unsigned kind = below(12);
    if (depth < 3 && kind < 2) {
      const int label = labels_++;
      if (kind == 0) {
        line(fmt::format("setp.lt.u32 %p, $w, $w; @%p bra L{}", label));
        some(depth);
        text_ += fmt::format("L{}:\n", label);
        return;
      }
      line(fmt::format("mov.u32 %c{}, 0", depth));
      text_ += fmt::format("L{}:\n", label);
      some(depth);
      return line(fmt::format("add.u32 %c{0}, %c{0}, 1; setp.lt.u32 %p, %c{0}, 3; @%p bra L{1}", depth, label));
    }
    if (kind == 2 && depth < 3) return long_index(depth);
    if (kind < 7 && depth < 3) return index(depth);
    if (kind == 7) return line("setp.lt.u32 %p, $w, $w; @%p add.s32 $w, $w, $w");
    plain();
  }
  void some(int depth) {
    for (unsigned left = 1 + below(3); left > 0; --left) statement(depth + 1);
  }

  std::mt19937 random_;
  std::string text_;
  int labels_ = 0;
};

}  // namespace xcuda::device::cpu
