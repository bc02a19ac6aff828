#include "device/cpu/lower/polynomials.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace xcuda::device::cpu {

namespace {

using Term = Polynomials::Term;
using Kind = Polynomials::AtomOf::Kind;

constexpr std::size_t kMostTerms = 12;
constexpr std::array<Atom, 4> kNoFactors = {Polynomials::kNoFactor, Polynomials::kNoFactor, Polynomials::kNoFactor,
                                            Polynomials::kNoFactor};

std::uint64_t cut(std::uint64_t value, int bits) { return bits == 64 ? value : value & 0xffff'ffff; }

}  // namespace

int Term::degree() const {
  return static_cast<int>(std::find(factors.begin(), factors.end(), kNoFactor) - factors.begin());
}

bool Polynomials::take_cancelled() { return std::exchange(cancelled_, false); }

// A shift of a signed number and one of an unsigned number differ in the bits that the coefficient shifts out.
Term Polynomials::settled(Term term, int bits) {
  for (Atom& factor : term.factors) {
    if (factor == kNoFactor || atoms_[factor].kind != Kind::shift) continue;
    const AtomOf shift = atoms_[factor];
    if (std::countr_zero(term.coefficient) < static_cast<int>(shift.second)) continue;
    const Polynomial same =
        of_atom({Kind::quotient, shift.bits, shift.first, constant(std::uint64_t{1} << shift.second, bits)});
    factor = all_[same].terms[0].factors[0];
  }
  std::sort(term.factors.begin(), term.factors.end());
  return term;
}

Polynomial Polynomials::kept(Sum sum) {
  std::vector<std::uint64_t> key{sum.bits};
  for (const Term& term : sum.terms) {
    key.push_back(term.coefficient);
    key.push_back(std::uint64_t{term.factors[0]} << 32 | term.factors[1]);
    key.push_back(std::uint64_t{term.factors[2]} << 32 | term.factors[3]);
  }
  const auto [at, added] = index_.try_emplace(std::move(key), static_cast<Polynomial>(all_.size()));
  if (added) all_.push_back(std::move(sum));
  return at->second;
}

Polynomial Polynomials::of_terms(std::vector<Term> terms, int bits) {
  for (Term& term : terms) term = settled(term, bits);
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.factors < b.factors; });
  Sum sum{static_cast<std::uint8_t>(bits), {}};
  for (const Term& term : terms) {
    if (!sum.terms.empty() && sum.terms.back().factors == term.factors)
      sum.terms.back().coefficient += term.coefficient;
    else
      sum.terms.push_back(term);
  }
  std::erase_if(sum.terms, [&](Term& term) {
    term.coefficient = cut(term.coefficient, bits);
    if (term.coefficient == 0 && term.degree() > 0) cancelled_ = true;
    return term.coefficient == 0;
  });
  return kept(std::move(sum));
}

Polynomial Polynomials::of_atom(const AtomOf& atom) {
  const auto [at, added] = atom_index_.try_emplace(atom, static_cast<Atom>(atoms_.size()));
  if (added) atoms_.push_back(atom);
  Term term{kNoFactors, 1};
  term.factors[0] = at->second;
  return kept({atom.bits, {term}});
}

Polynomial Polynomials::constant(std::uint64_t value, int bits) {
  if (cut(value, bits) == 0) return kept({static_cast<std::uint8_t>(bits), {}});
  return kept({static_cast<std::uint8_t>(bits), {{kNoFactors, cut(value, bits)}}});
}
std::optional<std::uint64_t> Polynomials::constant_of(Polynomial a) const {
  const std::vector<Term>& terms = all_[a].terms;
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms[0].degree() == 0) return terms[0].coefficient;
  return std::nullopt;
}
Polynomial Polynomials::value(std::uint32_t first, std::uint32_t second, int bits) {
  return of_atom({Kind::value, static_cast<std::uint8_t>(bits), first, second});
}

std::optional<Polynomials::AtomOf> Polynomials::atom_of(Polynomial a) const {
  const std::vector<Term>& terms = all_[a].terms;
  if (terms.size() != 1 || terms[0].degree() != 1 || terms[0].coefficient != 1) return std::nullopt;
  return atoms_[terms[0].factors[0]];
}

Polynomials::Result Polynomials::substituted(Polynomial a, Atom atom, Polynomial by) {
  Result all = constant(0, bits(a));
  const std::vector<Term> terms = all_[a].terms;
  for (Term term : terms) {
    std::uint64_t times = 0;
    for (Atom& factor : term.factors)
      if (factor == atom) factor = kNoFactor, ++times;
    Result part = of_terms({term}, bits(a));
    for (; times > 0 && part; --times) part = product(*part, by);
    if (!part || !(all = sum(*all, *part))) return std::nullopt;
  }
  return all;
}

Polynomials::Result Polynomials::sum(Polynomial a, Polynomial b, std::uint64_t times) {
  std::vector<Term> terms = all_[a].terms;
  for (Term term : all_[b].terms) {
    term.coefficient *= times;
    terms.push_back(term);
  }
  const Polynomial sum = of_terms(std::move(terms), bits(a));
  if (this->terms(sum).size() > kMostTerms) return std::nullopt;
  return sum;
}

