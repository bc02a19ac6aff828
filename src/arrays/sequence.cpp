#include "arrays/sequence.hpp"

#include <fmt/format.h>

#include <vector>

#include "arrays/array_node.hpp"
#include "arrays/convert.hpp"

namespace xcuda::arrays {

SequenceRule rule_of(const Sequence& s, const Type& type) {
  SequenceRule rule{SequenceKind::arange,
                    s.first,
                    s.second,
                    static_cast<Word64>(s.whole_first),
                    static_cast<Word64>(s.whole_second),
                    s.seed,
                    s.count};
  switch (s.kind) {
    case Sequence::Kind::arange: rule.kind = s.integral ? SequenceKind::whole_arange : SequenceKind::arange; break;
    case Sequence::Kind::linspace: rule.kind = SequenceKind::linspace; break;
    case Sequence::Kind::uniform:
      rule.kind = !type.is_floating() ? SequenceKind::whole_uniform
                  : type.size <= 4    ? SequenceKind::narrow_uniform
                                      : SequenceKind::uniform;
      break;
    case Sequence::Kind::normal: rule.kind = SequenceKind::normal; break;
  }
  return rule;
}

void fill_sequence(const Sequence& sequence, const Type& type, std::uint64_t start, std::span<std::byte> bytes) {
  const auto rule = rule_of(sequence, type);
  const std::uint64_t n = bytes.size() / type.size;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto element = bytes.subspan(i * type.size, type.size);
    // Wraps as C++'s unsigned arithmetic does; the caller has checked the last element.
    if (rule.kind == SequenceKind::whole_arange)
      store_integer(type, static_cast<std::int64_t>(whole_element(rule, start + i)), element);
    else
      store_real(type, real_element(rule, start + i), element);
  }
}

void fill(Operations& operations, const Sequence& sequence, const Pointer& target) {
  constexpr std::uint64_t kOnTheHost = 1 << 13;  // elements that are made there sooner than a kernel is compiled
  const auto count = count_of(target.shape);
  if (count <= kOnTheHost) {
    std::vector<std::byte> bytes(count * target.type.size);
    fill_sequence(sequence, target.type, 0, bytes);
    operations.workspace().write(target.address, bytes);
    return;
  }
  const auto& kernel =
      operations.find({"xcuda/sequence.cuh", fmt::format("xcuda::fill_sequence<{}>", operation_element(target.type))});
  operations.launch(kernel, {.grid = {blocks_for(count)}, .block = {kBlock}},
                    OperationArguments(kernel).add(target.address).add(rule_of(sequence, target.type)));
}

}  // namespace xcuda::arrays
