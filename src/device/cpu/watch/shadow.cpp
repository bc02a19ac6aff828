#include "device/cpu/watch/shadow.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "base/by_processor.hpp"

namespace xcuda::device::cpu {
namespace {

// For loops that the compiler turns into vector code: no branches, and all ones or zero for yes and no.
using Word = std::uint64_t;
constexpr Word as_word(bool condition) { return condition ? ~Word{0} : 0; }

Word is_same(Word a, Word b, Word mask) { return as_word(((a ^ b) & mask) == 0); }
Word readers_of(Word mark) { return (mark & Mark::kReadersMask) >> Mark::kReadersShift; }

}  // namespace

// An access is ordered after a mark that is of an earlier launch; of this block and from before its last barrier; of
// the same thread; or of the same warp and from before its last synchronisation.
XCUDA_BY_PROCESSOR
bool mark_writes(const MarkRow& row, const Order& order) {
  const Word launch = order.launch, block = order.block, phase = order.phase, warp = order.warp,
             pending = Mark::at(Mark::kPending);
  const Word first = row.mark, shift = row.thread_shift;
  Word* const __restrict writes = row.writes, * const __restrict reads = row.reads;
  Word bad = 0;
  for (Word i = 0; i < row.words; ++i) {
    const Word me = first + (i >> shift), write = writes[i], read = reads[i], readers = readers_of(read);
    const Word write_fine =
        as_word(write < launch) |
        (as_word(write >= block) &
         (as_word(write < phase) | (is_same(write, me, Mark::kThreadMask) & as_word(write < pending)) |
          (is_same(write, me, Mark::kWarpMask) & as_word(write < warp))));
    const Word read_fine = as_word(read < launch) |
                           (as_word(read >= block) &
                            ((as_word(read < phase) & as_word(readers <= 2)) |
                             (is_same(read, me, Mark::kThreadMask) & as_word(readers == 0)) |
                             (is_same(read, me, Mark::kWarpMask) & as_word(read < warp) & as_word(readers <= 1))));
    bad |= ~(write_fine & read_fine);
  }
  if (bad != 0) return false;
  for (Word i = 0; i < row.words; ++i) writes[i] = first + (i >> shift);
  return true;
}

XCUDA_BY_PROCESSOR
bool mark_reads(const MarkRow& row, const Order& order) {
  const Word launch = order.launch, block = order.block, phase = order.phase, warp = order.warp,
             pending = Mark::at(Mark::kPending);
  const Word first = row.mark, shift = row.thread_shift;
  const Word* const __restrict writes = row.writes;
  Word* const __restrict reads = row.reads;
  Word bad = 0;
  for (Word i = 0; i < row.words; ++i) {
    const Word me = first + (i >> shift), write = writes[i];
    bad |= ~(as_word(write < launch) |
             (as_word(write >= block) &
              (as_word(write < phase) | (is_same(write, me, Mark::kThreadMask) & as_word(write < pending)) |
               (is_same(write, me, Mark::kWarpMask) & as_word(write < warp)))));
  }
  if (bad != 0) return false;
  // The readers of each word, with this thread.
  constexpr Word kInWarp = Word(Mark::Readers::warp) << Mark::kReadersShift,
                 kInBlock = Word(Mark::Readers::block) << Mark::kReadersShift,
                 in_grid = Word(Mark::Readers::grid) << Mark::kReadersShift;
  for (Word i = 0; i < row.words; ++i) {
    const Word me = first + (i >> shift), read = reads[i], readers = readers_of(read);
    const Word same_thread = is_same(read, me, Mark::kThreadMask) & as_word(readers == 0),
               same_warp = is_same(read, me, Mark::kWarpMask) & as_word(readers <= 1);
    const Word alone =
        as_word(read < launch) |
        (as_word(read >= block) & (as_word(read < phase) | same_thread | (same_warp & as_word(read < warp))));
    const Word others = (as_word(read < block) & in_grid) |
                        (as_word(read >= block) & ((same_warp & kInWarp) | (~same_warp & kInBlock)));
    const Word kept = as_word(read >= launch) & as_word(readers == 3);
    reads[i] = (kept & read) | (~kept & (me | (~alone & others)));
  }
  return true;
}

std::uint32_t Shadows::begin(std::uint64_t most, unsigned unit_shift) {
  constexpr std::uint32_t kLast = 0xf000'0000;  // a launch may need some of the rest
  most_ = most;
  if (unit_shift != unit_shift_ || taken_ > most / 2 || time_ >= kLast) clear();
  unit_shift_ = unit_shift;
  return ++time_;
}

Shadow* Shadows::of(const AddressRange& range) {
  const auto found = all_.find(range.begin);
  if (found != all_.end() && found->second->size == range.size) return found->second.get();
  if (found != all_.end()) {
    munmap(found->second->writes, found->second->bytes());
    all_.erase(found);
  }
  auto shadow = std::make_unique<Shadow>();
  shadow->begin = range.begin;
  shadow->size = range.size;
  shadow->unit_shift = unit_shift_;
  void* memory =
      mmap(nullptr, shadow->bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (shadow->bytes() >= 4 << 20) madvise(memory, shadow->bytes(), MADV_HUGEPAGE);
  shadow->writes = static_cast<std::uint64_t*>(memory);
  shadow->reads = shadow->writes + shadow->words();
  shadow->touched.resize(shadow->words() / Shadow::kPieceWords + 1);
  return all_.emplace(range.begin, std::move(shadow)).first->second.get();
}

bool Shadows::touch_all(Shadow& shadow) {
  std::uint64_t missing = 0;
  for (const bool touched : shadow.touched) missing += touched ? 0 : Shadow::kPieceWords * 2 * sizeof(std::uint64_t);
  if (taken_ + std::min(missing, shadow.bytes()) > most_ / 2) return false;
  taken_ += std::min(missing, shadow.bytes());
  shadow.touched.assign(shadow.touched.size(), true);
  return true;
}

void Shadows::clear() {
  for (const auto& [begin, shadow] : all_) munmap(shadow->writes, shadow->bytes());
  all_.clear();
  taken_ = 0;
  time_ = 0;
}

}  // namespace xcuda::device::cpu
