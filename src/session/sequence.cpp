#include "session/sequence.hpp"

#include <cmath>

#include "session/convert.hpp"
#include "xcuda/random.cuh"

namespace xcuda::session {
namespace {

double real_element(const Sequence& s, const Type& type, std::uint64_t index) {
  switch (s.kind) {
    case Sequence::Kind::arange: return exact::add(s.first, exact::mul(static_cast<double>(index), s.second));
    case Sequence::Kind::linspace: {
      if (index + 1 == s.count && s.count > 1) return s.second;  // exactly, whatever the step rounds to
      const double step = s.count > 1 ? exact::div(s.second - s.first, static_cast<double>(s.count - 1)) : 0.0;
      return exact::add(s.first, exact::mul(static_cast<double>(index), step));
    }
    case Sequence::Kind::uniform: {
      const bool narrow = type.is_floating() && type.size <= 4;
      const double value = narrow ? uniform24(s.seed, index, s.first, s.second) : uniform53(s.seed, index, s.first, s.second);
      return type.is_floating() ? value : std::floor(value);
    }
    case Sequence::Kind::normal: return normal(s.seed, index, s.first, s.second);
  }
  return 0;
}

}  // namespace

void fill_sequence(const Sequence& sequence, const Type& type, std::uint64_t start, std::span<std::byte> bytes) {
  const std::uint64_t n = bytes.size() / type.size;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto element = bytes.subspan(i * type.size, type.size);
    if (sequence.kind == Sequence::Kind::arange && sequence.integral) {
      // Wraps as C++'s unsigned arithmetic does; the caller has checked the last element.
      const auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(sequence.whole_first) +
                                                   (start + i) * static_cast<std::uint64_t>(sequence.whole_second));
      store_integer(type, value, element);
    } else {
      store_real(type, real_element(sequence, type, start + i), element);
    }
  }
}

}  // namespace xcuda::session
