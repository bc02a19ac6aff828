// Integers of 32 and 64 bits as sums of products of unknown ones, equal for every value of these: arithmetic wraps.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace xcuda::device::cpu {

using Atom = std::uint32_t;        // an unknown integer
using Polynomial = std::uint32_t;  // of Polynomials: the same number is the same polynomial

class Polynomials {
 public:
  struct Term {
    std::array<Atom, 4> factors;  // in rising order, the last ones kNoFactor
    std::uint64_t coefficient;    // not 0
    int degree() const;
  };
  static constexpr Atom kNoFactor = ~Atom{0};

  // What is known of an atom.
  struct AtomOf {
    enum class Kind : std::uint8_t {
      value,       // nothing
      quotient,    // of unsigned numbers, rounded down; by zero: any number
      shift,       // to the right, of a signed number
      unsigned64,  // of an unsigned 32-bit number
      signed64,    // of a signed one
      low,         // 32 bits of 64
    };
    Kind kind;
    std::uint8_t bits;
    std::uint32_t first,
        second;  // of a value, what makes it different from others; else polynomials, of shift a number
    auto operator<=>(const AtomOf&) const = default;
  };

  Polynomial constant(std::uint64_t value, int bits);
  Polynomial value(std::uint32_t first, std::uint32_t second, int bits);
  // These have no result where it would be too long.
  using Result = std::optional<Polynomial>;
  Result sum(Polynomial a, Polynomial b, std::uint64_t times = 1);  // a + b * times
  Result product(Polynomial a, Polynomial b);
  Polynomial quotient(Polynomial a, Polynomial b);
  Polynomial shift(Polynomial a, unsigned bits);
  Result zero_extended(Polynomial a);
  Polynomial sign_extended(Polynomial a);
  Result low(Polynomial a);  // 32 bits of 64

  const std::vector<Term>& terms(Polynomial a) const { return all_[a].terms; }
  int bits(Polynomial a) const { return all_[a].bits; }
  std::optional<std::uint64_t> constant_of(Polynomial a) const;
  const AtomOf& atom(Atom atom) const { return atoms_[atom]; }
  std::optional<AtomOf> atom_of(Polynomial a) const;  // none: it is more than one atom
  Result substituted(Polynomial a, Atom atom, Polynomial by);
  Polynomial of_terms(std::vector<Term> terms, int bits);

  // Whether unknown terms have cancelled each other in a sum since this was last asked.
  bool take_cancelled();

 private:
  struct Sum {
    std::uint8_t bits;
    std::vector<Term> terms;  // by their factors
  };
  Polynomial of_atom(const AtomOf& atom);
  struct Rest {  // x - x / y * y
    Polynomial x, y, quotient;
  };
  std::optional<Rest> rest_of(Polynomial a);
  Polynomial kept(Sum sum);
  Term settled(Term term, int bits);

  std::vector<Sum> all_;
  std::map<std::vector<std::uint64_t>, Polynomial> index_;
  std::vector<AtomOf> atoms_;
  std::map<AtomOf, Atom> atom_index_;
  bool cancelled_ = false;
};

}  // namespace xcuda::device::cpu