Polynomials::Result Polynomials::product(Polynomial a, Polynomial b) {
  std::vector<Term> terms;
  for (const Term& left : all_[a].terms)
    for (const Term& right : all_[b].terms) {
      const int degree = left.degree();
      if (degree + right.degree() > static_cast<int>(left.factors.size())) return std::nullopt;
      Term term = left;
      term.coefficient *= right.coefficient;
      std::copy_n(right.factors.begin(), right.degree(), term.factors.begin() + degree);
      terms.push_back(term);
    }
  if (terms.size() > 2 * kMostTerms) return std::nullopt;
  const Polynomial product = of_terms(std::move(terms), bits(a));
  if (this->terms(product).size() > kMostTerms) return std::nullopt;
  return product;
}

std::optional<Polynomials::Rest> Polynomials::rest_of(Polynomial a) {
  const std::vector<Term> terms = all_[a].terms;
  const auto found = [&](const Rest& rest) {
    const Result multiple = product(rest.quotient, rest.y);
    return multiple && sum(rest.x, *multiple, ~std::uint64_t{0}) == a;
  };
  for (const Term& term : terms)
    for (const Atom factor : term.factors) {
      if (factor == kNoFactor || atoms_[factor].kind != Kind::quotient) continue;
      const AtomOf quotient = atoms_[factor];
      const Rest rest{quotient.first, quotient.second, of_atom(quotient)};
      if (found(rest)) return rest;
      const auto divisor = constant_of(quotient.second);
      if (!divisor) continue;
      for (const Term& other : terms) {  // i / 12 may be (i / 4) / 3
        if (other.degree() != 1 || other.coefficient != 1) continue;
        const AtomOf x = atoms_[other.factors[0]];
        const auto part = x.kind == Kind::quotient && x.first == quotient.first ? constant_of(x.second) : std::nullopt;
        if (!part || *part == 0 || *divisor % *part != 0) continue;
        const Rest inner{of_atom(x), constant(*divisor / *part, bits(a)), rest.quotient};
        if (found(inner)) return inner;
      }
    }
  return std::nullopt;
}

// (a / b) / c is a / (b * c) where b * c is a number of as many bits, and (a % b) / c is 0 where b is not above c.
Polynomial Polynomials::quotient(Polynomial a, Polynomial b) {
  const auto divisor = constant_of(b);
  if (divisor == 1) return a;
  if (divisor && *divisor) {
    const auto known = [&](Polynomial number) {
      const auto value = constant_of(number);
      return value && *value ? value : std::nullopt;
    };
    if (const auto inner = atom_of(a); inner && inner->kind == Kind::quotient)
      if (const auto first = known(inner->second); first && *first <= cut(~std::uint64_t{0}, bits(a)) / *divisor)
        return quotient(inner->first, constant(*first * *divisor, bits(a)));
    if (const auto rest = rest_of(a))
      if (const auto first = known(rest->y); first && *first <= *divisor) return constant(0, bits(a));
  }
  return of_atom({Kind::quotient, static_cast<std::uint8_t>(bits(a)), a, b});
}

Polynomial Polynomials::shift(Polynomial a, unsigned by) {
  if (by == 0) return a;
  return of_atom({Kind::shift, static_cast<std::uint8_t>(bits(a)), a, by});
}

// A product or sum that wraps differs from the one of wide numbers, so in general nothing is known of it. But a rest,
// x - x / y * y, is known: of unsigned numbers x / y * y is not above x, and neither it nor the difference wraps; by
// zero it is x - 0, whatever the quotient is.
Polynomials::Result Polynomials::zero_extended(Polynomial a) {
  if (const auto number = constant_of(a)) return constant(*number, 64);
  if (const auto rest = rest_of(a)) {
    const Result x = zero_extended(rest->x), y = zero_extended(rest->y);
    const Result wide = y ? product(of_atom({Kind::unsigned64, 64, rest->quotient, 0}), *y) : std::nullopt;
    return x && wide ? sum(*x, *wide, ~std::uint64_t{0}) : std::nullopt;
  }
  return of_atom({Kind::unsigned64, 64, a, 0});
}

Polynomial Polynomials::sign_extended(Polynomial a) {
  if (const auto number = constant_of(a))
    return constant(static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(*number)}), 64);
  return of_atom({Kind::signed64, 64, a, 0});
}

// Sums and products modulo 2^32 need the lower halves alone.
Polynomials::Result Polynomials::low(Polynomial a) {
  Polynomial all = constant(0, 32);
  const std::vector<Term> terms = all_[a].terms;
  for (const Term& term : terms) {
    Result part = constant(term.coefficient, 32);
    for (int i = 0; i < term.degree() && part; ++i) {
      const AtomOf atom = atoms_[term.factors[static_cast<std::size_t>(i)]];
      const bool widened = atom.kind == Kind::unsigned64 || atom.kind == Kind::signed64;
      part = product(*part, widened ? atom.first : of_atom({Kind::low, 32, of_atom(atom), 0}));
    }
    const Result more = part ? sum(all, *part) : std::nullopt;
    if (!more) return std::nullopt;
    all = *more;
  }
  return all;
}

}  // namespace xcuda::device::cpu
