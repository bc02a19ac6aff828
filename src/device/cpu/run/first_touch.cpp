#include "device/cpu/run/first_touch.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/futex.hpp"
#include "device/host_window.hpp"

namespace xcuda::device::cpu {
namespace {

PieceDoor the_door;
std::atomic<Address> window_begin{0}, window_end{0};  // empty: nobody is asked

Access access_of(const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;  // of the error code of a page fault
  const auto error = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR];
  return (error & kWrite) != 0 ? Access::write : Access::read;
#else
  static_cast<void>(context);
  return Access::unknown;
#endif
}

// Asks for a piece. One thread asks at a time.
Touch ask(Address piece, Access access) {
  PieceRequest& request = *the_door.request;
  std::uint32_t free = 0;
  while (!request.taken.compare_exchange_weak(free, 1, std::memory_order_acquire)) {
    free = 0;
    sched_yield();
  }
  request.piece = piece;
  request.access = access;
  request.state.store(PieceRequest::asked, std::memory_order_release);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto rung = write(the_door.bell, &one, sizeof one);
  while (request.state.load(std::memory_order_acquire) == PieceRequest::asked)
    wait_while(request.state, PieceRequest::asked);
  const Touch answer = request.answer;
  request.state.store(PieceRequest::none);
  request.taken.store(0, std::memory_order_release);
  return answer;
}

}  // namespace

void ask_for_pieces(const PieceDoor& door, const Window& window) {
  the_door = door;
  window_begin = window.base;
  window_end = window.base + window.size;
}

bool bring_touched_piece(const siginfo_t& info, const void* context) {
  const auto address = reinterpret_cast<Address>(info.si_addr);
  if (address < window_begin || address >= window_end) return false;
  const int before = errno;
  const Address piece = address / kMirrorPiece * kMirrorPiece;
  const Touch touch = ask(piece, access_of(context));
  const bool granted =
      touch != Touch::refused && mprotect(reinterpret_cast<void*>(piece), kMirrorPiece, protection_of(touch)) == 0;
  errno = before;
  return granted;
}

}  // namespace xcuda::device::cpu
